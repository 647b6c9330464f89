/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_uri.c - splitting and resolving of URI references, step by step as in RFC 3986 section 5.2.
 */
#include "naive_uri.h"

#include "base/buf.h"

#define URI_BYTES_MAX ((size_t)1 << 20)

struct part {
    bool is_there;
    bt_str text;
};

struct uri {
    struct part scheme;
    struct part authority;
    bt_str path;
    struct part query;
};

bt_str naive_uri_without_fragment(bt_str uri)
{
    return bt_str_slice(uri, 0, bt_str_find_byte(uri, '#', 0));
}

bt_str naive_uri_fragment(bt_str uri)
{
    const size_t hash = bt_str_find_byte(uri, '#', 0);
    return bt_str_slice(uri, hash + 1, uri.len);
}

static bool is_scheme(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
        if (!letter && (i == 0 || !other)) {
            return false;
        }
    }
    return text.len > 0;
}

static struct uri split(bt_str text)
{
    struct uri uri = {0};
    text = naive_uri_without_fragment(text);
    const size_t colon = bt_str_find_byte(text, ':', 0);
    if (colon < text.len && is_scheme(bt_str_slice(text, 0, colon))) {
        uri.scheme = (struct part){true, bt_str_slice(text, 0, colon)};
        text = bt_str_slice(text, colon + 1, text.len);
    }
    const size_t mark = bt_str_find_byte(text, '?', 0);
    if (mark < text.len) {
        uri.query = (struct part){true, bt_str_slice(text, mark + 1, text.len)};
        text = bt_str_slice(text, 0, mark);
    }
    if (bt_str_starts_with(text, BT_STR("//"))) {
        const size_t slash = bt_str_find_byte(text, '/', 2);
        uri.authority = (struct part){true, bt_str_slice(text, 2, slash)};
        text = bt_str_slice(text, slash, text.len);
    }
    uri.path = text;
    return uri;
}

/* Cut the last segment and the slash before it from what was written after `start`. */
static void drop_segment(struct bt_buf *buf, size_t start)
{
    while (buf->len > start && buf->ptr[buf->len - 1] != '/') {
        buf->len--;
    }
    if (buf->len > start) {
        buf->len--;
    }
}

/* Section 5.2.4. */
static void put_without_dots(struct bt_buf *buf, bt_str path)
{
    const size_t start = buf->len;
    while (path.len > 0) {
        if (bt_str_starts_with(path, BT_STR("../"))) {
            path = bt_str_slice(path, 3, path.len);
        } else if (bt_str_starts_with(path, BT_STR("./"))) {
            path = bt_str_slice(path, 2, path.len);
        } else if (bt_str_starts_with(path, BT_STR("/./"))) {
            path = bt_str_slice(path, 2, path.len);
        } else if (bt_str_eq(path, BT_STR("/."))) {
            path = BT_STR("/");
        } else if (bt_str_starts_with(path, BT_STR("/../"))) {
            path = bt_str_slice(path, 3, path.len);
            drop_segment(buf, start);
        } else if (bt_str_eq(path, BT_STR("/.."))) {
            path = BT_STR("/");
            drop_segment(buf, start);
        } else if (bt_str_eq(path, BT_STR(".")) || bt_str_eq(path, BT_STR(".."))) {
            path = BT_STR("");
        } else {
            const size_t next = 1 + bt_str_find_byte(bt_str_slice(path, 1, path.len), '/',
                                                     0); /* at most its length */
            bt_buf_put(buf, bt_str_slice(path, 0, next));
            path = bt_str_slice(path, next, path.len);
        }
    }
}

/* Section 5.2.3: the path with its last segment replaced. */
static void put_merged(struct bt_buf *buf, const struct uri *base, bt_str path)
{
    struct bt_buf merged;
    bt_buf_init(&merged, URI_BYTES_MAX);
    if (base->authority.is_there && base->path.len == 0) {
        bt_buf_put_char(&merged, '/');
    }
    bt_str folder = base->path;
    while (folder.len > 0 && folder.ptr[folder.len - 1] != '/') {
        folder.len--;
    }
    bt_buf_put(&merged, folder);
    bt_buf_put(&merged, path);
    put_without_dots(buf, bt_buf_str(&merged));
    if (buf->status == BT_OK) {
        buf->status = merged.status;
    }
    bt_buf_free(&merged);
}

static void put_path(struct bt_buf *buf, const struct uri *base, const struct uri *reference)
{
    if (reference->scheme.is_there || reference->authority.is_there ||
        bt_str_starts_with(reference->path, BT_STR("/"))) {
        put_without_dots(buf, reference->path);
    } else if (reference->path.len == 0) {
        bt_buf_put(buf, base->path);
    } else {
        put_merged(buf, base, reference->path);
    }
}

enum bt_status naive_uri_resolve(struct bt_arena *arena, bt_str base, bt_str reference, bt_str *out)
{
    const struct uri from = split(base);
    const struct uri to = split(reference);
    const bool keeps_authority = !to.scheme.is_there && !to.authority.is_there;
    const struct part scheme = to.scheme.is_there ? to.scheme : from.scheme;
    const struct part authority = keeps_authority ? from.authority : to.authority;
    const bool keeps_query = keeps_authority && to.path.len == 0 && !to.query.is_there;
    const struct part query = keeps_query ? from.query : to.query;
    struct bt_buf buf;
    bt_buf_init(&buf, URI_BYTES_MAX);
    if (scheme.is_there) {
        bt_buf_put(&buf, scheme.text);
        bt_buf_put_char(&buf, ':');
    }
    if (authority.is_there) {
        bt_buf_put_text(&buf, "//");
        bt_buf_put(&buf, authority.text);
    }
    put_path(&buf, &from, &to);
    if (query.is_there) {
        bt_buf_put_char(&buf, '?');
        bt_buf_put(&buf, query.text);
    }
    const enum bt_status status = bt_buf_copy(&buf, arena, out);
    bt_buf_free(&buf);
    return status;
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

enum bt_status naive_uri_decode(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, URI_BYTES_MAX);
    for (size_t i = 0; i < text.len; i++) {
        const int high = text.ptr[i] == '%' && i + 2 < text.len ? hex_value(text.ptr[i + 1]) : -1;
        const int low = high >= 0 ? hex_value(text.ptr[i + 2]) : -1;
        if (low >= 0) {
            bt_buf_put_char(&buf, (char)(high * 16 + low));
            i += 2;
        } else {
            bt_buf_put_char(&buf, text.ptr[i]);
        }
    }
    const enum bt_status status = bt_buf_copy(&buf, arena, out);
    bt_buf_free(&buf);
    return status;
}
