/* SPDX-License-Identifier: Apache-2.0 */
/*
 * double.h - decimal digits to the nearest double, without exact arithmetic where that can be.
 *
 * The product with the first 128 bits of a power of ten is less than the true value by so little
 * that a tie between two doubles seldom lies in between; unless it does, rounding the product gives
 * the nearest double (the table is Eisel's and Lemire's idea, "Number parsing at a gigabyte per
 * second", 2021).
 */
#ifndef BATON_SRC_JSON_DOUBLE_H
#define BATON_SRC_JSON_DOUBLE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/uint128.h"
#include "json/pow5.h"

/* Doubles are IEEE 754 binary64 and are not computed in wider registers. */
_Static_assert(FLT_EVAL_METHOD == 0 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "binary64");

/* The value is not below `bits` + `rest` / 2^64 times 2^exponent. */
struct bt_json_double_product {
    uint64_t bits; /* the first or the second bit is set */
    uint64_t rest;
    bool cut; /* the value is above that, by less than two units of `rest` */
    int32_t exponent;
};

/* mantissa * 10^exponent10; mantissa is not 0, and the table has a row for the exponent. */
static inline struct bt_json_double_product bt_product_of(uint64_t mantissa, int32_t exponent10)
{
    const struct bt_uint128 power = bt_pow5(exponent10);
    const int32_t shift = __builtin_clzll(mantissa);
    const struct bt_uint128 upper = bt_wide_product(mantissa << shift, power.high);
    const struct bt_uint128 lower = bt_wide_product(mantissa << shift, power.low);
    struct bt_json_double_product product = {
        .bits = upper.high,
        .rest = upper.low + lower.high,
        .cut = lower.low != 0 || exponent10 < BT_POW5_EXACT_MIN || exponent10 > BT_POW5_EXACT_MAX,
        .exponent = bt_pow10_exponent(exponent10) + 128 - shift,
    };
    product.bits += product.rest < upper.low;
    return product;
}

/* How many of the product's bits lie below the last place of a double that is near it, and the
 * exponent of that place. It may be more than 64. */
static inline int32_t bt_product_surplus(const struct bt_json_double_product *product,
                                         int32_t *out_exponent)
{
    const int32_t lowest = -1074;
    const int32_t surplus = 10 + (int32_t)(product->bits >> 63);
    const int32_t exponent = product->exponent + surplus;
    *out_exponent = exponent < lowest ? lowest : exponent;
    return exponent < lowest ? surplus + (lowest - exponent) : surplus;
}

/* mantissa * 2^exponent. The mantissa is at most 2^53, and it is below 2^52 only if the exponent is
 * the lowest. */
static inline double bt_double_assemble(uint64_t mantissa, int32_t exponent)
{
    /* The mantissa's highest bit, and the carry out of it at 2^53, count the exponent up. */
    uint64_t bits = ((uint64_t)(uint32_t)(exponent + 1074) << 52) + mantissa;
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    bits = bits < infinity ? bits : infinity;
    double number = 0;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* The nearest double, ties to even; false when the product is too short to tell. */
static inline bool bt_product_round(const struct bt_json_double_product *product, double *out)
{
    int32_t exponent = 0;
    const int32_t surplus = bt_product_surplus(product, &exponent);
    if (surplus > 63) {
        return false;
    }
    const uint64_t mantissa = product->bits >> surplus;
    const uint64_t half = UINT64_C(1) << (surplus - 1);
    const uint64_t below = product->bits & (2 * half - 1);
    if (below == half - 1 && product->rest >= UINT64_MAX - 1 && product->cut) {
        return false;
    }
    const bool above_half = product->rest != 0 || product->cut;
    const bool up = below > half || (below == half && (above_half || (mantissa & 1)));
    *out = bt_double_assemble(mantissa + up, exponent);
    return true;
}

/*
 * Set *out to the double nearest to mantissa * 10^exponent10 (ties to even, an infinity when it is
 * too large) and return true; or return false without touching *out, when only exact arithmetic can
 * tell: then ask bt_json_decimal_to_double() with the number's text.
 *
 * May be used when `mantissa` holds every digit of the number: at most 19 digits, none cut off.
 * Leading and trailing zeros do no harm. The sign is the caller's affair: negate *out.
 */
static inline bool bt_double_from_parts(uint64_t mantissa, int64_t exponent10, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (mantissa <= UINT64_C(1) << 53 && exponent10 >= -22 && exponent10 <= 22) {
        /* Both are doubles already, so the processor's one rounding is the right one. */
        const double whole = (double)mantissa;
        *out = exponent10 < 0 ? whole / tens[-exponent10] : whole * tens[exponent10];
        return true;
    }
    if (mantissa == 0 || exponent10 < -342) {
        *out = 0; /* 2^64 * 10^-343 is less than half the smallest double */
        return true;
    }
    if (exponent10 > 308) {
        *out = HUGE_VAL;
        return true;
    }
    const struct bt_json_double_product product = bt_product_of(mantissa, (int32_t)exponent10);
    return bt_product_round(&product, out);
}

/* As bt_double_from_parts(), for mantissa / 10^digits where `digits` is 1 to 19: one product of 64
 * bits is enough unless its last bits are all ones. */
static inline bool bt_double_from_fraction(uint64_t mantissa, unsigned digits, double *out)
{
    const int32_t exponent10 = -(int32_t)digits;
    if (mantissa <= UINT64_C(1) << 53) {
        return bt_double_from_parts(mantissa, exponent10, out);
    }
    const int32_t shift = __builtin_clzll(mantissa);
    const uint64_t bits = bt_wide_product(mantissa << shift, bt_pow5(exponent10).high).high;
    /* The value is above `bits` and below `bits` + 2. No power of ten below 1 is exact in binary,
     * so a tie between two doubles shows as ones in all places below. */
    const uint64_t last = 0x1ff;
    if ((bits & last) == last) {
        return bt_double_from_parts(mantissa, exponent10, out);
    }
    const int32_t surplus = 10 + (int32_t)(bits >> 63);
    const uint64_t rounded = ((bits >> (surplus - 1)) + 1) >> 1;
    *out = bt_double_assemble(rounded, bt_pow10_exponent(exponent10) + 128 - shift + surplus);
    return true;
}

#endif
