/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_hash.h - a seeded hash under which equal values are equal: 1, 1.0 and 1e0 are one
 * number, and the order of members does not matter.
 */
#ifndef BATON_SRC_SCHEMA_VALUE_HASH_H
#define BATON_SRC_SCHEMA_VALUE_HASH_H

#include <baton/json.h>

/*
 * Hash `value`. Faster when `seed` is the document's own, whose names are hashed with it already.
 * `arena` is working memory, about 32 bytes per level of nesting, and is rewound; BT_ENOMEM is its
 * only failure. *out_nodes counts the values that were looked at.
 */
BT_MUST_USE enum bt_status bt_schema_value_hash(const struct bt_json_doc *document,
                                                const bt_json_value *value, const uint64_t seed[2],
                                                struct bt_arena *arena, uint64_t *out_hash,
                                                uint64_t *out_nodes);

/* The hash of a value without children. */
uint64_t bt_schema_scalar_hash(const struct bt_json_doc *document, const bt_json_value *value,
                               uint64_t seed);

#endif
