/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_spans.h - spans of the log checked ahead of the pass, by one thread or several.
 *
 * Nearly every span is plain: complete, every entry matches its leaf and the rules, and no time is
 * far behind. That is all that is determined here; any other span is checked by the pass, entry by
 * entry. So findings are made in one place, in order, by one thread.
 */
#ifndef BATON_SRC_LEDGER_VERIFY_SPANS_H
#define BATON_SRC_LEDGER_VERIFY_SPANS_H

#include "ledger/verify.h"

/* What the pass needs of an entry that needs no finding, except perhaps for its counters. */
struct bt_verify_plain_entry {
    struct bt_ledger_entry_keys keys;
    uint64_t v;
    struct bt_entry_counts n;
};

/* 256 entries. */
struct bt_verify_plain_span {
    bool is_plain;
    struct bt_merkle_hash root;
    struct bt_merkle_hash leaves[BT_TILE_WIDTH];
    size_t digest_count; /* stored documents, when the source checks them */
    struct bt_merkle_hash digests[BT_TILE_WIDTH];
    /* Not with any_entries: */
    char earliest[BT_ENTRY_TIME_BYTES];
    char latest[BT_ENTRY_TIME_BYTES];
    struct bt_verify_plain_entry entries[BT_TILE_WIDTH];
};

struct bt_verify_spans;

/* Begin with the first span. Threads that cannot be started are left out. Only spans of 256
 * positions are checked; a log without any gives NULL, and so does a reader of all entries. */
BT_MUST_USE enum bt_status bt_verify_spans_open(const struct bt_verify *verify,
                                                struct bt_verify_spans **out);
/* The next span in order; it is valid until the next call. */
const struct bt_verify_plain_span *bt_verify_spans_next(struct bt_verify_spans *spans);
/* NULL is allowed. */
void bt_verify_spans_close(struct bt_verify_spans *spans);

#endif
