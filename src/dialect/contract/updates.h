/* SPDX-License-Identifier: Apache-2.0 */
/*
 * updates.h - the entries of update_contracts.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_UPDATES_H
#define BATON_SRC_DIALECT_CONTRACT_UPDATES_H

#include "dialect/contract/turn.h"

/* One entry, as far as it is well-formed. */
struct bt_update {
    const bt_value *contract; /* a legal name, or NULL */
    const bt_value *payload;  /* an object, or NULL */
};

/* How many entries there are. */
size_t bt_updates_count(const struct bt_turn *turn);
/* The entry at `index`; both parts are NULL when it is no object. */
struct bt_update bt_updates_at(const struct bt_turn *turn, size_t index);
/* Merge the payload of an update, an object of the turn's document, into a stored section. Sets
 * result and members of *out, and adds findings; turn->wants_mends was set. */
BT_MUST_USE enum bt_status bt_turn_merge(struct bt_turn *turn, const bt_value *payload,
                                         const struct bt_doc *stored,
                                         struct bt_contract_merged *out);

#endif
