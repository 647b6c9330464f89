/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_idna.c - what Unicode says about the characters of labels. The data and its form are
 * tools/gen_idna.py's.
 */
#include "schema/format_idna.h"

struct schema_format_idna_pair {
    uint32_t first;
    uint32_t second;
    uint32_t whole;
};

#include "schema/format_idna_data.inc"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

enum { RUNS_PER_BLOCK = 32 }; /* keep in step with tools/gen_idna.py */

struct bt_idna bt_idna_of(uint32_t point)
{
    /* The last block that begins at or before the character; the first begins at 0. */
    size_t low = 0;
    size_t high = COUNT_OF(block_starts);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (block_starts[middle] <= point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    size_t run = low * RUNS_PER_BLOCK;
    uint32_t end = block_starts[low] + run_lengths[run];
    while (end <= point && run + 1 < COUNT_OF(run_lengths)) {
        end += run_lengths[++run];
    }
    return kinds[run_kinds[run]];
}

uint32_t bt_idna_compose(uint32_t first, uint32_t second)
{
    size_t low = 0;
    size_t high = COUNT_OF(pairs);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct schema_format_idna_pair *pair = &pairs[middle];
        if (pair->first < first || (pair->first == first && pair->second < second)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_found =
        low < COUNT_OF(pairs) && pairs[low].first == first && pairs[low].second == second;
    return is_found ? pairs[low].whole : 0;
}

bool bt_idna_decompose(uint32_t whole, uint32_t *out_first, uint32_t *out_second)
{
    size_t low = 0;
    size_t high = COUNT_OF(wholes);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pairs[wholes[middle]].whole < whole) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == COUNT_OF(wholes) || pairs[wholes[low]].whole != whole) {
        return false;
    }
    *out_first = pairs[wholes[low]].first;
    *out_second = pairs[wholes[low]].second;
    return true;
}
