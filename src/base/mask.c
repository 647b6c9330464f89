/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask.c - addresses without their secrets.
 *
 * Two forms are known: a URL, whose secrets are the password before the host and some parameters
 * after it, and the NAME=VALUE list of a database's library. What looks like a secret is hidden:
 * better too much than too little.
 */
#include <baton/base.h>

#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"

static const bt_str hidden = BT_STR_INIT("***");

/* Where `word` stands in a name, case aside; name.len: nowhere. */
static size_t find_word(bt_str name, bt_str word)
{
    for (size_t i = 0; i + word.len <= name.len; i++) {
        size_t same = 0;
        while (same < word.len && bt_ascii_lower(name.ptr[i + same]) == word.ptr[same]) {
            same++;
        }
        if (same == word.len) {
            return i;
        }
    }
    return name.len;
}

/* Whether the value of a parameter is a secret. `sslkey` and `passfile` name files. A name may hide
 * behind percent signs, so any that has one is a secret too. */
static bool is_secret(bt_str name)
{
    static const bt_str words[] = {
        BT_STR_INIT("password"), BT_STR_INIT("passwd"),     BT_STR_INIT("passphrase"),
        BT_STR_INIT("secret"),   BT_STR_INIT("token"),      BT_STR_INIT("credential"),
        BT_STR_INIT("scram_"),   BT_STR_INIT("signature"),  BT_STR_INIT("auth"),
        BT_STR_INIT("apikey"),   BT_STR_INIT("access_key"), BT_STR_INIT("api_key"),
        BT_STR_INIT("api-key"),  BT_STR_INIT("%")};
    static const bt_str files[] = {BT_STR_INIT("passfile"), BT_STR_INIT("require_auth")};
    static const bt_str whole[] = {BT_STR_INIT("key"), BT_STR_INIT("sig"), BT_STR_INIT("pwd"),
                                   BT_STR_INIT("pass")};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (bt_str_eq(name, files[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        if (name.len == whole[i].len && find_word(name, whole[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (find_word(name, words[i]) < name.len) {
            return true;
        }
    }
    return false;
}

/* Put `USER:***` for `USER:PASSWORD`; how far that is. A password may hold what should have been
 * escaped, so the last `@` of all counts. */
static size_t put_user(struct bt_buf *buf, bt_str url, size_t start)
{
    size_t at = start;
    for (size_t i = start; i < url.len; i++) {
        at = url.ptr[i] == '@' ? i : at;
    }
    const size_t colon = bt_str_find_byte(url, ':', start);
    if (colon >= at) {
        return start;
    }
    bt_buf_put(buf, bt_str_slice(url, start, colon + 1));
    bt_buf_put(buf, hidden);
    return at;
}

static bool parts_parameters(char byte)
{
    return byte == '?' || byte == '&' || byte == '#' || byte == ';';
}

/* Where the address behind `://` begins; text.len: there is none. */
static size_t find_address(bt_str text)
{
    const bt_str mark = BT_STR("://");
    for (size_t at = bt_str_find_byte(text, ':', 0); at < text.len;
         at = bt_str_find_byte(text, ':', at + 1)) {
        if (bt_str_starts_with(bt_str_slice(text, at, text.len), mark)) {
            return at + mark.len;
        }
    }
    return text.len;
}

static void put_url(struct bt_buf *buf, bt_str url, size_t start)
{
    bt_buf_put(buf, bt_str_slice(url, 0, start));
    size_t at = put_user(buf, url, start);
    while (at < url.len) {
        size_t end = at;
        while (end < url.len && !parts_parameters(url.ptr[end])) {
            end++;
        }
        const bt_str part = bt_str_slice(url, at, end);
        const size_t equals = bt_str_find_byte(part, '=', 0);
        const bool hides = equals < part.len && is_secret(bt_str_slice(part, 0, equals));
        bt_buf_put(buf, hides ? bt_str_slice(part, 0, equals + 1) : part);
        bt_buf_put(buf, hides ? hidden : BT_STR(""));
        end = hides ? bt_str_find_byte(url, '&', end) : end; /* a secret may hold the other signs */
        bt_buf_put(buf, bt_str_slice(url, end, end + 1));
        at = end + 1;
    }
}

static size_t skip_spaces(bt_str text, size_t at)
{
    while (at < text.len && bt_ascii_is_space(text.ptr[at])) {
        at++;
    }
    return at;
}

/* Where a value ends that begins at `at`: in quotes or up to a space, a backslash before a byte. */
static size_t value_end(bt_str text, size_t at)
{
    const bool is_quoted = at < text.len && text.ptr[at] == '\'';
    at += is_quoted;
    while (at < text.len && (is_quoted ? text.ptr[at] != '\'' : !bt_ascii_is_space(text.ptr[at]))) {
        at += text.ptr[at] == '\\' && at + 1 < text.len ? 2 : 1;
    }
    return is_quoted && at < text.len ? at + 1 : at;
}

static void put_list(struct bt_buf *buf, bt_str text)
{
    size_t at = 0;
    while (at < text.len) {
        const size_t name = skip_spaces(text, at);
        size_t name_end = name;
        while (name_end < text.len && !bt_ascii_is_space(text.ptr[name_end]) &&
               text.ptr[name_end] != '=') {
            name_end++;
        }
        const size_t equals = skip_spaces(text, name_end);
        if (equals >= text.len || text.ptr[equals] != '=') {
            const size_t end = name_end > at ? name_end : at + 1;
            bt_buf_put(buf, bt_str_slice(text, at, end));
            at = end;
            continue;
        }
        const size_t value = skip_spaces(text, equals + 1);
        const size_t end = value_end(text, value);
        bt_buf_put(buf, bt_str_slice(text, at, value));
        if (is_secret(bt_str_slice(text, name, name_end))) {
            bt_buf_put(buf, hidden);
        } else { /* which may be a URL */
            put_url(buf, bt_str_slice(text, value, end),
                    find_address(bt_str_slice(text, value, end)));
        }
        at = end;
    }
}

/* Whether a text begins with the scheme of a URL. */
static bool has_scheme(bt_str text, size_t address)
{
    for (size_t i = 0; address < text.len && i + 3 < address; i++) {
        const char byte = text.ptr[i];
        const bool is_other = bt_ascii_is_digit(byte) || byte == '+' || byte == '-' || byte == '.';
        if (!bt_ascii_is_alpha(byte) && !(is_other && i > 0)) {
            return false;
        }
    }
    return address > 3 && address < text.len;
}

void bt_buf_put_masked(struct bt_buf *buf, bt_str text)
{
    assert(buf);
    const size_t address = find_address(text);
    if (has_scheme(text, address)) {
        put_url(buf, text, address);
    } else {
        put_list(buf, text);
    }
}
