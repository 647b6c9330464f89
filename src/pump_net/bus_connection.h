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

enum { BT_UNTAKEN_MAX = 32 }; /* deliveries sent to one client and not acknowledged */

enum bt_bus_connection_state {
    BT_BUS_CONNECTION_STATE_NEW = 0, /* waiting for HELLO */
    BT_BUS_CONNECTION_STATE_AUTHENTICATED,
    BT_BUS_CONNECTION_STATE_FAILED, /* kept open for a moment without an answer */
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
    uint64_t uid; /* of a local client */
    char address[BT_ADDRESS_BYTES];
    uint8_t challenge[BT_CHALLENGE_BYTES];
    uint32_t client;  /* number */
    bool is_leaving;  /* close it when everything is sent */
    bool is_replaced; /* deliveries go to a newer connection */
    enum bt_bus_wait_reason waiting;
    uint64_t waiting_ms;
    struct bt_pump_outgoing unacknowledged[BT_UNTAKEN_MAX];
    size_t untaken_count;
    uint64_t highest_sent;    /* the highest number that was ever sent */
    uint64_t last_sent;       /* the delivery that was sent last */
    uint64_t deliveries_seen; /* deliveries there were when all of them had been sent */
    struct bt_bus_connection *next;
};

void bt_bus_connection_init(struct bt_bus_connection *connection, int fd, uint64_t now_ms);
/* Send the challenge. False: no randomness, or no memory. */
BT_MUST_USE bool bt_bus_connection_send_challenge(struct bt_pump_net *net,
                                                  struct bt_bus_connection *connection);
/* Write why a connection is closed without a frame; `name` is what the client claims, or "". */
void bt_bus_connection_log_refusal(struct bt_pump_net *net,
                                   const struct bt_bus_connection *connection, bt_str name,
                                   enum bt_bus_refusal refusal);
/* True when another frame may be handled now. */
bool bt_bus_connection_can_receive(const struct bt_pump_net *net,
                                   const struct bt_bus_connection *connection);
/* Handle a frame, if a whole one is available. */
BT_MUST_USE bool bt_bus_connection_receive(struct bt_pump_net *net,
                                           struct bt_bus_connection *connection);
/* After it was closed: deliveries go to the newest other connection of its client. */
void bt_bus_connection_close(struct bt_pump_net *net, const struct bt_bus_connection *connection);
/* Send answers and deliveries. */
void bt_bus_connection_send(struct bt_pump_net *net, struct bt_bus_connection *connection);

#endif
