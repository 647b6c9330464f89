/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tls.c - clients and servers over a pair of sockets: who is trusted, and what is sent before.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "net/connection.h"

enum { TURNS_MAX = 64, BYTES_MAX = 65536, PATH_BYTES = 64, LIFE_S = 3600 };

/* A certificate for 127.0.0.1 and here.example, in files. */
struct identity {
    EVP_PKEY *key;
    char cert_path[PATH_BYTES];
    char key_path[PATH_BYTES];
};

static FILE *open_file(char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "/tmp/baton-tls-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fdopen(fd, "w");
}

static X509 *create_certificate(EVP_PKEY *key)
{
    X509 *cert = X509_new();
    X509_NAME *name = X509_get_subject_name(cert);
    assert_int_equal(X509_set_version(cert, X509_VERSION_3), 1);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(cert), 1), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(cert), -LIFE_S));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(cert), LIFE_S));
    assert_int_equal(X509_set_pubkey(cert, key), 1);
    assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                                (const unsigned char *)"here.example", -1, -1, 0),
                     1);
    assert_int_equal(X509_set_issuer_name(cert, name), 1);
    X509_EXTENSION *names =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1,DNS:here.example");
    assert_int_equal(X509_add_ext(cert, names, -1), 1);
    X509_EXTENSION_free(names);
    assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
    return cert;
}

static struct identity create_identity(void)
{
    struct identity identity = {.key = EVP_EC_gen("P-256")};
    X509 *cert = create_certificate(identity.key);
    FILE *file = open_file(identity.cert_path);
    assert_int_equal(PEM_write_X509(file, cert), 1);
    assert_int_equal(fclose(file), 0);
    file = open_file(identity.key_path);
    assert_int_equal(PEM_write_PrivateKey(file, identity.key, NULL, NULL, 0, NULL, NULL), 1);
    assert_int_equal(fclose(file), 0);
    X509_free(cert);
    return identity;
}

static void destroy_identity(struct identity *identity)
{
    assert_int_equal(unlink(identity->cert_path), 0);
    assert_int_equal(unlink(identity->key_path), 0);
    EVP_PKEY_free(identity->key);
}

struct pair {
    struct bt_net_connection client;
    struct bt_net_connection server;
};

static struct bt_tls_context *create_server(const struct identity *identity, bool is_http)
{
    const struct bt_tls_options options = {
        .cert = identity->cert_path, .key = identity->key_path, .is_http = is_http};
    struct bt_tls_context *tls = NULL;
    assert_int_equal(bt_tls_server_create(&options, &tls, NULL), BT_OK);
    return tls;
}

static void open_pair(struct pair *pair)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(fcntl(fds[i], F_SETFL, O_NONBLOCK), 0);
    }
    bt_net_connection_init(&pair->client, fds[0], BYTES_MAX, BYTES_MAX);
    bt_net_connection_init(&pair->server, fds[1], BYTES_MAX, BYTES_MAX);
}

static void close_pair(struct pair *pair)
{
    bt_net_connection_free(&pair->client);
    bt_net_connection_free(&pair->server);
}

/* Let both sides read and write until the server has what the client sent, or neither can go on. */
static void talk(struct pair *pair)
{
    for (size_t i = 0; i < TURNS_MAX && pair->server.in.len == 0; i++) {
        bt_net_connection_write(&pair->client);
        bt_net_connection_read(&pair->client, BYTES_MAX);
        bt_net_connection_read(&pair->server, BYTES_MAX);
    }
}

/* Connect with this trust and send a secret. True: the server has received it. */
static bool send_secret(const struct identity *identity, enum bt_tls_trust trust, bt_str host,
                        const EVP_PKEY *expected)
{
    struct pair pair;
    struct bt_tls_context *server = create_server(identity, true);
    struct bt_tls_context *client = NULL;
    open_pair(&pair);
    assert_int_equal(bt_tls_client_create(trust, NULL, &client, NULL), BT_OK);
    assert_true(bt_net_connection_start_tls(&pair.server, server, BT_STR("")));
    const bool is_started = bt_net_connection_start_tls(&pair.client, client, host);
    bt_tls_context_destroy(client); /* connections keep what they need of it */
    bt_tls_context_destroy(server);
    if (is_started) {
        bt_buf_put_text(&pair.client.out, "secret");
        talk(&pair);
    }
    const bool has_secret = bt_str_eq(bt_net_connection_received(&pair.server), BT_STR("secret"));
    if (expected) {
        assert_true(has_secret);
        assert_int_equal(bt_tls_connection_peer_has_key(pair.client.tls, expected),
                         EVP_PKEY_eq(expected, identity->key) == 1);
    }
    close_pair(&pair);
    return has_secret;
}

static void only_a_certificate_for_the_host_that_the_system_trusts_gets_bytes(void **state)
{
    (void)state;
    struct identity identity = create_identity();
    assert_int_equal(setenv("SSL_CERT_DIR", "/nowhere", 1), 0);
    assert_int_equal(setenv("SSL_CERT_FILE", identity.cert_path, 1), 0);
    const struct {
        bt_str host;
        bool is_trusted;
    } rows[] = {
        {BT_STR_INIT("127.0.0.1"), true},         {BT_STR_INIT("here.example"), true},
        {BT_STR_INIT("127.0.0.2"), false},        {BT_STR_INIT("there.example"), false},
        {BT_STR_INIT("www.here.example"), false}, {BT_STR_INIT(""), false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(send_secret(&identity, BT_TLS_TRUST_AUTHORITIES, rows[i].host, NULL),
                         rows[i].is_trusted);
    }
    destroy_identity(&identity);
}

static void authorities_that_cannot_be_read_are_an_error(void **state)
{
    (void)state;
    struct bt_tls_context *client = NULL;
    struct bt_error error = {0};
    assert_int_equal(setenv("SSL_CERT_FILE", "/dev/null", 1), 0);
    assert_int_equal(bt_tls_client_create(BT_TLS_TRUST_AUTHORITIES, NULL, &client, &error), BT_EIO);
    assert_non_null(strstr(error.text, "/dev/null cannot be read"));
    assert_int_equal(bt_tls_client_create(BT_TLS_TRUST_PEER_KEY, NULL, &client, &error), BT_OK);
    bt_tls_context_destroy(client);
    /* A folder alone is enough, and then the files of the system do not count. */
    struct identity identity = create_identity();
    assert_int_equal(unsetenv("SSL_CERT_FILE"), 0);
    assert_int_equal(setenv("SSL_CERT_DIR", "/nowhere", 1), 0);
    assert_false(send_secret(&identity, BT_TLS_TRUST_AUTHORITIES, BT_STR("127.0.0.1"), NULL));
    destroy_identity(&identity);
}

static void a_pinned_key_is_compared_with_that_of_the_certificate(void **state)
{
    (void)state;
    struct identity identity = create_identity();
    EVP_PKEY *other = EVP_EC_gen("P-256");
    assert_true(send_secret(&identity, BT_TLS_TRUST_PEER_KEY, BT_STR(""), identity.key));
    assert_true(send_secret(&identity, BT_TLS_TRUST_PEER_KEY, BT_STR(""), other));
    EVP_PKEY_free(other);
    destroy_identity(&identity);
}

/* Whether a client that offers one protocol by ALPN gets through. */
static bool connect_with_alpn(const struct identity *identity, bool is_http, const char *offer)
{
    struct pair pair;
    struct bt_tls_context *server = create_server(identity, is_http);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    int code = 0;
    open_pair(&pair);
    assert_true(bt_net_connection_start_tls(&pair.server, server, BT_STR("")));
    assert_int_equal(
        SSL_set_alpn_protos(ssl, (const unsigned char *)offer, (unsigned)strlen(offer)), 0);
    assert_int_equal(SSL_set_fd(ssl, pair.client.fd), 1);
    for (size_t i = 0; i < TURNS_MAX && code != 1; i++) {
        code = SSL_connect(ssl);
        bt_net_connection_read(&pair.server, BYTES_MAX);
    }
    ERR_clear_error();
    SSL_free(ssl);
    SSL_CTX_free(context);
    bt_tls_context_destroy(server);
    close_pair(&pair);
    return code == 1;
}

static void a_server_of_http_refuses_other_protocols(void **state)
{
    (void)state;
    struct identity identity = create_identity();
    assert_true(connect_with_alpn(&identity, true, "\x08http/1.1"));
    assert_false(connect_with_alpn(&identity, true, "\x02h2"));
    assert_true(connect_with_alpn(&identity, false, "\x02h2")); /* others ignore ALPN */
    destroy_identity(&identity);
}

static void files_that_are_not_a_certificate_and_its_key_are_refused(void **state)
{
    (void)state;
    struct identity one = create_identity();
    struct identity two = create_identity();
    const struct {
        struct bt_tls_options options;
        const char *why;
    } rows[] = {
        {{.cert = "/dev/null", .key = one.key_path}, "/dev/null holds no certificate"},
        {{.cert = one.cert_path, .key = "/dev/null"}, "/dev/null holds no private key"},
        {{.cert = one.cert_path, .key = two.key_path}, "private key"},
        {{.cert = one.cert_path, .key = one.key_path, .client_ca = "/dev/null"},
         "/dev/null holds no certificate"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_tls_context *tls = NULL;
        struct bt_error error;
        assert_int_equal(bt_tls_server_create(&rows[i].options, &tls, &error), BT_EINVAL);
        assert_non_null(strstr(error.text, rows[i].why));
        assert_null(tls);
    }
    destroy_identity(&one);
    destroy_identity(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_certificate_for_the_host_that_the_system_trusts_gets_bytes),
        cmocka_unit_test(authorities_that_cannot_be_read_are_an_error),
        cmocka_unit_test(a_pinned_key_is_compared_with_that_of_the_certificate),
        cmocka_unit_test(a_server_of_http_refuses_other_protocols),
        cmocka_unit_test(files_that_are_not_a_certificate_and_its_key_are_refused),
    };
    return RUN_TESTS(tests);
}
