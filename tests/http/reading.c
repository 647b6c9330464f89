/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.c - what the reader makes of some bytes, however they are cut.
 */
#include "reading.h"

enum { LINE_BYTES_MAX = 1 << 16, PIECE_MAX = 7 };

const struct http_limits reading_limits = {
    .target_bytes = 40, .header_bytes = 200, .header_count = 6, .body_bytes = 64};

static void put_request(struct bt_buf *buf, const struct http_reader *reader)
{
    struct http_request request = {0};
    http_reader_request(reader, &request);
    bt_buf_put(buf, http_method_name(request.method));
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, request.path);
    bt_buf_put_text(buf, request.query.len > 0 ? " ?" : "");
    bt_buf_put(buf, request.query);
    bt_buf_put_text(buf, " [");
    bt_buf_put(buf, request.host);
    bt_buf_put_text(buf, "] {");
    bt_buf_put(buf, request.body);
    bt_buf_put_text(buf, reader->keeps ? "}" : "} close");
}

/* Feed one piece; the bytes of it that belong to the request. */
static size_t feed(struct http_reader *reader, struct bt_arena *arena, bt_str piece)
{
    size_t taken = 0;
    while (taken < piece.len || reader->stage == HTTP_HAS_HEAD) {
        if (reader->stage == HTTP_HAS_HEAD) {
            http_reader_continue(reader);
            continue;
        }
        const size_t count = http_reader_take(reader, arena, bt_str_slice(piece, taken, piece.len));
        taken += count;
        if (count == 0 || reader->stage == HTTP_COMPLETE || reader->stage == HTTP_REFUSED) {
            break;
        }
    }
    return taken;
}

/* Read with a cut at each multiple of `piece`, or only at -piece when it is "negative". */
static void read_cut(struct bt_buf *buf, bt_str bytes, size_t piece, size_t once,
                     const struct http_limits *limits)
{
    struct http_reader reader = {0};
    struct bt_arena arena;
    size_t at = 0;
    bt_arena_init(&arena, 1 << 20);
    http_reader_begin(&reader, limits);
    while (at < bytes.len && reader.stage != HTTP_COMPLETE && reader.stage != HTTP_REFUSED) {
        size_t end = once > at ? once : bytes.len;
        end = piece > 0 && at + piece < bytes.len ? at + piece : end;
        /* A copy of its own, so that a read beyond the piece is seen by the sanitizer. */
        const bt_str part = bt_str_slice(bytes, at, end);
        char *copy = malloc(part.len);
        assert_non_null(copy);
        memcpy(copy, part.ptr, part.len);
        at += feed(&reader, &arena, (bt_str){copy, part.len});
        free(copy);
    }
    switch (reader.stage) {
    case HTTP_REFUSED:
        bt_buf_printf(buf, "%u", http_error_status(reader.error));
        break;
    case HTTP_COMPLETE:
        put_request(buf, &reader);
        bt_buf_put_text(buf, at < bytes.len ? " +" : "");
        bt_buf_put(buf, bt_str_slice(bytes, at, bytes.len));
        break;
    case HTTP_READS_HEAD:
    case HTTP_HAS_HEAD:
        bt_buf_put_text(buf, "more head");
        break;
    case HTTP_READS_BODY:
        bt_buf_put_text(buf, "more body");
        break;
    }
    http_reader_free(&reader);
    bt_arena_free(&arena);
}

void reading_put(struct bt_buf *buf, bt_str bytes, size_t piece, const struct http_limits *limits)
{
    read_cut(buf, bytes, piece, 0, limits);
}

static void expect_cut(bt_str bytes, size_t piece, size_t once, const char *expected)
{
    struct bt_buf buf;
    bt_buf_init(&buf, LINE_BYTES_MAX);
    read_cut(&buf, bytes, piece, once, &reading_limits);
    if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(expected))) {
        fail_msg("%.*s\ncut in pieces of %zu, or at %zu: got %.*s, expected %s", BT_STR_ARG(bytes),
                 piece, once, BT_STR_ARG(bt_buf_str(&buf)), expected);
    }
    bt_buf_free(&buf);
}

void expect_reading(bt_str bytes, const char *expected)
{
    expect_cut(bytes, 0, 0, expected);
    for (size_t piece = 1; piece <= PIECE_MAX; piece++) {
        expect_cut(bytes, piece, 0, expected);
    }
    for (size_t at = 1; at < bytes.len; at++) {
        expect_cut(bytes, 0, at, expected);
    }
}

void expect_all(const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_reading(samples[i].bytes, samples[i].expected);
    }
}
