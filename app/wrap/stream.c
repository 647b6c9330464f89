/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - lines of a buffer, and what the kernel tells about a pipe or a socket. */
#include "wrap/stream.h"

#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>

void wrap_stream_init(struct wrap_stream *stream, size_t most)
{
    int unread = 0;
    bt_buf_init(&stream->input, most);
    /* FIONREAD of a socket counts what was sent to us; of a pipe, what was not read at its end */
    stream->unread_request = ioctl(stream->out_fd, SIOCOUTQ, &unread) == 0 ? SIOCOUTQ : FIONREAD;
}

bt_str wrap_stream_rest(const struct wrap_stream *stream)
{
    return bt_str_slice(bt_buf_str(&stream->input), stream->taken, stream->input.len);
}

bool wrap_stream_find_line(struct wrap_stream *stream, bt_str *out)
{
    const bt_str rest = wrap_stream_rest(stream);
    stream->scanned = bt_str_find_byte(rest, '\n', stream->scanned);
    *out = bt_str_slice(rest, 0, stream->scanned);
    return stream->scanned < rest.len;
}

void wrap_stream_clear(struct wrap_stream *stream)
{
    bt_buf_clear(&stream->input);
    stream->taken = 0;
    stream->scanned = 0;
}

void wrap_stream_compact(struct wrap_stream *stream)
{
    struct bt_buf *input = &stream->input;
    memmove(input->ptr, input->ptr + stream->taken, input->len - stream->taken);
    input->len -= stream->taken;
    stream->taken = 0;
}

bool wrap_stream_is_unread(const struct wrap_stream *stream)
{
    int unread = 0;
    return stream->out_fd >= 0 && ioctl(stream->out_fd, stream->unread_request, &unread) == 0 &&
           unread > 0;
}

bool wrap_can_write(int fd)
{
    struct pollfd out = {.fd = fd, .events = POLLOUT};
    return poll(&out, 1, 0) > 0;
}
