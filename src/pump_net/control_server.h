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
    struct bt_control_connection *first;  /* who is connected */
};

/* Listen where the organism says; nothing is done when it has no control channel. */
BT_MUST_USE enum bt_status bt_control_server_open(struct bt_pump_net *net, struct bt_error *error);
void bt_control_server_close(struct bt_pump_net *net);

/* Take the lines that are there. */
void bt_control_server_receive(struct bt_pump_net *net);
/* Send answers and events; let go of those whose time is up. */
void bt_control_server_send(struct bt_pump_net *net);

#endif
