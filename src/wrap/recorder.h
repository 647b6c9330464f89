/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - records on their way into a ledger, and what is known when the store fails.
 *
 *     bt_wrap_recorder_put(recorder, record);
 *     ... the writer calls options.wake, and then
 *     while (bt_wrap_recorder_next(recorder, now_ms, &recorded)) { ... }
 *
 * One writer per process takes everything that waits into one transaction (ledger/ledger.h).
 * Nobody waits here: a record is put, and what became of it is told later. After a failed commit,
 * or when too many records wait, the store is failing until a commit succeeds. Until then one
 * record at a time tries it, and the others are missing; the record of a gap says how many.
 */
#ifndef BATON_SRC_WRAP_RECORDER_H
#define BATON_SRC_WRAP_RECORDER_H

#include "ledger/hash.h"
#include "ledger/ledger.h"
#include "wrap/repeat.h"

struct bt_wrap_recorder;

struct bt_wrap_recorder_options {
    struct bt_ledger *ledger; /* open for writing; only the recorder uses it until it is closed */
    struct bt_ledger_writer *writer; /* shared with others, instead of `ledger`; NULL: its own */
    const struct bt_env *env;
    bt_str actor;
    bt_str policy; /* what refs.policy of the records is the digest of */
    bt_str server;
    bt_str session;                        /* for the record of a gap */
    const struct bt_wrap_repeats *repeats; /* keys of calls; only with records that have one */
    uint64_t records_max;                  /* that wait */
    uint64_t deadline_ms;                  /* for one record to become durable */
    uint64_t document_bytes;               /* of one record */
    /*
     * Called on the writer's thread when bt_wrap_recorder_next() has something, once until that is
     * called again. Must not block.
     */
    void (*wake)(void *context);
    void *context;
};

/* Why the store counts as failing. In the order of the words of WRAP_RECORD_FAILED. */
enum bt_wrap_store_failure {
    BT_WRAP_STORE_WORKS = 0,
    BT_WRAP_STORE_COMMIT,  /* a commit failed, or took too long */
    BT_WRAP_STORE_QUEUE,   /* too many records wait */
    BT_WRAP_STORE_UNKNOWN, /* the outcome of a commit is unknown: it is not written to again */
};

/* What became of a record. */
struct bt_wrap_recorded {
    struct bt_wrap_record *record; /* the caller destroys it */
    bool is_durable;
    uint64_t seq;                      /* of its entry */
    bt_str origin;                     /* of the log, when an answer waited; else "" */
    char leaf_hash[BT_HASH_HEX_BYTES]; /* of its entry, in hexadecimal; only with an origin */
};

/*
 * Start the writer, unless it is shared. The options' texts and ledger must outlive the recorder.
 * On BT_OK *out must be closed. BT_ENOMEM; BT_EIO: no thread could be started.
 */
BT_MUST_USE enum bt_status bt_wrap_recorder_open(const struct bt_wrap_recorder_options *options,
                                                 struct bt_wrap_recorder **out,
                                                 struct bt_error *error);
/*
 * End the writer, unless it is shared. Nothing may wait any more, unless the store hangs: then the
 * writer is left alone, and false says that the ledger must not be closed. NULL is allowed.
 */
bool bt_wrap_recorder_close(struct bt_wrap_recorder *recorder);

/*
 * Record it; the recorder has it from now on. *out_is_missing: the store is failing, and the caller
 * destroys the record. BT_ENOMEM: it is missing, too, and destroyed.
 */
BT_MUST_USE enum bt_status bt_wrap_recorder_put(struct bt_wrap_recorder *recorder,
                                                struct bt_wrap_record *record,
                                                bool *out_is_missing);
/* Record the gap, if requests are missing and the store may be tried. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_recorder_put_gap(struct bt_wrap_recorder *recorder);

/*
 * The next record whose fate is known, in the order in which they were put. False: none. Records
 * that are late at now_ms (CLOCK_MONOTONIC) are given up.
 */
bool bt_wrap_recorder_next(struct bt_wrap_recorder *recorder, uint64_t now_ms,
                           struct bt_wrap_recorded *out);
/* When bt_wrap_recorder_next() must be called at the latest; UINT64_MAX: nothing waits. */
uint64_t bt_wrap_recorder_deadline(const struct bt_wrap_recorder *recorder);

/* Why the store is failing now. */
enum bt_wrap_store_failure bt_wrap_recorder_failure(const struct bt_wrap_recorder *recorder);
/* The outcome of a commit through another handle is unknown: write nothing more. */
void bt_wrap_recorder_stop(struct bt_wrap_recorder *recorder, const struct bt_error *error);
/* What the store said when it failed last; for people. */
const char *bt_wrap_recorder_error(const struct bt_wrap_recorder *recorder);

/* Records that wait, and their memory; calls whose record is durable; calls that are missing. */
struct bt_wrap_recorder_counts {
    uint64_t waiting;
    uint64_t memory;
    uint64_t recorded;
    uint64_t unrecorded;
};

struct bt_wrap_recorder_counts bt_wrap_recorder_counts(const struct bt_wrap_recorder *recorder);

#endif
