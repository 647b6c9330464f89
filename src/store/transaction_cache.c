/* SPDX-License-Identifier: Apache-2.0 */
/* transaction_cache.c - a hash table of rows by their keys, of the requested size. */
#include "store/transaction_cache.h"

#include <assert.h>

enum { KNOWN_BYTES_MAX = 64 << 20, CAPACITY_MIN = 16 };

void bt_store_transaction_cache_init(struct bt_store_transaction_cache *known)
{
    assert(known);
    *known = (struct bt_store_transaction_cache){.rows = NULL};
    bt_arena_init(&known->arena, KNOWN_BYTES_MAX);
}

void bt_store_transaction_cache_free(struct bt_store_transaction_cache *known)
{
    assert(known);
    bt_arena_free(&known->arena);
    known->rows = NULL;
}

void bt_store_transaction_cache_clear(struct bt_store_transaction_cache *known)
{
    assert(known);
    if (known->rows) {
        bt_arena_reset(&known->arena);
    }
    known->rows = NULL;
    known->capacity = 0;
    known->count = 0;
}

enum bt_status bt_store_transaction_cache_reserve(struct bt_store_transaction_cache *known,
                                                  size_t count)
{
    assert(known);
    size_t capacity = CAPACITY_MIN;
    bt_store_transaction_cache_clear(known);
    while (capacity / 2 < count) { /* half of it stays empty, so that searches are short */
        capacity *= 2;
    }
    known->rows = BT_NEW_ARRAY(&known->arena, struct bt_store_transaction_cache_row, capacity);
    if (!known->rows) {
        return BT_ENOMEM;
    }
    known->capacity = capacity;
    return BT_OK;
}

/* FNV-1a. */
static size_t hash_of(bt_str key)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < key.len; i++) {
        hash = (hash ^ (uint8_t)key.ptr[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(hash ^ hash >> 32);
}

/* The row with this key, or the free slot for it. */
static struct bt_store_transaction_cache_row *slot_of(struct bt_store_transaction_cache *known,
                                                      bt_str key)
{
    size_t at = hash_of(key) & (known->capacity - 1);
    while (known->rows[at].key.ptr && !bt_str_eq(known->rows[at].key, key)) {
        at = (at + 1) & (known->capacity - 1);
    }
    return &known->rows[at];
}

struct bt_store_transaction_cache_row *
bt_store_transaction_cache_find(struct bt_store_transaction_cache *known, bt_str key)
{
    assert(known);
    struct bt_store_transaction_cache_row *row = known->rows ? slot_of(known, key) : NULL;
    return row && row->key.ptr && !row->is_unsure ? row : NULL;
}

struct bt_store_transaction_cache_row *
bt_store_transaction_cache_add(struct bt_store_transaction_cache *known, bt_str key)
{
    assert(known);
    struct bt_store_transaction_cache_row *row = known->rows ? slot_of(known, key) : NULL;
    if (!row || row->key.ptr) {
        return row;
    }
    if (known->count >= known->capacity / 2 ||
        bt_arena_copy(&known->arena, key, &row->key) != BT_OK) {
        return NULL;
    }
    known->count++;
    return row;
}

enum bt_status bt_store_transaction_cache_set_used(struct bt_store_transaction_cache *known,
                                                   struct bt_store_transaction_cache_row *row,
                                                   const struct bt_store_used_id *seen)
{
    assert(row);
    assert(seen);
    BT_TRY(bt_arena_copy(&known->arena, seen->document, &row->seen.document));
    row->seen.seq = seen->seq;
    row->exists = true;
    return BT_OK;
}
