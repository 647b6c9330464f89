/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digits.h - digits read eight or sixteen at a time.
 */
#ifndef BATON_SRC_JSON_DIGITS_H
#define BATON_SRC_JSON_DIGITS_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* How many of the eight bytes at `at` are digits, up to the first that is not, and the number that
 * they spell. Eight bytes are read. *out_number is untouched when there are none. */
static inline __attribute__((always_inline)) unsigned bt_json_eight_digits(const char *at,
                                                                           uint64_t *out_number)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof(bytes));
    bytes ^= UINT64_C(0x3030303030303030); /* digits become 0 to 9 */
    const uint64_t others =
        ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    if (__builtin_expect((others & 0x80) != 0, 0)) {
        return 0;
    }
    const unsigned count = others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
    /* Moved to the upper end, with zeroes in front; then pairs, fours and eights are joined. */
    bytes <<= 64 - 8 * count;
    bytes = bytes * 10 + (bytes >> 8);
    const uint64_t pairs = UINT64_C(0x000000ff000000ff);
    *out_number = (((bytes & pairs) * (100 + (UINT64_C(1000000) << 32))) +
                   (((bytes >> 16) & pairs) * (1 + (UINT64_C(10000) << 32)))) >>
                  32;
    return count;
}

#endif

#if defined(__AVX2__)

/* As bt_json_eight_digits(), for 16 bytes. */
static inline __attribute__((always_inline)) unsigned bt_json_sixteen_digits(const char *at,
                                                                             uint64_t *out_number)
{
    /* The 16 bytes from place n on move n bytes to the upper end, with zeroes in front. */
    static const int8_t moves[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                     -1, -1, -1, -1, -1, 0,  1,  2,  3,  4,  5,
                                     6,  7,  8,  9,  10, 11, 12, 13, 14, 15};
    __m128i digits = _mm_loadu_si128((const __m128i *)(const void *)at);
    digits = _mm_sub_epi8(digits, _mm_set1_epi8('0'));
    const __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    const unsigned count = (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(are_digits));
    const __m128i move = _mm_loadu_si128((const __m128i *)(const void *)(moves + count));
    digits = _mm_shuffle_epi8(digits, move);
    /* Pairs, fours and eights are joined. */
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 + (1 << 8)));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 + (1 << 16)));
    const __m128i eights =
        _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(10000 + (1 << 16)));
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    *out_number = (both & UINT32_MAX) * 100000000 + (both >> 32);
    return count;
}

#endif

#endif
