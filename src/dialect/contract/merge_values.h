/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_values.h - two lists -> one without repetitions.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_MERGE_VALUES_H
#define BATON_SRC_DIALECT_CONTRACT_MERGE_VALUES_H

#include "json/members.h"

struct bt_contract_merged_value {
    bool changed;   /* it is not the first list as it was */
    bool same_name; /* two different objects have the same string as their `name` */
    bt_str text;    /* the list, compact; in the arena; only when changed */
};

/*
 * The items of `a`, then those of `b`, each kept only if no earlier one is deeply equal. `seed`
 * prevents an attacker from choosing values whose hashes collide. BT_ENOMEM is its only failure.
 */
BT_MUST_USE enum bt_status bt_contract_merge_values(struct bt_arena *arena, bt_ref a, bt_ref b,
                                                    const uint64_t seed[2],
                                                    struct bt_contract_merged_value *out);

#endif
