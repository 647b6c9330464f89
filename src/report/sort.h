/* SPDX-License-Identifier: Apache-2.0 */
/* sort.h - a stable sort of indexes, so that the sorted items need not move. */
#ifndef BATON_SRC_REPORT_SORT_H
#define BATON_SRC_REPORT_SORT_H

#include <stddef.h>

/* Negative, zero or positive as the thing with index `a` comes before, with or after `b`. */
typedef int bt_sort_order_fn(const void *context, size_t a, size_t b);

/*
 * Sort `order`, an array of `count` indexes, by `compare`; equal ones keep their order. `scratch`
 * has room for `count` indexes more. Takes O(count log count) comparisons on any input, and
 * O(count) when it is sorted already.
 */
void bt_sort_indices(size_t *order, size_t *scratch, size_t count, bt_sort_order_fn *compare,
                     const void *context);

#endif
