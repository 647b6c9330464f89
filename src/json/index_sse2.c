/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_sse2.c - the first stage for every x86-64 processor.
 */
#include "json/index.h"

#include <emmintrin.h>

#include "json/index_masks.h"

static inline uint64_t mask_of(__m128i bytes)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes);
}

static inline __m128i match_byte(__m128i bytes, char byte)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

static inline struct json_index_masks classify_block(const char *block)
{
    struct json_index_masks masks = {0};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned shift = 16 * i;
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + shift));
        /* '[' and ']' become '{' and '}'; so do no other bytes that matter. */
        const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        const __m128i brackets = _mm_or_si128(match_byte(folded, '{'), match_byte(folded, '}'));
        const __m128i marks = _mm_or_si128(match_byte(bytes, ':'), match_byte(bytes, ','));
        const __m128i blanks =
            _mm_or_si128(_mm_or_si128(match_byte(bytes, ' '), match_byte(bytes, '\n')),
                         _mm_or_si128(match_byte(bytes, '\t'), match_byte(bytes, '\r')));
        /* Bytes below 0x20 are those that an unsigned minimum with 0x1f leaves as they are. */
        const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        masks.quote |= mask_of(match_byte(bytes, '"')) << shift;
        masks.backslash |= mask_of(match_byte(bytes, '\\')) << shift;
        masks.structural |= mask_of(_mm_or_si128(brackets, marks)) << shift;
        masks.blank |= mask_of(blanks) << shift;
        masks.control |= mask_of(controls) << shift;
        masks.wide |= mask_of(bytes) << shift;
    }
    return masks;
}

#define INDEX_FUNCTION bt_json_index_sse2
#include "json/index_body.h"
