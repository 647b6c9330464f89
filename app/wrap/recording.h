/* SPDX-License-Identifier: Apache-2.0 */
/* recording.h - the store of a session: found or named, and the recorder that writes to it. */
#ifndef BATON_APP_WRAP_RECORDING_H
#define BATON_APP_WRAP_RECORDING_H

#include "cli/run.h"
#include "wrap/calls.h"
#include "wrap/consent.h"
#include "wrap/policy.h"
#include "wrap/repeat.h"
#include "wrap/server_flags.h"

/* The store of `baton serve`, which its sessions share. */
struct wrap_shared_store {
    struct bt_ledger_writer *writer; /* NULL: nothing is recorded */
    bt_str actor;
    struct bt_wrap_spending *spending; /* of this actor and server */
};

/* The store of a session. */
struct wrap_records {
    struct bt_wrap_record_settings recording; /* without a recorder: nothing is recorded */
    struct bt_ledger *decisions;              /* a second handle, for the thread of the loop */
    struct bt_wrap_repeats repeats;
    struct bt_wrap_consent consent; /* without a ledger: no call needs an approval */
    bool has_store;
    struct bt_ledger_writer *shared_writer; /* NULL: the recorder has its own */
    bt_str actor;
    uint64_t records_max; /* that wait */
    int wake_fd;          /* readable when bt_wrap_session_collect() has something; -1: no store */
};

/* Take the flags about records into the policy, which is complete then. False after an error
 * message. */
bool wrap_records_take_flags(struct cli_run *run, struct bt_wrap_policy *policy,
                             struct wrap_records *out);

/*
 * Open the store that --store names or that is found as everywhere, and check that it can be
 * written to. Nothing is recorded with --no-record, and when no store is found, which standard
 * error then says. `shared` is used instead, unless it is NULL. False after an error message. Close
 * it in every case.
 */
bool wrap_records_open(struct cli_run *run, const struct wrap_server *server,
                       const struct wrap_shared_store *shared, struct wrap_records *out);
/* Begin to record for a session. False after an error message. */
bool wrap_records_start(struct cli_run *run, struct wrap_records *records, bt_str server,
                        bt_str session);
/*
 * Open the store a second time, for keys of calls and for approvals, which are decided on the
 * thread of the loop. False after an error message: a rule that wants approvals needs a store.
 * Close it in every case.
 */
bool wrap_records_decide(struct cli_run *run, const struct bt_wrap_policy *policy,
                         struct wrap_records *records);
void wrap_records_close(struct cli_run *run, struct wrap_records *records);

#endif
