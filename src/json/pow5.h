/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pow5.h - powers of ten as doubles need them: 128 bits and a binary exponent.
 *
 * 10^q lies in [t, t + 1) * 2^bt_pow10_exponent(q) where t is the 128-bit number bt_pow5(q). For
 * BT_POW5_EXACT_MIN <= q <= BT_POW5_EXACT_MAX it is t itself.
 */
#ifndef BATON_SRC_JSON_POW5_H
#define BATON_SRC_JSON_POW5_H

#include <stdint.h>

#include "base/uint128.h"

#define BT_POW5_MIN (-342)
#define BT_POW5_MAX 324
#define BT_POW5_EXACT_MIN 0
#define BT_POW5_EXACT_MAX 55

/* Every 28th power is kept by the core profile, since 5^27 is the highest that fits into 64 bits.
 * One of them is 5^0, so that exact powers are computed from exact ones. */
enum { BT_POW5_SPARSE_MIN = -364, BT_POW5_STEP = 28, BT_POW5_SPARSE_COUNT = 25 };

/* 192 bits of each, the highest word first; the highest bit is set. Of the core profile alone. */
extern const uint64_t bt_pow5_sparse[BT_POW5_SPARSE_COUNT][3];
/* bt_pow5() without its table, whose 10 KB cannot be compressed. Of the core profile alone. */
struct bt_uint128 bt_pow5_compute(int32_t q);

/* Row q - BT_POW5_MIN: the high and the low 64 bits of t. Of the other profiles. */
extern const uint64_t bt_pow5_rows[BT_POW5_MAX - BT_POW5_MIN + 1][2];

/* t, for BT_POW5_MIN <= q <= BT_POW5_MAX. */
static inline struct bt_uint128 bt_pow5(int32_t q)
{
#ifdef BT_PROFILE_CORE
    return bt_pow5_compute(q);
#else
    const uint64_t *row = bt_pow5_rows[q - BT_POW5_MIN];
    return (struct bt_uint128){row[0], row[1]};
#endif
}

/* floor(log2(10^q)); the fraction is close enough to log2(10) for every q of bt_pow5(). */
static inline int32_t bt_pow10_log2(int32_t q)
{
    return (q * 217706) >> 16;
}

/* The binary exponent that goes with bt_pow5(q). */
static inline int32_t bt_pow10_exponent(int32_t q)
{
    return bt_pow10_log2(q) - 127;
}

#endif
