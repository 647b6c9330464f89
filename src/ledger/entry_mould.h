/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_mould.h - entries that look like one that was judged before.
 *
 * The entries of a log repeat each other but for ids, digests, sizes and times. A mould is an entry
 * that keeps all rules, with these values cut out. A text that equals it outside the cuts, and has
 * values of the same kind and length in them, keeps all rules as well: no rule looks at more of
 * these values than that, save rule E2, which is asked anew.
 */
#ifndef BATON_SRC_LEDGER_ENTRY_MOULD_H
#define BATON_SRC_LEDGER_ENTRY_MOULD_H

#include "ledger/entry.h"

enum { BT_MOULD_BYTES_MAX = 1024, BT_MOULD_CUTS_MAX = 8, BT_MOULDS_MAX = 8 };

struct bt_mould {
    size_t len; /* 0: not made yet */
    size_t cut_count;
    struct bt_mould_cut {
        size_t at;
        size_t len;
        bool (*fits)(bt_str text); /* NULL: the entry's own number */
    } cuts[BT_MOULD_CUTS_MAX];
    size_t time_at;
    size_t kept_at; /* digest of a document that is kept; 0: none */
    char text[BT_MOULD_BYTES_MAX];
};

/* A few of them, the oldest giving way. Cleared memory is the beginning. */
struct bt_moulds {
    size_t next;
    struct bt_mould items[BT_MOULDS_MAX];
};

/* What is asked about an entry that keeps the rules. */
struct bt_entry_gist {
    bt_str time;
    bt_str kept; /* digest of a document that is kept, or "" */
};

void bt_entry_gist(const struct bt_entry *entry, struct bt_entry_gist *out);
/* Whether a mould shows that this text is entry number `seq` and keeps all rules. False says
 * nothing. */
BT_MUST_USE bool bt_moulds_fit(const struct bt_moulds *moulds, bt_str text, uint64_t seq,
                               struct bt_entry_gist *out);
/* Make a mould of a text that was read into `entry` and keeps all rules. */
void bt_moulds_add(struct bt_moulds *moulds, bt_str text, const struct bt_entry *entry);

#endif
