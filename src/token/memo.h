/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memo.h - the memory of counts of short pieces: a table that forgets by overwriting.
 *
 * A memo is the word of a piece of up to 15 bytes, the last of which is not zero, with its count in
 * the byte behind them. An empty one is all zeros, which no such word is.
 */
#ifndef BATON_SRC_TOKEN_MEMO_H
#define BATON_SRC_TOKEN_MEMO_H

#include "token/table.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

enum {
    BT_MEMO_BITS = 12,
    BT_MEMO_COUNT = 1 << BT_MEMO_BITS,
    BT_MEMO_BYTES_MAX = BT_WORD_BYTES - 1,
    BT_MEMO_SHIFT = 56, /* of the count */
};

static inline size_t bt_token_memo_index(uint64_t hash)
{
    return hash >> (64 - BT_MEMO_BITS);
}

/* The count of the piece that is this word, if it is remembered here; 0: it is not. */
static inline uint64_t bt_token_memo_find(const struct bt_token_word *memos,
                                          struct bt_token_word word)
{
    const struct bt_token_word *memo = &memos[bt_token_memo_index(bt_token_word_hash(word))];
    const bool is_same = ((memo->low ^ word.low) | (memo->high ^ word.high) << 8) == 0;
    return is_same ? memo->high >> BT_MEMO_SHIFT : 0;
}

/* The count of the piece of `length` bytes, 1 to 15, the last of which is not zero, if it is
 * remembered; 0: it is not. 16 bytes can be read. */
#ifdef __SSE4_1__
static inline uint64_t bt_token_memo_count(const struct bt_token_word *memos, const uint8_t *bytes,
                                           size_t length)
{
    const __m128i kept =
        _mm_loadu_si128((const __m128i *)(bt_token_ones_and_zeros + BT_WORD_BYTES - length));
    const __m128i word = _mm_and_si128(kept, _mm_loadu_si128((const __m128i *)bytes));
    const uint64_t hash = bt_token_word_hash((struct bt_token_word){
        (uint64_t)_mm_cvtsi128_si64(word), (uint64_t)_mm_extract_epi64(word, 1)});
    const struct bt_token_word *memo = &memos[bt_token_memo_index(hash)];
    const __m128i differs = _mm_xor_si128(word, _mm_loadu_si128((const __m128i *)memo));
    const __m128i compared = _mm_set_epi64x((long long)(~UINT64_C(0) >> 8), -1);
    return _mm_testz_si128(differs, compared) ? memo->high >> BT_MEMO_SHIFT : 0;
}
#else
static inline uint64_t bt_token_memo_count(const struct bt_token_word *memos, const uint8_t *bytes,
                                           size_t length)
{
    return bt_token_memo_find(memos, bt_token_word(bytes, length));
}
#endif

#endif
