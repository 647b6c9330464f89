/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bus.c - the bus: one visitor for each connection, its frames, and what is delivered to it.
 *
 * Frames are not taken while the pump has no room, while much is unsaid, or after a mistake; so
 * whoever sends too fast waits, and nobody else does.
 */
#define _GNU_SOURCE /* accept4(), struct ucred */
#include "door/bus.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door/address.h"
#include "door/door.h"
#include "door/tls.h"
#include "door/visit.h"

enum {
    VISITORS_MAX = 1024,
    STRANGERS_MAX = 64, /* that have not said who they are */
    ACCEPTS_AT_ONCE = 16,
    FRAMES_AT_ONCE = 64, /* then others have their turn */
    READ_BYTES = 65536,
    HELLO_MS = 10000, /* to say who one is */
    FAILED_MS = 1000, /* before the door is shut in silence */
    FRAME_MS = 60000, /* from the first byte of a frame to its end */
    TAKE_MS = 60000,  /* without a byte taken */
};

struct bt_bus_listener {
    struct bt_post post;
    int fd;
    bool is_local;
    char path[PATH_MAX]; /* of a Unix socket */
};

/* ---- Coming and going ------------------------------------------------------------------------ */

static void let_go(struct bt_door *door, struct bt_visitor *visitor)
{
    struct bt_visitor **at = &door->bus.first;
    while (*at != visitor) { /* bounded by those who are connected */
        at = &(*at)->next;
    }
    *at = visitor->next;
    bt_visit_end(door, visitor);
    bt_door_unwatch(door, visitor->wire.fd);
    bt_wire_free(&visitor->wire);
    bt_pool_give(&door->bus.pool, visitor);
}

/* A stranger who has waited longest makes room; those who are known are not sent away. */
static bool make_room(struct bt_door *door)
{
    struct bt_visitor *oldest = NULL;
    size_t count = 0;
    size_t strangers = 0;
    for (struct bt_visitor *at = door->bus.first; at; at = at->next) {
        const bool is_stranger = at->state != BT_VISITOR_KNOWN && !at->wire.is_broken;
        count++;
        strangers += is_stranger;
        oldest = is_stranger ? at : oldest; /* the newest come first */
    }
    if (strangers >= STRANGERS_MAX && oldest) {
        oldest->wire.is_broken = true;
    }
    return count < VISITORS_MAX;
}

static void visitor_ready(struct bt_door *door, struct bt_post *post, uint32_t events)
{
    struct bt_visitor *visitor = (struct bt_visitor *)post;
    (void)door;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) || visitor->wire.wants_writing) {
        visitor->wire.is_unread = true;
    }
}

/* Whose connection it is, as far as the system knows. */
static bool look_at(int fd, bool is_local, struct bt_visitor *out)
{
    if (is_local) {
        struct ucred peer;
        socklen_t size = sizeof(peer);
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
            return false;
        }
        out->uid = peer.uid;
        (void)snprintf(out->address, sizeof(out->address), "uid %" PRIu64, out->uid);
        return true;
    }
    struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof(name);
    const int yes = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (getpeername(fd, (struct sockaddr *)&name, &size) != 0) {
        return false;
    }
    const void *address = name.ss_family == AF_INET6
                              ? (const void *)&((struct sockaddr_in6 *)&name)->sin6_addr
                              : (const void *)&((struct sockaddr_in *)&name)->sin_addr;
    return inet_ntop(name.ss_family, address, out->address, sizeof(out->address)) != NULL;
}

static void welcome(struct bt_door *door, int fd, bool is_local)
{
    struct bt_visitor *visitor = make_room(door) ? bt_pool_take(&door->bus.pool) : NULL;
    if (!visitor) {
        (void)close(fd);
        return;
    }
    bt_visit_begin(visitor, fd, door->now_ms);
    visitor->post.ready = visitor_ready;
    visitor->is_local = is_local;
    visitor->next = door->bus.first;
    door->bus.first = visitor;
    if (!look_at(fd, is_local, visitor) ||
        bt_guard_is_blocked(&door->bus.guard, visitor->address, door->now_ms) ||
        (!is_local && door->bus.tls && !bt_tls_accept(door->bus.tls, &visitor->wire)) ||
        !bt_door_watch(door, fd, &visitor->post, EPOLLIN) || !bt_visit_challenge(door, visitor)) {
        let_go(door, visitor);
    }
}

static void listener_ready(struct bt_door *door, struct bt_post *post, uint32_t events)
{
    const struct bt_bus_listener *listener = (const struct bt_bus_listener *)post;
    (void)events;
    for (size_t i = 0; i < ACCEPTS_AT_ONCE; i++) {
        const int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        welcome(door, fd, listener->is_local);
    }
}

/* ---- Opening --------------------------------------------------------------------------------- */

static enum bt_status place(struct bt_door *door, bt_str name, char out[PATH_MAX],
                            struct bt_error *error)
{
    const bt_str root = door->pump->world.root;
    const int size = snprintf(out, PATH_MAX, "%.*s/%.*s", BT_STR_ARG(root), BT_STR_ARG(name));
    return size > 0 && size < PATH_MAX ? BT_OK : bt_fail(error, BT_EINVAL, "a path is too long");
}

static enum bt_status make_folder(const char *path, struct bt_error *error)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    *strrchr(folder, '/') = '\0'; /* it begins with one */
    return bt_pump_make_folders(folder, 0755, error);
}

static enum bt_status watch(struct bt_door *door, struct bt_bus_listener *listener,
                            struct bt_error *error)
{
    listener->post.ready = listener_ready;
    return bt_door_watch(door, listener->fd, &listener->post, EPOLLIN)
               ? BT_OK
               : bt_fail(error, BT_EIO, "cannot watch the bus");
}

static enum bt_status open_local(struct bt_door *door, struct bt_error *error)
{
    const struct bt_yaml_node *node = bt_node_get(door->pump->organism->root, "organism");
    const bt_str named = bt_node_text(node, "socket");
    struct bt_bus_listener *listener = BT_NEW(&door->memory, struct bt_bus_listener);
    if (!listener) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    listener->is_local = true;
    BT_TRY(place(door, named.len > 0 ? named : BT_STR(".baton/bus.sock"), listener->path, error));
    BT_TRY(make_folder(listener->path, error));
    BT_TRY(bt_unix_listen(listener->path, 0666, &listener->fd, error));
    door->bus.local = listener;
    return watch(door, listener, error);
}

static enum bt_status open_tls(struct bt_door *door, const struct bt_yaml_node *tls,
                               struct bt_error *error)
{
    char certificate[PATH_MAX];
    char key[PATH_MAX];
    if (!tls) {
        return BT_OK;
    }
    BT_TRY(place(door, bt_node_text(tls, "cert"), certificate, error));
    BT_TRY(place(door, bt_node_text(tls, "key"), key, error));
    return bt_tls_server(certificate, key, &door->bus.tls, error);
}

static enum bt_status open_network(struct bt_door *door, struct bt_error *error)
{
    const struct bt_yaml_node *node = bt_node_get(door->pump->organism->root, "organism");
    const bt_str bind = bt_node_text(node, "bind");
    int64_t port = 0;
    char address[64];
    (void)bt_node_integer(bt_node_get(node, "port"), &port);
    if (port == 0) {
        return BT_OK;
    }
    struct bt_bus_listener *listener = BT_NEW(&door->memory, struct bt_bus_listener);
    if (!listener) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    (void)snprintf(address, sizeof(address), "%.*s",
                   BT_STR_ARG(bind.len > 0 ? bind : BT_STR("127.0.0.1")));
    BT_TRY(open_tls(door, bt_node_get(node, "tls"), error));
    BT_TRY(bt_tcp_listen(address, (uint16_t)port, &listener->fd, error));
    door->bus.network = listener;
    return watch(door, listener, error);
}

enum bt_status bt_bus_begin(struct bt_door *door, struct bt_error *error)
{
    bt_pool_init(&door->bus.pool, &door->memory, sizeof(struct bt_visitor));
    BT_TRY(open_local(door, error));
    return open_network(door, error);
}

static void close_listener(struct bt_bus_listener *listener)
{
    if (listener) {
        if (listener->is_local) {
            (void)unlink(listener->path);
        }
        (void)close(listener->fd);
    }
}

void bt_bus_end(struct bt_door *door)
{
    while (door->bus.first) {
        let_go(door, door->bus.first);
    }
    close_listener(door->bus.local);
    close_listener(door->bus.network);
    bt_tls_free(door->bus.tls);
}

/* ---- Hearing and speaking -------------------------------------------------------------------- */

static void take_frames(struct bt_door *door, struct bt_visitor *visitor)
{
    size_t frames = 0;
    while (frames < FRAMES_AT_ONCE && door->status == BT_OK && bt_visit_hear(door, visitor)) {
        frames++;
    }
    door->pump->is_hurried = door->pump->is_hurried || frames == FRAMES_AT_ONCE;
}

void bt_bus_hear(struct bt_door *door)
{
    for (struct bt_visitor *at = door->bus.first; at; at = at->next) {
        if (at->wire.is_unread && !at->wire.is_broken && bt_visit_is_heard(door, at)) {
            bt_wire_read(&at->wire, READ_BYTES);
            door->pump->is_hurried = door->pump->is_hurried || at->wire.is_unread;
        }
        take_frames(door, at);
    }
}

/* How long a visitor may take, given what is waited for. */
static uint64_t patience(const struct bt_visitor *visitor)
{
    switch (visitor->waiting) {
    case BT_VISITOR_HELLO:
        return HELLO_MS;
    case BT_VISITOR_SHUT:
        return FAILED_MS;
    case BT_VISITOR_TAKING:
        return TAKE_MS;
    case BT_VISITOR_FRAME:
        return FRAME_MS;
    case BT_VISITOR_NOTHING:
        break;
    }
    return UINT64_MAX;
}

static void rewatch(struct bt_door *door, struct bt_visitor *visitor)
{
    const bool is_writing = bt_wire_unsaid(&visitor->wire) > 0 || visitor->wire.wants_writing;
    const bool is_reading = bt_visit_is_heard(door, visitor) && !visitor->wire.is_unread;
    bt_door_rewatch(door, visitor->wire.fd, &visitor->post,
                    (is_reading ? EPOLLIN : 0) | (is_writing ? EPOLLOUT : 0));
}

void bt_bus_speak(struct bt_door *door)
{
    struct bt_visitor *next = NULL;
    for (struct bt_visitor *at = door->bus.first; at; at = next) {
        next = at->next;
        bt_visit_speak(door, at);
        const bool is_said = bt_wire_unsaid(&at->wire) == 0;
        const bool is_late = door->now_ms - at->waiting_ms >= patience(at);
        if (at->wire.is_broken || is_late || (at->is_leaving && is_said)) {
            let_go(door, at);
        } else {
            rewatch(door, at);
        }
    }
}
