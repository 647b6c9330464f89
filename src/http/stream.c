/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - streamed responses: pulled by workers, sent by the loop.
 *
 * While a worker pulls into the body of the response, the loop sends from `out`.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "http/http_internal.h"

enum {
    POLL_MS = 1000,
    QUIET_MS = 15000,
    STALL_MS = 10000, /* a reader that takes nothing for so long is disconnected */
    BEHIND_BYTES_MAX = 1 << 20,
    COMPACT_BYTES = 64 << 10,
};

static const struct http_stream *stream_of(const struct http_connection *conn)
{
    return conn->job->call.answer.stream;
}

static size_t count_unsent_bytes(const struct http_connection *conn)
{
    return conn->job->out.len - conn->job->sent;
}

/* Add bytes to the output, as one chunk where the peer supports chunks. */
static void put_chunk(struct http_connection *conn, bt_str bytes)
{
    struct http_job *job = conn->job;
    const bool is_chunked = !job->call.request.is_http_1_0;
    if (bytes.len == 0) {
        return;
    }
    if (is_chunked) {
        bt_buf_printf(&job->out, "%zx\r\n", bytes.len);
    }
    bt_buf_put(&job->out, bytes);
    bt_buf_put_text(&job->out, is_chunked ? "\r\n" : "");
    job->last_output_ms = conn->server->now_ms;
    job->call.bytes_out += bytes.len;
}

static void send_pending(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    while (count_unsent_bytes(conn) > 0 && conn->socket.can_write && !conn->socket.cannot_write) {
        const bt_str parts[2] = {bt_str_slice(bt_buf_str(&job->out), job->sent, job->out.len),
                                 BT_STR("")};
        const ssize_t count = http_conn_send(conn, parts);
        if (count > 0) {
            job->sent += (size_t)count;
            conn->last_write_ms = conn->server->now_ms;
        }
    }
    if (count_unsent_bytes(conn) == 0) {
        bt_buf_clear(&job->out);
        job->sent = 0;
        conn->last_write_ms = conn->server->now_ms;
    } else if (job->sent > COMPACT_BYTES) {
        memmove(job->out.ptr, job->out.ptr + job->sent, count_unsent_bytes(conn));
        job->out.len -= job->sent;
        job->sent = 0;
    }
}

/* Nothing more is to be sent. */
static void close_stream(struct http_connection *conn)
{
    conn->keep_alive = false;
    http_conn_enter(conn, HTTP_WRITING);
    if (conn->socket.cannot_write || conn->socket.peer_has_closed) {
        http_conn_close(conn);
    } else {
        http_connection_end_response(conn);
    }
}

void http_stream_end(struct http_connection *conn, const char *last_words)
{
    struct http_job *job = conn->job;
    if (!job->is_ending) {
        put_chunk(conn, bt_str_of(last_words));
        bt_buf_put_text(&job->out, job->call.request.is_http_1_0 ? "" : "0\r\n\r\n");
        job->is_ending = true;
    }
}

void http_stream_begin(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    struct bt_buf *body = &job->call.answer.body;
    job->is_streaming = true;
    server->counts.streams++;
    put_chunk(conn, bt_buf_str(body));
    bt_buf_clear(body);
    http_job_count_bytes(conn, job->reader.body.len);
    conn->last_write_ms = server->now_ms;
    job->last_output_ms = server->now_ms;
    http_conn_enter(conn, HTTP_WAITING);
    send_pending(conn);
    http_stream_pull(conn);
}

/* True when the reader has to take something before a stream says more. */
static bool is_held_back(const struct http_connection *conn)
{
    return stream_of(conn)->waits_for_reader && conn->job->pulled == HTTP_STREAM_RESULT_MORE &&
           count_unsent_bytes(conn) > COMPACT_BYTES;
}

void http_stream_pull(struct http_connection *conn)
{
    conn->is_woken = false;
    if (is_held_back(conn)) {
        return; /* it is pulled when something was sent */
    }
    http_conn_enter(conn, HTTP_RUNNING);
    http_workers_submit(conn->server, conn->job, true);
    http_conn_set_timer(conn, conn->server->now_ms + STALL_MS);
}

/* It waits, and something has changed: the time, or what can be sent. */
static void update_stream_state(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    if (server->is_stopping) {
        http_stream_end(conn, stream_of(conn)->closing_text);
    }
    if (!job->is_ending && server->now_ms - job->last_output_ms >= QUIET_MS) {
        put_chunk(conn, bt_str_of(stream_of(conn)->keepalive_text));
        job->last_output_ms = server->now_ms;
    }
    send_pending(conn);
    const bool is_stalled =
        count_unsent_bytes(conn) > 0 && server->now_ms - conn->last_write_ms >= STALL_MS;
    if (conn->socket.cannot_write || conn->socket.peer_has_closed || is_stalled ||
        job->out.status != BT_OK) {
        conn->socket.cannot_write = true;
        job->call.was_truncated = true;
        close_stream(conn);
    } else if (job->is_ending && count_unsent_bytes(conn) == 0) {
        close_stream(conn);
    }
}

void http_stream_worker_done(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    struct bt_buf *body = &job->call.answer.body;
    const struct http_stream *stream = stream_of(conn);
    http_conn_enter(conn, HTTP_WAITING);
    if (body->status != BT_OK) {
        conn->socket.cannot_write = true;
    }
    put_chunk(conn, bt_buf_str(body));
    bt_buf_clear(body);
    send_pending(conn);
    if (job->pulled == HTTP_STREAM_RESULT_ENDED) {
        http_stream_end(conn, NULL);
    } else if (count_unsent_bytes(conn) > BEHIND_BYTES_MAX) {
        http_stream_end(conn, stream->too_slow_text);
    }
    http_conn_set_timer(conn, conn->server->now_ms + (stream->poll_ms ? stream->poll_ms : POLL_MS));
    update_stream_state(conn);
    if (conn->state == HTTP_WAITING && !job->is_ending &&
        (job->pulled == HTTP_STREAM_RESULT_MORE || conn->is_woken)) {
        http_stream_pull(conn);
    }
}

void http_stream_continue(struct http_connection *conn)
{
    if (!conn->job->is_streaming) {
        if (conn->state == HTTP_WAITING &&
            (conn->socket.peer_has_closed || conn->socket.cannot_write)) {
            http_conn_close(conn);
        }
        return;
    }
    if (conn->state == HTTP_WAITING) {
        update_stream_state(conn);
        if (conn->state == HTTP_WAITING && !conn->job->is_ending &&
            stream_of(conn)->waits_for_reader && conn->job->pulled == HTTP_STREAM_RESULT_MORE) {
            http_stream_pull(conn);
        }
    } else {
        send_pending(conn);
    }
}

void http_stream_due(struct http_connection *conn)
{
    const struct http_stream *stream = stream_of(conn);
    if (conn->state != HTTP_WAITING) {
        return;
    }
    http_conn_set_timer(conn, conn->server->now_ms + (stream->poll_ms ? stream->poll_ms : POLL_MS));
    update_stream_state(conn);
    if (conn->state == HTTP_WAITING && !conn->job->is_ending) {
        http_stream_pull(conn);
    }
}
