/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_pointer.c - JSON Pointers (RFC 6901) and relative ones
 * (draft-bhutton-relative-json-pointer-00).
 */
#include "schema/format_scan.h"

/* Each token follows a slash; a tilde is escaped as ~0, a slash as ~1. */
bool bt_schema_format_is_json_pointer(bt_str text)
{
    if (text.len > 0 && text.ptr[0] != '/') {
        return false;
    }
    for (size_t i = bt_str_find_byte(text, '~', 0); i < text.len;
         i = bt_str_find_byte(text, '~', i + 1)) {
        if (!bt_format_has_at(text, i + 1, '0') && !bt_format_has_at(text, i + 1, '1')) {
            return false;
        }
    }
    return true;
}

/* Step over 0, or digits that do not begin with it. */
static bool scan_number(bt_str text, size_t *at)
{
    const size_t end = bt_format_skip_digits(text, *at);
    if (end == *at || (end - *at > 1 && text.ptr[*at] == '0')) {
        return false;
    }
    *at = end;
    return true;
}

static bool is_relative(bt_str text, bool shifts_allowed)
{
    size_t at = 0;
    if (!scan_number(text, &at)) {
        return false;
    }
    if (shifts_allowed && (bt_format_has_at(text, at, '+') || bt_format_has_at(text, at, '-'))) {
        at++;
        if (!scan_number(text, &at)) {
            return false;
        }
    }
    const bt_str rest = bt_str_slice(text, at, text.len);
    return bt_str_eq(rest, BT_STR("#")) || bt_schema_format_is_json_pointer(rest);
}

bool bt_schema_format_is_relative_pointer_draft7(bt_str text)
{
    return is_relative(text, false);
}

/* Since 2020-12 the index in an array can be shifted: 0-1 is the item before. */
bool bt_schema_format_is_relative_pointer(bt_str text)
{
    return is_relative(text, true);
}
