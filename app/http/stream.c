/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - answers that go on: pulled by workers, sent by the loop.
 *
 * While a worker pulls into the body of the answer, the loop sends from `out`.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "http/inside.h"

enum {
    POLL_MS = 1000,
    QUIET_MS = 15000,
    STALL_MS = 10000, /* a reader that takes nothing for so long is cut */
    BEHIND_BYTES_MAX = 1 << 20,
    COMPACT_BYTES = 64 << 10,
};

static const struct http_stream *stream_of(const struct http_conn *conn)
{
    return conn->job->call.answer.stream;
}

static size_t behind(const struct http_conn *conn)
{
    return conn->job->out.len - conn->job->sent;
}

/* Add bytes to what is to be sent, as one chunk where the other side knows chunks. */
static void add(struct http_conn *conn, bt_str bytes)
{
    struct http_job *job = conn->job;
    const bool is_chunked = !job->call.request.is_old;
    if (bytes.len == 0) {
        return;
    }
    if (is_chunked) {
        bt_buf_printf(&job->out, "%zx\r\n", bytes.len);
    }
    bt_buf_put(&job->out, bytes);
    bt_buf_put_text(&job->out, is_chunked ? "\r\n" : "");
    job->said_ms = conn->server->now_ms;
    job->call.bytes_out += bytes.len;
}

static void send_pending(struct http_conn *conn)
{
    struct http_job *job = conn->job;
    while (behind(conn) > 0 && conn->can_write && !conn->is_dead) {
        const bt_str parts[2] = {bt_str_slice(bt_buf_str(&job->out), job->sent, job->out.len),
                                 BT_STR("")};
        const ssize_t count = http_conn_send(conn, parts);
        if (count > 0) {
            job->sent += (size_t)count;
            conn->heard_ms = conn->server->now_ms;
        }
    }
    if (behind(conn) == 0) {
        bt_buf_clear(&job->out);
        job->sent = 0;
        conn->heard_ms = conn->server->now_ms;
    } else if (job->sent > COMPACT_BYTES) {
        memmove(job->out.ptr, job->out.ptr + job->sent, behind(conn));
        job->out.len -= job->sent;
        job->sent = 0;
    }
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Nothing more is to be sent. */
static void finish(struct http_conn *conn)
{
    conn->keeps = false;
    http_conn_enter(conn, HTTP_WRITING);
    if (conn->is_dead || conn->is_deaf) {
        http_conn_close(conn);
    } else {
        http_conn_end_answer(conn);
    }
}

void http_stream_end(struct http_conn *conn, const char *last_words)
{
    struct http_job *job = conn->job;
    if (!job->is_ending) {
        add(conn, bt_str_of(last_words));
        bt_buf_put_text(&job->out, job->call.request.is_old ? "" : "0\r\n\r\n");
        job->is_ending = true;
    }
}

/* ---- Its life -------------------------------------------------------------------------------- */

void http_stream_begin(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    struct bt_buf *body = &job->call.answer.body;
    job->is_streaming = true;
    server->counts.streams++;
    add(conn, bt_buf_str(body));
    bt_buf_clear(body);
    http_job_count_bytes(conn, job->reader.body.len);
    conn->heard_ms = server->now_ms;
    job->said_ms = server->now_ms;
    http_conn_enter(conn, HTTP_WAITING);
    send_pending(conn);
    http_stream_pull(conn);
}

void http_stream_pull(struct http_conn *conn)
{
    conn->is_woken = false;
    http_conn_enter(conn, HTTP_RUNNING);
    http_pool_give(conn->server, conn->job, HTTP_TASK_PULL);
    http_conn_set_timer(conn, conn->server->now_ms + STALL_MS);
}

/* It waits, and something has changed: time, or what can be sent. */
static void settle(struct http_conn *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    if (server->is_stopping) {
        http_stream_end(conn, stream_of(conn)->bye);
    }
    if (!job->is_ending && server->now_ms - job->said_ms >= QUIET_MS) {
        add(conn, bt_str_of(stream_of(conn)->quiet));
        job->said_ms = server->now_ms;
    }
    send_pending(conn);
    const bool is_stalled = behind(conn) > 0 && server->now_ms - conn->heard_ms >= STALL_MS;
    if (conn->is_dead || conn->is_deaf || is_stalled || job->out.status != BT_OK) {
        conn->is_dead = true;
        job->call.is_cut = true;
        finish(conn);
    } else if (job->is_ending && behind(conn) == 0) {
        finish(conn);
    }
}

void http_stream_came_back(struct http_conn *conn)
{
    struct http_job *job = conn->job;
    struct bt_buf *body = &job->call.answer.body;
    const struct http_stream *stream = stream_of(conn);
    http_conn_enter(conn, HTTP_WAITING);
    if (body->status != BT_OK) {
        conn->is_dead = true;
    }
    add(conn, bt_buf_str(body));
    bt_buf_clear(body);
    send_pending(conn);
    if (job->pulled == HTTP_PULL_ENDED) {
        http_stream_end(conn, NULL);
    } else if (behind(conn) > BEHIND_BYTES_MAX) {
        http_stream_end(conn, stream->lagged);
    }
    http_conn_set_timer(conn, conn->server->now_ms + (stream->poll_ms ? stream->poll_ms : POLL_MS));
    settle(conn);
    if (conn->state == HTTP_WAITING && !job->is_ending &&
        (job->pulled == HTTP_PULL_MORE || conn->is_woken)) {
        http_stream_pull(conn);
    }
}

void http_stream_go_on(struct http_conn *conn)
{
    if (!conn->job->is_streaming) {
        if (conn->state == HTTP_WAITING && (conn->is_deaf || conn->is_dead)) {
            http_conn_close(conn);
        }
        return;
    }
    if (conn->state == HTTP_WAITING) {
        settle(conn);
    } else {
        send_pending(conn);
    }
}

void http_stream_due(struct http_conn *conn)
{
    const struct http_stream *stream = stream_of(conn);
    if (conn->state != HTTP_WAITING) {
        return;
    }
    http_conn_set_timer(conn, conn->server->now_ms + (stream->poll_ms ? stream->poll_ms : POLL_MS));
    settle(conn);
    if (conn->state == HTTP_WAITING && !conn->job->is_ending) {
        http_stream_pull(conn);
    }
}
