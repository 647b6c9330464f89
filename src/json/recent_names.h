/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recent_names.h - whether an object that has just been read may hold a name twice: its last 16
 * hashes, in registers where the processor has wide ones. Included by build.c alone.
 */
#ifndef BATON_SRC_JSON_RECENT_NAMES_H
#define BATON_SRC_JSON_RECENT_NAMES_H

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "json/build.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Objects of up to so many members are checked for repeated names as they are read. */
enum { SMALL_OBJECT = 16 };

/* The hashes of the names of open objects. */
struct json_recent_names {
#if defined(__AVX512CD__)
    __m512i last; /* those of the innermost object's last 16 names; the newest comes last */
#elif defined(__AVX2__)
    /*
     * Those of the innermost object's last 16 names stand in two registers, and each new one is
     * compared with all of them when it comes. Storing them and loading them together at the end
     * would have to wait until the stores have settled.
     */
    __m256i newer; /* lowest bit set, so that an empty lane, which is zero, equals none */
    __m256i old;
    __m256i same; /* sticks: a pair of equal hashes in any object */
#else
    uint32_t *next; /* those of the innermost object are the last */
#endif
};

#if defined(__AVX512CD__)

/* What stands for names that have not come: hashes unlike each other. A name whose hash is among
 * them is looked at more closely for nothing. */
static ALWAYS_INLINE __m512i no_names(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static ALWAYS_INLINE struct json_recent_names recent_begin(uint32_t *memory)
{
    (void)memory;
    return (struct json_recent_names){no_names()};
}

static ALWAYS_INLINE void recent_add(struct json_recent_names *recent, uint32_t hash)
{
    const __m512i newest = _mm512_castsi128_si512(_mm_cvtsi32_si128((int)hash));
    recent->last = _mm512_alignr_epi32(newest, recent->last, 1);
}

static ALWAYS_INLINE void recent_open(struct json_recent_names *recent, struct bt_json_frame *frame)
{
    memcpy(frame->recent, &recent->last, sizeof(recent->last));
    recent->last = no_names();
}

/* Whether two names of the innermost object may be equal. */
static ALWAYS_INLINE bool recent_close(struct json_recent_names *recent,
                                       const struct bt_json_frame *frame, size_t count)
{
    const __m512i same = _mm512_conflict_epi32(recent->last);
    memcpy(&recent->last, frame->recent, sizeof(recent->last));
    return count > SMALL_OBJECT || _mm512_test_epi32_mask(same, same) != 0;
}

#elif defined(__AVX2__)

static ALWAYS_INLINE struct json_recent_names recent_begin(uint32_t *memory)
{
    (void)memory;
    const __m256i zero = _mm256_setzero_si256();
    return (struct json_recent_names){zero, zero, zero};
}

static ALWAYS_INLINE void recent_add(struct json_recent_names *recent, uint32_t hash)
{
    const __m256i turn = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    const __m256i all = _mm256_set1_epi32((int)(hash | 1));
    const __m256i same = _mm256_or_si256(_mm256_cmpeq_epi32(all, recent->newer),
                                         _mm256_cmpeq_epi32(all, recent->old));
    recent->same = _mm256_or_si256(recent->same, same);
    /* The oldest of the young comes last by the turn, where the old take it and it is replaced. */
    const __m256i newer = _mm256_permutevar8x32_epi32(recent->newer, turn);
    const __m256i old = _mm256_permutevar8x32_epi32(recent->old, turn);
    recent->old = _mm256_blend_epi32(old, newer, 0x80);
    recent->newer = _mm256_blend_epi32(newer, all, 0x80);
}

static ALWAYS_INLINE void recent_open(struct json_recent_names *recent, struct bt_json_frame *frame)
{
    memcpy(frame->recent, &recent->newer, sizeof(recent->newer));
    memcpy(frame->recent + 8, &recent->old, sizeof(recent->old));
    recent->newer = _mm256_setzero_si256();
    recent->old = _mm256_setzero_si256();
}

/* Whether two names of the innermost object may be equal. */
static ALWAYS_INLINE bool recent_close(struct json_recent_names *recent,
                                       const struct bt_json_frame *frame, size_t count)
{
    memcpy(&recent->newer, frame->recent, sizeof(recent->newer));
    memcpy(&recent->old, frame->recent + 8, sizeof(recent->old));
    return count > SMALL_OBJECT || !_mm256_testz_si256(recent->same, recent->same);
}

#else

static ALWAYS_INLINE struct json_recent_names recent_begin(uint32_t *memory)
{
    return (struct json_recent_names){memory};
}

static ALWAYS_INLINE void recent_add(struct json_recent_names *recent, uint32_t hash)
{
    *recent->next++ = hash;
}

static ALWAYS_INLINE void recent_open(struct json_recent_names *recent, struct bt_json_frame *frame)
{
    (void)recent;
    (void)frame;
}

static ALWAYS_INLINE bool recent_close(struct json_recent_names *recent,
                                       const struct bt_json_frame *frame, size_t count)
{
    (void)frame;
    const uint32_t *hashes = recent->next -= count;
    bool same = count > SMALL_OBJECT;
    for (size_t i = 1; i < count && !same; i++) {
        for (size_t j = 0; j < i; j++) {
            same |= hashes[i] == hashes[j];
        }
    }
    return same;
}

#endif

#undef ALWAYS_INLINE

#endif
