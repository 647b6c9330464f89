/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.h - a chunked body (RFC 9112 section 7.1), byte by byte. */
#ifndef BATON_SRC_HTTP_CHUNKS_H
#define BATON_SRC_HTTP_CHUNKS_H

#include "http/http.h"

/* The position within the chunks. */
enum http_chunk_state {
    HTTP_CHUNK_STATE_SIZE = 0,
    HTTP_CHUNK_STATE_EXTENSION,
    HTTP_CHUNK_STATE_SIZE_LF,
    HTTP_CHUNK_STATE_DATA,
    HTTP_CHUNK_STATE_DATA_CR,
    HTTP_CHUNK_STATE_DATA_LF,
    HTTP_CHUNK_STATE_TRAILER, /* at the beginning of a line */
    HTTP_CHUNK_STATE_TRAILER_NAME,
    HTTP_CHUNK_STATE_TRAILER_VALUE,
    HTTP_CHUNK_STATE_TRAILER_LF,
    HTTP_CHUNK_STATE_END_LF,
};

struct http_chunks {
    enum http_chunk_state at;
    uint64_t left; /* bytes left of the chunk, or its size as read so far */
    size_t digits;
    size_t ignored_bytes; /* bytes of extensions and of the trailer */
    size_t lines;         /* of the trailer */
};

enum http_chunk_result {
    HTTP_CHUNK_RESULT_MORE = 1,
    HTTP_CHUNK_RESULT_END,
    HTTP_CHUNK_RESULT_BAD,     /* malformed, or a chunk that is larger than a body may be */
    HTTP_CHUNK_RESULT_LARGE,   /* all chunks are larger than a body may be */
    HTTP_CHUNK_RESULT_TRAILER, /* extensions and trailer are larger than a head may be */
    HTTP_CHUNK_RESULT_NO_MEMORY,
};

/* Take bytes; the data goes to `body`. Returns how many bytes belong to the chunks. */
BT_MUST_USE size_t http_chunks_take(struct http_chunks *chunks, bt_str bytes,
                                    const struct http_limits *limits, struct bt_buf *body,
                                    enum http_chunk_result *out);

#endif
