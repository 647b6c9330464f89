/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_align.c - which items of two arrays stay: Myers' greedy search ("An O(ND) difference
 * algorithm and its variations", 1986).
 *
 * Think of a grid with a's items along x and b's along y. A step right drops an item of a, a step
 * down takes one of b, and where the items are equal a step along the diagonal is free. Row d of
 * the table says how far right one can get with d paid steps on each of the diagonals x - y = -d,
 * -d + 2, ..., d. The search ends in the far corner; its rows lead back.
 */
#include "json/diff.h"

#include <assert.h>

enum { ROWS_MAX = 1000 };

struct json_diff_align_search {
    const struct bt_json_diff_range *range;
    uint32_t *rows; /* row d has d + 1 entries and follows row d - 1 */
    uint64_t steps_left;
};

static uint32_t *row_at(const struct json_diff_align_search *search, uint32_t d)
{
    return search->rows + (size_t)d * (d + 1) / 2;
}

/* Whether entry i of row d is reached by taking an item of b, rather than by dropping one of a. */
static bool comes_down(const uint32_t *row_before, uint32_t d, uint32_t i)
{
    return i == 0 || (i != d && row_before[i - 1] < row_before[i]);
}

/* Where the paid step to entry i of row d ends, before the free ones. */
static uint32_t paid_step(const struct json_diff_align_search *search, uint32_t d, uint32_t i)
{
    if (d == 0) {
        return 0;
    }
    const uint32_t *before = row_at(search, d - 1);
    return comes_down(before, d, i) ? before[i] : before[i - 1] + 1;
}

/* y on entry i of row d, where x - y = 2i - d. */
static uint32_t y_of(uint32_t x, uint32_t d, uint32_t i)
{
    return x + d - 2 * i;
}

/* Fill row d; true when it reaches the far corner, in entry *out_i. */
static bool fill_row(struct json_diff_align_search *search, uint32_t d, uint32_t *out_i)
{
    const struct bt_json_diff_range *range = search->range;
    uint32_t *row = row_at(search, d);
    for (uint32_t i = 0; i <= d; i++) {
        const uint32_t from = paid_step(search, d, i);
        uint32_t x = from;
        uint32_t y = y_of(x, d, i);
        while (x < range->a_count && y < range->b_count && range->a[x].hash == range->b[y].hash) {
            x++;
            y++;
        }
        row[i] = x;
        const uint64_t steps = 1 + (uint64_t)(x - from);
        search->steps_left -= steps < search->steps_left ? steps : search->steps_left;
        if (x == range->a_count && y == range->b_count) {
            *out_i = i;
            return true;
        }
    }
    return false;
}

/* From entry i of row d back to the start; the free steps are the partners. */
static void trace_back(const struct json_diff_align_search *search, uint32_t d, uint32_t i,
                       uint32_t *out_partners)
{
    for (;;) {
        const uint32_t from = paid_step(search, d, i);
        for (uint32_t x = row_at(search, d)[i]; x > from; x--) {
            out_partners[x - 1] = y_of(x, d, i) - 1;
        }
        if (d == 0) {
            return;
        }
        i = comes_down(row_at(search, d - 1), d, i) ? i : i - 1;
        d--;
    }
}

enum bt_status bt_json_diff_run_align(struct bt_json_diff_run *diff,
                                      const struct bt_json_diff_range *range,
                                      uint32_t *out_partners)
{
    for (uint32_t i = 0; i < range->a_count; i++) {
        out_partners[i] = BT_DIFF_ALONE;
    }
    if (range->a_count == 0 || range->b_count == 0) {
        return BT_OK;
    }
    const uint64_t most = (uint64_t)range->a_count + range->b_count;
    const uint32_t rows = most < ROWS_MAX ? (uint32_t)most : ROWS_MAX;
    struct json_diff_align_search search = {.range = range, .steps_left = diff->search_left};
    search.rows = bt_json_scratch_reserve(
        &diff->rows, diff->arena, ((size_t)rows + 1) * (rows + 2) / 2, sizeof(*search.rows));
    if (!search.rows) {
        return BT_ENOMEM;
    }
    for (uint32_t d = 0; d <= rows && search.steps_left > 0; d++) {
        uint32_t i = 0;
        if (fill_row(&search, d, &i)) {
            trace_back(&search, d, i, out_partners);
            break;
        }
    }
    diff->search_left = search.steps_left;
    return BT_OK;
}
