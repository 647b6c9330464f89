/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_double.c - decimals become the nearest double, and doubles the shortest decimal.
 *
 * strtod() of the C library, which rounds correctly as well, is the second opinion.
 */
#include "json_test.h"

#include <math.h>

#include "json/double.h"

static uint64_t bits_of(double number)
{
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static double double_of(uint64_t bits)
{
    double number = 0;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static void check_nearest(const char *text, uint64_t expected)
{
    const uint64_t actual = bits_of(bt_json_decimal_to_double(bt_str_of(text)));
    if (actual != expected) {
        fail_msg("%.60s: %016llx instead of %016llx", text, (unsigned long long)actual,
                 (unsigned long long)expected);
    }
}

static void edges_round_to_the_nearest_double(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bits;
    } rows[] = {
        {"0", 0},
        {"-0", UINT64_C(0x8000000000000000)},
        {"-0e400", UINT64_C(0x8000000000000000)},
        {"1", UINT64_C(0x3ff0000000000000)},
        {"-1.5", UINT64_C(0xbff8000000000000)},
        {"0.1", UINT64_C(0x3fb999999999999a)},
        /* The smallest double, half of it, and a hair more than half. */
        {"5e-324", 1},
        {"3e-324", 1},
        {"2e-324", 0},
        {"2.4703282292062327208e-324", 0},
        {"2.4703282292062327209e-324", 1},
        {"1e-323", 2},
        {"1e-400", 0},
        {"-1e-400", UINT64_C(0x8000000000000000)},
        {"1e-99999999999999999999", 0},
        /* The largest subnormal and the smallest normal. */
        {"2.2250738585072011e-308", UINT64_C(0x000fffffffffffff)},
        {"2.2250738585072012e-308", UINT64_C(0x0010000000000000)},
        {"2.2250738585072014e-308", UINT64_C(0x0010000000000000)},
        /* The largest double, and where infinity begins. */
        {"1.7976931348623157e308", UINT64_C(0x7fefffffffffffff)},
        {"1.7976931348623158e308", UINT64_C(0x7fefffffffffffff)},
        {"1.797693134862315807e308", UINT64_C(0x7fefffffffffffff)},
        {"1.797693134862315808e308", UINT64_C(0x7ff0000000000000)},
        {"1.7976931348623159e308", UINT64_C(0x7ff0000000000000)},
        {"1e309", UINT64_C(0x7ff0000000000000)},
        {"-1e99999999999999999999", UINT64_C(0xfff0000000000000)},
        /* Ties go to the even one; a digit far behind breaks them. */
        {"9007199254740993", UINT64_C(0x4340000000000000)},
        {"9007199254740993.0", UINT64_C(0x4340000000000000)},
        {"9007199254740995", UINT64_C(0x4340000000000002)},
        {"9007199254740993.000000000000000000000000000000000000001", UINT64_C(0x4340000000000001)},
        {"9007199254740992.999999999999999999999999999999999999999", UINT64_C(0x4340000000000000)},
        {"900719925474099300000000000000000000e-20", UINT64_C(0x4340000000000000)},
        {"1e23", UINT64_C(0x44b52d02c7e14af6)},
        {"8.5e22", UINT64_C(0x44b1ffdbf6b2b2eb)},
        {"123456789012345678901234567890", UINT64_C(0x45f8ee90ff6c373e)},
        {"0.000000000000000000000000000000000000000000000000000000000000000000001e69",
         UINT64_C(0x3ff0000000000000)},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_nearest(rows[i].text, rows[i].bits);
    }
}

static void any_spelling_agrees_with_strtod(void **state)
{
    (void)state;
    struct rng rng = {2};
    char text[1024];
    for (size_t round = 0; round < 60000; round++) {
        const size_t digits = round % 64 == 0 ? 900 : 24;
        const size_t count = 1 + rng_below(&rng, digits);
        const size_t point = rng_below(&rng, count);
        size_t length = 0;
        text[length++] = (char)('1' + rng_below(&rng, 9));
        for (size_t i = 0; i < count; i++) {
            if (i == point) {
                text[length++] = '.';
            }
            text[length++] = (char)('0' + rng_below(&rng, 10));
        }
        const size_t reach = round % 2 == 0 ? 700 : 50;
        (void)snprintf(text + length, sizeof(text) - length, "e%d",
                       (int)rng_below(&rng, reach) - (int)reach / 2);
        check_nearest(text, bits_of(strtod(text, NULL)));
    }
}

/* The exact decimal digits of the middle between a double and the next, which a long double holds
 * (it has 64 bits of mantissa where we have 53), then the same with its last digit moved. */
static void middles_between_doubles_are_decided_exactly(void **state)
{
    (void)state;
    struct rng rng = {3};
    static char text[1300];
    for (size_t round = 0; round < 6000; round++) {
        const uint64_t bits = rng_next(&rng) >> (1 + rng_below(&rng, 60) * (round % 2));
        const double low = double_of(bits);
        const double high = double_of(bits + 1);
        if (!isfinite(low) || !isfinite(high)) {
            continue;
        }
        const long double middle = ((long double)low + (long double)high) / 2;
        (void)snprintf(text, sizeof(text), "%.1100Le", middle);
        check_nearest(text, bits & 1 ? bits + 1 : bits);
        char *last = strchr(text, 'e') - 1;
        assert_int_equal(*last, '0');
        *last = '1';
        check_nearest(text, bits + 1);
        *last = '0';
        while (*last == '0') {
            *last-- = '9';
        }
        assert_in_range(*last, '1', '9');
        --*last;
        check_nearest(text, bits);
    }
}

static void the_fast_path_is_right_or_says_so(void **state)
{
    (void)state;
    struct rng rng = {4};
    char text[64];
    size_t settled = 0;
    enum { ROUNDS = 200000 };
    for (size_t round = 0; round < ROUNDS; round++) {
        const uint64_t mantissa =
            (rng_next(&rng) >> rng_below(&rng, 64)) % UINT64_C(10000000000000000000);
        const int reach = round % 2 == 0 ? 720 : 60;
        const int exponent = (int)rng_below(&rng, (size_t)reach) - reach / 2;
        double actual = -1;
        if (!bt_double_from_parts(mantissa, exponent, &actual)) {
            assert_true(bits_of(actual) == bits_of(-1));
            continue;
        }
        settled++;
        (void)snprintf(text, sizeof(text), "%llue%d", (unsigned long long)mantissa, exponent);
        assert_true(bits_of(actual) == bits_of(strtod(text, NULL)));
    }
    assert_true(settled > ROUNDS * 9 / 10);
    double actual = 0;
    assert_true(bt_double_from_parts(1, INT64_MAX, &actual) && isinf(actual));
    assert_true(bt_double_from_parts(1, INT64_MIN, &actual) && actual == 0);
    assert_true(bt_double_from_parts(0, INT64_MAX, &actual) && actual == 0);
}

static void check_fraction(uint64_t mantissa, unsigned digits)
{
    char text[64];
    double actual = -1;
    const bool is_settled = bt_double_from_fraction(mantissa, digits, &actual);
    (void)snprintf(text, sizeof(text), "%llue-%u", (unsigned long long)mantissa, digits);
    if (bits_of(actual) != bits_of(is_settled ? strtod(text, NULL) : -1)) {
        fail_msg("%s: %.17g", text, actual);
    }
}

/* Any mantissas, and those of numbers in the middle between two doubles and right beside it: from
 * 2^52 on a middle has one digit behind the point, from 2^51 on two, and so on. */
static void one_product_gives_the_nearest_double(void **state)
{
    (void)state;
    static const uint64_t scales[4] = {10, 100, 1000, 10000};
    struct rng rng = {5};
    for (int i = 0; i < 100000; i++) {
        check_fraction(rng_next(&rng) % UINT64_C(10000000000000000000) >> i % 12,
                       1 + (unsigned)rng_below(&rng, 19));
        const unsigned digits = 1 + (unsigned)i % 4;
        const uint64_t whole = (UINT64_C(1) << (53 - digits)) + rng_below(&rng, 1 << 20);
        const uint64_t odd = 2 * rng_below(&rng, (size_t)1 << (digits - 1)) + 1;
        const uint64_t middle = whole * scales[digits - 1] + odd * (scales[digits - 1] >> digits);
        check_fraction(middle - 1, digits);
        check_fraction(middle, digits);
        check_fraction(middle + 1, digits);
    }
}

static void doubles_are_spelled_as_ecmascript_does(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } rows[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-1, "-1"},
        {100, "100"},
        {0.1, "0.1"},
        {-0.3, "-0.3"},
        {1.5, "1.5"},
        {123456.789, "123456.789"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308"},
        {9007199254740993.0, "9007199254740992"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {999999999999999900000.0, "999999999999999900000"},
        {1.25e21, "1.25e+21"},
        {0.000001, "0.000001"},
        {0.00000123, "0.00000123"},
        {1e-7, "1e-7"},
        {1.23e-7, "1.23e-7"},
        {1e23, "1e+23"},
        {9007199254740991.0, "9007199254740991"},
        {4.35, "4.35"},
        {2.0 / 3, "0.6666666666666666"},
        {2251799813685248.5, "2251799813685248.5"},
        {333333333.33333329, "333333333.3333333"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[BT_DOUBLE_TEXT_BYTES];
        const size_t length = bt_double_format(rows[i].number, text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(length, strlen(rows[i].text));
    }
}

/* The digits of a decimal, without leading and trailing zeros. */
static size_t significant_digits(const char *text)
{
    size_t count = 0;
    size_t zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        } else if (*text == '0') {
            zeros += count > 0;
        }
    }
    return count;
}

/* Reads back as the same double, and printf finds no decimal with fewer digits that does. */
static void check_shortest(double number)
{
    char text[BT_DOUBLE_TEXT_BYTES];
    const size_t length = bt_double_format(number, text);
    assert_true(bits_of(strtod(text, NULL)) == bits_of(number));
    assert_true(bits_of(bt_json_decimal_to_double((bt_str){text, length})) == bits_of(number));
    const size_t digits = significant_digits(text);
    assert_in_range(digits, 1, 17);
    char shorter[64];
    (void)snprintf(shorter, sizeof(shorter), "%.*e", digits > 1 ? (int)digits - 2 : 0, number);
    if (digits > 1 && strtod(shorter, NULL) == number) {
        fail_msg("%s, but %s is shorter", text, shorter);
    }
    /* Of the decimals with this many digits it is the nearest, unless that is no better. */
    char nearest[64];
    (void)snprintf(nearest, sizeof(nearest), "%.*e", (int)digits - 1, number);
    if (strtod(nearest, NULL) == number &&
        bt_json_decimal_compare((bt_str){text, length}, bt_str_of(nearest)) != 0) {
        fail_msg("%s, but %s is nearer", text, nearest);
    }
}

static void every_double_gets_its_shortest_text(void **state)
{
    (void)state;
    struct rng rng = {5};
    for (size_t round = 0; round < 40000; round++) {
        const uint64_t bits = rng_next(&rng) >> 1;
        if (isfinite(double_of(bits)) && bits != 0) {
            check_shortest(double_of(bits));
        }
    }
    /* Around every power of two, where the distance between doubles changes. */
    for (uint64_t exponent = 0; exponent < 0x7ff; exponent++) {
        for (uint64_t step = 0; step < 3; step++) {
            const uint64_t bits = (exponent << 52) + step - 1;
            if (bits != UINT64_MAX && bits != 0) {
                check_shortest(double_of(bits));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_round_to_the_nearest_double),
        cmocka_unit_test(any_spelling_agrees_with_strtod),
        cmocka_unit_test(middles_between_doubles_are_decided_exactly),
        cmocka_unit_test(the_fast_path_is_right_or_says_so),
        cmocka_unit_test(one_product_gives_the_nearest_double),
        cmocka_unit_test(doubles_are_spelled_as_ecmascript_does),
        cmocka_unit_test(every_double_gets_its_shortest_text),
    };
    return RUN_TESTS(tests);
}
