/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.c - requests from their first byte to their end: their memory, and their number.
 *
 * A request counts as in flight while it is processed, from its last byte to its response: a body
 * that was announced and not sent, and a response that a client does not read, do not keep others
 * out.
 */
#include <assert.h>
#include <stdlib.h>

#include "http/http_internal.h"

enum {
    ARENA_BYTES_MAX = 1 << 30,
    ANSWER_BYTES_MAX = 1 << 30,
    FIELDS_BYTES_MAX = 64 << 10,
    SPARE_MAX = 256,
    SPARE_BYTES_MAX = 64 << 10, /* a spare job keeps no larger buffer */
    KEPT_PART = 4,              /* one part in so many is reserved for others */
};

struct http_job *http_job_acquire(struct http_server *server)
{
    struct http_job *job = server->spare;
    if (job) {
        server->spare = job->next;
        server->spare_count--;
        return job;
    }
    job = calloc(1, sizeof(*job));
    if (job) {
        bt_arena_init(&job->call.arena, ARENA_BYTES_MAX);
        bt_buf_init(&job->call.answer.fields, FIELDS_BYTES_MAX);
        bt_buf_init(&job->call.answer.body, ANSWER_BYTES_MAX);
        bt_buf_init(&job->out, ANSWER_BYTES_MAX);
    }
    return job;
}

static void job_free(struct http_job *job)
{
    http_reader_free(&job->reader);
    bt_buf_free(&job->call.answer.fields);
    bt_buf_free(&job->call.answer.body);
    bt_buf_free(&job->out);
    bt_arena_free(&job->call.arena);
    free(job);
}

static void trim_buffer(struct bt_buf *buf)
{
    if (buf->capacity > SPARE_BYTES_MAX) {
        bt_buf_free(buf);
    }
    bt_buf_clear(buf);
}

void http_job_give_back(struct http_server *server, struct http_job *job)
{
    if (server->spare_count >= SPARE_MAX) {
        job_free(job);
        return;
    }
    struct http_job clean = {
        .call = {.arena = job->call.arena,
                 .answer = {.fields = job->call.answer.fields, .body = job->call.answer.body}},
        .reader = {.head = job->reader.head, .body = job->reader.body},
        .out = job->out,
        .next = server->spare};
    trim_buffer(&clean.reader.head);
    trim_buffer(&clean.reader.body);
    trim_buffer(&clean.call.answer.fields);
    trim_buffer(&clean.call.answer.body);
    trim_buffer(&clean.out);
    bt_arena_reset(&clean.call.arena);
    if (clean.call.arena.taken > (size_t)4 * SPARE_BYTES_MAX) {
        bt_arena_free(&clean.call.arena);
    }
    *job = clean;
    server->spare = job;
    server->spare_count++;
}

void http_jobs_free(struct http_server *server)
{
    while (server->spare) {
        struct http_job *job = server->spare;
        server->spare = job->next;
        job_free(job);
    }
    server->spare_count = 0;
}

/* What one address, or all callers without credentials, may take of a limit. */
static uint64_t share_of(uint64_t limit)
{
    return limit - limit / KEPT_PART;
}

/* What one address, or all callers without credentials, may take of the memory. It has room for
 * the largest body, whatever the limits are. */
static uint64_t memory_share_of(const struct http_limits *limits)
{
    const uint64_t share = share_of(limits->body_memory_bytes);
    const uint64_t body = limits->body_bytes < limits->body_memory_bytes
                              ? limits->body_bytes
                              : limits->body_memory_bytes;
    return share > body ? share : body;
}

/* True when one more request with so many more bytes is within these limits. */
static bool has_room(const struct http_use *use, uint64_t bytes, uint64_t in_flight_max,
                     uint64_t bytes_max)
{
    return use->in_flight < in_flight_max && bytes <= bytes_max && use->bytes <= bytes_max - bytes;
}

bool http_server_has_room(const struct http_server *server, uint64_t bytes)
{
    const struct http_limits *limits = &server->limits;
    return has_room(&server->counts.use, bytes, limits->in_flight, limits->body_memory_bytes);
}

bool http_job_has_room(const struct http_connection *conn, uint64_t bytes)
{
    const struct http_server *server = conn->server;
    const struct http_job *job = conn->job;
    const uint64_t in_flight = share_of(server->limits.in_flight);
    const uint64_t memory = memory_share_of(&server->limits);
    const uint64_t more = bytes > job->bytes_counted ? bytes - job->bytes_counted : 0;
    return http_server_has_room(server, more) &&
           (!conn->address || has_room(&conn->address->use, more, in_flight, memory)) &&
           (job->call.is_authenticated ||
            has_room(&server->counts.anonymous, more, in_flight, memory));
}

/* The counters of a job; NULL ends the list. */
static void counters_of(struct http_connection *conn, struct http_use *out[3])
{
    size_t count = 0;
    out[count++] = &conn->server->counts.use;
    out[1] = NULL;
    out[2] = NULL;
    if (conn->address) {
        out[count++] = &conn->address->use;
    }
    if (!conn->job->call.is_authenticated) {
        out[count++] = &conn->server->counts.anonymous;
    }
}

void http_job_count_bytes(struct http_connection *conn, uint64_t bytes)
{
    struct http_job *job = conn->job;
    struct http_use *counters[3];
    counters_of(conn, counters);
    for (size_t i = 0; i < 3 && counters[i]; i++) {
        counters[i]->bytes = counters[i]->bytes - job->bytes_counted + bytes;
    }
    job->bytes_counted = bytes;
}

void http_job_set_in_flight(struct http_connection *conn, bool is_in_flight)
{
    struct http_job *job = conn->job;
    struct http_use *counters[3];
    if (job->is_in_flight == is_in_flight) {
        return;
    }
    counters_of(conn, counters);
    for (size_t i = 0; i < 3 && counters[i]; i++) {
        counters[i]->in_flight += is_in_flight ? 1 : (size_t)-1;
    }
    job->is_in_flight = is_in_flight;
}

void http_job_end(struct http_connection *conn)
{
    struct http_server *server = conn->server;
    struct http_job *job = conn->job;
    http_job_set_in_flight(conn, false);
    http_job_count_bytes(conn, 0);
    server->counts.streams -= job->is_streaming ? 1 : 0;
    conn->job = NULL;
    job->conn = NULL;
    http_events_add(server, job, HTTP_EVENT_END);
}
