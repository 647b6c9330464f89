/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conn.c - one connection: bytes in, one request at a time, answers in order.
 *
 * Readiness is told once (EPOLLET), so what the kernel said is remembered in can_read and can_write
 * until a call says otherwise.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "http/inside.h"

enum {
    LINGER_MS = 2000,
    FIRST_WORD_MS = 500, /* for who has come just before the server stops */
    STEPS_MAX = 8,       /* of a connection in one turn of the loop, so that others have theirs */
    SCHEDULED_MAX = 32,  /* connections that go on in one turn because they were scheduled */
};

/* ---- States ---------------------------------------------------------------------------------- */

void http_conn_enter(struct http_conn *conn, enum http_state state)
{
    struct http_server *server = conn->server;
    server->waiting -= conn->state == HTTP_WAITING ? 1 : 0;
    server->waiting += state == HTTP_WAITING ? 1 : 0;
    server->counts.idle -= conn->state == HTTP_IDLE ? 1 : 0;
    server->counts.idle += state == HTTP_IDLE ? 1 : 0;
    conn->state = state;
}

void http_conn_set_timer(struct http_conn *conn, uint64_t due_ms)
{
    http_wheel_set(&conn->server->wheel, &conn->timer, due_ms);
}

struct http_conn *http_conn_open(struct http_server *server, int fd, const struct http_peer *peer)
{
    struct http_conn *conn = calloc(1, sizeof(*conn));
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
    conn->can_write = true;
    conn->next = server->conns;
    conn->link = &server->conns;
    if (conn->next) {
        conn->next->link = &conn->next;
    }
    server->conns = conn;
    server->counts.conns++;
    bt_buf_init(&conn->rest, HTTP_SCRATCH_BYTES);
    http_conn_enter(conn, HTTP_IDLE);
    http_conn_set_timer(conn, server->now_ms + server->limits.idle_ms);
    return conn;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Go on in the next turn of the loop, behind those that wait for theirs already. */
static void schedule(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    if (conn->scheduled_link) {
        return;
    }
    conn->next_scheduled = NULL;
    conn->scheduled_link = server->scheduled_end;
    *server->scheduled_end = conn;
    server->scheduled_end = &conn->next_scheduled;
}

static void unschedule(struct http_conn *conn)
{
    if (!conn->scheduled_link) {
        return;
    }
    *conn->scheduled_link = conn->next_scheduled;
    if (conn->next_scheduled) {
        conn->next_scheduled->scheduled_link = conn->scheduled_link;
    } else {
        conn->server->scheduled_end = conn->scheduled_link;
    }
    conn->scheduled_link = NULL;
}

void http_conns_run_scheduled(struct http_server *server)
{
    for (size_t i = 0; i < SCHEDULED_MAX && server->scheduled; i++) {
        struct http_conn *conn = server->scheduled;
        unschedule(conn);
        http_conn_go_on(conn);
    }
}

/* ---- The end --------------------------------------------------------------------------------- */

static void drop_rest(struct http_conn *conn)
{
    bt_buf_free(&conn->rest);
    conn->rest_at = 0;
}

void http_conn_close(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    assert(conn->state != HTTP_RUNNING);
    if (conn->fd < 0) {
        return;
    }
    if (conn->job) {
        conn->job->call.is_cut = true;
        http_job_end(conn);
    }
    http_conn_enter(conn, HTTP_LINGERING);
    http_wheel_drop(&conn->timer);
    unschedule(conn);
    if (conn->address) {
        http_addresses_drop(server->addresses, conn->address);
    }
    http_tls_end(conn->tls);
    (void)close(conn->fd);
    conn->fd = -1;
    drop_rest(conn);
    *conn->link = conn->next;
    if (conn->next) {
        conn->next->link = conn->link;
    }
    server->counts.conns--;
    conn->next = server->corpses;
    server->corpses = conn;
}

/* Say no more, but let the other side read what was said. */
static void linger(struct http_conn *conn)
{
    if (conn->tls && !conn->is_dead) {
        http_tls_shutdown(conn->tls);
    }
    if (conn->is_deaf || conn->is_dead || shutdown(conn->fd, SHUT_WR) != 0) {
        http_conn_close(conn);
        return;
    }
    drop_rest(conn);
    http_conn_enter(conn, HTTP_LINGERING);
    conn->deadline_ms = conn->server->now_ms + LINGER_MS;
    http_conn_set_timer(conn, conn->deadline_ms);
}

void http_conn_end_answer(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    http_job_end(conn);
    if (!conn->keeps || server->is_stopping || conn->is_dead) {
        linger(conn);
        return;
    }
    http_conn_enter(conn, HTTP_IDLE);
    http_conn_set_timer(conn, server->now_ms + server->limits.idle_ms);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static const struct http_refusal overloaded = {503, "OVERLOADED"};

void http_conn_refuse(struct http_conn *conn, struct http_refusal refusal)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    assert(job);
    conn->keeps = false;
    http_reader_request(&job->reader, &job->call.request);
    job->call.request.body = BT_STR("");
    server->app->refuse(server->app->context, &job->call, refusal);
    http_conn_answer(conn);
}

bool http_conn_begin(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = http_job_take(server);
    if (!job) {
        http_conn_close(conn);
        return false;
    }
    if (conn->tls && !conn->peer.has_key) {
        conn->peer.has_key = http_tls_key_digest(conn->tls, conn->peer.key_digest);
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

/* The head is complete, and bytes of the body may be here already. */
static void judge_head(struct http_conn *conn, bool has_more)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    static const bt_str go_on = BT_STR_INIT("HTTP/1.1 100 Continue\r\n\r\n");
    http_reader_request(&job->reader, &job->call.request);
    conn->keeps = job->reader.keeps;
    const bool is_read = job->reader.length <= job->limits.body_bytes;
    const uint64_t announced = is_read ? job->reader.length : 0;
    if (!http_server_has_room(server, announced)) {
        http_conn_refuse(conn, overloaded);
        return;
    }
    if (!server->app->admit(server->app->context, &job->call)) {
        conn->keeps = conn->keeps && !job->reader.is_chunked && job->reader.length == 0;
        http_conn_answer(conn);
        return;
    }
    if (!http_job_has_room(conn, announced)) {
        http_conn_refuse(conn, overloaded);
        return;
    }
    http_reader_go_on(&job->reader);
    if (job->reader.stage != HTTP_READS_BODY) {
        return;
    }
    conn->deadline_ms = job->call.begun_ms + job->limits.body_ms;
    http_conn_set_timer(conn, conn->deadline_ms);
    /* A client that has not even room for this does not read its answers. */
    if (job->reader.expects && !has_more &&
        http_conn_send(conn, (const bt_str[2]){go_on, BT_STR("")}) != (ssize_t)go_on.len) {
        conn->is_dead = true;
    }
}

/* The request is whole: count it, and let a worker have it. */
static void run(struct http_conn *conn)
{
    struct http_job *job = conn->job;
    if (!http_job_has_room(conn, job->reader.body.len)) {
        http_conn_refuse(conn, overloaded);
        return;
    }
    http_job_set_in_flight(conn, true);
    http_job_count_bytes(conn, job->reader.body.len);
    job->call.request.body = bt_buf_str(&job->reader.body);
    job->first_run_ms = conn->server->now_ms;
    http_conn_enter(conn, HTTP_RUNNING);
    http_wheel_drop(&conn->timer);
    http_pool_give(conn->server, job, HTTP_TASK_RUN);
}

/* Count the bytes of a body that are here. False when there is no room for them. */
static bool count_body(struct http_conn *conn)
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

/* Give bytes to the reader. Returns how many of them it took. */
static size_t feed(struct http_conn *conn, bt_str bytes)
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
            judge_head(conn, taken < bytes.len);
        } else if (job->reader.stage == HTTP_COMPLETE) {
            run(conn);
        } else if (job->reader.stage == HTTP_REFUSED) {
            http_conn_refuse(conn, job->reader.refusal);
        } else if (!count_body(conn)) {
            http_conn_refuse(conn, overloaded);
        } else if (taken == bytes.len && job->reader.stage == before) {
            break;
        }
    }
    return taken;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

ssize_t http_conn_recv(struct http_conn *conn, void *bytes, size_t size)
{
    const ssize_t count =
        conn->tls ? http_tls_recv(conn->tls, bytes, size) : recv(conn->fd, bytes, size, 0);
    if (count < 0 && errno == EAGAIN) {
        conn->can_read = false;
    } else if (count < 0 && errno != EINTR) {
        conn->is_dead = true;
    } else if (!conn->tls && (size_t)count < size) {
        conn->can_read = conn->is_deaf; /* the kernel tells when there is more */
    }
    return count;
}

static ssize_t send_both(int fd, const bt_str parts[2])
{
    struct iovec pieces[2];
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    for (size_t i = 0; i < 2; i++) {
        /* sendmsg() writes to nothing of it. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        pieces[i] = (struct iovec){(void *)(uintptr_t)parts[i].ptr, parts[i].len};
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

ssize_t http_conn_send(struct http_conn *conn, const bt_str parts[2])
{
    const bt_str part = parts[0].len > 0 ? parts[0] : parts[1];
    if (conn->tls) {
        const ssize_t count = http_tls_send(conn->tls, part.ptr, part.len);
        conn->can_write = count >= 0 || errno == EINTR;
        conn->is_dead = conn->is_dead || (count < 0 && errno != EAGAIN && errno != EINTR);
        return count;
    }
    const ssize_t count = parts[0].len > 0 && parts[1].len > 0
                              ? send_both(conn->fd, parts)
                              : send(conn->fd, part.ptr, part.len, MSG_NOSIGNAL);
    if (count < 0) {
        conn->can_write = errno == EINTR;
        conn->is_dead = conn->is_dead || (errno != EAGAIN && errno != EINTR);
        return -1;
    }
    return count;
}

/* Read once and feed what came. False when there is nothing to be done now. */
static bool read_once(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    bt_str bytes = bt_str_slice(bt_buf_str(&conn->rest), conn->rest_at, conn->rest.len);
    const bool is_rest = bytes.len > 0;
    if (!is_rest) {
        if (!conn->can_read) {
            return false;
        }
        const ssize_t count = http_conn_recv(conn, server->scratch, HTTP_SCRATCH_BYTES);
        if (count == 0 || conn->is_dead) {
            http_conn_close(conn);
            return false;
        }
        if (count < 0) {
            return conn->can_read; /* a call that was interrupted is made again */
        }
        bytes = (bt_str){server->scratch, (size_t)count};
    }
    const size_t taken = feed(conn, bytes);
    if (conn->fd < 0 || conn->state == HTTP_LINGERING) {
        return true; /* whatever was left is of no interest */
    }
    if (is_rest) {
        conn->rest_at += taken;
        if (conn->rest_at == conn->rest.len) {
            drop_rest(conn);
        }
    } else {
        bt_buf_put(&conn->rest, bt_str_slice(bytes, taken, bytes.len));
        conn->keeps = conn->keeps && conn->rest.status == BT_OK;
    }
    return true;
}

/* Throw away some of what still comes. False when there is nothing more now. */
static bool drain(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    if (!conn->can_read) {
        return false;
    }
    const ssize_t count = http_conn_recv(conn, server->scratch, HTTP_SCRATCH_BYTES);
    if (count == 0 || conn->is_dead) {
        http_conn_close(conn);
    }
    return true;
}

/* One step. False when there is nothing to be done now. */
static bool take_step(struct http_conn *conn)
{
    switch (conn->state) {
    case HTTP_IDLE:
    case HTTP_READING:
        return read_once(conn);
    case HTTP_WRITING:
        return http_conn_write(conn);
    case HTTP_LINGERING:
        return drain(conn);
    case HTTP_RUNNING:
    case HTTP_WAITING:
        http_stream_go_on(conn);
        return false;
    }
    return false;
}

void http_conn_go_on(struct http_conn *conn)
{
    for (size_t i = 0; i < STEPS_MAX; i++) {
        if (conn->fd < 0 || !take_step(conn)) {
            return;
        }
    }
    if (conn->fd >= 0) {
        schedule(conn);
    }
}

/* ---- What happens to it ---------------------------------------------------------------------- */

void http_conn_done(struct http_conn *conn)
{
    struct http_job *job = conn->job;
    struct http_server *server = conn->server;
    assert(conn->state == HTTP_RUNNING);
    if (job->task != HTTP_TASK_RUN) {
        http_stream_came_back(conn);
        return;
    }
    if (job->call.answer.again_ms == 0 || conn->is_dead) {
        http_conn_enter(conn, HTTP_WRITING);
        http_conn_answer(conn);
        http_conn_go_on(conn);
        return;
    }
    http_conn_enter(conn, HTTP_WAITING);
    http_conn_set_timer(conn, server->now_ms + (conn->is_woken ? 0 : job->call.answer.again_ms));
    conn->is_woken = false;
}

/* Run a call again that had no answer yet. */
static void run_again(struct http_conn *conn)
{
    struct http_job *job = conn->job;
    assert(job);
    job->call.waited_ms = conn->server->now_ms - job->first_run_ms;
    job->call.is_hurried = conn->server->is_stopping;
    job->call.answer.again_ms = 0;
    http_conn_enter(conn, HTTP_RUNNING);
    http_pool_give(conn->server, job, HTTP_TASK_RUN);
}

void http_conn_wake(struct http_conn *conn)
{
    if (conn->state == HTTP_RUNNING) {
        conn->is_woken = true;
    } else if (conn->state == HTTP_WAITING && conn->job->is_streaming) {
        http_stream_pull(conn);
    } else if (conn->state == HTTP_WAITING) {
        run_again(conn);
    }
}

void http_conn_due(struct http_conn *conn)
{
    if (conn->job && conn->job->is_streaming) {
        http_stream_due(conn);
        return;
    }
    switch (conn->state) {
    case HTTP_READING:
        http_conn_refuse(conn, (struct http_refusal){408, "REQUEST_TIMEOUT"});
        http_conn_go_on(conn);
        break;
    case HTTP_WAITING:
        if (conn->is_deaf || conn->is_dead) {
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
        break;
    }
}

/* What the other side has said is a request that has begun; and who has only just come is about to
 * say something. */
static void stop_idle(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    conn->can_read = true;
    http_conn_go_on(conn);
    if (conn->fd < 0 || conn->state != HTTP_IDLE) {
        return;
    }
    if (conn->is_used) {
        linger(conn);
    } else {
        http_conn_set_timer(conn, server->now_ms + FIRST_WORD_MS);
    }
}

void http_conn_stop(struct http_conn *conn)
{
    if (conn->state == HTTP_IDLE) {
        stop_idle(conn);
    } else if (conn->state == HTTP_WAITING && !conn->job->is_streaming) {
        run_again(conn);
    } else if (conn->job && conn->job->is_streaming && conn->state == HTTP_WAITING) {
        http_stream_end(conn, conn->job->call.answer.stream->bye);
        http_conn_go_on(conn);
    }
}
