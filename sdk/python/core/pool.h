/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - things that one thread uses at a time, kept for the next call.
 *
 * A pool is an array of atomic slots and not a list with a lock, because a lock that another thread
 * holds while the process forks stays locked in the child.
 */
#ifndef BATON_PYTHON_POOL_H
#define BATON_PYTHON_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { CORE_POOL_SLOTS = 16 };

struct core_pool {
    _Atomic(void *) slots[CORE_POOL_SLOTS];
};

/* Take something out; NULL: there is nothing. */
static inline void *core_pool_take(struct core_pool *pool)
{
    for (size_t i = 0; i < CORE_POOL_SLOTS; i++) {
        void *item = atomic_exchange(&pool->slots[i], NULL);
        if (item) {
            return item;
        }
    }
    return NULL;
}

/* Put it back. False: the pool is full, and the caller destroys it. */
static inline bool core_pool_give(struct core_pool *pool, void *item)
{
    for (size_t i = 0; i < CORE_POOL_SLOTS; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&pool->slots[i], &none, item)) {
            return true;
        }
    }
    return false;
}

#endif
