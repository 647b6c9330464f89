/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.c - a table of prefixes, and three forms that a prefix does not tell.
 *
 * Each row is one regular expression \bPREFIX[CLASS]{MIN,MAX}, with \b behind it where has_end says
 * so.
 */
#include "wrap/secrets.h"

#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"

enum { ANY_COUNT = 1 << 30, JWT_PART_MIN = 8, NAMED_KEY_MAX = 64, SCHEME_MAX = 64 };

static bool is_alnum(char byte)
{
    return bt_ascii_is_alnum(byte);
}

static bool is_upper_alnum(char byte)
{
    return bt_ascii_is_upper(byte) || bt_ascii_is_digit(byte);
}

static bool is_word(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '_';
}

static bool is_dashed(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '-';
}

static bool is_base64url(char byte)
{
    return is_word(byte) || byte == '-';
}

static const struct secret_shape {
    bt_str kind;
    bt_str prefix;
    bool (*is_part)(char byte);
    size_t min;
    size_t max;
    bool has_end;
} shapes[] = {
    {BT_STR_INIT("aws"), BT_STR_INIT("AKIA"), is_upper_alnum, 16, 16, true},
    {BT_STR_INIT("aws"), BT_STR_INIT("ASIA"), is_upper_alnum, 16, 16, true},
    {BT_STR_INIT("google"), BT_STR_INIT("AIza"), is_base64url, 35, 35, true},
    {BT_STR_INIT("stripe"), BT_STR_INIT("rk_live_"), is_alnum, 16, ANY_COUNT, false},
    {BT_STR_INIT("stripe"), BT_STR_INIT("sk_live_"), is_alnum, 16, ANY_COUNT, false},
    {BT_STR_INIT("github"), BT_STR_INIT("ghp_"), is_alnum, 36, 255, false},
    {BT_STR_INIT("github"), BT_STR_INIT("gho_"), is_alnum, 36, 255, false},
    {BT_STR_INIT("github"), BT_STR_INIT("ghu_"), is_alnum, 36, 255, false},
    {BT_STR_INIT("github"), BT_STR_INIT("ghs_"), is_alnum, 36, 255, false},
    {BT_STR_INIT("github"), BT_STR_INIT("ghr_"), is_alnum, 36, 255, false},
    {BT_STR_INIT("github"), BT_STR_INIT("github_pat_"), is_word, 22, 255, false},
    {BT_STR_INIT("gitlab"), BT_STR_INIT("glpat-"), is_base64url, 20, ANY_COUNT, false},
    {BT_STR_INIT("npm"), BT_STR_INIT("npm_"), is_alnum, 36, 36, true},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxa-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxb-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxe-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxo-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxp-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxr-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("slack"), BT_STR_INIT("xoxs-"), is_dashed, 10, ANY_COUNT, false},
    {BT_STR_INIT("model"), BT_STR_INIT("sk-"), is_base64url, 20, ANY_COUNT, false},
    {BT_STR_INIT("baton"), BT_STR_INIT("bt_"), is_base64url, 43, 43, false},
};

static bool is_boundary(bt_str text, size_t at)
{
    const bool before = at > 0 && is_word(text.ptr[at - 1]);
    const bool after = at < text.len && is_word(text.ptr[at]);
    return before != after;
}

static size_t count_parts(bt_str text, size_t from, bool (*is_part)(char byte), size_t max)
{
    size_t count = 0;
    while (count < max && from + count < text.len && is_part(text.ptr[from + count])) {
        count++;
    }
    return count;
}

static bool starts_at(bt_str text, size_t at, bt_str part)
{
    return text.len - at >= part.len && text.ptr[at] == part.ptr[0] &&
           memcmp(text.ptr + at, part.ptr, part.len) == 0;
}

static bool match_shapes(bt_str text, size_t at, struct bt_wrap_secret *out)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct secret_shape *shape = &shapes[i];
        if (!starts_at(text, at, shape->prefix)) {
            continue;
        }
        const size_t from = at + shape->prefix.len;
        const size_t count = count_parts(text, from, shape->is_part, shape->max);
        if (count >= shape->min && (!shape->has_end || is_boundary(text, from + count))) {
            *out = (struct bt_wrap_secret){shape->kind, at, from + count};
            return true;
        }
    }
    return false;
}

/*
 * \beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}
 * What fails in a run of such bytes fails wherever it begins in that run: no token begins before
 * *next, so that each run is looked at a few times at most.
 */
static bool match_jwt(bt_str text, size_t at, size_t *next, struct bt_wrap_secret *out)
{
    const size_t begin = at;
    if (at < *next) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        const bool has_head = i == 2 || starts_at(text, at, BT_STR("eyJ"));
        const size_t from = at + (i < 2 ? 3 : 0);
        if (!has_head) {
            return false;
        }
        const size_t count = count_parts(text, from, is_base64url, ANY_COUNT);
        at = from + count;
        *next = i == 0 ? at : *next;
        const bool has_dot = at < text.len && text.ptr[at] == '.';
        if (count < JWT_PART_MIN || (i < 2 && !has_dot)) {
            return false;
        }
        at += i < 2;
    }
    *out = (struct bt_wrap_secret){BT_STR("jwt"), begin, at};
    return true;
}

/* -----BEGIN ([A-Z]+ )?PRIVATE KEY----- */
static bool match_key(bt_str text, size_t at, struct bt_wrap_secret *out)
{
    const bt_str begin = BT_STR("-----BEGIN ");
    const bt_str end = BT_STR("PRIVATE KEY-----");
    if (!starts_at(text, at, begin)) {
        return false;
    }
    size_t from = at + begin.len;
    if (!starts_at(text, from, end)) {
        const size_t count = count_parts(text, from, bt_ascii_is_upper, NAMED_KEY_MAX);
        from += count;
        if (count == 0 || from >= text.len || text.ptr[from] != ' ') {
            return false;
        }
        from++;
    }
    *out = (struct bt_wrap_secret){BT_STR("key"), at, from + end.len};
    return starts_at(text, from, end);
}

static bool is_credential_part(char byte)
{
    return byte != '/' && byte != ':' && byte != '@' && !bt_ascii_is_space(byte);
}

static bool is_scheme(char byte)
{
    return bt_ascii_is_lower(byte) || bt_ascii_is_digit(byte) || byte == '+' || byte == '.' ||
           byte == '-';
}

/* [a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s:@]+@ from the colon of the scheme on */
static bool match_url(bt_str text, size_t colon, size_t from, struct bt_wrap_secret *out)
{
    const bt_str mark = BT_STR("://");
    size_t begin = colon;
    if (!starts_at(text, colon, mark)) {
        return false;
    }
    while (begin > from && colon - begin < SCHEME_MAX && is_scheme(text.ptr[begin - 1])) {
        begin--;
    }
    while (begin < colon && !bt_ascii_is_lower(text.ptr[begin])) {
        begin++;
    }
    const size_t user = colon + mark.len;
    const size_t user_end = user + count_parts(text, user, is_credential_part, ANY_COUNT);
    if (begin == colon || user_end == user || user_end >= text.len || text.ptr[user_end] != ':') {
        return false;
    }
    const size_t word = user_end + 1;
    const size_t end = word + count_parts(text, word, is_credential_part, ANY_COUNT);
    *out = (struct bt_wrap_secret){BT_STR("url"), begin, end + 1};
    return end > word && end < text.len && text.ptr[end] == '@';
}

/* `next_jwt` is kept between searches of one text; see match_jwt(). */
static bool find_secret(bt_str text, size_t from, size_t *next_jwt, struct bt_wrap_secret *out)
{
    /* with which a credential, or the part of a URL behind its scheme, begins */
    static const bool is_head[UCHAR_MAX + 1] = {
        ['A'] = true, ['r'] = true, ['g'] = true, ['s'] = true, ['n'] = true,
        ['x'] = true, ['b'] = true, ['e'] = true, ['-'] = true, [':'] = true};
    for (size_t at = from; at < text.len; at++) {
        const char byte = text.ptr[at];
        if (!is_head[(unsigned char)byte]) {
            continue;
        }
        const bool is_found =
            byte == '-'   ? match_key(text, at, out)
            : byte == ':' ? match_url(text, at, from, out)
                          : is_boundary(text, at) &&
                                (match_shapes(text, at, out) || match_jwt(text, at, next_jwt, out));
        if (is_found) {
            return true;
        }
    }
    return false;
}

bool bt_wrap_secret_find(bt_str text, size_t from, struct bt_wrap_secret *out)
{
    size_t next_jwt = 0;
    return find_secret(text, from, &next_jwt, out);
}

enum bt_status bt_wrap_mask_secrets(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_wrap_secret secret;
    struct bt_buf buf;
    size_t from = 0;
    size_t next_jwt = 0;
    *out = text;
    if (!bt_wrap_secret_find(text, 0, &secret)) {
        return BT_OK;
    }
    bt_buf_init(&buf, text.len + 3 * (text.len / 8 + 1));
    while (from < text.len && find_secret(text, from, &next_jwt, &secret)) {
        bt_buf_put(&buf, bt_str_slice(text, from, secret.begin));
        bt_buf_put(&buf, BT_STR("***"));
        from = secret.end;
    }
    bt_buf_put(&buf, bt_str_slice(text, from, text.len));
    return bt_buf_finish(&buf, arena, out);
}
