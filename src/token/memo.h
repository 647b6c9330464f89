/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memo.h - the memory of counts of short pieces: a table that forgets by overwriting.
 *
 * A memo is the word of a piece of up to 15 bytes, the last of which is not zero, with its count in
 * the byte behind them. An empty one is all zeros, which no such word is. Places come in pairs: a
 * word is remembered at its own place, and at the other one of the pair when it had to move.
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

/* Where a word is remembered, in bytes. One multiplication is enough here: words that meet only
 * overwrite each other. */
static inline size_t bt_token_memo_offset(struct bt_token_word word)
{
    const uint64_t hash = word.low * (word.high ^ 0xc2b2ae3d27d4eb4fu);
    return hash >> (60 - BT_MEMO_BITS) & (BT_MEMO_COUNT - 1) * sizeof(struct bt_token_word);
}

/* The other place of a pair, in bytes. */
static inline size_t bt_token_memo_other(size_t offset)
{
    return offset ^ sizeof(struct bt_token_word);
}

static inline const struct bt_token_word *bt_token_memo_at(const struct bt_token_word *memos,
                                                           size_t offset)
{
    return (const struct bt_token_word *)(const void *)((const char *)memos + offset);
}

/* The count of the piece that is this word, if it is remembered here; 0: it is not. */
static inline uint64_t bt_token_memo_read(const struct bt_token_word *memo,
                                          struct bt_token_word word)
{
    const bool is_same = ((memo->low ^ word.low) | (memo->high ^ word.high) << 8) == 0;
    return is_same ? memo->high >> BT_MEMO_SHIFT : 0;
}

/* The count of the piece that is this word, at either place of its pair; 0: it is at none. */
static inline uint64_t bt_token_memo_find(const struct bt_token_word *memos,
                                          struct bt_token_word word)
{
    const size_t offset = bt_token_memo_offset(word);
    const uint64_t count = bt_token_memo_read(bt_token_memo_at(memos, offset), word);
    return count ? count
                 : bt_token_memo_read(bt_token_memo_at(memos, bt_token_memo_other(offset)), word);
}

/* Remember the count of a word. What was remembered there moves to the other place of the pair. */
static inline void bt_token_memo_save(struct bt_token_word *memos, struct bt_token_word word,
                                      uint64_t count)
{
    const size_t place = bt_token_memo_offset(word) / sizeof(*memos);
    memos[place ^ 1] = memos[place];
    memos[place] = (struct bt_token_word){word.low, word.high | count << BT_MEMO_SHIFT};
}

/*
 * Add the count of a piece of which byte `last`, 0 to 63, is the last one, if it is remembered;
 * false: it is not. All bytes are printable ASCII, and 16 can be read.
 *
 * Of a longer piece 16 bytes are compared. The last of them is above 15, which is the highest
 * count, so it differs from every memo in its upper half.
 */
#ifdef __SSE4_1__
static inline bool bt_token_memo_add(const struct bt_token_word *memos, const uint8_t *bytes,
                                     size_t last, uint64_t *sum)
{
    const __m128i kept =
        _mm_loadu_si128((const __m128i *)(bt_token_ones_and_zeros + (last ^ (BT_ONES_COUNT - 1))));
    const __m128i word = _mm_and_si128(kept, _mm_loadu_si128((const __m128i *)bytes));
    const __m128i compared = _mm_set_epi64x((long long)~(UINT64_C(15) << BT_MEMO_SHIFT), -1);
    size_t offset = bt_token_memo_offset((struct bt_token_word){
        (uint64_t)_mm_cvtsi128_si64(word), (uint64_t)_mm_extract_epi64(word, 1)});
    for (int i = 0; i < 2; i++) {
        const struct bt_token_word *memo = bt_token_memo_at(memos, offset);
        const __m128i differs = _mm_xor_si128(word, _mm_loadu_si128((const __m128i *)memo));
        if (__builtin_expect(_mm_testz_si128(differs, compared), 1)) {
            *sum += memo->high >> BT_MEMO_SHIFT;
            return true;
        }
        offset = bt_token_memo_other(offset);
    }
    return false;
}
#else
static inline bool bt_token_memo_add(const struct bt_token_word *memos, const uint8_t *bytes,
                                     size_t last, uint64_t *sum)
{
    const uint64_t known =
        last < BT_MEMO_BYTES_MAX ? bt_token_memo_find(memos, bt_token_word(bytes, last + 1)) : 0;
    *sum += known;
    return known != 0;
}
#endif

#endif
