/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_short.c - pieces whose parts fit into the bits of one word.
 *
 * A part is known by the place of its first byte, and bit i of `live` says that a part begins at i.
 * best[i] holds what part i and its right neighbour join to, above the place, so that the least of
 * all is the lowest rank and among equals the leftmost.
 */
#include "token/merge.h"

#include <assert.h>

enum {
    PLACE_BITS = 6,
    PLACE_MASK = (1 << PLACE_BITS) - 1,
    NO_JOIN = BT_RANK_NONE << PLACE_BITS,
};

struct parts {
    uint64_t live;
    uint32_t ranks[BT_MERGE_SHORT_BYTES];
    uint32_t best[BT_MERGE_SHORT_BYTES];
};

static uint32_t lowest(const uint32_t *best, size_t count)
{
    uint32_t a = NO_JOIN;
    uint32_t b = NO_JOIN;
    uint32_t c = NO_JOIN;
    uint32_t d = NO_JOIN;
    for (size_t i = 0; i < count; i += 4) {
        a = best[i] < a ? best[i] : a;
        b = best[i + 1] < b ? best[i + 1] : b;
        c = best[i + 2] < c ? best[i + 2] : c;
        d = best[i + 3] < d ? best[i + 3] : d;
    }
    a = a < b ? a : b;
    c = c < d ? c : d;
    return a < c ? a : c;
}

static void begin(struct parts *parts, const struct bt_token_table *table, const uint8_t *piece,
                  size_t length)
{
    for (size_t i = 0; i < length; i++) {
        parts->ranks[i] = table->bytes[piece[i]];
    }
    for (size_t i = 0; i + 1 < length; i++) {
        const size_t pair = (size_t)piece[i] << 8 | piece[i + 1];
        parts->best[i] = table->byte_pairs[pair] << PLACE_BITS | (uint32_t)i;
    }
    for (size_t i = length - 1; i < ((length + 3) & ~(size_t)3); i++) {
        parts->best[i] = NO_JOIN;
    }
    parts->live = ~(uint64_t)0 >> (BT_MERGE_SHORT_BYTES - length);
}

static uint32_t join(const struct bt_token_table *table, const struct parts *parts, uint32_t left,
                     uint32_t right)
{
    return bt_token_join(table, parts->ranks[left], parts->ranks[right]) << PLACE_BITS | left;
}

uint32_t bt_token_merge_short(const struct bt_token_table *table, const uint8_t *piece,
                              size_t length)
{
    assert(length > 0);
    assert(length <= BT_MERGE_SHORT_BYTES);
    struct parts parts;
    begin(&parts, table, piece, length);
    uint32_t count = (uint32_t)length;
    for (;;) {
        const uint32_t least = lowest(parts.best, length);
        if (least >= NO_JOIN) {
            return count;
        }
        const uint32_t at = least & PLACE_MASK;
        const uint64_t behind = parts.live & (~(uint64_t)1 << at);
        const uint64_t rest = behind & (behind - 1);
        const uint64_t before = parts.live & (((uint64_t)1 << at) - 1);
        const uint32_t gone = (uint32_t)__builtin_ctzll(behind);
        parts.live ^= (uint64_t)1 << gone;
        parts.best[gone] = NO_JOIN;
        parts.ranks[at] = least >> PLACE_BITS;
        parts.best[at] = rest ? join(table, &parts, at, (uint32_t)__builtin_ctzll(rest)) : NO_JOIN;
        if (before) {
            const uint32_t left = 63 - (uint32_t)__builtin_clzll(before);
            parts.best[left] = join(table, &parts, left, at);
        }
        count--;
    }
}
