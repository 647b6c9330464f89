/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - how many tokens a piece is: neighbours are joined, the pair of the lowest rank first
 * and the leftmost of equal ones, until no two neighbours are a token.
 */
#ifndef BATON_SRC_TOKEN_MERGE_H
#define BATON_SRC_TOKEN_MERGE_H

#include "token/table.h"

enum { BT_MERGE_SHORT_BYTES = 64 };

/* A piece of 1 to BT_MERGE_SHORT_BYTES bytes. */
uint32_t bt_token_merge_short(const struct bt_token_table *table, const uint8_t *piece,
                              size_t length);

/* Working memory for long pieces, kept from one to the next. */
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
