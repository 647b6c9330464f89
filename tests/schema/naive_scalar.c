/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_scalar.c - the keywords that look at one value as a whole: types, numbers, strings.
 */
#include "naive_inside.h"

#include <stdio.h>

#include "base/str.h"
#include "json/decimal.h"
#include "naive_text.h"

static bt_str schema_number(const struct naive_frame *frame, const bt_json_value *number)
{
    return bt_json_number_text(frame->schema.home->document, number);
}

static bt_str instance_number(const struct naive_frame *frame)
{
    return bt_json_number_text(frame->naive->instance, frame->instance);
}

static bool is_number(const struct naive_frame *frame)
{
    return bt_json_is_number(frame->instance);
}

static bool is_string(const struct naive_frame *frame)
{
    return bt_json_type(frame->instance) == BT_JSON_STRING;
}

/* Whether the keyword's value is a number; a fault if not. */
static bool wants_number(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return bt_json_is_number(keyword) || naive_fault(frame->naive, "a bound is not a number");
}

static bool wants_string(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return bt_json_type(keyword) == BT_JSON_STRING ||
           naive_fault(frame->naive, "a keyword wants a string");
}

/* In drafts 3 and 4 an integer has neither fraction nor exponent; later ones ask its value. */
static bool is_integer(const struct naive_frame *frame)
{
    if (!is_number(frame)) {
        return false;
    }
    const bt_str text = instance_number(frame);
    if (frame->schema.home->dialect.draft <= BT_SCHEMA_DRAFT_4) {
        return bt_str_find_byte(text, '.', 0) == text.len &&
               bt_str_find_byte(text, 'e', 0) == text.len &&
               bt_str_find_byte(text, 'E', 0) == text.len;
    }
    return bt_json_decimal_is_integer(text);
}

bool naive_type_fits(const struct naive_frame *frame, bt_str type)
{
    const enum bt_json_type is = bt_json_type(frame->instance);
    if (bt_str_eq(type, BT_STR("integer"))) {
        return is_integer(frame);
    }
    if (bt_str_eq(type, BT_STR("number"))) {
        return is_number(frame);
    }
    if (bt_str_eq(type, BT_STR("boolean"))) {
        return is == BT_JSON_TRUE || is == BT_JSON_FALSE;
    }
    if (bt_str_eq(type, BT_STR("null"))) {
        return is == BT_JSON_NULL;
    }
    if (bt_str_eq(type, BT_STR("string"))) {
        return is == BT_JSON_STRING;
    }
    if (bt_str_eq(type, BT_STR("array"))) {
        return is == BT_JSON_ARRAY;
    }
    if (bt_str_eq(type, BT_STR("object"))) {
        return is == BT_JSON_OBJECT;
    }
    /* Draft 3 has "any", and lets types that it does not know pass. */
    return frame->schema.home->dialect.draft == BT_SCHEMA_DRAFT_3 ||
           naive_fault(frame->naive, "there is no such type");
}

static bool equal(struct naive *naive, const struct bt_json_doc *a_document, const bt_json_value *a,
                  const bt_json_value *b)
{
    bool is_equal = false;
    if (bt_json_equal(a_document, a, naive->instance, b, &naive->scratch, &is_equal) != BT_OK) {
        return naive_fault(naive, "no memory to compare");
    }
    return is_equal;
}

bool naive_equal_instances(const struct naive_frame *frame, const bt_json_value *a,
                           const bt_json_value *b)
{
    return equal(frame->naive, frame->naive->instance, a, b);
}

bool naive_check_enum(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_ARRAY) {
        return naive_fault(frame->naive, "enum is not an array");
    }
    for (size_t i = 0; i < bt_json_count(keyword); i++) {
        if (naive_check_const(frame, &bt_json_items(keyword)[i])) {
            return true;
        }
    }
    return false;
}

bool naive_check_const(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return equal(frame->naive, frame->schema.home->document, keyword, frame->instance);
}

/* The instance against a bound: negative, zero or positive. */
static int compare(const struct naive_frame *frame, const bt_json_value *bound)
{
    return bt_json_decimal_compare(instance_number(frame), schema_number(frame, bound));
}

/* Drafts 3 and 4: a boolean beside the bound says that the bound itself is out. */
static bool is_made_exclusive(const struct naive_frame *frame, bt_str by)
{
    const bt_json_value *flag = naive_sibling(frame, by);
    return frame->schema.home->dialect.draft <= BT_SCHEMA_DRAFT_4 && flag &&
           bt_json_type(flag) == BT_JSON_TRUE;
}

bool naive_check_minimum(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (is_made_exclusive(frame, BT_STR("exclusiveMinimum"))) {
        return naive_check_exclusive_minimum(frame, keyword);
    }
    return wants_number(frame, keyword) && (!is_number(frame) || compare(frame, keyword) >= 0);
}

bool naive_check_maximum(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (is_made_exclusive(frame, BT_STR("exclusiveMaximum"))) {
        return naive_check_exclusive_maximum(frame, keyword);
    }
    return wants_number(frame, keyword) && (!is_number(frame) || compare(frame, keyword) <= 0);
}

bool naive_check_exclusive_minimum(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return wants_number(frame, keyword) && (!is_number(frame) || compare(frame, keyword) > 0);
}

bool naive_check_exclusive_maximum(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return wants_number(frame, keyword) && (!is_number(frame) || compare(frame, keyword) < 0);
}

bool naive_check_multiple_of(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (!wants_number(frame, keyword) || !is_number(frame)) {
        return !is_number(frame);
    }
    const bt_str divisor = schema_number(frame, keyword);
    if (!bt_json_decimal_is_divisor(divisor)) {
        return naive_fault(frame->naive, "multipleOf is zero or too long");
    }
    return bt_json_decimal_is_multiple(instance_number(frame), divisor);
}

static int compare_count(const struct naive_frame *frame, size_t count, const bt_json_value *bound)
{
    char text[32];
    const int length = snprintf(text, sizeof(text), "%zu", count);
    return bt_json_decimal_compare((bt_str){text, (size_t)length}, schema_number(frame, bound));
}

bool naive_count_is_at_least(const struct naive_frame *frame, size_t count,
                             const bt_json_value *bound)
{
    return wants_number(frame, bound) && compare_count(frame, count, bound) >= 0;
}

bool naive_count_is_at_most(const struct naive_frame *frame, size_t count,
                            const bt_json_value *bound)
{
    return wants_number(frame, bound) && compare_count(frame, count, bound) <= 0;
}

bool naive_check_min_length(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !is_string(frame) ||
           naive_count_is_at_least(frame, bt_utf8_count(bt_json_text(frame->instance)), keyword);
}

bool naive_check_max_length(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !is_string(frame) ||
           naive_count_is_at_most(frame, bt_utf8_count(bt_json_text(frame->instance)), keyword);
}

bool naive_matches(const struct naive_frame *frame, bt_str pattern, bt_str text)
{
    struct naive *naive = frame->naive;
    const char *fault = NULL;
    const bool matches = naive_regex_matches(&naive->regexes, &naive->arena, pattern, text, &fault);
    return fault ? naive_fault(naive, fault) : matches;
}

bool naive_check_pattern(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return wants_string(frame, keyword) &&
           (!is_string(frame) ||
            naive_matches(frame, bt_json_text(keyword), bt_json_text(frame->instance)));
}

bool naive_check_format(const struct naive_frame *frame, const bt_json_value *keyword)
{
    const struct naive_dialect *dialect = &frame->schema.home->dialect;
    const bool asserts = dialect->asserts_format || frame->naive->options.assert_formats;
    if (!wants_string(frame, keyword) || !asserts || !is_string(frame)) {
        return true;
    }
    const char *fault = NULL;
    const bool has = naive_text_has_format(dialect->draft, bt_json_text(keyword),
                                           bt_json_text(frame->instance), &fault);
    return fault ? naive_fault(frame->naive, fault) : has;
}

/* Stands for both keywords, which only make sense together; two checks cost nothing but time. */
bool naive_check_content(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (!wants_string(frame, keyword) || !frame->naive->options.assert_formats ||
        !is_string(frame)) {
        return true;
    }
    const bt_json_value *type = naive_sibling(frame, BT_STR("contentMediaType"));
    const bt_json_value *encoding = naive_sibling(frame, BT_STR("contentEncoding"));
    return naive_text_has_content(bt_json_text(frame->instance),
                                  type ? bt_json_text(type) : BT_STR(""),
                                  encoding ? bt_json_text(encoding) : BT_STR(""));
}
