/* SPDX-License-Identifier: Apache-2.0 */
/*
 * double.c - the nearest double to a decimal number of any length.
 *
 * Nearly every number is settled by the product of its first 19 digits with a power of ten
 * (double.h). For the others the product still gives the double just below; whether the number
 * lies above or below the middle between that double and the next is then decided by comparing
 * whole numbers of a few thousand bits.
 */
#include "json/double.h"

#include <assert.h>
#include <stdlib.h>

#include <baton/json.h>

#include "json/decimal.h"

enum {
    MANTISSA_DIGITS = 19, /* always fit into 64 bits */
    /* The middle between two doubles has at most 767 digits, so a digit behind the 768th only
     * matters by not being zero. */
    DIGITS_MAX = 768,
    /* Numbers in which both sides of a comparison fit: 5^1092 times a 54-bit mantissa takes 2590
     * bits, 769 digits take 2555, and the two sides differ by less than a factor of four. */
    LIMBS_MAX = 42,
    /* 0.1 * 10^310 is beyond every double; 10^-324 is less than half the smallest one. */
    POINT_TOO_LARGE = 310,
    POINT_TOO_SMALL = -324,
};

/* A natural number; the lowest limb comes first, the highest is not zero. */
struct json_double_big {
    size_t count;
    uint64_t limbs[LIMBS_MAX];
};

/* big = big * factor + addend */
static void multiply_add(struct json_double_big *big, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < big->count; i++) {
        struct bt_uint128 product = bt_wide_product(big->limbs[i], factor);
        product.low += carry;
        carry = product.high + (product.low < carry);
        big->limbs[i] = product.low;
    }
    if (carry > 0) {
        assert(big->count < LIMBS_MAX);
        big->limbs[big->count++] = carry;
    }
}

static void multiply_pow5(struct json_double_big *big, size_t exponent)
{
    const uint64_t pow5_27 = UINT64_C(7450580596923828125);
    for (; exponent >= 27; exponent -= 27) {
        multiply_add(big, pow5_27, 0);
    }
    uint64_t power = 1;
    for (; exponent > 0; exponent--) {
        power *= 5;
    }
    multiply_add(big, power, 0);
}

static void shift_left(struct json_double_big *big, size_t bits)
{
    const size_t limbs = bits / 64;
    if (big->count == 0) {
        return;
    }
    multiply_add(big, UINT64_C(1) << (bits % 64), 0);
    assert(big->count + limbs <= LIMBS_MAX);
    memmove(big->limbs + limbs, big->limbs, big->count * sizeof(big->limbs[0]));
    memset(big->limbs, 0, limbs * sizeof(big->limbs[0]));
    big->count += limbs;
}

static int compare_big(const struct json_double_big *a, const struct json_double_big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (size_t i = a->count; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The digits from..to (to excluded, at most MANTISSA_DIGITS of them) as a number. */
static uint64_t some_digits(const struct bt_json_decimal *decimal, size_t from, size_t to)
{
    uint64_t number = 0;
    for (size_t i = from; i < to; i++) {
        number = number * 10 + bt_json_decimal_digit(decimal, i);
    }
    return number;
}

/* All digits as a number, a 1 for those behind DIGITS_MAX. Returns how many were taken. */
static size_t big_digits(const struct bt_json_decimal *decimal, struct json_double_big *out)
{
    const uint64_t pow10_19 = UINT64_C(10000000000000000000);
    const size_t count = bt_json_decimal_count(decimal);
    const size_t taken = count < DIGITS_MAX ? count : DIGITS_MAX;
    size_t i = 0;
    for (; taken - i >= MANTISSA_DIGITS; i += MANTISSA_DIGITS) {
        multiply_add(out, pow10_19, some_digits(decimal, i, i + MANTISSA_DIGITS));
    }
    for (; i < taken; i++) {
        multiply_add(out, 10, bt_json_decimal_digit(decimal, i));
    }
    if (taken == count) {
        return taken;
    }
    multiply_add(out, 10, 1);
    return taken + 1;
}

/* How the number compares with (2 * mantissa + 1) * 2^(exponent - 1), the middle between
 * mantissa * 2^exponent and the double above it. */
static int compare_with_middle(const struct bt_json_decimal *decimal, int32_t point,
                               uint64_t mantissa, int32_t exponent)
{
    struct json_double_big number = {0};
    struct json_double_big middle = {.count = 1, .limbs = {2 * mantissa + 1}};
    const int32_t exponent10 = point - (int32_t)big_digits(decimal, &number);
    multiply_pow5(exponent10 < 0 ? &middle : &number, (size_t)abs(exponent10));
    const int32_t shift = exponent10 - (exponent - 1);
    shift_left(shift < 0 ? &middle : &number, (size_t)abs(shift));
    return compare_big(&number, &middle);
}

static double round_exactly(const struct bt_json_decimal *decimal, int32_t point,
                            const struct bt_json_double_product *product)
{
    int32_t exponent = 0;
    const int32_t surplus = bt_product_surplus(product, &exponent);
    uint64_t mantissa = surplus > 63 ? 0 : product->bits >> surplus;
    /* The product may be too small by a little. If the number has in truth passed the next double,
     * then it is far below the middle after that one, and rounding up gives the right answer. */
    const int order = compare_with_middle(decimal, point, mantissa, exponent);
    mantissa += order > 0 || (order == 0 && (mantissa & 1));
    return bt_double_assemble(mantissa, exponent);
}

static double convert_magnitude(const struct bt_json_decimal *decimal)
{
    const int64_t wide_point = bt_json_decimal_point(decimal);
    const size_t count = bt_json_decimal_count(decimal);
    if (count == 0 || wide_point <= POINT_TOO_SMALL) {
        return 0;
    }
    if (wide_point >= POINT_TOO_LARGE) {
        return HUGE_VAL;
    }
    const int32_t point = (int32_t)wide_point;
    const size_t taken = count < MANTISSA_DIGITS ? count : MANTISSA_DIGITS;
    const uint64_t mantissa = some_digits(decimal, 0, taken);
    const int32_t exponent10 = point - (int32_t)taken;
    double number = 0;
    if (taken == count && bt_double_from_parts(mantissa, exponent10, &number)) {
        return number;
    }
    const struct bt_json_double_product product = bt_product_of(mantissa, exponent10);
    if (taken < count) {
        /* The number lies between these two; often they are nearest to the same double. */
        const struct bt_json_double_product above = bt_product_of(mantissa + 1, exponent10);
        double number_above = 0;
        if (bt_product_round(&product, &number) && bt_product_round(&above, &number_above) &&
            number == number_above) {
            return number;
        }
    }
    return round_exactly(decimal, point, &product);
}

double bt_json_decimal_to_double(bt_str number)
{
    const struct bt_json_decimal decimal = bt_json_decimal_parse(number);
    const double absolute = convert_magnitude(&decimal);
    return decimal.negative ? -absolute : absolute;
}
