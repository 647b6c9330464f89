/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - the inline half of bt_arena_alloc(), for the few places where a call is too dear, and
 * the memory of handles.
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

/* `size` zeroed bytes for a handle that callers of the library hold; NULL: no memory. */
BT_MUST_USE void *bt_handle_create(size_t size);
/* Free what bt_handle_create() gave. NULL is allowed. */
void bt_handle_destroy(void *handle);

#endif
