/* SPDX-License-Identifier: Apache-2.0 */
/* event_stream.h - server-sent events: bytes in pieces of any size -> events. */
#ifndef BATON_APP_WRAP_EVENT_STREAM_H
#define BATON_APP_WRAP_EVENT_STREAM_H

#include "base/buf.h"

enum { WRAP_EVENT_ID_BYTES_MAX = 1024 };

struct wrap_event_stream {
    struct bt_buf input; /* lines that are not taken yet */
    size_t taken;        /* bytes of `input` */
    bool has_begun;      /* a byte order mark was looked for */
    bool has_data;       /* of the event that is being read */
    struct bt_buf data;
    size_t id_size; /* of the id that was read last */
    char id[WRAP_EVENT_ID_BYTES_MAX];
};

/* Begin a stream whose events and lines have at most `bytes_max` bytes. */
void wrap_event_stream_init(struct wrap_event_stream *stream, size_t bytes_max);
void wrap_event_stream_free(struct wrap_event_stream *stream);

/* Add bytes. False: an event is too long. */
BT_MUST_USE bool wrap_event_stream_add(struct wrap_event_stream *stream, bt_str bytes);
/*
 * Take the next event that has data. Its lines are joined by spaces, because a message is one line
 * and line ends mean nothing in JSON. *out is valid until the next call. False: none is complete.
 */
bool wrap_event_stream_next(struct wrap_event_stream *stream, bt_str *out);

#endif
