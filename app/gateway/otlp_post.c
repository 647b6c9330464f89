/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp_post.c - one POST to a collector, over a socket that never waits longer than it may.
 */
#define _GNU_SOURCE /* struct addrinfo */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "gateway/otlp.h"

enum {
    HEAD_BYTES_MAX = 65536,
    POST_BYTES_MAX = HEAD_BYTES_MAX + 64, /* with its length and the last line */
    SLICE_MS = 100,                       /* how soon the end of the process is noticed */
    ADDRESSES_MAX = 8,
    HOST_BYTES = 256,
    STATUS_AT = 9, /* HTTP/1.1 200 */
    LINE_BYTES = 12,
};

/* ---- Where to -------------------------------------------------------------------------------- */

static bool is_name(bt_str text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        if (!is_letter && !(byte >= '0' && byte <= '9') && !(byte && strchr(others, byte))) {
            return false;
        }
    }
    return text.len > 0;
}

static bool is_value(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == 0x7F || (byte < ' ' && byte != '\t')) {
            return false;
        }
    }
    return text.len > 0;
}

static enum bt_status put_fields(struct bt_arena *arena, const struct bt_config *config,
                                 struct bt_buf *buf, struct bt_error *error)
{
    for (size_t i = 0; i < bt_config_count(config, "otlp.header_env"); i++) {
        const bt_str name = bt_config_item_name(config, "otlp.header_env", i);
        bt_str variable;
        BT_TRY(bt_arena_copy(arena, bt_config_item(config, "otlp.header_env", i), &variable));
        const bt_str value = bt_str_of(getenv(variable.ptr));
        if (!is_name(name) || !is_value(value)) {
            return bt_fail(error, BT_EINVAL,
                           "otlp.header_env: the variable %.*s is not set, or no value of a field",
                           BT_STR_ARG(variable));
        }
        bt_buf_printf(buf, "%.*s: %.*s\r\n", BT_STR_ARG(name), BT_STR_ARG(value));
    }
    return buf->status;
}

/* host:port, [host]:port or either without a port. */
static enum bt_status split_authority(struct bt_arena *arena, bt_str authority,
                                      struct collector *out)
{
    const bool is_bracketed = bt_str_starts(authority, BT_STR("["));
    const size_t end =
        is_bracketed ? bt_str_find(authority, ']', 0) : bt_str_find(authority, ':', 0);
    const bt_str host = bt_str_slice(authority, is_bracketed ? 1 : 0, end);
    const size_t colon = bt_str_find(authority, ':', end);
    const bt_str port = bt_str_slice(authority, colon + 1, authority.len);
    BT_TRY(bt_arena_copy(arena, host, &out->host));
    return bt_arena_copy(arena,
                         port.len > 0  ? port
                         : out->is_tls ? BT_STR("443")
                                       : BT_STR("80"),
                         &out->port);
}

enum bt_status collector_read(struct bt_arena *arena, const struct bt_config *config,
                              struct collector *out, struct bt_error *error)
{
    bt_str url = bt_config_text(config, "otlp.endpoint");
    struct bt_buf head;
    *out = (struct collector){.is_tls = bt_str_starts(url, BT_STR("https:")),
                              .host = BT_STR_INIT(""),
                              .port = BT_STR_INIT(""),
                              .head = BT_STR_INIT("")};
    if (url.len == 0) {
        return BT_OK;
    }
    url = bt_str_slice(url, bt_str_find(url, '/', 0) + 2, url.len);
    const size_t slash = bt_str_find(url, '/', 0);
    bt_str authority = bt_str_slice(url, 0, slash);
    bt_str path = bt_str_slice(url, slash, url.len);
    const size_t user = bt_str_find(authority, '@', 0);
    authority = user < authority.len ? bt_str_slice(authority, user + 1, authority.len) : authority;
    path.len -= bt_str_ends(path, BT_STR("/")) ? 1 : 0;
    BT_TRY(split_authority(arena, authority, out));
    bt_buf_init(&head, HEAD_BYTES_MAX);
    bt_buf_printf(&head,
                  "POST %.*s/v1/traces HTTP/1.1\r\nHost: %.*s\r\nContent-Type: application/json\r\n"
                  "Connection: close\r\n",
                  BT_STR_ARG(path), BT_STR_ARG(authority));
    enum bt_status status = put_fields(arena, config, &head, error);
    if (status == BT_OK) {
        status = bt_buf_keep(&head, arena, &out->head);
    }
    bt_buf_free(&head);
    return status;
}

/* ---- The wire -------------------------------------------------------------------------------- */

struct wire {
    int fd;
    SSL *ssl; /* NULL: in clear */
    uint64_t until_ms;
    const _Atomic uint64_t *end_ms;
};

/* Wait for a socket. False: there is no time left. */
static bool wait_for(const struct wire *wire, short events)
{
    struct pollfd what = {.fd = wire->fd, .events = events};
    for (;;) {
        const uint64_t now_ms = http_now_ms();
        if (now_ms >= wire->until_ms || now_ms >= *wire->end_ms) {
            return false;
        }
        const int ready = poll(&what, 1, SLICE_MS);
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

/* Whether an operation of TLS that did not succeed may be tried again: after a wait, it may. */
static bool wait_tls(const struct wire *wire, int code)
{
    const int reason = SSL_get_error(wire->ssl, code);
    ERR_clear_error();
    return (reason == SSL_ERROR_WANT_READ && wait_for(wire, POLLIN)) ||
           (reason == SSL_ERROR_WANT_WRITE && wait_for(wire, POLLOUT));
}

static bool send_all(const struct wire *wire, bt_str bytes)
{
    size_t sent = 0;
    while (sent < bytes.len) {
        size_t count = 0;
        if (wire->ssl) {
            const int code = SSL_write_ex(wire->ssl, bytes.ptr + sent, bytes.len - sent, &count);
            if (code != 1 && !wait_tls(wire, code)) {
                return false;
            }
        } else {
            const ssize_t code = send(wire->fd, bytes.ptr + sent, bytes.len - sent, MSG_NOSIGNAL);
            if (code < 0 && !((errno == EAGAIN || errno == EINTR) && wait_for(wire, POLLOUT))) {
                return false;
            }
            count = code > 0 ? (size_t)code : 0;
        }
        sent += count;
    }
    return true;
}

/* Receive the beginning of an answer. */
static bool receive(const struct wire *wire, char *out, size_t size)
{
    size_t have = 0;
    while (have < size) {
        size_t count = 0;
        if (wire->ssl) {
            const int code = SSL_read_ex(wire->ssl, out + have, size - have, &count);
            if (code != 1 && !wait_tls(wire, code)) {
                return false;
            }
        } else {
            const ssize_t code = recv(wire->fd, out + have, size - have, 0);
            if (code == 0 ||
                (code < 0 && !((errno == EAGAIN || errno == EINTR) && wait_for(wire, POLLIN)))) {
                return false;
            }
            count = code > 0 ? (size_t)code : 0;
        }
        have += count;
    }
    return true;
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static bool connect_one(struct wire *wire, const struct addrinfo *at)
{
    int failure = 0;
    socklen_t length = sizeof(failure);
    wire->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (wire->fd < 0) {
        return false;
    }
    if (connect(wire->fd, at->ai_addr, at->ai_addrlen) == 0 ||
        (errno == EINPROGRESS && wait_for(wire, POLLOUT) &&
         getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 && failure == 0)) {
        return true;
    }
    (void)close(wire->fd);
    wire->fd = -1;
    return false;
}

static bool connect_any(struct wire *wire, const struct collector *collector)
{
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(collector->host.ptr, collector->port.ptr, &wanted, &found) != 0) {
        return false;
    }
    const struct addrinfo *at = found;
    bool is_connected = false;
    for (size_t i = 0; at && !is_connected && i < ADDRESSES_MAX; i++) {
        is_connected = connect_one(wire, at);
        at = at->ai_next;
    }
    freeaddrinfo(found);
    return is_connected;
}

/* Only who is vouched for under the very name of the endpoint gets anything. */
static bool begin_tls(struct wire *wire, const struct collector *collector)
{
    char host[HOST_BYTES] = ""; /* OpenSSL wants one that it could write to */
    SSL_CTX *context = collector->host.len < sizeof(host) ? SSL_CTX_new(TLS_client_method()) : NULL;
    if (!context) {
        return false;
    }
    memcpy(host, collector->host.ptr, collector->host.len);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    wire->ssl = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
                        SSL_CTX_set_default_verify_paths(context) == 1
                    ? SSL_new(context)
                    : NULL;
    SSL_CTX_free(context); /* the connection has a share of its own */
    if (!wire->ssl) {
        return false;
    }
    const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(wire->ssl), host) == 1;
    ERR_clear_error();
    if ((!is_address &&
         (SSL_set1_host(wire->ssl, host) != 1 || SSL_set_tlsext_host_name(wire->ssl, host) != 1)) ||
        SSL_set_fd(wire->ssl, wire->fd) != 1) {
        return false;
    }
    int code = SSL_connect(wire->ssl);
    while (code != 1 && wait_tls(wire, code)) {
        code = SSL_connect(wire->ssl);
    }
    return code == 1;
}

/* ---- Posting --------------------------------------------------------------------------------- */

static unsigned status_of(const char line[LINE_BYTES])
{
    uint64_t status = 0;
    const bt_str text = {line, LINE_BYTES};
    return bt_str_starts(text, BT_STR("HTTP/1.")) &&
                   bt_str_to_u64(bt_str_slice(text, STATUS_AT, LINE_BYTES), &status) == BT_OK
               ? (unsigned)status
               : 0;
}

unsigned collector_post(const struct collector *collector, bt_str body, uint64_t until_ms,
                        const _Atomic uint64_t *end_ms)
{
    struct wire wire = {.fd = -1, .until_ms = until_ms, .end_ms = end_ms};
    char line[LINE_BYTES];
    unsigned status = 0;
    struct bt_buf head;
    bt_buf_init(&head, POST_BYTES_MAX);
    bt_buf_put(&head, collector->head);
    bt_buf_printf(&head, "Content-Length: %zu\r\n\r\n", body.len);
    if (head.status == BT_OK && connect_any(&wire, collector) &&
        (!collector->is_tls || begin_tls(&wire, collector)) && send_all(&wire, bt_buf_str(&head)) &&
        send_all(&wire, body) && receive(&wire, line, sizeof(line))) {
        status = status_of(line);
    }
    bt_buf_free(&head);
    SSL_free(wire.ssl);
    if (wire.fd >= 0) {
        (void)close(wire.fd);
    }
    return status;
}
