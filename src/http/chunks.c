/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.c - a chunked body. Lines must end in CR LF. */
#include "http/chunks.h"

#include <assert.h>

#include "base/ascii.h"
#include "http/chars.h"

enum { SIZE_DIGITS_MAX = 16 };

/* A byte of the size, or the end of it. */
static enum http_chunk_result take_size(struct http_chunks *chunks, char byte,
                                        const struct http_limits *limits)
{
    const int digit = bt_ascii_hex_value(byte);
    if (digit >= 0) {
        if (chunks->digits == SIZE_DIGITS_MAX) {
            return HTTP_CHUNK_RESULT_BAD;
        }
        chunks->digits++;
        chunks->left = chunks->left << 4 | (uint64_t)digit;
        return HTTP_CHUNK_RESULT_MORE;
    }
    if (chunks->digits == 0 || chunks->left > limits->body_bytes || (byte != '\r' && byte != ';')) {
        return HTTP_CHUNK_RESULT_BAD;
    }
    chunks->at = byte == '\r' ? HTTP_CHUNK_STATE_SIZE_LF : HTTP_CHUNK_STATE_EXTENSION;
    return HTTP_CHUNK_RESULT_MORE;
}

/* A byte of a line whose content does not matter. */
static enum http_chunk_result skip_line_byte(struct http_chunks *chunks, char byte,
                                             enum http_chunk_state next,
                                             const struct http_limits *limits)
{
    if (byte == '\r') {
        chunks->at = next;
        return HTTP_CHUNK_RESULT_MORE;
    }
    if (http_is_control(byte)) {
        return HTTP_CHUNK_RESULT_BAD;
    }
    return ++chunks->ignored_bytes > limits->header_bytes ? HTTP_CHUNK_RESULT_TRAILER
                                                          : HTTP_CHUNK_RESULT_MORE;
}

/* The line feed after a size. */
static enum http_chunk_result
begin_data(struct http_chunks *chunks, const struct http_limits *limits, const struct bt_buf *body)
{
    if (chunks->left > limits->body_bytes - body->len) {
        return HTTP_CHUNK_RESULT_LARGE;
    }
    chunks->at = chunks->left > 0 ? HTTP_CHUNK_STATE_DATA : HTTP_CHUNK_STATE_TRAILER;
    return HTTP_CHUNK_RESULT_MORE;
}

/* The first byte of a line of the trailer. */
static enum http_chunk_result begin_trailer_line(struct http_chunks *chunks, char byte,
                                                 const struct http_limits *limits)
{
    if (byte == '\r') {
        chunks->at = HTTP_CHUNK_STATE_END_LF;
        return HTTP_CHUNK_RESULT_MORE;
    }
    if (!http_is_token(byte)) {
        return HTTP_CHUNK_RESULT_BAD;
    }
    chunks->at = HTTP_CHUNK_STATE_TRAILER_NAME;
    return ++chunks->lines > limits->header_count || ++chunks->ignored_bytes > limits->header_bytes
               ? HTTP_CHUNK_RESULT_TRAILER
               : HTTP_CHUNK_RESULT_MORE;
}

static enum http_chunk_result take_trailer_name(struct http_chunks *chunks, char byte,
                                                const struct http_limits *limits)
{
    if (byte != ':' && !http_is_token(byte)) {
        return HTTP_CHUNK_RESULT_BAD;
    }
    chunks->at = byte == ':' ? HTTP_CHUNK_STATE_TRAILER_VALUE : HTTP_CHUNK_STATE_TRAILER_NAME;
    return ++chunks->ignored_bytes > limits->header_bytes ? HTTP_CHUNK_RESULT_TRAILER
                                                          : HTTP_CHUNK_RESULT_MORE;
}

/* The only byte that is allowed here. */
static enum http_chunk_result expect_byte(struct http_chunks *chunks, char byte, char wanted,
                                          enum http_chunk_state next)
{
    chunks->at = next;
    return byte == wanted ? HTTP_CHUNK_RESULT_MORE : HTTP_CHUNK_RESULT_BAD;
}

static enum http_chunk_result take_byte(struct http_chunks *chunks, char byte,
                                        const struct http_limits *limits, const struct bt_buf *body)
{
    switch (chunks->at) {
    case HTTP_CHUNK_STATE_SIZE:
        return take_size(chunks, byte, limits);
    case HTTP_CHUNK_STATE_EXTENSION:
        return skip_line_byte(chunks, byte, HTTP_CHUNK_STATE_SIZE_LF, limits);
    case HTTP_CHUNK_STATE_SIZE_LF:
        return byte == '\n' ? begin_data(chunks, limits, body) : HTTP_CHUNK_RESULT_BAD;
    case HTTP_CHUNK_STATE_DATA_CR:
        return expect_byte(chunks, byte, '\r', HTTP_CHUNK_STATE_DATA_LF);
    case HTTP_CHUNK_STATE_DATA_LF:
        chunks->left = 0;
        chunks->digits = 0;
        return expect_byte(chunks, byte, '\n', HTTP_CHUNK_STATE_SIZE);
    case HTTP_CHUNK_STATE_TRAILER:
        return begin_trailer_line(chunks, byte, limits);
    case HTTP_CHUNK_STATE_TRAILER_NAME:
        return take_trailer_name(chunks, byte, limits);
    case HTTP_CHUNK_STATE_TRAILER_VALUE:
        return skip_line_byte(chunks, byte, HTTP_CHUNK_STATE_TRAILER_LF, limits);
    case HTTP_CHUNK_STATE_TRAILER_LF:
        return expect_byte(chunks, byte, '\n', HTTP_CHUNK_STATE_TRAILER);
    case HTTP_CHUNK_STATE_END_LF:
        return byte == '\n' ? HTTP_CHUNK_RESULT_END : HTTP_CHUNK_RESULT_BAD;
    case HTTP_CHUNK_STATE_DATA:
        break;
    }
    assert(false);
    return HTTP_CHUNK_RESULT_BAD;
}

static size_t take_data(struct http_chunks *chunks, bt_str bytes, struct bt_buf *body)
{
    const size_t count = bytes.len < chunks->left ? bytes.len : (size_t)chunks->left;
    bt_buf_put(body, bt_str_slice(bytes, 0, count));
    chunks->left -= count;
    chunks->at = chunks->left > 0 ? HTTP_CHUNK_STATE_DATA : HTTP_CHUNK_STATE_DATA_CR;
    return count;
}

size_t http_chunks_take(struct http_chunks *chunks, bt_str bytes, const struct http_limits *limits,
                        struct bt_buf *body, enum http_chunk_result *out)
{
    size_t taken = 0;
    *out = HTTP_CHUNK_RESULT_MORE;
    while (taken < bytes.len && *out == HTTP_CHUNK_RESULT_MORE) {
        if (chunks->at == HTTP_CHUNK_STATE_DATA) {
            taken += take_data(chunks, bt_str_slice(bytes, taken, bytes.len), body);
            *out = body->status == BT_OK ? HTTP_CHUNK_RESULT_MORE : HTTP_CHUNK_RESULT_NO_MEMORY;
        } else {
            *out = take_byte(chunks, bytes.ptr[taken++], limits, body);
        }
    }
    return taken;
}
