/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - bounds and multiples of exact decimals.
 *
 * Most numbers are int64 and are compared as such. For the others the nearest doubles are compared
 * first: rounding keeps the order, so unequal doubles decide; equal ones leave it to the texts.
 */
#include "schema/number.h"

#include <assert.h>

#include "json/decimal.h"

__extension__ typedef unsigned __int128 wide;

/* The whole part of a decimal: the greatest integer not above it, held within int64. */
struct schema_number_whole {
    int64_t floor;
    bool exact;
    bool beyond; /* outside int64: floor is INT64_MAX or INT64_MIN */
};

static struct schema_number_whole whole_of(bt_str number)
{
    const struct bt_json_decimal decimal = bt_json_decimal_parse(number);
    const size_t count = bt_json_decimal_count(&decimal);
    const int64_t point = bt_json_decimal_point(&decimal);
    const struct schema_number_whole beyond = {decimal.negative ? INT64_MIN : INT64_MAX, false,
                                               true};
    if (count > 0 && point > 19) {
        return beyond;
    }
    wide value = 0;
    for (int64_t i = 0; count > 0 && i < point; i++) {
        const size_t index = (size_t)i;
        value = value * 10 + (index < count ? bt_json_decimal_digit(&decimal, index) : 0);
    }
    const bool exact = count == 0 || point >= (int64_t)count;
    const wide most = (wide)INT64_MAX;
    if (!decimal.negative) {
        return value > most ? beyond : (struct schema_number_whole){(int64_t)value, exact, false};
    }
    value += exact ? 0 : 1; /* -1.5 lies above -2 */
    return value > most ? beyond : (struct schema_number_whole){-(int64_t)value, exact, false};
}

struct bt_schema_bounds bt_schema_bounds_none(void)
{
    return (struct bt_schema_bounds){.low = INT64_MIN, .high = INT64_MAX};
}

/* Bounds outside int64 leave no integer, or all; low > high says none. */
static const int64_t none_low = INT64_MAX;
static const int64_t none_high = INT64_MIN;

void bt_schema_bounds_set_low(struct bt_schema_bounds *bounds, bt_str number, bool excluded)
{
    bounds->low_text = number;
    bounds->low_real = bt_json_decimal_to_double(number);
    bounds->low_excluded = excluded;
    const struct schema_number_whole whole = whole_of(number);
    const bool above = !whole.exact || excluded; /* the least integer lies above the floor */
    if (!whole.beyond && !(above && whole.floor == INT64_MAX)) {
        bounds->low = whole.floor + (above ? 1 : 0);
    } else if (whole.floor > 0) {
        bounds->low = none_low;
        bounds->high = none_high;
    }
}

void bt_schema_bounds_set_high(struct bt_schema_bounds *bounds, bt_str number, bool excluded)
{
    bounds->high_text = number;
    bounds->high_real = bt_json_decimal_to_double(number);
    bounds->high_excluded = excluded;
    const struct schema_number_whole whole = whole_of(number);
    const bool below = whole.exact && excluded;
    if (!whole.beyond && !(below && whole.floor == INT64_MIN)) {
        const int64_t high = whole.floor - (below ? 1 : 0);
        bounds->high = bounds->high < high ? bounds->high : high;
    } else if (whole.floor < 0) {
        bounds->low = none_low;
        bounds->high = none_high;
    }
}

/* Negative, zero or positive, as the number is below, at or above the bound. */
static int compare_to_bound(const struct bt_json_doc *document, const bt_json_value *number,
                            double real, bt_str text)
{
    const double mine = bt_json_to_double(number);
    if (mine < real) {
        return -1;
    }
    if (mine > real) {
        return 1;
    }
    return bt_json_decimal_compare(bt_json_number_text(document, number), text);
}

bool bt_schema_bounds_low_ok(const struct bt_schema_bounds *bounds,
                             const struct bt_json_doc *document, const bt_json_value *number)
{
    if (bounds->low_text.len == 0) {
        return true;
    }
    const int order = compare_to_bound(document, number, bounds->low_real, bounds->low_text);
    return bounds->low_excluded ? order > 0 : order >= 0;
}

bool bt_schema_bounds_high_ok(const struct bt_schema_bounds *bounds,
                              const struct bt_json_doc *document, const bt_json_value *number)
{
    if (bounds->high_text.len == 0) {
        return true;
    }
    const int order = compare_to_bound(document, number, bounds->high_real, bounds->high_text);
    return bounds->high_excluded ? order < 0 : order <= 0;
}

bool bt_schema_multiple_make(bt_str divisor, struct bt_schema_multiple *out)
{
    if (!bt_json_decimal_is_divisor(divisor)) {
        return false;
    }
    const struct schema_number_whole whole = whole_of(divisor);
    const bool is_short = whole.exact && !whole.beyond && whole.floor > 0;
    *out =
        (struct bt_schema_multiple){.whole = is_short ? (uint64_t)whole.floor : 0, .text = divisor};
    return true;
}

bool bt_schema_multiple_ok(const struct bt_schema_multiple *multiple,
                           const struct bt_json_doc *document, const bt_json_value *number)
{
    if (bt_json_type(number) == BT_JSON_INTEGER && multiple->whole > 0) {
        const int64_t integer = number->as.integer;
        const uint64_t size = integer < 0 ? (uint64_t)0 - (uint64_t)integer : (uint64_t)integer;
        return size % multiple->whole == 0;
    }
    return bt_json_decimal_is_multiple(bt_json_number_text(document, number), multiple->text);
}

bool bt_schema_count_of(const struct bt_json_doc *document, const bt_json_value *value,
                        uint64_t *out)
{
    if (!bt_json_is_number(value)) {
        return false;
    }
    const struct schema_number_whole whole = whole_of(bt_json_number_text(document, value));
    if (whole.beyond && whole.floor > 0) {
        *out = UINT64_MAX;
        return true;
    }
    *out = (uint64_t)whole.floor;
    return whole.exact && whole.floor >= 0;
}
