/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_avx512.c - the first stage with AVX-512: a block in one register, masks by comparison, and
 * the offsets of all tokens of a block by one compression.
 */
#include "json/index.h"

#include <immintrin.h>

#include "json/index_masks.h"

static inline __mmask64 match_byte(__m512i bytes, char byte)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte));
}

/* The two table look-ups of index_avx2.c. */
static inline __mmask64 match_whitespace(__m512i bytes)
{
    const __m128i table =
        _mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, -1, '\r', -1, -1);
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), bytes));
}

static inline __mmask64 match_structurals(__m512i bytes)
{
    const __m128i table =
        _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, ':', '{', ',', '}', -1, -1);
    return _mm512_cmpeq_epi8_mask(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)),
                                  _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), bytes));
}

static inline struct json_index_masks masks_of(__m512i bytes)
{
    return (struct json_index_masks){
        .quote = match_byte(bytes, '"'),
        .backslash = match_byte(bytes, '\\'),
        .structural = match_structurals(bytes),
        .blank = match_whitespace(bytes),
        .control = _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)),
        .wide = _mm512_movepi8_mask(bytes),
    };
}

static inline struct json_index_masks classify_block(const char *block)
{
    return masks_of(_mm512_loadu_si512(block));
}

/* Lanes that are masked out are not read, so the source's end is safe. */
static inline struct json_index_masks classify_rest(const char *block, size_t size)
{
    const __mmask64 there = (UINT64_C(1) << size) - 1;
    return masks_of(_mm512_mask_loadu_epi8(_mm512_set1_epi8(' '), there, block));
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)bits), _mm_set1_epi8(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Sixteen offsets from sixteen bytes; written wanted or not. */
static inline void put_sixteen(uint32_t *out, __m128i places, __m512i base)
{
    _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(places), base));
}

static inline uint32_t *put_offsets(uint32_t *out, uint64_t bits, uint32_t base)
{
    const __m512i all = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i places = _mm512_maskz_compress_epi8(bits, all);
    const __m512i bases = _mm512_set1_epi32((int)base);
    const int count = __builtin_popcountll(bits);
    put_sixteen(out, _mm512_castsi512_si128(places), bases);
    put_sixteen(out + 16, _mm512_extracti32x4_epi32(places, 1), bases);
    if (__builtin_expect(count > 32, 0)) {
        put_sixteen(out + 32, _mm512_extracti32x4_epi32(places, 2), bases);
        put_sixteen(out + 48, _mm512_extracti32x4_epi32(places, 3), bases);
    }
    return out + count;
}

#define HAS_CLASSIFY_REST
#define HAS_PREFIX_XOR
#define HAS_PUT_OFFSETS
#define INDEX_FUNCTION bt_json_index_avx512
#include "json/index_body.h"
