/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixed.c - runs of one size at the beginning, 16 bytes at a time: identifiers, hashes, dates.
 *
 * The ASCII characters of a set are 16 bytes: bit h of byte l tells whether the set has the
 * character whose upper half is h and whose lower half is l. One shuffle looks up the bytes of 16
 * characters, another one the bits of their upper halves; what is not ASCII is in no set. A subject
 * that does not pass may still match, and is left to chain.c.
 */
#include "regex/chain.h"

#if BT_RE_HAS_FIXED

#include <string.h>
#include <tmmintrin.h>

#include "base/cpu.h"

enum { BLOCK = 16, SIZE_MAX_BYTES = 512, SETS_MAX = 8 };

struct bt_re_fixed {
    uint32_t size; /* at least a block */
    uint32_t sets_count;
    uint8_t sets[SETS_MAX][BLOCK];
    uint16_t wanted[SIZE_MAX_BYTES / BLOCK][SETS_MAX]; /* by block: the positions of each set */
};

/* The last block ends with the subject, and may overlap the one before it. */
static inline size_t block_begin(const struct bt_re_fixed *fixed, size_t block)
{
    const size_t begin = block * BLOCK;
    return begin + BLOCK <= fixed->size ? begin : fixed->size - BLOCK;
}

static inline size_t count_blocks(const struct bt_re_fixed *fixed)
{
    return (fixed->size + BLOCK - 1) / BLOCK;
}

/* The bytes of the runs that a chain begins with as far as each has one size, and their number; 0
 * when they do not fill a block. */
static uint32_t find_size(const struct bt_re_chain *chain, uint32_t *out_count)
{
    uint32_t size = 0;
    uint32_t i = 0;
    for (; i < chain->count; i++) {
        const struct bt_re_link_of *link = &chain->links[i];
        if (link->min != link->max || link->max > SIZE_MAX_BYTES - size) {
            break;
        }
        size += link->max;
    }
    *out_count = i;
    return size >= BLOCK ? size : 0;
}

static uint32_t set_of(const struct bt_re_link_of *link)
{
    return (uint32_t)__builtin_ctz(link->bit);
}

static void add_positions(struct bt_re_fixed *fixed, uint32_t set, uint32_t from, uint32_t count)
{
    for (uint32_t at = from; at < from + count; at++) {
        for (size_t block = 0; block < count_blocks(fixed); block++) {
            const size_t begin = block_begin(fixed, block);
            if (at >= begin && at < begin + BLOCK) {
                fixed->wanted[block][set] |= (uint16_t)(1U << (at - begin));
            }
        }
    }
}

bool bt_re_fixed_make(struct bt_re_build *build, struct bt_re_chain *chain)
{
    uint32_t count = 0;
    const uint32_t size = find_size(chain, &count);
    if (size == 0 || !BT_CPU_HAS(SSSE3, "ssse3")) {
        return true;
    }
    struct bt_re_fixed *fixed = bt_re_keep(build, 1, sizeof(*fixed));
    if (!fixed) {
        return false;
    }
    fixed->size = size;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t set = set_of(&chain->links[i]);
        fixed->sets_count = set >= fixed->sets_count ? set + 1 : fixed->sets_count;
        add_positions(fixed, set, at, chain->links[i].max);
        at += chain->links[i].max;
    }
    for (unsigned byte = 0; byte < 128; byte++) {
        for (uint32_t set = 0; set < fixed->sets_count; set++) {
            if ((chain->sets[byte] >> set & 1) != 0) {
                fixed->sets[set][byte % BLOCK] |= (uint8_t)(1U << byte / BLOCK);
            }
        }
    }
    chain->fixed = fixed;
    chain->fixed_count = count;
    return true;
}

uint32_t bt_re_fixed_size(const struct bt_re_fixed *fixed)
{
    return fixed->size;
}

__attribute__((target("ssse3"))) bool bt_re_fixed_match(const struct bt_re_fixed *fixed,
                                                        bt_str subject)
{
    if (subject.len < fixed->size) {
        return false;
    }
    const __m128i upper_bits = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    unsigned missing = 0;
    for (size_t block = 0; block < count_blocks(fixed); block++) {
        const char *from = subject.ptr + block_begin(fixed, block);
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
        const __m128i upper = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
        const __m128i bits = _mm_shuffle_epi8(upper_bits, upper);
        for (uint32_t set = 0; set < fixed->sets_count; set++) {
            const __m128i rows = _mm_loadu_si128((const __m128i *)(const void *)fixed->sets[set]);
            const __m128i in = _mm_and_si128(_mm_shuffle_epi8(rows, bytes), bits);
            const __m128i out = _mm_cmpeq_epi8(in, _mm_setzero_si128());
            missing |= (unsigned)_mm_movemask_epi8(out) & fixed->wanted[block][set];
        }
    }
    return missing == 0;
}

#endif
