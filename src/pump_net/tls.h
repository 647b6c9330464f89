/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - TLS for connections that never block.
 */
#ifndef BATON_SRC_PUMP_NET_TLS_H
#define BATON_SRC_PUMP_NET_TLS_H

#include "net/connection.h"

struct evp_pkey_st;
struct bt_tls; /* that of a server, or of somebody who connects */

/* A server's, with a certificate and its key. BT_EINVAL: they cannot be used. */
BT_MUST_USE enum bt_status bt_tls_server(const char *certificate, const char *key,
                                         struct bt_tls **out, struct bt_error *error);
/* That of somebody who connects; whom he trusts is asked with bt_tls_is_peer(). */
BT_MUST_USE enum bt_status bt_tls_client(struct bt_tls **out, struct bt_error *error);
/* NULL is allowed. */
void bt_tls_free(struct bt_tls *tls);

/* From now on what goes over this wire, which has just been accepted, is TLS. */
BT_MUST_USE bool bt_tls_accept(struct bt_tls *tls, struct bt_net_connection *wire);

/* From now on this connection, which is being established, uses TLS. */
BT_MUST_USE bool bt_tls_connect(struct bt_tls *tls, struct bt_net_connection *wire);
/* Whether the other side showed a certificate with this key; true for a wire without TLS, which
 * leads to a socket of this machine. */
BT_MUST_USE bool bt_tls_is_peer(const struct bt_net_connection *wire,
                                const struct evp_pkey_st *key);

#endif
