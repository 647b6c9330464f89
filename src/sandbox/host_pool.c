/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pool.c - the pool of hosts: one epoll set, one list of hosts with events.
 */
#define _GNU_SOURCE
#include "sandbox/host_pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/net_mark.h"
#include "json/emit.h"
#include "sandbox/host.h"

enum { EVENTS_MAX = 256, LAUNCH_BYTES_MAX = 4 << 20, HOSTS_MAX = 1 << 20 };

uint64_t bt_host_pool_now(const struct bt_host_pool *hosts)
{
    return hosts->options.clock ? hosts->options.clock(hosts->options.context)
                                : bt_clock_monotonic_ms();
}

enum bt_status bt_host_pool_open(const struct bt_host_pool_options *options,
                                 struct bt_host_pool **out, struct bt_error *error)
{
    struct bt_host_pool *hosts = calloc(1, sizeof(*hosts));
    char *log_text = malloc(BT_LOG_CHUNK);
    const int fd = epoll_create1(EPOLL_CLOEXEC);
    if (!hosts || !log_text || fd < 0) {
        const enum bt_status status = hosts && log_text ? BT_EIO : BT_ENOMEM;
        free(hosts);
        free(log_text);
        if (fd >= 0) {
            (void)close(fd);
        }
        return bt_error_set(error, status, "cannot watch hosts: %s", bt_status_text(status));
    }
    hosts->epoll_fd = fd;
    hosts->net_mark_fd = -1;
    hosts->log_text = log_text;
    if (options) {
        hosts->options = *options;
    }
    *out = hosts;
    return BT_OK;
}

static void end_host(const struct bt_host_pool *hosts, struct bt_host *host)
{
    bt_host_unwatch(hosts, host);
    if (host->process.pid > 0) {
        bt_host_process_kill(&host->process);
        (void)bt_host_process_reap(&host->process);
    }
    bt_host_free(host);
    free(host);
}

void bt_host_pool_close(struct bt_host_pool *hosts)
{
    if (!hosts) {
        return;
    }
    for (size_t i = 0; i < hosts->count; i++) {
        if (hosts->hosts[i].host) {
            end_host(hosts, hosts->hosts[i].host);
        }
    }
    (void)close(hosts->epoll_fd);
    if (hosts->net_mark_fd >= 0) { /* after the last of them is gone */
        (void)close(hosts->net_mark_fd);
    }
    free(hosts->hosts);
    free(hosts->timers.items);
    free(hosts->log_text);
    free(hosts);
}

static struct bt_host *host_at(const struct bt_host_pool *hosts, bt_host_id id)
{
    assert(id < hosts->count);
    assert(hosts->hosts[id].host);
    return hosts->hosts[id].host;
}

static bool grow_arrays(struct bt_host_pool *hosts)
{
    if (hosts->count < hosts->capacity) {
        return true;
    }
    const size_t capacity = hosts->capacity > 0 ? 2 * hosts->capacity : 16;
    struct bt_host_entry *grown =
        capacity <= HOSTS_MAX ? realloc(hosts->hosts, capacity * sizeof(*grown)) : NULL;
    hosts->hosts = grown ? grown : hosts->hosts;
    struct bt_host_timer *items =
        grown ? realloc(hosts->timers.items, capacity * sizeof(*items)) : NULL;
    hosts->timers.items = items ? items : hosts->timers.items;
    hosts->capacity = items ? capacity : hosts->capacity;
    return items != NULL;
}

/* Look at a host before the next wait. */
static void mark_for_update(struct bt_host_pool *hosts, struct bt_host *host)
{
    if (!host->links.is_active) {
        host->links.is_active = true;
        host->links.next_active = hosts->active_hosts;
        hosts->active_hosts = host;
    }
}

/* Add a host to the list of those with events. */
static void push_host(struct bt_host_pool *hosts, struct bt_host *host)
{
    mark_for_update(hosts, host);
    if (host->links.is_queued) {
        return;
    }
    host->links.is_queued = true;
    host->links.next_with_events = NULL;
    if (hosts->last_with_events) {
        hosts->last_with_events->links.next_with_events = host;
    } else {
        hosts->first_with_events = host;
    }
    hosts->last_with_events = host;
}

/* Whether a host can open connections: it may, or nothing keeps it from it. */
static bool can_connect(const struct bt_host_launch_context *context,
                        const struct bt_host_spec *spec)
{
    return spec->allow_net || !context->use.seccomp;
}

/* Hosts that can open connections are announced before the first of them starts. */
static enum bt_status announce_net(struct bt_host_pool *hosts, struct bt_error *error)
{
    if (hosts->net_mark_fd >= 0 || hosts->options.start) {
        return BT_OK;
    }
    BT_TRY(bt_net_mark_set(&hosts->net_mark_fd, error));
    hosts->net_mark_from = bt_host_pool_now(hosts) + BT_NET_MARK_LEAD_MS;
    return BT_OK;
}

enum bt_status bt_host_pool_add(struct bt_host_pool *hosts,
                                const struct bt_host_launch_context *context,
                                const struct bt_host_spec *spec,
                                const struct bt_host_options *options, bt_host_id *out,
                                struct bt_error *error)
{
    assert(options->in_flight_max > 0);
    assert(options->in_flight_max <= BT_IN_FLIGHT_MAX);
    if (can_connect(context, spec)) {
        BT_TRY(announce_net(hosts, error));
    }
    struct bt_host *host = grow_arrays(hosts) ? calloc(1, sizeof(*host)) : NULL;
    if (!host) {
        return bt_error_set(error, BT_ENOMEM, "no memory for another host");
    }
    bt_arena_init(&host->arena, LAUNCH_BYTES_MAX);
    const enum bt_status status =
        bt_host_launch_make(&host->arena, context, spec, options->work, &host->launch, error);
    if (status != BT_OK) {
        bt_arena_free(&host->arena);
        free(host);
        return status;
    }
    host->id = (bt_host_id)hosts->count;
    host->once = options->once;
    host->in_flight_max = options->in_flight_max;
    host->process = (struct bt_host_process)BT_PROCESS_NONE;
    host->phase = BT_PHASE_WAITING;
    host->times.start_ms = can_connect(context, spec) ? hosts->net_mark_from : 0;
    host->ending.reason = "";
    hosts->hosts[hosts->count++].host = host;
    push_host(hosts, host);
    *out = host->id;
    return BT_OK;
}

void bt_host_pool_remove(struct bt_host_pool *hosts, bt_host_id id)
{
    struct bt_host *host = host_at(hosts, id);
    struct bt_host **link = &hosts->first_with_events;
    struct bt_host *last = NULL;
    while (*link) { /* bounded by the number of hosts */
        if (*link == host) {
            *link = host->links.next_with_events;
            continue;
        }
        last = *link;
        link = &(*link)->links.next_with_events;
    }
    hosts->last_with_events = last;
    link = &hosts->active_hosts;
    while (*link && *link != host) { /* ends with the list */
        link = &(*link)->links.next_active;
    }
    *link = *link ? host->links.next_active : NULL;
    bt_host_timer_set(&hosts->timers, host, BT_NEVER);
    hosts->hosts[id].host = NULL;
    end_host(hosts, host);
}

struct bt_host_view bt_host_get_view(const struct bt_host_pool *hosts, bt_host_id id)
{
    static const enum bt_host_state of_session[] = {
        [BT_SESSION_CLOSED] = BT_HOST_LEAVING,  [BT_SESSION_START] = BT_HOST_STARTING,
        [BT_SESSION_HELD] = BT_HOST_STARTING,   [BT_SESSION_OPEN] = BT_HOST_READY,
        [BT_SESSION_LEAVING] = BT_HOST_LEAVING, [BT_SESSION_DRAIN] = BT_HOST_LEAVING,
    };
    const struct bt_host *host = host_at(hosts, id);
    struct bt_host_view view = {.restarts = host->times.restarts, .pid = host->process.pid};
    switch (host->phase) {
    case BT_PHASE_OFF:
        view.state = BT_HOST_STOPPED;
        break;
    case BT_PHASE_WAITING:
        view.state = host->times.restarts > 0 ? BT_HOST_BACKOFF : BT_HOST_STARTING;
        break;
    case BT_PHASE_RUNNING:
        view.state = of_session[host->session.state];
        view.in_flight = host->session.in_flight;
        break;
    case BT_PHASE_CLOSING:
    case BT_PHASE_DYING:
    case BT_PHASE_REPORTING:
        view.state = host->stop ? BT_HOST_LEAVING : BT_HOST_BACKOFF;
        break;
    }
    return view;
}

int bt_host_pool_fd(const struct bt_host_pool *hosts)
{
    return hosts->epoll_fd;
}

enum bt_status bt_host_pool_watch_fd(struct bt_host_pool *hosts, int fd, struct bt_error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = NULL}};
    return epoll_ctl(hosts->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0
               ? BT_OK
               : bt_error_errno(error, "cannot watch a descriptor", NULL);
}

uint64_t bt_host_pool_due_ms(const struct bt_host_pool *hosts)
{
    uint64_t due = hosts->timers.count > 0 ? hosts->timers.items[0].due_ms : BT_NEVER;
    for (const struct bt_host *host = hosts->active_hosts; host; host = host->links.next_active) {
        const uint64_t other = bt_host_due(host);
        due = other < due ? other : due;
    }
    const uint64_t now = bt_host_pool_now(hosts);
    return due == BT_NEVER ? BT_NEVER : due > now ? due - now : 0;
}

static uint32_t wait_time(const struct bt_host_pool *hosts, uint32_t wait_ms)
{
    if (hosts->first_with_events || wait_ms == 0) {
        return 0;
    }
    const uint64_t due = bt_host_pool_due_ms(hosts);
    return due < wait_ms ? (uint32_t)due : wait_ms;
}

/* Send what is unsent, and note when each is due: only of hosts with which something was done. */
static void update_marked_hosts(struct bt_host_pool *hosts)
{
    while (hosts->active_hosts) {
        struct bt_host *host = hosts->active_hosts;
        hosts->active_hosts = host->links.next_active;
        host->links.is_active = false;
        bt_host_send(hosts, host);
        bt_host_timer_set(&hosts->timers, host, bt_host_due(host));
    }
}

static void wake_due(struct bt_host_pool *hosts)
{
    const uint64_t now = bt_host_pool_now(hosts);
    while (hosts->timers.count > 0 && hosts->timers.items[0].due_ms <= now) {
        struct bt_host *host = hosts->timers.items[0].host;
        bt_host_timer_set(&hosts->timers, host, BT_NEVER);
        push_host(hosts, host);
    }
}

enum bt_status bt_host_pool_wait(struct bt_host_pool *hosts, uint32_t wait_ms,
                                 struct bt_error *error)
{
    struct epoll_event events[EVENTS_MAX];
    update_marked_hosts(hosts);
    const uint32_t most = wait_ms < INT32_MAX ? wait_ms : INT32_MAX;
    const int count = epoll_wait(hosts->epoll_fd, events, EVENTS_MAX, (int)wait_time(hosts, most));
    if (count < 0 && errno != EINTR) {
        return bt_error_errno(error, "cannot wait for hosts", NULL);
    }
    for (int i = 0; i < count; i++) {
        struct bt_host *host = events[i].data.ptr;
        if (host &&
            !host->links.is_queued) { /* it has up to three descriptors; one reading is enough */
            bt_host_receive(host);
            push_host(hosts, host);
        }
    }
    wake_due(hosts);
    return BT_OK;
}

bool bt_host_pool_next(struct bt_host_pool *hosts, struct bt_host_event *out)
{
    while (hosts->first_with_events) { /* each round ends with an event or with one host fewer */
        struct bt_host *host = hosts->first_with_events;
        if (bt_host_next(hosts, host, out)) {
            return true;
        }
        hosts->first_with_events = host->links.next_with_events;
        if (!hosts->first_with_events) {
            hosts->last_with_events = NULL;
        }
        host->links.is_queued = false;
        mark_for_update(hosts, host);
    }
    return false;
}

/* The conversation of a host, or NULL when there is none to talk in. */
static struct bt_host_channel *session_of(const struct bt_host_pool *hosts, bt_host_id id)
{
    struct bt_host *host = host_at(hosts, id);
    return host->phase == BT_PHASE_RUNNING ? &host->session : NULL;
}

enum bt_status bt_host_ready(struct bt_host_pool *hosts, bt_host_id id, bt_str config,
                             const bt_str *prompt)
{
    struct bt_host_channel *session = session_of(hosts, id);
    if (!session || session->state != BT_SESSION_HELD) {
        return BT_OK; /* it died meanwhile, and that will be told */
    }
    struct bt_buf text;
    struct bt_emit emit;
    bt_buf_init(&text, BT_FRAME_BODY_MAX);
    bt_emit_init(&emit, &text, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "protocol", 1);
    bt_emit_member_u64(&emit, "max_body", BT_FRAME_BODY_MAX);
    bt_emit_member_u64(&emit, "max_in_flight", session->in_flight_max);
    bt_emit_member_raw(&emit, "config", config);
    if (prompt) {
        bt_emit_member_string(&emit, "prompt", *prompt);
    }
    bt_emit_end(&emit);
    const enum bt_status status = text.status;
    if (status == BT_OK) {
        bt_host_channel_send_ready(session, bt_buf_str(&text));
        push_host(hosts, host_at(hosts, id));
    }
    bt_buf_free(&text);
    return status;
}

uint32_t bt_host_free_slots(const struct bt_host_pool *hosts, bt_host_id id)
{
    const struct bt_host_channel *session = session_of(hosts, id);
    return session ? bt_host_channel_free_slots(session) : 0;
}

enum bt_status bt_host_call(struct bt_host_pool *hosts, bt_host_id id,
                            const struct bt_host_request *request)
{
    struct bt_host_channel *session = session_of(hosts, id);
    const struct bt_host_channel_request call = {
        .id = request->call,
        .thread_id = request->thread_id,
        .own_name = request->own_name,
        .payload = request->payload,
        .due_ms = bt_host_pool_now(hosts) + request->timeout_ms,
        .document = request->document,
    };
    mark_for_update(hosts, host_at(hosts, id));
    return session ? bt_host_channel_call(session, &call) : BT_ELIMIT;
}

bool bt_host_cancel(struct bt_host_pool *hosts, bt_host_id id, uint64_t call)
{
    struct bt_host_channel *session = session_of(hosts, id);
    mark_for_update(hosts, host_at(hosts, id));
    return session && bt_host_channel_cancel(session, call, bt_host_pool_now(hosts));
}

void bt_host_stop(struct bt_host_pool *hosts, bt_host_id id)
{
    struct bt_host *host = host_at(hosts, id);
    struct bt_host_channel *session = session_of(hosts, id);
    host->stop = true;
    if (session && (session->state == BT_SESSION_OPEN || session->state == BT_SESSION_HELD)) {
        bt_host_channel_send_bye(session, bt_host_pool_now(hosts));
    } else if (session && session->state == BT_SESSION_START) {
        bt_host_kill(hosts, id, false); /* no process can receive BYE yet */
    } else if (host->phase == BT_PHASE_WAITING) {
        host->phase = BT_PHASE_REPORTING;
    }
    push_host(hosts, host);
}

void bt_host_kill(struct bt_host_pool *hosts, bt_host_id id, bool restart)
{
    struct bt_host *host = host_at(hosts, id);
    host->stop = host->stop || !restart;
    if (host->phase == BT_PHASE_WAITING && host->stop) {
        host->phase = BT_PHASE_REPORTING;
    }
    if (host->phase == BT_PHASE_RUNNING || host->phase == BT_PHASE_CLOSING) {
        bt_host_begin_stop(host, "it was killed");
    }
    push_host(hosts, host);
}
