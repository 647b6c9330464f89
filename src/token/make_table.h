/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_table.h - a merge list -> the tables of table.h. The tables of a build are made so by
 * tools/make_token_tables.c; a core build makes them from a list that it is given.
 *
 *     merge list    "BTM1", the number of tokens in 3 bytes, 0, the 256 bytes in the order of their
 *                   ranks; then for each further token the ranks of its halves, in LEB128
 */
#ifndef BATON_SRC_TOKEN_MAKE_TABLE_H
#define BATON_SRC_TOKEN_MAKE_TABLE_H

#include "base/arena.h"
#include "token/table.h"

/* A token: the ranks of its halves, which are itself for a single byte, and its bytes. */
struct bt_token_entry {
    uint32_t left;
    uint32_t right;
    uint32_t length;
    const uint8_t *bytes;
};

struct bt_token_tables {
    struct bt_token_table table;
    const struct bt_token_entry *tokens; /* [table.count] */
};

/* Make the tables in `arena` and the tokens in `scratch`, which is also working memory.
 * BT_ECORRUPT: it is not a merge list. BT_ENOMEM: an arena reached its limit. */
BT_MUST_USE enum bt_status bt_token_tables_make(struct bt_arena *arena, struct bt_arena *scratch,
                                                bt_str merges, struct bt_token_tables *out);

#endif
