/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - one request to another server, over a socket that never waits longer than it may.
 */
#define _GNU_SOURCE /* struct addrinfo */
#include "http/client.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "net/dns.h"

#include "http/http.h"

enum {
    HEAD_BYTES_MAX = 65536,
    PART_BYTES = 4096,
    SLICE_MS = 100, /* how soon the end of the process is noticed */
    ADDRESSES_MAX = 8,
    HOST_BYTES = 256,
    STATUS_AT = 9, /* HTTP/1.1 200 */
    STATUS_END = 12,
};

/* host:port, [host]:port or either without a port. */
static enum bt_status split_authority(struct bt_arena *arena, bt_str authority,
                                      struct http_url *out)
{
    const bool is_bracketed = bt_str_starts_with(authority, BT_STR("["));
    const size_t end =
        is_bracketed ? bt_str_find_byte(authority, ']', 0) : bt_str_find_byte(authority, ':', 0);
    const bt_str host = bt_str_slice(authority, is_bracketed ? 1 : 0, end);
    const size_t colon = bt_str_find_byte(authority, ':', end);
    const bt_str port = bt_str_slice(authority, colon + 1, authority.len);
    BT_TRY(bt_arena_copy(arena, host, &out->host));
    return bt_arena_copy(arena,
                         port.len > 0  ? port
                         : out->is_tls ? BT_STR("443")
                                       : BT_STR("80"),
                         &out->port);
}

enum bt_status bt_http_url_parse(struct bt_arena *arena, bt_str url, struct http_url *out)
{
    assert(out);
    struct http_url where = {.is_tls = bt_str_starts_with(url, BT_STR("https://"))};
    if (!where.is_tls && !bt_str_starts_with(url, BT_STR("http://"))) {
        return BT_EINVAL;
    }
    for (size_t i = 0; i < url.len; i++) {
        if (url.ptr[i] <= ' ' || url.ptr[i] == 0x7F) {
            return BT_EINVAL;
        }
    }
    url = bt_str_slice(url, bt_str_find_byte(url, '/', 0) + 2, url.len);
    const size_t slash = bt_str_find_byte(url, '/', 0);
    where.authority = bt_str_slice(url, 0, slash);
    where.path = bt_str_slice(url, slash, url.len);
    where.path.len -= bt_str_ends_with(where.path, BT_STR("/")) ? 1 : 0;
    const size_t user = bt_str_find_byte(where.authority, '@', 0);
    if (user < where.authority.len) {
        where.authority = bt_str_slice(where.authority, user + 1, where.authority.len);
    }
    BT_TRY(split_authority(arena, where.authority, &where));
    BT_TRY(bt_arena_copy(arena, where.authority, &where.authority));
    BT_TRY(bt_arena_copy(arena, where.path, &where.path));
    *out = where;
    return where.host.len > 0 ? BT_OK : BT_EINVAL;
}

bool http_value_is(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == 0x7F || (byte < ' ' && byte != '\t')) {
            return false;
        }
    }
    return text.len > 0;
}

struct http_client_socket {
    int fd;
    SSL *ssl; /* NULL: in clear */
    uint64_t until_ms;
    const _Atomic uint64_t *end_ms; /* NULL: nothing ends it sooner */
};

static bool has_time(const struct http_client_socket *wire)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    return now_ms < wire->until_ms && !(wire->end_ms && now_ms >= *wire->end_ms);
}

/* Wait for a socket. False: there is no time left. */
static bool wait_for(const struct http_client_socket *wire, short events)
{
    struct pollfd what = {.fd = wire->fd, .events = events};
    while (has_time(wire)) {
        const int ready = poll(&what, 1, SLICE_MS);
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
    return false;
}

/* Whether an operation of TLS that did not succeed may be tried again: after a wait, it may. */
static bool wait_tls(const struct http_client_socket *wire, int code)
{
    const int reason = SSL_get_error(wire->ssl, code);
    ERR_clear_error();
    return (reason == SSL_ERROR_WANT_READ && wait_for(wire, POLLIN)) ||
           (reason == SSL_ERROR_WANT_WRITE && wait_for(wire, POLLOUT));
}

static bool send_all(const struct http_client_socket *wire, bt_str bytes)
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

/* Receive what there is next; 0: nothing more comes, or not in time. */
static size_t receive_bytes(const struct http_client_socket *wire, char *out, size_t size)
{
    for (;;) {
        size_t count = 0;
        if (wire->ssl) {
            const int code = SSL_read_ex(wire->ssl, out, size, &count);
            if (code == 1 || !wait_tls(wire, code)) {
                return count;
            }
            continue;
        }
        const ssize_t code = recv(wire->fd, out, size, 0);
        if (code >= 0) {
            return (size_t)code;
        }
        if (!((errno == EAGAIN || errno == EINTR) && wait_for(wire, POLLIN))) {
            return 0;
        }
    }
}

static bool connect_one(struct http_client_socket *wire, const struct addrinfo *at)
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

static bool connect_any(struct http_client_socket *wire, const struct http_url *where)
{
    struct bt_dns_query *lookup = NULL;
    const char *why = NULL;
    bool is_connected = false;
    if (bt_dns_start(where->host, where->port, &lookup) != BT_OK) {
        return false;
    }
    bool is_over = bt_dns_wait(lookup, 0);
    while (!is_over && has_time(wire)) {
        is_over = bt_dns_wait(lookup, bt_clock_monotonic_ms() + SLICE_MS);
    }
    const struct addrinfo *at = is_over ? bt_dns_addresses(lookup, &why) : NULL;
    for (size_t i = 0; at && !is_connected && i < ADDRESSES_MAX; i++) {
        is_connected = connect_one(wire, at);
        at = at->ai_next;
    }
    bt_dns_free(lookup);
    return is_connected;
}

/* Only who is vouched for under the very name of the endpoint gets anything. */
static bool begin_tls(struct http_client_socket *wire, const struct http_url *where)
{
    char host[HOST_BYTES] = ""; /* OpenSSL wants one that it could write to */
    SSL_CTX *context = where->host.len < sizeof(host) ? SSL_CTX_new(TLS_client_method()) : NULL;
    if (!context) {
        return false;
    }
    memcpy(host, where->host.ptr, where->host.len);
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

static unsigned status_of(bt_str head)
{
    uint64_t status = 0;
    return bt_str_starts_with(head, BT_STR("HTTP/1.")) && head.len >= STATUS_END &&
                   bt_str_to_u64(bt_str_slice(head, STATUS_AT, STATUS_END), &status) == BT_OK
               ? (unsigned)status
               : 0;
}

/* Read until the other side closes; what is not wanted is not waited for. */
static void read_answer(const struct http_client_socket *wire, bool wants_body, struct bt_buf *buf)
{
    char part[PART_BYTES];
    size_t count = 1;
    while (count > 0 && buf->status == BT_OK && (wants_body || buf->len < STATUS_END)) {
        count = receive_bytes(wire, part, sizeof(part));
        bt_buf_put(buf, (bt_str){part, count});
    }
}

/* What stands behind the empty line. */
static bt_str body_of(bt_str answer)
{
    for (size_t i = 0; i + 4 <= answer.len; i++) {
        if (memcmp(answer.ptr + i, "\r\n\r\n", 4) == 0) {
            return bt_str_slice(answer, i + 4, answer.len);
        }
    }
    return BT_STR("");
}

unsigned bt_http_client_post(const struct http_client_post *post, struct bt_buf *out_body)
{
    assert(post);
    struct http_client_socket wire = {.fd = -1, .until_ms = post->until_ms, .end_ms = post->end_ms};
    struct bt_buf head;
    struct bt_buf answer;
    bt_buf_init(&head, HEAD_BYTES_MAX);
    bt_buf_init(&answer, HEAD_BYTES_MAX + (out_body ? out_body->max : 0));
    /* An answer to 1.0 comes in one piece, and ends with the connection. */
    bt_buf_printf(&head,
                  "POST %.*s%s HTTP/1.%d\r\nHost: %.*s\r\n%.*sConnection: close\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  BT_STR_ARG(post->where->path), post->path, out_body ? 0 : 1,
                  BT_STR_ARG(post->where->authority), BT_STR_ARG(post->fields), post->body.len);
    if (head.status == BT_OK && connect_any(&wire, post->where) &&
        (!post->where->is_tls || begin_tls(&wire, post->where)) &&
        send_all(&wire, bt_buf_str(&head)) && send_all(&wire, post->body)) {
        read_answer(&wire, out_body != NULL, &answer);
    }
    const unsigned status = status_of(bt_buf_str(&answer));
    if (out_body) {
        bt_buf_put(out_body, body_of(bt_buf_str(&answer)));
    }
    bt_buf_free(&head);
    bt_buf_free(&answer);
    SSL_free(wire.ssl);
    if (wire.fd >= 0) {
        (void)close(wire.fd);
    }
    return status;
}
