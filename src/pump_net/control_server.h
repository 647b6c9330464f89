/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_server.h - the control channel: operators connect, send requests line by line, and get
 * answers.
 */
#ifndef BATON_SRC_PUMP_NET_CONTROL_SERVER_H
#define BATON_SRC_PUMP_NET_CONTROL_SERVER_H

#include "base/object_pool.h"

struct bt_pump_net;
struct bt_pump_net_watch;
struct bt_control_connection;

struct bt_control_server {
    struct bt_control_listener *listener; /* NULL: there is no control channel */
    struct bt_object_pool pool;           /* of operators */
    struct bt_control_connection *first;  /* connections */
};

/* Listen on the control socket of the organism, if it has one. */
BT_MUST_USE enum bt_status bt_control_server_open(struct bt_pump_net *net, struct bt_error *error);
void bt_control_server_close(struct bt_pump_net *net);

/* Handle the lines that were received. */
void bt_control_server_receive(struct bt_pump_net *net);
/* Send answers and events; close connections whose time is up. */
void bt_control_server_send(struct bt_pump_net *net);

#endif
