/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h - a connection that never blocks: bytes in, bytes out, both bounded.
 */
#ifndef BATON_SRC_PUMP_NET_WIRE_H
#define BATON_SRC_PUMP_NET_WIRE_H

#include <baton/base.h>

struct ssl_st; /* of OpenSSL */

struct bt_net_connection {
    int fd;
    struct ssl_st *tls; /* NULL: what is said is heard as it stands */
    bool is_unread;     /* more may have come than was read */
    bool wants_writing; /* TLS must write before it can go on */
    struct bt_buf in;
    size_t in_done; /* of it, taken */
    struct bt_buf out;
    size_t out_done;      /* of it, gone */
    bool peer_has_closed; /* the other side says no more */
    bool is_broken;       /* nothing can be said or heard any more */
};

void bt_net_connection_init(struct bt_net_connection *wire, int fd, size_t in_max, size_t out_max);
/* Close and free. */
void bt_net_connection_free(struct bt_net_connection *wire);

/* Read what there is, up to so many bytes; what was taken is forgotten first. */
void bt_net_connection_read(struct bt_net_connection *wire, size_t most);
/* What was read and not taken. */
bt_str bt_net_connection_received(const struct bt_net_connection *wire);
/* Write as much as goes now. */
void bt_net_connection_write(struct bt_net_connection *wire);
/* How much has not gone yet. */
size_t bt_net_connection_unsent(const struct bt_net_connection *wire);

#endif
