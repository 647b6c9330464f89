/* SPDX-License-Identifier: Apache-2.0 */
/* response.c - the head of a response, and sending its bytes. */
#include <assert.h>
#include <time.h>

#include "http/http_internal.h"

enum { JOINED_BYTES_MAX = 8 << 10 }; /* copying these costs less than sending them separately */

static const struct {
    unsigned status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

static const char *reason_of(unsigned status)
{
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Answer";
}

void http_answer_field(struct http_response *answer, const char *name, bt_str value)
{
    bt_buf_put_text(&answer->fields, name);
    bt_buf_put_text(&answer->fields, ": ");
    bt_buf_put(&answer->fields, value);
    bt_buf_put_text(&answer->fields, "\r\n");
}

/* The Date line, written once a second. */
static const char *date_line(struct http_server *server)
{
    static const char days[][4] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const int64_t now = bt_clock_now().seconds;
    char text[BT_INSTANT_TEXT_BYTES];
    if (now != server->date_s && now >= 0) {
        (void)bt_instant_format((bt_instant){.seconds = now}, text); /* 2026-11-15T10:00:00Z */
        const size_t month = (size_t)(text[5] - '0') * 10 + (size_t)(text[6] - '0') - 1;
        struct bt_buf line;
        bt_buf_init(&line, sizeof(server->date) - 1);
        bt_buf_printf(&line, "Date: %s, %.2s %s %.4s %.8s GMT\r\n", days[now / 86400 % 7], text + 8,
                      months[month % 12], text, text + 11);
        for (size_t i = 0; i < line.len; i++) {
            server->date[i] = line.ptr[i];
        }
        server->date[line.len] = '\0';
        server->date_s = now;
        bt_buf_free(&line);
    }
    return server->date;
}

/* True when a response of this status has a body. */
static bool has_body(unsigned status)
{
    return status >= 200 && status != 204 && status != 304;
}

bt_str http_answer_body(const struct http_response *answer)
{
    return answer->static_body.len > 0 ? answer->static_body : bt_buf_str(&answer->body);
}

void http_answer_head(struct http_server *server, struct http_job *job, bool keeps)
{
    const struct http_response *answer = &job->call.answer;
    struct bt_buf *out = &job->out;
    bt_buf_clear(out);
    bt_buf_put_text(out, "HTTP/1.1 ");
    bt_buf_put_u64(out, answer->status);
    bt_buf_put_char(out, ' ');
    bt_buf_put_text(out, reason_of(answer->status));
    bt_buf_put_text(out, "\r\n");
    bt_buf_put_text(out, date_line(server));
    bt_buf_put(out, bt_buf_str(&answer->fields));
    if (answer->stream && !job->call.request.is_http_1_0) {
        bt_buf_put_text(out, "Transfer-Encoding: chunked\r\n");
    } else if (!answer->stream && has_body(answer->status)) {
        bt_buf_put_text(out, "Content-Length: ");
        bt_buf_put_u64(out, http_answer_body(answer).len);
        bt_buf_put_text(out, "\r\n");
    }
    bt_buf_put_text(out, keeps ? "\r\n" : "Connection: close\r\n\r\n");
}

/* The part of the body that is sent. */
static bt_str body_of(const struct http_job *job)
{
    const bool is_sent = job->call.request.method != HTTP_HEAD && has_body(job->call.answer.status);
    return is_sent ? http_answer_body(&job->call.answer) : BT_STR("");
}

/* Append a short body to the head: one buffer is one call, and one TLS record. */
static void join_body(struct http_job *job)
{
    const bt_str body = body_of(job);
    if (body.len <= JOINED_BYTES_MAX) {
        bt_buf_put(&job->out, body);
        job->body_bytes_in_out = body.len;
    }
}

/* The response could not be written, and neither could the refusal. */
static void give_up(struct http_response *answer)
{
    bt_buf_clear(&answer->fields);
    bt_buf_clear(&answer->body);
    answer->static_body = BT_STR("");
    answer->stream = NULL;
    answer->status = 500;
}

void http_connection_respond(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    struct http_response *answer = &job->call.answer;
    const bool failed = answer->fields.status != BT_OK || answer->body.status != BT_OK;
    if (failed || answer->status == 0) {
        give_up(answer);
    }
    http_job_set_in_flight(conn, false);
    http_job_count_bytes(conn, job->reader.body.len + answer->body.len);
    conn->keep_alive =
        conn->keep_alive && !answer->is_last && !server->is_stopping && !answer->stream && !failed;
    http_answer_head(server, job, conn->keep_alive);
    if (!answer->stream) {
        join_body(job);
    }
    http_conn_enter(conn, HTTP_WRITING);
    if (job->out.status != BT_OK || conn->socket.cannot_write) {
        http_conn_close(conn);
        return;
    }
    conn->deadline_ms = server->now_ms + server->limits.write_ms;
    http_conn_set_timer(conn, conn->deadline_ms);
    if (answer->stream && job->call.request.method != HTTP_HEAD) {
        http_stream_begin(conn);
    }
}

/* The parts of the response that are not sent yet. */
static void get_unsent_parts(const struct http_job *job, bt_str out[2])
{
    const bt_str first = bt_buf_str(&job->out);
    const bt_str rest = job->body_bytes_in_out > 0 ? BT_STR("") : body_of(job);
    const size_t over = job->sent > first.len ? job->sent - first.len : 0;
    out[0] = bt_str_slice(first, job->sent, first.len);
    out[1] = bt_str_slice(rest, over, rest.len);
}

bool http_conn_write(struct http_connection *conn)
{
    struct http_job *job = conn->job;
    bt_str parts[2];
    get_unsent_parts(job, parts);
    if (parts[0].len + parts[1].len > 0 && conn->socket.can_write && !conn->socket.cannot_write) {
        const ssize_t count = http_conn_send(conn, parts);
        if (count > 0) {
            job->sent += (size_t)count;
            get_unsent_parts(job, parts);
        }
    }
    if (conn->socket.cannot_write) {
        http_conn_close(conn);
        return false;
    }
    if (parts[0].len + parts[1].len == 0) {
        job->call.bytes_out = job->sent - (job->out.len - job->body_bytes_in_out);
        http_connection_end_response(conn);
        return true;
    }
    return conn->socket.can_write;
}
