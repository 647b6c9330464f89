/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec.c - arrays that grow in an arena.
 */
#include "base/vec.h"

#include <assert.h>

enum { CAPACITY_FIRST = 8 };

enum bt_status bt_vec_grow(struct bt_arena *arena, void *items, size_t count, size_t *capacity,
                           size_t more, size_t item_size)
{
    assert(arena);
    assert(items);
    assert(count <= *capacity && *capacity <= BT_VEC_COUNT_MAX);
    assert(item_size > 0);
    if (more <= *capacity - count) {
        return BT_OK;
    }
    if (more > BT_VEC_COUNT_MAX - count) {
        return BT_ELIMIT;
    }
    size_t room = *capacity > 0 ? *capacity * 2 : CAPACITY_FIRST;
    room = room < count + more ? count + more : room;
    room = room < BT_VEC_COUNT_MAX ? room : BT_VEC_COUNT_MAX;
    char *grown = room <= SIZE_MAX / item_size ? bt_arena_alloc(arena, room * item_size) : NULL;
    if (!grown) {
        return BT_ENOMEM;
    }
    /* The pointer is copied, because its type is not known here. */
    const void *old = NULL;
    memcpy(&old, items, sizeof(old));
    if (count > 0) {
        memcpy(grown, old, count * item_size);
    }
    memset(grown + count * item_size, 0, (room - count) * item_size);
    memcpy(items, &grown, sizeof(grown));
    *capacity = room;
    return BT_OK;
}
