/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - TLS over sockets that do not block.
 */
#ifndef BATON_SRC_HTTP_TLS_H
#define BATON_SRC_HTTP_TLS_H

#include <sys/types.h>

#include "http/http.h"

struct bt_tls_context;
struct bt_tls_connection;

struct bt_tls_options {
    const char *cert; /* PEM files */
    const char *key;
    const char *client_ca; /* NULL: no certificate of a client is asked for */
    bool needs_client;     /* who shows none is refused */
};

/* BT_EINVAL, with a reason: the files cannot be used. On BT_OK *out has one owner. */
BT_MUST_USE enum bt_status http_tls_create(const struct bt_tls_options *options,
                                           struct bt_tls_context **out, struct bt_error *error);
/* Give it back; connections that use it go on. NULL is allowed. */
void http_tls_destroy(struct bt_tls_context *tls);

/* Begin on a socket. NULL when there is no memory. */
struct bt_tls_connection *bt_tls_connection_create(struct bt_tls_context *tls, int fd);
/* NULL is allowed. */
void bt_tls_connection_destroy(struct bt_tls_connection *conn);
/* As recv() and send(): -1 and EAGAIN when the socket is not ready. */
ssize_t bt_tls_connection_recv(struct bt_tls_connection *conn, void *bytes, size_t size);
ssize_t bt_tls_connection_send(struct bt_tls_connection *conn, const void *bytes, size_t size);
/* Say that no more will be sent. */
void bt_tls_connection_shutdown(struct bt_tls_connection *conn);
/* The digest of the public key of the client's certificate; false when it has shown none. */
bool bt_tls_connection_peer_digest(const struct bt_tls_connection *conn,
                                   uint8_t out[BT_SHA256_BYTES]);

#endif
