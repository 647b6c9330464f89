/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_email.c - mailboxes (RFC 5321 section 4.1.2), in ASCII or with the wider characters of
 * RFC 6531 section 3.3.
 */
#include "schema/format_scan.h"

enum { LOCAL_BYTES_MAX = 64 }; /* RFC 5321 section 4.5.3.1.1 */

/* atext of RFC 5322. */
static const struct bt_schema_format_set atom_set = {
    BT_FORMAT_DIGITS | BT_FORMAT_BIT('!') | BT_FORMAT_BIT('#') | BT_FORMAT_BIT('$') |
        BT_FORMAT_BIT('%') | BT_FORMAT_BIT('&') | BT_FORMAT_BIT('\'') | BT_FORMAT_BIT('*') |
        BT_FORMAT_BIT('+') | BT_FORMAT_BIT('-') | BT_FORMAT_BIT('/') | BT_FORMAT_BIT('=') |
        BT_FORMAT_BIT('?'),
    BT_FORMAT_LETTERS | BT_FORMAT_BIT('^') | BT_FORMAT_BIT('_') | BT_FORMAT_BIT('`') |
        BT_FORMAT_BIT('{') | BT_FORMAT_BIT('|') | BT_FORMAT_BIT('}') | BT_FORMAT_BIT('~')};

/* What a quoted string has as it is: all that is printed, but for quote and backslash. */
static const struct bt_schema_format_set quoted_set = {
    ~UINT64_C(0) << 32 & ~BT_FORMAT_BIT('"'), ~(BT_FORMAT_BIT('\\') | BT_FORMAT_BIT(0x7f))};

/* The length of the character at `at` if it is in the set, or above ASCII and that is allowed. */
static size_t char_length(bt_str text, size_t at, struct bt_schema_format_set set, bool is_wide)
{
    if (at == text.len || bt_format_in(set, text.ptr[at])) {
        return at < text.len;
    }
    uint32_t point = 0;
    const size_t length = is_wide ? bt_format_decode(text, at, &point) : 0;
    return point >= 0x80 ? length : 0;
}

/* The length of the quoted string that `text` begins with, or 0. */
static size_t quoted_length(bt_str text, bool is_wide)
{
    for (size_t i = 1; i < text.len;) {
        if (text.ptr[i] == '"') {
            return i + 1;
        }
        if (text.ptr[i] == '\\') {
            if (text.len - i < 2 || text.ptr[i + 1] < 0x20 || text.ptr[i + 1] > 0x7e) {
                return 0;
            }
            i += 2;
            continue;
        }
        const size_t length = char_length(text, i, quoted_set, is_wide);
        if (length == 0) {
            return 0;
        }
        i += length;
    }
    return 0;
}

/* The length of the atoms, with single dots between them, that `text` begins with, or 0. */
static size_t atoms_length(bt_str text, bool is_wide)
{
    size_t i = 0;
    for (;;) {
        const size_t first = i;
        size_t length = 0;
        while ((length = char_length(text, i, atom_set, is_wide)) > 0) {
            i += length;
        }
        if (i == first) {
            return 0;
        }
        if (!bt_format_has_at(text, i, '.')) {
            return i;
        }
        i++;
    }
}

/* An address in brackets. Of the tags that may name other kinds of address, IPv6 alone exists. */
static bool is_address_literal(bt_str text)
{
    if (!bt_str_ends_with(text, BT_STR("]"))) {
        return false;
    }
    const bt_str address = bt_str_slice(text, 1, text.len - 1);
    const bt_str tag = BT_STR("IPv6:");
    if (bt_ascii_equal_nocase(bt_str_slice(address, 0, tag.len), tag)) {
        return bt_schema_format_is_ipv6(bt_str_slice(address, tag.len, address.len));
    }
    return bt_schema_format_is_ipv4(address);
}

static bool is_mailbox(bt_str text, bool is_wide)
{
    const size_t local =
        bt_format_has_at(text, 0, '"') ? quoted_length(text, is_wide) : atoms_length(text, is_wide);
    if (local == 0 || local > LOCAL_BYTES_MAX || !bt_format_has_at(text, local, '@')) {
        return false;
    }
    const bt_str domain = bt_str_slice(text, local + 1, text.len);
    if (bt_format_has_at(domain, 0, '[')) {
        return is_address_literal(domain);
    }
    return is_wide ? bt_schema_format_is_idn_domain(domain)
                   : bt_schema_format_is_hostname_draft3(domain);
}

bool bt_schema_format_is_email(bt_str text)
{
    return is_mailbox(text, false);
}

bool bt_schema_format_is_idn_email(bt_str text)
{
    return is_mailbox(text, true);
}
