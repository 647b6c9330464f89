/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd_judge.c - a text against a simple type of the profile.
 */
#include <stdio.h>
#include <string.h>

#include <baton/json.h>
#include "base/env.h"

#include "base/str.h"
#include "organism/xsd.h"
#include "regex/matcher.h"
#include "xml/xml.h"

bool bt_xsd_is_decimal(bt_str text)
{
    size_t digits = 0;
    size_t points = 0;
    for (size_t i = 0; i < text.len; i++) {
        const bool is_sign = i == 0 && (text.ptr[i] == '+' || text.ptr[i] == '-');
        const bool is_digit = bt_ascii_is_digit(text.ptr[i]);
        points += text.ptr[i] == '.';
        digits += is_digit;
        if (!is_sign && !is_digit && text.ptr[i] != '.') {
            return false;
        }
    }
    return digits > 0 && points <= 1;
}

/* Numbers are compared as JSON writes them: no plus, no leading zeros, digits around the point. */
static enum bt_status json_number(struct bt_arena *arena, bt_str text, bt_str *out)
{
    char *number = bt_arena_alloc(arena, text.len + 3);
    size_t length = 0;
    size_t at = 0;
    BT_TRY(number ? BT_OK : BT_ENOMEM);
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-')) {
        if (text.ptr[0] == '-') {
            number[length++] = '-';
        }
        at++;
    }
    while (at + 1 < text.len && text.ptr[at] == '0' && text.ptr[at + 1] != '.') {
        at++;
    }
    if (text.ptr[at] == '.') {
        number[length++] = '0';
    }
    for (; at < text.len; at++) {
        number[length++] = text.ptr[at];
    }
    if (number[length - 1] == '.') {
        number[length++] = '0';
    }
    *out = (bt_str){number, length};
    return BT_OK;
}

static enum bt_status compare_numbers(struct bt_arena *arena, bt_str a, bt_str b, int *out)
{
    bt_str left;
    bt_str right;
    BT_TRY(json_number(arena, a, &left));
    BT_TRY(json_number(arena, b, &right));
    *out = bt_json_decimal_compare(left, right);
    return BT_OK;
}

static bool is_base64(bt_str text)
{
    size_t digits = 0;
    size_t pads = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
            continue;
        }
        const bool is_digit = bt_ascii_is_alnum(byte) || byte == '+' || byte == '/';
        if (byte == '=' ? pads == 2 : !is_digit || pads > 0) {
            return false;
        }
        pads += byte == '=';
        digits++;
    }
    return digits % 4 == 0;
}

/* YYYY-MM-DD with an optional zone; as a date-time at midnight it must be an instant. */
static bool is_date(bt_str text)
{
    char whole[sizeof("2000-01-01T00:00:00+00:00")];
    const size_t day = sizeof("2000-01-01") - 1;
    const bt_str zone = text.len > day ? bt_str_slice(text, day, text.len) : BT_STR("Z");
    bt_instant instant;
    if (text.len < day || zone.len > sizeof("+00:00") - 1) {
        return false;
    }
    const int length =
        snprintf(whole, sizeof(whole), "%.*sT00:00:00%.*s", (int)day, text.ptr, BT_STR_ARG(zone));
    return length > 0 &&
           bt_timestamp_parse((bt_str){whole, (size_t)length}, &instant) == BT_TIMESTAMP_KIND_VALID;
}

static bool is_date_time(bt_str text)
{
    bt_instant instant;
    char whole[64];
    if (bt_timestamp_parse(text, &instant) == BT_TIMESTAMP_KIND_VALID) {
        return true;
    }
    if (text.len + 1 >= sizeof(whole)) {
        return false;
    }
    memcpy(whole, text.ptr, text.len); /* XSD lets the zone be absent */
    whole[text.len] = 'Z';
    return bt_timestamp_parse((bt_str){whole, text.len + 1}, &instant) == BT_TIMESTAMP_KIND_VALID;
}

static enum bt_status is_whole_within(struct bt_arena *arena, bt_str text, const char *min,
                                      const char *max, bool *out)
{
    int order = 0;
    *out = bt_xsd_is_decimal(text) && bt_str_find_byte(text, '.', 0) == text.len;
    if (*out && min) {
        BT_TRY(compare_numbers(arena, text, bt_str_of(min), &order));
        *out = order >= 0;
    }
    if (*out && max) {
        BT_TRY(compare_numbers(arena, text, bt_str_of(max), &order));
        *out = order <= 0;
    }
    return BT_OK;
}

/* Check whether a text with collapsed blanks is a value of a built-in type. */
static enum bt_status is_of(struct bt_arena *arena, enum bt_xsd_base base, bt_str text, bool *out)
{
    switch (base) {
    case BT_XSD_STRING:
    case BT_XSD_TOKEN:
    case BT_XSD__MAX:
        *out = base != BT_XSD__MAX;
        return BT_OK;
    case BT_XSD_BOOLEAN:
        *out = bt_str_eq(text, BT_STR("true")) || bt_str_eq(text, BT_STR("false")) ||
               bt_str_eq(text, BT_STR("1")) || bt_str_eq(text, BT_STR("0"));
        return BT_OK;
    case BT_XSD_DECIMAL:
        *out = bt_xsd_is_decimal(text);
        return BT_OK;
    case BT_XSD_INTEGER:
        return is_whole_within(arena, text, NULL, NULL, out);
    case BT_XSD_INT:
        return is_whole_within(arena, text, "-2147483648", "2147483647", out);
    case BT_XSD_LONG:
        return is_whole_within(arena, text, "-9223372036854775808", "9223372036854775807", out);
    case BT_XSD_NON_NEGATIVE:
        return is_whole_within(arena, text, "0", NULL, out);
    case BT_XSD_POSITIVE:
        return is_whole_within(arena, text, "1", NULL, out);
    case BT_XSD_DATE:
        *out = is_date(text);
        return BT_OK;
    case BT_XSD_DATE_TIME:
        *out = is_date_time(text);
        return BT_OK;
    case BT_XSD_BASE64:
        *out = is_base64(text);
        return BT_OK;
    }
    return BT_OK;
}

/* The value of a text: strings as they are, other types with collapsed blanks. */
static enum bt_status value_of(struct bt_arena *arena, enum bt_xsd_base base, bt_str text,
                               bt_str *out)
{
    if (base == BT_XSD_STRING) {
        *out = text;
        return BT_OK;
    }
    char *value = bt_arena_alloc(arena, text.len + 1);
    size_t length = 0;
    BT_TRY(value ? BT_OK : BT_ENOMEM);
    const bt_str trimmed = bt_xml_trim(text);
    for (size_t i = 0; i < trimmed.len; i++) {
        const bool is_blank = bt_xml_is_blank(bt_str_slice(trimmed, i, i + 1));
        if (!is_blank || value[length - 1] != ' ') {
            value[length++] = is_blank ? ' ' : trimmed.ptr[i];
        }
    }
    *out = (bt_str){value, length};
    return BT_OK;
}

/* The length that facets bound: characters, or bytes of base64. */
static uint64_t length_of(enum bt_xsd_base base, bt_str value)
{
    if (base != BT_XSD_BASE64) {
        return bt_utf8_count(value);
    }
    uint64_t digits = 0;
    uint64_t pads = 0;
    for (size_t i = 0; i < value.len; i++) {
        pads += value.ptr[i] == '=';
        digits += value.ptr[i] != ' ';
    }
    return digits / 4 * 3 - pads;
}

static enum bt_xml_field_facet_facet wrong_length(const struct bt_xsd_simple *simple,
                                                  uint64_t length)
{
    if (simple->length != BT_XSD_NO_LENGTH && length != simple->length) {
        return BT_XML_FIELD_FACET_FACET_LENGTH;
    }
    if (simple->length_min != BT_XSD_NO_LENGTH && length < simple->length_min) {
        return BT_XML_FIELD_FACET_FACET_MINLENGTH;
    }
    return simple->length_max != BT_XSD_NO_LENGTH && length > simple->length_max
               ? BT_XML_FIELD_FACET_FACET_MAXLENGTH
               : BT_XML_FIELD_FACET_FACET__NONE;
}

static enum bt_status wrong_bound(struct bt_arena *arena, const struct bt_xsd_simple *simple,
                                  bt_str value, enum bt_xml_field_facet_facet *out)
{
    const struct organism_xsd_judge_bound {
        enum bt_xml_field_facet_facet facet;
        bt_str bound;
        int sign; /* of the allowed difference to the bound */
        bool may_equal;
    } bounds[] = {
        {BT_XML_FIELD_FACET_FACET_MININCLUSIVE, simple->inclusive_min, 1, true},
        {BT_XML_FIELD_FACET_FACET_MAXINCLUSIVE, simple->inclusive_max, -1, true},
        {BT_XML_FIELD_FACET_FACET_MINEXCLUSIVE, simple->exclusive_min, 1, false},
        {BT_XML_FIELD_FACET_FACET_MAXEXCLUSIVE, simple->exclusive_max, -1, false},
    };
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]) && !*out; i++) {
        int order = bounds[i].sign;
        if (bounds[i].bound.ptr) {
            BT_TRY(compare_numbers(arena, value, bounds[i].bound, &order));
            if (order == 0 ? !bounds[i].may_equal : (order > 0) != (bounds[i].sign > 0)) {
                *out = bounds[i].facet;
            }
        }
    }
    return BT_OK;
}

static enum bt_xml_field_facet_facet wrong_digits(const struct bt_xsd_simple *simple, bt_str value)
{
    const size_t point = bt_str_find_byte(value, '.', 0);
    size_t from = 0;
    size_t to = value.len;
    while (from < point && (value.ptr[from] < '1' || value.ptr[from] > '9')) {
        from++;
    }
    while (point < value.len && to > point + 1 && value.ptr[to - 1] == '0') {
        to--;
    }
    const uint64_t fraction = point < value.len ? to - point - 1 : 0;
    const uint64_t total = point - from + fraction;
    if (simple->total_digits != BT_XSD_NO_LENGTH && total > simple->total_digits) {
        return BT_XML_FIELD_FACET_FACET_TOTALDIGITS;
    }
    return simple->fraction_digits != BT_XSD_NO_LENGTH && fraction > simple->fraction_digits
               ? BT_XML_FIELD_FACET_FACET_FRACTIONDIGITS
               : BT_XML_FIELD_FACET_FACET__NONE;
}

static enum bt_status is_listed(struct bt_arena *arena, const struct bt_xsd_simple *simple,
                                enum bt_xsd_base base, bt_str value, bool *out)
{
    *out = simple->values_count == 0;
    for (size_t i = 0; i < simple->values_count && !*out; i++) {
        bt_str listed;
        bool is_sound = false;
        BT_TRY(value_of(arena, base, simple->values[i], &listed));
        BT_TRY(is_of(arena, base, listed, &is_sound));
        if (is_sound && bt_xsd_is_number(base)) {
            int order = 1;
            BT_TRY(compare_numbers(arena, value, listed, &order));
            *out = order == 0;
        } else {
            *out = bt_str_eq(value, listed);
        }
    }
    return BT_OK;
}

/* An undecided match counts as none, because what is not enforced must not pass. */
static bool matches_patterns(const struct bt_xsd_simple *simple, bt_str value)
{
    bool found = simple->patterns_count == 0;
    struct bt_regex_matcher matcher;
    bt_regex_matcher_init(&matcher, NULL);
    for (size_t i = 0; i < simple->patterns_count && !found; i++) {
        found = bt_regex_match(simple->patterns[i], &matcher, value) == BT_REGEX_MATCH;
    }
    bt_regex_matcher_free(&matcher);
    return found;
}

static enum bt_status wrong_facet(struct bt_arena *arena, const struct bt_xsd_simple *simple,
                                  enum bt_xsd_base base, bt_str value,
                                  enum bt_xml_field_facet_facet *out)
{
    bool is_good = true;
    BT_TRY(is_listed(arena, simple, base, value, &is_good));
    *out = is_good ? BT_XML_FIELD_FACET_FACET__NONE : BT_XML_FIELD_FACET_FACET_ENUMERATION;
    if (!*out && bt_xsd_has_length(base)) {
        *out = wrong_length(simple, length_of(base, value));
    }
    if (!*out && bt_xsd_is_number(base)) {
        BT_TRY(wrong_bound(arena, simple, value, out));
        *out = *out ? *out : wrong_digits(simple, value);
    }
    if (!*out && !matches_patterns(simple, value)) {
        *out = BT_XML_FIELD_FACET_FACET_PATTERN;
    }
    return BT_OK;
}

enum bt_status bt_xsd_judge(struct bt_arena *arena, const struct bt_xsd_simple *simple, bt_str text,
                            bool *out_is_of_type, enum bt_xml_field_facet_facet *out_facet)
{
    const enum bt_xsd_base base = bt_xsd_base_of(simple);
    bt_str value;
    *out_facet = BT_XML_FIELD_FACET_FACET__NONE;
    BT_TRY(value_of(arena, base, text, &value));
    BT_TRY(is_of(arena, base, value, out_is_of_type));
    const struct bt_xsd_simple *step = simple;
    for (size_t i = 0; *out_is_of_type && !*out_facet && step->over && i <= BT_XSD_CHAIN_MAX; i++) {
        BT_TRY(wrong_facet(arena, step, base, value, out_facet));
        step = step->over->simple;
    }
    return BT_OK;
}
