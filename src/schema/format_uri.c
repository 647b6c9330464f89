/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_uri.c - URIs (RFC 3986) and IRIs (RFC 3987), absolute or as references.
 */
#include "schema/format_scan.h"

/* Characters by name in RFC 3986: unreserved, sub-delims, and what each part adds to them. */
#define UNRESERVED_LOW (BT_FORMAT_DIGITS | BT_FORMAT_BIT('-') | BT_FORMAT_BIT('.'))
#define UNRESERVED_HIGH (BT_FORMAT_LETTERS | BT_FORMAT_BIT('_') | BT_FORMAT_BIT('~'))
#define SUB_DELIMS                                                                                 \
    (BT_FORMAT_BIT('!') | BT_FORMAT_BIT('$') | BT_FORMAT_BIT('&') | BT_FORMAT_BIT('\'') |          \
     BT_FORMAT_BIT('(') | BT_FORMAT_BIT(')') | BT_FORMAT_BIT('*') | BT_FORMAT_BIT('+') |           \
     BT_FORMAT_BIT(',') | BT_FORMAT_BIT(';') | BT_FORMAT_BIT('='))

#define NAME_LOW (UNRESERVED_LOW | SUB_DELIMS)
#define SEGMENT_LOW (NAME_LOW | BT_FORMAT_BIT(':'))
#define SEGMENT_HIGH (UNRESERVED_HIGH | BT_FORMAT_BIT('@'))

static const struct bt_schema_format_set name_set = {NAME_LOW, UNRESERVED_HIGH};
static const struct bt_schema_format_set user_set = {SEGMENT_LOW, UNRESERVED_HIGH};
static const struct bt_schema_format_set path_set = {SEGMENT_LOW | BT_FORMAT_BIT('/'),
                                                     SEGMENT_HIGH};
static const struct bt_schema_format_set query_set = {
    SEGMENT_LOW | BT_FORMAT_BIT('/') | BT_FORMAT_BIT('?'), SEGMENT_HIGH};
static const struct bt_schema_format_set scheme_set = {BT_FORMAT_DIGITS | BT_FORMAT_BIT('+') |
                                                           BT_FORMAT_BIT('-') | BT_FORMAT_BIT('.'),
                                                       BT_FORMAT_LETTERS};

/* What may stand above ASCII. */
enum schema_format_uri_wide {
    SCHEMA_FORMAT_URI_WIDE_NONE,
    SCHEMA_FORMAT_URI_WIDE_IRI,
    SCHEMA_FORMAT_URI_WIDE_IRI_QUERY
};

bool bt_schema_format_is_ucschar(uint32_t point)
{
    if (point < 0x10000) {
        return (point >= 0xa0 && point <= 0xd7ff) || (point >= 0xf900 && point <= 0xfdcf) ||
               (point >= 0xfdf0 && point <= 0xffef);
    }
    /* Planes 1 to 14 without their last two; the first 4096 of plane 14 are tags. */
    return point < 0xf0000 && (point & 0xffff) < 0xfffe && (point < 0xe0000 || point >= 0xe1000);
}

bool bt_schema_format_is_iprivate(uint32_t point)
{
    return (point >= 0xe000 && point <= 0xf8ff) || (point >= 0xf0000 && (point & 0xffff) < 0xfffe);
}

/* RFC 3987 section 4.1 forbids LRM, RLM, LRE, RLE, PDF, LRO and RLO, which its grammar has. */
static bool is_bidi_control(uint32_t point)
{
    return point == 0x200e || point == 0x200f || (point >= 0x202a && point <= 0x202e);
}

/* Whether `text` has only characters of the set, percent-encoded octets, and what `wide` allows. */
static bool is_run(bt_str text, struct bt_schema_format_set set, enum schema_format_uri_wide wide)
{
    for (size_t i = 0; i < text.len;) {
        if (bt_format_in(set, text.ptr[i])) {
            i++;
        } else if (bt_format_is_percent(text, i)) {
            i += 3;
        } else {
            uint32_t point = 0;
            const size_t length =
                wide == SCHEMA_FORMAT_URI_WIDE_NONE ? 0 : bt_format_decode(text, i, &point);
            const bool is_private =
                wide == SCHEMA_FORMAT_URI_WIDE_IRI_QUERY && bt_schema_format_is_iprivate(point);
            if (length == 0 || is_bidi_control(point) ||
                (!bt_schema_format_is_ucschar(point) && !is_private)) {
                return false;
            }
            i += length;
        }
    }
    return true;
}

/* The length of the scheme with its colon, or 0. */
static size_t scheme_length(bt_str text)
{
    if (text.len == 0 || !bt_ascii_is_alpha(text.ptr[0])) {
        return 0;
    }
    size_t i = 1;
    while (i < text.len && bt_format_in(scheme_set, text.ptr[i])) {
        i++;
    }
    return bt_format_has_at(text, i, ':') ? i + 1 : 0;
}

/* v, a version, a dot, and what that version likes: for addresses yet to come. */
static bool is_ip_future(bt_str text)
{
    size_t i = 1;
    while (i < text.len && bt_ascii_is_hex(text.ptr[i])) {
        i++;
    }
    if (text.len == 0 || bt_ascii_lower(text.ptr[0]) != 'v' || i == 1 ||
        !bt_format_has_at(text, i, '.')) {
        return false;
    }
    const size_t first = ++i;
    while (i < text.len && bt_format_in(user_set, text.ptr[i])) {
        i++;
    }
    return i > first && i == text.len;
}

static bool is_authority(bt_str text, enum schema_format_uri_wide wide)
{
    const size_t at_sign = bt_str_find_byte(text, '@', 0);
    bt_str host = text;
    if (at_sign < text.len) {
        if (!is_run(bt_str_slice(text, 0, at_sign), user_set, wide)) {
            return false;
        }
        host = bt_str_slice(text, at_sign + 1, text.len);
    }
    size_t end = 0;
    if (bt_format_has_at(host, 0, '[')) {
        end = bt_str_find_byte(host, ']', 0);
        const bt_str literal = bt_str_slice(host, 1, end);
        if (end == host.len || (!bt_schema_format_is_ipv6(literal) && !is_ip_future(literal))) {
            return false;
        }
        end++;
    } else {
        end = bt_str_find_byte(host, ':', 0);
        if (!is_run(bt_str_slice(host, 0, end), name_set, wide)) {
            return false;
        }
    }
    if (end == host.len) {
        return true;
    }
    return host.ptr[end] == ':' && bt_format_skip_digits(host, end + 1) == host.len;
}

/* The offset of the first `/`, `?` or `#` at or after `from`, or text.len. */
static size_t find_part_end(bt_str text, size_t from)
{
    while (from < text.len && text.ptr[from] != '/' && text.ptr[from] != '?' &&
           text.ptr[from] != '#') {
        from++;
    }
    return from;
}

static bool is_reference(bt_str text, bool scheme_needed, enum schema_format_uri_wide wide)
{
    size_t at = scheme_length(text);
    if (at == 0) {
        /* The first segment must not look like a scheme. */
        const bt_str segment = bt_str_slice(text, 0, find_part_end(text, 0));
        if (scheme_needed || bt_str_find_byte(segment, ':', 0) < segment.len) {
            return false;
        }
    }
    if (bt_format_has_at(text, at, '/') && bt_format_has_at(text, at + 1, '/')) {
        const size_t end = find_part_end(text, at + 2);
        if (!is_authority(bt_str_slice(text, at + 2, end), wide)) {
            return false;
        }
        at = end;
    }
    const size_t fragment = bt_str_find_byte(text, '#', at);
    const bt_str before = bt_str_slice(text, 0, fragment);
    const size_t query = bt_str_find_byte(before, '?', at);
    return is_run(bt_str_slice(before, at, query), path_set, wide) &&
           is_run(bt_str_slice(before, query + 1, fragment), query_set,
                  wide == SCHEMA_FORMAT_URI_WIDE_IRI ? SCHEMA_FORMAT_URI_WIDE_IRI_QUERY : wide) &&
           is_run(bt_str_slice(text, fragment + 1, text.len), query_set, wide);
}

bool bt_schema_format_is_uri(bt_str text)
{
    return is_reference(text, true, SCHEMA_FORMAT_URI_WIDE_NONE);
}

bool bt_schema_format_is_uri_reference(bt_str text)
{
    return is_reference(text, false, SCHEMA_FORMAT_URI_WIDE_NONE);
}

bool bt_schema_format_is_iri(bt_str text)
{
    return is_reference(text, true, SCHEMA_FORMAT_URI_WIDE_IRI);
}

bool bt_schema_format_is_iri_reference(bt_str text)
{
    return is_reference(text, false, SCHEMA_FORMAT_URI_WIDE_IRI);
}
