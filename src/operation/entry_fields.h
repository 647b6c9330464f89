/* SPDX-License-Identifier: Apache-2.0 */
/* entry_fields.h - parsed entries of the ledger, and who may see them. */
#ifndef BATON_SRC_OPERATION_ENTRY_FIELDS_H
#define BATON_SRC_OPERATION_ENTRY_FIELDS_H

#include "operation/records.h"

/* A parsed entry. */
struct bt_entry_fields {
    const struct bt_json_doc *document;
    const bt_json_value *root;
};

/* Parse an entry into the arena, with the seed of the environment. False: it cannot be read. */
bool bt_entry_fields_read(const struct bt_env *env, struct bt_arena *arena, bt_str text,
                          struct bt_entry_fields *out);
/* The text of a member, or "". */
bt_str bt_entry_fields_text(const struct bt_entry_fields *entry, const char *name);
/* True for what the caller submitted itself, and what names an agent that it is bound to. */
bool bt_entry_fields_visible_to(const struct bt_call *work, const struct bt_entry_fields *entry);
/* The entry with this id, if it exists and the caller may see it. */
BT_MUST_USE bool bt_entry_fields_find(struct bt_call *work, bt_str id,
                                      struct bt_ledger_entry_view *out);
/* Its number alone: the document is not searched for. */
BT_MUST_USE bool bt_entry_fields_find_number(struct bt_call *work, bt_str id, uint64_t *out);

#endif
