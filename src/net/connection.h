/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.h - a connection that never blocks: bytes in, bytes out, both bounded.
 */
#ifndef BATON_SRC_NET_CONNECTION_H
#define BATON_SRC_NET_CONNECTION_H

#include "base/buf.h"
#include "net/tls.h"

struct bt_net_connection {
    int fd;
    struct bt_tls_connection *tls; /* NULL: in clear */
    bool is_unread;                /* more may have arrived than was read */
    bool wants_writing;            /* TLS must write before it can go on */
    struct bt_buf in;
    size_t in_done; /* bytes of `in` that were taken */
    struct bt_buf out;
    size_t out_done;      /* bytes of `out` that were sent */
    bool peer_has_closed; /* the peer shut down its sending side */
    bool is_broken;       /* nothing can be sent or received any more */
};

void bt_net_connection_init(struct bt_net_connection *connection, int fd, size_t in_max,
                            size_t out_max);
/* Begin TLS in the role of the context; `host` as for bt_tls_connection_create(). False: it cannot,
 * and the connection must be freed. */
BT_MUST_USE bool bt_net_connection_start_tls(struct bt_net_connection *connection,
                                             struct bt_tls_context *tls, bt_str host);
/* Close and free. */
void bt_net_connection_free(struct bt_net_connection *connection);

/* Read what has arrived, at most `most` bytes, after dropping the bytes that were taken. */
void bt_net_connection_read(struct bt_net_connection *connection, size_t most);
/* What was read and not taken. */
bt_str bt_net_connection_received(const struct bt_net_connection *connection);
/* Write as much of `out` as can be sent now. */
void bt_net_connection_write(struct bt_net_connection *connection);
/* The number of bytes of `out` that were not sent yet. */
size_t bt_net_connection_unsent(const struct bt_net_connection *connection);

#endif
