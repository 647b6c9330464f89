/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_template.c - URI templates (RFC 6570).
 */
#include "schema/format_scan.h"

/* Section 2.1: no controls, no space, none of " % < > \ ^ ` { | }. The apostrophe, which the RFC
 * leaves out as well, is in by the official tests. */
static const struct bt_schema_format_set literal_set = {
    ~UINT64_C(0) << 33 &
        ~(BT_FORMAT_BIT('"') | BT_FORMAT_BIT('%') | BT_FORMAT_BIT('<') | BT_FORMAT_BIT('>')),
    ~(BT_FORMAT_BIT('\\') | BT_FORMAT_BIT('^') | BT_FORMAT_BIT('`') | BT_FORMAT_BIT('{') |
      BT_FORMAT_BIT('|') | BT_FORMAT_BIT('}') | BT_FORMAT_BIT(0x7f))};

/* Section 2.2, with the operators that are reserved. */
static const struct bt_schema_format_set operator_set = {
    BT_FORMAT_BIT('+') | BT_FORMAT_BIT('#') | BT_FORMAT_BIT('.') | BT_FORMAT_BIT('/') |
        BT_FORMAT_BIT(';') | BT_FORMAT_BIT('?') | BT_FORMAT_BIT('&') | BT_FORMAT_BIT('=') |
        BT_FORMAT_BIT(',') | BT_FORMAT_BIT('!'),
    BT_FORMAT_BIT('@') | BT_FORMAT_BIT('|')};

static const struct bt_schema_format_set name_set = {BT_FORMAT_DIGITS,
                                                     BT_FORMAT_LETTERS | BT_FORMAT_BIT('_')};

/* Step over one character of a name. */
static bool scan_name_char(bt_str text, size_t *at)
{
    const size_t length = bt_format_is_percent(text, *at)                           ? 3
                          : *at < text.len && bt_format_in(name_set, text.ptr[*at]) ? 1
                                                                                    : 0;
    *at += length;
    return length > 0;
}

/* A name, single dots inside it allowed. */
static bool scan_name(bt_str text, size_t *at)
{
    if (!scan_name_char(text, at)) {
        return false;
    }
    for (;;) {
        const bool has_dot = bt_format_has_at(text, *at, '.');
        *at += has_dot;
        if (!scan_name_char(text, at)) {
            return !has_dot;
        }
    }
}

/* Nothing, `*`, or `:` with a number from 1 to 9999. */
static bool scan_modifier(bt_str text, size_t *at)
{
    if (bt_format_has_at(text, *at, '*')) {
        ++*at;
        return true;
    }
    if (!bt_format_has_at(text, *at, ':')) {
        return true;
    }
    const size_t first = *at + 1;
    *at = bt_format_skip_digits(text, first);
    return *at > first && *at - first <= 4 && text.ptr[first] != '0';
}

/* What stands between braces. */
static bool is_expression(bt_str text)
{
    size_t at = text.len > 0 && bt_format_in(operator_set, text.ptr[0]) ? 1 : 0;
    for (;;) {
        if (!scan_name(text, &at) || !scan_modifier(text, &at)) {
            return false;
        }
        if (at == text.len) {
            return true;
        }
        if (text.ptr[at++] != ',') {
            return false;
        }
    }
}

/* The length of the literal at `at`, or 0. */
static size_t literal_length(bt_str text, size_t at)
{
    if (bt_format_in(literal_set, text.ptr[at])) {
        return 1;
    }
    if (bt_format_is_percent(text, at)) {
        return 3;
    }
    uint32_t point = 0;
    const size_t length = bt_format_decode(text, at, &point);
    return bt_schema_format_is_ucschar(point) || bt_schema_format_is_iprivate(point) ? length : 0;
}

bool bt_schema_format_is_uri_template(bt_str text)
{
    for (size_t i = 0; i < text.len;) {
        size_t length = 0;
        if (text.ptr[i] == '{') {
            const size_t end = bt_str_find_byte(text, '}', i);
            if (end == text.len || !is_expression(bt_str_slice(text, i + 1, end))) {
                return false;
            }
            length = end + 1 - i;
        } else {
            length = literal_length(text, i);
        }
        if (length == 0) {
            return false;
        }
        i += length;
    }
    return true;
}
