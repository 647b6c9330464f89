/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - bytes -> request or refusal, a pure function of the bytes.
 *
 * Bytes may come in pieces of any size: the pieces never change the result. Everything that two
 * parsers could understand differently is refused (RFC 9112, read strictly).
 */
#ifndef BATON_SRC_HTTP_READER_H
#define BATON_SRC_HTTP_READER_H

#include "http/chunks.h"

/* The state of the reader, and what it needs. */
enum http_stage {
    HTTP_READS_HEAD = 1, /* more bytes of the head */
    HTTP_HAS_HEAD,       /* the head is complete: check it, then call http_reader_continue() */
    HTTP_READS_BODY,     /* more bytes of the body */
    HTTP_COMPLETE,       /* the request is complete */
    HTTP_REFUSED,        /* the request is refused */
};

/* A line of the head, as offsets: the buffer moves while it grows. */
struct http_line {
    size_t name;
    size_t name_end;
    size_t value;
    size_t value_end;
};

/* The lines of the fields, in the arena. */
struct http_lines {
    struct http_line *items;
    size_t count;
    size_t capacity;
};

/* The target, as offsets in the head. */
struct http_target {
    size_t begin;
    size_t end;
};

/* The parts of the URL. */
struct http_request_url {
    bt_str path;
    bt_str raw_path;
    bt_str query;
    bt_str host;
};

struct http_reader {
    const struct http_limits *limits;
    enum http_stage stage;
    enum http_error error; /* when refused */
    struct bt_buf head;    /* as received */
    size_t line;           /* offset of the line that is being read */
    size_t fields_at;      /* offset of the first field */
    bool after_cr;
    struct http_lines lines;
    struct http_target target;
    enum http_method method;
    bool is_http_1_0;
    bool is_chunked;
    bool has_length;
    bool expects; /* the client waits for 100 Continue */
    bool keeps;   /* the connection may be used again */
    uint64_t length;
    struct bt_buf body;
    struct http_chunks chunks;
    struct http_field *fields; /* in the arena */
    struct http_request_url url;
};

/* Begin a request. `limits` must outlive it. The buffers are reused. */
void http_reader_begin(struct http_reader *reader, const struct http_limits *limits);
/* Free the buffers. */
void http_reader_free(struct http_reader *reader);

/* Take bytes, and return how many of them belong to this request. Results are in the arena. */
BT_MUST_USE size_t http_reader_take(struct http_reader *reader, struct bt_arena *arena,
                                    bt_str bytes);
/* After HTTP_HAS_HEAD: read the body, if there is one. A body that is too long is refused only
 * here, so that unauthenticated callers first learn that they are unauthenticated. */
void http_reader_continue(struct http_reader *reader);
/* The request as far as it was read. It points into the reader and the arena. */
void http_reader_request(const struct http_reader *reader, struct http_request *out);

#endif
