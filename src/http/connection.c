/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - one connection: bytes in, one request at a time, responses in order.
 *
 * Events are edge-triggered (EPOLLET), so readiness is remembered in can_read and can_write until a
 * call returns EAGAIN.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "http/http_internal.h"

enum {
    LINGER_MS = 2000,
    FIRST_WORD_MS = 500, /* for connections accepted just before the server stops */
    STEPS_MAX = 8,       /* of a connection in one iteration of the loop, so that others are
                          * served too */
    SCHEDULED_MAX = 32,  /* scheduled connections that continue in one iteration */
};

void http_conn_enter(struct http_connection *conn, enum http_state state)
{
    struct http_server *server = conn->server;
    server->waiting -= conn->state == HTTP_WAITING ? 1 : 0;
    server->waiting += state == HTTP_WAITING ? 1 : 0;
    server->counts.idle -= conn->state == HTTP_IDLE ? 1 : 0;
    server->counts.idle += state == HTTP_IDLE ? 1 : 0;
    conn->state = state;
}

void http_conn_set_timer(struct http_connection *conn, uint64_t due_ms)
{
    http_wheel_set(&conn->server->wheel, &conn->timer, due_ms);
}

struct http_connection *http_conn_open(struct http_server *server, int fd,
                                       const struct http_peer *peer)
{
    struct http_connection *conn = calloc(1, sizeof(*conn));
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = conn};
    if (!conn || epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        free(conn);
        (void)close(fd);
        return NULL;
    }
    conn->fd = fd;
    conn->server = server;
    conn->peer = *peer;
    conn->socket.can_write = true;
    conn->next = server->conns;
    conn->link = &server->conns;
    if (conn->next) {
        conn->next->link = &conn->next;
    }
    server->conns = conn;
    server->counts.conns++;
    bt_buf_init(&conn->pipelined, HTTP_SCRATCH_BYTES);
    http_conn_enter(conn, HTTP_IDLE);
    http_conn_set_timer(conn, server->now_ms + server->limits.idle_ms);
    return conn;
}

/* Continue in the next iteration of the loop, after those that wait already. */
static void schedule_connection(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    if (conn->scheduled.link) {
        return;
    }
    conn->scheduled.next = NULL;
    conn->scheduled.link = server->scheduled_end;
    *server->scheduled_end = conn;
    server->scheduled_end = &conn->scheduled.next;
}

static void unschedule_connection(struct http_connection *conn)
{
    if (!conn->scheduled.link) {
        return;
    }
    *conn->scheduled.link = conn->scheduled.next;
    if (conn->scheduled.next) {
        conn->scheduled.next->scheduled.link = conn->scheduled.link;
    } else {
        conn->server->scheduled_end = conn->scheduled.link;
    }
    conn->scheduled.link = NULL;
}

void http_conns_run_scheduled(struct http_server *server)
{
    for (size_t i = 0; i < SCHEDULED_MAX && server->scheduled; i++) {
        struct http_connection *conn = server->scheduled;
        unschedule_connection(conn);
        http_connection_continue(conn);
    }
}

static void drop_rest(struct http_connection *conn)
{
    bt_buf_free(&conn->pipelined);
    conn->rest_at = 0;
}

void http_conn_close(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    assert(conn->state != HTTP_RUNNING && conn->state != HTTP_UNDECIDED);
    if (conn->fd < 0) {
        return;
    }
    if (conn->job) {
        conn->job->call.was_truncated = true;
        http_job_end(conn);
    }
    http_conn_enter(conn, HTTP_LINGERING);
    http_wheel_drop(&conn->timer);
    unschedule_connection(conn);
    if (conn->address) {
        http_addresses_drop(server->addresses, conn->address);
    }
    if (conn->tls) {
        bt_tls_connection_destroy(conn->tls);
    }
    (void)close(conn->fd);
    conn->fd = -1;
    drop_rest(conn);
    *conn->link = conn->next;
    if (conn->next) {
        conn->next->link = conn->link;
    }
    server->counts.conns--;
    conn->next = server->closed;
    server->closed = conn;
}

/* Send nothing more, but let the peer read what was sent. */
static void begin_lingering(struct http_connection *conn)
{
    if (conn->tls && !conn->socket.cannot_write) {
        bt_tls_connection_shutdown(conn->tls);
    }
    if (conn->socket.peer_has_closed || conn->socket.cannot_write ||
        shutdown(conn->fd, SHUT_WR) != 0) {
        http_conn_close(conn);
        return;
    }
    drop_rest(conn);
    http_conn_enter(conn, HTTP_LINGERING);
    conn->deadline_ms = conn->server->now_ms + LINGER_MS;
    http_conn_set_timer(conn, conn->deadline_ms);
}

void http_connection_end_response(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    http_job_end(conn);
    if (!conn->keep_alive || server->is_stopping || conn->socket.cannot_write) {
        begin_lingering(conn);
        return;
    }
    http_conn_enter(conn, HTTP_IDLE);
    http_conn_set_timer(conn, server->now_ms + server->limits.idle_ms);
}

/* Leave the request to the application, which decides before the next turn of the loop. */
static void leave_to_application(struct http_connection *conn, enum http_event_kind kind)
{
    http_conn_enter(conn, HTTP_UNDECIDED);
    http_events_add(conn->server, conn->job, kind);
}

void http_connection_reject(struct http_connection *conn, enum http_error error)
{
    struct http_job *job = conn->job;
    assert(job);
    conn->keep_alive = false;
    http_reader_request(&job->reader, &job->call.request);
    job->call.request.body = BT_STR("");
    job->error = error;
    leave_to_application(conn, HTTP_EVENT_ERROR);
}

bool http_conn_begin(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = http_job_acquire(server);
    if (!job) {
        http_conn_close(conn);
        return false;
    }
    if (conn->tls && !conn->peer.has_key) {
        conn->peer.has_key = bt_tls_connection_peer_digest(conn->tls, conn->peer.key_digest);
    }
    conn->is_used = true;
    conn->job = job;
    job->conn = conn;
    job->call.begun_ms = server->now_ms;
    job->call.begun_us = bt_clock_monotonic_us();
    job->call.peer = conn->peer;
    job->call.request.peer = &job->call.peer;
    job->limits = server->limits;
    http_reader_begin(&job->reader, &job->limits);
    http_conn_enter(conn, HTTP_READING);
    conn->deadline_ms = server->now_ms + server->limits.header_ms;
    http_conn_set_timer(conn, conn->deadline_ms);
    return true;
}

/* The bytes of the body that a head announces, as far as they are read. */
static uint64_t announced_bytes(const struct http_job *job)
{
    return job->reader.length <= job->limits.body_bytes ? job->reader.length : 0;
}

/* The head is complete. */
static void take_head(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    http_reader_request(&job->reader, &job->call.request);
    conn->keep_alive = job->reader.keeps;
    if (http_server_has_room(conn->server, announced_bytes(job))) {
        leave_to_application(conn, HTTP_EVENT_HEAD);
    } else {
        http_connection_reject(conn, HTTP_ERROR_OVERLOADED);
    }
}

/* Go on with a request that is admitted; bytes of its body may already be here. */
static void read_body(struct http_connection *conn)
{
    static const bt_str go_on = BT_STR_INIT("HTTP/1.1 100 Continue\r\n\r\n");
    struct http_job *job = conn->job;
    http_conn_enter(conn, HTTP_READING);
    http_reader_continue(&job->reader);
    if (job->reader.stage != HTTP_READS_BODY) {
        return;
    }
    conn->deadline_ms = job->call.begun_ms + job->limits.body_ms;
    http_conn_set_timer(conn, conn->deadline_ms);
    /* A client without buffer space for this does not read its responses. */
    if (job->reader.expects && conn->pipelined.len == 0 &&
        http_conn_send(conn, (const bt_str[2]){go_on, BT_STR("")}) != (ssize_t)go_on.len) {
        conn->socket.cannot_write = true;
    }
}

/* The request is complete: count it, and submit it to a worker. */
static void submit_job(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    if (!http_job_has_room(conn, job->reader.body.len)) {
        http_connection_reject(conn, HTTP_ERROR_OVERLOADED);
        return;
    }
    http_job_set_in_flight(conn, true);
    http_job_count_bytes(conn, job->reader.body.len);
    job->call.request.body = bt_buf_str(&job->reader.body);
    job->first_run_ms = conn->server->now_ms;
    http_conn_enter(conn, HTTP_RUNNING);
    http_wheel_drop(&conn->timer);
    http_workers_submit(conn->server, job, false);
}

/* Count the received bytes of a body. False when they do not fit. */
static bool count_body(struct http_connection *conn)
{
    const uint64_t bytes = conn->job->reader.body.len;
    if (bytes == conn->job->bytes_counted) {
        return true;
    }
    if (!http_job_has_room(conn, bytes)) {
        return false;
    }
    http_job_count_bytes(conn, bytes);
    return true;
}

/* Pass bytes to the reader. Returns how many of them it took. */
static size_t feed_reader(struct http_connection *conn, bt_str bytes)
{
    size_t taken = 0;
    if (!conn->job && !http_conn_begin(conn)) {
        return bytes.len;
    }
    struct http_job *job = conn->job;
    while (conn->state == HTTP_READING && conn->job == job) {
        const enum http_stage before = job->reader.stage;
        taken +=
            http_reader_take(&job->reader, &job->call.arena, bt_str_slice(bytes, taken, bytes.len));
        if (job->reader.stage == HTTP_HAS_HEAD) {
            take_head(conn);
        } else if (job->reader.stage == HTTP_COMPLETE) {
            submit_job(conn);
        } else if (job->reader.stage == HTTP_REFUSED) {
            http_connection_reject(conn, job->reader.error);
        } else if (!count_body(conn)) {
            http_connection_reject(conn, HTTP_ERROR_OVERLOADED);
        } else if (taken == bytes.len && job->reader.stage == before) {
            break;
        }
    }
    return taken;
}

void http_connection_take_decision(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    if (conn->pipelined.status != BT_OK) { /* there was no memory for what follows the head */
        http_conn_enter(conn, HTTP_READING);
        http_conn_close(conn);
        return;
    }
    if (!job->call.is_admitted) {
        conn->keep_alive = conn->keep_alive && !job->reader.is_chunked && job->reader.length == 0;
        http_connection_respond(conn);
    } else if (!http_job_has_room(conn, announced_bytes(job))) {
        http_connection_reject(conn, HTTP_ERROR_OVERLOADED);
    } else {
        read_body(conn);
        (void)feed_reader(conn, BT_STR("")); /* without a body it is complete */
    }
    http_connection_continue(conn);
}

ssize_t http_conn_recv(struct http_connection *conn, void *bytes, size_t size)
{
    const ssize_t count =
        conn->tls ? bt_tls_connection_recv(conn->tls, bytes, size) : recv(conn->fd, bytes, size, 0);
    if (count < 0 && errno == EAGAIN) {
        conn->socket.can_read = false;
    } else if (count < 0 && errno != EINTR) {
        conn->socket.cannot_write = true;
    } else if (!conn->tls && (size_t)count < size) {
        conn->socket.can_read =
            conn->socket.peer_has_closed; /* the kernel reports when there is more */
    }
    return count;
}

static ssize_t send_both(int fd, const bt_str parts[2])
{
    struct iovec pieces[2];
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    for (size_t i = 0; i < 2; i++) {
        /* sendmsg() does not write to it. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        pieces[i] = (struct iovec){(void *)(uintptr_t)parts[i].ptr, parts[i].len};
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

ssize_t http_conn_send(struct http_connection *conn, const bt_str parts[2])
{
    const bt_str part = parts[0].len > 0 ? parts[0] : parts[1];
    if (conn->tls) {
        const ssize_t count = bt_tls_connection_send(conn->tls, part.ptr, part.len);
        conn->socket.can_write = count >= 0 || errno == EINTR;
        conn->socket.cannot_write =
            conn->socket.cannot_write || (count < 0 && errno != EAGAIN && errno != EINTR);
        return count;
    }
    const ssize_t count = parts[0].len > 0 && parts[1].len > 0
                              ? send_both(conn->fd, parts)
                              : send(conn->fd, part.ptr, part.len, MSG_NOSIGNAL);
    if (count < 0) {
        conn->socket.can_write = errno == EINTR;
        conn->socket.cannot_write =
            conn->socket.cannot_write || (errno != EAGAIN && errno != EINTR);
        return -1;
    }
    return count;
}

/* Read once and pass the bytes on. False when there is nothing to do now. */
static bool read_once(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    bt_str bytes = bt_str_slice(bt_buf_str(&conn->pipelined), conn->rest_at, conn->pipelined.len);
    const bool is_rest = bytes.len > 0;
    if (!is_rest) {
        if (!conn->socket.can_read) {
            return false;
        }
        const ssize_t count = http_conn_recv(conn, server->scratch, HTTP_SCRATCH_BYTES);
        if (count == 0 || conn->socket.cannot_write) {
            http_conn_close(conn);
            return false;
        }
        if (count < 0) {
            return conn->socket.can_read; /* an interrupted call is repeated */
        }
        bytes = (bt_str){server->scratch, (size_t)count};
    }
    const size_t taken = feed_reader(conn, bytes);
    if (conn->fd < 0 || conn->state == HTTP_LINGERING) {
        return true; /* the rest does not matter */
    }
    if (is_rest) {
        conn->rest_at += taken;
        if (conn->rest_at == conn->pipelined.len) {
            drop_rest(conn);
        }
    } else {
        bt_buf_put(&conn->pipelined, bt_str_slice(bytes, taken, bytes.len));
        conn->keep_alive = conn->keep_alive && conn->pipelined.status == BT_OK;
    }
    return true;
}

/* Discard some of the input. False when there is nothing more now. */
static bool discard_input(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    if (!conn->socket.can_read) {
        return false;
    }
    const ssize_t count = http_conn_recv(conn, server->scratch, HTTP_SCRATCH_BYTES);
    if (count == 0 || conn->socket.cannot_write) {
        http_conn_close(conn);
    }
    return true;
}

/* One step. False when there is nothing to do now. */
static bool take_step(struct http_connection *conn)
{
    switch (conn->state) {
    case HTTP_IDLE:
    case HTTP_READING:
        return read_once(conn);
    case HTTP_WRITING:
        return http_conn_write(conn);
    case HTTP_LINGERING:
        return discard_input(conn);
    case HTTP_RUNNING:
    case HTTP_WAITING:
        http_stream_continue(conn);
        return false;
    case HTTP_UNDECIDED:
        return false;
    }
    return false;
}

void http_connection_continue(struct http_connection *conn)
{
    for (size_t i = 0; i < STEPS_MAX; i++) {
        if (conn->fd < 0 || !take_step(conn)) {
            return;
        }
    }
    if (conn->fd >= 0) {
        schedule_connection(conn);
    }
}

void http_conn_done(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    struct http_server *server = conn->server;
    assert(conn->state == HTTP_RUNNING);
    if (job->call.needs_output) {
        http_stream_worker_done(conn);
        return;
    }
    if (job->call.answer.retry_ms == 0 || conn->socket.cannot_write) {
        http_conn_enter(conn, HTTP_WRITING);
        http_connection_respond(conn);
        http_connection_continue(conn);
        return;
    }
    http_conn_enter(conn, HTTP_WAITING);
    http_conn_set_timer(conn, server->now_ms + (conn->is_woken ? 0 : job->call.answer.retry_ms));
    conn->is_woken = false;
}

/* Run a call again that had no response yet. */
static void run_again(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    assert(job);
    job->call.pending_ms = conn->server->now_ms - job->first_run_ms;
    job->call.server_is_stopping = conn->server->is_stopping;
    job->call.answer.retry_ms = 0;
    http_conn_enter(conn, HTTP_RUNNING);
    http_workers_submit(conn->server, job, false);
}

void http_conn_wake(struct http_connection *conn)
{
    if (conn->state == HTTP_RUNNING) {
        conn->is_woken = true;
    } else if (conn->state == HTTP_WAITING && conn->job->is_streaming) {
        http_stream_pull(conn);
    } else if (conn->state == HTTP_WAITING) {
        run_again(conn);
    }
}

void http_conn_due(struct http_connection *conn)
{
    if (conn->job && conn->job->is_streaming) {
        http_stream_due(conn);
        return;
    }
    switch (conn->state) {
    case HTTP_READING:
        http_connection_reject(conn, HTTP_ERROR_TIMEOUT);
        http_connection_continue(conn);
        break;
    case HTTP_WAITING:
        if (conn->socket.peer_has_closed || conn->socket.cannot_write) {
            http_conn_close(conn);
        } else {
            run_again(conn);
        }
        break;
    case HTTP_IDLE:
    case HTTP_WRITING:
    case HTTP_LINGERING:
        http_conn_close(conn);
        break;
    case HTTP_RUNNING:
    case HTTP_UNDECIDED:
        break;
    }
}

/* Bytes that have arrived are a request that has begun; and a client that has just connected is
 * about to send one. */
static void stop_idle(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    conn->socket.can_read = true;
    http_connection_continue(conn);
    if (conn->fd < 0 || conn->state != HTTP_IDLE) {
        return;
    }
    if (conn->is_used) {
        begin_lingering(conn);
    } else {
        http_conn_set_timer(conn, server->now_ms + FIRST_WORD_MS);
    }
}

void http_conn_stop(struct http_connection *conn)
{
    if (conn->state == HTTP_IDLE) {
        stop_idle(conn);
    } else if (conn->state == HTTP_WAITING && !conn->job->is_streaming) {
        run_again(conn);
    } else if (conn->job && conn->job->is_streaming && conn->state == HTTP_WAITING) {
        http_stream_end(conn, conn->job->call.answer.stream->closing_text);
        http_connection_continue(conn);
    }
}
