/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy.c - one poll loop over the client's descriptors, the server's pipes and signals.
 *
 * Each message is written as soon as it may pass, by a write of its own; messages are gathered only
 * while their receiver is behind. A side is not read while too much waits for the other side.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "wrap/stream.h"
#include "wrap/wrap.h"

enum {
    READ_BYTES = 64 << 10,
    /* A blocking pipe or socket that can be written takes so much without blocking. */
    SAFE_WRITE_BYTES = 4096,
    COMPACT_BYTES = 1 << 20, /* that were sent; moving the rest costs little beside that */
    ANSWERS_MS = 60000,
    SHUTDOWN_MS = 1000,
    KILL_MS = 500,
    CLOSED_PIPE_MS = 1000, /* for the exit status of a server that closed a pipe */
};

/* What the loop waits for, in this order. */
enum wrap_phase {
    PHASE_RUNNING = 0,
    PHASE_ANSWERS,  /* the client's input has ended */
    PHASE_SHUTDOWN, /* the server has been asked to end by closing its input */
    PHASE_TERM,
    PHASE_KILL,
};

struct wrap_proxy {
    struct bt_wrap_session *session;
    struct bt_server_process *server;
    const struct wrap_timing *timing;
    struct wrap_stream sides[BT_WRAP_SIDES];
    const struct wrap_streams *streams;
    int signal_fd; /* -1: the client is in this process */
    enum wrap_phase phase;
    uint64_t deadline_ms; /* of the phase; UINT64_MAX: none */
    uint64_t closed_ms;   /* of a server that closed a pipe and lives on */
    bool server_is_gone;  /* it was ended because the session is blocked */
    bool was_killed;      /* the server, because it closed a pipe and lived on */
    bool was_signalled;   /* the proxy: a client that does not read is not waited for long */
    bool is_stuck;        /* the server was killed and is still there: nobody waits for it */
    struct bt_error *error;
};

struct wrap_timing wrap_timing_default(void)
{
    return (struct wrap_timing){
        .answers_ms = ANSWERS_MS, .shutdown_ms = SHUTDOWN_MS, .kill_ms = KILL_MS};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static size_t count_waiting(const struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    return proxy->session->to[side].len - proxy->sides[side].sent;
}

/* True when something waits for a side that has not even taken what was written before. */
static bool is_behind(const struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    return count_waiting(proxy, side) > 0 && wrap_stream_is_unread(&proxy->sides[side]);
}

/* Forget what waits for a side that takes nothing more. */
static void drop_output(struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    bt_buf_clear(&proxy->session->to[side]);
    proxy->sides[side].sent = 0;
}

/*
 * Write a part of what waits. Only the server's pipe is non-blocking: the client's descriptor may
 * be shared with other processes. Returns what write() returns.
 */
static ssize_t write_part(const struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    const struct wrap_stream *stream = &proxy->sides[side];
    const size_t size = count_waiting(proxy, side);
    const size_t most = side == BT_WRAP_CLIENT && size > SAFE_WRITE_BYTES ? SAFE_WRITE_BYTES : size;
    if (side == BT_WRAP_CLIENT && !wrap_can_write(stream->out_fd)) {
        errno = EAGAIN;
        return -1;
    }
    return write(stream->out_fd, proxy->session->to[side].ptr + stream->sent, most);
}

/* A closed output is not an error: the client's counts as the end of its input. */
static void close_output(struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    drop_output(proxy, side);
    proxy->sides[side].out_fd = -1;
    if (side == BT_WRAP_SERVER) {
        bt_server_process_close_input(proxy->server);
    } else {
        proxy->sides[side].in_fd = -1;
    }
}

/* Write what waits for a side, as far as it takes it. */
static void flush_side(struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    const struct wrap_client *client = proxy->streams->client;
    struct wrap_stream *stream = &proxy->sides[side];
    struct bt_buf *out = &proxy->session->to[side];
    if (client && side == BT_WRAP_CLIENT && out->len > 0) {
        client->give(client->context, bt_buf_str(out));
        drop_output(proxy, side);
    }
    while (stream->out_fd >= 0 && count_waiting(proxy, side) > 0) {
        const ssize_t count = write_part(proxy, side);
        if (count > 0) {
            stream->sent += (size_t)count;
        } else if (count < 0 && errno == EAGAIN) {
            break;
        } else if (count < 0 && errno != EINTR) {
            close_output(proxy, side);
        }
    }
    if (stream->out_fd < 0 || stream->sent == out->len) {
        drop_output(proxy, side);
    } else if (stream->sent > COMPACT_BYTES) {
        memmove(out->ptr, out->ptr + stream->sent, out->len - stream->sent);
        out->len -= stream->sent;
        stream->sent = 0;
    }
}

/* Lines that nobody reads are dropped: they must not hold the messages up. */
static void flush_log(struct wrap_proxy *proxy)
{
    struct bt_buf *log = &proxy->session->log;
    size_t sent = 0;
    ssize_t count = 0;
    while (count >= 0 && sent < log->len && wrap_can_write(proxy->streams->errors)) {
        const size_t left = log->len - sent;
        count = write(proxy->streams->errors, log->ptr + sent,
                      left < SAFE_WRITE_BYTES ? left : SAFE_WRITE_BYTES);
        sent += count > 0 ? (size_t)count : 0;
    }
    bt_buf_clear(log);
}

/* Write what waits. While more lines are there to be taken, messages are gathered for a side that
 * is behind. */
static void flush_all(struct wrap_proxy *proxy, bool has_more)
{
    static const enum bt_wrap_side order[] = {BT_WRAP_SERVER, BT_WRAP_CLIENT};
    flush_log(proxy);
    if (proxy->streams->client) { /* before it gets the answer that was counted */
        proxy->streams->client->note(proxy->streams->client->context, proxy->session);
    }
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        if (!has_more || !is_behind(proxy, order[i])) {
            flush_side(proxy, order[i]);
        }
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Write what a step of the session has caused. False: `error` is set. */
static bool end_step(struct wrap_proxy *proxy, enum bt_status status, bool has_more)
{
    flush_all(proxy, has_more);
    return status == BT_OK ||
           bt_error_set(proxy->error, status, "%s", bt_status_text(status)) == BT_OK;
}

/*
 * True when a side may be read. A server is read even when it reads nothing itself: it may do so
 * only after what it writes was taken. For a client everything that waits shares one buffer, also
 * the records that wait for the store.
 */
static bool has_room(const struct wrap_proxy *proxy, enum bt_wrap_side from)
{
    const struct bt_wrap_session *session = proxy->session;
    const uint64_t for_client =
        count_waiting(proxy, BT_WRAP_CLIENT) + bt_wrap_session_waiting(session);
    const uint64_t all = for_client + count_waiting(proxy, BT_WRAP_SERVER) + session->held.bytes +
                         bt_wrap_session_record_bytes(session);
    return (from == BT_WRAP_SERVER ? for_client : all) <=
           session->settings->policy.limits.buffer_bytes;
}

static bool take_line(struct wrap_proxy *proxy, enum bt_wrap_side from, bt_str line, bool has_more)
{
    struct wrap_stream *stream = &proxy->sides[from];
    enum bt_status status = BT_OK;
    proxy->session->now_ms = bt_clock_monotonic_ms();
    if (!stream->is_skipping) {
        status = bt_wrap_session_take(proxy->session, from, line);
    }
    stream->is_skipping = false;
    return end_step(proxy, status, has_more);
}

/* A line that is too long is answered at once; its rest is skipped. */
static bool check_length(struct wrap_proxy *proxy, enum bt_wrap_side from)
{
    struct wrap_stream *stream = &proxy->sides[from];
    const bt_str rest = wrap_stream_rest(stream);
    enum bt_status status = BT_OK;
    if (rest.len > proxy->session->settings->policy.limits.message_bytes && !stream->is_skipping) {
        status = bt_wrap_session_take_too_long(proxy->session, from, rest);
        stream->is_skipping = true;
    }
    if (stream->is_skipping) {
        wrap_stream_clear(stream);
    }
    return end_step(proxy, status, false);
}

/* Take complete lines while there is room for what they cause. */
static bool take_lines(struct wrap_proxy *proxy, enum bt_wrap_side from)
{
    struct wrap_stream *stream = &proxy->sides[from];
    bt_str line;
    bt_str next;
    bool is_found = wrap_stream_find_line(stream, &next);
    while (is_found && has_room(proxy, from)) {
        line = next;
        stream->taken += line.len + 1;
        stream->scanned = 0;
        is_found = wrap_stream_find_line(stream, &next);
        if (!take_line(proxy, from, line, is_found)) {
            return false;
        }
    }
    if (stream->taken == stream->input.len) {
        wrap_stream_clear(stream);
    }
    return is_found || check_length(proxy, from);
}

/* The end of input ends the last line. */
static bool end_input(struct wrap_proxy *proxy, enum bt_wrap_side from)
{
    struct wrap_stream *stream = &proxy->sides[from];
    const bt_str rest = wrap_stream_rest(stream);
    stream->in_fd = -1;
    stream->taken = stream->input.len;
    stream->scanned = 0;
    return (rest.len == 0 && !stream->is_skipping) || take_line(proxy, from, rest, false);
}

static void enter_phase(struct wrap_proxy *proxy, enum wrap_phase phase, uint64_t wait_ms)
{
    proxy->phase = phase;
    proxy->deadline_ms = bt_clock_monotonic_ms() + wait_ms;
    proxy->closed_ms = phase > PHASE_ANSWERS ? UINT64_MAX : proxy->closed_ms;
}

static void terminate_server(struct wrap_proxy *proxy)
{
    bt_server_process_close_input(proxy->server);
    proxy->sides[BT_WRAP_SERVER].out_fd = -1;
    drop_output(proxy, BT_WRAP_SERVER);
    bt_server_process_signal(proxy->server, SIGTERM);
    if (proxy->streams->stop >= 0) {
        const uint64_t one = 1;
        (void)!write(proxy->streams->stop, &one, sizeof(one));
    }
    enter_phase(proxy, PHASE_TERM, proxy->timing->kill_ms);
}

/* Take what a client in this process says. False: `error` is set. */
static bool read_client(struct wrap_proxy *proxy)
{
    const struct wrap_client *client = proxy->streams->client;
    struct wrap_stream *stream = &proxy->sides[BT_WRAP_CLIENT];
    uint64_t count = 0;
    (void)!read(client->ready_fd, &count, sizeof(count));
    const enum wrap_client_state state = client->take(client->context, &stream->input);
    if (state == WRAP_CLIENT_ABORTED) {
        stream->in_fd = -1;
        if (proxy->phase < PHASE_TERM) {
            terminate_server(proxy);
        }
        return true;
    }
    return take_lines(proxy, BT_WRAP_CLIENT) &&
           (state == WRAP_CLIENT_TALKS || end_input(proxy, BT_WRAP_CLIENT));
}

/* Read what is there, once. False: `error` is set. */
static bool read_side(struct wrap_proxy *proxy, enum bt_wrap_side from)
{
    struct wrap_stream *stream = &proxy->sides[from];
    if (stream->taken > 0) {
        wrap_stream_compact(stream);
    }
    if (from == BT_WRAP_CLIENT && proxy->streams->client) {
        return read_client(proxy);
    }
    char *room = bt_buf_reserve(&stream->input, READ_BYTES);
    if (!room) {
        return bt_error_set(proxy->error, BT_ENOMEM, "out of memory") == BT_OK;
    }
    const ssize_t count = read(stream->in_fd, room, READ_BYTES);
    if (count > 0) {
        stream->input.len += (size_t)count;
        return take_lines(proxy, from);
    }
    const bool is_later = count < 0 && (errno == EINTR || errno == EAGAIN);
    return is_later || end_input(proxy, from);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Take the steps that are due after the end of the client's input. */
static void advance_phase(struct wrap_proxy *proxy)
{
    struct wrap_stream *client = &proxy->sides[BT_WRAP_CLIENT];
    struct wrap_stream *server = &proxy->sides[BT_WRAP_SERVER];
    bt_str line;
    const bool client_is_done = client->in_fd < 0 && !wrap_stream_find_line(client, &line);
    if (proxy->phase == PHASE_RUNNING && client_is_done) {
        /* without memory the requests stay, and their time ends with the phase */
        (void)!bt_wrap_session_client_ended(proxy->session);
        enter_phase(proxy, PHASE_ANSWERS, proxy->timing->answers_ms);
    }
    if (client_is_done && server->out_fd >= 0 && !bt_wrap_session_needs_server(proxy->session) &&
        count_waiting(proxy, BT_WRAP_SERVER) == 0) {
        bt_server_process_close_input(proxy->server);
        server->out_fd = -1;
    }
    const bool is_late = bt_clock_monotonic_ms() >= proxy->deadline_ms;
    const bool is_answered = bt_wrap_session_awaited(proxy->session) == 0 || client->out_fd < 0;
    if (proxy->phase == PHASE_ANSWERS && (is_late || (is_answered && server->out_fd < 0))) {
        enter_phase(proxy, PHASE_SHUTDOWN, proxy->timing->shutdown_ms);
    } else if (proxy->phase == PHASE_SHUTDOWN && is_late) {
        terminate_server(proxy);
    } else if (proxy->phase == PHASE_TERM && is_late) {
        bt_server_process_signal(proxy->server, SIGKILL);
        enter_phase(proxy, PHASE_KILL, proxy->timing->kill_ms);
    } else if (proxy->phase == PHASE_KILL && is_late) {
        proxy->is_stuck = true;
    }
}

/* When to give up what the client has not taken. */
static uint64_t output_deadline(const struct wrap_proxy *proxy)
{
    const struct wrap_timing *timing = proxy->timing;
    return bt_clock_monotonic_ms() + (proxy->was_signalled ? timing->kill_ms : timing->answers_ms);
}

/* Read what the server wrote before it ended. */
static bool drain_server(struct wrap_proxy *proxy)
{
    struct wrap_stream *server = &proxy->sides[BT_WRAP_SERVER];
    const uint64_t deadline = output_deadline(proxy);
    struct pollfd sources[2] = {{.events = POLLIN}, {.events = POLLOUT}};
    bool is_well = take_lines(proxy, BT_WRAP_SERVER);
    while (is_well && server->in_fd >= 0 && bt_clock_monotonic_ms() < deadline) {
        const bool may_read = has_room(proxy, BT_WRAP_SERVER);
        sources[0].fd = may_read ? server->in_fd : -1;
        sources[1].fd = may_read ? -1 : proxy->sides[BT_WRAP_CLIENT].out_fd;
        /* A process that it started may still hold the pipe, so its end is not waited for. */
        const int count = poll(sources, 2, may_read ? 0 : KILL_MS);
        if (count == 0 && may_read) {
            return true;
        }
        if (count > 0 && sources[1].revents != 0) {
            flush_side(proxy, BT_WRAP_CLIENT);
            is_well = take_lines(proxy, BT_WRAP_SERVER);
        }
        if (is_well && count > 0 && sources[0].revents != 0) {
            is_well = read_side(proxy, BT_WRAP_SERVER);
        }
    }
    return is_well;
}

/* Take what became of records. */
static bool collect_records(struct wrap_proxy *proxy)
{
    uint64_t count = 0;
    (void)!read(proxy->streams->wake, &count,
                sizeof(count)); /* nothing: the time of a record is over */
    proxy->session->now_ms = bt_clock_monotonic_ms();
    const enum bt_status status = bt_wrap_session_collect(proxy->session);
    return end_step(proxy, status, false);
}

/* Wait for every record; each has a deadline. */
static bool await_records(struct wrap_proxy *proxy)
{
    struct pollfd source = {.fd = proxy->streams->wake, .events = POLLIN};
    bool is_well = true;
    while (is_well && bt_wrap_session_unrecorded(proxy->session) > 0) {
        const uint64_t now = bt_clock_monotonic_ms();
        const uint64_t deadline = bt_wrap_session_deadline(proxy->session);
        (void)poll(&source, 1, deadline > now ? (int)(deadline - now) : 0);
        is_well = collect_records(proxy);
    }
    return is_well;
}

/* Requests that have already arrived are answered, too. */
static bool answer_waiting_client(struct wrap_proxy *proxy)
{
    struct wrap_stream *client = &proxy->sides[BT_WRAP_CLIENT];
    bool is_well = (has_room(proxy, BT_WRAP_CLIENT) || await_records(proxy)) &&
                   take_lines(proxy, BT_WRAP_CLIENT);
    while (is_well && client->in_fd >= 0 && has_room(proxy, BT_WRAP_CLIENT)) {
        struct pollfd input = {.fd = client->in_fd, .events = POLLIN};
        if (poll(&input, 1, 0) <= 0) {
            break;
        }
        is_well = read_side(proxy, BT_WRAP_CLIENT);
    }
    return is_well;
}

/* Nothing more will be recorded: wait for what waits, then say what is missing. */
static void finish_records(struct wrap_proxy *proxy)
{
    if (proxy->streams->wake >= 0 && await_records(proxy) &&
        bt_wrap_session_record_gap(proxy->session) == BT_OK) {
        (void)await_records(proxy);
    }
}

/* Write what is left for the client, which may be slow. */
static void finish_output(struct wrap_proxy *proxy)
{
    const struct wrap_stream *client = &proxy->sides[BT_WRAP_CLIENT];
    finish_records(proxy);
    const uint64_t deadline = output_deadline(proxy);
    flush_all(proxy, false);
    while (client->out_fd >= 0 && count_waiting(proxy, BT_WRAP_CLIENT) > 0 &&
           bt_clock_monotonic_ms() < deadline) {
        struct pollfd out = {.fd = client->out_fd, .events = POLLOUT};
        (void)poll(&out, 1, KILL_MS);
        flush_side(proxy, BT_WRAP_CLIENT);
    }
}

static enum wrap_end fail_run(struct wrap_proxy *proxy)
{
    bt_server_process_signal(proxy->server, SIGTERM);
    return WRAP_END_FAILED;
}

/* The server has ended; whether it was asked to depends on the phase and on what is open. */
static enum wrap_end end_run(struct wrap_proxy *proxy)
{
    const struct bt_server_process_end end = bt_server_process_poll(proxy->server);
    const bool is_requested = proxy->phase >= PHASE_SHUTDOWN;
    if (!drain_server(proxy)) {
        return fail_run(proxy);
    }
    const bool is_own_end = !is_requested && (proxy->phase == PHASE_RUNNING ||
                                              bt_wrap_session_awaited(proxy->session) > 0);
    drop_output(proxy, BT_WRAP_SERVER);
    proxy->sides[BT_WRAP_SERVER].out_fd = -1;
    if (proxy->session->is_blocked) {
        finish_output(proxy);
        return WRAP_END_BLOCKED;
    }
    if (!is_own_end) {
        const enum bt_status status = bt_wrap_session_close(proxy->session);
        finish_output(proxy);
        return status == BT_OK ? WRAP_END_CLIENT : fail_run(proxy);
    }
    const struct bt_wrap_server_end how = {
        .was_signalled = end.was_signalled || proxy->is_stuck,
        .number = proxy->is_stuck ? SIGKILL : end.number}; /* of which it has not died yet */
    const enum bt_status status = bt_wrap_session_server_ended(proxy->session, how);
    const bool is_answered = status == BT_OK && answer_waiting_client(proxy);
    finish_output(proxy);
    return is_answered ? WRAP_END_SERVER : fail_run(proxy);
}

/* ---- The loop -------------------------------------------------------------------------------- */

enum {
    POLL_CLIENT_IN,
    POLL_CLIENT_OUT,
    POLL_SERVER_IN,
    POLL_SERVER_OUT,
    POLL_LIFE,
    POLL_SIGNAL,
    POLL_RECORDS,
    POLL__MAX
};

/* Milliseconds until the deadline, for poll(). */
static int time_left(const struct wrap_proxy *proxy)
{
    const uint64_t held_ms = bt_wrap_session_deadline(proxy->session);
    uint64_t deadline = held_ms < proxy->deadline_ms ? held_ms : proxy->deadline_ms;
    deadline = proxy->closed_ms < deadline ? proxy->closed_ms : deadline;
    if (deadline == UINT64_MAX) {
        return -1;
    }
    const uint64_t now = bt_clock_monotonic_ms();
    const uint64_t left = deadline > now ? deadline - now : 0;
    return left < INT_MAX ? (int)left : INT_MAX;
}

static int fd_to_read(const struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    return has_room(proxy, side) ? proxy->sides[side].in_fd : -1;
}

static int fd_to_write(const struct wrap_proxy *proxy, enum bt_wrap_side side)
{
    return count_waiting(proxy, side) > 0 ? proxy->sides[side].out_fd : -1;
}

static void set_sources(const struct wrap_proxy *proxy, struct pollfd sources[POLL__MAX])
{
    sources[POLL_CLIENT_IN] =
        (struct pollfd){.fd = fd_to_read(proxy, BT_WRAP_CLIENT), .events = POLLIN};
    sources[POLL_CLIENT_OUT] =
        (struct pollfd){.fd = fd_to_write(proxy, BT_WRAP_CLIENT), .events = POLLOUT};
    sources[POLL_SERVER_IN] =
        (struct pollfd){.fd = fd_to_read(proxy, BT_WRAP_SERVER), .events = POLLIN};
    sources[POLL_SERVER_OUT] =
        (struct pollfd){.fd = fd_to_write(proxy, BT_WRAP_SERVER), .events = POLLOUT};
    sources[POLL_LIFE] = (struct pollfd){.fd = proxy->server_is_gone ? -1 : proxy->server->life_fd,
                                         .events = POLLIN};
    sources[POLL_SIGNAL] = (struct pollfd){.fd = proxy->signal_fd, .events = POLLIN};
    sources[POLL_RECORDS] = (struct pollfd){.fd = proxy->streams->wake, .events = POLLIN};
}

/* Lines that waited for room are taken before anything new is read. */
static bool handle_sources(struct wrap_proxy *proxy, const struct pollfd sources[POLL__MAX])
{
    struct signalfd_siginfo info;
    if (sources[POLL_SIGNAL].revents != 0 &&
        read(proxy->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        proxy->sides[BT_WRAP_CLIENT].in_fd = -1;
        proxy->was_signalled = true;
        if (proxy->phase < PHASE_TERM) {
            terminate_server(proxy);
        }
        return true;
    }
    if (sources[POLL_RECORDS].revents != 0 && !collect_records(proxy)) {
        return false;
    }
    flush_all(proxy, false);
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        const enum bt_wrap_side side = (enum bt_wrap_side)i;
        const bool is_ready =
            sources[side == BT_WRAP_CLIENT ? POLL_CLIENT_IN : POLL_SERVER_IN].revents != 0;
        if (!take_lines(proxy, side) || (is_ready && proxy->sides[side].in_fd >= 0 &&
                                         has_room(proxy, side) && !read_side(proxy, side))) {
            return false;
        }
    }
    return true;
}

/* Decide about held requests whose time is over. */
static bool expire_held(struct wrap_proxy *proxy)
{
    proxy->session->now_ms = bt_clock_monotonic_ms();
    if (proxy->session->now_ms < bt_wrap_session_deadline(proxy->session)) {
        return true;
    }
    const enum bt_status status = bt_wrap_session_expire(proxy->session);
    return end_step(proxy, status, false) && collect_records(proxy);
}

/* A server that closed a pipe has nothing more to say or to hear: it has a moment to end. */
static void watch_pipes(struct wrap_proxy *proxy)
{
    const struct wrap_stream *server = &proxy->sides[BT_WRAP_SERVER];
    const bool input_is_closed = proxy->phase == PHASE_RUNNING && server->out_fd < 0;
    if (proxy->phase > PHASE_ANSWERS || (server->in_fd >= 0 && !input_is_closed)) {
        return;
    }
    const uint64_t now = bt_clock_monotonic_ms();
    if (proxy->closed_ms == UINT64_MAX) {
        proxy->closed_ms = now + CLOSED_PIPE_MS;
    } else if (now >= proxy->closed_ms && proxy->was_killed) {
        proxy->is_stuck = true;
    } else if (now >= proxy->closed_ms) {
        bt_server_process_signal(proxy->server, SIGKILL);
        proxy->was_killed = true;
        proxy->closed_ms = now + proxy->timing->kill_ms;
    }
}

/*
 * True when the conversation is over: the server has ended. A session that is blocked needs no
 * server, but the client is answered until its input ends.
 */
static bool is_over(struct wrap_proxy *proxy, bool server_has_ended)
{
    if (!proxy->session->is_blocked) {
        return server_has_ended;
    }
    if (proxy->phase < PHASE_TERM) {
        terminate_server(proxy);
    }
    if (server_has_ended) {
        proxy->server_is_gone = true;
        proxy->is_stuck = false;
        proxy->deadline_ms = UINT64_MAX;
        proxy->sides[BT_WRAP_SERVER].in_fd = -1;
    }
    return proxy->server_is_gone && proxy->sides[BT_WRAP_CLIENT].in_fd < 0;
}

static enum wrap_end run_loop(struct wrap_proxy *proxy)
{
    struct pollfd sources[POLL__MAX];
    (void)is_over(proxy, false); /* it may be blocked from the start */
    for (;;) { /* ends with the server, which every phase after the first brings about */
        set_sources(proxy, sources);
        const int count = poll(sources, POLL__MAX, time_left(proxy));
        if (count < 0 && errno != EINTR) {
            (void)bt_error_set(proxy->error, BT_EIO, "poll: %s", strerror(errno));
            return fail_run(proxy);
        }
        if ((count > 0 && !handle_sources(proxy, sources)) || !expire_held(proxy)) {
            return fail_run(proxy);
        }
        if (is_over(proxy, proxy->is_stuck || (count > 0 && sources[POLL_LIFE].revents != 0))) {
            return end_run(proxy);
        }
        if (!proxy->server_is_gone) {
            watch_pipes(proxy);
            advance_phase(proxy);
        }
    }
}

static int open_signals(sigset_t *before)
{
    sigset_t ending;
    (void)sigemptyset(&ending);
    (void)sigaddset(&ending, SIGTERM);
    (void)sigaddset(&ending, SIGINT);
    (void)sigaddset(&ending, SIGHUP);
    return sigprocmask(SIG_BLOCK, &ending, before) == 0
               ? signalfd(-1, &ending, SFD_NONBLOCK | SFD_CLOEXEC)
               : -1;
}

enum wrap_end wrap_proxy_run(struct bt_wrap_session *session, struct bt_server_process *server,
                             const struct wrap_streams *streams, const struct wrap_timing *timing,
                             struct bt_error *error)
{
    const size_t most = session->settings->policy.limits.message_bytes + 2 * (size_t)READ_BYTES;
    const struct wrap_client *client = streams->client;
    const int input = client ? client->ready_fd : streams->input;
    const int output = client ? client->ready_fd : streams->output;
    sigset_t before;
    struct wrap_proxy proxy = {
        .session = session,
        .server = server,
        .timing = timing,
        .sides = {[BT_WRAP_CLIENT] = {.in_fd = input, .out_fd = output},
                  [BT_WRAP_SERVER] = {.in_fd = server->output_fd, .out_fd = server->input_fd}},
        .streams = streams,
        .signal_fd = client ? -1 : open_signals(&before),
        .deadline_ms = UINT64_MAX,
        .closed_ms = UINT64_MAX,
        .error = error};
    enum wrap_end end = WRAP_END_FAILED;
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        wrap_stream_init(&proxy.sides[i], most);
    }
    if (!client && proxy.signal_fd < 0) {
        (void)bt_error_set(error, BT_EIO, "signalfd: %s", strerror(errno));
    } else {
        end = run_loop(&proxy);
        finish_records(&proxy);
    }
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        bt_buf_free(&proxy.sides[i].input);
    }
    if (proxy.signal_fd >= 0) {
        (void)close(proxy.signal_fd);
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
    }
    bt_server_process_close(server);
    return end;
}
