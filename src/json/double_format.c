/* SPDX-License-Identifier: Apache-2.0 */
/*
 * double_format.c - the shortest decimal that reads back as a double, as ECMAScript spells it.
 *
 * The method is Giulietti's Schubfach ("The Schubfach way to render doubles", 2020). Everything
 * between the middles to the two neighbouring doubles reads back as the number. With k chosen such
 * that 10^k is the largest power of ten not longer than that interval, the interval holds one or
 * more multiples of 10^k, and at most one multiple of 10^(k+1), which is then the shortest. So four
 * candidates have to be looked at. The three bounds are scaled by 10^-k with 128 bits of the power
 * and rounded to odd, which keeps every comparison with an integer as it would be without rounding.
 */
#include <baton/json.h>

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/uint128.h"
#include "json/pow5.h"

/* digits * 10^exponent */
struct json_double_format_shortest {
    uint64_t digits;
    int32_t exponent;
};

/* floor(log10(2^e)), and floor(log10(3/4 * 2^e)): right for all exponents that doubles have. */
static int32_t log10_pow2(int32_t e)
{
    return (e * 1262611) >> 22;
}

static int32_t log10_three_quarters_pow2(int32_t e)
{
    return (e * 1262611 - 524031) >> 22;
}

/* The power of ten from the table, rounded up where it is not exact. */
static struct bt_uint128 power_above(int32_t q)
{
    assert(q >= BT_POW5_MIN && q <= BT_POW5_MAX);
    const bool exact = q >= BT_POW5_EXACT_MIN && q <= BT_POW5_EXACT_MAX;
    struct bt_uint128 power = bt_pow5(q);
    power.low += !exact;
    power.high += !exact && power.low == 0;
    return power;
}

/* floor(power * factor / 2^128), its last bit set when something was cut off. */
static uint64_t scale_to_odd(struct bt_uint128 power, uint64_t factor)
{
    const struct bt_uint128 low = bt_wide_product(power.low, factor);
    const struct bt_uint128 high = bt_wide_product(power.high, factor);
    const uint64_t middle = high.low + low.high;
    const uint64_t whole = high.high + (middle < high.low);
    /* Less than two units come from the power having been rounded up. */
    return whole | (middle > 1);
}

/* mantissa * 2^exponent, with the bounds of the interval around it, all in quarters of 10^k. */
struct json_double_format_scaled {
    uint64_t value;
    uint64_t lowest; /* inside */
    uint64_t highest;
    int32_t k;
};

static struct json_double_format_scaled scale_bounds(uint64_t mantissa, int32_t exponent)
{
    /* Below a power of two the doubles lie twice as dense. */
    const bool narrow = mantissa == UINT64_C(1) << 52 && exponent > -1074;
    const int32_t k = narrow ? log10_three_quarters_pow2(exponent) : log10_pow2(exponent);
    const int32_t shift = exponent + bt_pow10_log2(-k) + 1;
    assert(shift >= 1 && shift <= 4);
    const struct bt_uint128 power = power_above(-k);
    const uint64_t lower = 4 * mantissa - (narrow ? 1 : 2);
    const uint64_t upper = 4 * mantissa + 2;
    /* An even mantissa wins ties, so that its bounds read back as itself. */
    const uint64_t out = mantissa & 1;
    return (struct json_double_format_scaled){
        .value = scale_to_odd(power, (4 * mantissa) << shift),
        .lowest = scale_to_odd(power, lower << shift) + out,
        .highest = scale_to_odd(power, upper << shift) - out,
        .k = k,
    };
}

static struct json_double_format_shortest find_shortest(uint64_t mantissa, int32_t exponent)
{
    const struct json_double_format_scaled scaled = scale_bounds(mantissa, exponent);
    const uint64_t below = scaled.value / 4;
    if (below >= 10) {
        const uint64_t tens = below / 10;
        const bool low_fits = scaled.lowest <= 40 * tens;
        const bool high_fits = 40 * tens + 40 <= scaled.highest;
        if (low_fits != high_fits) {
            return (struct json_double_format_shortest){tens + high_fits, scaled.k + 1};
        }
    }
    const bool low_fits = scaled.lowest <= 4 * below;
    const bool high_fits = 4 * below + 4 <= scaled.highest;
    if (low_fits != high_fits) {
        return (struct json_double_format_shortest){below + high_fits, scaled.k};
    }
    const uint64_t middle = 4 * below + 2;
    const bool up = scaled.value > middle || (scaled.value == middle && (below & 1));
    return (struct json_double_format_shortest){below + up, scaled.k};
}

/* The digits of a positive number as text, without trailing zeros; returns how many. */
static size_t put_digits(struct json_double_format_shortest *number, char out[20])
{
    assert(number->digits > 0);
    while (number->digits % 10 == 0) {
        number->digits /= 10;
        number->exponent++;
    }
    char reversed[20];
    size_t count = 0;
    uint64_t rest = number->digits;
    do {
        reversed[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    for (size_t i = 0; i < count; i++) {
        out[i] = reversed[count - 1 - i];
    }
    return count;
}

/* d.ddde+N */
static size_t put_scientific(const char *digits, size_t count, int32_t point, char *out)
{
    size_t length = 0;
    out[length++] = digits[0];
    if (count > 1) {
        out[length++] = '.';
        memcpy(out + length, digits + 1, count - 1);
        length += count - 1;
    }
    const int32_t exponent = point - 1;
    out[length++] = 'e';
    out[length++] = exponent < 0 ? '-' : '+';
    const int32_t size = exponent < 0 ? -exponent : exponent;
    assert(size < 1000);
    if (size >= 100) {
        out[length++] = (char)('0' + size / 100);
    }
    if (size >= 10) {
        out[length++] = (char)('0' + size / 10 % 10);
    }
    out[length++] = (char)('0' + size % 10);
    return length;
}

/* Digits with the point after the first `point` of them, as Number::toString lays them out. */
static size_t put_layout(const char *digits, size_t count, int32_t point, char *out)
{
    if (point > 21 || point <= -6) {
        return put_scientific(digits, count, point, out);
    }
    if (point <= 0) {
        const size_t zeros = (size_t)-point;
        memcpy(out, "0.00000", 2 + zeros);
        memcpy(out + 2 + zeros, digits, count);
        return 2 + zeros + count;
    }
    const size_t whole = (size_t)point;
    if (count <= whole) {
        memcpy(out, digits, count);
        memset(out + count, '0', whole - count);
        return whole;
    }
    memcpy(out, digits, whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, count - whole);
    return count + 1;
}

size_t bt_double_format(double number, char out[BT_DOUBLE_TEXT_BYTES])
{
    assert(out);
    assert(isfinite(number));
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof(bits));
    size_t length = 0;
    if (number == 0) {
        out[length++] = '0'; /* minus zero too */
        out[length] = '\0';
        return length;
    }
    if (bits >> 63) {
        out[length++] = '-';
    }
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
    const uint64_t mantissa = biased == 0 ? fraction : fraction | UINT64_C(1) << 52;
    struct json_double_format_shortest found =
        find_shortest(mantissa, (biased == 0 ? 1 : biased) - 1075);
    char digits[20];
    const size_t count = put_digits(&found, digits);
    const int32_t point = (int32_t)count + found.exponent;
    length += put_layout(digits, count, point, out + length);
    out[length] = '\0';
    assert(length < BT_DOUBLE_TEXT_BYTES);
    return length;
}
