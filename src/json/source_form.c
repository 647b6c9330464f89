/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_form.c - is the source of a value equal to what would be written? Programs write JSON
 * without white space, and then comparing the bytes saves the writing.
 */
#include <baton/json.h>

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "json/build.h"

/* Numbers of so many digits each have a double of their own, whose shortest spelling is theirs
 * ... */
enum { PLAIN_DIGITS_MAX = 15 };
/* ... and smaller ones than 0.000001 are spelled with an exponent. */
enum { PLAIN_ZEROS_MAX = 5 };

static size_t skip_digits(bt_str text, size_t at)
{
    while (at < text.len && bt_ascii_is_digit(text.ptr[at])) {
        at++;
    }
    return at;
}

/* The offset after the fraction at `point` of a number whose whole part has `digits` that count, or
 * 0 when JavaScript may spell it otherwise. */
static size_t skip_plain_fraction(bt_str text, size_t point, size_t digits)
{
    const size_t end = skip_digits(text, point + 1);
    size_t first = point + 1;
    while (digits == 0 && first < end && text.ptr[first] == '0') {
        first++;
    }
    const bool is_plain = text.ptr[end - 1] != '0' && first - point - 1 <= PLAIN_ZEROS_MAX &&
                          digits + end - first <= PLAIN_DIGITS_MAX;
    return is_plain ? end : 0;
}

/* The offset after the number at `at` when JavaScript spells it the same for sure, or 0. */
static size_t skip_plain_number(bt_str text, size_t at)
{
    const bool is_negative = text.ptr[at] == '-';
    const size_t first = at + is_negative;
    const bool is_zero = text.ptr[first] == '0';
    size_t end = skip_digits(text, first);
    if (end < text.len && text.ptr[end] == '.') {
        end = skip_plain_fraction(text, end, is_zero ? 0 : end - first);
    } else if (end - first > PLAIN_DIGITS_MAX || (is_negative && is_zero)) {
        return 0;
    }
    return end < text.len && (text.ptr[end] == 'e' || text.ptr[end] == 'E') ? 0 : end;
}

bool bt_json_number_is_short_integer(bt_str source, size_t begin)
{
    return skip_plain_number(source, begin) > 0;
}

/* The offset after the string at `at`, in a text without escapes; 0 when it may be a name that
 * JavaScript puts before others. */
static size_t skip_string(bt_str text, size_t at, bool is_javascript)
{
    const char *quote = memchr(text.ptr + at + 1, '"', text.len - at - 1);
    assert(quote); /* the text was read before */
    const size_t end = (size_t)(quote - text.ptr) + 1;
    const bool is_name = end < text.len && text.ptr[end] == ':';
    return is_javascript && is_name && bt_ascii_is_digit(text.ptr[at + 1]) ? 0 : end;
}

bool bt_json_source_has_form(const struct bt_json_doc *document, const bt_json_value *value,
                             enum bt_json_form form, bt_str *out)
{
    assert(form == BT_JSON_FORM_COMPACT || form == BT_JSON_FORM_STRINGIFY);
    const struct bt_json_span span = bt_json_span(document, value);
    const bt_str text = bt_str_slice(bt_json_source(document), span.begin, span.end);
    const bool is_javascript = form == BT_JSON_FORM_STRINGIFY;
    if (is_javascript ? document->is_stringified : document->is_compact) {
        *out = text;
        return true;
    }
    /* Of the whole document it is not so; it may be so of the value. */
    if (document->is_built || memchr(text.ptr, '\\', text.len)) {
        return false;
    }
    for (size_t at = 0; at < text.len;) {
        const char byte = text.ptr[at];
        size_t next = at + 1;
        if (byte == '"') {
            next = skip_string(text, at, is_javascript);
        } else if (is_javascript && (byte == '-' || bt_ascii_is_digit(byte))) {
            next = skip_plain_number(text, at);
        } else if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
            return false;
        }
        if (next == 0) {
            return false;
        }
        at = next;
    }
    *out = text;
    return true;
}
