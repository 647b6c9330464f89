/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix_values.c - texts in other spellings -> the spelling that the schema wants, meaning the same.
 */
#include "dialect/universal/fix_table.h"

#include <assert.h>

#include "base/env.h"

#include "base/ascii.h"

enum {
    DIGITS_MAX = 15, /* every such number is exact as a double */
    UUID_BYTES = 36,
    HASH_DIGITS = 64,
};

/* What is left of a text that is read from its front. */
struct universal_convert_scan {
    bt_str rest;
};

/* Take the text if it comes next. */
static bool take_text(struct universal_convert_scan *scan, bt_str text)
{
    if (!bt_str_starts_with(scan->rest, text)) {
        return false;
    }
    scan->rest = bt_str_slice(scan->rest, text.len, scan->rest.len);
    return true;
}

/* Take one of these characters if one comes next. */
static bool take_one_of(struct universal_convert_scan *scan, bt_str characters)
{
    if (scan->rest.len == 0 ||
        bt_str_find_byte(characters, scan->rest.ptr[0], 0) == characters.len) {
        return false;
    }
    scan->rest = bt_str_slice(scan->rest, 1, scan->rest.len);
    return true;
}

/* Take the digits that come next, at most `max`. */
static bt_str take_digits(struct universal_convert_scan *scan, size_t max)
{
    size_t count = 0;
    while (count < scan->rest.len && count < max && bt_ascii_is_digit(scan->rest.ptr[count])) {
        count++;
    }
    const bt_str digits = bt_str_slice(scan->rest, 0, count);
    scan->rest = bt_str_slice(scan->rest, count, scan->rest.len);
    return digits;
}

/* Put exactly `count` digits; false when fewer come next. */
static bool put_digits(struct universal_convert_scan *scan, size_t count, struct bt_buf *out)
{
    const bt_str digits = take_digits(scan, count);
    bt_buf_put(out, digits);
    return digits.len == count;
}

static bool put_date(struct universal_convert_scan *scan, struct bt_buf *out)
{
    static const size_t widths[] = {4, 2, 2};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        if (i > 0 && !take_text(scan, BT_STR("-"))) {
            return false;
        }
        bt_buf_put_text(out, i > 0 ? "-" : "");
        if (!put_digits(scan, widths[i], out)) {
            return false;
        }
    }
    return true;
}

/* hh:mm, and then perhaps :ss, and then perhaps a fraction. */
static bool put_time(struct universal_convert_scan *scan, struct bt_buf *out)
{
    bool whole = put_digits(scan, 2, out) && take_text(scan, BT_STR(":"));
    bt_buf_put_char(out, ':');
    whole = whole && put_digits(scan, 2, out);
    bt_buf_put_char(out, ':');
    if (!whole) {
        return false;
    }
    if (!take_text(scan, BT_STR(":"))) {
        bt_buf_put_text(out, "00");
        return true;
    }
    if (!put_digits(scan, 2, out)) {
        return false;
    }
    if (!take_one_of(scan, BT_STR(".,"))) {
        return true;
    }
    const bt_str fraction = take_digits(scan, SIZE_MAX);
    bt_buf_put_char(out, '.');
    bt_buf_put(out, fraction);
    return fraction.len > 0;
}

/* Z, z, UTC, or an offset as +hh:mm, +hhmm or +hh. */
static bool put_zone(struct universal_convert_scan *scan, struct bt_buf *out)
{
    if (take_one_of(scan, BT_STR("Zz")) || take_text(scan, BT_STR("UTC"))) {
        bt_buf_put_char(out, 'Z');
        return true;
    }
    const bt_str sign = bt_str_slice(scan->rest, 0, 1);
    if (!take_one_of(scan, BT_STR("+-"))) {
        return false;
    }
    bt_buf_put(out, sign);
    bool whole = put_digits(scan, 2, out);
    bt_buf_put_char(out, ':');
    if (scan->rest.len == 0) {
        bt_buf_put_text(out, "00");
        return whole;
    }
    (void)take_text(scan, BT_STR(":"));
    return whole && put_digits(scan, 2, out);
}

/* The text in the spelling of RFC 3339, which need not name an instant. */
static enum bt_fix put_rfc3339_time(bt_str text, struct bt_buf *out)
{
    struct universal_convert_scan scan = {text};
    if (!put_date(&scan, out)) {
        return BT_FIX_NONE;
    }
    if (scan.rest.len == 0) {
        bt_buf_put_text(out, "T00:00:00Z");
        return BT_FIX_UNSAFE;
    }
    bt_buf_put_char(out, 'T');
    if (!take_one_of(&scan, BT_STR("Tt ")) || !put_time(&scan, out)) {
        return BT_FIX_NONE;
    }
    if (scan.rest.len == 0) {
        bt_buf_put_char(out, 'Z');
        return BT_FIX_UNSAFE;
    }
    (void)take_text(&scan, BT_STR(" "));
    const bool zoned = put_zone(&scan, out);
    return zoned && scan.rest.len == 0 ? BT_FIX_SAFE : BT_FIX_NONE;
}

enum bt_fix bt_universal_fix_date(bt_str text, struct bt_buf *out)
{
    assert(out);
    struct bt_buf spelled;
    bt_buf_init(&spelled, SIZE_MAX);
    enum bt_fix fix = put_rfc3339_time(text, &spelled);
    if (spelled.status != BT_OK) {
        out->status = spelled.status;
        fix = BT_FIX_NONE;
    }
    if (fix != BT_FIX_NONE && bt_timestamp_to_utc(bt_buf_str(&spelled), out) != BT_OK) {
        fix = BT_FIX_NONE; /* no such day, or not in the years 0000 to 9999 */
    }
    bt_buf_free(&spelled);
    return fix;
}

/* Lower-case `text`, which must fit; "" when it does not. */
static bt_str lower_text(bt_str text, char *out, size_t size)
{
    if (text.len > size) {
        return BT_STR("");
    }
    for (size_t i = 0; i < text.len; i++) {
        out[i] = bt_ascii_lower(text.ptr[i]);
    }
    return (bt_str){out, text.len};
}

bool bt_universal_fix_uuid(bt_str text, struct bt_buf *out)
{
    assert(out);
    static const size_t groups[] = {8, 4, 4, 4, 12};
    char copy[sizeof("urn:uuid:{}") + UUID_BYTES];
    struct universal_convert_scan scan = {lower_text(text, copy, sizeof(copy))};
    (void)take_text(&scan, BT_STR("urn:uuid:"));
    if (take_text(&scan, BT_STR("{"))) {
        if (!bt_str_ends_with(scan.rest, BT_STR("}"))) {
            return false;
        }
        scan.rest.len--;
    }
    if (bt_uuid_is_valid(scan.rest)) {
        bt_buf_put(out, scan.rest);
        return true;
    }
    if (scan.rest.len != UUID_BYTES - 4 || !bt_ascii_all(scan.rest, bt_ascii_is_lower_hex)) {
        return false;
    }
    size_t from = 0;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bt_buf_put_text(out, i > 0 ? "-" : "");
        bt_buf_put(out, bt_str_slice(scan.rest, from, from + groups[i]));
        from += groups[i];
    }
    return true;
}

bool bt_universal_fix_hash(bt_str text, struct bt_buf *out)
{
    assert(out);
    char copy[sizeof("sha256:") - 1 + HASH_DIGITS];
    struct universal_convert_scan scan = {lower_text(text, copy, sizeof(copy))};
    (void)take_text(&scan, BT_STR("sha256:"));
    if (scan.rest.len != HASH_DIGITS || !bt_ascii_all(scan.rest, bt_ascii_is_lower_hex)) {
        return false;
    }
    bt_buf_put_text(out, "sha256:");
    bt_buf_put(out, scan.rest);
    return true;
}

void bt_universal_fix_case(bt_str text, struct bt_buf *out)
{
    assert(out);
    const bt_str word = bt_ascii_trim(text, bt_ascii_is_space);
    for (size_t i = 0; i < word.len; i++) {
        bt_buf_put_char(out, bt_ascii_lower(word.ptr[i]));
    }
}

void bt_universal_fix_truncate(bt_str text, size_t keep, struct bt_buf *out)
{
    assert(out);
    size_t end = 0;
    for (size_t i = 0; i < keep && end < text.len; i++) {
        uint32_t code_point = 0;
        end += bt_utf8_decode(text, end, &code_point);
    }
    bt_buf_put(out, bt_str_slice(text, 0, end));
    bt_buf_put_text(out, "...");
}

bool bt_json_is_plain_integer(bt_str text)
{
    struct universal_convert_scan scan = {text};
    const bt_str digits = take_digits(&scan, DIGITS_MAX);
    const bool padded = digits.len > 1 && digits.ptr[0] == '0';
    return digits.len > 0 && scan.rest.len == 0 && !padded;
}
