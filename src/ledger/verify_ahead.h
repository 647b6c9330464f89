/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_ahead.h - stretches of the log looked at ahead of the walk, by several threads.
 *
 * Nearly every stretch is plain: all there, every entry what its leaf and the rules say. That is
 * all that a glance finds out; of any other stretch it says nothing, and the walk goes along it
 * entry by entry. So findings are made in one place, in order, by one thread.
 */
#ifndef BATON_SRC_LEDGER_VERIFY_AHEAD_H
#define BATON_SRC_LEDGER_VERIFY_AHEAD_H

#include "ledger/verify.h"

/* 256 entries of which nothing is to be said. */
struct bt_glance {
    bool is_plain;
    char earliest[BT_ENTRY_TIME_BYTES]; /* the entry's times never go back from here ... */
    char latest[BT_ENTRY_TIME_BYTES];   /* ... to here; not with any_entries */
    struct bt_hash root;
    struct bt_hash leaves[BT_TILE_WIDTH];
    size_t digest_count; /* documents that are kept, where the source wants to know */
    struct bt_hash digests[BT_TILE_WIDTH];
};

struct bt_ahead;

/* Begin with the first stretch. Threads that cannot be had are done without. Only stretches of 256
 * places are looked at; a log without any gives NULL. */
BT_MUST_USE enum bt_status bt_ahead_open(const struct bt_verify *verify, struct bt_ahead **out);
/* The next stretch in order; it lives until the next call. */
const struct bt_glance *bt_ahead_next(struct bt_ahead *ahead);
/* NULL is allowed. */
void bt_ahead_close(struct bt_ahead *ahead);

#endif
