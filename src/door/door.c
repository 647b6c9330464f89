/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door.c - the doors of a running pump, opened, heard and closed.
 */
#define _GNU_SOURCE
#include "door/door.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"

enum { EVENTS_MAX = 64, ARENA_BYTES_MAX = 512 << 20, MEMORY_BYTES_MAX = 16 << 20 };

/* ---- Watching -------------------------------------------------------------------------------- */

bool bt_door_watch(struct bt_door *door, int fd, struct bt_post *post, uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.ptr = post}};
    post->events = events;
    return epoll_ctl(door->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void bt_door_rewatch(struct bt_door *door, int fd, struct bt_post *post, uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.ptr = post}};
    if (post->events != events) {
        post->events = events;
        (void)epoll_ctl(door->epoll_fd, EPOLL_CTL_MOD, fd, &event);
    }
}

void bt_door_unwatch(struct bt_door *door, int fd)
{
    struct epoll_event unused = {.events = 0};
    (void)epoll_ctl(door->epoll_fd, EPOLL_CTL_DEL, fd, &unused);
}

/* ---- What the pump asks of it ---------------------------------------------------------------- */

static enum bt_status hear(void *context, struct bt_error *error)
{
    struct bt_door *door = context;
    struct epoll_event events[EVENTS_MAX];
    door->now_ms = bt_clock_monotonic_ms();
    const int count = epoll_wait(door->epoll_fd, events, EVENTS_MAX, 0);
    if (count < 0 && errno != EINTR) {
        return bt_fail(error, BT_EIO, "cannot wait at the doors: %s", strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        struct bt_post *post = events[i].data.ptr;
        post->ready(door, post, events[i].events);
    }
    bt_control_hear(door);
    bt_bus_hear(door);
    bt_links_hear(door);
    return door->status == BT_OK ? BT_OK
                                 : bt_fail(error, door->status, "%s", bt_status_text(door->status));
}

static void speak(void *context)
{
    struct bt_door *door = context;
    door->now_ms = bt_clock_monotonic_ms();
    bt_control_speak(door);
    bt_bus_speak(door);
    bt_links_speak(door);
    bt_arena_reset(&door->arena);
}

static void event(void *context, uint64_t number, const struct bt_pump_event *told)
{
    struct bt_door *door = context;
    bt_event_ring_add(&door->events, bt_env_now(door->pump->env), number, told);
}

static void close_door(void *context)
{
    struct bt_door *door = context;
    bt_control_end(door);
    bt_bus_end(door);
    bt_links_end(door);
    (void)close(door->epoll_fd);
    bt_event_ring_free(&door->events);
    bt_arena_free(&door->arena);
    struct bt_arena memory = door->memory;
    bt_arena_free(&memory);
}

/* ---- Opening --------------------------------------------------------------------------------- */

enum bt_status bt_pump_socket(const struct bt_organism *organism, struct bt_arena *arena,
                              bt_str *out)
{
    assert(organism);
    assert(out);
    const struct bt_yaml_node *oob = bt_node_get(organism->root, "oob");
    const struct bt_yaml_node *enabled = bt_node_get(oob, "enabled");
    const bt_str named = bt_node_text(oob, "unix_socket");
    const bt_str folder = organism->folder.len > 0 ? organism->folder : BT_STR(".");
    if (enabled && bt_yaml_type(enabled) == BT_YAML_TYPE_FALSE) {
        *out = BT_STR("");
        return BT_OK;
    }
    return named.len > 0
               ? bt_arena_printf(arena, out, "%.*s/%.*s", BT_STR_ARG(folder), BT_STR_ARG(named))
               : bt_arena_printf(arena, out, "%.*s/%.*s/oob.sock", BT_STR_ARG(folder),
                                 BT_STR_ARG(organism->store));
}

static enum bt_status open_door(struct bt_door *door, struct bt_error *error)
{
    door->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (door->epoll_fd < 0) {
        return bt_fail(error, BT_EIO, "cannot watch the doors: %s", strerror(errno));
    }
    if (door->is_serving) {
        BT_TRY(bt_control_begin(door, error));
        BT_TRY(bt_bus_begin(door, error));
    }
    BT_TRY(bt_links_begin(door, error));
    return bt_hosts_also(door->pump->hosts, door->epoll_fd, error);
}

static bool is_open(void *context, uint32_t number)
{
    return bt_links_is_open(context, number);
}

static enum bt_status call(void *context, const struct bt_pump_message *message)
{
    return bt_links_call(context, message);
}

static void cancel(void *context, uint32_t number, uint64_t called)
{
    bt_links_cancel(context, number, called);
}

static enum bt_status make_door(struct bt_pump *pump, bool is_serving, struct bt_error *error)
{
    assert(pump);
    assert(pump->hosts);
    assert(!pump->door.context);
    struct bt_arena memory;
    bt_arena_init(&memory, MEMORY_BYTES_MAX);
    struct bt_door *door = BT_NEW(&memory, struct bt_door);
    if (!door) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    door->memory = memory;
    door->pump = pump;
    door->is_serving = is_serving;
    door->now_ms = bt_clock_monotonic_ms();
    bt_arena_init(&door->arena, ARENA_BYTES_MAX);
    const enum bt_status status = open_door(door, error);
    if (status != BT_OK) {
        close_door(door);
        return status;
    }
    pump->door = (struct bt_pump_door){.context = door,
                                       .hear = hear,
                                       .speak = speak,
                                       .event = event,
                                       .is_open = is_open,
                                       .call = call,
                                       .cancel = cancel,
                                       .close = close_door};
    return BT_OK;
}

enum bt_status bt_pump_listen(struct bt_pump *pump, struct bt_error *error)
{
    return make_door(pump, true, error);
}

enum bt_status bt_pump_link(struct bt_pump *pump, struct bt_error *error)
{
    return pump->organism->gateways_count > 0 ? make_door(pump, false, error) : BT_OK;
}
