/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transaction_cache.h - lookups of documents and used ids cached for the current transaction.
 *
 * The transaction holds the append lock, and without it no transaction changes a document or uses
 * an id: what was asked once for a whole batch stays valid until the end.
 */
#ifndef BATON_SRC_STORE_TRANSACTION_CACHE_H
#define BATON_SRC_STORE_TRANSACTION_CACHE_H

#include "base/arena.h"
#include "store/store.h"

/* A document or an id; the user of the cache knows which. */
struct bt_store_transaction_cache_row {
    bt_str key;
    bool exists;
    bool is_unsure;               /* the result could not be cached: ask again */
    bool is_redacted;             /* of a document */
    struct bt_store_used_id seen; /* of an id */
};

struct bt_store_transaction_cache {
    struct bt_arena arena;
    struct bt_store_transaction_cache_row *rows; /* NULL: nothing is cached */
    size_t capacity;                             /* a power of two */
    size_t count;
};

void bt_store_transaction_cache_init(struct bt_store_transaction_cache *known);
void bt_store_transaction_cache_free(struct bt_store_transaction_cache *known);
/* Forget everything. */
void bt_store_transaction_cache_clear(struct bt_store_transaction_cache *known);
/* Forget everything, and make room for so many rows. */
BT_MUST_USE enum bt_status
bt_store_transaction_cache_reserve(struct bt_store_transaction_cache *known, size_t count);
/* The cached row of a key; NULL: none. */
struct bt_store_transaction_cache_row *
bt_store_transaction_cache_find(struct bt_store_transaction_cache *known, bt_str key);
/* The row of a key; if there is none, add one that says that it is absent. NULL: there is no
 * room. */
struct bt_store_transaction_cache_row *
bt_store_transaction_cache_add(struct bt_store_transaction_cache *known, bt_str key);
/* Record that an id is used. */
BT_MUST_USE enum bt_status
bt_store_transaction_cache_set_used(struct bt_store_transaction_cache *known,
                                    struct bt_store_transaction_cache_row *row,
                                    const struct bt_store_used_id *seen);

#endif
