/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the loop: one thread that owns every connection and waits for none. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "http/http_internal.h"
#include "net/socket_address.h"

enum {
    EVENTS_MAX = 256,
    ACCEPTS_MAX = 64, /* in one iteration, so that others are served too */
    TICK_MS = 250,
    SURPLUS_MAX = 256, /* connections over the limit that get a response */
};

static void name_address(const union bt_socket_address *address, struct http_peer *peer)
{
    if (!bt_socket_address_put_ip(address, peer->address)) {
        memcpy(peer->address, "unix", sizeof("unix"));
    }
}

static bool make_fit(int fd, bool is_unix)
{
    const int on = 1;
    const int flags = fcntl(fd, F_GETFL);
    if (!is_unix) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* True when one more connection is too many; it is counted if not. */
static bool is_surplus(struct http_connection *conn, bool is_unix)
{
    struct http_server *server = conn->server;
    if (!is_unix) {
        conn->address = http_addresses_add(server->addresses, conn->peer.address,
                                           server->limits.connections_per_address);
    }
    return server->counts.conns > server->limits.connections || (!is_unix && !conn->address);
}

static void admit_connection(struct http_server *server, const struct http_listener *listener,
                             int fd, const struct http_peer *peer)
{
    struct http_connection *conn = http_conn_open(server, fd, peer);
    if (!conn) {
        return;
    }
    if (is_surplus(conn, listener->is_unix)) {
        if (server->counts.conns > server->limits.connections + SURPLUS_MAX || server->tls) {
            http_conn_close(conn);
        } else if (http_conn_begin(conn)) {
            http_connection_reject(conn, HTTP_ERROR_OVERLOADED);
            http_connection_continue(conn);
        }
        return;
    }
    if (server->tls && !listener->is_unix) {
        conn->tls = bt_tls_connection_create(server->tls, fd, BT_STR(""));
        if (!conn->tls) {
            http_conn_close(conn);
        }
    }
}

/* Without free descriptors, ready listeners would only keep the loop busy. */
static void set_accepting(struct http_server *server, bool is_accepting)
{
    server->accept_is_paused = !is_accepting;
    for (size_t i = 0; i < server->listener_count; i++) {
        struct epoll_event event = {.events = is_accepting ? EPOLLIN : 0,
                                    .data.ptr = &server->listeners[i]};
        (void)epoll_ctl(server->epoll, EPOLL_CTL_MOD, server->listeners[i].fd, &event);
    }
}

static void accept_some(struct http_server *server, size_t index, size_t count)
{
    const struct http_listener *listener = &server->listeners[index];
    for (size_t i = 0; i < count; i++) {
        union bt_socket_address address = {.any = {.sa_family = AF_UNSPEC}};
        socklen_t length = sizeof(address);
        const int fd = accept(listener->fd, &address.any, &length);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
                set_accepting(server, false);
            }
            return;
        }
        struct http_peer peer = {.listener = index,
                                 .is_local = listener->is_local,
                                 .is_tls = server->tls && !listener->is_unix};
        name_address(&address, &peer);
        if (!make_fit(fd, listener->is_unix)) {
            (void)close(fd);
            continue;
        }
        admit_connection(server, listener, fd, &peer);
    }
}

static void accept_all(struct http_server *server)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        accept_some(server, i, server->limits.connections);
    }
}

static bool watch_fd(struct http_server *server, int fd, void *tag)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = tag};
    return epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static sigset_t our_signals(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    return set;
}

bool http_signals_block(void)
{
    const sigset_t set = our_signals();
    return pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && signal(SIGPIPE, SIG_IGN) != SIG_ERR;
}

/* Signals that stop and reload arrive on a descriptor. */
static int open_signals(void)
{
    const sigset_t set = our_signals();
    return http_signals_block() ? signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC) : -1;
}

static bool open_all(struct http_server *server)
{
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    server->signals = open_signals();
    server->addresses = http_addresses_create();
    bool is_fine = server->epoll >= 0 && server->wake_fd >= 0 && server->signals >= 0 &&
                   server->addresses && watch_fd(server, server->wake_fd, &server->wake_fd) &&
                   watch_fd(server, server->signals, &server->signals);
    for (size_t i = 0; is_fine && i < server->listener_count; i++) {
        is_fine = watch_fd(server, server->listeners[i].fd, &server->listeners[i]);
    }
    return is_fine;
}

struct http_server *http_server_create(const struct http_options *options, struct bt_error *error)
{
    assert(options->listener_count <= HTTP_LISTENERS_MAX);
    struct http_server *server = calloc(1, sizeof(*server));
    if (!server) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    server->limits = options->limits;
    server->tls = options->tls;
    server->listener_count = options->listener_count;
    for (size_t i = 0; i < options->listener_count; i++) {
        server->listeners[i] = options->listeners[i];
    }
    server->scheduled_end = &server->scheduled;
    server->events.end = &server->events.first;
    server->now_ms = bt_clock_monotonic_ms();
    http_wheel_begin(&server->wheel, server->now_ms);
    if (!open_all(server)) {
        (void)bt_error_errno(error, "the system gives no event loop", NULL);
        http_server_destroy(server);
        return NULL;
    }
    if (http_workers_open(server, error) != BT_OK) {
        http_server_destroy(server);
        return NULL;
    }
    return server;
}

static void close_listeners(struct http_server *server)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        (void)close(server->listeners[i].fd);
        server->listeners[i].fd = -1;
    }
    server->listener_count = 0;
}

/* Closed connections are freed after the batch of events, which may still refer to them. */
static void free_closed_connections(struct http_server *server)
{
    while (server->closed) {
        struct http_connection *conn = server->closed;
        server->closed = conn->next;
        free(conn);
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

void http_events_add(struct http_server *server, struct http_job *job, enum http_event_kind kind)
{
    struct http_event_queue *events = &server->events;
    job->event = kind;
    job->next = NULL;
    *events->end = job;
    events->end = &job->next;
    events->count++;
}

/* Give the next one to the application; NULL: there is none. */
static struct http_job *next_event(struct http_event_queue *events)
{
    struct http_job *job = events->first;
    if (job) {
        events->first = job->next;
        events->end = events->first ? events->end : &events->first;
        events->count--;
    }
    events->current = job;
    return job;
}

/* Continue with a job that the application had. */
static void take_back(struct http_server *server)
{
    struct http_job *job = server->events.current;
    server->events.current = NULL;
    if (!job) {
        return;
    }
    if (job->event == HTTP_EVENT_END) {
        http_job_give_back(server, job);
    } else if (job->event == HTTP_EVENT_HEAD) {
        http_connection_take_decision(job->conn);
    } else {
        struct http_connection *conn = job->conn; /* when it is closed, the job loses it */
        http_connection_respond(conn);
        http_connection_continue(conn);
    }
}

struct http_exchange *http_server_end_call(struct http_server *server)
{
    if (!server) {
        return NULL;
    }
    struct http_event_queue *events = &server->events;
    if (events->current && events->current->event == HTTP_EVENT_END) {
        http_job_give_back(server, events->current);
    }
    struct http_job *job = next_event(events);
    while (job || server->conns) {
        if (job && job->event == HTTP_EVENT_END) {
            return &job->call;
        }
        if (!job) {
            http_conn_enter(server->conns, HTTP_LINGERING); /* no worker has it any more */
            http_conn_close(server->conns);
        }
        job = next_event(events);
    }
    return NULL;
}

/* ---- The end --------------------------------------------------------------------------------- */

void http_server_destroy(struct http_server *server)
{
    if (!server) {
        return;
    }
    struct http_exchange *left = http_server_end_call(server);
    assert(!left);
    (void)left;
    close_listeners(server);
    free_closed_connections(server);
    http_jobs_free(server);
    http_addresses_destroy(server->addresses);
    const int fds[] = {server->epoll, server->wake_fd, server->signals};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] > 0) {
            (void)close(fds[i]);
        }
    }
    free(server);
}

void http_server_change(struct http_server *server, const struct http_limits *limits,
                        struct bt_tls_context *tls)
{
    server->limits = *limits;
    server->tls = tls;
}

/* Call a function for every connection, some of which may end by it. */
static void for_each(struct http_server *server, void (*act)(struct http_connection *))
{
    for (struct http_connection *conn = server->conns; conn;) {
        struct http_connection *next = conn->next;
        act(conn);
        conn = next;
    }
}

void http_server_stop(struct http_server *server, uint64_t timeout_ms)
{
    server->stop_ms = server->now_ms + timeout_ms;
    if (!server->is_stopping) {
        accept_all(server); /* connections that came before the end are served */
        server->is_stopping = true;
        close_listeners(server);
        for_each(server, http_conn_stop);
    }
}

struct http_counts http_server_counts(const struct http_server *server)
{
    const size_t idle = server->counts.idle;
    const size_t conns = server->counts.conns;
    return (struct http_counts){.active =
                                    /* one may have ended in between */
                                conns > idle ? conns - idle : 0,
                                .idle = idle,
                                .streams = server->counts.streams};
}

/* The loop was woken: jobs are finished, or http_server_wake() was called. */
static void handle_wakeup(struct http_server *server)
{
    uint64_t rings = 0;
    (void)!read(server->wake_fd, &rings, sizeof(rings));
    if (!atomic_exchange(&server->wake_streams, false)) {
        return;
    }
    server->event.is_due = true;
    if (server->waiting + server->counts.streams > 0) {
        for_each(server, http_conn_wake);
    }
}

static void take_done(struct http_server *server)
{
    struct http_job *job = http_workers_take_done(server);
    while (job) {
        struct http_job *next = job->next;
        http_conn_done(job->conn);
        job = next;
    }
}

static void take_signals(struct http_server *server)
{
    struct signalfd_siginfo info;
    struct http_event *event = &server->event;
    while (event->signal_count < HTTP_SIGNALS_MAX &&
           read(server->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        event->signals[event->signal_count++] = (int)info.ssi_signo;
    }
}

static void take_event(struct http_server *server, const struct epoll_event *event)
{
    const char *tag = event->data.ptr;
    const char *first = (const char *)server->listeners;
    if (tag == (const char *)&server->wake_fd) {
        handle_wakeup(server);
    } else if (tag == (const char *)&server->signals) {
        take_signals(server);
    } else if (tag >= first && tag < first + sizeof(server->listeners)) {
        if (!server->accept_is_paused && !server->is_stopping) {
            accept_some(server, (size_t)(tag - first) / sizeof(struct http_listener), ACCEPTS_MAX);
        }
    } else {
        struct http_connection *conn = event->data.ptr;
        /* To read, TLS may have to write, and vice versa. */
        conn->socket.can_read = conn->socket.can_read || conn->tls ||
                                (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0;
        conn->socket.can_write =
            conn->socket.can_write || conn->tls || (event->events & EPOLLOUT) != 0;
        conn->socket.peer_has_closed =
            conn->socket.peer_has_closed || (event->events & (EPOLLRDHUP | EPOLLHUP)) != 0;
        conn->socket.cannot_write =
            conn->socket.cannot_write || (event->events & (EPOLLERR | EPOLLHUP)) != 0;
        if (!conn->scheduled.link) {
            http_connection_continue(conn);
        }
    }
}

static void abort_connection(struct http_connection *conn)
{
    conn->socket.cannot_write = true;
    if (conn->state != HTTP_RUNNING && conn->state != HTTP_UNDECIDED) {
        http_conn_close(conn);
    }
}

static void take_times(struct http_server *server)
{
    struct http_timer *timer = http_wheel_take(&server->wheel, server->now_ms);
    while (timer) {
        http_conn_due((struct http_connection *)(void *)timer);
        timer = http_wheel_take(&server->wheel, server->now_ms);
    }
    if (server->now_ms >= server->tick_ms) {
        server->tick_ms = server->now_ms + TICK_MS;
        if (server->accept_is_paused) {
            set_accepting(server, true);
        }
        server->event.is_due = true;
    }
    if (server->is_stopping && server->now_ms >= server->stop_ms) {
        for_each(server, abort_connection);
    }
}

/* Wait for a while, and serve. */
static enum bt_status run_turn(struct http_server *server, struct bt_error *error)
{
    struct epoll_event found[EVENTS_MAX];
    struct http_event_queue *events = &server->events;
    server->event =
        (struct http_event){.kind = HTTP_EVENT_TURN,
                            .is_over = server->is_stopping && !server->conns && !events->first};
    if (server->event.is_over) {
        return BT_OK;
    }
    const int wait_ms = server->waiting > 0 || server->is_stopping ? HTTP_SLOT_MS : TICK_MS;
    const bool may_sleep =
        http_workers_prepare_wait(server) && !server->scheduled && !events->first;
    const int count = epoll_wait(server->epoll, found, EVENTS_MAX, may_sleep ? wait_ms : 0);
    http_workers_wake_loop(server);
    if (count < 0 && errno != EINTR) {
        return bt_error_errno(error, "the event loop fails", NULL);
    }
    server->now_ms = bt_clock_monotonic_ms();
    for (int i = 0; i < count; i++) {
        take_event(server, &found[i]);
    }
    http_workers_flush(server);
    take_done(server); /* also without a wake-up: it costs nothing to look */
    http_conns_run_scheduled(server);
    take_times(server);
    return BT_OK;
}

enum bt_status http_server_wait(struct http_server *server, struct http_event *out,
                                struct bt_error *error)
{
    struct http_event_queue *events = &server->events;
    take_back(server);
    if (!events->is_in_turn) {
        BT_TRY(run_turn(server, error));
        events->is_in_turn = true;
        events->left = events->count;
    }
    if (events->left > 0) {
        struct http_job *job = next_event(events);
        events->left--;
        *out = (struct http_event){.kind = job->event, .call = &job->call, .error = job->error};
        return BT_OK;
    }
    http_workers_flush(server);
    free_closed_connections(server);
    events->is_in_turn = false;
    *out = server->event;
    return BT_OK;
}
