/* SPDX-License-Identifier: Apache-2.0 */
#include "token/naive.h"

#include "base/file.h"

enum { HEAD = 8, PIECE_MAX = 4096 };

static uint32_t number(const uint8_t **at)
{
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t digit = *(*at)++;
        value |= (uint32_t)(digit & 127) << shift;
        if (digit < 128) {
            return value;
        }
    }
}

static int by_bytes(const void *a, const void *b)
{
    return bt_str_compare(((const struct naive_token *)a)->bytes,
                          ((const struct naive_token *)b)->bytes);
}

static bt_str joined(struct bt_arena *arena, bt_str left, bt_str right)
{
    char *both = bt_arena_alloc(arena, left.len + right.len);
    assert_non_null(both);
    memcpy(both, left.ptr, left.len);
    memcpy(both + left.len, right.ptr, right.len);
    return (bt_str){both, left.len + right.len};
}

void naive_load(struct naive *naive, const char *name)
{
    char path[512];
    bt_str list = {0};
    *naive = (struct naive){0};
    bt_arena_init(&naive->arena, (size_t)64 << 20);
    (void)snprintf(path, sizeof(path), "%s/%s.merges", TOKEN_DATA, name);
    assert_int_equal(bt_file_read(&naive->arena, bt_str_of(path), 1 << 24, &list, NULL), BT_OK);
    const uint8_t *bytes = (const uint8_t *)list.ptr;
    naive->count = (size_t)bytes[4] | (size_t)bytes[5] << 8 | (size_t)bytes[6] << 16;
    naive->tokens = BT_NEW_ARRAY(&naive->arena, bt_str, naive->count);
    naive->sorted = BT_NEW_ARRAY(&naive->arena, struct naive_token, naive->count);
    assert_non_null(naive->tokens);
    assert_non_null(naive->sorted);
    const uint8_t *at = bytes + HEAD + 256;
    for (size_t rank = 0; rank < naive->count; rank++) {
        if (rank < 256) {
            naive->tokens[rank] = (bt_str){list.ptr + HEAD + rank, 1};
        } else {
            const uint32_t left = number(&at);
            const uint32_t right = number(&at);
            naive->tokens[rank] = joined(&naive->arena, naive->tokens[left], naive->tokens[right]);
        }
        naive->sorted[rank] = (struct naive_token){naive->tokens[rank], (uint32_t)rank};
    }
    qsort(naive->sorted, naive->count, sizeof(*naive->sorted), by_bytes);
}

void naive_free(struct naive *naive)
{
    bt_arena_free(&naive->arena);
}

static uint32_t rank_of(const struct naive *naive, bt_str bytes)
{
    const struct naive_token wanted = {.bytes = bytes};
    const struct naive_token *found =
        bsearch(&wanted, naive->sorted, naive->count, sizeof(wanted), by_bytes);
    return found ? found->rank : UINT32_MAX;
}

size_t naive_count(const struct naive *naive, bt_str piece)
{
    size_t starts[PIECE_MAX + 1];
    size_t count = piece.len;
    assert_true(piece.len <= PIECE_MAX);
    for (size_t i = 0; i <= piece.len; i++) {
        starts[i] = i;
    }
    for (;;) {
        uint32_t best = UINT32_MAX;
        size_t at = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            const uint32_t rank = rank_of(naive, bt_str_slice(piece, starts[i], starts[i + 2]));
            if (rank < best) {
                best = rank;
                at = i;
            }
        }
        if (best == UINT32_MAX) {
            return count;
        }
        memmove(&starts[at + 1], &starts[at + 2], (count - at - 1) * sizeof(starts[0]));
        count--;
    }
}
