/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - a list of what was given back, and an arena for when it is empty.
 */
#include "pump/pool.h"

#include <assert.h>
#include <string.h>

struct bt_pool_spare {
    struct bt_pool_spare *next;
};

void bt_pool_init(struct bt_pool *pool, struct bt_arena *arena, size_t size)
{
    assert(pool);
    assert(size >= sizeof(struct bt_pool_spare));
    *pool = (struct bt_pool){.arena = arena, .size = size};
}

void *bt_pool_take(struct bt_pool *pool)
{
    assert(pool);
    struct bt_pool_spare *spare = pool->spare;
    if (!spare) {
        return bt_arena_calloc(pool->arena, 1, pool->size);
    }
    pool->spare = spare->next;
    memset(spare, 0, pool->size);
    return spare;
}

void bt_pool_give(struct bt_pool *pool, void *thing)
{
    assert(pool);
    assert(thing);
    struct bt_pool_spare *spare = thing;
    spare->next = pool->spare;
    pool->spare = spare;
}
