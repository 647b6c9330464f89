/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_parallel.h - stretches of the log looked at ahead of the walk, by several threads.
 *
 * Nearly every stretch is plain: all there, every entry what its leaf and the rules say. That is
 * all that a glance finds out; of any other stretch it says nothing, and the walk goes along it
 * entry by entry. So findings are made in one place, in order, by one thread.
 */
#ifndef BATON_SRC_LEDGER_VERIFY_PARALLEL_H
#define BATON_SRC_LEDGER_VERIFY_PARALLEL_H

#include "ledger/verify.h"

/* 256 entries of which nothing is to be said. */
struct bt_verify_span_result {
    bool is_plain;
    char earliest[BT_ENTRY_TIME_BYTES]; /* the entry's times never go back from here ... */
    char latest[BT_ENTRY_TIME_BYTES];   /* ... to here; not with any_entries */
    struct bt_merkle_hash root;
    struct bt_merkle_hash leaves[BT_TILE_WIDTH];
    size_t digest_count; /* documents that are kept, where the source wants to know */
    struct bt_merkle_hash digests[BT_TILE_WIDTH];
};

struct bt_verify_workers;

/* Begin with the first stretch. Threads that cannot be had are done without. Only stretches of 256
 * places are looked at; a log without any gives NULL. */
BT_MUST_USE enum bt_status bt_verify_workers_open(const struct bt_verify *verify,
                                                  struct bt_verify_workers **out);
/* The next stretch in order; it lives until the next call. */
const struct bt_verify_span_result *bt_verify_workers_next(struct bt_verify_workers *ahead);
/* NULL is allowed. */
void bt_verify_workers_close(struct bt_verify_workers *ahead);

#endif
