/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_list.c - the tables of an encoding -> its merge list, for the playground of the console.
 *
 * The list would be 0.8 MB more in the program. Every pair of halves is in the tables together with
 * the token that they make, so that sorting them by that token gives the list back.
 */
#include "serve/merge_list.h"

#include "base/arena.h"
#include "token/table.h"

enum { BYTES = 256, DIGIT_BITS = 7, DIGIT_MAX = (1 << DIGIT_BITS) - 1 };

static void put_number(struct bt_buf *buf, uint32_t number)
{
    for (; number > DIGIT_MAX; number >>= DIGIT_BITS) {
        bt_buf_put_char(buf, (char)(unsigned char)((number & DIGIT_MAX) | (DIGIT_MAX + 1)));
    }
    bt_buf_put_char(buf, (char)number);
}

static void put_head(struct bt_buf *buf, const struct bt_token_table *table)
{
    char head[BYTES] = {0};
    bt_buf_put_text(buf, "BTM1");
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bt_buf_put_char(buf, (char)(unsigned char)((table->count >> shift) & 255));
    }
    for (unsigned byte = 0; byte < BYTES; byte++) {
        head[table->bytes[byte] & (BYTES - 1)] = (char)(unsigned char)byte;
    }
    bt_buf_put(buf, (bt_str){head, sizeof(head)});
}

enum bt_status serve_merge_list_put(struct bt_buf *buf, struct bt_arena *arena,
                                    enum bt_encoding encoding)
{
    const struct bt_token_table *table = bt_token_table_builtin(encoding);
    if (!table) {
        return BT_EINVAL;
    }
    /* by rank: the key of the two halves */
    uint64_t *halves = BT_NEW_ARRAY(arena, uint64_t, table->count);
    if (!halves) {
        return BT_ENOMEM;
    }
    for (uint32_t i = 0; i < table->pairs.slot_count; i++) {
        const uint64_t slot = table->pairs.slots[i];
        const uint32_t rank = (uint32_t)(slot & BT_RANK_NONE);
        if (slot != 0 && rank < table->count) {
            halves[rank] = slot >> BT_RANK_BITS;
        }
    }
    put_head(buf, table);
    for (uint32_t rank = BYTES; rank < table->count; rank++) {
        put_number(buf, (uint32_t)(halves[rank] >> BT_RANK_BITS) - 1);
        put_number(buf, (uint32_t)(halves[rank] & BT_RANK_NONE));
    }
    return buf->status;
}
