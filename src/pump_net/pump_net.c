/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_net.c - the sockets of a running pump: opened, read and closed.
 */
#define _GNU_SOURCE
#include "pump_net/pump_net.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum { EVENTS_MAX = 64, ARENA_BYTES_MAX = 512 << 20, MEMORY_BYTES_MAX = 16 << 20 };

bool bt_pump_net_watch_fd(struct bt_pump_net *net, int fd, struct bt_pump_net_watch *post,
                          uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.ptr = post}};
    post->events = events;
    return epoll_ctl(net->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void bt_pump_net_rewatch_fd(struct bt_pump_net *net, int fd, struct bt_pump_net_watch *post,
                            uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.ptr = post}};
    if (post->events != events) {
        post->events = events;
        (void)epoll_ctl(net->epoll_fd, EPOLL_CTL_MOD, fd, &event);
    }
}

void bt_pump_net_unwatch_fd(struct bt_pump_net *net, int fd)
{
    struct epoll_event unused = {.events = 0};
    (void)epoll_ctl(net->epoll_fd, EPOLL_CTL_DEL, fd, &unused);
}

static enum bt_status receive_all(void *context, struct bt_error *error)
{
    struct bt_pump_net *net = context;
    struct epoll_event events[EVENTS_MAX];
    net->now_ms = bt_clock_monotonic_ms();
    const int count = epoll_wait(net->epoll_fd, events, EVENTS_MAX, 0);
    if (count < 0 && errno != EINTR) {
        return bt_error_errno(error, "cannot wait for the sockets", NULL);
    }
    for (int i = 0; i < count; i++) {
        struct bt_pump_net_watch *post = events[i].data.ptr;
        post->ready(net, post, events[i].events);
    }
    bt_control_server_receive(net);
    bt_bus_server_receive(net);
    bt_gateway_links_receive(net);
    return net->status == BT_OK
               ? BT_OK
               : bt_error_set(error, net->status, "%s", bt_status_text(net->status));
}

static void send_all(void *context)
{
    struct bt_pump_net *net = context;
    net->now_ms = bt_clock_monotonic_ms();
    bt_control_server_send(net);
    bt_bus_server_send(net);
    bt_gateway_links_send(net);
    bt_arena_reset(&net->arena);
}

static void add_event(void *context, uint64_t number, const struct bt_pump_event *pump_event)
{
    struct bt_pump_net *net = context;
    bt_pump_event_ring_add(&net->events, bt_env_now(net->pump->env), number, pump_event);
}

static void close_net(void *context)
{
    struct bt_pump_net *net = context;
    bt_control_server_close(net);
    bt_bus_server_close(net);
    bt_gateway_links_close(net);
    (void)close(net->epoll_fd);
    bt_pump_event_ring_free(&net->events);
    bt_arena_free(&net->arena);
    struct bt_arena memory = net->arena_owner;
    bt_arena_free(&memory);
}

enum bt_status bt_pump_control_path(const struct bt_organism *organism, struct bt_arena *arena,
                                    bt_str *out)
{
    assert(organism);
    assert(out);
    const struct bt_yaml_node *oob = bt_organism_node_get(organism->root, "oob");
    const struct bt_yaml_node *enabled = bt_organism_node_get(oob, "enabled");
    const bt_str named = bt_organism_node_text(oob, "unix_socket");
    const bt_str folder = organism->folder.len > 0 ? organism->folder : BT_STR(".");
    if (enabled && bt_yaml_type_of(enabled) == BT_YAML_TYPE_FALSE) {
        *out = BT_STR("");
        return BT_OK;
    }
    return named.len > 0
               ? bt_arena_printf(arena, out, "%.*s/%.*s", BT_STR_ARG(folder), BT_STR_ARG(named))
               : bt_arena_printf(arena, out, "%.*s/%.*s/oob.sock", BT_STR_ARG(folder),
                                 BT_STR_ARG(organism->store));
}

static enum bt_status open_net(struct bt_pump_net *net, struct bt_error *error)
{
    net->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (net->epoll_fd < 0) {
        return bt_error_errno(error, "cannot watch the sockets", NULL);
    }
    if (net->is_serving) {
        BT_TRY(bt_control_server_open(net, error));
        BT_TRY(bt_bus_server_open(net, error));
    }
    BT_TRY(bt_gateway_links_open(net, error));
    return bt_host_pool_watch_fd(net->pump->hosting.pool, net->epoll_fd, error);
}

static enum bt_status create_net(struct bt_pump *pump, bool is_serving, struct bt_error *error)
{
    assert(pump);
    assert(pump->hosting.pool);
    assert(!pump->endpoint.context);
    struct bt_arena memory;
    bt_arena_init(&memory, MEMORY_BYTES_MAX);
    struct bt_pump_net *net = BT_NEW(&memory, struct bt_pump_net);
    if (!net) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    net->arena_owner = memory;
    net->pump = pump;
    net->is_serving = is_serving;
    net->now_ms = bt_clock_monotonic_ms();
    bt_arena_init(&net->arena, ARENA_BYTES_MAX);
    const enum bt_status status = open_net(net, error);
    if (status != BT_OK) {
        close_net(net);
        return status;
    }
    pump->endpoint = (struct bt_pump_endpoint){.context = net,
                                               .receive = receive_all,
                                               .send = send_all,
                                               .event = add_event,
                                               .is_open = bt_gateway_links_is_open,
                                               .call = bt_gateway_links_call,
                                               .cancel = bt_gateway_links_cancel,
                                               .close = close_net};
    return BT_OK;
}

enum bt_status bt_pump_listen(struct bt_pump *pump, struct bt_error *error)
{
    return create_net(pump, true, error);
}

enum bt_status bt_pump_connect_gateways(struct bt_pump *pump, struct bt_error *error)
{
    return pump->organism->gateways_count > 0 ? create_net(pump, false, error) : BT_OK;
}
