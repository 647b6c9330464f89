/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal.c - compare JSON numbers exactly.
 *
 * Nothing is converted: two numbers are compared digit by digit in place. Exponents may have any
 * length, so only their difference is computed, from the highest digit down; as soon as it is
 * larger than any text could compensate, its exact value does not matter.
 */
#include "json/decimal.h"

#include <assert.h>
#include <string.h>

#include <baton/json.h>

#include "base/ascii.h"

/* The run of digits at `*from`, which moves behind it. */
static bt_str take_digits(bt_str text, size_t *from)
{
    const size_t first = *from;
    while (*from < text.len && bt_ascii_is_digit(text.ptr[*from])) {
        ++*from;
    }
    return bt_str_slice(text, first, *from);
}

static bool skip_byte(bt_str text, size_t *from, char wanted)
{
    const bool found = *from < text.len && text.ptr[*from] == wanted;
    *from += found;
    return found;
}

static bt_str without_leading_zeros(bt_str digits)
{
    size_t zeros = 0;
    while (zeros < digits.len && digits.ptr[zeros] == '0') {
        zeros++;
    }
    return bt_str_slice(digits, zeros, digits.len);
}

static bt_str without_trailing_zeros(bt_str digits)
{
    while (digits.len > 0 && digits.ptr[digits.len - 1] == '0') {
        digits.len--;
    }
    return digits;
}

static void take_exponent(bt_str text, size_t *from, struct bt_json_decimal *out)
{
    if (!skip_byte(text, from, 'e') && !skip_byte(text, from, 'E')) {
        return;
    }
    out->exponent_negative = skip_byte(text, from, '-');
    (void)skip_byte(text, from, '+');
    out->exponent = without_leading_zeros(take_digits(text, from));
}

struct bt_json_decimal bt_json_decimal_parse(bt_str number)
{
    struct bt_json_decimal decimal = {.fraction = BT_STR(""), .exponent = BT_STR("")};
    size_t i = 0;
    decimal.negative = skip_byte(number, &i, '-');
    decimal.whole = without_leading_zeros(take_digits(number, &i));
    if (skip_byte(number, &i, '.')) {
        decimal.fraction = without_trailing_zeros(take_digits(number, &i));
    }
    take_exponent(number, &i, &decimal);

    decimal.point = (int64_t)decimal.whole.len;
    if (decimal.whole.len == 0) {
        const size_t written = decimal.fraction.len;
        decimal.fraction = without_leading_zeros(decimal.fraction);
        decimal.point = -(int64_t)(written - decimal.fraction.len);
    }
    if (decimal.fraction.len == 0) {
        decimal.whole = without_trailing_zeros(decimal.whole);
    }
    return decimal;
}

/* The digit of `exponent` that stands `place` places before its end, with its sign. */
static int64_t exponent_digit(const struct bt_json_decimal *decimal, size_t place)
{
    const bt_str digits = decimal->exponent;
    if (place >= digits.len) {
        return 0;
    }
    const int64_t digit = digits.ptr[digits.len - 1 - place] - '0';
    return decimal->exponent_negative ? -digit : digit;
}

/* a's written exponent less b's, held within plus and minus twice BT_DECIMAL_POINT_MAX. */
static int64_t exponent_difference(const struct bt_json_decimal *a, const struct bt_json_decimal *b)
{
    const int64_t enough = 2 * BT_DECIMAL_POINT_MAX;
    const size_t length = a->exponent.len > b->exponent.len ? a->exponent.len : b->exponent.len;
    int64_t difference = 0;
    for (size_t place = length; place-- > 0;) {
        /* The places still to come are worth less than two of this one: they cannot undo it. */
        if (difference > enough / 10 || difference < -enough / 10) {
            return difference > 0 ? enough : -enough;
        }
        difference = difference * 10 + exponent_digit(a, place) - exponent_digit(b, place);
    }
    return difference;
}

int64_t bt_json_decimal_point(const struct bt_json_decimal *decimal)
{
    const struct bt_json_decimal none = {.exponent = BT_STR("")};
    const int64_t point = decimal->point + exponent_difference(decimal, &none);
    if (point > BT_DECIMAL_POINT_MAX) {
        return BT_DECIMAL_POINT_MAX;
    }
    return point < -BT_DECIMAL_POINT_MAX ? -BT_DECIMAL_POINT_MAX : point;
}

int64_t bt_json_decimal_leading_digit(const struct bt_json_decimal *a,
                                      const struct bt_json_decimal *b)
{
    return exponent_difference(a, b) + a->point - b->point;
}

/* The digits of two numbers whose first digits have the same weight. */
static int compare_digits(const struct bt_json_decimal *a, const struct bt_json_decimal *b)
{
    const size_t a_count = bt_json_decimal_count(a);
    const size_t b_count = bt_json_decimal_count(b);
    const size_t shared = a_count < b_count ? a_count : b_count;
    for (size_t i = 0; i < shared; i++) {
        const unsigned a_digit = bt_json_decimal_digit(a, i);
        const unsigned b_digit = bt_json_decimal_digit(b, i);
        if (a_digit != b_digit) {
            return a_digit < b_digit ? -1 : 1;
        }
    }
    /* The last digit is never zero, so more digits are more. */
    return (a_count > b_count) - (a_count < b_count);
}

static int sign_of(const struct bt_json_decimal *decimal)
{
    if (bt_json_decimal_count(decimal) == 0) {
        return 0;
    }
    return decimal->negative ? -1 : 1;
}

int bt_json_decimal_compare(bt_str a, bt_str b)
{
    if (bt_str_eq(a, b)) {
        return 0;
    }
    const struct bt_json_decimal left = bt_json_decimal_parse(a);
    const struct bt_json_decimal right = bt_json_decimal_parse(b);
    const int sign = sign_of(&left);
    if (sign != sign_of(&right)) {
        return sign < sign_of(&right) ? -1 : 1;
    }
    if (sign == 0) {
        return 0;
    }
    const int64_t lead = bt_json_decimal_leading_digit(&left, &right);
    if (lead != 0) {
        return lead < 0 ? -sign : sign;
    }
    return sign * compare_digits(&left, &right);
}

bool bt_json_decimal_is_integer(bt_str number)
{
    const struct bt_json_decimal decimal = bt_json_decimal_parse(number);
    const size_t count = bt_json_decimal_count(&decimal);
    return count == 0 || bt_json_decimal_point(&decimal) >= (int64_t)count;
}
