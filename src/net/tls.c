/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.c - TLS over sockets that do not block, by OpenSSL.
 */
#include "net/tls.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/error.h"

enum { HOST_BYTES = 256 };

struct bt_tls_context {
    SSL_CTX *context;
    bool is_client;
    bool checks_host;
};

struct bt_tls_connection {
    SSL *ssl;
};

/* NULL when memory runs out. */
static struct bt_tls_context *create_context(const SSL_METHOD *method)
{
    struct bt_tls_context *tls = calloc(1, sizeof(*tls));
    SSL_CTX *context = tls ? SSL_CTX_new(method) : NULL;
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        SSL_CTX_free(context);
        free(tls);
        return NULL;
    }
    (void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    tls->context = context;
    return tls;
}

/* Accept HTTP/1.1 and nothing else, so that no client uses another protocol by mistake. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                           const unsigned char *offered, unsigned int length, void *context)
{
    static const unsigned char known[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    unsigned char *chosen = NULL;
    (void)ssl;
    (void)context;
    if (SSL_select_next_proto(&chosen, out_length, known, sizeof(known), offered, length) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static enum bt_status load_files(SSL_CTX *context, const struct bt_tls_options *options,
                                 struct bt_error *error)
{
    if (SSL_CTX_use_certificate_chain_file(context, options->cert) != 1) {
        return bt_error_set(error, BT_EINVAL, "%s holds no certificate that can be used",
                            options->cert);
    }
    if (SSL_CTX_use_PrivateKey_file(context, options->key, SSL_FILETYPE_PEM) != 1) {
        return bt_error_set(error, BT_EINVAL, "%s holds no private key that can be used",
                            options->key);
    }
    if (SSL_CTX_check_private_key(context) != 1) {
        return bt_error_set(error, BT_EINVAL, "%s is not the key of the certificate", options->key);
    }
    if (!options->client_ca) {
        return BT_OK;
    }
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(options->client_ca);
    if (!names || SSL_CTX_load_verify_locations(context, options->client_ca, NULL) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return bt_error_set(error, BT_EINVAL, "%s holds no certificate that can be used",
                            options->client_ca);
    }
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | (options->needs_client ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
        NULL);
    return BT_OK;
}

enum bt_status bt_tls_server_create(const struct bt_tls_options *options,
                                    struct bt_tls_context **out, struct bt_error *error)
{
    static const unsigned char session[] = "baton";
    struct bt_tls_context *tls = create_context(TLS_server_method());
    if (!tls) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    (void)SSL_CTX_set_session_id_context(tls->context, session, sizeof(session) - 1);
    if (options->is_http) {
        SSL_CTX_set_alpn_select_cb(tls->context, choose_protocol, NULL);
    }
    const enum bt_status status = load_files(tls->context, options, error);
    ERR_clear_error();
    if (status != BT_OK) {
        bt_tls_context_destroy(tls);
        return status;
    }
    *out = tls;
    return BT_OK;
}

static bool load_authorities(SSL_CTX *context, const char *file, const char *folder)
{
    const int is_loaded = SSL_CTX_load_verify_locations(context, file, folder);
    ERR_clear_error();
    return is_loaded == 1;
}

/*
 * Trust the authorities that the environment names, else those of the first file that a system has;
 * `needs_one`: it is an error to have none. OpenSSL's own default depends on how it was built: one
 * that is linked statically would look where the system it was built on has them.
 */
static enum bt_status trust_authorities(SSL_CTX *context, bool needs_one, struct bt_error *error)
{
    static const char *const files[] = {
        "/etc/ssl/certs/ca-certificates.crt", /* Debian, Alpine */
        "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
        "/etc/ssl/ca-bundle.pem",             /* openSUSE */
        "/etc/ssl/cert.pem",                  /* macOS, BSD */
    };
    const char *file = getenv("SSL_CERT_FILE");
    const char *folder = getenv("SSL_CERT_DIR");
    file = file && file[0] ? file : NULL;
    folder = folder && folder[0] ? folder : NULL;
    for (size_t i = 0; !file && !folder && i < sizeof(files) / sizeof(files[0]); i++) {
        file = access(files[i], R_OK) == 0 ? files[i] : NULL;
    }
    if (!file && !folder && !needs_one) {
        return BT_OK;
    }
    if (!file && !folder) {
        return bt_error_set(error, BT_EIO,
                            "no certificates of authorities found: install ca-certificates, or "
                            "name a file in SSL_CERT_FILE");
    }
    return load_authorities(context, file, folder)
               ? BT_OK
               : bt_error_set(error, BT_EIO, "the certificates of authorities in %s cannot be read",
                              file ? file : folder);
}

enum bt_status bt_tls_client_create(enum bt_tls_trust trust, const char *further,
                                    struct bt_tls_context **out, struct bt_error *error)
{
    struct bt_tls_context *tls = create_context(TLS_client_method());
    if (!tls) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    tls->is_client = true;
    tls->checks_host = trust != BT_TLS_TRUST_PEER_KEY;
    SSL_CTX_set_verify(tls->context, tls->checks_host ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    enum bt_status status =
        tls->checks_host ? trust_authorities(tls->context, !further, error) : BT_OK;
    if (status == BT_OK && further && !load_authorities(tls->context, further, NULL)) {
        status =
            bt_error_set(error, BT_EINVAL, "%s holds no certificate that can be used", further);
    }
    if (status != BT_OK) {
        bt_tls_context_destroy(tls);
        return status;
    }
    *out = tls;
    return BT_OK;
}

void bt_tls_context_destroy(struct bt_tls_context *tls)
{
    if (tls) {
        SSL_CTX_free(tls->context); /* connections hold their own reference */
        free(tls);
    }
}

/* Demand a certificate for this name or IP address. */
static bool set_host(SSL *ssl, bt_str host)
{
    char text[HOST_BYTES] = "";
    if (host.len == 0 || host.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, host.ptr, host.len);
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), text) == 1 ||
           (SSL_set1_host(ssl, text) == 1 && SSL_set_tlsext_host_name(ssl, text) == 1);
}

struct bt_tls_connection *bt_tls_connection_create(struct bt_tls_context *tls, int fd, bt_str host)
{
    struct bt_tls_connection *conn = calloc(1, sizeof(*conn));
    SSL *ssl = conn ? SSL_new(tls->context) : NULL;
    const bool is_ready =
        ssl && SSL_set_fd(ssl, fd) == 1 && (!tls->checks_host || set_host(ssl, host));
    ERR_clear_error();
    if (!is_ready) {
        SSL_free(ssl);
        free(conn);
        return NULL;
    }
    if (tls->is_client) {
        SSL_set_connect_state(ssl);
    } else {
        SSL_set_accept_state(ssl);
    }
    conn->ssl = ssl;
    return conn;
}

void bt_tls_connection_destroy(struct bt_tls_connection *conn)
{
    if (conn) {
        SSL_free(conn->ssl);
        free(conn);
    }
}

/* Why a call moved no bytes, as recv() and send() report it. OpenSSL reports an interrupted call as
 * one that must wait, but no event would end that wait. */
static ssize_t report_reason(SSL *ssl, int code)
{
    const bool is_interrupted = errno == EINTR;
    const int reason = SSL_get_error(ssl, code);
    ERR_clear_error();
    if (reason == SSL_ERROR_ZERO_RETURN) {
        return 0;
    }
    const bool waits = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
    errno = !waits ? EPROTO : is_interrupted ? EINTR : EAGAIN;
    return -1;
}

ssize_t bt_tls_connection_recv(struct bt_tls_connection *conn, void *bytes, size_t size)
{
    errno = 0;
    const int count = SSL_read(conn->ssl, bytes, size < INT_MAX ? (int)size : INT_MAX);
    return count > 0 ? count : report_reason(conn->ssl, count);
}

ssize_t bt_tls_connection_send(struct bt_tls_connection *conn, const void *bytes, size_t size)
{
    errno = 0;
    const int count = SSL_write(conn->ssl, bytes, size < INT_MAX ? (int)size : INT_MAX);
    return count > 0 ? count : report_reason(conn->ssl, count);
}

bool bt_tls_connection_wants_write(const struct bt_tls_connection *conn)
{
    return SSL_want_write(conn->ssl);
}

bool bt_tls_connection_has_pending(const struct bt_tls_connection *conn)
{
    return SSL_pending(conn->ssl) > 0;
}

void bt_tls_connection_shutdown(struct bt_tls_connection *conn)
{
    (void)SSL_shutdown(conn->ssl);
    ERR_clear_error();
}

bool bt_tls_connection_peer_digest(const struct bt_tls_connection *conn,
                                   uint8_t out[BT_SHA256_BYTES])
{
    X509 *certificate = SSL_get1_peer_certificate(conn->ssl);
    unsigned char *key = NULL;
    bool has_digest = false;
    if (!certificate) {
        return false;
    }
    if (SSL_get_verify_result(conn->ssl) == X509_V_OK) {
        const int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
        has_digest =
            length > 0 && bt_sha256((bt_str){(const char *)key, (size_t)length}, out) == BT_OK;
        OPENSSL_free(key);
    }
    X509_free(certificate);
    return has_digest;
}

bool bt_tls_connection_peer_has_key(const struct bt_tls_connection *conn,
                                    const struct evp_pkey_st *key)
{
    X509 *certificate = SSL_get1_peer_certificate(conn->ssl);
    const bool has_key = certificate && EVP_PKEY_eq(X509_get0_pubkey(certificate), key) == 1;
    X509_free(certificate);
    ERR_clear_error();
    return has_key;
}
