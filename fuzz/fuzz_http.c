/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_http.c - any bytes as requests of HTTP/1.1; the first byte says where they are cut.
 *
 * Promises: how the bytes are cut never changes what is read; what is accepted, written again in
 * the plainest form, is read as the same request; nothing is larger than its limit; a path has no
 * segment that climbs.
 */
#include "fuzz.h"

#include "http/reader.h"

static const struct http_limits limits = {
    .target_bytes = 256, .header_bytes = 1024, .header_count = 20, .body_bytes = 1024};

struct reading {
    struct http_reader reader;
    struct bt_arena arena;
    struct http_request request;
    size_t taken;
};

static bool is_over(const struct http_reader *reader)
{
    return reader->stage == HTTP_COMPLETE || reader->stage == HTTP_REFUSED;
}

static void begin(struct reading *reading)
{
    *reading = (struct reading){0};
    bt_arena_init(&reading->arena, FUZZ_ARENA_BYTES);
    http_reader_begin(&reading->reader, &limits);
}

static void end(struct reading *reading)
{
    http_reader_free(&reading->reader);
    bt_arena_free(&reading->arena);
}

static void feed(struct reading *reading, bt_str piece)
{
    size_t at = 0;
    while (!is_over(&reading->reader)) {
        if (reading->reader.stage == HTTP_HAS_HEAD) {
            http_reader_continue(&reading->reader);
            continue;
        }
        if (at == piece.len) {
            return;
        }
        const size_t count =
            http_reader_take(&reading->reader, &reading->arena, bt_str_slice(piece, at, piece.len));
        PROMISE(count > 0 && count <= piece.len - at);
        at += count;
        reading->taken += count;
    }
}

/* Read in pieces of this size; 0 is all at once. */
static void read_all(struct reading *reading, bt_str bytes, size_t piece)
{
    begin(reading);
    for (size_t at = 0; at < bytes.len && !is_over(&reading->reader);) {
        const size_t end_at = piece > 0 ? at + piece : bytes.len;
        feed(reading, bt_str_slice(bytes, at, end_at));
        at = end_at;
    }
    http_reader_request(&reading->reader, &reading->request);
}

static void same_fields(const struct http_request *a, const struct http_request *b)
{
    PROMISE(a->field_count == b->field_count);
    for (size_t i = 0; i < a->field_count; i++) {
        PROMISE(bt_str_eq(a->fields[i].name, b->fields[i].name));
        PROMISE(bt_str_eq(a->fields[i].value, b->fields[i].value));
    }
}

static void same_request(const struct http_request *a, const struct http_request *b)
{
    PROMISE(a->method == b->method && a->is_http_1_0 == b->is_http_1_0);
    PROMISE(bt_str_eq(a->path, b->path) && bt_str_eq(a->query, b->query));
    PROMISE(bt_str_eq(a->host, b->host) && bt_str_eq(a->body, b->body));
}

static void cuts_change_nothing(const struct reading *whole, bt_str bytes, size_t piece)
{
    struct reading cut;
    read_all(&cut, bytes, piece);
    PROMISE(cut.reader.stage == whole->reader.stage);
    PROMISE(cut.reader.keeps == whole->reader.keeps);
    PROMISE(cut.taken == whole->taken);
    if (whole->reader.stage == HTTP_REFUSED) {
        PROMISE(cut.reader.error == whole->reader.error);
    } else if (whole->reader.stage == HTTP_COMPLETE) {
        same_request(&cut.request, &whole->request);
        same_fields(&cut.request, &whole->request);
    }
    end(&cut);
}

static void is_plain(const struct http_request *request)
{
    const bt_str path = request->path;
    PROMISE(path.len > 0 && path.ptr[0] == '/');
    PROMISE(request->target.len <= limits.target_bytes);
    PROMISE(request->field_count <= limits.header_count);
    PROMISE(request->body.len <= limits.body_bytes);
    PROMISE(!memchr(path.ptr, '\0', path.len));
    for (size_t i = 0; i + 2 < path.len; i++) {
        const bool climbs =
            memcmp(path.ptr + i, "/..", 3) == 0 && (i + 3 == path.len || path.ptr[i + 3] == '/');
        PROMISE(!climbs);
        PROMISE(!(path.ptr[i] == '/' && path.ptr[i + 1] == '/'));
    }
}

/* Write what was read without chunks, absolute targets and odd blanks; that is the same request. */
static void rereads(const struct http_request *request)
{
    struct bt_buf buf;
    struct reading again;
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    bt_buf_put(&buf, http_method_name(request->method));
    bt_buf_put_char(&buf, ' ');
    bt_buf_put(&buf, request->raw_path);
    bt_buf_put_text(&buf, request->query.len > 0 ? "?" : "");
    bt_buf_put(&buf, request->query);
    bt_buf_put_text(&buf, request->is_http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
    bt_buf_put_text(&buf, "host: ");
    bt_buf_put(&buf, request->host);
    bt_buf_printf(&buf, "\r\ncontent-length: %zu\r\n\r\n", request->body.len);
    bt_buf_put(&buf, request->body);
    read_all(&again, bt_buf_str(&buf), 0);
    PROMISE(again.reader.stage == HTTP_COMPLETE);
    same_request(&again.request, request);
    end(&again);
    bt_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct reading whole;
    const bt_str bytes = fuzz_text(data + 1, size - 1);
    read_all(&whole, bytes, 0);
    cuts_change_nothing(&whole, bytes, 1);
    cuts_change_nothing(&whole, bytes, (size_t)data[0] + 1);
    if (whole.reader.stage == HTTP_COMPLETE) {
        is_plain(&whole.request);
        rereads(&whole.request);
    }
    end(&whole);
    return 0;
}
