/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blanks.c - JSON text without escapes -> the same text without white space between its tokens.
 *
 * The text is looked at in blocks of 64 bytes, as the reader does it: a mask tells the quotes, and
 * with them which blanks are outside of strings. What stands between two of those is copied in
 * pieces of 32 bytes, which may hold more than is wanted: the next piece is put over the rest.
 */
#include "json/blanks.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"

#if defined(__SSE2__) && !defined(BT_PROFILE_CORE) /* which is to be small before fast */
#include <emmintrin.h>

#include "json/index_masks.h"

enum { BLOCK_BYTES = 64, PIECE_BYTES = 32 };

struct json_blanks_masks {
    uint64_t quote;
    uint64_t blank; /* also control characters, which no valid text has in a string */
};

static inline struct json_blanks_masks classify_block(const char *block)
{
    struct json_blanks_masks masks = {0, 0};
    for (unsigned i = 0; i < BLOCK_BYTES; i += sizeof(__m128i)) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        const __m128i low = _mm_min_epu8(bytes, _mm_set1_epi8(' '));
        masks.quote |= (uint64_t)(unsigned)_mm_movemask_epi8(quote) << i;
        masks.blank |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, low)) << i;
    }
    return masks;
}

/* Ones where a string is; `carry` is all ones when the block begins inside one. */
static inline uint64_t find_strings(uint64_t quote, uint64_t *carry)
{
    const uint64_t strings = bt_json_prefix_xor(quote) ^ *carry;
    *carry = UINT64_C(0) - (strings >> 63);
    return strings;
}

/* Copy the bytes of a block that are not in `drop`. The block is followed by a readable piece, and
 * `to` has room for the block and a piece. */
static inline char *copy_block(char *to, const char *block, uint64_t drop)
{
    for (unsigned at = 0; at < BLOCK_BYTES;) { /* ends: each turn takes a run or ends the block */
        const uint64_t left = drop >> at;
        const unsigned run = left ? (unsigned)__builtin_ctzll(left) : BLOCK_BYTES - at;
        memcpy(to, block + at, PIECE_BYTES);
        if (run > PIECE_BYTES) {
            memcpy(to + PIECE_BYTES, block + at + PIECE_BYTES, PIECE_BYTES);
        }
        to += run;
        at += run;
        if (at < BLOCK_BYTES) {
            const uint64_t rest = ~(drop >> at);
            at += rest ? (unsigned)__builtin_ctzll(rest) : BLOCK_BYTES - at;
        }
    }
    return to;
}

bool bt_json_put_without_blanks(struct bt_buf *buf, bt_str text)
{
    assert(buf);
    char last[2 * BLOCK_BYTES + PIECE_BYTES] = {0};
    uint64_t carry = 0;
    size_t at = 0;
    const size_t size = text.len + BLOCK_BYTES + PIECE_BYTES;
    if (buf->max - buf->len < size || memchr(text.ptr, '\\', text.len)) {
        return false;
    }
    char *const room = bt_buf_reserve(buf, size);
    char *to = room;
    if (!room) {
        return false;
    }
    for (; text.len - at >= BLOCK_BYTES + PIECE_BYTES; at += BLOCK_BYTES) {
        const struct json_blanks_masks masks = classify_block(text.ptr + at);
        to = copy_block(to, text.ptr + at, masks.blank & ~find_strings(masks.quote, &carry));
    }
    memcpy(last, text.ptr + at, text.len - at); /* zeros, which follow it, count as blanks */
    for (size_t i = 0; at + i < text.len; i += BLOCK_BYTES) {
        const struct json_blanks_masks masks = classify_block(last + i);
        to = copy_block(to, last + i, masks.blank & ~find_strings(masks.quote, &carry));
    }
    buf->len += (size_t)(to - room);
    return true;
}

#else

bool bt_json_put_without_blanks(struct bt_buf *buf, bt_str text)
{
    (void)buf;
    (void)text;
    return false;
}

#endif
