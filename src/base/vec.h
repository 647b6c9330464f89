/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec.h - arrays that grow in an arena.
 *
 * A vector is any struct with the members `items`, `count` and `capacity`, all zero at first, such
 * as BT_VEC(type). The macros take a pointer to it, which they evaluate more than once. Growing
 * moves the items; the old ones stay in the arena until its end, which at most doubles the memory.
 */
#ifndef BATON_SRC_BASE_VEC_H
#define BATON_SRC_BASE_VEC_H

#include <baton/base.h>

/* A vector as a member or a variable. */
#define BT_VEC(type)                                                                               \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/* No vector has more items, so that an index fits into 32 bits. */
#define BT_VEC_COUNT_MAX ((size_t)UINT32_MAX)

/*
 * Make room for `more` items behind `count` of them; the new room is zeroed. `items` points to the
 * array's pointer. For arrays whose members have other names than those of a vector. BT_ENOMEM and
 * BT_ELIMIT (more than BT_VEC_COUNT_MAX items): nothing has changed.
 */
BT_MUST_USE enum bt_status bt_vec_grow(struct bt_arena *arena, void *items, size_t count,
                                       size_t *capacity, size_t more, size_t item_size);

/* Make room for `more` items, which are zeroed, behind the present ones. A status as above. */
#define bt_vec_reserve(arena, vec, more)                                                           \
    (bt_vec_has_room((vec)->count, (vec)->capacity, (more))                                        \
         ? (enum bt_status)BT_OK                                                                   \
         : bt_vec_grow((arena), (void *)&(vec)->items, (vec)->count, &(vec)->capacity, (more),     \
                       sizeof(*(vec)->items)))

/* Append an item, which may be a compound literal. A status as above. */
#define bt_vec_push(arena, vec, ...)                                                               \
    (bt_vec_reserve((arena), (vec), 1) == BT_OK                                                    \
         ? ((vec)->items[(vec)->count++] = (__VA_ARGS__), (enum bt_status)BT_OK)                   \
         : bt_vec_failure((vec)->count))

/* Append an item to a vector that may have `max` items. BT_ELIMIT: it has them already. */
#define bt_vec_push_max(arena, vec, max, ...)                                                      \
    ((vec)->count < (max) ? bt_vec_push((arena), (vec), __VA_ARGS__) : (enum bt_status)BT_ELIMIT)

static inline bool bt_vec_has_room(size_t count, size_t capacity, size_t more)
{
    return more <= capacity - count;
}

/* Why one more item had no room. */
static inline enum bt_status bt_vec_failure(size_t count)
{
    return count < BT_VEC_COUNT_MAX ? BT_ENOMEM : BT_ELIMIT;
}

#endif
