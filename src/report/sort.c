/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.c - merge sort from the bottom up: stable, without recursion, without a bad case.
 */
#include "report/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

struct report_sort_run {
    const size_t *next;
    const size_t *end;
};

static void merge_runs(struct report_sort_run left, struct report_sort_run right, size_t *out,
                       bt_sort_order_fn *compare, const void *context)
{
    /* Runs that are in order already are only copied: sorted input costs one comparison per run. */
    const bool ordered =
        right.next == right.end || compare(context, left.end[-1], *right.next) <= 0;
    while (!ordered && left.next < left.end && right.next < right.end) {
        /* The left one goes first when they are equal; that is what makes the sort stable. */
        *out++ = compare(context, *left.next, *right.next) <= 0 ? *left.next++ : *right.next++;
    }
    const size_t left_count = (size_t)(left.end - left.next);
    memcpy(out, left.next, left_count * sizeof(*out));
    memcpy(out + left_count, right.next, (size_t)(right.end - right.next) * sizeof(*out));
}

void bt_sort_indices(size_t *order, size_t *scratch, size_t count, bt_sort_order_fn *compare,
                     const void *context)
{
    assert(order);
    assert(scratch);
    assert(compare);
    size_t *from = order;
    size_t *to = scratch;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            const size_t middle = width < count - i ? i + width : count;
            const size_t end = width < count - middle ? middle + width : count;
            merge_runs((struct report_sort_run){from + i, from + middle},
                       (struct report_sort_run){from + middle, from + end}, to + i, compare,
                       context);
        }
        size_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) {
        memcpy(order, from, count * sizeof(*order));
    }
}

enum bt_status bt_sort_indices_new(struct bt_arena *arena, size_t count, bt_sort_order_fn *compare,
                                   const void *context, const size_t **out)
{
    size_t *order = BT_NEW_ARRAY(arena, size_t, count + 1);
    size_t *scratch = BT_NEW_ARRAY(arena, size_t, count + 1);
    BT_TRY(order && scratch ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    bt_sort_indices(order, scratch, count, compare, context);
    *out = order;
    return BT_OK;
}
