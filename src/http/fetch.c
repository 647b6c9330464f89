/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c - connect, send, read the head and the body of the answer, each as far as it goes. */
#define _GNU_SOURCE /* struct addrinfo */
#include "http/fetch.h"

#include <assert.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/str.h"
#include "net/socket_address.h"

enum {
    HEAD_BYTES_MAX = 65536,
    HEAD_FIELDS_MAX = 256,
    SEND_BYTES = 65536,
    READ_BYTES = 65536,
    STATUS_AT = 9, /* HTTP/1.1 200 */
    STATUS_END = 12,
    STATUS_NO_CONTENT = 204,
    STATUS_INFORMATIONAL_END = 200,
};

/* ---- Connecting ------------------------------------------------------------------------------ */

static void close_connection(struct http_fetch *fetch)
{
    if (fetch->is_open) {
        bt_net_connection_free(&fetch->connection);
        fetch->is_open = false;
    }
}

void http_fetch_fail(struct http_fetch *fetch, const char *why)
{
    fetch->stage = HTTP_FETCH_FAILED;
    fetch->failure = why;
    close_connection(fetch);
}

/* Try the present address and those behind it. */
static void connect_next(struct http_fetch *fetch)
{
    int fd = -1;
    close_connection(fetch);
    while (fetch->address && bt_tcp_connect(fetch->address, &fd) != BT_OK) {
        fetch->address = fetch->address->ai_next;
    }
    if (!fetch->address) {
        http_fetch_fail(fetch, "no connection");
        return;
    }
    bt_net_connection_init(&fetch->connection, fd, HEAD_BYTES_MAX, SEND_BYTES);
    fetch->is_open = true;
    fetch->stage = HTTP_FETCH_CONNECTING;
}

void http_fetch_begin(struct http_fetch *fetch, const struct http_fetch_target *target,
                      struct bt_buf *request, size_t body_max)
{
    *fetch = (struct http_fetch){.target = *target,
                                 .address = target->addresses,
                                 .request = *request,
                                 .limits = {.header_bytes = HEAD_BYTES_MAX,
                                            .header_count = HEAD_FIELDS_MAX,
                                            .body_bytes = body_max},
                                 .last_ms = bt_clock_monotonic_ms()};
    bt_buf_init(request, request->max);
    bt_buf_init(&fetch->head, HEAD_BYTES_MAX);
    bt_buf_init(&fetch->body, body_max);
    if (fetch->request.status != BT_OK) {
        http_fetch_fail(fetch, "the request is too large");
        return;
    }
    connect_next(fetch);
}

void http_fetch_free(struct http_fetch *fetch)
{
    close_connection(fetch);
    bt_buf_free(&fetch->request);
    bt_buf_free(&fetch->head);
    bt_buf_free(&fetch->body);
}

static void finish_connect(struct http_fetch *fetch)
{
    struct pollfd state = {.fd = fetch->connection.fd, .events = POLLOUT};
    int failure = 0;
    socklen_t length = sizeof(failure);
    if (poll(&state, 1, 0) <= 0) {
        return;
    }
    if (getsockopt(state.fd, SOL_SOCKET, SO_ERROR, &failure, &length) != 0 || failure != 0) {
        fetch->address = fetch->address->ai_next;
        connect_next(fetch);
        return;
    }
    if (fetch->target.tls &&
        !bt_net_connection_start_tls(&fetch->connection, fetch->target.tls, fetch->target.host)) {
        http_fetch_fail(fetch, "TLS cannot be started");
        return;
    }
    fetch->stage = HTTP_FETCH_SENDING;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Send in parts, so that a long body is not copied as a whole. */
static void send_request(struct http_fetch *fetch)
{
    struct bt_net_connection *connection = &fetch->connection;
    const bt_str whole = bt_buf_str(&fetch->request);
    size_t before = 0;
    do {
        if (bt_net_connection_unsent(connection) == 0 && fetch->sent < whole.len) {
            const size_t left = whole.len - fetch->sent;
            const size_t size = left < SEND_BYTES ? left : SEND_BYTES;
            bt_buf_put(&connection->out, bt_str_slice(whole, fetch->sent, fetch->sent + size));
            fetch->sent += size;
        }
        before = bt_net_connection_unsent(connection);
        bt_net_connection_write(connection);
        if (bt_net_connection_unsent(connection) < before) {
            fetch->last_ms = bt_clock_monotonic_ms();
        }
    } while (!connection->is_broken && connection->out.status == BT_OK &&
             bt_net_connection_unsent(connection) == 0 && fetch->sent < whole.len);
    if (connection->is_broken || connection->out.status != BT_OK) {
        http_fetch_fail(fetch, fetch->target.tls && fetch->sent <= SEND_BYTES
                                   ? "no connection that TLS vouches for"
                                   : "the connection was lost");
    } else if (bt_net_connection_unsent(connection) == 0) {
        bt_buf_free(&fetch->request);
        fetch->stage = HTTP_FETCH_HEAD;
    }
}

/* ---- The head -------------------------------------------------------------------------------- */

static bt_str trim_blanks(bt_str text)
{
    while (text.len > 0 && strchr(" \t\r", text.ptr[text.len - 1])) {
        text.len--;
    }
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t')) {
        text = bt_str_slice(text, 1, text.len);
    }
    return text;
}

/* The number of fields with this name; *out is the value of the first. */
static size_t find_fields(const struct http_fetch *fetch, bt_str name, bt_str *out)
{
    const bt_str head = bt_buf_str(&fetch->head);
    size_t count = 0;
    *out = BT_STR("");
    for (size_t at = bt_str_find_byte(head, '\n', 0) + 1; at < head.len;) {
        const size_t end = bt_str_find_byte(head, '\n', at);
        const bt_str line = bt_str_slice(head, at, end);
        bool is_same = bt_str_find_byte(line, ':', 0) == name.len && name.len < line.len;
        for (size_t i = 0; is_same && i < name.len; i++) {
            is_same = bt_ascii_lower(line.ptr[i]) == name.ptr[i];
        }
        if (is_same && count++ == 0) {
            *out = trim_blanks(bt_str_slice(line, name.len + 1, line.len));
        }
        at = end + 1;
    }
    return count;
}

bt_str http_fetch_field(const struct http_fetch *fetch, bt_str name)
{
    bt_str value;
    (void)find_fields(fetch, name, &value);
    return value;
}

/* How the body is framed. False: the head contradicts itself. */
static bool read_framing(struct http_fetch *fetch)
{
    bt_str length;
    bt_str coding;
    const size_t lengths = find_fields(fetch, BT_STR("content-length"), &length);
    const size_t codings = find_fields(fetch, BT_STR("transfer-encoding"), &coding);
    /* Fields that frame a body twice could be read in two ways. */
    if (lengths + codings > 1 || (codings == 1 && !bt_str_eq(coding, BT_STR("chunked")))) {
        return false;
    }
    fetch->framing = codings == 1   ? HTTP_FETCH_CHUNKS
                     : lengths == 1 ? HTTP_FETCH_LENGTH
                                    : HTTP_FETCH_UNTIL_CLOSED;
    if (lengths == 1) {
        return bt_str_to_u64(length, &fetch->left) == BT_OK;
    }
    if (fetch->status == STATUS_NO_CONTENT) {
        fetch->framing = HTTP_FETCH_LENGTH;
        fetch->left = 0;
    }
    return true;
}

static bool parse_head(struct http_fetch *fetch)
{
    const bt_str head = bt_buf_str(&fetch->head);
    uint64_t status = 0;
    if (!bt_str_starts_with(head, BT_STR("HTTP/1.")) || head.len < STATUS_END ||
        bt_str_to_u64(bt_str_slice(head, STATUS_AT, STATUS_END), &status) != BT_OK) {
        return false;
    }
    fetch->status = (unsigned)status;
    return bt_str_find_byte(head, '\0', 0) == head.len && read_framing(fetch);
}

/* Take the head out of what was received. False: it is not complete. */
static bool take_head(struct http_fetch *fetch)
{
    const bt_str received = bt_net_connection_received(&fetch->connection);
    const char *end = memmem(received.ptr, received.len, "\r\n\r\n", 4);
    if (!end) {
        if (received.len >= HEAD_BYTES_MAX) {
            http_fetch_fail(fetch, "the head of the answer is too large");
        }
        return false;
    }
    const size_t size = (size_t)(end - received.ptr) + 4;
    bt_buf_clear(&fetch->head);
    bt_buf_put(&fetch->head, bt_str_slice(received, 0, size));
    fetch->connection.in_done += size;
    if (fetch->head.status != BT_OK || !parse_head(fetch)) {
        http_fetch_fail(fetch, "the answer is not HTTP");
        return false;
    }
    if (fetch->status < STATUS_INFORMATIONAL_END) {
        return true; /* the real answer follows */
    }
    fetch->stage = HTTP_FETCH_BODY;
    return true;
}

/* ---- The body -------------------------------------------------------------------------------- */

static void take_chunks(struct http_fetch *fetch, bt_str received)
{
    enum http_chunk_result result = HTTP_CHUNK_RESULT_MORE;
    fetch->connection.in_done +=
        http_chunks_take(&fetch->chunks, received, &fetch->limits, &fetch->body, &result);
    if (result == HTTP_CHUNK_RESULT_END) {
        fetch->stage = HTTP_FETCH_COMPLETE;
    } else if (result != HTTP_CHUNK_RESULT_MORE) {
        http_fetch_fail(fetch, result == HTTP_CHUNK_RESULT_LARGE
                                   ? "the answer is too large"
                                   : "the answer is not framed as HTTP");
    }
}

static void take_body(struct http_fetch *fetch)
{
    bt_str received = bt_net_connection_received(&fetch->connection);
    if (fetch->framing == HTTP_FETCH_CHUNKS) {
        take_chunks(fetch, received);
        return;
    }
    if (fetch->framing == HTTP_FETCH_LENGTH) {
        received.len = received.len < fetch->left ? received.len : (size_t)fetch->left;
        fetch->left -= received.len;
    }
    bt_buf_put(&fetch->body, received);
    fetch->connection.in_done += received.len;
    if (fetch->body.status != BT_OK) {
        http_fetch_fail(fetch, "the answer is too large");
    } else if (fetch->framing == HTTP_FETCH_LENGTH && fetch->left == 0) {
        fetch->stage = HTTP_FETCH_COMPLETE;
    }
}

static void receive_answer(struct http_fetch *fetch)
{
    struct bt_net_connection *connection = &fetch->connection;
    const size_t before = connection->in.len - connection->in_done;
    bt_net_connection_read(connection, READ_BYTES);
    if (connection->in.len - connection->in_done > before) {
        fetch->last_ms = bt_clock_monotonic_ms();
    }
    while (fetch->stage == HTTP_FETCH_HEAD && take_head(fetch)) {
    }
    if (fetch->stage == HTTP_FETCH_BODY) {
        take_body(fetch);
    }
    if (http_fetch_has_ended(fetch) || !(connection->is_broken || connection->peer_has_closed)) {
        return;
    }
    if (fetch->stage == HTTP_FETCH_BODY && !connection->is_broken &&
        fetch->framing == HTTP_FETCH_UNTIL_CLOSED) {
        fetch->stage = HTTP_FETCH_COMPLETE;
    } else {
        http_fetch_fail(fetch, "the connection was lost");
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

bool http_fetch_has_ended(const struct http_fetch *fetch)
{
    return fetch->stage >= HTTP_FETCH_COMPLETE;
}

int http_fetch_fd(const struct http_fetch *fetch)
{
    return fetch->is_open && !http_fetch_has_ended(fetch) ? fetch->connection.fd : -1;
}

short http_fetch_events(const struct http_fetch *fetch)
{
    const bool is_writing =
        fetch->stage == HTTP_FETCH_CONNECTING || fetch->stage == HTTP_FETCH_SENDING;
    /* TLS may have to read before it can write, and the other way round. */
    const bool wants_writing = fetch->connection.tls && fetch->stage > HTTP_FETCH_CONNECTING
                                   ? fetch->connection.wants_writing
                                   : is_writing;
    return (short)(wants_writing ? POLLOUT : POLLIN);
}

bool http_fetch_is_ready(const struct http_fetch *fetch)
{
    return fetch->is_open && !http_fetch_has_ended(fetch) && fetch->connection.is_unread;
}

void http_fetch_step(struct http_fetch *fetch)
{
    if (fetch->stage == HTTP_FETCH_CONNECTING) {
        finish_connect(fetch);
    }
    if (fetch->stage == HTTP_FETCH_SENDING) {
        send_request(fetch);
    }
    if (fetch->stage == HTTP_FETCH_HEAD || fetch->stage == HTTP_FETCH_BODY) {
        receive_answer(fetch);
    }
}
