/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_short.c - pieces of up to some hundred bytes, several at once.
 *
 * Joining waits for memory most of the time: whether two tokens join is asked of tables that are
 * larger than the near caches. So three pieces are joined in turns, each by one pair, and what they
 * ask is on its way together.
 */
#include "token/merge.h"

#include <assert.h>

enum {
    PLACE_BITS = 8,
    PLACE_MASK = (1 << PLACE_BITS) - 1,
    NO_JOIN = BT_RANK_NONE << PLACE_BITS, /* that, and all above it */
    STRIDE = 8,                           /* places that are looked at together */
};

static_assert(BT_LANE_PLACES == 1 << PLACE_BITS, "a place fits its bits");
static_assert(BT_LANE_BYTES + 2 <= BT_LANE_PLACES, "there is room for a part at either end");

void bt_token_lanes_init(struct bt_token_lanes *lanes)
{
    for (size_t i = 0; i < BT_LANE_COUNT; i++) {
        for (size_t place = 0; place < BT_LANE_PLACES; place++) {
            lanes->lanes[i].best[place] = NO_JOIN;
        }
    }
}

static inline int32_t join_at(uint32_t rank, uint32_t place)
{
    return (int32_t)(rank << PLACE_BITS | place);
}

static void init_lane(struct bt_token_lane *lane, const struct bt_token_table *table,
                      struct bt_token_piece *piece)
{
    const uint32_t length = piece->length;
    const uint8_t *bytes = piece->bytes;
    assert(length > 0);
    assert(length <= BT_LANE_BYTES);
    lane->piece = piece;
    piece->count = length;
    lane->ranks[0] = lane->ranks[length + 1] = BT_RANK_NONE;
    lane->ranks[1] = table->bytes[bytes[0]];
    memset(lane->lengths, 1, length + 1);
    for (uint32_t i = 1; i < length; i++) {
        lane->ranks[i + 1] = table->bytes[bytes[i]];
        lane->best[i] = join_at(table->byte_pairs[(size_t)bytes[i - 1] << 8 | bytes[i]], i);
    }
}

/* Four joins that are looked at together; compilers make vector instructions of it. */
typedef int32_t four __attribute__((vector_size(16)));

static inline four load_joins(const int32_t *joins)
{
    four loaded;
    memcpy(&loaded, joins, sizeof(loaded));
    return loaded;
}

static inline four select_lesser(four a, four b)
{
    const four is_less = a < b;
    return (a & is_less) | (b & ~is_less);
}

/* The least join of the lane. Looks at some places behind the piece too, where there is none. */
static inline int32_t find_lowest_join(const struct bt_token_lane *lane)
{
    const size_t length = lane->piece->length;
    four even = load_joins(lane->best);
    four odd = load_joins(lane->best + 4);
    for (size_t i = STRIDE; i < length; i += STRIDE) {
        even = select_lesser(even, load_joins(lane->best + i));
        odd = select_lesser(odd, load_joins(lane->best + i + 4));
    }
    const four least = select_lesser(even, odd);
    const int32_t low = least[0] < least[1] ? least[0] : least[1];
    const int32_t high = least[2] < least[3] ? least[2] : least[3];
    return low < high ? low : high;
}

/* Join the pair `least`; its new neighbours are asked about in finish_join(). */
static inline void begin_join(struct bt_token_lane *lane, uint32_t least)
{
    const uint32_t at = least & PLACE_MASK;
    const uint32_t gone = at + lane->lengths[at];
    const uint32_t behind = gone + lane->lengths[gone];
    lane->at = at;
    lane->left = at - lane->lengths[at - 1];
    lane->behind = behind;
    lane->lengths[at] = lane->lengths[behind - 1] = (uint8_t)(behind - at);
    lane->ranks[at] = least >> PLACE_BITS;
    lane->best[gone] = NO_JOIN;
    lane->piece->count--;
}

static inline void finish_join(struct bt_token_lane *lane, const struct bt_token_table *table)
{
    const uint32_t rank = lane->ranks[lane->at];
    const uint32_t right = bt_token_join(table, rank, lane->ranks[lane->behind]);
    const uint32_t left = bt_token_join(table, lane->ranks[lane->left], rank);
    lane->best[lane->at] = join_at(right, lane->at);
    lane->best[lane->left] = join_at(left, lane->left);
}

void bt_token_merge_short(const struct bt_token_table *table, struct bt_token_lanes *lanes,
                          struct bt_token_piece *pieces, size_t count)
{
    struct bt_token_lane *busy[BT_LANE_COUNT];
    size_t busy_count = 0;
    size_t next = 0;
    for (; next < count && busy_count < BT_LANE_COUNT; next++) {
        busy[busy_count] = &lanes->lanes[busy_count];
        init_lane(busy[busy_count++], table, &pieces[next]);
    }
    while (busy_count > 0) {
        for (size_t i = 0; i < busy_count;) {
            const int32_t least = find_lowest_join(busy[i]);
            if (least < NO_JOIN) {
                begin_join(busy[i++], (uint32_t)least);
            } else if (next < count) {
                init_lane(busy[i], table, &pieces[next++]);
            } else {
                busy[i] = busy[--busy_count];
            }
        }
        for (size_t i = 0; i < busy_count; i++) {
            finish_join(busy[i], table);
        }
    }
}
