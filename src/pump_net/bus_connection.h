/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bus_connection.h - one connection to the bus: which frame is permitted when, and what it does.
 */
#ifndef BATON_SRC_PUMP_NET_BUS_CONNECTION_H
#define BATON_SRC_PUMP_NET_BUS_CONNECTION_H

#include "net/connection.h"
#include "pump/outbox.h"
#include "pump_net/bus_server.h"
#include "pump_net/pump_net.h"

enum { BT_UNTAKEN_MAX = 32 }; /* deliveries on their way to one client */

enum bt_bus_connection_state {
    BT_BUS_CONNECTION_STATE_NEW = 0, /* waiting for HELLO */
    BT_BUS_CONNECTION_STATE_AUTHENTICATED,
    BT_BUS_CONNECTION_STATE_FAILED, /* it is let stand for a moment, and gets no frame */
};

enum bt_bus_wait_reason {
    BT_BUS_WAIT_REASON_NONE = 0,
    BT_BUS_WAIT_REASON_HELLO,
    BT_BUS_WAIT_REASON_CLOSE,
    BT_BUS_WAIT_REASON_FRAME,
    BT_BUS_WAIT_REASON_SEND,
};

struct bt_bus_connection {
    struct bt_pump_net_watch post; /* first, so that the one is the other */
    struct bt_net_connection wire;
    enum bt_bus_connection_state state;
    bool is_local;
    uint64_t uid; /* of a local one */
    char address[BT_ADDRESS_BYTES];
    uint8_t challenge[BT_CHALLENGE_BYTES];
    uint32_t client;  /* number */
    bool is_leaving;  /* when everything is said */
    bool is_replaced; /* a newer connection gets what is delivered */
    enum bt_bus_wait_reason waiting;
    uint64_t waiting_ms;
    struct bt_pump_outgoing unacknowledged[BT_UNTAKEN_MAX];
    size_t untaken_count;
    uint64_t highest_sent;    /* the highest number that was ever sent */
    uint64_t last_sent;       /* the delivery that was sent last */
    uint64_t deliveries_seen; /* of core.deliveries: when it last was all of them, nothing waits */
    struct bt_bus_connection *next;
};

void bt_bus_connection_init(struct bt_bus_connection *connection, int fd, uint64_t now_ms);
/* Say the first word. False: no randomness, or no memory. */
BT_MUST_USE bool bt_bus_connection_send_challenge(struct bt_pump_net *net,
                                                  struct bt_bus_connection *connection);
/* Whether another frame may be taken now. */
bool bt_bus_connection_can_receive(const struct bt_pump_net *net,
                                   const struct bt_bus_connection *connection);
/* Take a frame, if one is there whole. */
BT_MUST_USE bool bt_bus_connection_receive(struct bt_pump_net *net,
                                           struct bt_bus_connection *connection);
/* It is gone: the newest of its client's other connections gets what is delivered from now on. */
void bt_bus_connection_close(struct bt_pump_net *net, const struct bt_bus_connection *connection);
/* Say what is to be said, and what is delivered. */
void bt_bus_connection_send(struct bt_pump_net *net, struct bt_bus_connection *connection);

#endif
