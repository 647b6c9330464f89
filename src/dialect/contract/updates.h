/* SPDX-License-Identifier: Apache-2.0 */
/*
 * updates.h - the entries of update_contracts.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_UPDATES_H
#define BATON_SRC_DIALECT_CONTRACT_UPDATES_H

#include "dialect/contract/contract_check.h"

/* One entry, as far as it is well-formed. */
struct bt_contract_update {
    const bt_json_value *contract; /* a legal name, or NULL */
    const bt_json_value *payload;  /* an object, or NULL */
};

/* How many entries there are. */
size_t bt_contract_updates_count(const struct bt_contract_check *check);
/* The entry at `index`; both parts are NULL when it is not an object. */
struct bt_contract_update bt_contract_updates_at(const struct bt_contract_check *check,
                                                 size_t index);
/* Merge the payload of an update, an object of the checked document, into a stored section. Sets
 * result and members of *out, and adds findings; check->wants_edits was set. */
BT_MUST_USE enum bt_status bt_contract_check_merge(struct bt_contract_check *check,
                                                   const bt_json_value *payload,
                                                   const struct bt_json_doc *stored,
                                                   struct bt_contract_merge_result *out);

#endif
