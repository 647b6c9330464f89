/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_pool.c - a pile of what was given back, and an arena for when it is empty.
 *
 * The pile names the things and does not lie in them: what was given back long ago is not read to
 * find the one below it.
 */
#include "base/object_pool.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

enum { SPARES_MIN = 16 };

void bt_object_pool_init(struct bt_object_pool *pool, struct bt_arena *arena, size_t size)
{
    assert(pool);
    assert(size > 0);
    *pool = (struct bt_object_pool){.arena = arena, .size = size};
}

/* One more, and room to give it back: nothing lies there now. */
static void *new_object(struct bt_object_pool *pool)
{
    assert(pool->spares_count == 0);
    if (pool->made == pool->spares_room) {
        const size_t room = pool->made > 0 ? 2 * pool->made : SPARES_MIN;
        void **spares = BT_NEW_ARRAY(pool->arena, void *, room);
        if (!spares) {
            return NULL;
        }
        pool->spares = spares;
        pool->spares_room = room;
    }
    void *thing = bt_arena_calloc(pool->arena, 1, pool->size);
    pool->made += thing != NULL;
    return thing;
}

void *bt_object_pool_acquire(struct bt_object_pool *pool)
{
    assert(pool);
    if (pool->spares_count == 0) {
        return new_object(pool);
    }
    void *thing = pool->spares[--pool->spares_count];
    memset(thing, 0, pool->size);
    return thing;
}

void bt_object_pool_release(struct bt_object_pool *pool, void *thing)
{
    assert(pool);
    assert(thing);
    assert(pool->spares_count < pool->made);
    pool->spares[pool->spares_count++] = thing;
}
