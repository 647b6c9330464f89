/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_form.c - is the source of a value equal to what would be written? Programs write JSON
 * without white space, and then comparing the bytes saves the writing.
 */
#include <baton/json.h>

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "json/blanks.h"
#include "json/build.h"
#include "json/write.h"

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

static bool is_written_so(const struct bt_json_doc *document, enum bt_json_form form)
{
    return form == BT_JSON_FORM_STRINGIFY ? document->is_stringified : document->is_compact;
}

static bt_str source_of(const struct bt_json_doc *document, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

/* Whether a text without escapes has no white space and, for JavaScript, its numbers and names. */
static bool is_plain(bt_str text, bool is_javascript)
{
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
    return true;
}

bool bt_json_source_has_form(const struct bt_json_doc *document, const bt_json_value *value,
                             enum bt_json_form form, bt_str *out)
{
    assert(form == BT_JSON_FORM_COMPACT || form == BT_JSON_FORM_STRINGIFY);
    const bt_str text = source_of(document, value);
    /* Where it is not so of the whole document, it may be so of the value. */
    if (!is_written_so(document, form) && (document->is_built || memchr(text.ptr, '\\', text.len) ||
                                           !is_plain(text, form == BT_JSON_FORM_STRINGIFY))) {
        return false;
    }
    *out = text;
    return true;
}

bool bt_json_put_source(struct bt_buf *buf, const struct bt_json_doc *document,
                        const bt_json_value *value, enum bt_json_form form)
{
    const size_t start = buf->len;
    if (document->is_built || (form != BT_JSON_FORM_COMPACT && form != BT_JSON_FORM_STRINGIFY) ||
        !bt_json_put_without_blanks(buf, source_of(document, value))) {
        return false;
    }
    if (form == BT_JSON_FORM_STRINGIFY &&
        !is_plain(bt_str_slice(bt_buf_str(buf), start, buf->len), true)) {
        buf->len = start;
        return false;
    }
    return true;
}
