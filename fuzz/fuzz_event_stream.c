/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_event_stream.c - any bytes at all, as server-sent events.
 *
 * Promise: whether the bytes come at once, one by one or in pieces of seven, the same events and
 * the same last id are found, and no event has a line end.
 */
#include "base/str.h"

#include "fuzz.h"
#include "wrap/event_stream.h"

/* Put the events of the bytes, which come in pieces, and the last id. */
static void put_events(bt_str bytes, size_t piece, struct bt_buf *out)
{
    struct wrap_event_stream stream;
    bt_str event;
    wrap_event_stream_init(&stream, FUZZ_BUF_BYTES);
    for (size_t at = 0; at < bytes.len; at += piece) {
        const size_t end = bytes.len - at < piece ? bytes.len : at + piece;
        wrap_event_stream_add(&stream, bt_str_slice(bytes, at, end));
        PROMISE(!wrap_event_stream_is_broken(&stream));
        while (wrap_event_stream_next(&stream, &event)) {
            PROMISE(bt_str_find_byte(event, '\n', 0) == event.len);
            PROMISE(bt_str_find_byte(event, '\r', 0) == event.len);
            bt_buf_put(out, event);
            bt_buf_put_char(out, '\n');
        }
    }
    bt_buf_put(out, (bt_str){stream.id, stream.id_size});
    wrap_event_stream_free(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[] = {1, 7, SIZE_MAX / 2};
    struct bt_buf found[BT_COUNT_OF(pieces)];
    for (size_t i = 0; i < BT_COUNT_OF(pieces); i++) {
        bt_buf_init(&found[i], FUZZ_BUF_BYTES);
        put_events(fuzz_text(data, size), pieces[i], &found[i]);
        PROMISE(bt_str_eq(bt_buf_str(&found[i]), bt_buf_str(&found[0])));
    }
    for (size_t i = 0; i < BT_COUNT_OF(pieces); i++) {
        bt_buf_free(&found[i]);
    }
    return 0;
}
