/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunks.h - a body that comes in chunks (RFC 9112 section 7.1), byte by byte.
 */
#ifndef BATON_APP_HTTP_CHUNKS_H
#define BATON_APP_HTTP_CHUNKS_H

#include "http/http.h"

/* Where in the chunks we are. */
enum http_chunk {
    HTTP_CHUNK_SIZE = 0,
    HTTP_CHUNK_EXTENSION,
    HTTP_CHUNK_SIZE_LF,
    HTTP_CHUNK_DATA,
    HTTP_CHUNK_DATA_CR,
    HTTP_CHUNK_DATA_LF,
    HTTP_CHUNK_TRAILER, /* at the beginning of a line */
    HTTP_CHUNK_TRAILER_NAME,
    HTTP_CHUNK_TRAILER_VALUE,
    HTTP_CHUNK_TRAILER_LF,
    HTTP_CHUNK_END_LF,
};

struct http_chunks {
    enum http_chunk at;
    uint64_t left; /* bytes of the chunk, or its size as far as it is read */
    size_t digits;
    size_t beside; /* bytes of extensions and of the trailer */
    size_t lines;  /* of the trailer */
};

enum http_chunked {
    HTTP_CHUNKED_MORE = 1,
    HTTP_CHUNKED_END,
    HTTP_CHUNKED_BAD,     /* not of the form, or a chunk that is larger than a body may be */
    HTTP_CHUNKED_LARGE,   /* all of them together are larger than a body may be */
    HTTP_CHUNKED_TRAILER, /* more than a head may have stands beside the data */
    HTTP_CHUNKED_STARVED,
};

/* Take bytes; the data goes to `body`. Returns how many bytes belong to the chunks. */
BT_MUST_USE size_t http_chunks_take(struct http_chunks *chunks, bt_str bytes,
                                    const struct http_limits *limits, struct bt_buf *body,
                                    enum http_chunked *out);

#endif
