/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_net.h - the network endpoints of a running pump: one epoll set for all connections.
 *
 * Nothing blocks. Decisions are sent only after the pump has stored them, so an answer never
 * promises what a crash could undo.
 */
#ifndef BATON_SRC_PUMP_NET_PUMP_NET_H
#define BATON_SRC_PUMP_NET_PUMP_NET_H

#include "pump/pump_internal.h"
#include "pump_net/bus_server.h"
#include "pump_net/control_server.h"
#include "pump_net/event_ring.h"
#include "pump_net/gateway_link.h"

/* A watched descriptor; embedded in the struct that handles its events. */
struct bt_pump_net_watch {
    /* Some of `events` (those of epoll) happened. */
    void (*ready)(struct bt_pump_net *net, struct bt_pump_net_watch *post, uint32_t events);
    uint32_t events; /* that it is watched for */
};

struct bt_pump_net {
    struct bt_pump *pump;
    struct bt_arena arena_owner; /* holds this struct itself, and the connections */
    int epoll_fd;
    struct bt_arena arena; /* of requests, until they are committed */
    enum bt_status status; /* a failure of the pump while requests are handled */
    uint64_t now_ms;
    struct bt_pump_event_ring events;
    struct bt_control_server control;
    struct bt_bus_server bus;
    struct bt_gateway_link *links; /* to other pumps */
    bool is_serving;               /* new connections are accepted */
};

/* Watch a descriptor for `events`; 0: for its end only. False: the system does not let us. */
BT_MUST_USE bool bt_pump_net_watch_fd(struct bt_pump_net *net, int fd,
                                      struct bt_pump_net_watch *post, uint32_t events);
/* Change the events that it is watched for. */
void bt_pump_net_rewatch_fd(struct bt_pump_net *net, int fd, struct bt_pump_net_watch *post,
                            uint32_t events);
/* Stop watching it. Closing is not enough: a host that is being started may still hold a copy. */
void bt_pump_net_unwatch_fd(struct bt_pump_net *net, int fd);

#endif
