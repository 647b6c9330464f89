/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - the inline half of bt_arena_alloc(), for the few places where a call is too dear.
 */
#ifndef BATON_SRC_BASE_ARENA_H
#define BATON_SRC_BASE_ARENA_H

#include <baton/base.h>

#include "base/asan.h"

/* As bt_arena_alloc(); `size` is at most half of SIZE_MAX. */
static inline void *bt_arena_alloc_inline(struct bt_arena *arena, size_t size)
{
#if !defined(BT_ASAN)
    const size_t room = (size + 15) & ~(size_t)15;
    if (size > 0 && room <= (size_t)(arena->end - arena->next)) {
        void *memory = arena->next;
        arena->next += room;
        return memory;
    }
#endif
    return bt_arena_alloc(arena, size);
}

#endif
