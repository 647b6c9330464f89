/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - how many tokens a piece is: neighbours are joined, the pair of the lowest rank first
 * and the leftmost of equal ones, until no two neighbours are a token.
 */
#ifndef BATON_SRC_TOKEN_MERGE_H
#define BATON_SRC_TOKEN_MERGE_H

#include "token/table.h"

/* ---- Short pieces, several at once ----------------------------------------------------------- */

enum {
    BT_LANE_COUNT = 4,
    BT_LANE_BYTES = 256,
};

/*
 * A piece while it is joined. A part is known by the place of its first byte; its length stands at
 * its first and its last byte, so both neighbours are found by adding or subtracting. best[i] holds
 * what part i and its right neighbour join to, above the place, so that the least of all is the
 * lowest rank and among equals the leftmost.
 */
struct bt_token_lane {
    struct bt_token_piece *piece;
    uint32_t least; /* the join that is being done */
    uint32_t left;  /* the part before it, and the one behind; BT_LANE_BYTES where there is none */
    uint32_t behind;
    uint32_t ranks[BT_LANE_BYTES + 1]; /* the last is that of no part */
    uint32_t best[BT_LANE_BYTES + 4];
    uint8_t lengths[BT_LANE_BYTES];
};

struct bt_token_lanes {
    struct bt_token_lane lanes[BT_LANE_COUNT];
};

struct bt_token_piece {
    const uint8_t *bytes;
    uint32_t length; /* 1 to BT_LANE_BYTES */
    uint32_t count;  /* of tokens: the result */
};

/* Count the tokens of each piece. `lanes` is working memory that was zero once. */
void bt_token_merge_short(const struct bt_token_table *table, struct bt_token_lanes *lanes,
                          struct bt_token_piece *pieces, size_t count);

/* ---- Long pieces ----------------------------------------------------------------------------- */

/* Working memory, kept from one piece to the next. */
struct bt_token_queue;

/* A queue for the encoding, or NULL. */
struct bt_token_queue *bt_token_queue_new(struct bt_arena *arena,
                                          const struct bt_token_table *table);

/* A piece of 1 to 2^32 - 2 bytes, in time linear in its length. The arena is rewound. BT_ENOMEM:
 * there is no room for 17 bytes for each byte. */
BT_MUST_USE enum bt_status bt_token_merge_long(struct bt_token_queue *queue, struct bt_arena *arena,
                                               bt_str piece, uint64_t *out_count);

/* The steps that all merges of the queue have taken, for those who watch how work grows. */
uint64_t bt_token_queue_steps(const struct bt_token_queue *queue);

#endif
