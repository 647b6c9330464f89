/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - entries of the ledger, read, and whose they are.
 */
#ifndef BATON_APP_SERVICE_ENTRIES_H
#define BATON_APP_SERVICE_ENTRIES_H

#include "service/records.h"

/* An entry, read. */
struct bt_entry_fields {
    const struct bt_json_doc *document;
    const bt_json_value *root;
};

bool entry_read(struct bt_arena *arena, bt_str text, struct bt_entry_fields *out);
/* The text of a member, or "". */
bt_str entry_text(const struct bt_entry_fields *entry, const char *name);
/* Whether one of its codes is this one. */
bool entry_has_code(const struct bt_entry_fields *entry, bt_str code);
/* What the caller submitted itself, and what names an agent that it is bound to. */
bool bt_entry_fields_visible_to(const struct bt_call *work, const struct bt_entry_fields *entry);
/* The entry that an id names, if it is there and the caller's. */
BT_MUST_USE bool entry_find(struct bt_call *work, bt_str id, struct bt_ledger_entry_view *out);

#endif
