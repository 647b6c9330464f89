/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_server.c - the control channel: a Unix socket, the uid of the peer, lines of JSON-RPC.
 *
 * The next line of an operator is read only after the last answer was sent, so an operator cannot
 * make the pump hold more than one answer and one line for a connection.
 */
#define _GNU_SOURCE /* accept4(), struct ucred */
#include "pump/control_query.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection.h"
#include "net/socket_address.h"
#include "pump_net/pump_net.h"

enum {
    OPERATORS_MAX = 64,
    LINE_BYTES_MAX = 1 << 20,
    ANSWER_BYTES_MAX = 1 << 27,
    BEHIND_BYTES_MAX = 1 << 20, /* a subscriber that is further behind is disconnected */
    READ_BYTES = 65536,
    LINES_AT_ONCE = 32, /* then other connections are served */
    ACCEPTS_AT_ONCE = 16,
};

/* What a connection waits for, and for how long. */
enum control_wait_reason { FOR_A_WORD = 0, FOR_A_LINE, FOR_TAKING };
static const uint64_t patience_ms[] = {
    [FOR_A_WORD] = 600000, /* without a request */
    [FOR_A_LINE] = 10000,  /* from the first byte of a line to its end */
    [FOR_TAKING] = 30000,  /* without progress in sending the answer */
};

struct bt_control_connection {
    struct bt_pump_net_watch post; /* first, so that the one is the other */
    struct bt_net_connection wire;
    uint64_t uid;
    uint64_t last_received_ms;
    enum control_wait_reason waiting;
    uint64_t waiting_ms; /* since when */
    bool has_events;
    uint64_t events_after;
    bool is_leaving; /* close it when the answer is sent */
    uint64_t ticket; /* of an answer that comes later; 0: none */
    struct bt_control_connection *next;
};

struct bt_control_listener {
    struct bt_pump_net_watch post;
    int fd;
    char path[PATH_MAX];
};

static bool is_admin(const struct bt_organism *organism, uint64_t uid)
{
    const struct bt_yaml_node *uids =
        bt_organism_node_get(bt_organism_node_get(organism->root, "oob"), "admin_uids");
    for (size_t i = 0; uids && i < uids->count; i++) {
        int64_t number;
        if (bt_organism_node_integer(&uids->items[i], &number) && (uint64_t)number == uid) {
            return true;
        }
    }
    return !uids && uid == geteuid();
}

static void notify_denied(struct bt_pump *pump, uint64_t uid)
{
    char params[48];
    const int size = snprintf(params, sizeof(params), "{\"uid\":%" PRIu64 "}", uid);
    const struct bt_pump_event event = {
        .rule = bt_rule_of_dialect(BT_CODE_PUMP_OOB_DENIED, BT_DIALECT_XML),
        .security = true,
        .pointer = BT_STR(""),
        .listener = BT_STR(""),
        .params = {params, (size_t)size}};
    bt_pump_notify_event(pump, &event);
}

/* Close a connection, outside of the handling of events, which may refer to it. */
static void let_go(struct bt_pump_net *net, struct bt_control_connection *operator)
{
    struct bt_control_connection **at = &net->control.first;
    while (*at != operator) { /* bounded by the number of connections */
        at = &(*at)->next;
    }
    *at = operator->next;
    bt_pump_net_unwatch_fd(net, operator->wire.fd);
    bt_net_connection_free(&operator->wire);
    bt_object_pool_release(&net->control.pool, operator);
}

/* The connection that has been silent for longest makes room for a new one; it is closed after
 * its pending output is sent. */
static bool make_room(struct bt_pump_net *net)
{
    struct bt_control_connection *oldest = NULL;
    size_t count = 0;
    for (struct bt_control_connection *at = net->control.first; at; at = at->next) {
        const bool is_idle = bt_net_connection_unsent(&at->wire) == 0 && !at->has_events;
        count += !at->wire.is_broken;
        if (is_idle && !at->wire.is_broken &&
            (!oldest || at->last_received_ms <= oldest->last_received_ms)) {
            oldest = at;
        }
    }
    if (count >= OPERATORS_MAX && oldest) {
        oldest->wire.is_broken = true;
    }
    return count < OPERATORS_MAX || oldest;
}

static void operator_ready(struct bt_pump_net *net, struct bt_pump_net_watch *post,
                           uint32_t events);

static void add_connection(struct bt_pump_net *net, int fd, uint64_t uid)
{
    struct bt_control_connection *operator= make_room(net)
        ? bt_object_pool_acquire(&net->control.pool)
        : NULL;
    if (!operator) {
        (void)close(fd);
        return;
    }
    bt_net_connection_init(&operator->wire, fd, LINE_BYTES_MAX + 1, ANSWER_BYTES_MAX);
    operator->post.ready = operator_ready;
    operator->uid = uid;
    operator->last_received_ms = net->now_ms;
    operator->waiting_ms = net->now_ms;
    operator->next = net->control.first;
    net->control.first = operator;
    if (!bt_pump_net_watch_fd(net, fd, &operator->post, EPOLLIN)) {
        let_go(net, operator);
    }
}

static void listener_ready(struct bt_pump_net *net, struct bt_pump_net_watch *post, uint32_t events)
{
    (void)events;
    const struct bt_control_listener *listener = (const struct bt_control_listener *)post;
    for (size_t i = 0; i < ACCEPTS_AT_ONCE; i++) {
        const int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        struct ucred peer = {.uid = (uid_t)-1};
        socklen_t size = sizeof(peer);
        if (fd < 0) {
            return;
        }
        const bool is_known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
        if (is_known && is_admin(net->pump->organism, peer.uid)) {
            add_connection(net, fd, peer.uid);
        } else {
            notify_denied(net->pump, peer.uid);
            (void)close(fd);
        }
    }
}

enum bt_status bt_control_server_open(struct bt_pump_net *net, struct bt_error *error)
{
    bt_str path;
    BT_TRY(bt_pump_control_path(net->pump->organism, &net->arena, &path));
    if (path.len == 0) {
        return BT_OK;
    }
    struct bt_control_listener *listener = BT_NEW(&net->arena_owner, struct bt_control_listener);
    if (!listener) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    listener->post.ready = listener_ready;
    (void)snprintf(listener->path, sizeof(listener->path), "%.*s", BT_STR_ARG(path));
    BT_TRY(bt_unix_listen(listener->path, 0600, &listener->fd, error));
    bt_object_pool_init(&net->control.pool, &net->arena_owner,
                        sizeof(struct bt_control_connection));
    net->control.listener = listener;
    return bt_pump_net_watch_fd(net, listener->fd, &listener->post, EPOLLIN)
               ? BT_OK
               : bt_error_set(error, BT_EIO, "cannot watch %s", listener->path);
}

void bt_control_server_close(struct bt_pump_net *net)
{
    struct bt_control_listener *listener = net->control.listener;
    while (net->control.first) {
        let_go(net, net->control.first);
    }
    if (listener) {
        (void)unlink(listener->path);
        (void)close(listener->fd);
        net->control.listener = NULL;
    }
}

/* True when another line may be handled now. */
static bool can_take_line(const struct bt_control_connection *operator)
{
    return bt_net_connection_unsent(&operator->wire) == 0 &&
           !operator->is_leaving && !operator->wire.is_broken && !operator->has_events;
}

static void operator_ready(struct bt_pump_net *net, struct bt_pump_net_watch *post, uint32_t events)
{
    struct bt_control_connection *operator=(struct bt_control_connection *) post;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        bt_net_connection_read(&operator->wire, READ_BYTES);
        operator->last_received_ms = net->now_ms;
    }
    if (operator->has_events && operator->wire.peer_has_closed) {
        operator->is_leaving = true;
    }
}

static enum bt_status take_line(struct bt_pump_net *net, struct bt_control_connection *operator,
                                bt_str text)
{
    const struct bt_pump_control_line line = {text, operator->uid };
    struct bt_pump_control_line_result received = {.wants_events = false};
    BT_TRY(
        bt_pump_handle_control_line(net->pump, &net->arena, &line, &operator->wire.out, &received));
    operator->ticket = received.ticket;
    if (received.wants_events) {
        operator->has_events = true;
        operator->events_after = received.events_after;
    }
    return BT_OK;
}

/* Handle lines while little is unsent. True: there may be more. */
static bool take_lines(struct bt_pump_net *net, struct bt_control_connection *operator)
{
    for (size_t i = 0; i < LINES_AT_ONCE; i++) {
        const bt_str received = bt_net_connection_received(&operator->wire);
        const size_t end = bt_str_find_byte(received, '\n', 0);
        const bool is_too_long = end > LINE_BYTES_MAX; /* answered with an error */
        if (end == received.len && !is_too_long) {
            operator->is_leaving = operator->is_leaving || operator->wire.peer_has_closed;
            return false;
        }
        if (bt_net_connection_unsent(&operator->wire) > READ_BYTES ||
            operator->has_events || operator->ticket> 0) {
            return false;
        }
        bt_str line;
        enum bt_status status = bt_arena_copy(&net->arena, bt_str_slice(received, 0, end), &line);
        operator->wire.in_done += is_too_long ? received.len : end + 1;
        operator->is_leaving = operator->is_leaving || is_too_long;
        operator->waiting_ms = net->now_ms;
        status = status == BT_OK ? take_line(net, operator, line) : status;
        if (operator->wire.out.status != BT_OK) {
            operator->wire.is_broken = true; /* no memory for the whole answer, so none is sent */
            return false;
        }
        if (status != BT_OK) {
            net->status = status;
            return false;
        }
    }
    return true;
}

/* Send a deferred answer to the connection that holds its ticket, if it is still open. */
static enum bt_status send_deferred_answer(struct bt_pump_net *net)
{
    struct bt_buf answer;
    uint64_t ticket = 0;
    bt_buf_init(&answer, ANSWER_BYTES_MAX);
    const enum bt_status status = bt_pump_continue_change(net->pump, &net->arena, &answer, &ticket);
    for (struct bt_control_connection *at = net->control.first; ticket > 0 && at; at = at->next) {
        if (at->ticket == ticket) {
            at->ticket = 0;
            bt_buf_put(&at->wire.out, bt_buf_str(&answer));
        }
    }
    bt_buf_free(&answer);
    return status;
}

void bt_control_server_receive(struct bt_pump_net *net)
{
    net->status = send_deferred_answer(net);
    for (struct bt_control_connection *at = net->control.first; at && net->status == BT_OK;
         at = at->next) {
        if (can_take_line(at) && take_lines(net, at)) {
            net->pump->run.has_work = true;
        }
    }
}

static void send_answers(struct bt_pump_net *net, struct bt_control_connection *operator)
{
    const size_t before = bt_net_connection_unsent(&operator->wire);
    if (operator->has_events) {
        bt_pump_event_ring_put(&net->events, &operator->events_after, (size_t)2 * BEHIND_BYTES_MAX,
                               &operator->wire.out);
    }
    bt_net_connection_write(&operator->wire);
    const size_t after = bt_net_connection_unsent(&operator->wire);
    const enum control_wait_reason waiting = after > 0 ? FOR_TAKING
                                             : bt_net_connection_received(&operator->wire).len > 0
                                                 ? FOR_A_LINE
                                                 : FOR_A_WORD;
    if (waiting != operator->waiting ||(waiting == FOR_TAKING && after < before)) {
        operator->waiting = waiting;
        operator->waiting_ms = net->now_ms;
    }
    if (operator->has_events && after> BEHIND_BYTES_MAX) {
        operator->wire.is_broken = true;
    }
}

static bool is_late(const struct bt_pump_net *net, const struct bt_control_connection *operator)
{
    return net->now_ms - operator->waiting_ms >= patience_ms[operator->waiting] &&(
                             !operator->has_events || operator->waiting == FOR_TAKING);
}

static void update_watch(struct bt_pump_net *net, struct bt_control_connection *operator)
{
    const bool is_wanted =
        (can_take_line(operator) || operator->has_events) && !operator->wire.peer_has_closed;
    const uint32_t events =
        (is_wanted ? EPOLLIN : 0) | (bt_net_connection_unsent(&operator->wire) > 0 ? EPOLLOUT : 0);
    bt_pump_net_rewatch_fd(net, operator->wire.fd, &operator->post, events);
}

void bt_control_server_send(struct bt_pump_net *net)
{
    struct bt_control_connection *next = NULL;
    for (struct bt_control_connection *at = net->control.first; at; at = next) {
        next = at->next;
        send_answers(net, at);
        const bool has_sent_all = bt_net_connection_unsent(&at->wire) == 0;
        if (at->wire.is_broken || is_late(net, at) || (at->is_leaving && has_sent_all)) {
            let_go(net, at);
        } else {
            update_watch(net, at);
        }
    }
}
