/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_scan.h - what the scanners of the formats share, and the scanners themselves.
 *
 * Letters and digits are those of ASCII everywhere; the locale is never asked.
 */
#ifndef BATON_SRC_SCHEMA_FORMAT_SCAN_H
#define BATON_SRC_SCHEMA_FORMAT_SCAN_H

#include "schema/format.h"

#include "base/ascii.h"
#include "base/str.h"

/* A set of ASCII characters, one bit each. */
struct bt_schema_format_set {
    uint64_t low;  /* 0x00 to 0x3f */
    uint64_t high; /* 0x40 to 0x7f */
};

#define BT_FORMAT_BIT(c) (UINT64_C(1) << ((c)&63))
#define BT_FORMAT_DIGITS UINT64_C(0x03ff000000000000)
#define BT_FORMAT_LETTERS UINT64_C(0x07fffffe07fffffe)

static inline bool bt_format_in(struct bt_schema_format_set set, char c)
{
    const unsigned char byte = (unsigned char)c;
    return byte < 0x80 && ((byte < 0x40 ? set.low : set.high) >> (byte & 63) & 1) != 0;
}

/* Whether `c` stands at `at`, which may lie behind the end. */
static inline bool bt_format_has_at(bt_str text, size_t at, char c)
{
    return at < text.len && text.ptr[at] == c;
}

/* The offset of the first byte at or after `from` that is not a digit, or text.len. */
static inline size_t bt_format_skip_digits(bt_str text, size_t from)
{
    while (from < text.len && bt_ascii_is_digit(text.ptr[from])) {
        from++;
    }
    return from;
}

/* Whether text[at] begins a percent-encoded octet: % and two hexadecimal digits. */
static inline bool bt_format_is_percent(bt_str text, size_t at)
{
    return bt_format_has_at(text, at, '%') && text.len - at > 2 &&
           bt_ascii_is_hex(text.ptr[at + 1]) && bt_ascii_is_hex(text.ptr[at + 2]);
}

/* Decode the character at `at` and return its length in bytes, or 0: not UTF-8, or a surrogate. */
static inline size_t bt_format_decode(bt_str text, size_t at, uint32_t *out_point)
{
    const bt_str next = bt_str_slice(text, at, at + 4);
    return bt_utf8_check(next) > 0 ? bt_utf8_decode(next, 0, out_point) : 0;
}

/* RFC 3987 section 2.2: characters above ASCII that IRIs may have, and those for queries only. */
bool bt_schema_format_is_ucschar(uint32_t point);
bool bt_schema_format_is_iprivate(uint32_t point);

/* The scanners. */
bool bt_schema_format_is_date(bt_str text);
bool bt_schema_format_is_time(bt_str text);
bool bt_schema_format_is_time_draft3(bt_str text);
bool bt_schema_format_is_date_time(bt_str text);
bool bt_schema_format_is_duration(bt_str text);

bool bt_schema_format_is_ipv4(bt_str text);
bool bt_schema_format_is_ipv6(bt_str text);

bool bt_schema_format_is_hostname_draft3(bt_str text); /* drafts 3 to 6: letters, digits, hyphens */
bool bt_schema_format_is_hostname(bt_str text);        /* a hostname whose xn-- labels are
                                                        * A-labels */
bool bt_schema_format_is_idn_hostname(bt_str text);
bool bt_schema_format_is_idn_domain(bt_str text); /* of an e-mail address */

bool bt_schema_format_is_email(bt_str text);
bool bt_schema_format_is_idn_email(bt_str text);

bool bt_schema_format_is_uri(bt_str text);
bool bt_schema_format_is_uri_reference(bt_str text);
bool bt_schema_format_is_iri(bt_str text);
bool bt_schema_format_is_iri_reference(bt_str text);
bool bt_schema_format_is_uri_template(bt_str text);

bool bt_schema_format_is_json_pointer(bt_str text);
bool bt_schema_format_is_relative_pointer_draft7(bt_str text);
bool bt_schema_format_is_relative_pointer(bt_str text);

bool bt_schema_format_is_color(bt_str text);

enum bt_schema_format_answer bt_schema_format_check_regex(bt_str text);

#endif
