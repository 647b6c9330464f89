/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.c - a connection that never blocks.
 */
#include "pump_net/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

void bt_net_connection_init(struct bt_net_connection *wire, int fd, size_t in_max, size_t out_max)
{
    *wire = (struct bt_net_connection){.fd = fd};
    bt_buf_init(&wire->in, in_max);
    bt_buf_init(&wire->out, out_max);
}

void bt_net_connection_free(struct bt_net_connection *wire)
{
    SSL_free(wire->tls);
    (void)close(wire->fd);
    bt_buf_free(&wire->in);
    bt_buf_free(&wire->out);
}

bt_str bt_net_connection_received(const struct bt_net_connection *wire)
{
    return bt_str_slice(bt_buf_str(&wire->in), wire->in_done, wire->in.len);
}

size_t bt_net_connection_unsent(const struct bt_net_connection *wire)
{
    return wire->out.len - wire->out_done;
}

/* Forget what is done with. Those who say nothing hold no memory. */
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

/* What came of a step of TLS that gave no bytes. */
static void note_tls(struct bt_net_connection *wire, int result)
{
    const int failure = SSL_get_error(wire->tls, result);
    ERR_clear_error();
    wire->wants_writing = failure == SSL_ERROR_WANT_WRITE;
    wire->peer_has_closed = wire->peer_has_closed || failure == SSL_ERROR_ZERO_RETURN;
    wire->is_broken = wire->is_broken || (failure != SSL_ERROR_WANT_READ && !wire->wants_writing &&
                                          failure != SSL_ERROR_ZERO_RETURN);
}

static size_t receive_tls(struct bt_net_connection *wire, char *room, size_t size)
{
    size_t got = 0;
    const int result = SSL_read_ex(wire->tls, room, size, &got);
    if (result != 1) {
        note_tls(wire, result);
        return 0;
    }
    wire->is_unread = SSL_pending(wire->tls) > 0;
    return got;
}

static size_t receive_plain(struct bt_net_connection *wire, char *room, size_t size)
{
    const ssize_t got = recv(wire->fd, room, size, 0);
    if (got > 0) {
        return (size_t)got;
    }
    wire->peer_has_closed = wire->peer_has_closed || got == 0;
    wire->is_broken = wire->is_broken || (got < 0 && errno != EAGAIN && errno != EINTR);
    return 0;
}

/* How much went; 0: no more goes now. */
static size_t send_bytes(struct bt_net_connection *wire, const char *text, size_t size)
{
    if (wire->tls) {
        size_t sent = 0;
        const int result = SSL_write_ex(wire->tls, text, size, &sent);
        if (result != 1) {
            note_tls(wire, result);
        }
        return sent;
    }
    ssize_t sent = 0;
    do {
        sent = send(wire->fd, text, size, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    wire->is_broken = wire->is_broken || (sent < 0 && errno != EAGAIN);
    return sent > 0 ? (size_t)sent : 0;
}

void bt_net_connection_read(struct bt_net_connection *wire, size_t most)
{
    discard_done_bytes(&wire->in, &wire->in_done);
    const size_t left = wire->in.max - wire->in.len;
    const size_t size = most < left ? most : left;
    char *room = size > 0 ? bt_buf_reserve(&wire->in, size) : NULL;
    if (!room) {
        wire->is_broken = wire->is_broken || size > 0; /* no memory */
        return;
    }
    wire->is_unread = false;
    wire->in.len += wire->tls ? receive_tls(wire, room, size) : receive_plain(wire, room, size);
}

void bt_net_connection_write(struct bt_net_connection *wire)
{
    size_t sent = 1;
    while (!wire->is_broken && sent > 0 && wire->out_done < wire->out.len) {
        sent = send_bytes(wire, wire->out.ptr + wire->out_done, wire->out.len - wire->out_done);
        wire->out_done += sent;
    }
    discard_done_bytes(&wire->out, &wire->out_done);
}
