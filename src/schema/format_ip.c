/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_ip.c - addresses of IPv4 (RFC 2673 section 3.2) and IPv6 (RFC 4291 section 2.2).
 */
#include "schema/format_scan.h"

enum { GROUPS = 8 };

/* Four numbers up to 255. RFC 2673 allows leading zeros, RFC 3986 does not. */
static bool is_quad(bt_str text, bool zeros_allowed)
{
    size_t at = 0;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && !bt_format_has_at(text, at++, '.')) {
            return false;
        }
        const size_t first = at;
        unsigned value = 0;
        while (at < text.len && at - first < 3 && bt_ascii_is_digit(text.ptr[at])) {
            value = 10 * value + (unsigned)(text.ptr[at++] - '0');
        }
        const bool has_zero = at - first > 1 && text.ptr[first] == '0';
        if (at == first || value > 255 || (has_zero && !zeros_allowed)) {
            return false;
        }
    }
    return at == text.len;
}

bool bt_schema_format_is_ipv4(bt_str text)
{
    return is_quad(text, true);
}

/* Hexadecimal digits at `at`, counted up to one more than a group may have. */
static size_t count_hex(bt_str text, size_t at)
{
    size_t count = 0;
    while (count < 5 && at + count < text.len && bt_ascii_is_hex(text.ptr[at + count])) {
        count++;
    }
    return count;
}

bool bt_schema_format_is_ipv6(bt_str text)
{
    bool has_gap = bt_str_starts_with(text, BT_STR("::"));
    size_t at = has_gap ? 2 : 0;
    size_t groups = 0;
    while (at < text.len) {
        const size_t digits = count_hex(text, at);
        if (digits < 1 || digits > 4) {
            return false;
        }
        if (bt_format_has_at(text, at + digits, '.')) { /* IPv4 in the last two groups */
            if (!is_quad(bt_str_slice(text, at, text.len), false)) {
                return false;
            }
            groups += 2;
            break;
        }
        groups++;
        at += digits;
        if (at == text.len) {
            break;
        }
        if (text.ptr[at] != ':' || at + 1 == text.len) {
            return false;
        }
        at++;
        if (text.ptr[at] == ':') {
            if (has_gap) {
                return false;
            }
            has_gap = true;
            at++;
        }
    }
    return has_gap ? groups < GROUPS : groups == GROUPS;
}
