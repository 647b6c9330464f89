/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the life cycle of one host: waiting, running, closing, dying, reporting, and again. */
#define _GNU_SOURCE
#include "sandbox/host.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    READS_MAX = 4, /* per host and turn, so that no host delays the others */
    BACKOFF_MS_MIN = 100,
    BACKOFF_MS_MAX = 30000,
    QUIET_MS = 60000,
    END_MS_MAX = 500, /* from the end of the conversation to the end of the process */
    LOG_BYTES_A_SECOND = 65536,
};

/* Watch a descriptor for these events; 0 removes it from the set. */
static void watch_fd(const struct bt_host_pool *hosts, struct bt_host *host, int fd,
                     uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = host};
    if (fd < 0) {
        return;
    }
    if (events == 0) {
        (void)epoll_ctl(hosts->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    } else if (epoll_ctl(hosts->epoll_fd, EPOLL_CTL_MOD, fd, &event) != 0) {
        (void)epoll_ctl(hosts->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    }
}

/* Watch the descriptors that the host prints to. */
static void watch_logs(const struct bt_host_pool *hosts, struct bt_host *host, uint32_t events)
{
    for (int i = 0; i < BT_HOST_STREAM__COUNT; i++) {
        if (host->log.is_open[i]) {
            watch_fd(hosts, host, host->process.log_fds[i], events);
        }
    }
}

static bool is_log_open(const struct bt_host *host)
{
    return host->log.is_open[BT_HOST_STREAM_OUTPUT] || host->log.is_open[BT_HOST_STREAM_ERROR];
}

void bt_host_unwatch(const struct bt_host_pool *hosts, struct bt_host *host)
{
    watch_fd(hosts, host, host->process.life_fd, 0);
    watch_fd(hosts, host, host->process.talk_fd, 0);
    watch_logs(hosts, host, 0);
}

/* Watch for input only while it is permitted, or unexpected input would wake us repeatedly. */
static void watch_talk(const struct bt_host_pool *hosts, struct bt_host *host, bool unsent)
{
    const enum bt_host_channel_state state = host->session.state;
    const bool can_receive = host->phase == BT_PHASE_RUNNING && !host->hung_up &&
                             state != BT_SESSION_HELD && state != BT_SESSION_CLOSED;
    const uint32_t events = (can_receive ? EPOLLIN : 0U) | (unsent ? EPOLLOUT : 0U);
    if (events != host->talk_events) {
        host->talk_events = events;
        watch_fd(hosts, host, host->process.talk_fd, events);
    }
}

void bt_host_send(struct bt_host_pool *hosts, struct bt_host *host)
{
    if (host->phase != BT_PHASE_RUNNING && host->phase != BT_PHASE_CLOSING) {
        return;
    }
    bt_str pending = bt_host_channel_pending(&host->session);
    while (pending.len > 0 && !host->hung_up) {
        const ssize_t sent = send(host->process.talk_fd, pending.ptr, pending.len, MSG_NOSIGNAL);
        if (sent <= 0) {
            break; /* full, or closed, which reading detects */
        }
        bt_host_channel_sent(&host->session, (size_t)sent);
        pending = bt_host_channel_pending(&host->session);
    }
    if (host->phase == BT_PHASE_CLOSING && pending.len == 0) {
        (void)shutdown(host->process.talk_fd, SHUT_WR);
    }
    watch_talk(hosts, host, pending.len > 0 && !host->hung_up);
}

void bt_host_receive(struct bt_host *host)
{
    for (int i = 0; i < READS_MAX && host->phase == BT_PHASE_RUNNING && !host->hung_up; i++) {
        char *room = bt_host_channel_input_buffer(&host->session, READ_BYTES);
        if (!room) {
            return;
        }
        const ssize_t size = read(host->process.talk_fd, room, READ_BYTES);
        if (size > 0) {
            host->session.in.len += (size_t)size;
        }
        if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
            host->hung_up = true;
        }
        if (size < READ_BYTES) {
            return;
        }
    }
}

void bt_host_begin_stop(struct bt_host *host, const char *why)
{
    host->ending.reason = why;
    host->phase = BT_PHASE_DYING;
    if (host->session.state != BT_SESSION_CLOSED) {
        bt_host_channel_close(&host->session);
    }
    bt_host_process_kill(&host->process);
}

static enum bt_status start_process(struct bt_host_pool *hosts, struct bt_host *host,
                                    struct bt_error *error)
{
    return hosts->options.start
               ? hosts->options.start(hosts->options.context, &host->launch, &host->process, error)
               : bt_host_process_start(&host->launch, &host->process, error);
}

static void begin_running(struct bt_host_pool *hosts, struct bt_host *host)
{
    struct bt_error error = {.text = ""};
    const uint64_t now = bt_host_pool_now(hosts);
    if (host->has_session) {
        bt_host_channel_free(&host->session);
    }
    bt_host_channel_init(&host->session, host->in_flight_max, now);
    host->has_session = true;
    host->times.started_ms = now;
    if (host->times.restarts == 0) {
        host->log.second_ms = now;
        host->log.left = LOG_BYTES_A_SECOND;
    }
    host->hung_up = false;
    host->loading = true;
    host->talk_events = 0;
    host->ending.process = (struct bt_host_process_end){.code = -1};
    host->ending.reason = "";
    const enum bt_status status = start_process(hosts, host, &error);
    if (status != BT_OK) {
        (void)snprintf(host->ending.text, sizeof(host->ending.text), "%s", error.text);
        host->ending.reason = host->ending.text;
        host->process = (struct bt_host_process)BT_PROCESS_NONE;
        bt_host_channel_close(&host->session);
        host->phase = BT_PHASE_REPORTING;
        return;
    }
    host->phase = BT_PHASE_RUNNING;
    for (int i = 0; i < BT_HOST_STREAM__COUNT; i++) {
        host->log.is_open[i] = host->process.log_fds[i] >= 0;
    }
    watch_talk(hosts, host, false);
    watch_logs(hosts, host, EPOLLIN);
    watch_fd(hosts, host, host->process.life_fd, EPOLLIN);
}

static bool event_of(struct bt_host *host, enum bt_host_event_kind kind, struct bt_host_event *out)
{
    *out = (struct bt_host_event){.kind = kind,
                                  .host = host->id,
                                  .reason = "",
                                  .loading = host->loading,
                                  .restart_ms = BT_NEVER,
                                  .end = host->ending.process};
    return true;
}

/* Read from one stream; false: there is nothing to read now. */
static bool read_log(struct bt_host_pool *hosts, struct bt_host *host, enum bt_host_stream stream,
                     struct bt_host_event *out)
{
    if (!host->log.is_open[stream]) {
        return false;
    }
    const int fd = host->process.log_fds[stream];
    const ssize_t size = read(fd, hosts->log_text, host->log.left);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
        watch_fd(hosts, host, fd, 0);
        host->log.is_open[stream] = false;
    }
    if (size <= 0) {
        return false;
    }
    host->log.left -= (uint32_t)size;
    event_of(host, BT_HOST_EVENT_LOG, out);
    out->body = (bt_str){hosts->log_text, (size_t)size};
    out->stream = stream;
    return true;
}

static bool next_log(struct bt_host_pool *hosts, struct bt_host *host, struct bt_host_event *out)
{
    if (!is_log_open(host)) {
        return false;
    }
    const uint64_t now = bt_host_pool_now(hosts);
    if (now - host->log.second_ms >= 1000) {
        host->log.second_ms = now;
        host->log.left = LOG_BYTES_A_SECOND;
        watch_logs(hosts, host, EPOLLIN);
    }
    if (host->log.left == 0) {
        watch_logs(hosts, host, 0); /* its output waits in the pipe, and nothing is lost */
        return false;
    }
    return read_log(hosts, host, BT_HOST_STREAM_OUTPUT, out) ||
           (host->log.left > 0 && read_log(hosts, host, BT_HOST_STREAM_ERROR, out));
}

/* Choose the next phase of a host whose conversation has just ended. */
static void after_closing(struct bt_host_pool *hosts, struct bt_host *host,
                          const struct bt_host_channel_event *channel_event)
{
    switch (channel_event->kind) {
    case BT_HOST_CHANNEL_EVENT_KIND_DONE:
    case BT_HOST_CHANNEL_EVENT_KIND_REFUSED:
        host->ending.reason = channel_event->kind == BT_HOST_CHANNEL_EVENT_KIND_DONE
                                  ? "it left"
                                  : "it refused to serve";
        host->phase = BT_PHASE_CLOSING;
        host->times.kill_ms = bt_host_pool_now(hosts) + END_MS_MAX;
        bt_host_send(hosts, host); /* the BYE may still be unsent */
        break;
    case BT_HOST_CHANNEL_EVENT_KIND_BROKE:
    case BT_HOST_CHANNEL_EVENT_KIND_STUCK:
        bt_host_begin_stop(host, channel_event->reason);
        break;
    case BT_HOST_CHANNEL_EVENT_KIND_NOTHING:
    case BT_HOST_CHANNEL_EVENT_KIND_HELLO:
    case BT_HOST_CHANNEL_EVENT_KIND_RESULT:
    case BT_HOST_CHANNEL_EVENT_KIND_FAIL:
    case BT_HOST_CHANNEL_EVENT_KIND_LATE:
    case BT_HOST_CHANNEL_EVENT_KIND_CANCELLED:
    case BT_HOST_CHANNEL_EVENT_KIND_TIMEOUT:
        break;
    }
}

static const enum bt_host_event_kind kinds[] = {
    [BT_HOST_CHANNEL_EVENT_KIND_NOTHING] = BT_HOST_EVENT_NONE,
    [BT_HOST_CHANNEL_EVENT_KIND_HELLO] = BT_HOST_EVENT_HELLO,
    [BT_HOST_CHANNEL_EVENT_KIND_REFUSED] = BT_HOST_EVENT_REFUSED,
    [BT_HOST_CHANNEL_EVENT_KIND_RESULT] = BT_HOST_EVENT_RESULT,
    [BT_HOST_CHANNEL_EVENT_KIND_FAIL] = BT_HOST_EVENT_FAIL,
    [BT_HOST_CHANNEL_EVENT_KIND_LATE] = BT_HOST_EVENT_LATE,
    [BT_HOST_CHANNEL_EVENT_KIND_CANCELLED] = BT_HOST_EVENT_CANCELLED,
    [BT_HOST_CHANNEL_EVENT_KIND_TIMEOUT] = BT_HOST_EVENT_TIMEOUT,
    [BT_HOST_CHANNEL_EVENT_KIND_STUCK] = BT_HOST_EVENT_STUCK,
    [BT_HOST_CHANNEL_EVENT_KIND_BROKE] = BT_HOST_EVENT_BROKE,
    [BT_HOST_CHANNEL_EVENT_KIND_DONE] = BT_HOST_EVENT_NONE,
};

/* Handle one event of the channel; BT_HOST_EVENT_NONE: only the phase changed. */
static bool take_channel_event(struct bt_host_pool *hosts, struct bt_host *host,
                               struct bt_host_event *out)
{
    struct bt_host_channel_event channel_event;
    if (!bt_host_channel_next(&host->session, bt_host_pool_now(hosts), &channel_event)) {
        return false;
    }
    event_of(host, kinds[channel_event.kind], out);
    out->call = channel_event.call;
    out->document = channel_event.document;
    out->fail = channel_event.fail;
    out->body = channel_event.body;
    out->hello = channel_event.hello;
    out->reason = channel_event.reason;
    if (channel_event.kind == BT_HOST_CHANNEL_EVENT_KIND_HELLO ||
        channel_event.kind == BT_HOST_CHANNEL_EVENT_KIND_REFUSED) {
        host->loading = false;
    }
    after_closing(hosts, host, &channel_event);
    return true;
}

/* True when a host that ended left unread bytes in the channel, which are still handled. */
static bool has_last_words(struct bt_host *host)
{
    const size_t before = host->session.in.len;
    bt_host_receive(host);
    return host->session.in.len > before;
}

/* Look at the process when the conversation has no events. True: something changed. */
static bool check_process(struct bt_host_pool *hosts, struct bt_host *host)
{
    if (host->phase == BT_PHASE_CLOSING && bt_host_pool_now(hosts) >= host->times.kill_ms) {
        bt_host_begin_stop(host, host->ending.reason);
    }
    if (bt_host_process_has_exited(&host->process)) {
        if (host->phase == BT_PHASE_RUNNING && has_last_words(host)) {
            return true;
        }
        host->ending.reason = host->phase == BT_PHASE_RUNNING ? "it died" : host->ending.reason;
        bt_host_unwatch(hosts, host);
        host->ending.process = bt_host_process_reap(&host->process);
        bt_host_channel_close(&host->session);
        host->phase = BT_PHASE_REPORTING;
        return true;
    }
    if (host->phase == BT_PHASE_RUNNING && host->hung_up) {
        bt_host_begin_stop(host, "it closed its channel");
    }
    return false;
}

static bool next_running(struct bt_host_pool *hosts, struct bt_host *host,
                         struct bt_host_event *out)
{
    if (host->phase == BT_PHASE_RUNNING && take_channel_event(hosts, host, out)) {
        return true;
    }
    if (next_log(hosts, host, out)) {
        return true;
    }
    event_of(host, BT_HOST_EVENT_NONE, out);
    return check_process(hosts, host);
}

static void schedule_restart(struct bt_host_pool *hosts, struct bt_host *host)
{
    const uint64_t now = bt_host_pool_now(hosts);
    if (host->stop || host->once) {
        host->phase = BT_PHASE_OFF;
        return;
    }
    if (now - host->times.started_ms >= QUIET_MS || host->times.backoff_ms == 0) {
        host->times.backoff_ms = BACKOFF_MS_MIN;
    }
    host->phase = BT_PHASE_WAITING;
    host->times.start_ms = now + host->times.backoff_ms;
    host->times.backoff_ms =
        host->times.backoff_ms * 2 < BACKOFF_MS_MAX ? host->times.backoff_ms * 2 : BACKOFF_MS_MAX;
    host->times.restarts++;
}

static bool take_final_event(struct bt_host_pool *hosts, struct bt_host *host,
                             struct bt_host_event *out)
{
    uint64_t call;
    if (next_log(hosts, host, out)) {
        return true;
    }
    if (bt_host_channel_next_lost_call(&host->session, &call)) {
        event_of(host, BT_HOST_EVENT_LOST, out);
        out->call = call;
        return true;
    }
    watch_logs(hosts, host, 0);
    host->log.is_open[BT_HOST_STREAM_OUTPUT] = false;
    host->log.is_open[BT_HOST_STREAM_ERROR] = false;
    bt_host_process_close(&host->process);
    event_of(host, BT_HOST_EVENT_ENDED, out);
    schedule_restart(hosts, host);
    out->reason = host->ending.reason;
    out->restart_ms = host->phase == BT_PHASE_WAITING ? host->times.start_ms : BT_NEVER;
    return true;
}

bool bt_host_next(struct bt_host_pool *hosts, struct bt_host *host, struct bt_host_event *out)
{
    for (;;) { /* ends, because every step without an event moves the host to a later phase */
        bool moved = false;
        switch (host->phase) {
        case BT_PHASE_OFF:
            return false;
        case BT_PHASE_WAITING:
            if (bt_host_pool_now(hosts) < host->times.start_ms) {
                return false;
            }
            begin_running(hosts, host);
            continue;
        case BT_PHASE_RUNNING:
        case BT_PHASE_CLOSING:
        case BT_PHASE_DYING:
            moved = next_running(hosts, host, out);
            break;
        case BT_PHASE_REPORTING:
            return take_final_event(hosts, host, out);
        }
        if (!moved || out->kind != BT_HOST_EVENT_NONE) {
            return moved;
        }
    }
}

uint64_t bt_host_due(const struct bt_host *host)
{
    const uint64_t log_ms =
        is_log_open(host) && host->log.left == 0 ? host->log.second_ms + 1000 : BT_NEVER;
    uint64_t due = BT_NEVER;
    switch (host->phase) {
    case BT_PHASE_OFF:
    case BT_PHASE_DYING: /* the end of the process is an event */
        break;
    case BT_PHASE_WAITING:
        due = host->times.start_ms;
        break;
    case BT_PHASE_RUNNING:
        due = bt_host_channel_due(&host->session);
        break;
    case BT_PHASE_CLOSING:
        due = host->times.kill_ms;
        break;
    case BT_PHASE_REPORTING:
        due = 0;
        break;
    }
    return due < log_ms ? due : log_ms;
}

void bt_host_free(struct bt_host *host)
{
    bt_host_process_close(&host->process);
    if (host->has_session) {
        bt_host_channel_free(&host->session);
    }
    bt_arena_free(&host->arena);
}
