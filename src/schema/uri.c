/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uri.c - references resolved against a base (RFC 3986 section 5).
 *
 * The texts are not checked: a text that is not a URI resolves to one that names no document.
 */
#include "schema/uri.h"

#include <string.h>

#include "base/ascii.h"

/* The components of section 3; an absent one differs from an empty one. */
struct schema_uri_parts {
    bt_str scheme;    /* without ':' */
    bt_str authority; /* without "//" */
    bt_str path;
    bt_str query; /* with its '?', so that "" is an absent one */
    bool has_scheme;
    bool has_authority;
};

struct bt_schema_uri bt_schema_uri_split(bt_str reference)
{
    const size_t hash = bt_str_find_byte(reference, '#', 0);
    return (struct bt_schema_uri){
        .whole = bt_str_slice(reference, 0, hash),
        .fragment = bt_str_slice(reference, hash + 1, reference.len),
        .has_fragment = hash < reference.len,
    };
}

/* The length of the scheme, or 0 when the text has none. */
static size_t scheme_length(bt_str text)
{
    size_t i = 0;
    while (i < text.len && (bt_ascii_is_alpha(text.ptr[i]) ||
                            (i > 0 && (bt_ascii_is_digit(text.ptr[i]) || text.ptr[i] == '+' ||
                                       text.ptr[i] == '-' || text.ptr[i] == '.')))) {
        i++;
    }
    return i < text.len && text.ptr[i] == ':' ? i : 0;
}

static struct schema_uri_parts take_apart(bt_str uri)
{
    struct schema_uri_parts parts = {0};
    const size_t scheme = scheme_length(uri);
    if (scheme > 0) {
        parts.has_scheme = true;
        parts.scheme = bt_str_slice(uri, 0, scheme);
        uri = bt_str_slice(uri, scheme + 1, uri.len);
    }
    const size_t query = bt_str_find_byte(uri, '?', 0);
    parts.query = bt_str_slice(uri, query, uri.len);
    uri = bt_str_slice(uri, 0, query);
    if (bt_str_starts_with(uri, BT_STR("//"))) {
        const size_t end = bt_str_find_byte(uri, '/', 2);
        parts.has_authority = true;
        parts.authority = bt_str_slice(uri, 2, end);
        uri = bt_str_slice(uri, end, uri.len);
    }
    parts.path = uri;
    return parts;
}

/* Section 5.2.4, in place: "." and ".." as segments go away. Returns the new length. */
static size_t remove_dots(char *path, size_t size)
{
    size_t in = 0;
    size_t out = 0;
    while (in < size) {
        const bool rooted = path[in] == '/';
        const size_t begin = in + (rooted ? 1 : 0);
        const bt_str rest = {path, size};
        const size_t end = bt_str_find_byte(rest, '/', begin);
        const size_t length = end - begin;
        const bool dot = length == 1 && path[begin] == '.';
        const bool dots = length == 2 && path[begin] == '.' && path[begin + 1] == '.';
        if (dots) {
            while (out > 0 && path[out - 1] != '/') {
                out--;
            }
            out -= out > 0 ? 1 : 0;
        }
        if (dot || dots) {
            if (end == size && rooted) {
                path[out++] = '/'; /* "a/." names the folder, like "a/" */
            }
            in = rooted || end == size ? end : end + 1;
            continue;
        }
        memmove(path + out, path + in, end - in);
        out += end - in;
        in = end;
    }
    return out;
}

/* The path of a relative reference: the base's up to its last '/', then the reference's. */
static bt_str base_folder(const struct schema_uri_parts *base)
{
    size_t end = base->path.len;
    while (end > 0 && base->path.ptr[end - 1] != '/') {
        end--;
    }
    return bt_str_slice(base->path, 0, end);
}

/* Bytes of which there is room enough. */
struct schema_uri_text {
    char *ptr;
    size_t len;
};

static void put_piece(struct schema_uri_text *text, bt_str piece)
{
    for (size_t i = 0; i < piece.len; i++) {
        text->ptr[text->len++] = piece.ptr[i];
    }
}

static enum bt_status build_uri(struct bt_arena *arena, const struct schema_uri_parts *parts,
                                bt_str folder, bt_str *out)
{
    const size_t room = parts->scheme.len + 1 + parts->authority.len + 2 + folder.len + 1 +
                        parts->path.len + parts->query.len;
    struct schema_uri_text text = {bt_arena_alloc(arena, room), 0};
    if (!text.ptr) {
        return BT_ENOMEM;
    }
    if (parts->has_scheme) {
        put_piece(&text, parts->scheme);
        put_piece(&text, BT_STR(":"));
    }
    if (parts->has_authority) {
        put_piece(&text, BT_STR("//"));
        put_piece(&text, parts->authority);
    }
    const size_t path = text.len;
    put_piece(&text, folder);
    if (folder.len == 0 && parts->has_authority && parts->path.len > 0 &&
        parts->path.ptr[0] != '/') {
        put_piece(&text, BT_STR("/")); /* section 5.2.3: a base of authority alone */
    }
    put_piece(&text, parts->path);
    text.len = path + remove_dots(text.ptr + path, text.len - path);
    put_piece(&text, parts->query);
    *out = (bt_str){text.ptr, text.len};
    return BT_OK;
}

enum bt_status bt_schema_uri_resolve(struct bt_arena *arena, bt_str base, bt_str reference,
                                     bt_str *out)
{
    reference = bt_schema_uri_split(reference).whole;
    if (reference.len == 0) {
        *out = base;
        return BT_OK;
    }
    struct schema_uri_parts to = take_apart(reference);
    const struct schema_uri_parts from = take_apart(base);
    bt_str folder = {"", 0};
    if (to.has_scheme) {
        /* An opaque path (urn:a:b) has no segments, and section 5.2.4 would not change it. */
        return build_uri(arena, &to, folder, out);
    }
    to.scheme = from.scheme;
    to.has_scheme = from.has_scheme;
    if (!to.has_authority) {
        to.authority = from.authority;
        to.has_authority = from.has_authority;
        if (to.path.len == 0) {
            to.path = from.path;
            to.query = to.query.len > 0 ? to.query : from.query;
        } else if (to.path.ptr[0] != '/') {
            folder = base_folder(&from);
        }
    }
    return build_uri(arena, &to, folder, out);
}

enum bt_status bt_schema_uri_decode(struct bt_arena *arena, bt_str text, bt_str *out)
{
    if (bt_str_find_byte(text, '%', 0) == text.len) {
        *out = text;
        return BT_OK;
    }
    char *bytes = bt_arena_alloc(arena, text.len);
    if (!bytes) {
        return BT_ENOMEM;
    }
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte == '%' && text.len - i > 2 && bt_ascii_hex_value(text.ptr[i + 1]) >= 0 &&
            bt_ascii_hex_value(text.ptr[i + 2]) >= 0) {
            byte = (char)(bt_ascii_hex_value(text.ptr[i + 1]) * 16 +
                          bt_ascii_hex_value(text.ptr[i + 2]));
            i += 2;
        }
        bytes[len++] = byte;
    }
    *out = (bt_str){bytes, len};
    return BT_OK;
}
