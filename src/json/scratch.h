/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scratch.h - working memory that is reused and only grows.
 *
 * An arena frees nothing before it is rewound, so a loop that needs memory in each round allocates
 * it once and keeps it.
 */
#ifndef BATON_SRC_JSON_SCRATCH_H
#define BATON_SRC_JSON_SCRATCH_H

#include <baton/base.h>

/* Starts as zeros. */
struct bt_json_scratch {
    void *memory;
    size_t bytes;
};

/* Room for `count` things of `size` bytes, at least one, with any content; the room before it is
 * forgotten. NULL when the arena is exhausted. */
static inline void *bt_json_scratch_reserve(struct bt_json_scratch *room, struct bt_arena *arena,
                                            size_t count, size_t size)
{
    size_t need = 0;
    if (__builtin_mul_overflow(count, size, &need)) {
        return NULL;
    }
    if (room->memory && need <= room->bytes) {
        return room->memory;
    }
    /* Half as much again as before, so that growing by and by costs little in all. */
    const size_t step = room->bytes + room->bytes / 2;
    const size_t bytes = need > step ? need : step;
    void *memory = bt_arena_alloc(arena, bytes > 0 ? bytes : 1);
    *room = (struct bt_json_scratch){memory, memory ? bytes : 0};
    return memory;
}

#endif
