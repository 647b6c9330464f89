/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - entries of the ledger, read, and whose they are.
 */
#ifndef BATON_APP_SERVICE_ENTRIES_H
#define BATON_APP_SERVICE_ENTRIES_H

#include "service/records.h"

/* An entry, read. */
struct entry {
    const struct bt_doc *document;
    const bt_value *root;
};

bool entry_read(struct bt_arena *arena, bt_str text, struct entry *out);
/* The text of a member, or "". */
bt_str entry_text(const struct entry *entry, const char *name);
/* Whether one of its codes is this one. */
bool entry_has_code(const struct entry *entry, bt_str code);
/* What the caller submitted itself, and what names an agent that it is bound to. */
bool entry_is_theirs(const struct work *work, const struct entry *entry);
/* The entry that an id names, if it is there and the caller's. */
BT_MUST_USE bool entry_find(struct work *work, bt_str id, struct bt_ledger_shown *out);

#endif
