/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_index.c - arrays that grow in an arena, and an index from hashes to their items.
 */
#include "schema/hash_index.h"

#include <assert.h>
#include <string.h>

enum { CAPACITY_FIRST = 16 };

enum bt_status bt_vec_reserve(struct bt_arena *arena, void **items, size_t count, size_t *capacity,
                              size_t item_size)
{
    if (count < *capacity) {
        return BT_OK;
    }
    if (*capacity > SIZE_MAX / 2) {
        return BT_ENOMEM;
    }
    const size_t room = *capacity > 0 ? *capacity * 2 : CAPACITY_FIRST;
    void *grown = bt_arena_calloc(arena, room, item_size);
    if (!grown) {
        return BT_ENOMEM;
    }
    if (count > 0) {
        memcpy(grown, *items, count * item_size);
    }
    *items = grown;
    *capacity = room;
    return BT_OK;
}

/* Linear probing: a place is free when its number is BT_INDEX_NONE. */
static void put_number(struct bt_schema_hash_index *index, uint64_t hash, uint32_t number)
{
    size_t at = hash & (index->capacity - 1);
    while (index->numbers[at] != BT_INDEX_NONE) {
        at = (at + 1) & (index->capacity - 1);
    }
    index->hashes[at] = hash;
    index->numbers[at] = number;
}

static enum bt_status grow_index(struct bt_schema_hash_index *index)
{
    const struct bt_schema_hash_index old = *index;
    const size_t capacity = old.capacity > 0 ? old.capacity * 2 : CAPACITY_FIRST;
    uint64_t *hashes = BT_NEW_ARRAY(old.arena, uint64_t, capacity);
    uint32_t *numbers = BT_NEW_ARRAY(old.arena, uint32_t, capacity);
    if (!hashes || !numbers) {
        return BT_ENOMEM;
    }
    memset(numbers, 0xff, capacity * sizeof(*numbers));
    index->hashes = hashes;
    index->numbers = numbers;
    index->capacity = capacity;
    /* Starting behind a free place keeps numbers of one hash in their order. */
    size_t start = 0;
    while (start < old.capacity && old.numbers[start] != BT_INDEX_NONE) {
        start++;
    }
    for (size_t i = 0; i < old.capacity; i++) {
        const size_t at = (start + i) & (old.capacity - 1);
        if (old.numbers[at] != BT_INDEX_NONE) {
            put_number(index, old.hashes[at], old.numbers[at]);
        }
    }
    return BT_OK;
}

enum bt_status bt_schema_hash_index_add(struct bt_schema_hash_index *index, uint64_t hash,
                                        uint32_t number)
{
    assert(number != BT_INDEX_NONE);
    if (index->count >= index->capacity / 2) {
        BT_TRY(grow_index(index));
    }
    put_number(index, hash, number);
    index->count++;
    return BT_OK;
}

uint32_t bt_schema_hash_index_next(const struct bt_schema_hash_index *index,
                                   struct bt_schema_hash_index_search *search)
{
    while (search->step < index->capacity) {
        const size_t at = (search->hash + search->step) & (index->capacity - 1);
        if (index->numbers[at] == BT_INDEX_NONE) {
            return BT_INDEX_NONE;
        }
        search->step++;
        if (index->hashes[at] == search->hash) {
            return index->numbers[at];
        }
    }
    return BT_INDEX_NONE;
}
