/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pow5.h - powers of ten as doubles need them: 128 bits and a binary exponent.
 *
 * 10^q lies in [t, t + 1) * 2^bt_pow10_exponent(q) where t is the 128-bit number in row q of the
 * table. For BT_POW5_EXACT_MIN <= q <= BT_POW5_EXACT_MAX it is t itself.
 */
#ifndef BATON_SRC_JSON_POW5_H
#define BATON_SRC_JSON_POW5_H

#include <stdint.h>

#define BT_POW5_MIN (-342)
#define BT_POW5_MAX 324
#define BT_POW5_EXACT_MIN 0
#define BT_POW5_EXACT_MAX 55

/* Row q - BT_POW5_MIN: the high and the low 64 bits of t, the highest bit set. */
extern const uint64_t bt_pow5[BT_POW5_MAX - BT_POW5_MIN + 1][2];

/* floor(log2(10^q)); the fraction is close enough to log2(10) for every row of the table. */
static inline int32_t bt_pow10_log2(int32_t q)
{
    return (q * 217706) >> 16;
}

/* The binary exponent that goes with the table's row q. */
static inline int32_t bt_pow10_exponent(int32_t q)
{
    return bt_pow10_log2(q) - 127;
}

#endif
