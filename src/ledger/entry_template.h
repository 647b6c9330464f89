/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_template.h - recognise entries that differ from an earlier valid one only in some values.
 *
 * The entries of a log repeat each other except for ids, digests, sizes and times. A template is a
 * valid entry with these values cut out. A text that equals it outside the cuts, and has values of
 * the same kind and length in them, is valid as well: no rule depends on more of these values than
 * that, except rule E2, which is checked again.
 */
#ifndef BATON_SRC_LEDGER_ENTRY_TEMPLATE_H
#define BATON_SRC_LEDGER_ENTRY_TEMPLATE_H

#include "ledger/entry.h"

enum {
    BT_ENTRY_TEMPLATE_BYTES_MAX = 1024,
    BT_ENTRY_TEMPLATE_HOLES_MAX = 8,
    BT_ENTRY_TEMPLATES_MAX = 8
};

struct bt_entry_template {
    size_t len; /* 0: not made yet */
    size_t cut_count;
    struct bt_entry_template_hole {
        size_t at;
        size_t len;
        bool (*fits)(bt_str text); /* NULL: the entry's own number */
    } cuts[BT_ENTRY_TEMPLATE_HOLES_MAX];
    size_t time_at;
    size_t kept_at; /* position of the digest of a stored document; 0: none */
    char text[BT_ENTRY_TEMPLATE_BYTES_MAX];
};

/* A few templates; the oldest is replaced. Zeroed memory is the initial state. */
struct bt_entry_templates {
    size_t next;
    struct bt_entry_template items[BT_ENTRY_TEMPLATES_MAX];
};

/* What the verifier needs to know about a valid entry. */
struct bt_entry_digest {
    bt_str time;
    bt_str kept; /* digest of a stored document, or "" */
};

void bt_entry_digest_read(const struct bt_entry *entry, struct bt_entry_digest *out);
/* True when a template shows that this text is entry number `seq` and valid. False means
 * nothing. */
BT_MUST_USE bool bt_entry_templates_match(const struct bt_entry_templates *templates, bt_str text,
                                          uint64_t seq, struct bt_entry_digest *out);
/* Make a template of a text that was read into `entry` and is valid. */
void bt_entry_templates_add(struct bt_entry_templates *templates, bt_str text,
                            const struct bt_entry *entry);

#endif
