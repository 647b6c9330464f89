/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - TLS over sockets that do not block.
 *
 * A context holds certificates and trust, and many connections share it. TLS 1.2 is the oldest
 * version; there is neither renegotiation nor compression.
 */
#ifndef BATON_SRC_NET_TLS_H
#define BATON_SRC_NET_TLS_H

#include <sys/types.h>

#include "base/env.h"

struct evp_pkey_st; /* of OpenSSL */
struct bt_tls_context;
struct bt_tls_connection;

/* Of a server. */
struct bt_tls_options {
    const char *cert; /* PEM files */
    const char *key;
    const char *client_ca; /* NULL: clients are not asked for a certificate */
    bool needs_client;     /* a client without a certificate is refused */
    bool is_http;          /* ALPN offers HTTP/1.1 and nothing else; otherwise ALPN is ignored */
};

/* BT_EINVAL, with a reason: the files cannot be used. On BT_OK *out must be destroyed with
 * bt_tls_context_destroy(). */
BT_MUST_USE enum bt_status bt_tls_server_create(const struct bt_tls_options *options,
                                                struct bt_tls_context **out,
                                                struct bt_error *error);

enum bt_tls_trust {
    BT_TLS_TRUST_AUTHORITIES = 1, /* a certificate for the host's name, of an authority that the
                                     system trusts */
    BT_TLS_TRUST_PEER_KEY,        /* any certificate; the caller must compare its key with
                                     bt_tls_connection_peer_has_key() before it trusts the peer */
};

/*
 * A context of a client; destroyed like that of a server. The certificates in the PEM file
 * `further` are trusted as well as those of the system; with them a system may have none. NULL: no
 * file. BT_EIO: the certificates of the system cannot be used. BT_EINVAL: those of `further`.
 */
BT_MUST_USE enum bt_status bt_tls_client_create(enum bt_tls_trust trust, const char *further,
                                                struct bt_tls_context **out,
                                                struct bt_error *error);
/* Connections that use it go on. NULL is allowed. */
void bt_tls_context_destroy(struct bt_tls_context *tls);

/*
 * Begin TLS on a socket, in the role of the context. `host` is the name or IP address that the
 * server must prove with BT_TLS_TRUST_AUTHORITIES, otherwise "". NULL: out of memory, or `host` is
 * missing or too long.
 */
struct bt_tls_connection *bt_tls_connection_create(struct bt_tls_context *tls, int fd, bt_str host);
/* Does not close the socket. NULL is allowed. */
void bt_tls_connection_destroy(struct bt_tls_connection *conn);
/* As recv() and send(): -1 and EAGAIN when the socket is not ready. No byte of the caller is sent
 * before the peer has proved itself as the context demands. */
ssize_t bt_tls_connection_recv(struct bt_tls_connection *conn, void *bytes, size_t size);
ssize_t bt_tls_connection_send(struct bt_tls_connection *conn, const void *bytes, size_t size);
/* After EAGAIN: true when the socket must become writable, false when it must become readable. */
bool bt_tls_connection_wants_write(const struct bt_tls_connection *conn);
/* True when received bytes wait that poll() does not report. */
bool bt_tls_connection_has_pending(const struct bt_tls_connection *conn);
/* Tell the peer that no more will be sent. */
void bt_tls_connection_shutdown(struct bt_tls_connection *conn);
/* The digest of the public key of the peer's certificate; false when it has shown none that was
 * verified. */
bool bt_tls_connection_peer_digest(const struct bt_tls_connection *conn,
                                   uint8_t out[BT_SHA256_BYTES]);
/* True when the peer has shown a certificate with this key. */
BT_MUST_USE bool bt_tls_connection_peer_has_key(const struct bt_tls_connection *conn,
                                                const struct evp_pkey_st *key);

#endif
