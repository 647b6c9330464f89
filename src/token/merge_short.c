/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_short.c - pieces of up to some hundred bytes, several at once.
 *
 * Joining waits for memory most of the time: whether two tokens join is asked of tables that are
 * larger than the near caches. So four pieces are joined in turns, each by one pair, and what they
 * ask is on its way together.
 */
#include "token/merge.h"

#include <assert.h>

enum {
    PLACE_BITS = 8,
    PLACE_MASK = (1 << PLACE_BITS) - 1,
    NO_JOIN = BT_RANK_NONE << PLACE_BITS,
    NO_PART = BT_LANE_BYTES,
};

static_assert(BT_LANE_BYTES == 1 << PLACE_BITS, "a place fits its bits");

static void begin(struct bt_token_lane *lane, const struct bt_token_table *table,
                  struct bt_token_piece *piece)
{
    const uint32_t length = piece->length;
    assert(length > 0);
    assert(length <= BT_LANE_BYTES);
    lane->piece = piece;
    lane->ranks[NO_PART] = BT_RANK_NONE;
    piece->count = length;
    for (uint32_t i = 0; i < length; i++) {
        lane->ranks[i] = table->bytes[piece->bytes[i]];
        lane->lengths[i] = 1;
    }
    for (uint32_t i = 0; i + 1 < length; i++) {
        const size_t pair = (size_t)piece->bytes[i] << 8 | piece->bytes[i + 1];
        lane->best[i] = table->byte_pairs[pair] << PLACE_BITS | i;
    }
    for (uint32_t i = length - 1; i < length + 4; i++) {
        lane->best[i] = NO_JOIN;
    }
}

/* The least of the first `count`; up to three more are looked at. */
static uint32_t lowest(const uint32_t *best, size_t count)
{
    uint32_t least[4] = {NO_JOIN, NO_JOIN, NO_JOIN, NO_JOIN};
    for (size_t i = 0; i < count; i += 4) {
        for (size_t j = 0; j < 4; j++) {
            least[j] = best[i + j] < least[j] ? best[i + j] : least[j];
        }
    }
    const uint32_t low = least[0] < least[1] ? least[0] : least[1];
    const uint32_t high = least[2] < least[3] ? least[2] : least[3];
    return low < high ? low : high;
}

/* Join the pair `least`; its new neighbours are asked about in finish_join(). */
static void begin_join(struct bt_token_lane *lane, uint32_t least)
{
    const uint32_t length = lane->piece->length;
    const uint32_t at = least & PLACE_MASK;
    const uint32_t gone = at + lane->lengths[at];
    const uint32_t end = gone + lane->lengths[gone];
    lane->least = least;
    lane->left = at > 0 ? at - lane->lengths[at - 1] : NO_PART;
    lane->behind = end < length ? end : NO_PART;
    lane->lengths[at] = lane->lengths[end - 1] = (uint8_t)(end - at);
    lane->ranks[at] = least >> PLACE_BITS;
    lane->best[gone] = NO_JOIN;
    lane->piece->count--;
}

static void finish_join(struct bt_token_lane *lane, const struct bt_token_table *table)
{
    const uint32_t at = lane->least & PLACE_MASK;
    const uint32_t rank = lane->ranks[at];
    const uint32_t right = bt_token_join(table, rank, lane->ranks[lane->behind]);
    const uint32_t left = bt_token_join(table, lane->ranks[lane->left], rank);
    lane->best[at] = right << PLACE_BITS | at;
    if (lane->left != NO_PART) {
        lane->best[lane->left] = left << PLACE_BITS | lane->left;
    }
}

void bt_token_merge_short(const struct bt_token_table *table, struct bt_token_lanes *lanes,
                          struct bt_token_piece *pieces, size_t count)
{
    struct bt_token_lane *busy[BT_LANE_COUNT];
    size_t busy_count = 0;
    size_t next = 0;
    for (; next < count && busy_count < BT_LANE_COUNT; next++) {
        busy[busy_count] = &lanes->lanes[busy_count];
        begin(busy[busy_count++], table, &pieces[next]);
    }
    while (busy_count > 0) {
        for (size_t i = 0; i < busy_count;) {
            const uint32_t least = lowest(busy[i]->best, busy[i]->piece->length);
            if (least < NO_JOIN) {
                begin_join(busy[i++], least);
            } else if (next < count) {
                begin(busy[i], table, &pieces[next++]);
            } else {
                busy[i] = busy[--busy_count];
            }
        }
        for (size_t i = 0; i < busy_count; i++) {
            finish_join(busy[i], table);
        }
    }
}
