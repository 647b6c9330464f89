/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client.c - one request over one connection: resolve, connect, send, read the answer.
 */
#define _GNU_SOURCE /* struct addrinfo */
#include "net/http_client.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "net/connection.h"
#include "net/dns.h"
#include "net/socket_address.h"

enum {
    HEAD_BYTES_MAX = 65536,
    SEND_BYTES = 65536,
    READ_BYTES = 4096,
    SLICE_MS = 100, /* how soon a change of *end_ms is noticed */
    ADDRESSES_MAX = 8,
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

bool bt_http_field_value_is_valid(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == 0x7F || (byte < ' ' && byte != '\t')) {
            return false;
        }
    }
    return text.len > 0;
}

static bool has_time(const struct http_client_post *post)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    return now_ms < post->until_ms && !(post->end_ms && now_ms >= *post->end_ms);
}

/* Wait for a socket. False: there is no time left. */
static bool wait_for(const struct http_client_post *post, int fd, short events)
{
    struct pollfd what = {.fd = fd, .events = events};
    while (has_time(post)) {
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

/* Wait until a call that moved no bytes can be repeated; `events` is what it needs without TLS. */
static bool wait_ready(const struct http_client_post *post,
                       const struct bt_net_connection *connection, short events)
{
    return wait_for(post, connection->fd,
                    !connection->tls            ? events
                    : connection->wants_writing ? POLLOUT
                                                : POLLIN);
}

static int connect_one(const struct http_client_post *post, const struct addrinfo *at)
{
    int fd = -1;
    int failure = 0;
    socklen_t length = sizeof(failure);
    if (bt_tcp_connect(at, &fd) != BT_OK) {
        return -1;
    }
    if (wait_for(post, fd, POLLOUT) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 && failure == 0) {
        return fd;
    }
    (void)close(fd);
    return -1;
}

/* A connected socket, or -1. */
static int connect_any(const struct http_client_post *post)
{
    struct bt_dns_query *query = NULL;
    const char *why = NULL;
    int fd = -1;
    if (bt_dns_start(post->where->host, post->where->port, &query) != BT_OK) {
        return -1;
    }
    bool has_ended = bt_dns_wait(query, 0);
    while (!has_ended && has_time(post)) {
        has_ended = bt_dns_wait(query, bt_clock_monotonic_ms() + SLICE_MS);
    }
    const struct addrinfo *at = has_ended ? bt_dns_addresses(query, &why) : NULL;
    for (size_t i = 0; at && fd < 0 && i < ADDRESSES_MAX; i++) {
        fd = connect_one(post, at);
        at = at->ai_next;
    }
    bt_dns_free(query);
    return fd;
}

/* Nothing is sent to a server without a certificate for the host of the URL. */
static bool start_tls(const struct http_client_post *post, struct bt_net_connection *connection)
{
    struct bt_tls_context *tls = NULL;
    if (!post->where->is_tls) {
        return true;
    }
    if (bt_tls_client_create(BT_TLS_TRUST_AUTHORITIES, NULL, &tls, post->error) != BT_OK) {
        return false;
    }
    const bool is_started = bt_net_connection_start_tls(connection, tls, post->where->host);
    bt_tls_context_destroy(tls);
    return is_started;
}

/* Send everything, in parts, so that a long body is not copied as a whole. */
static bool send_all(const struct http_client_post *post, struct bt_net_connection *connection,
                     bt_str bytes)
{
    while (bytes.len > 0 || bt_net_connection_unsent(connection) > 0) {
        if (bt_net_connection_unsent(connection) == 0) {
            const size_t size = bytes.len < SEND_BYTES ? bytes.len : SEND_BYTES;
            bt_buf_put(&connection->out, bt_str_slice(bytes, 0, size));
            bytes = bt_str_slice(bytes, size, bytes.len);
        }
        bt_net_connection_write(connection);
        if (connection->is_broken || connection->peer_has_closed ||
            connection->out.status != BT_OK ||
            (bt_net_connection_unsent(connection) > 0 && !wait_ready(post, connection, POLLOUT))) {
            return false;
        }
    }
    return true;
}

static bool send_request(const struct http_client_post *post, struct bt_net_connection *connection,
                         bool wants_body)
{
    struct bt_buf head;
    bt_buf_init(&head, HEAD_BYTES_MAX);
    /* An answer to HTTP/1.0 is not chunked, and ends with the connection. */
    bt_buf_printf(&head, "%s %.*s%s HTTP/1.%d\r\nHost: %.*s\r\n%.*sConnection: close\r\n",
                  post->is_get ? "GET" : "POST", BT_STR_ARG(post->where->path), post->path,
                  wants_body ? 0 : 1, BT_STR_ARG(post->where->authority), BT_STR_ARG(post->fields));
    if (!post->is_get) {
        bt_buf_printf(&head, "Content-Length: %zu\r\n", post->body.len);
    }
    bt_buf_put_text(&head, "\r\n");
    const bool is_sent = head.status == BT_OK && send_all(post, connection, bt_buf_str(&head)) &&
                         send_all(post, connection, post->body);
    bt_buf_free(&head);
    return is_sent;
}

/* Read until the server closes or the buffer is full; without a body only the status line. */
static void read_answer(const struct http_client_post *post, struct bt_net_connection *connection,
                        bool wants_body)
{
    const size_t enough = wants_body ? connection->in.max : STATUS_END;
    size_t before = 0;
    do {
        before = connection->in.len;
        bt_net_connection_read(connection, READ_BYTES);
    } while (connection->in.len < enough && !connection->is_broken &&
             !connection->peer_has_closed &&
             (connection->in.len > before || wait_ready(post, connection, POLLIN)));
}

static unsigned parse_status(bt_str head)
{
    uint64_t status = 0;
    return bt_str_starts_with(head, BT_STR("HTTP/1.")) && head.len >= STATUS_END &&
                   bt_str_to_u64(bt_str_slice(head, STATUS_AT, STATUS_END), &status) == BT_OK
               ? (unsigned)status
               : 0;
}

/* What follows the empty line. */
static bt_str find_body(bt_str answer)
{
    const char *end = memmem(answer.ptr, answer.len, "\r\n\r\n", 4);
    return end ? bt_str_slice(answer, (size_t)(end - answer.ptr) + 4, answer.len) : BT_STR("");
}

unsigned bt_http_client_post(const struct http_client_post *post, struct bt_buf *out_body)
{
    assert(post);
    struct bt_net_connection connection;
    const int fd = connect_any(post);
    if (fd < 0) {
        return 0;
    }
    bt_net_connection_init(&connection, fd, HEAD_BYTES_MAX + (out_body ? out_body->max : 0),
                           SEND_BYTES);
    if (start_tls(post, &connection) && send_request(post, &connection, out_body != NULL)) {
        read_answer(post, &connection, out_body != NULL);
    }
    const bt_str answer = bt_net_connection_received(&connection);
    const unsigned status = parse_status(answer);
    if (out_body) {
        bt_buf_put(out_body, find_body(answer));
    }
    bt_net_connection_free(&connection);
    return status;
}
