/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_parallel.h - spans of the log checked ahead of the pass, by several threads.
 *
 * Nearly every span is plain: complete, and every entry matches its leaf and the rules. That is all
 * that a worker determines; any other span is checked by the pass, entry by entry. So findings are
 * made in one place, in order, by one thread.
 */
#ifndef BATON_SRC_LEDGER_VERIFY_PARALLEL_H
#define BATON_SRC_LEDGER_VERIFY_PARALLEL_H

#include "ledger/verify.h"

/* 256 entries that need no findings. */
struct bt_verify_span_result {
    bool is_plain;
    char earliest[BT_ENTRY_TIME_BYTES]; /* the times never go back from here ... */
    char latest[BT_ENTRY_TIME_BYTES];   /* ... to here; not with any_entries */
    struct bt_merkle_hash root;
    struct bt_merkle_hash leaves[BT_TILE_WIDTH];
    size_t digest_count; /* stored documents, when the source checks them */
    struct bt_merkle_hash digests[BT_TILE_WIDTH];
};

struct bt_verify_workers;

/* Begin with the first span. Threads that cannot be started are left out. Only spans of 256
 * positions are checked; a log without any gives NULL. */
BT_MUST_USE enum bt_status bt_verify_workers_open(const struct bt_verify *verify,
                                                  struct bt_verify_workers **out);
/* The next span in order; it is valid until the next call. */
const struct bt_verify_span_result *bt_verify_workers_next(struct bt_verify_workers *ahead);
/* NULL is allowed. */
void bt_verify_workers_close(struct bt_verify_workers *ahead);

#endif
