/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - one side of a conversation: its descriptors, and the lines that were read from it. */
#ifndef BATON_APP_WRAP_STREAM_H
#define BATON_APP_WRAP_STREAM_H

#include "base/buf.h"

/* What comes from one side, and what waits for it. */
struct wrap_stream {
    int in_fd;  /* -1: it has ended */
    int out_fd; /* -1: closed */
    struct bt_buf input;
    size_t taken;                 /* bytes of `input` that are done ... */
    size_t scanned;               /* ... and those behind them that have no line feed */
    bool is_skipping;             /* the rest of a line that is too long */
    size_t sent;                  /* bytes of session->to[side] that were written */
    unsigned long unread_request; /* what asks the kernel how much was not read yet */
};

/* Begin to read at most `most` bytes of lines at a time; the descriptors are set. */
void wrap_stream_init(struct wrap_stream *stream, size_t most);

/* What was read and is not taken yet. */
bt_str wrap_stream_rest(const struct wrap_stream *stream);
/* Find the next complete line. Bytes are searched once, however slowly a line arrives. */
bool wrap_stream_find_line(struct wrap_stream *stream, bt_str *out);
/* Forget what was read. */
void wrap_stream_clear(struct wrap_stream *stream);
/* Forget what is taken, so that there is room behind the rest. */
void wrap_stream_compact(struct wrap_stream *stream);

/* True when the reader of a pipe or local socket has not taken all that was written to it. */
bool wrap_stream_is_unread(const struct wrap_stream *stream);
/* True when a small write would not block. */
bool wrap_can_write(int fd);

#endif
