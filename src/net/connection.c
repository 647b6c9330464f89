/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - read and write without blocking, in clear or over TLS.
 */
#include "net/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

void bt_net_connection_init(struct bt_net_connection *connection, int fd, size_t in_max,
                            size_t out_max)
{
    *connection = (struct bt_net_connection){.fd = fd};
    bt_buf_init(&connection->in, in_max);
    bt_buf_init(&connection->out, out_max);
}

void bt_net_connection_free(struct bt_net_connection *connection)
{
    SSL_free(connection->tls);
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

/* Record why a TLS call moved no bytes. */
static void note_tls(struct bt_net_connection *connection, int result)
{
    const int failure = SSL_get_error(connection->tls, result);
    ERR_clear_error();
    connection->wants_writing = failure == SSL_ERROR_WANT_WRITE;
    connection->peer_has_closed = connection->peer_has_closed || failure == SSL_ERROR_ZERO_RETURN;
    connection->is_broken =
        connection->is_broken || (failure != SSL_ERROR_WANT_READ && !connection->wants_writing &&
                                  failure != SSL_ERROR_ZERO_RETURN);
}

static size_t receive_tls(struct bt_net_connection *connection, char *room, size_t size)
{
    size_t got = 0;
    const int result = SSL_read_ex(connection->tls, room, size, &got);
    if (result != 1) {
        note_tls(connection, result);
        return 0;
    }
    connection->is_unread = SSL_pending(connection->tls) > 0;
    return got;
}

static size_t receive_plain(struct bt_net_connection *connection, char *room, size_t size)
{
    const ssize_t got = recv(connection->fd, room, size, 0);
    if (got > 0) {
        return (size_t)got;
    }
    connection->peer_has_closed = connection->peer_has_closed || got == 0;
    connection->is_broken = connection->is_broken || (got < 0 && errno != EAGAIN && errno != EINTR);
    return 0;
}

/* The number of bytes sent; 0: no more can be sent now. */
static size_t send_bytes(struct bt_net_connection *connection, const char *text, size_t size)
{
    if (connection->tls) {
        size_t sent = 0;
        const int result = SSL_write_ex(connection->tls, text, size, &sent);
        if (result != 1) {
            note_tls(connection, result);
        }
        return sent;
    }
    ssize_t sent = 0;
    do {
        sent = send(connection->fd, text, size, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    connection->is_broken = connection->is_broken || (sent < 0 && errno != EAGAIN);
    return sent > 0 ? (size_t)sent : 0;
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
    connection->in.len += connection->tls ? receive_tls(connection, room, size)
                                          : receive_plain(connection, room, size);
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
