/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascii_split.h - the cuts in plain text, 64 bytes at a time.
 *
 * Plain is ASCII without apostrophes and control characters, in which white space is single
 * blanks. There the patterns of both encodings look no further than two bytes back, or along a run
 * of digits, so the cuts of many pieces are found together, one bit for each byte.
 */
#ifndef BATON_SRC_TOKEN_ASCII_SPLIT_H
#define BATON_SRC_TOKEN_ASCII_SPLIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { BT_PLAIN_BYTES = 64 };

/* Which of 64 bytes are what, one bit for each. */
struct bt_token_byte_masks {
    uint64_t upper;
    uint64_t lower;
    uint64_t digit;
    uint64_t blank;
    uint64_t strange; /* not plain */
};

/* As many bytes as one instruction looks at: which of them are among the `count` that begin with
 * `first`, which are this one, and which are control characters or not ASCII. */
#if defined(__AVX512BW__)
typedef __m512i bt_token_bytes;

static inline uint64_t bt_token_within(bt_token_bytes bytes, char first, int count)
{
    const __m512i shifted = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first));
    return _mm512_cmplt_epu8_mask(shifted, _mm512_set1_epi8((char)count));
}

static inline uint64_t bt_token_equal(bt_token_bytes bytes, char byte)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte));
}

static inline uint64_t bt_token_unprintable(bt_token_bytes bytes)
{
    return _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(' '));
}
#elif defined(__AVX2__)
typedef __m256i bt_token_bytes;

static inline uint64_t bt_token_gather(__m256i found)
{
    return (uint32_t)_mm256_movemask_epi8(found);
}

static inline uint64_t bt_token_unprintable(bt_token_bytes bytes)
{
    return bt_token_gather(_mm256_cmpgt_epi8(_mm256_set1_epi8(' '), bytes));
}

static inline uint64_t bt_token_within(bt_token_bytes bytes, char first, int count)
{
    /* Shifted so that they are the lowest signed bytes. */
    const __m256i shifted = _mm256_add_epi8(bytes, _mm256_set1_epi8((char)(0x80 - first)));
    return bt_token_gather(_mm256_cmpgt_epi8(_mm256_set1_epi8((char)(count - 128)), shifted));
}

static inline uint64_t bt_token_equal(bt_token_bytes bytes, char byte)
{
    return bt_token_gather(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte)));
}
#elif defined(__SSE2__)
typedef __m128i bt_token_bytes;

static inline uint64_t bt_token_gather(__m128i found)
{
    return (uint32_t)_mm_movemask_epi8(found);
}

static inline uint64_t bt_token_unprintable(bt_token_bytes bytes)
{
    return bt_token_gather(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
}

static inline uint64_t bt_token_within(bt_token_bytes bytes, char first, int count)
{
    /* Shifted so that they are the lowest signed bytes. */
    const __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8((char)(0x80 - first)));
    return bt_token_gather(_mm_cmplt_epi8(shifted, _mm_set1_epi8((char)(count - 128))));
}

static inline uint64_t bt_token_equal(bt_token_bytes bytes, char byte)
{
    return bt_token_gather(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)));
}
#endif

#ifdef __SSE2__
static inline struct bt_token_byte_masks bt_token_classify_bytes(const uint8_t at[BT_PLAIN_BYTES])
{
    struct bt_token_byte_masks seen = {0};
#pragma GCC unroll 4
    for (size_t i = 0; i < BT_PLAIN_BYTES; i += sizeof(bt_token_bytes)) {
        bt_token_bytes bytes;
        memcpy(&bytes, at + i, sizeof(bytes));
        seen.upper |= bt_token_within(bytes, 'A', 26) << i;
        seen.lower |= bt_token_within(bytes, 'a', 26) << i;
        seen.digit |= bt_token_within(bytes, '0', 10) << i;
        seen.blank |= bt_token_equal(bytes, ' ') << i;
        seen.strange |= (bt_token_unprintable(bytes) | bt_token_equal(bytes, '\'')) << i;
    }
    return seen;
}

/* Which of 64 bytes begin a character of three bytes or more. */
static inline uint64_t bt_token_find_long_chars(const uint8_t at[BT_PLAIN_BYTES])
{
    uint64_t found = 0;
#pragma GCC unroll 4
    for (size_t i = 0; i < BT_PLAIN_BYTES; i += sizeof(bt_token_bytes)) {
        bt_token_bytes bytes;
        memcpy(&bytes, at + i, sizeof(bytes));
        found |= bt_token_within(bytes, (char)0xe0, 32) << i;
    }
    return found;
}
#else
static inline struct bt_token_byte_masks bt_token_classify_bytes(const uint8_t at[BT_PLAIN_BYTES])
{
    struct bt_token_byte_masks seen = {0};
    for (unsigned i = 0; i < BT_PLAIN_BYTES; i++) {
        const uint8_t byte = at[i];
        seen.upper |= (uint64_t)(byte >= 'A' && byte <= 'Z') << i;
        seen.lower |= (uint64_t)(byte >= 'a' && byte <= 'z') << i;
        seen.digit |= (uint64_t)(byte >= '0' && byte <= '9') << i;
        seen.blank |= (uint64_t)(byte == ' ') << i;
        seen.strange |= (uint64_t)(byte < ' ' || byte == '\'' || byte >= 0x80) << i;
    }
    return seen;
}

static inline uint64_t bt_token_find_long_chars(const uint8_t at[BT_PLAIN_BYTES])
{
    uint64_t found = 0;
    for (unsigned i = 0; i < BT_PLAIN_BYTES; i++) {
        found |= (uint64_t)(at[i] >= 0xe0) << i;
    }
    return found;
}
#endif

/* Numbers are cut into threes. */
static inline uint64_t bt_token_digit_cuts(uint64_t digit)
{
    const uint64_t third = digit & digit << 1 & digit << 2;
    uint64_t next = digit & ~(digit << 1);
    uint64_t cuts = 0;
    for (; next; next = next << 3 & third) {
        cuts |= next;
    }
    return cuts;
}

/*
 * Where pieces begin, when the first byte of 64 begins one, as far as all is plain; *out_plain is
 * how far that is. With `is_cased` a capital letter after a small one begins a piece.
 *
 * A blank begins a piece, and so does a symbol, unless it follows a blank or a symbol; a letter
 * does after a digit, or after symbols that are a piece without it: two of them, or a blank and
 * one.
 */
static inline uint64_t bt_token_plain_cuts(struct bt_token_byte_masks seen, bool is_cased,
                                           unsigned *out_plain)
{
    const uint64_t strange = seen.strange | (seen.blank & seen.blank << 1);
    const uint64_t letter = seen.upper | seen.lower;
    const uint64_t symbol = ~(letter | seen.digit | seen.blank);
    const uint64_t mark = symbol | seen.blank;
    uint64_t cuts = seen.blank | (symbol & ~(mark << 1)) | bt_token_digit_cuts(seen.digit);
    cuts |= letter & (seen.digit << 1 | (symbol << 1 & mark << 2));
    cuts |= is_cased ? seen.upper & seen.lower << 1 : 0;
    *out_plain = strange ? (unsigned)__builtin_ctzll(strange) : BT_PLAIN_BYTES;
    return strange ? cuts & ((strange & -strange) - 1) : cuts;
}

#endif
