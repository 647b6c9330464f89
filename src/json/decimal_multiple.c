/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal_multiple.c - whether one decimal number is a whole multiple of another.
 *
 * Both are whole numbers times a power of ten, a * 10^p and b * 10^q, and neither a nor b ends in
 * zero. With k = p - q the question is whether b divides a * 10^k.
 *
 *   k < 0: it would take b * 10^-k to divide a, so a would end in zero. No.
 *   k > 0: all that 10^k can do is to supply twos and fives. A number of n digits has fewer than
 *          4n of either, so every zero beyond 4n changes nothing and k is cut there.
 *
 * What remains is long division of the digits of a and k zeros; only its remainder is kept.
 */
#include "json/decimal.h"

#include <assert.h>
#include <string.h>

enum {
    SHORT_DIGITS = 18, /* ten times such a number and a digit still fit in 64 bits */
    LIMB_DIGITS = 9,
    LIMB_BASE = 1000000000,
    LIMBS_MAX = BT_DIVISOR_DIGITS_MAX / LIMB_DIGITS + 1,
};

/* The digits of a number, with zeros before and after them. */
struct json_decimal_multiple_digits {
    const struct bt_json_decimal *decimal;
    size_t zeros_before;
    size_t count; /* in all */
};

static unsigned digit_at(const struct json_decimal_multiple_digits *digits, size_t index)
{
    if (index < digits->zeros_before) {
        return 0;
    }
    index -= digits->zeros_before;
    return index < bt_json_decimal_count(digits->decimal)
               ? bt_json_decimal_digit(digits->decimal, index)
               : 0;
}

/* The nine digits from `index` on as one number. */
static uint32_t limb_at(const struct json_decimal_multiple_digits *digits, size_t index)
{
    uint32_t limb = 0;
    for (size_t i = 0; i < LIMB_DIGITS; i++) {
        limb = limb * 10 + digit_at(digits, index + i);
    }
    return limb;
}

static bool short_divides(const struct bt_json_decimal *divisor,
                          const struct json_decimal_multiple_digits *number)
{
    uint64_t by = 0;
    for (size_t i = 0; i < bt_json_decimal_count(divisor); i++) {
        by = by * 10 + bt_json_decimal_digit(divisor, i);
    }
    assert(by > 0); /* its first digit is not 0 */
    uint64_t rest = 0;
    for (size_t i = 0; i < number->count; i++) {
        rest = (rest * 10 + digit_at(number, i)) % by;
    }
    return rest == 0;
}

/* Limbs stand in order of weight, the lightest first. */
struct json_decimal_multiple_divisor {
    uint32_t limbs[LIMBS_MAX];
    size_t count; /* at least two, and the highest has nine digits */
};

static void add_back(uint32_t *rest, const struct json_decimal_multiple_divisor *by)
{
    uint32_t carry = 0;
    for (size_t i = 0; i < by->count; i++) {
        const uint32_t sum = rest[i] + by->limbs[i] + carry;
        carry = sum >= LIMB_BASE;
        rest[i] = carry ? sum - LIMB_BASE : sum;
    }
}

/* The quotient of the three highest limbs and the divisor's two highest. */
static uint64_t estimate_quotient(const uint32_t *rest,
                                  const struct json_decimal_multiple_divisor *by)
{
    __extension__ typedef unsigned __int128 wide;
    const uint32_t *high = rest + by->count;
    const uint64_t two = (uint64_t)high[0] * LIMB_BASE + high[-1];
    const uint64_t divisor =
        (uint64_t)by->limbs[by->count - 1] * LIMB_BASE + by->limbs[by->count - 2];
    assert(divisor > 0); /* the highest limb has nine digits */
    return (uint64_t)(((wide)two * LIMB_BASE + high[-2]) / divisor);
}

/*
 * Take the divisor from `rest`, which has one limb more and is less than LIMB_BASE of it, as often
 * as it goes. The estimate leaves out the lower limbs of both numbers: it is never too small, and
 * at most one too large, since 18 digits of the divisor stand against a quotient of nine.
 */
static void reduce_remainder(uint32_t *rest, const struct json_decimal_multiple_divisor *by)
{
    const uint64_t quotient = estimate_quotient(rest, by);
    uint64_t product = 0;
    uint32_t borrow = 0;
    for (size_t i = 0; i < by->count; i++) {
        product += quotient * by->limbs[i];
        const uint32_t take = (uint32_t)(product % LIMB_BASE) + borrow;
        product /= LIMB_BASE;
        borrow = rest[i] < take;
        rest[i] = rest[i] + (borrow ? LIMB_BASE : 0) - take;
    }
    const uint64_t owed = product + borrow - rest[by->count];
    assert(owed <= 1);
    if (owed == 1) {
        add_back(rest, by);
    }
    rest[by->count] = 0;
}

static bool long_divides(const struct json_decimal_multiple_divisor *by,
                         const struct json_decimal_multiple_digits *number)
{
    uint32_t rest[LIMBS_MAX + 1] = {0};
    assert(number->count % LIMB_DIGITS == 0);
    for (size_t i = 0; i < number->count; i += LIMB_DIGITS) {
        memmove(rest + 1, rest, by->count * sizeof(rest[0]));
        rest[0] = limb_at(number, i);
        reduce_remainder(rest, by);
    }
    uint32_t any = 0;
    for (size_t i = 0; i < by->count; i++) {
        any |= rest[i];
    }
    return any == 0;
}

bool bt_json_decimal_is_divisor(bt_str number)
{
    const struct bt_json_decimal decimal = bt_json_decimal_parse(number);
    const size_t count = bt_json_decimal_count(&decimal);
    return count > 0 && count <= BT_DIVISOR_DIGITS_MAX;
}

bool bt_json_decimal_is_multiple(bt_str number, bt_str divisor)
{
    assert(bt_json_decimal_is_divisor(divisor));
    const struct bt_json_decimal a = bt_json_decimal_parse(number);
    const struct bt_json_decimal b = bt_json_decimal_parse(divisor);
    const size_t a_count = bt_json_decimal_count(&a);
    const size_t b_count = bt_json_decimal_count(&b);
    const int64_t shift =
        bt_json_decimal_leading_digit(&a, &b) - (int64_t)a_count + (int64_t)b_count;
    if (a_count == 0 || shift < 0) {
        return a_count == 0;
    }
    const size_t enough = 4 * b_count;
    const size_t zeros = (uint64_t)shift < enough ? (size_t)shift : enough;
    struct json_decimal_multiple_digits dividend = {&a, 0, a_count + zeros};
    if (b_count <= SHORT_DIGITS) {
        return short_divides(&b, &dividend);
    }
    /* Zeros behind both numbers make the divisor fill its limbs; zeros before fill the other. */
    struct json_decimal_multiple_divisor by = {.count = (b_count + LIMB_DIGITS - 1) / LIMB_DIGITS};
    dividend.count += by.count * LIMB_DIGITS - b_count;
    dividend.zeros_before = (LIMB_DIGITS - dividend.count % LIMB_DIGITS) % LIMB_DIGITS;
    dividend.count += dividend.zeros_before;
    const struct json_decimal_multiple_digits divider = {&b, 0, by.count * LIMB_DIGITS};
    for (size_t i = 0; i < by.count; i++) {
        by.limbs[by.count - 1 - i] = limb_at(&divider, i * LIMB_DIGITS);
    }
    return long_divides(&by, &dividend);
}
