/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bus_server.h - the bus: declared clients connect, prove who they are, send messages and take what
 * is delivered to them.
 *
 *     pump:   CHALLENGE            WELCOME   ACK | NAK      DELIVER
 *     client:            HELLO             SEND     ...             TAKEN   BYE
 */
#ifndef BATON_SRC_PUMP_NET_BUS_SERVER_H
#define BATON_SRC_PUMP_NET_BUS_SERVER_H

#include "base/object_pool.h"
#include "pump_net/bus_auth.h"

struct bt_pump_net;
struct bt_bus_listener;
struct bt_bus_connection;

enum bt_bus_frame {
    BT_BUS_CHALLENGE = 0x20,
    BT_BUS_HELLO,
    BT_BUS_WELCOME,
    BT_BUS_SEND,
    BT_BUS_ACK,
    BT_BUS_NAK,
    BT_BUS_DELIVER,
    BT_BUS_TAKEN,
    BT_BUS_BYE,
};

enum { BT_CHALLENGE_BYTES = 32 };

/* Lines about refused clients in the present second. */
struct bt_bus_log {
    uint64_t since_ms;
    uint32_t lines;
};

struct bt_bus_server {
    struct bt_bus_listener *local;   /* the Unix socket; NULL: none */
    struct bt_bus_listener *network; /* the TCP port; NULL: none */
    struct bt_tls_context *tls;      /* of the port; NULL: none */
    struct bt_object_pool pool;
    struct bt_bus_connection *first; /* connections, the newest first */
    struct bt_bus_failures guard;
    struct bt_bus_log log;
};

/* Listen on the sockets of the organism. */
BT_MUST_USE enum bt_status bt_bus_server_open(struct bt_pump_net *net, struct bt_error *error);
void bt_bus_server_close(struct bt_pump_net *net);
/* Handle the frames that were received. */
void bt_bus_server_receive(struct bt_pump_net *net);
/* After a commit: send answers and deliveries. */
void bt_bus_server_send(struct bt_pump_net *net);

#endif
