/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - read and write without blocking, in clear or over TLS.
 */
#include "net/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void bt_net_connection_init(struct bt_net_connection *connection, int fd, size_t in_max,
                            size_t out_max)
{
    *connection = (struct bt_net_connection){.fd = fd};
    bt_buf_init(&connection->in, in_max);
    bt_buf_init(&connection->out, out_max);
}

bool bt_net_connection_start_tls(struct bt_net_connection *connection, struct bt_tls_context *tls,
                                 bt_str host)
{
    connection->tls = bt_tls_connection_create(tls, connection->fd, host);
    return connection->tls != NULL;
}

void bt_net_connection_free(struct bt_net_connection *connection)
{
    bt_tls_connection_destroy(connection->tls);
    (void)close(connection->fd);
    bt_buf_free(&connection->in);
    bt_buf_free(&connection->out);
}

bt_str bt_net_connection_received(const struct bt_net_connection *connection)
{
    return bt_str_slice(bt_buf_str(&connection->in), connection->in_done, connection->in.len);
}

size_t bt_net_connection_unsent(const struct bt_net_connection *connection)
{
    return connection->out.len - connection->out_done;
}

/* Drop the bytes that are done with. An idle connection holds no memory. */
static void discard_done_bytes(struct bt_buf *buf, size_t *done)
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

/* Record why a call moved no bytes; `count` is what recv() or send() returned. */
static void note_failure(struct bt_net_connection *connection, ssize_t count)
{
    const bool is_broken = count < 0 && errno != EAGAIN && errno != EINTR;
    connection->peer_has_closed = connection->peer_has_closed || count == 0;
    connection->is_broken = connection->is_broken || is_broken;
    connection->wants_writing = connection->tls && bt_tls_connection_wants_write(connection->tls);
}

/* The number of bytes received; 0: there are none now. */
static size_t receive_bytes(struct bt_net_connection *connection, char *room, size_t size)
{
    const ssize_t count = connection->tls ? bt_tls_connection_recv(connection->tls, room, size)
                                          : recv(connection->fd, room, size, 0);
    if (count <= 0) {
        note_failure(connection, count);
        return 0;
    }
    connection->is_unread = connection->tls && bt_tls_connection_has_pending(connection->tls);
    return (size_t)count;
}

/* The number of bytes sent; 0: no more can be sent now. */
static size_t send_bytes(struct bt_net_connection *connection, const char *text, size_t size)
{
    ssize_t count = 0;
    do {
        count = connection->tls ? bt_tls_connection_send(connection->tls, text, size)
                                : send(connection->fd, text, size, MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        note_failure(connection, count);
        return 0;
    }
    return (size_t)count;
}

void bt_net_connection_read(struct bt_net_connection *connection, size_t most)
{
    discard_done_bytes(&connection->in, &connection->in_done);
    const size_t left = connection->in.max - connection->in.len;
    const size_t size = most < left ? most : left;
    char *room = size > 0 ? bt_buf_reserve(&connection->in, size) : NULL;
    if (!room) {
        connection->is_broken = connection->is_broken || size > 0; /* out of memory */
        return;
    }
    connection->is_unread = false;
    connection->in.len += receive_bytes(connection, room, size);
}

void bt_net_connection_write(struct bt_net_connection *connection)
{
    size_t sent = 1;
    while (!connection->is_broken && sent > 0 && connection->out_done < connection->out.len) {
        sent = send_bytes(connection, connection->out.ptr + connection->out_done,
                          connection->out.len - connection->out_done);
        connection->out_done += sent;
    }
    discard_done_bytes(&connection->out, &connection->out_done);
}
