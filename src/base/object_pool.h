/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_pool.h - things of one size that come and go: what was given back is given out again, so
 * that memory stays as large as the most that ever lived at once.
 */
#ifndef BATON_SRC_BASE_OBJECT_POOL_H
#define BATON_SRC_BASE_OBJECT_POOL_H

#include <baton/base.h>

struct bt_object_pool {
    struct bt_arena *arena;
    size_t size;   /* of one thing */
    size_t made;   /* things there are, given out or not */
    void **spares; /* those that were given back; room for all */
    size_t spares_room;
    size_t spares_count;
};

void bt_object_pool_init(struct bt_object_pool *pool, struct bt_arena *arena, size_t size);
/* Cleared memory; NULL when the arena is at its limit. */
BT_MUST_USE void *bt_object_pool_acquire(struct bt_object_pool *pool);
void bt_object_pool_release(struct bt_object_pool *pool, void *thing);

#endif
