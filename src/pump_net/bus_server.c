/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bus_server.c - the bus: one client for each connection, its frames, and what is delivered to it.
 *
 * Frames are not read while the pump has no room, while much output is pending, or after an error;
 * so a client that sends too fast waits, and no other client does.
 */
#define _GNU_SOURCE /* accept4(), struct ucred */
#include "pump_net/bus_server.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/socket_address.h"
#include "pump_net/bus_connection.h"
#include "pump_net/pump_net.h"

enum {
    BACKLOG = 128,
    VISITORS_MAX = 1024,
    STRANGERS_MAX = 64, /* connections that are not authenticated */
    ACCEPTS_AT_ONCE = 16,
    FRAMES_AT_ONCE = 64, /* then other connections are served */
    READ_BYTES = 65536,
    HELLO_MS = 10000, /* until HELLO */
    FAILED_MS = 1000, /* before a failed connection is closed without an answer */
    FRAME_MS = 60000, /* from the first byte of a frame to its end */
    TAKE_MS = 60000,  /* without progress in sending */
};

struct bt_bus_listener {
    struct bt_pump_net_watch post;
    int fd;
    bool is_local;
    char path[PATH_MAX]; /* of a Unix socket */
};

static void let_go(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    struct bt_bus_connection **at = &net->bus.first;
    while (*at != connection) { /* bounded by the number of connections */
        at = &(*at)->next;
    }
    *at = connection->next;
    bt_bus_connection_close(net, connection);
    bt_pump_net_unwatch_fd(net, connection->wire.fd);
    bt_net_connection_free(&connection->wire);
    bt_object_pool_release(&net->bus.pool, connection);
}

/* The unauthenticated connection that has waited longest makes room; authenticated ones stay. */
static bool make_room(struct bt_pump_net *net)
{
    struct bt_bus_connection *oldest = NULL;
    size_t count = 0;
    size_t strangers = 0;
    for (struct bt_bus_connection *at = net->bus.first; at; at = at->next) {
        const bool is_stranger =
            at->state != BT_BUS_CONNECTION_STATE_AUTHENTICATED && !at->wire.is_broken;
        count++;
        strangers += is_stranger;
        oldest = is_stranger ? at : oldest; /* the newest come first */
    }
    if (strangers >= STRANGERS_MAX && oldest) {
        oldest->wire.is_broken = true;
    }
    return count < VISITORS_MAX;
}

static void mark_connection_unread(struct bt_pump_net *net, struct bt_pump_net_watch *post,
                                   uint32_t events)
{
    struct bt_bus_connection *connection = (struct bt_bus_connection *)post;
    (void)net;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) || connection->wire.wants_writing) {
        connection->wire.is_unread = true;
    }
}

/* The user of a local connection. */
static bool read_peer(int fd, bool is_local, struct bt_bus_connection *out)
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
    union bt_socket_address address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof(address);
    const int yes = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return getpeername(fd, &address.any, &size) == 0 &&
           bt_socket_address_put_ip(&address, out->address);
}

static void add_connection(struct bt_pump_net *net, int fd, bool is_local)
{
    struct bt_bus_connection *connection =
        make_room(net) ? bt_object_pool_acquire(&net->bus.pool) : NULL;
    if (!connection) {
        (void)close(fd);
        return;
    }
    bt_bus_connection_init(connection, fd, net->now_ms);
    connection->post.ready = mark_connection_unread;
    connection->is_local = is_local;
    connection->next = net->bus.first;
    net->bus.first = connection;
    const bool is_known = read_peer(fd, is_local, connection);
    const bool is_blocked =
        is_known && bt_bus_auth_is_blocked(&net->bus.guard, connection->address, net->now_ms);
    if (is_blocked) {
        bt_bus_connection_log_refusal(net, connection, BT_STR(""), BT_BUS_REFUSAL_BLOCKED);
    }
    if (!is_known || is_blocked ||
        (!is_local && net->bus.tls &&
         !bt_net_connection_start_tls(&connection->wire, net->bus.tls, BT_STR(""))) ||
        !bt_pump_net_watch_fd(net, fd, &connection->post, EPOLLIN) ||
        !bt_bus_connection_send_challenge(net, connection)) {
        let_go(net, connection);
    }
}

static void listener_ready(struct bt_pump_net *net, struct bt_pump_net_watch *post, uint32_t events)
{
    const struct bt_bus_listener *listener = (const struct bt_bus_listener *)post;
    (void)events;
    for (size_t i = 0; i < ACCEPTS_AT_ONCE; i++) {
        const int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        add_connection(net, fd, listener->is_local);
    }
}

static enum bt_status build_path(struct bt_pump_net *net, bt_str name, char out[PATH_MAX],
                                 struct bt_error *error)
{
    const bt_str root = net->pump->launch.context.root;
    const int size = snprintf(out, PATH_MAX, "%.*s/%.*s", BT_STR_ARG(root), BT_STR_ARG(name));
    return size > 0 && size < PATH_MAX ? BT_OK
                                       : bt_error_set(error, BT_EINVAL, "a path is too long");
}

static enum bt_status make_folder(const char *path, struct bt_error *error)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    *strrchr(folder, '/') = '\0'; /* it begins with one */
    return bt_pump_make_folders(folder, 0755, error);
}

static enum bt_status watch_listener(struct bt_pump_net *net, struct bt_bus_listener *listener,
                                     struct bt_error *error)
{
    listener->post.ready = listener_ready;
    return bt_pump_net_watch_fd(net, listener->fd, &listener->post, EPOLLIN)
               ? BT_OK
               : bt_error_set(error, BT_EIO, "cannot watch the bus");
}

static enum bt_status open_local(struct bt_pump_net *net, struct bt_error *error)
{
    const struct bt_yaml_node *node = bt_organism_node_get(net->pump->organism->root, "organism");
    const bt_str named = bt_organism_node_text(node, "socket");
    struct bt_bus_listener *listener = BT_NEW(&net->arena_owner, struct bt_bus_listener);
    if (!listener) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    listener->is_local = true;
    BT_TRY(
        build_path(net, named.len > 0 ? named : BT_STR(".baton/bus.sock"), listener->path, error));
    BT_TRY(make_folder(listener->path, error));
    BT_TRY(bt_unix_listen(listener->path, 0666, &listener->fd, error));
    net->bus.local = listener;
    return watch_listener(net, listener, error);
}

static enum bt_status open_tls(struct bt_pump_net *net, const struct bt_yaml_node *tls,
                               struct bt_error *error)
{
    char certificate[PATH_MAX];
    char key[PATH_MAX];
    if (!tls) {
        return BT_OK;
    }
    BT_TRY(build_path(net, bt_organism_node_text(tls, "cert"), certificate, error));
    BT_TRY(build_path(net, bt_organism_node_text(tls, "key"), key, error));
    const struct bt_tls_options options = {.cert = certificate, .key = key};
    const enum bt_status status = bt_tls_server_create(&options, &net->bus.tls, error);
    return status == BT_EINVAL
               ? bt_error_set(error, status, "%s and %s are not a certificate and its key",
                              certificate, key)
               : status;
}

static enum bt_status listen_at_port(const char *address, uint16_t port, int *out_fd,
                                     struct bt_error *error)
{
    const struct bt_tcp_listen_options options = {
        .host = address, .port = port, .backlog = BACKLOG};
    const enum bt_status status = bt_tcp_listen(&options, out_fd);
    return status == BT_OK       ? BT_OK
           : status == BT_EINVAL ? bt_error_set(error, status, "%s is not an address", address)
                                 : bt_error_set(error, status, "cannot listen at %s, port %u: %s",
                                                address, (unsigned)port, strerror(errno));
}

static enum bt_status open_network(struct bt_pump_net *net, struct bt_error *error)
{
    const struct bt_yaml_node *node = bt_organism_node_get(net->pump->organism->root, "organism");
    const bt_str bind = bt_organism_node_text(node, "bind");
    int64_t port = 0;
    char address[64];
    (void)bt_organism_node_integer(bt_organism_node_get(node, "port"), &port);
    if (port == 0) {
        return BT_OK;
    }
    struct bt_bus_listener *listener = BT_NEW(&net->arena_owner, struct bt_bus_listener);
    if (!listener) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    (void)snprintf(address, sizeof(address), "%.*s",
                   BT_STR_ARG(bind.len > 0 ? bind : BT_STR("127.0.0.1")));
    BT_TRY(open_tls(net, bt_organism_node_get(node, "tls"), error));
    BT_TRY(listen_at_port(address, (uint16_t)port, &listener->fd, error));
    net->bus.network = listener;
    return watch_listener(net, listener, error);
}

enum bt_status bt_bus_server_open(struct bt_pump_net *net, struct bt_error *error)
{
    bt_object_pool_init(&net->bus.pool, &net->arena_owner, sizeof(struct bt_bus_connection));
    BT_TRY(open_local(net, error));
    return open_network(net, error);
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

void bt_bus_server_close(struct bt_pump_net *net)
{
    while (net->bus.first) {
        let_go(net, net->bus.first);
    }
    close_listener(net->bus.local);
    close_listener(net->bus.network);
    bt_tls_context_destroy(net->bus.tls);
}

static void take_frames(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    size_t frames = 0;
    while (frames < FRAMES_AT_ONCE && net->status == BT_OK &&
           bt_bus_connection_receive(net, connection)) {
        frames++;
    }
    net->pump->run.has_work = net->pump->run.has_work || frames == FRAMES_AT_ONCE;
}

void bt_bus_server_receive(struct bt_pump_net *net)
{
    for (struct bt_bus_connection *at = net->bus.first; at; at = at->next) {
        if (at->wire.is_unread && !at->wire.is_broken && bt_bus_connection_can_receive(net, at)) {
            bt_net_connection_read(&at->wire, READ_BYTES);
            net->pump->run.has_work = net->pump->run.has_work || at->wire.is_unread;
        }
        take_frames(net, at);
    }
}

/* The time limit of a connection, by what it waits for. */
static uint64_t get_timeout_ms(const struct bt_bus_connection *connection)
{
    switch (connection->waiting) {
    case BT_BUS_WAIT_REASON_HELLO:
        return HELLO_MS;
    case BT_BUS_WAIT_REASON_CLOSE:
        return FAILED_MS;
    case BT_BUS_WAIT_REASON_SEND:
        return TAKE_MS;
    case BT_BUS_WAIT_REASON_FRAME:
        return FRAME_MS;
    case BT_BUS_WAIT_REASON_NONE:
        break;
    }
    return UINT64_MAX;
}

static void update_watch(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    const bool is_writing =
        bt_net_connection_unsent(&connection->wire) > 0 || connection->wire.wants_writing;
    const bool is_reading =
        bt_bus_connection_can_receive(net, connection) && !connection->wire.is_unread;
    bt_pump_net_rewatch_fd(net, connection->wire.fd, &connection->post,
                           (is_reading ? EPOLLIN : 0) | (is_writing ? EPOLLOUT : 0));
}

void bt_bus_server_send(struct bt_pump_net *net)
{
    struct bt_bus_connection *next = NULL;
    for (struct bt_bus_connection *at = net->bus.first; at; at = next) {
        next = at->next;
        bt_bus_connection_send(net, at);
        const bool has_sent_all = bt_net_connection_unsent(&at->wire) == 0;
        const bool is_late = net->now_ms - at->waiting_ms >= get_timeout_ms(at);
        if (is_late && at->waiting == BT_BUS_WAIT_REASON_HELLO) {
            bt_bus_connection_log_refusal(net, at, BT_STR(""), BT_BUS_REFUSAL_ORDER);
        }
        if (at->wire.is_broken || is_late || (at->is_leaving && has_sent_all)) {
            let_go(net, at);
        } else {
            update_watch(net, at);
        }
    }
}
