/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_avx2.c - the first stage with AVX2 and carry-less multiplication.
 *
 * One table look-up by the low nibble finds the blanks, another the structural characters: the
 * table holds, for each low nibble, the one character that has it.
 */
#include "json/index.h"

#include <immintrin.h>

#include "json/index_masks.h"

static inline uint64_t mask_of(__m256i low, __m256i high)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline __m256i match_byte(__m256i bytes, char byte)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte));
}

/* -1 stands where no character fits; a byte 0xff looks up 0, so it never matches. */
static inline __m256i match_whitespace(__m256i bytes)
{
    const __m256i table =
        _mm256_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, -1, '\r', -1, -1, ' ',
                         -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, -1, '\r', -1, -1);
    return _mm256_cmpeq_epi8(bytes, _mm256_shuffle_epi8(table, bytes));
}

/* Setting 0x20 folds [ and ] into { and }; it also folds 0x1a and 0x0c into : and , (see masks). */
static inline __m256i match_structurals(__m256i bytes)
{
    const __m256i table =
        _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, ':', '{', ',', '}', -1, -1, -1, -1,
                         -1, -1, -1, -1, -1, -1, -1, -1, ':', '{', ',', '}', -1, -1);
    return _mm256_cmpeq_epi8(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)),
                             _mm256_shuffle_epi8(table, bytes));
}

static inline __m256i match_controls(__m256i bytes)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1f)), bytes);
}

static inline struct json_index_masks classify_block(const char *block)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)block);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
    return (struct json_index_masks){
        .quote = mask_of(match_byte(low, '"'), match_byte(high, '"')),
        .backslash = mask_of(match_byte(low, '\\'), match_byte(high, '\\')),
        .structural = mask_of(match_structurals(low), match_structurals(high)),
        .blank = mask_of(match_whitespace(low), match_whitespace(high)),
        .control = mask_of(match_controls(low), match_controls(high)),
        .wide = mask_of(low, high),
    };
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)bits), _mm_set1_epi8(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

#define HAS_PREFIX_XOR
#define INDEX_FUNCTION bt_json_index_avx2
#include "json/index_body.h"
