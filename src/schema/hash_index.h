/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_index.h - arrays that grow in an arena, and an index from hashes to their items.
 */
#ifndef BATON_SRC_SCHEMA_HASH_INDEX_H
#define BATON_SRC_SCHEMA_HASH_INDEX_H

#include <baton/base.h>

/*
 * Make room for one more item behind `count`. *items may move; what stood there is copied. Doubling
 * wastes at most as much again as the list takes, which the arena gives back at its end.
 */
BT_MUST_USE enum bt_status bt_vec_reserve(struct bt_arena *arena, void **items, size_t count,
                                          size_t *capacity, size_t item_size);

/* From 64-bit hashes to numbers. Several numbers may have one hash; the caller compares. */
struct bt_schema_hash_index {
    struct bt_arena *arena;
    uint64_t *hashes;
    uint32_t *numbers;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

#define BT_INDEX_NONE UINT32_MAX

BT_MUST_USE enum bt_status bt_schema_hash_index_add(struct bt_schema_hash_index *index,
                                                    uint64_t hash, uint32_t number);

/* Where a search for `hash` stands. Starts as {hash, 0}. */
struct bt_schema_hash_index_search {
    uint64_t hash;
    size_t step;
};

/* The next number with the search's hash, in order of addition, or BT_INDEX_NONE. */
uint32_t bt_schema_hash_index_next(const struct bt_schema_hash_index *index,
                                   struct bt_schema_hash_index_search *search);

#endif
