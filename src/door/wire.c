/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.c - a connection that never blocks.
 */
#include "door/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void bt_wire_init(struct bt_wire *wire, int fd, size_t in_max, size_t out_max)
{
    *wire = (struct bt_wire){.fd = fd};
    bt_buf_init(&wire->in, in_max);
    bt_buf_init(&wire->out, out_max);
}

void bt_wire_free(struct bt_wire *wire)
{
    (void)close(wire->fd);
    bt_buf_free(&wire->in);
    bt_buf_free(&wire->out);
}

bt_str bt_wire_heard(const struct bt_wire *wire)
{
    return bt_str_slice(bt_buf_str(&wire->in), wire->in_done, wire->in.len);
}

size_t bt_wire_unsaid(const struct bt_wire *wire)
{
    return wire->out.len - wire->out_done;
}

/* Forget what is done with. Those who say nothing hold no memory. */
static void forget(struct bt_buf *buf, size_t *done)
{
    if (*done == buf->len) {
        bt_buf_free(buf);
        *done = 0;
    } else if (*done >= buf->len / 2) { /* so that no byte is moved often */
        memmove(buf->ptr, buf->ptr + *done, buf->len - *done);
        buf->len -= *done;
        *done = 0;
    }
}

void bt_wire_read(struct bt_wire *wire, size_t most)
{
    forget(&wire->in, &wire->in_done);
    const size_t left = wire->in.max - wire->in.len;
    const size_t size = most < left ? most : left;
    char *room = size > 0 ? bt_buf_reserve(&wire->in, size) : NULL;
    if (!room) {
        wire->is_broken = wire->is_broken || size > 0; /* no memory */
        return;
    }
    const ssize_t got = recv(wire->fd, room, size, 0);
    if (got > 0) {
        wire->in.len += (size_t)got;
    } else if (got == 0) {
        wire->is_ended = true;
    } else if (errno != EAGAIN && errno != EINTR) {
        wire->is_broken = true;
    }
}

void bt_wire_write(struct bt_wire *wire)
{
    while (!wire->is_broken && wire->out_done < wire->out.len) {
        const ssize_t sent = send(wire->fd, wire->out.ptr + wire->out_done,
                                  wire->out.len - wire->out_done, MSG_NOSIGNAL);
        if (sent >= 0) {
            wire->out_done += (size_t)sent;
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            wire->is_broken = true;
        }
    }
    forget(&wire->out, &wire->out_done);
}
