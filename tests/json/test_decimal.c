/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_decimal.c - numbers are compared as they are written, digit for digit.
 */
#include "json_test.h"

static const struct {
    const char *a;
    const char *b;
    int order;
} orders[] = {
    {"0", "0", 0},
    {"0", "-0", 0},
    {"0.0", "-0e-7", 0},
    {"0e999999", "0", 0},
    {"0e99999999999999999999", "-0.000e-99999999999999999999", 0},
    {"1", "1.0", 0},
    {"1", "1e0", 0},
    {"1", "10e-1", 0},
    {"1", "0.1e1", 0},
    {"1", "0.001E+3", 0},
    {"100", "1e2", 0},
    {"100.00", "1e002", 0},
    {"-5", "-5.00", 0},
    {"1", "2", -1},
    {"1", "-2", 1},
    {"-1", "-2", 1},
    {"-1", "0", -1},
    {"0", "1e-400", -1},
    {"-1e-400", "0", -1},
    {"9", "10", -1},
    {"0.9", "0.10", 1},
    {"0.1", "0.09999999999999999999", 1},
    {"0.3", "0.30000000000000000001", -1},
    {"9007199254740992", "9007199254740993", -1},
    {"9007199254740993", "9007199254740992.9999999", 1},
    {"1e400", "1e401", -1},
    {"-1e400", "-1e401", 1},
    {"1e400", "9.99e399", 1},
    {"123e-2", "1.23", 0},
    {"12", "123", -1},
    {"12e1", "123", -1},
    {"1e99999999999999999999", "1e99999999999999999998", 1},
    {"10e99999999999999999998", "1e99999999999999999999", 0},
    {"0.1e100000000000000000000", "1e99999999999999999999", 0},
    {"1e99999999999999999999", "1e100000000000000000000", -1},
    {"1e-99999999999999999999", "1e-99999999999999999998", -1},
    {"1e-99999999999999999999", "10e-100000000000000000000", 0},
    {"1e99999999999999999999", "1e-99999999999999999999", 1},
    {"-1e99999999999999999999", "1e-99999999999999999999", -1},
    {"1e000000000000000000000000000001", "10", 0},
    {"1e-000000000000000000000000000001", "0.1", 0},
    {"1e9223372036854775807", "1e9223372036854775808", -1},
    {"1e18446744073709551616", "1", 1},
};

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static void order_is_exact_and_holds_both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        const bt_str a = bt_str_of(orders[i].a);
        const bt_str b = bt_str_of(orders[i].b);
        if (sign(bt_json_decimal_compare(a, b)) != orders[i].order ||
            sign(bt_json_decimal_compare(b, a)) != -orders[i].order) {
            fail_msg("%s against %s", orders[i].a, orders[i].b);
        }
    }
}

static void whole_numbers_are_known_by_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool whole;
    } rows[] = {
        {"0", true},
        {"-0.0", true},
        {"0e-99999999999999999999", true},
        {"1", true},
        {"1.0", true},
        {"1.5", false},
        {"1.5e1", true},
        {"1e2", true},
        {"1e-2", false},
        {"100e-2", true},
        {"100e-3", false},
        {"1e99999999999999999999", true},
        {"1e-99999999999999999999", false},
        {"0.10e1", true},
        {"0.01e1", false},
        {"12345.6789e4", true},
        {"12345.6789e3", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (bt_json_decimal_is_integer(bt_str_of(rows[i].text)) != rows[i].whole) {
            fail_msg("%s", rows[i].text);
        }
    }
}

/* mantissa * 10^exponent, with zeros and a point in one of many places. */
static bt_str spell(struct rng *rng, int64_t mantissa, int exponent, char out[80])
{
    char digits[40];
    const char *minus = mantissa < 0 ? "-" : "";
    const size_t zeros = rng_below(rng, 4);
    int length = snprintf(digits, sizeof(digits), "%lld", (long long)llabs(mantissa));
    for (size_t i = 0; i < zeros; i++) {
        digits[length++] = '0';
    }
    digits[length] = '\0';
    exponent -= (int)zeros;
    const int point = 1 + (int)rng_below(rng, (size_t)length);
    /* A leading zero may only stand alone. */
    const char *lead = digits[0] == '0' ? "0." : "";
    int written = 0;
    if (*lead || rng_below(rng, 4) == 0) {
        written = snprintf(out, 80, "%s0.%se%d", minus, digits, exponent + length);
    } else if (point < length) {
        written = snprintf(out, 80, "%s%.*s.%se%+d", minus, point, digits, digits + point,
                           exponent + length - point);
    } else {
        written = snprintf(out, 80, "%s%se%d", minus, digits, exponent);
    }
    return (bt_str){out, (size_t)written};
}

static void order_agrees_with_integers(void **state)
{
    (void)state;
    struct rng rng = {1};
    for (size_t round = 0; round < 200000; round++) {
        int64_t scaled[2];
        bt_str texts[2];
        char rooms[2][80];
        for (size_t i = 0; i < 2; i++) {
            const int64_t mantissa = (int64_t)rng_below(&rng, 2001) - 1000;
            const int exponent = (int)rng_below(&rng, 9) - 4;
            texts[i] = spell(&rng, mantissa, exponent, rooms[i]);
            scaled[i] = mantissa;
            for (int power = -4; power < exponent; power++) {
                scaled[i] *= 10;
            }
        }
        const int expected = (scaled[0] > scaled[1]) - (scaled[0] < scaled[1]);
        if (sign(bt_json_decimal_compare(texts[0], texts[1])) != expected) {
            fail_msg("%.*s against %.*s", BT_STR_ARG(texts[0]), BT_STR_ARG(texts[1]));
        }
        if (bt_json_decimal_is_integer(texts[0]) != (scaled[0] % 10000 == 0)) {
            fail_msg("%.*s", BT_STR_ARG(texts[0]));
        }
    }
}

/* A million digits, the last of which decides. */
static void length_is_no_limit(void **state)
{
    (void)state;
    enum { DIGITS = 1000000 };
    char *long_text = test_malloc(DIGITS);
    char *other = test_malloc(DIGITS);
    memset(long_text, '3', DIGITS);
    memset(other, '3', DIGITS);
    const bt_str a = {long_text, DIGITS};
    const bt_str b = {other, DIGITS};
    assert_int_equal(bt_json_decimal_compare(a, b), 0);
    other[DIGITS - 1] = '4';
    assert_true(bt_json_decimal_compare(a, b) < 0);
    other[1] = '.';
    assert_true(bt_json_decimal_compare(a, b) > 0);
    assert_false(bt_json_decimal_is_integer(b));
    /* A million zeros against an exponent that says the same. */
    memset(long_text, '0', DIGITS);
    long_text[0] = '1';
    assert_int_equal(bt_json_decimal_compare(a, BT_STR("1e999999")), 0);
    assert_true(bt_json_decimal_compare(a, BT_STR("1e999998")) > 0);
    assert_true(bt_json_decimal_compare(a, BT_STR("1e1000000")) < 0);
    memset(long_text, '3', DIGITS);
    memset(other, '3', DIGITS);
    other[DIGITS - 1] = '4';
    /* The same with an exponent of a million digits. */
    long_text[0] = other[0] = '1';
    long_text[1] = other[1] = 'e';
    assert_true(bt_json_decimal_compare(a, b) < 0);
    assert_true(bt_json_decimal_is_integer(a));
    test_free(other);
    test_free(long_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_exact_and_holds_both_ways),
        cmocka_unit_test(whole_numbers_are_known_by_value),
        cmocka_unit_test(order_agrees_with_integers),
        cmocka_unit_test(length_is_no_limit),
    };
    return RUN_TESTS(tests);
}
