/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repo_address.c - the address of a repository, however it is written -> host/owner/repo.
 *
 *     [scheme://][user[:password]@]host[:port]/path     or     [user@]host:path
 */
#include "dialect/contract/contract_check.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

static const struct contract_url_scheme {
    bt_str name;
    bt_str port; /* its own */
    bool http;
} schemes[] = {
    {BT_STR_INIT("https"), BT_STR_INIT("443"), true},
    {BT_STR_INIT("http"), BT_STR_INIT("80"), true},
    {BT_STR_INIT("ssh"), BT_STR_INIT("22"), false},
    {BT_STR_INIT("git"), BT_STR_INIT("9418"), false},
    {BT_STR_INIT("git+ssh"), BT_STR_INIT("22"), false},
    {BT_STR_INIT("git+https"), BT_STR_INIT("443"), true},
    {BT_STR_INIT("git+http"), BT_STR_INIT("80"), true},
};

enum { SCHEMES = sizeof(schemes) / sizeof(schemes[0]) };

/* An address taken apart, in lower case. */
struct contract_url_parts {
    const struct contract_url_scheme *scheme; /* NULL: none */
    bool has_user;
    bool has_password;
    bt_str host;
    bt_str port; /* "": none, or dropped */
    bool port_dropped;
    bt_str path;
    size_t path_parts;
};

static bool is_digits(bt_str text)
{
    return text.len > 0 && bt_ascii_all(text, bt_ascii_is_digit);
}

static size_t find_last(bt_str text, char byte)
{
    const size_t after = text.len - bt_str_after_last(text, byte).len;
    return after > 0 ? after - 1 : text.len;
}

/* The host of `authority`, and what comes before it. */
static bt_str take_user(struct contract_url_parts *parts, bt_str authority)
{
    const size_t at = find_last(authority, '@');
    if (at == authority.len) {
        return authority;
    }
    const bt_str user = bt_str_slice(authority, 0, at);
    parts->has_user = true;
    parts->has_password = bt_str_find_byte(user, ':', 0) < user.len;
    return bt_str_slice(authority, at + 1, authority.len);
}

static bool take_port(struct contract_url_parts *parts, bt_str host_and_port)
{
    const size_t colon = bt_str_find_byte(host_and_port, ':', 0);
    parts->host = bt_str_slice(host_and_port, 0, colon);
    if (colon == host_and_port.len) {
        return true;
    }
    parts->port = bt_str_slice(host_and_port, colon + 1, host_and_port.len);
    return is_digits(parts->port);
}

static bool split_url(struct contract_url_parts *parts, bt_str text, size_t mark)
{
    const bt_str name = bt_str_slice(text, 0, mark);
    for (size_t i = 0; i < SCHEMES; i++) {
        parts->scheme = bt_str_eq(schemes[i].name, name) ? &schemes[i] : parts->scheme;
    }
    if (!parts->scheme) {
        return false;
    }
    const bt_str rest = bt_str_slice(text, mark + sizeof("://") - 1, text.len);
    const size_t slash = bt_str_find_byte(rest, '/', 0);
    parts->path = bt_str_slice(rest, slash, rest.len);
    if (!take_port(parts, take_user(parts, bt_str_slice(rest, 0, slash)))) {
        return false;
    }
    if (bt_str_eq(parts->port, parts->scheme->port)) {
        parts->port = BT_STR("");
        parts->port_dropped = true;
    }
    return true;
}

static bool is_usual_port(bt_str port)
{
    for (size_t i = 0; i < SCHEMES; i++) {
        if (bt_str_eq(schemes[i].port, port)) {
            return true;
        }
    }
    return false;
}

/* Without a scheme: scp form, a port, or nothing but host and path. */
static bool split_plain(struct contract_url_parts *parts, bt_str text)
{
    const size_t slash = bt_str_find_byte(text, '/', 0);
    const size_t colon = bt_str_find_byte(bt_str_slice(text, 0, slash), ':', 0);
    if (colon == slash) {
        parts->host = bt_str_slice(text, 0, slash);
        parts->path = bt_str_slice(text, slash, text.len);
        return true;
    }
    parts->host = take_user(parts, bt_str_slice(text, 0, colon));
    const bt_str between = bt_str_slice(text, colon + 1, slash);
    if (parts->has_user || !is_digits(between)) {
        parts->path = bt_str_slice(text, colon + 1, text.len);
        return true;
    }
    parts->port_dropped = is_usual_port(between);
    parts->port = parts->port_dropped ? BT_STR("") : between;
    parts->path = bt_str_slice(text, slash, text.len);
    return true;
}

static bool is_lower_alnum(char byte)
{
    return bt_ascii_is_lower(byte) || bt_ascii_is_digit(byte);
}

static bool is_host(bt_str host)
{
    if (host.len == 0 || !is_lower_alnum(host.ptr[0]) || !is_lower_alnum(host.ptr[host.len - 1])) {
        return false;
    }
    for (size_t i = 0; i < host.len; i++) {
        if (!is_lower_alnum(host.ptr[i]) && host.ptr[i] != '.' && host.ptr[i] != '-') {
            return false;
        }
    }
    return true;
}

static bool is_path_part(bt_str part)
{
    for (size_t i = 0; i < part.len; i++) {
        if (!is_lower_alnum(part.ptr[i]) && !strchr("._~%+-", part.ptr[i])) {
            return false;
        }
    }
    return !bt_str_eq(part, BT_STR(".")) && !bt_str_eq(part, BT_STR(".."));
}

/* The path without slashes around it and without one .git at its end. */
static bt_str trim_path(bt_str path)
{
    while (bt_str_ends_with(path, BT_STR("/"))) {
        path.len--;
    }
    if (bt_str_ends_with(path, BT_STR(".git"))) {
        path.len -= sizeof(".git") - 1;
    }
    return path;
}

/* Put host, port and path; false when the path is none. */
static bool put_identity(struct contract_url_parts *parts, struct bt_buf *buf)
{
    bt_buf_put(buf, parts->host);
    if (parts->port.len > 0) {
        bt_buf_put_char(buf, ':');
        bt_buf_put(buf, parts->port);
    }
    const bt_str path = trim_path(parts->path);
    for (size_t from = 0; from < path.len;) {
        const size_t end = bt_str_find_byte(path, '/', from);
        const bt_str part = bt_str_slice(path, from, end);
        if (!is_path_part(part)) {
            return false;
        }
        if (part.len > 0) {
            bt_buf_put_char(buf, '/');
            bt_buf_put(buf, part);
            parts->path_parts++;
        }
        from = end + 1;
    }
    return parts->path_parts > 0;
}

/* The identity of one address without suffix; `parts` is cleared. "" when it has none. */
static enum bt_status build_identity(struct bt_arena *arena, bt_str text,
                                     struct contract_url_parts *parts, bt_str *out)
{
    text = bt_str_trim(text);
    text = bt_str_slice(text, 0, bt_str_find_byte(text, '?', 0));
    text = bt_str_slice(text, 0, bt_str_find_byte(text, '#', 0));
    bt_str small = BT_STR("");
    BT_TRY(bt_ascii_lower_copy(arena, text, &small));
    const size_t mark = bt_str_find(small, BT_STR("://"));
    *out = BT_STR("");
    if (!(mark < small.len ? split_url(parts, small, mark) : split_plain(parts, small)) ||
        !is_host(parts->host)) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const bool valid = put_identity(parts, &buf);
    const enum bt_status status = valid ? bt_buf_copy(&buf, arena, out) : BT_OK;
    bt_buf_free(&buf);
    return status;
}

static unsigned get_removed_parts(const struct contract_url_parts *parts)
{
    const bool secret = parts->has_password || (parts->scheme && parts->scheme->http);
    const unsigned user = !parts->has_user ? 0U
                          : secret         ? BT_REPO_ADDRESS_REMOVED_CREDENTIALS
                                           : BT_REPO_ADDRESS_REMOVED_USER;
    return user | (parts->port_dropped ? (unsigned)BT_REPO_ADDRESS_REMOVED_PORT : 0U);
}

/* [A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+ */
static bool is_suffix(bt_str text)
{
    const size_t slash = bt_str_find_byte(text, '/', 0);
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!bt_ascii_is_alnum(byte) && byte != '_' && byte != '.' && byte != '-' && byte != '/') {
            return false;
        }
    }
    return slash > 0 && slash + 1 < text.len;
}

enum bt_status bt_repo_reference_parse(struct bt_arena *arena, bt_str text,
                                       struct bt_repo_address *out)
{
    text = bt_str_trim(text);
    *out = (struct bt_repo_address){
        .identity = BT_STR(""), .suffix = BT_STR(""), .canonical = BT_STR("")};
    const size_t colon = find_last(text, ':');
    if (colon == text.len || !is_suffix(bt_str_slice(text, colon + 1, text.len))) {
        return BT_OK;
    }
    struct contract_url_parts parts = {.host = BT_STR(""), .port = BT_STR(""), .path = BT_STR("")};
    bt_str identity = BT_STR("");
    BT_TRY(build_identity(arena, bt_str_slice(text, 0, colon), &parts, &identity));
    const bool marked =
        parts.scheme || parts.has_user || bt_str_find_byte(parts.host, '.', 0) < parts.host.len;
    if (identity.len == 0 || parts.path_parts < 2 || !marked) {
        return BT_OK;
    }
    *out = (struct bt_repo_address){.valid = true,
                                    .identity = identity,
                                    .suffix = bt_str_slice(text, colon + 1, text.len),
                                    .dropped = get_removed_parts(&parts)};
    return bt_arena_printf(arena, &out->canonical, "%.*s:%.*s", BT_STR_ARG(identity),
                           BT_STR_ARG(out->suffix));
}

enum bt_status bt_repo_address_parse(struct bt_arena *arena, bt_str text,
                                     struct bt_repo_address *out)
{
    assert(arena);
    assert(out);
    BT_TRY(bt_repo_reference_parse(arena, text, out));
    if (out->valid) {
        return BT_OK;
    }
    struct contract_url_parts parts = {.host = BT_STR(""), .port = BT_STR(""), .path = BT_STR("")};
    BT_TRY(build_identity(arena, text, &parts, &out->identity));
    out->valid = out->identity.len > 0;
    out->canonical = out->identity;
    out->dropped = out->valid ? get_removed_parts(&parts) : 0;
    return BT_OK;
}

/* Where the scheme before `end` begins. */
static size_t scheme_begin(bt_str text, size_t end)
{
    size_t at = end;
    while (at > 0) {
        const char byte = text.ptr[at - 1];
        if (!bt_ascii_is_alnum(byte) && byte != '+' && byte != '.' && byte != '-') {
            break;
        }
        at--;
    }
    return at;
}

static bool is_http(bt_str scheme)
{
    const bt_str http = BT_STR("http");
    const bool is_plural =
        bt_str_ends_with(scheme, BT_STR("s")) || bt_str_ends_with(scheme, BT_STR("S"));
    const size_t size = is_plural ? scheme.len - 1 : scheme.len;
    return size >= http.len &&
           bt_ascii_equal_nocase(bt_str_slice(scheme, size - http.len, size), http);
}

/* An @, as it is or as the source of a string may have it. */
static bool is_at_sign(bt_str text, size_t at)
{
    const bt_str rest = bt_str_slice(text, at, text.len);
    return bt_str_starts_with(rest, BT_STR("@")) || bt_str_starts_with(rest, BT_STR("\\u0040"));
}

/* The end of what may be a user part: a slash, a blank, an @ or the end of the text. */
static size_t user_end(bt_str text, size_t from)
{
    size_t at = from;
    while (at < text.len && !is_at_sign(text, at)) {
        const unsigned char byte = (unsigned char)text.ptr[at];
        uint32_t character = 0;
        const size_t size = byte < 0x80 ? 1 : bt_utf8_decode(text, at, &character);
        if (byte == '/' || bt_str_is_blank(bt_str_slice(text, at, at + size))) {
            break;
        }
        at += size;
    }
    return at;
}

bool bt_contract_next_secret(bt_str text, size_t from, size_t *out_begin, size_t *out_end)
{
    static const bt_str marks[] = {BT_STR_INIT("://"), BT_STR_INIT(":\\/\\/")};
    for (size_t at = bt_str_find_byte(text, ':', from); at < text.len;
         at = bt_str_find_byte(text, ':', at + 1)) {
        const bt_str rest = bt_str_slice(text, at, text.len);
        const size_t which = bt_str_starts_with(rest, marks[0]) ? 0 : 1;
        const size_t scheme = scheme_begin(text, at);
        if (!bt_str_starts_with(rest, marks[which]) || scheme == at) {
            continue;
        }
        const size_t begin = at + marks[which].len;
        const size_t end = user_end(text, begin);
        const bt_str user = bt_str_slice(text, begin, end);
        if (is_at_sign(text, end) && user.len > 0 &&
            (is_http(bt_str_slice(text, scheme, at)) ||
             bt_str_find_byte(user, ':', 0) < user.len)) {
            *out_begin = begin;
            *out_end = end;
            return true;
        }
    }
    return false;
}

void bt_contract_put_redacted(struct bt_buf *buf, bt_str text)
{
    size_t from = 0;
    size_t begin = 0;
    size_t end = 0;
    while (bt_contract_next_secret(text, from, &begin, &end)) {
        bt_buf_put(buf, bt_str_slice(text, from, begin));
        bt_buf_put_text(buf, "***");
        from = end;
    }
    bt_buf_put(buf, bt_str_slice(text, from, text.len));
}
