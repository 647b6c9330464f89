/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - arenas in the memory of their user, the inline half of bt_arena_alloc() for the
 * few places where a call is too dear, and the memory of handles.
 */
#ifndef BATON_SRC_BASE_ARENA_H
#define BATON_SRC_BASE_ARENA_H

#include <baton/base.h>

#include "base/asan.h"
#include "base/error.h"

struct bt_arena_chunk;

/*
 * Memory with one owner and one end: allocations live until the arena is rewound, reset or freed.
 * The limit counts the bytes taken from the system and is never exceeded.
 */
struct bt_arena {
    struct bt_arena_chunk *chunk; /* the newest; it links to the older ones */
    char *next;                   /* first free byte of the newest chunk */
    char *end;
    size_t limit;
    size_t taken;
    /* the last failed allocation was refused by the system, not by the limit */
    bool system_refused;
};

/* A point to which an arena can be rewound. */
struct bt_arena_mark {
    struct bt_arena_chunk *chunk;
    char *next;
};

/* Make an empty arena that may take up to `limit` bytes from the system. Allocates nothing yet. */
void bt_arena_init(struct bt_arena *arena, size_t limit);
/* Free all memory. The arena is empty afterwards and may be used again. */
void bt_arena_free(struct bt_arena *arena);
/* The current position, for bt_arena_rewind(). */
struct bt_arena_mark bt_arena_mark(const struct bt_arena *arena);
/* Forget every allocation made since the mark was taken. */
void bt_arena_rewind(struct bt_arena *arena, struct bt_arena_mark mark);
/* Shrink the newest allocation to `size` bytes and free the rest of it for later allocations. */
void bt_arena_shrink_last(struct bt_arena *arena, void *memory, size_t size);
/*
 * `count` times `size` zeroed bytes. NULL when the limit is reached, the system has no memory or
 * the product overflows.
 */
BT_MUST_USE void *bt_arena_calloc(struct bt_arena *arena, size_t count, size_t size);
/*
 * Format like printf() into the arena. On BT_OK *out is the text. BT_ENOMEM: as for
 * bt_arena_alloc().
 */
BT_MUST_USE enum bt_status bt_arena_printf(struct bt_arena *arena, bt_str *out, const char *format,
                                           ...) BT_PRINTF(3, 4);

#define BT_NEW(arena, type) ((type *)bt_arena_calloc((arena), 1, sizeof(type)))
#define BT_NEW_ARRAY(arena, type, count) ((type *)bt_arena_calloc((arena), (count), sizeof(type)))

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
