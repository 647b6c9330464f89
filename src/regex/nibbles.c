/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nibbles.c - bytes held against sets, 32 at a time.
 *
 * A set of bytes is cut into rectangles by grouping its high nibbles by the low nibbles they go
 * with: [0-9a-f] is {0-9} x {3} and {1-6} x {6}. Two table look-ups by shuffling then tell for 32
 * bytes at once in which rectangles they lie (Langdale and Lemire's way to classify).
 */
#include <string.h>

#include "regex/tier.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define RECTANGLES_MAX 8
#define BLOCK 32U
/* Below this the check of single bytes is as fast. */
#define BLOCK_MIN 8U

/* Find or add a rectangle; its bit, or 0 when there are too many. */
static uint8_t add_rectangle(struct bt_re_nibbles *nibbles, uint16_t lows, uint16_t highs)
{
    for (uint32_t r = 0; r < RECTANGLES_MAX; r++) {
        uint16_t known_lows = 0;
        uint16_t known_highs = 0;
        for (uint32_t nibble = 0; nibble < 16; nibble++) {
            known_lows |= (uint16_t)(((unsigned)nibbles->low[nibble] >> r & 1U) << nibble);
            known_highs |= (uint16_t)(((unsigned)nibbles->high[nibble] >> r & 1U) << nibble);
        }
        if (known_lows != 0 && (known_lows != lows || known_highs != highs)) {
            continue;
        }
        for (uint32_t nibble = 0; nibble < 16; nibble++) {
            nibbles->low[nibble] |= (uint8_t)(((unsigned)lows >> nibble & 1U) << r);
            nibbles->high[nibble] |= (uint8_t)(((unsigned)highs >> nibble & 1U) << r);
        }
        return (uint8_t)(1U << r);
    }
    return 0;
}

static void find_lows(const struct bt_re_set *set, uint16_t lows[8])
{
    for (uint32_t point = 0; point < 128; point++) {
        if (bt_re_set_has(set, point)) {
            lows[point >> 4] |= (uint16_t)(1U << (point & 15));
        }
    }
}

uint8_t bt_re_nibbles_add(struct bt_re_nibbles *nibbles, const struct bt_re_set *set)
{
    const struct bt_re_nibbles before = *nibbles;
    uint16_t lows[8] = {0};
    uint8_t mask = 0;
    find_lows(set, lows);
    for (uint32_t high = 0; high < 8; high++) {
        uint16_t highs = 0;
        for (uint32_t other = 0; other < 8; other++) {
            highs |= (uint16_t)(lows[other] == lows[high] ? 1U << other : 0);
        }
        const uint8_t bit = lows[high] != 0 ? add_rectangle(nibbles, lows[high], highs) : 0;
        if (lows[high] != 0 && bit == 0) {
            *nibbles = before;
            return 0;
        }
        mask |= bit;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        nibbles->rectangles[byte] = nibbles->low[byte & 15] & nibbles->high[byte >> 4];
    }
#if defined(__x86_64__)
    nibbles->has_avx2 = __builtin_cpu_supports("avx2");
#endif
    return mask;
}

static bool match_bytes(const struct bt_re_nibbles *nibbles, const unsigned char *bytes,
                        const uint8_t *masks, size_t size)
{
    unsigned all = 1;
    for (size_t i = 0; i < size; i++) {
        all &= (nibbles->rectangles[bytes[i]] & masks[i]) != 0;
    }
    return all != 0;
}

static bool all_bytes(const struct bt_re_nibbles *nibbles, const unsigned char *bytes, size_t size,
                      uint8_t mask)
{
    size_t i = 0;
    while (i < size && (nibbles->rectangles[bytes[i]] & mask) != 0) {
        i++;
    }
    return i == size;
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))

struct re_nibbles_tables {
    __m256i low;
    __m256i high;
};

AVX2 static struct re_nibbles_tables load_tables(const struct bt_re_nibbles *nibbles)
{
    return (struct re_nibbles_tables){
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)nibbles->low)),
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)nibbles->high))};
}

/* All bits of each byte that lies in none of the rectangles of its mask. */
AVX2 static __m256i find_misses(struct re_nibbles_tables tables, __m256i bytes, __m256i masks)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i lows = _mm256_shuffle_epi8(tables.low, _mm256_and_si256(bytes, nibble));
    const __m256i highs =
        _mm256_shuffle_epi8(tables.high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
    const __m256i found = _mm256_and_si256(_mm256_and_si256(lows, highs), masks);
    return _mm256_cmpeq_epi8(found, _mm256_setzero_si256());
}

AVX2 static __m256i load_bytes(const unsigned char *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* 8 to 31 bytes: four pieces of 8, overlapping, that cover them all. */
AVX2 static __m256i load_overlapping(const unsigned char *bytes, size_t size)
{
    const size_t last = size - 8;
    const size_t second = last < 8 ? last : 8;
    const size_t third = last < 16 ? last : 16;
    long long pieces[4];
    memcpy(&pieces[0], bytes, 8);
    memcpy(&pieces[1], bytes + second, 8);
    memcpy(&pieces[2], bytes + third, 8);
    memcpy(&pieces[3], bytes + last, 8);
    return _mm256_set_epi64x(pieces[3], pieces[2], pieces[1], pieces[0]);
}

AVX2 static bool match_blocks(const struct bt_re_nibbles *nibbles, const unsigned char *bytes,
                              const uint8_t *masks, size_t size)
{
    const struct re_nibbles_tables tables = load_tables(nibbles);
    if (size < BLOCK) {
        const __m256i missed =
            find_misses(tables, load_overlapping(bytes, size), load_overlapping(masks, size));
        return _mm256_testz_si256(missed, missed) != 0;
    }
    /* The last block overlaps the one before it. */
    const size_t last = size - BLOCK;
    __m256i missed = find_misses(tables, load_bytes(bytes + last), load_bytes(masks + last));
    for (size_t i = 0; i < last; i += BLOCK) {
        missed = _mm256_or_si256(missed,
                                 find_misses(tables, load_bytes(bytes + i), load_bytes(masks + i)));
    }
    return _mm256_testz_si256(missed, missed) != 0;
}

AVX2 static bool all_blocks(const struct bt_re_nibbles *nibbles, const unsigned char *bytes,
                            size_t size, uint8_t mask)
{
    const struct re_nibbles_tables tables = load_tables(nibbles);
    const __m256i masks = _mm256_set1_epi8((char)mask);
    __m256i missed = _mm256_setzero_si256();
    if (size < BLOCK) {
        missed = find_misses(tables, load_overlapping(bytes, size), masks);
        return _mm256_testz_si256(missed, missed) != 0;
    }
    for (size_t i = 0; i < size - BLOCK && _mm256_testz_si256(missed, missed) != 0; i += BLOCK) {
        missed = find_misses(tables, load_bytes(bytes + i), masks);
    }
    missed = _mm256_or_si256(missed, find_misses(tables, load_bytes(bytes + size - BLOCK), masks));
    return _mm256_testz_si256(missed, missed) != 0;
}

#endif

bool bt_re_nibbles_match(const struct bt_re_nibbles *nibbles, const unsigned char *bytes,
                         const uint8_t *masks, size_t size)
{
#if defined(__x86_64__)
    if (nibbles->has_avx2 && size >= BLOCK_MIN) {
        return match_blocks(nibbles, bytes, masks, size);
    }
#endif
    return match_bytes(nibbles, bytes, masks, size);
}

bool bt_re_nibbles_all(const struct bt_re_nibbles *nibbles, const unsigned char *bytes, size_t size,
                       uint8_t mask)
{
#if defined(__x86_64__)
    if (nibbles->has_avx2 && size >= BLOCK_MIN) {
        return all_blocks(nibbles, bytes, size, mask);
    }
#endif
    return all_bytes(nibbles, bytes, size, mask);
}
