/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shorten.c - a byte that is repeated thousands of times is counted without being joined.
 *
 * In a long run of one byte all is joined by twos, until two of a token no longer join: then most
 * of the run is that token, which has `length` bytes, a power of two. What stands at the ends of
 * the run can bind at most one token before it and, for each doubling, one behind it, each of at
 * most 128 bytes. So `length` bytes more in the middle of a run are one token more and change
 * nothing else, as long as more than 9 * 128 bytes of the run remain: here a block of 2,048 does.
 */
#include "token/merge.h"

#include <assert.h>

enum { BLOCK = 2048 };

/* How many tokens a block more of this byte is. */
static uint32_t tokens_of_block(const struct bt_token_table *table, uint8_t byte)
{
    uint32_t length = 1;
    uint32_t rank = table->bytes[byte];
    for (uint32_t join = bt_token_join(table, rank, rank); join != BT_RANK_NONE;
         join = bt_token_join(table, rank, rank)) {
        rank = join;
        length *= 2;
    }
    assert(length <= BT_TOKEN_BYTES_MAX);
    return BLOCK / length;
}

/* Whether the block at `at` and all that is kept before it repeat one byte. */
static bool is_repeated(bt_str piece, size_t at)
{
    return at >= BLOCK && piece.len - at >= BLOCK &&
           memcmp(piece.ptr + at - BLOCK, piece.ptr + at - BLOCK + 1, 2 * (size_t)BLOCK - 1) == 0;
}

enum bt_status bt_token_shorten(const struct bt_token_table *table, struct bt_arena *arena,
                                bt_str *piece, uint64_t *count)
{
    size_t first = BLOCK;
    while (first < piece->len && !is_repeated(*piece, first)) {
        first += BLOCK;
    }
    if (first >= piece->len) {
        return BT_OK;
    }
    char *kept = bt_arena_alloc(arena, piece->len - BLOCK);
    if (!kept) {
        return BT_ENOMEM;
    }
    memcpy(kept, piece->ptr, first);
    size_t length = first;
    for (size_t at = first; at < piece->len; at += BLOCK) {
        if (is_repeated(*piece, at)) {
            *count += tokens_of_block(table, (uint8_t)piece->ptr[at]);
            continue;
        }
        const size_t size = piece->len - at < BLOCK ? piece->len - at : BLOCK;
        memcpy(kept + length, piece->ptr + at, size);
        length += size;
    }
    *piece = (bt_str){kept, length};
    return BT_OK;
}
