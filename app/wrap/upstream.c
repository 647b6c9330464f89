/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream.c - lines to requests over HTTP, and answers to lines, in one poll loop.
 *
 * A line is sent when the one before it was sent; behind a notification, a response or the
 * handshake the next one waits for its status, so that the server sees them in order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "net/dns.h"
#include "wrap/upstream_state.h"

enum {
    END_MS = 400,               /* for the last request; a proxy that was signalled waits 500 */
    CALLS_MAX = 1100,           /* as many as requests may be open, and some notifications */
    OUTPUT_BYTES_MAX = 8 << 20, /* then answers are not read */
    PARTS_BYTES_MAX = 8 << 20,  /* of answers that are not complete; then only one is read */
};

/* True when the next line may be sent. */
static bool may_send(const struct upstream_state *state)
{
    const struct upstream_call *last = state->last;
    if (state->count >= CALLS_MAX || state->end_ms > 0) {
        return false;
    }
    if (!last || http_fetch_has_ended(&last->fetch)) {
        return true;
    }
    return !last->is_handshake &&
           last->fetch.stage >= (last->use == USE_OTHER ? HTTP_FETCH_BODY : HTTP_FETCH_HEAD);
}

static void take_client_lines(struct upstream_state *state)
{
    struct bt_buf *input = &state->pipes.input;
    const bt_str whole = bt_buf_str(input);
    size_t taken = 0;
    size_t end = bt_str_find_byte(whole, '\n', 0);
    while (end < whole.len && may_send(state)) {
        upstream_take_line(state, bt_str_slice(whole, taken, end));
        taken = end + 1;
        end = bt_str_find_byte(whole, '\n', taken);
    }
    if (taken > 0) {
        memmove(input->ptr, input->ptr + taken, input->len - taken);
        input->len -= taken;
    }
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* Requests of the client that are waited for. */
static bool has_open_requests(const struct upstream_state *state)
{
    for (const struct upstream_call *call = state->calls; call; call = call->next) {
        if (call->use == USE_OTHER || (call->use == USE_REQUEST && !call->is_listening)) {
            return true;
        }
    }
    return false;
}

/* End the session, or everything at once. */
static void begin_end(struct upstream_state *state)
{
    while (state->calls) {
        upstream_remove_call(state, state->calls);
    }
    state->stream_ms = 0;
    state->end_ms = bt_clock_monotonic_ms() + END_MS;
    if (state->peer.session.size > 0) {
        upstream_send_plain(state, USE_END);
    } else {
        state->is_over = true;
    }
}

static void advance_end(struct upstream_state *state)
{
    const uint64_t now = bt_clock_monotonic_ms();
    if (state->end_ms > 0) {
        state->is_over = state->is_over || now >= state->end_ms;
        return;
    }
    const bool has_lines =
        bt_str_find_byte(bt_buf_str(&state->pipes.input), '\n', 0) < state->pipes.input.len;
    if (state->pipes.input_fd < 0 && !has_lines && !has_open_requests(state) &&
        state->pipes.output.len == 0) {
        begin_end(state);
    } else if (state->stream_ms > 0 && state->stream_ms != UINT64_MAX && now >= state->stream_ms) {
        state->stream_ms = UINT64_MAX; /* open; see end_stream() */
        upstream_send_plain(state, USE_STREAM);
    }
}

static void read_input(struct upstream_state *state)
{
    char *room = bt_buf_reserve(&state->pipes.input, UPSTREAM_READ_BYTES);
    const ssize_t count = room ? read(state->pipes.input_fd, room, UPSTREAM_READ_BYTES) : 0;
    if (count > 0) {
        state->pipes.input.len += (size_t)count;
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        state->pipes.input_fd = -1;
    }
}

static void write_output(struct upstream_state *state)
{
    while (state->pipes.output_done < state->pipes.output.len) {
        const ssize_t count =
            write(state->pipes.output_fd, state->pipes.output.ptr + state->pipes.output_done,
                  state->pipes.output.len - state->pipes.output_done);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            break;
        }
        if (count < 0) {
            state->is_over = true; /* nobody reads any more */
            state->pipes.output_done = state->pipes.output.len;
            break;
        }
        state->pipes.output_done += (size_t)count;
    }
    if (state->pipes.output_done == state->pipes.output.len) {
        bt_buf_clear(&state->pipes.output);
        state->pipes.output_done = 0;
    }
}

/* ---- Which answers are read ------------------------------------------------------------------ */

static size_t count_part(const struct upstream_call *call)
{
    return call->fetch.body.len + call->events.input.len + call->events.data.len;
}

/* The longest part of an answer, when all parts have too many bytes together; else NULL. */
static const struct upstream_call *find_longest(const struct upstream_state *state)
{
    const struct upstream_call *longest = state->calls;
    size_t total = 0;
    for (const struct upstream_call *call = state->calls; call; call = call->next) {
        total += count_part(call);
        longest = count_part(call) > count_part(longest) ? call : longest;
    }
    return total > PARTS_BYTES_MAX ? longest : NULL;
}

static bool has_room(const struct upstream_state *state)
{
    return state->pipes.output.len - state->pipes.output_done < OUTPUT_BYTES_MAX;
}

/* True when a call may go on; short answers may in any case. */
static bool may_step(const struct upstream_call *call, const struct upstream_call *longest)
{
    return !longest || call == longest || count_part(call) < UPSTREAM_READ_BYTES ||
           http_fetch_has_ended(&call->fetch);
}

enum { POLL_INPUT, POLL_OUTPUT, POLL_SIGNAL, POLL_CALLS, POLL__MAX = POLL_CALLS + CALLS_MAX + 8 };

/* Milliseconds until something is due. */
static int time_left(const struct upstream_state *state)
{
    const uint64_t now = bt_clock_monotonic_ms();
    const uint64_t wake =
        now + UPSTREAM_REOPEN_MS; /* deadlines of calls are looked at once a second */
    uint64_t next = state->end_ms > 0 && state->end_ms < wake ? state->end_ms : wake;
    next = state->stream_ms > 0 && state->stream_ms < next ? state->stream_ms : next;
    const struct upstream_call *longest = find_longest(state);
    for (const struct upstream_call *call = state->calls; call && has_room(state);
         call = call->next) {
        const bool is_ready =
            http_fetch_is_ready(&call->fetch) || http_fetch_has_ended(&call->fetch);
        next = is_ready && may_step(call, longest) ? now : next;
    }
    return next > now ? (int)(next - now) : 0;
}

static size_t set_sources(const struct upstream_state *state, struct pollfd sources[POLL__MAX])
{
    const struct upstream_call *longest = find_longest(state);
    size_t count = POLL_CALLS;
    /* A line that waits is enough: the next one could not be sent before it. */
    const bool reads =
        bt_str_find_byte(bt_buf_str(&state->pipes.input), '\n', 0) == state->pipes.input.len;
    sources[POLL_INPUT] =
        (struct pollfd){.fd = reads ? state->pipes.input_fd : -1, .events = POLLIN};
    sources[POLL_OUTPUT] = (struct pollfd){
        .fd = state->pipes.output.len > state->pipes.output_done ? state->pipes.output_fd : -1,
        .events = POLLOUT};
    sources[POLL_SIGNAL] = (struct pollfd){.fd = state->signal_fd, .events = POLLIN};
    for (const struct upstream_call *call = state->calls; call && count < POLL__MAX;
         call = call->next) {
        const bool is_read = has_room(state) && may_step(call, longest);
        sources[count++] = (struct pollfd){.fd = is_read ? http_fetch_fd(&call->fetch) : -1,
                                           .events = http_fetch_events(&call->fetch)};
    }
    return count;
}

static void step_calls(struct upstream_state *state)
{
    const struct upstream_call *longest = find_longest(state);
    struct upstream_call *next = NULL;
    for (struct upstream_call *call = has_room(state) ? state->calls : NULL;
         call && !state->is_over; call = next) {
        next = call->next;
        if (may_step(call, longest)) {
            upstream_step_call(state, call);
        }
    }
}

static void run_loop(struct upstream_state *state)
{
    struct pollfd sources[POLL__MAX];
    struct signalfd_siginfo info;
    while (!state->is_over &&
           state->pipes.output.status == BT_OK) { /* ends with the input, at last */
        const size_t count = set_sources(state, sources);
        if (poll(sources, count, time_left(state)) < 0 && errno != EINTR) {
            break;
        }
        if (sources[POLL_SIGNAL].revents != 0 && state->end_ms == 0 &&
            read(state->signal_fd, &info, sizeof(info)) > 0) {
            begin_end(state);
            continue;
        }
        if (sources[POLL_INPUT].revents != 0) {
            read_input(state);
        }
        step_calls(state);
        take_client_lines(state);
        advance_end(state);
        write_output(state);
    }
}

/* Write what is left, if somebody reads it. */
static void finish_output(struct upstream_state *state)
{
    const uint64_t deadline = bt_clock_monotonic_ms() + END_MS;
    struct pollfd out = {.fd = state->pipes.output_fd, .events = POLLOUT};
    write_output(state);
    while (state->pipes.output.len > 0 && bt_clock_monotonic_ms() < deadline) {
        (void)poll(&out, 1, END_MS);
        write_output(state);
    }
}

enum bt_status wrap_upstream_make_tls(const struct wrap_upstream *upstream,
                                      struct bt_tls_context **out, struct bt_error *error)
{
    *out = NULL;
    return upstream->where.is_tls
               ? bt_tls_client_create(BT_TLS_TRUST_AUTHORITIES, upstream->authorities, out, error)
               : BT_OK;
}

static int open_signals(void)
{
    sigset_t ending;
    (void)sigemptyset(&ending);
    (void)sigaddset(&ending, SIGTERM);
    (void)sigaddset(&ending, SIGINT);
    return sigprocmask(SIG_BLOCK, &ending, NULL) == 0
               ? signalfd(-1, &ending, SFD_NONBLOCK | SFD_CLOEXEC)
               : -1;
}

int wrap_upstream_serve(const void *served, int input, int output)
{
    const struct wrap_upstream *upstream = served;
    struct upstream_state *state = calloc(1, sizeof(*state));
    if (!state) {
        return 1;
    }
    state->upstream = upstream;
    state->pipes.input_fd = input;
    state->pipes.output_fd = output;
    state->signal_fd = upstream->stop_fd;
    if (upstream->stop_fd < 0) {
        state->signal_fd = open_signals();
        (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without MSG_NOSIGNAL */
    }
    (void)fcntl(output, F_SETFL, O_NONBLOCK);
    bt_arena_init(&state->arena, (size_t)upstream->message_bytes * 8 + UPSTREAM_READ_BYTES);
    bt_buf_init(&state->pipes.input, upstream->message_bytes + 2 * (size_t)UPSTREAM_READ_BYTES);
    bt_buf_init(&state->pipes.output, SIZE_MAX / 4);
    wrap_params_init(&state->peer.params);
    if (wrap_upstream_make_tls(upstream, &state->peer.tls, NULL) == BT_OK) {
        run_loop(state);
        finish_output(state);
    } else {
        state->exit_status = 1;
    }
    while (state->calls) {
        upstream_remove_call(state, state->calls);
    }
    const int exit_status = state->exit_status;
    bt_dns_free(state->peer.names);
    bt_tls_context_destroy(state->peer.tls);
    wrap_params_free(&state->peer.params);
    bt_buf_free(&state->pipes.input);
    bt_buf_free(&state->pipes.output);
    bt_arena_free(&state->arena);
    if (upstream->stop_fd < 0) {
        (void)close(state->signal_fd);
    }
    free(state);
    return exit_status;
}
