/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_multiple.c - whole multiples of decimal numbers, exactly.
 */
#include "json_test.h"

#include "json/decimal.h"

static const struct {
    const char *number;
    const char *divisor;
    bool is_multiple;
} rows[] = {
    {"0", "7", true},
    {"-0.0e-5", "0.3", true},
    {"0e99999999999999999999", "7e-99999999999999999999", true},
    {"21", "7", true},
    {"22", "7", false},
    {"-21", "7", true},
    {"21", "-7", true},
    {"10", "2", true},
    {"10", "4", false},
    {"100", "4", true},
    {"1e1", "4", false},
    {"1e2", "4", true},
    {"4.5", "1.5", true},
    {"4.6", "1.5", false},
    {"0.3", "0.1", true},
    {"0.35", "0.1", false},
    {"19.99", "0.01", true},
    {"0.0075", "0.0001", true},
    {"0.00751", "0.0001", false},
    {"1.1", "0.1", true},
    {"1", "0.3", false},
    {"3", "0.3", true},
    {"1e308", "0.5", true},
    {"1e308", "0.123456789", false},
    {"1e400", "3e-5", false},
    {"3e400", "3e-5", true},
    {"12391239123", "1e-8", true},
    {"9007199254740993", "3", true},
    {"9007199254740992", "3", false},
    {"9007199254740993", "9007199254740993", true},
    {"9007199254740993", "9007199254740992", false},
    {"1e99999999999999999999", "8", true},
    {"1e99999999999999999999", "3", false},
    {"3e99999999999999999999", "1e99999999999999999998", true},
    {"3e99999999999999999998", "1e99999999999999999999", false},
    {"7e-99999999999999999999", "7e-99999999999999999999", true},
    {"70e-99999999999999999999", "7e-99999999999999999999", true},
    {"7e-99999999999999999999", "70e-99999999999999999999", false},
    /* Eighteen digits and nineteen: the two ways of dividing. */
    {"999999999999999999", "999999999999999999", true},
    {"999999999999999998000000000000000001", "999999999999999999", true},
    {"999999999999999998000000000000000002", "999999999999999999", false},
    {"9999999999999999999", "9999999999999999999", true},
    {"99999999999999999980000000000000000001", "9999999999999999999", true},
    {"99999999999999999980000000000000000002", "9999999999999999999", false},
    {"1152921504606846976", "1152921504606846976", true},
    {"1e60", "1152921504606846976", true},
    {"1e59", "1152921504606846976", false},
    {"100000000000000000000000000000000000000000000000000000000000", "1152921504606846976", false},
};

static void multiples_are_known_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bt_str number = bt_str_of(rows[i].number);
        const bt_str divisor = bt_str_of(rows[i].divisor);
        assert_true(bt_json_decimal_is_divisor(divisor));
        if (bt_json_decimal_is_multiple(number, divisor) != rows[i].is_multiple) {
            fail_msg("%s and %s", rows[i].number, rows[i].divisor);
        }
    }
}

static void small_numbers_agree_with_integers(void **state)
{
    (void)state;
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    struct rng rng = {1};
    for (size_t round = 0; round < 200000; round++) {
        char texts[2][40];
        int64_t scaled[2];
        bt_str numbers[2];
        for (size_t i = 0; i < 2; i++) {
            const int64_t mantissa = (int64_t)rng_below(&rng, 2000) - 999;
            const size_t exponent = rng_below(&rng, 7);
            const int64_t whole = mantissa == 0 && i == 1 ? 1 : mantissa;
            const int written =
                snprintf(texts[i], sizeof(texts[i]), "%de%d", (int)whole, (int)exponent - 3);
            numbers[i] = (bt_str){texts[i], (size_t)written};
            scaled[i] = whole * powers[exponent];
        }
        if (bt_json_decimal_is_multiple(numbers[0], numbers[1]) != (scaled[0] % scaled[1] == 0)) {
            fail_msg("%s and %s", texts[0], texts[1]);
        }
    }
}

/* Digits without a leading zero, biased to runs of 0 and 9, where carries and borrows happen. */
static void make_digits(struct rng *rng, char *out, size_t count)
{
    static const char palette[] = "0099912345678";
    for (size_t i = 0; i < count; i++) {
        out[i] = palette[rng_below(rng, sizeof(palette) - 1)];
    }
    out[0] = out[0] == '0' ? '1' : out[0];
}

/* a times b plus `extra`, as pupils do it; returns the number of digits. */
static size_t multiply(bt_str a, bt_str b, unsigned extra, char *out)
{
    const size_t count = a.len + b.len;
    memset(out, 0, count);
    for (size_t i = a.len; i-- > 0;) {
        unsigned carry = 0;
        for (size_t j = b.len; j-- > 0;) {
            const unsigned sum = (unsigned)out[i + j + 1] + carry +
                                 (unsigned)(a.ptr[i] - '0') * (unsigned)(b.ptr[j] - '0');
            out[i + j + 1] = (char)(sum % 10);
            carry = sum / 10;
        }
        out[i] = (char)carry;
    }
    for (size_t i = count; extra > 0 && i-- > 0; extra /= 10) {
        extra += (unsigned)out[i];
        out[i] = (char)(extra % 10);
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = (char)(out[i] + '0');
    }
    return count;
}

static void products_of_any_length_are_multiples_and_their_neighbours_are_not(void **state)
{
    (void)state;
    struct rng rng = {2};
    enum { DIGITS_MAX = 200 };
    char a[DIGITS_MAX];
    char b[DIGITS_MAX];
    char product[2 * DIGITS_MAX];
    for (size_t round = 0; round < 4000; round++) {
        const bt_str left = {a, 1 + rng_below(&rng, DIGITS_MAX)};
        const bt_str right = {b, 2 + rng_below(&rng, DIGITS_MAX - 1)};
        make_digits(&rng, a, left.len);
        make_digits(&rng, b, right.len);
        for (unsigned extra = 0; extra < 3; extra++) {
            const size_t count = multiply(left, right, extra, product);
            const size_t zeros = product[0] == '0';
            const bt_str number = {product + zeros, count - zeros};
            if (bt_json_decimal_is_multiple(number, right) != (extra == 0)) {
                fail_msg("%.*s times %.*s plus %u", BT_STR_ARG(left), BT_STR_ARG(right), extra);
            }
        }
    }
}

static void what_cannot_divide_is_no_divisor(void **state)
{
    (void)state;
    static const char *const zeros[] = {"0", "-0", "0.000", "0e7"};
    for (size_t i = 0; i < COUNT_OF(zeros); i++) {
        assert_false(bt_json_decimal_is_divisor(bt_str_of(zeros[i])));
    }
    char digits[BT_DIVISOR_DIGITS_MAX + 1];
    memset(digits, '7', sizeof(digits));
    assert_true(bt_json_decimal_is_divisor((bt_str){digits, BT_DIVISOR_DIGITS_MAX}));
    assert_true(bt_json_decimal_is_multiple((bt_str){digits, BT_DIVISOR_DIGITS_MAX},
                                            (bt_str){digits, BT_DIVISOR_DIGITS_MAX}));
    assert_false(bt_json_decimal_is_divisor((bt_str){digits, BT_DIVISOR_DIGITS_MAX + 1}));
    digits[BT_DIVISOR_DIGITS_MAX] = '0';
    assert_true(bt_json_decimal_is_divisor((bt_str){digits, BT_DIVISOR_DIGITS_MAX + 1}));
}

/* A million sevens are a multiple of a thousand of them; one digit off, they are not. */
static void length_is_no_limit(void **state)
{
    (void)state;
    enum { DIGITS = 1000000 };
    char *text = test_malloc(DIGITS);
    memset(text, '7', DIGITS);
    const bt_str number = {text, DIGITS};
    const bt_str divisor = {text, BT_DIVISOR_DIGITS_MAX};
    assert_true(bt_json_decimal_is_multiple(number, divisor));
    assert_false(bt_json_decimal_is_multiple((bt_str){text, DIGITS - 1}, divisor));
    assert_true(bt_json_decimal_is_multiple(number, BT_STR("7")));
    text[DIGITS / 2] = '8';
    assert_false(bt_json_decimal_is_multiple(number, BT_STR("7")));
    assert_false(bt_json_decimal_is_multiple(number, divisor));
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_are_known_exactly),
        cmocka_unit_test(small_numbers_agree_with_integers),
        cmocka_unit_test(products_of_any_length_are_multiples_and_their_neighbours_are_not),
        cmocka_unit_test(what_cannot_divide_is_no_divisor),
        cmocka_unit_test(length_is_no_limit),
    };
    return RUN_TESTS(tests);
}
