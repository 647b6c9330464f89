/* SPDX-License-Identifier: Apache-2.0 */
/* event_stream.c - the lines of an event stream (WHATWG HTML, section 9.2): data and id. */
#include "wrap/event_stream.h"

#include <string.h>

void wrap_event_stream_init(struct wrap_event_stream *stream, size_t bytes_max)
{
    *stream = (struct wrap_event_stream){.taken = 0};
    bt_buf_init(&stream->input, bytes_max);
    bt_buf_init(&stream->data, bytes_max);
}

void wrap_event_stream_free(struct wrap_event_stream *stream)
{
    bt_buf_free(&stream->input);
    bt_buf_free(&stream->data);
}

bool wrap_event_stream_is_broken(const struct wrap_event_stream *stream)
{
    return stream->input.status != BT_OK || stream->data.status != BT_OK;
}

void wrap_event_stream_add(struct wrap_event_stream *stream, bt_str bytes)
{
    struct bt_buf *input = &stream->input;
    if (stream->taken > 0) {
        memmove(input->ptr, input->ptr + stream->taken, input->len - stream->taken);
        input->len -= stream->taken;
        stream->taken = 0;
    }
    bt_buf_put(input, bytes);
}

/* Take a line, which ends with LF, CR or both. False: it is not complete. */
static bool take_line(struct wrap_event_stream *stream, bt_str *out)
{
    const bt_str input = bt_buf_str(&stream->input);
    if (stream->skips_lf && stream->taken < input.len) {
        stream->taken += input.ptr[stream->taken] == '\n';
        stream->skips_lf = false;
    }
    size_t end = stream->taken + stream->scanned;
    while (end < input.len && input.ptr[end] != '\n' && input.ptr[end] != '\r') {
        end++;
    }
    stream->scanned = end - stream->taken;
    if (end == input.len) {
        return false;
    }
    *out = bt_str_slice(input, stream->taken, end);
    stream->taken = end + 1;
    stream->scanned = 0;
    stream->skips_lf = input.ptr[end] == '\r';
    if (!stream->has_begun && bt_str_starts_with(*out, BT_STR("\xef\xbb\xbf"))) {
        *out = bt_str_slice(*out, 3, out->len);
    }
    stream->has_begun = true;
    return true;
}

static void take_field(struct wrap_event_stream *stream, bt_str line)
{
    const size_t colon = bt_str_find_byte(line, ':', 0);
    const bt_str name = bt_str_slice(line, 0, colon);
    bt_str value = colon < line.len ? bt_str_slice(line, colon + 1, line.len) : BT_STR("");
    if (bt_str_starts_with(value, BT_STR(" "))) {
        value = bt_str_slice(value, 1, value.len);
    }
    if (bt_str_eq(name, BT_STR("data"))) {
        if (stream->has_data) {
            bt_buf_put_char(&stream->data, ' ');
        }
        bt_buf_put(&stream->data, value);
        stream->has_data = true;
    } else if (bt_str_eq(name, BT_STR("id")) && value.len <= sizeof(stream->id) &&
               bt_str_find_byte(value, '\0', 0) == value.len) {
        memcpy(stream->id, value.ptr, value.len);
        stream->id_size = value.len;
        stream->has_id = true;
        stream->knows_id = true;
    }
}

bool wrap_event_stream_next(struct wrap_event_stream *stream, bt_str *out)
{
    bt_str line;
    if (!stream->has_data) {
        bt_buf_clear(&stream->data);
    }
    while (take_line(stream, &line)) {
        if (line.len > 0) {
            take_field(stream, line);
        } else if (stream->has_data || stream->has_id) {
            stream->has_data = false;
            stream->has_id = false;
            *out = bt_buf_str(&stream->data);
            return !wrap_event_stream_is_broken(stream);
        }
    }
    return false;
}
