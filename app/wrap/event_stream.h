/* SPDX-License-Identifier: Apache-2.0 */
/* event_stream.h - server-sent events: bytes in pieces of any size -> events. */
#ifndef BATON_APP_WRAP_EVENT_STREAM_H
#define BATON_APP_WRAP_EVENT_STREAM_H

#include "base/buf.h"

enum { WRAP_EVENT_ID_BYTES_MAX = 1024 };

struct wrap_event_stream {
    struct bt_buf input; /* lines that are not taken yet */
    size_t taken;        /* bytes of `input` */
    size_t scanned;      /* bytes behind them in which no line ends */
    bool skips_lf;       /* the last line ended with CR, so an LF belongs to it */
    bool has_begun;      /* a byte order mark was looked for */
    bool has_data;       /* of the event that is being read */
    bool has_id;         /* of the event that is being read, too */
    struct bt_buf data;
    bool knows_id;  /* an event had an id, perhaps an empty one */
    size_t id_size; /* of the id that was read last */
    char id[WRAP_EVENT_ID_BYTES_MAX];
};

/* Begin a stream whose events and lines have at most `bytes_max` bytes. */
void wrap_event_stream_init(struct wrap_event_stream *stream, size_t bytes_max);
void wrap_event_stream_free(struct wrap_event_stream *stream);

void wrap_event_stream_add(struct wrap_event_stream *stream, bt_str bytes);
/*
 * Take the next event that has data or an id; *out is "" for one that only has an id. Lines of data
 * are joined by spaces, because a message is one line and line ends mean nothing in JSON. *out is
 * valid until the next call. False: none is complete, or the stream is broken.
 */
bool wrap_event_stream_next(struct wrap_event_stream *stream, bt_str *out);
/* True when an event is too long: nothing behind it can be read. */
bool wrap_event_stream_is_broken(const struct wrap_event_stream *stream);

#endif
