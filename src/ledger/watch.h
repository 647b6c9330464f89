/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - remember the checkpoints of somebody else's log, and notice when it shows another
 * history. The memory is a folder with the layout of witness_internal.h, without keys:
 *
 *     DIR/logs/<SHA-256 of origin>/checkpoint  evidence/<SHA-256 of the note>
 */
#ifndef BATON_SRC_LEDGER_WATCH_H
#define BATON_SRC_LEDGER_WATCH_H

#include "ledger/proof_api.h"

/*
 * Read a file of a tlog-tiles log into the arena, at most `bytes_max` bytes. A callback, because a
 * log is a folder, a store or a server. BT_ENOENT: the file does not exist.
 */
typedef enum bt_status bt_log_read_fn(void *context, struct bt_arena *arena, bt_str path,
                                      size_t bytes_max, bt_str *out, struct bt_error *error);

struct bt_log_source {
    bt_log_read_fn *read;
    void *context;
};

/* Read from an open ledger; the context is the ledger. */
bt_log_read_fn bt_ledger_read_log_file;

struct bt_ledger_watch_options {
    struct bt_log_source log;
    bt_str path;        /* of the log, for the report */
    const char *memory; /* folder; it is made if it does not exist */
    const struct bt_verifier_keys *keys;
    const struct bt_witness_policy *policy; /* whose quorum decides; NULL: none */
    uint64_t age_max_s;                     /* of the last entry; 0: any */
    bt_instant now;
};

/*
 * Read the newest checkpoint, compare it with the remembered one, and remember it when it extends
 * that. The judgement has the dialect `checkpoint` and lives in the arena. Other statuses: the log
 * or the memory could not be read or written, and nothing was decided.
 */
BT_MUST_USE enum bt_status bt_ledger_watch(struct bt_arena *arena,
                                           const struct bt_ledger_watch_options *options,
                                           struct bt_judgement *out, struct bt_error *error);

#endif
