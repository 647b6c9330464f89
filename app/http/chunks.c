/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunks.c - a body that comes in chunks. Lines end in CR LF and in nothing else.
 */
#include "http/chunks.h"

#include <assert.h>

#include "base/ascii.h"
#include "http/chars.h"

enum { SIZE_DIGITS_MAX = 16 };

/* A byte of the size, or what ends it. */
static enum http_chunked take_size(struct http_chunks *chunks, char byte,
                                   const struct http_limits *limits)
{
    const int digit = bt_ascii_hex_value(byte);
    if (digit >= 0) {
        if (chunks->digits == SIZE_DIGITS_MAX) {
            return HTTP_CHUNKED_BAD;
        }
        chunks->digits++;
        chunks->left = chunks->left << 4 | (uint64_t)digit;
        return HTTP_CHUNKED_MORE;
    }
    if (chunks->digits == 0 || chunks->left > limits->body_bytes || (byte != '\r' && byte != ';')) {
        return HTTP_CHUNKED_BAD;
    }
    chunks->at = byte == '\r' ? HTTP_CHUNK_SIZE_LF : HTTP_CHUNK_EXTENSION;
    return HTTP_CHUNKED_MORE;
}

/* A byte of a line whose content does not matter. */
static enum http_chunked take_beside(struct http_chunks *chunks, char byte, enum http_chunk next,
                                     const struct http_limits *limits)
{
    if (byte == '\r') {
        chunks->at = next;
        return HTTP_CHUNKED_MORE;
    }
    if (http_is_control(byte)) {
        return HTTP_CHUNKED_BAD;
    }
    return ++chunks->beside > limits->header_bytes ? HTTP_CHUNKED_TRAILER : HTTP_CHUNKED_MORE;
}

/* The line feed after a size. */
static enum http_chunked begin_data(struct http_chunks *chunks, const struct http_limits *limits,
                                    const struct bt_buf *body)
{
    if (chunks->left > limits->body_bytes - body->len) {
        return HTTP_CHUNKED_LARGE;
    }
    chunks->at = chunks->left > 0 ? HTTP_CHUNK_DATA : HTTP_CHUNK_TRAILER;
    return HTTP_CHUNKED_MORE;
}

/* The first byte of a line of the trailer. */
static enum http_chunked begin_trailer_line(struct http_chunks *chunks, char byte,
                                            const struct http_limits *limits)
{
    if (byte == '\r') {
        chunks->at = HTTP_CHUNK_END_LF;
        return HTTP_CHUNKED_MORE;
    }
    if (!http_is_token(byte)) {
        return HTTP_CHUNKED_BAD;
    }
    chunks->at = HTTP_CHUNK_TRAILER_NAME;
    return ++chunks->lines > limits->header_count || ++chunks->beside > limits->header_bytes
               ? HTTP_CHUNKED_TRAILER
               : HTTP_CHUNKED_MORE;
}

static enum http_chunked take_trailer_name(struct http_chunks *chunks, char byte,
                                           const struct http_limits *limits)
{
    if (byte != ':' && !http_is_token(byte)) {
        return HTTP_CHUNKED_BAD;
    }
    chunks->at = byte == ':' ? HTTP_CHUNK_TRAILER_VALUE : HTTP_CHUNK_TRAILER_NAME;
    return ++chunks->beside > limits->header_bytes ? HTTP_CHUNKED_TRAILER : HTTP_CHUNKED_MORE;
}

/* The one byte that may stand here. */
static enum http_chunked expect(struct http_chunks *chunks, char byte, char wanted,
                                enum http_chunk next)
{
    chunks->at = next;
    return byte == wanted ? HTTP_CHUNKED_MORE : HTTP_CHUNKED_BAD;
}

static enum http_chunked take_byte(struct http_chunks *chunks, char byte,
                                   const struct http_limits *limits, const struct bt_buf *body)
{
    switch (chunks->at) {
    case HTTP_CHUNK_SIZE:
        return take_size(chunks, byte, limits);
    case HTTP_CHUNK_EXTENSION:
        return take_beside(chunks, byte, HTTP_CHUNK_SIZE_LF, limits);
    case HTTP_CHUNK_SIZE_LF:
        return byte == '\n' ? begin_data(chunks, limits, body) : HTTP_CHUNKED_BAD;
    case HTTP_CHUNK_DATA_CR:
        return expect(chunks, byte, '\r', HTTP_CHUNK_DATA_LF);
    case HTTP_CHUNK_DATA_LF:
        chunks->left = 0;
        chunks->digits = 0;
        return expect(chunks, byte, '\n', HTTP_CHUNK_SIZE);
    case HTTP_CHUNK_TRAILER:
        return begin_trailer_line(chunks, byte, limits);
    case HTTP_CHUNK_TRAILER_NAME:
        return take_trailer_name(chunks, byte, limits);
    case HTTP_CHUNK_TRAILER_VALUE:
        return take_beside(chunks, byte, HTTP_CHUNK_TRAILER_LF, limits);
    case HTTP_CHUNK_TRAILER_LF:
        return expect(chunks, byte, '\n', HTTP_CHUNK_TRAILER);
    case HTTP_CHUNK_END_LF:
        return byte == '\n' ? HTTP_CHUNKED_END : HTTP_CHUNKED_BAD;
    case HTTP_CHUNK_DATA:
        break;
    }
    assert(false);
    return HTTP_CHUNKED_BAD;
}

static size_t take_data(struct http_chunks *chunks, bt_str bytes, struct bt_buf *body)
{
    const size_t count = bytes.len < chunks->left ? bytes.len : (size_t)chunks->left;
    bt_buf_put(body, bt_str_slice(bytes, 0, count));
    chunks->left -= count;
    chunks->at = chunks->left > 0 ? HTTP_CHUNK_DATA : HTTP_CHUNK_DATA_CR;
    return count;
}

size_t http_chunks_take(struct http_chunks *chunks, bt_str bytes, const struct http_limits *limits,
                        struct bt_buf *body, enum http_chunked *out)
{
    size_t taken = 0;
    *out = HTTP_CHUNKED_MORE;
    while (taken < bytes.len && *out == HTTP_CHUNKED_MORE) {
        if (chunks->at == HTTP_CHUNK_DATA) {
            taken += take_data(chunks, bt_str_slice(bytes, taken, bytes.len), body);
            *out = body->status == BT_OK ? HTTP_CHUNKED_MORE : HTTP_CHUNKED_STARVED;
        } else {
            *out = take_byte(chunks, bytes.ptr[taken++], limits, body);
        }
    }
    return taken;
}
