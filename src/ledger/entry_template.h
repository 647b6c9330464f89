/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_template.h - recognise entries that differ from an earlier valid one only in some values.
 *
 * The entries of a log repeat each other except for ids, digests, numbers and times. A template is
 * a valid entry with these values cut out. A text that equals it outside the cuts, and has values
 * of the same kind in them, is valid as well: no rule about handoffs and raw documents depends on
 * more of these values than that, except rule E2 (the time is real) and E9 (a delivery has the
 * entry's own number), which are checked again.
 */
#ifndef BATON_SRC_LEDGER_ENTRY_TEMPLATE_H
#define BATON_SRC_LEDGER_ENTRY_TEMPLATE_H

#include "ledger/entry.h"

enum {
    BT_ENTRY_TEMPLATE_BYTES_MAX = 1024,
    BT_ENTRY_TEMPLATE_CUTS_MAX = 16,
    BT_ENTRY_TEMPLATES_MAX = 8
};

/* A value that is cut out, and the text between it and the one before. */
struct bt_entry_template_cut {
    enum bt_entry_template_value {
        BT_ENTRY_TEMPLATE_END, /* the end of the text, without a value */
        BT_ENTRY_TEMPLATE_NAME,
        BT_ENTRY_TEMPLATE_SHA256,
        BT_ENTRY_TEMPLATE_TIME,
        BT_ENTRY_TEMPLATE_NUMBER,
        BT_ENTRY_TEMPLATE_SEQ, /* the entry's own number */
    } value;
    size_t from; /* the text before the value begins there ... */
    size_t size; /* ... and is so long */
    size_t len;  /* of the value in the last match */
    void *place; /* of the value in `entry`; NULL: it is not a member alone */
};

struct bt_entry_template {
    size_t cut_count; /* 0: not made yet */
    struct bt_entry_template_cut cuts[BT_ENTRY_TEMPLATE_CUTS_MAX];
    struct bt_entry entry; /* of the last match */
    char text[BT_ENTRY_TEMPLATE_BYTES_MAX];
};

/* A few templates; the oldest is replaced. Zeroed memory is the initial state. It must not be
 * moved. */
struct bt_entry_templates {
    size_t last; /* the one that has matched last */
    size_t next; /* the oldest */
    size_t debt; /* making one takes as long as checking many entries, so it is not made for each */
    struct bt_entry_template items[BT_ENTRY_TEMPLATES_MAX];
};

/* The entry when a template shows that this text is entry number `seq` and valid; it lasts until
 * the next call, and as long as the text. NULL means nothing. */
const struct bt_entry *bt_entry_templates_match(struct bt_entry_templates *templates, bt_str text,
                                                uint64_t seq);
/* Make a template of a text that was read into `entry` and is valid, if it can be one. */
void bt_entry_templates_add(struct bt_entry_templates *templates, bt_str text,
                            const struct bt_entry *entry);

#endif
