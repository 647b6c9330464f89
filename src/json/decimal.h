/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal.h - a parsed JSON number, without memory and without loss.
 *
 * The value is 0.d1d2d3... times ten to the power of `point` plus the written exponent, where d1 d2
 * d3 ... are the digits of `whole` followed by those of `fraction`. Neither the first nor the last
 * of them is zero; zero itself has no digits.
 */
#ifndef BATON_SRC_JSON_DECIMAL_H
#define BATON_SRC_JSON_DECIMAL_H

#include <baton/base.h>

struct bt_json_decimal {
    bool negative;
    bool exponent_negative;
    bt_str whole;
    bt_str fraction;
    bt_str exponent; /* digits only, no leading zero; "" is zero */
    int64_t point;
};

/* Take `number`, which must be a JSON number, apart. Points into its text. */
struct bt_json_decimal bt_json_decimal_parse(bt_str number);

/* How many digits there are, and the one at `index` below that. */
static inline size_t bt_json_decimal_count(const struct bt_json_decimal *decimal)
{
    return decimal->whole.len + decimal->fraction.len;
}

static inline unsigned bt_json_decimal_digit(const struct bt_json_decimal *decimal, size_t index)
{
    const size_t whole = decimal->whole.len;
    const char digit =
        index < whole ? decimal->whole.ptr[index] : decimal->fraction.ptr[index - whole];
    return (unsigned)(digit - '0');
}

/* Beyond this an exponent is as good as infinite: no text is long enough to bring it back. */
#define BT_DECIMAL_POINT_MAX INT64_C(1000000000000000000)

/* `point` and the written exponent together, held within plus and minus BT_DECIMAL_POINT_MAX. */
int64_t bt_json_decimal_point(const struct bt_json_decimal *decimal);

/* How many places the first digit of a stands above that of b; held within such bounds as well. */
int64_t bt_json_decimal_leading_digit(const struct bt_json_decimal *a,
                                      const struct bt_json_decimal *b);

/* Digits that a divisor may have from the first to the last that is not zero. */
#define BT_DIVISOR_DIGITS_MAX 1000

/* Whether bt_json_decimal_is_multiple() takes the number as divisor: not zero, and not too long. */
bool bt_json_decimal_is_divisor(bt_str number);

/*
 * Whether `number` is a whole multiple of `divisor`, whatever their signs, fractions and exponents:
 * 0.3 is one of 0.1, 1e400 one of 3e-5, and zero one of everything. Exact, without memory, in time
 * linear in the text of the number. `divisor` must be one that bt_json_decimal_is_divisor()
 * accepts.
 */
bool bt_json_decimal_is_multiple(bt_str number, bt_str divisor);

#endif
