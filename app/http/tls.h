/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - TLS over sockets that do not block.
 */
#ifndef BATON_APP_HTTP_TLS_H
#define BATON_APP_HTTP_TLS_H

#include <sys/types.h>

#include "http/http.h"

struct http_tls;
struct http_tls_conn;

struct http_tls_options {
    const char *cert; /* PEM files */
    const char *key;
    const char *client_ca; /* NULL: no certificate of a client is asked for */
    bool needs_client;     /* who shows none is refused */
};

/* BT_EINVAL, with a reason: the files cannot be used. On BT_OK *out has one owner. */
BT_MUST_USE enum bt_status http_tls_create(const struct http_tls_options *options,
                                           struct http_tls **out, struct bt_error *error);
/* Give it back; connections that use it go on. NULL is allowed. */
void http_tls_destroy(struct http_tls *tls);

/* Begin on a socket. NULL when there is no memory. */
struct http_tls_conn *http_tls_begin(struct http_tls *tls, int fd);
/* NULL is allowed. */
void http_tls_end(struct http_tls_conn *conn);
/* As recv() and send(): -1 and EAGAIN when the socket is not ready. */
ssize_t http_tls_recv(struct http_tls_conn *conn, void *bytes, size_t size);
ssize_t http_tls_send(struct http_tls_conn *conn, const void *bytes, size_t size);
/* Say that no more will be sent. */
void http_tls_shutdown(struct http_tls_conn *conn);
/* The digest of the public key of the client's certificate; false when it has shown none. */
bool http_tls_key_digest(const struct http_tls_conn *conn, uint8_t out[BT_SHA256_BYTES]);

#endif
