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
    BT_LANE_COUNT = 3,
    BT_LANE_BYTES = 250,
    BT_LANE_PLACES = 256,
    BT_MERGE_MAX = 128, /* pieces in one call */
};

/*
 * A piece while it is joined. A part is known by the place of its first byte, from 1; its length
 * stands at its first and its last byte, so both neighbours are found by adding or subtracting.
 * Before the first part and behind the last there is one of a rank that joins with nothing.
 */
struct bt_token_lane {
    struct bt_token_piece *piece;
    uint32_t at;                    /* the part that was joined last, */
    uint32_t left;                  /* the one before it, */
    uint32_t behind;                /* and the one behind */
    int32_t best[BT_LANE_PLACES];   /* what a part and the next join to, above the place, so that */
    uint32_t ranks[BT_LANE_PLACES]; /* the least is the lowest rank and among equals leftmost */
    uint8_t lengths[BT_LANE_PLACES];
};

struct bt_token_lanes {
    struct bt_token_lane lanes[BT_LANE_COUNT];
};

struct bt_token_piece {
    const uint8_t *bytes;
    uint32_t length; /* 1 to BT_LANE_BYTES */
    uint32_t count;  /* of tokens: the result */
};

/* Make the lanes empty, once; they are empty again after each call of the next function. */
void bt_token_lanes_init(struct bt_token_lanes *lanes);

/* Count the tokens of each piece. */
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

/* Leave out what is repeated thousands of times, and add to *count what it counts. The rest is a
 * piece in the arena, or the piece itself. */
BT_MUST_USE enum bt_status bt_token_shorten(const struct bt_token_table *table,
                                            struct bt_arena *arena, bt_str *piece, uint64_t *count);

/* The steps that all merges of the queue have taken, for those who watch how work grows. */
uint64_t bt_token_queue_steps(const struct bt_token_queue *queue);

#endif
