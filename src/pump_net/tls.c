/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.c - TLS for connections that never block, by OpenSSL. One handle is one context of it.
 */
#include "pump_net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

/* The handle is the context itself, so that there is nothing to allocate. */
static SSL_CTX *context_of(struct bt_tls *tls)
{
    return (SSL_CTX *)(void *)tls;
}

static SSL_CTX *new_context(const SSL_METHOD *method)
{
    SSL_CTX *context = SSL_CTX_new(method);
    if (context) {
        (void)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
        (void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
        (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }
    return context;
}

enum bt_status bt_tls_server(const char *certificate, const char *key, struct bt_tls **out,
                             struct bt_error *error)
{
    SSL_CTX *context = new_context(TLS_server_method());
    if (!context) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const bool is_usable = SSL_CTX_use_certificate_chain_file(context, certificate) == 1 &&
                           SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 &&
                           SSL_CTX_check_private_key(context) == 1;
    ERR_clear_error();
    if (!is_usable) {
        SSL_CTX_free(context);
        return bt_error_set(error, BT_EINVAL, "%s and %s are no certificate and its key",
                            certificate, key);
    }
    *out = (struct bt_tls *)(void *)context;
    return BT_OK;
}

enum bt_status bt_tls_client(struct bt_tls **out, struct bt_error *error)
{
    SSL_CTX *context = new_context(TLS_client_method());
    if (!context) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    /* No authority is asked: one key is trusted, and it is compared with that of the peer. */
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    *out = (struct bt_tls *)(void *)context;
    return BT_OK;
}

void bt_tls_free(struct bt_tls *tls)
{
    SSL_CTX_free(context_of(tls));
}

static SSL *create_ssl(struct bt_tls *tls, struct bt_net_connection *wire)
{
    SSL *ssl = SSL_new(context_of(tls));
    if (ssl && SSL_set_fd(ssl, wire->fd) != 1) {
        SSL_free(ssl);
        ssl = NULL;
    }
    ERR_clear_error();
    wire->tls = ssl;
    return ssl;
}

bool bt_tls_accept(struct bt_tls *tls, struct bt_net_connection *wire)
{
    SSL *ssl = create_ssl(tls, wire);
    if (ssl) {
        SSL_set_accept_state(ssl);
    }
    return ssl != NULL;
}

bool bt_tls_connect(struct bt_tls *tls, struct bt_net_connection *wire)
{
    SSL *ssl = create_ssl(tls, wire);
    if (ssl) {
        SSL_set_connect_state(ssl);
        wire->wants_writing = true; /* the connecting side sends first */
        wire->is_unread = true;
    }
    return ssl != NULL;
}

bool bt_tls_is_peer(const struct bt_net_connection *wire, const struct evp_pkey_st *key)
{
    if (!wire->tls) {
        return true;
    }
    X509 *certificate = SSL_get1_peer_certificate(wire->tls);
    const bool is_peer = certificate && EVP_PKEY_eq(X509_get0_pubkey(certificate), key) == 1;
    X509_free(certificate);
    ERR_clear_error();
    return is_peer;
}
