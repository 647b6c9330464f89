/* SPDX-License-Identifier: Apache-2.0 */
/* sort.h - a stable sort of indexes, so that the sorted items need not move. */
#ifndef BATON_SRC_REPORT_SORT_H
#define BATON_SRC_REPORT_SORT_H

#include <stddef.h>

#include <baton/base.h>

/* Negative, zero or positive as the thing with index `a` comes before, with or after `b`. */
typedef int bt_sort_order_fn(const void *context, size_t a, size_t b);

/*
 * Sort `order`, an array of `count` indexes, by `compare`; equal ones keep their order. `scratch`
 * has room for `count` indexes more. Takes O(count log count) comparisons on any input, and
 * O(count) when it is sorted already.
 */
void bt_sort_indices(size_t *order, size_t *scratch, size_t count, bt_sort_order_fn *compare,
                     const void *context);
/* Set *out to the indexes 0 to `count` - 1 in that order; it lives in the arena. */
BT_MUST_USE enum bt_status bt_sort_indices_new(struct bt_arena *arena, size_t count,
                                               bt_sort_order_fn *compare, const void *context,
                                               const size_t **out);

#endif
