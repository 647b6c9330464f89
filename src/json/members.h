/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.h - the members of objects in another order, and those of two objects side by side.
 */
#ifndef BATON_SRC_JSON_MEMBERS_H
#define BATON_SRC_JSON_MEMBERS_H

#include <baton/json.h>

#include "json/scratch.h"

/* A value and the document it stands in. */
typedef struct bt_ref {
    const struct bt_json_doc *document;
    const bt_json_value *value;
} bt_ref;

/* Stands for one member while members are sorted: what is compared first, and its index. */
struct bt_json_member_key {
    uint32_t key;
    uint32_t index;
};

/* Negative, zero or positive as a stands before, beside or after b. */
typedef int bt_json_name_order_fn(bt_str a, bt_str b);

/*
 * Sort by key, then by name as `order` has it (NULL: not at all), then by the order they come in.
 * Takes n log n steps at most. `spare` has room for `count` keys too.
 */
void bt_json_members_sort(struct bt_json_member_key *keys, struct bt_json_member_key *spare,
                          size_t count, const struct bt_json_member *members,
                          bt_json_name_order_fn *order);

/* What many matches share; starts with the arena alone. */
struct bt_json_member_matcher {
    struct bt_arena *arena;
    struct bt_json_scratch keys;
};

#define BT_NO_MEMBER UINT32_MAX

/*
 * For each member of the object a, set out_partners[i] to the index of the member of the object b
 * that has the same name, or BT_NO_MEMBER. BT_ENOMEM is the arena's.
 */
BT_MUST_USE enum bt_status bt_json_members_match(struct bt_json_member_matcher *matcher, bt_ref a,
                                                 bt_ref b, uint32_t *out_partners);

#endif
