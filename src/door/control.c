/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - the control channel: a Unix socket, the uid of whoever connects, lines of JSON-RPC.
 *
 * An operator is heard again only when the last answer is gone, so nobody can make the pump hold
 * more than one answer and one line for him.
 */
#define _GNU_SOURCE /* accept4(), struct ucred */
#include "pump/control.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door/address.h"
#include "door/door.h"
#include "door/wire.h"

enum {
    OPERATORS_MAX = 64,
    LINE_BYTES_MAX = 1 << 20,
    ANSWER_BYTES_MAX = 1 << 27,
    BEHIND_BYTES_MAX = 1 << 20, /* a listener to events that is further behind is let go */
    READ_BYTES = 65536,
    LINES_AT_ONCE = 32, /* then others have their turn */
    ACCEPTS_AT_ONCE = 16,
};

/* What an operator is waited for, and how long. */
enum waiting { FOR_A_WORD = 0, FOR_A_LINE, FOR_TAKING };
static const uint64_t patience_ms[] = {
    [FOR_A_WORD] = 600000, /* without a word */
    [FOR_A_LINE] = 10000,  /* from the first byte of a line to its end */
    [FOR_TAKING] = 30000,  /* without a byte of the answer taken */
};

struct bt_operator {
    struct bt_post post; /* first, so that the one is the other */
    struct bt_wire wire;
    uint64_t uid;
    uint64_t heard_ms;
    enum waiting waiting;
    uint64_t waiting_ms; /* since when */
    bool has_events;
    uint64_t events_after;
    bool is_leaving; /* when the answer is gone */
    uint64_t ticket; /* of the answer that comes later; 0: none does */
    struct bt_operator *next;
};

struct bt_control_listener {
    struct bt_post post;
    int fd;
    char path[PATH_MAX];
};

/* ---- Who may ask ----------------------------------------------------------------------------- */

static bool is_admin(const struct bt_organism *organism, uint64_t uid)
{
    const struct bt_yaml_node *uids = bt_node_get(bt_node_get(organism->root, "oob"), "admin_uids");
    for (size_t i = 0; uids && i < uids->count; i++) {
        int64_t number;
        if (bt_node_integer(&uids->items[i], &number) && (uint64_t)number == uid) {
            return true;
        }
    }
    return !uids && uid == geteuid();
}

static void tell_denied(struct bt_pump *pump, uint64_t uid)
{
    char params[48];
    const int size = snprintf(params, sizeof(params), "{\"uid\":%" PRIu64 "}", uid);
    const struct bt_pump_event event = {.rule = bt_pump_rule("PUMP_OOB_DENIED"),
                                        .security = true,
                                        .pointer = BT_STR(""),
                                        .listener = BT_STR(""),
                                        .params = {params, (size_t)size}};
    bt_pump_tell(pump, &event);
}

/* ---- Coming and going ------------------------------------------------------------------------ */

/* Only while nothing that happened is still to be told to anybody. */
static void let_go(struct bt_door *door, struct bt_operator *operator)
{
    struct bt_operator **at = &door->control.first;
    while (*at != operator) { /* bounded by those who are connected */
        at = &(*at)->next;
    }
    *at = operator->next;
    bt_door_unwatch(door, operator->wire.fd);
    bt_wire_free(&operator->wire);
    bt_pool_give(&door->control.pool, operator);
}

/* Whoever has been silent for longest makes room for somebody new; he goes with the next words. */
static bool make_room(struct bt_door *door)
{
    struct bt_operator *oldest = NULL;
    size_t count = 0;
    for (struct bt_operator *at = door->control.first; at; at = at->next) {
        const bool is_idle = bt_wire_unsaid(&at->wire) == 0 && !at->has_events;
        count += !at->wire.is_broken;
        if (is_idle && !at->wire.is_broken && (!oldest || at->heard_ms <= oldest->heard_ms)) {
            oldest = at;
        }
    }
    if (count >= OPERATORS_MAX && oldest) {
        oldest->wire.is_broken = true;
    }
    return count < OPERATORS_MAX || oldest;
}

static void operator_ready(struct bt_door *door, struct bt_post *post, uint32_t events);

static void welcome(struct bt_door *door, int fd, uint64_t uid)
{
    struct bt_operator *operator= make_room(door) ? bt_pool_take(&door->control.pool) : NULL;
    if (!operator) {
        (void)close(fd);
        return;
    }
    bt_wire_init(&operator->wire, fd, LINE_BYTES_MAX + 1, ANSWER_BYTES_MAX);
    operator->post.ready = operator_ready;
    operator->uid = uid;
    operator->heard_ms = door->now_ms;
    operator->waiting_ms = door->now_ms;
    operator->next = door->control.first;
    door->control.first = operator;
    if (!bt_door_watch(door, fd, &operator->post, EPOLLIN)) {
        let_go(door, operator);
    }
}

static void listener_ready(struct bt_door *door, struct bt_post *post, uint32_t events)
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
        if (is_known && is_admin(door->pump->organism, peer.uid)) {
            welcome(door, fd, peer.uid);
        } else {
            tell_denied(door->pump, peer.uid);
            (void)close(fd);
        }
    }
}

enum bt_status bt_control_begin(struct bt_door *door, struct bt_error *error)
{
    bt_str path;
    BT_TRY(bt_pump_socket(door->pump->organism, &door->arena, &path));
    if (path.len == 0) {
        return BT_OK;
    }
    struct bt_control_listener *listener = BT_NEW(&door->memory, struct bt_control_listener);
    if (!listener) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    listener->post.ready = listener_ready;
    (void)snprintf(listener->path, sizeof(listener->path), "%.*s", BT_STR_ARG(path));
    BT_TRY(bt_unix_listen(listener->path, 0600, &listener->fd, error));
    bt_pool_init(&door->control.pool, &door->memory, sizeof(struct bt_operator));
    door->control.listener = listener;
    return bt_door_watch(door, listener->fd, &listener->post, EPOLLIN)
               ? BT_OK
               : bt_fail(error, BT_EIO, "cannot watch %s", listener->path);
}

void bt_control_end(struct bt_door *door)
{
    struct bt_control_listener *listener = door->control.listener;
    while (door->control.first) {
        let_go(door, door->control.first);
    }
    if (listener) {
        (void)unlink(listener->path);
        (void)close(listener->fd);
        door->control.listener = NULL;
    }
}

/* ---- Hearing --------------------------------------------------------------------------------- */

/* Whether another line may be taken now. */
static bool is_heard(const struct bt_operator *operator)
{
    return bt_wire_unsaid(&operator->wire) == 0 &&
           !operator->is_leaving && !operator->wire.is_broken && !operator->has_events;
}

static void operator_ready(struct bt_door *door, struct bt_post *post, uint32_t events)
{
    struct bt_operator *operator=(struct bt_operator *) post;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        bt_wire_read(&operator->wire, READ_BYTES);
        operator->heard_ms = door->now_ms;
    }
    if (operator->has_events && operator->wire.is_ended) {
        operator->is_leaving = true;
    }
}

static enum bt_status take_line(struct bt_door *door, struct bt_operator *operator, bt_str text)
{
    const struct bt_control_line line = {text, operator->uid };
    struct bt_control_heard heard = {.wants_events = false};
    BT_TRY(bt_pump_hear_line(door->pump, &door->arena, &line, &operator->wire.out, &heard));
    operator->ticket = heard.ticket;
    if (heard.wants_events) {
        operator->has_events = true;
        operator->events_after = heard.events_after;
    }
    return BT_OK;
}

/* Take lines while answers are short. True: there may be more. */
static bool take_lines(struct bt_door *door, struct bt_operator *operator)
{
    for (size_t i = 0; i < LINES_AT_ONCE; i++) {
        const bt_str heard = bt_wire_heard(&operator->wire);
        const size_t end = bt_str_find(heard, '\n', 0);
        const bool is_too_long = end > LINE_BYTES_MAX; /* whatever it is: that is the answer */
        if (end == heard.len && !is_too_long) {
            operator->is_leaving = operator->is_leaving || operator->wire.is_ended;
            return false;
        }
        if (bt_wire_unsaid(&operator->wire) > READ_BYTES || operator->has_events ||
                                                            operator->ticket> 0) {
            return false;
        }
        bt_str line;
        enum bt_status status = bt_arena_copy(&door->arena, bt_str_slice(heard, 0, end), &line);
        operator->wire.in_done += is_too_long ? heard.len : end + 1;
        operator->is_leaving = operator->is_leaving || is_too_long;
        operator->waiting_ms = door->now_ms;
        status = status == BT_OK ? take_line(door, operator, line) : status;
        if (operator->wire.out.status != BT_OK) {
            operator->wire.is_broken = true; /* no memory for the answer: it is not cut short */
            return false;
        }
        if (status != BT_OK) {
            door->status = status;
            return false;
        }
    }
    return true;
}

/* An answer that came later goes to whoever holds its ticket, if he is still there. */
static enum bt_status go_on(struct bt_door *door)
{
    struct bt_buf answer;
    uint64_t ticket = 0;
    bt_buf_init(&answer, ANSWER_BYTES_MAX);
    const enum bt_status status = bt_pump_go_on(door->pump, &door->arena, &answer, &ticket);
    for (struct bt_operator *at = door->control.first; ticket > 0 && at; at = at->next) {
        if (at->ticket == ticket) {
            at->ticket = 0;
            bt_buf_put(&at->wire.out, bt_buf_str(&answer));
        }
    }
    bt_buf_free(&answer);
    return status;
}

void bt_control_hear(struct bt_door *door)
{
    door->status = go_on(door);
    for (struct bt_operator *at = door->control.first; at && door->status == BT_OK; at = at->next) {
        if (is_heard(at) && take_lines(door, at)) {
            door->pump->is_hurried = true;
        }
    }
}

/* ---- Speaking -------------------------------------------------------------------------------- */

static void say(struct bt_door *door, struct bt_operator *operator)
{
    const size_t before = bt_wire_unsaid(&operator->wire);
    if (operator->has_events) {
        bt_event_ring_put(&door->events, &operator->events_after, (size_t)2 * BEHIND_BYTES_MAX,
                          &operator->wire.out);
    }
    bt_wire_write(&operator->wire);
    const size_t after = bt_wire_unsaid(&operator->wire);
    const enum waiting waiting = after > 0                                ? FOR_TAKING
                                 : bt_wire_heard(&operator->wire).len > 0 ? FOR_A_LINE
                                                                          : FOR_A_WORD;
    if (waiting != operator->waiting ||(waiting == FOR_TAKING && after < before)) {
        operator->waiting = waiting;
        operator->waiting_ms = door->now_ms;
    }
    if (operator->has_events && after> BEHIND_BYTES_MAX) {
        operator->wire.is_broken = true;
    }
}

static bool is_late(const struct bt_door *door, const struct bt_operator *operator)
{
    return door->now_ms - operator->waiting_ms >= patience_ms[operator->waiting] &&(
                              !operator->has_events || operator->waiting == FOR_TAKING);
}

static void rewatch(struct bt_door *door, struct bt_operator *operator)
{
    const bool is_wanted = (is_heard(operator) || operator->has_events) && !operator->wire.is_ended;
    const uint32_t events =
        (is_wanted ? EPOLLIN : 0) | (bt_wire_unsaid(&operator->wire) > 0 ? EPOLLOUT : 0);
    bt_door_rewatch(door, operator->wire.fd, &operator->post, events);
}

void bt_control_speak(struct bt_door *door)
{
    struct bt_operator *next = NULL;
    for (struct bt_operator *at = door->control.first; at; at = next) {
        next = at->next;
        say(door, at);
        const bool is_said = bt_wire_unsaid(&at->wire) == 0;
        if (at->wire.is_broken || is_late(door, at) || (at->is_leaving && is_said)) {
            let_go(door, at);
        } else {
            rewatch(door, at);
        }
    }
}
