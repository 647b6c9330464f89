/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_link.h - the other side of the bus: this pump as a client of another one, for each
 * gateway.
 */
#ifndef BATON_SRC_PUMP_NET_GATEWAY_LINK_H
#define BATON_SRC_PUMP_NET_GATEWAY_LINK_H

#include "pump/core.h"

struct bt_pump_net;
struct bt_gateway_link;

/* One link for each gateway of the organism; a lost link reconnects. */
BT_MUST_USE enum bt_status bt_gateway_links_open(struct bt_pump_net *net, struct bt_error *error);
void bt_gateway_links_close(struct bt_pump_net *net);
void bt_gateway_links_receive(struct bt_pump_net *net);
void bt_gateway_links_send(struct bt_pump_net *net);

/* Functions of struct bt_pump_endpoint for gateways; its context is the struct bt_pump_net. */
bool bt_gateway_links_is_open(void *context, uint32_t number);
BT_MUST_USE enum bt_status bt_gateway_links_call(void *context,
                                                 const struct bt_pump_message *message);
void bt_gateway_links_cancel(void *context, uint32_t number, uint64_t call);

#endif
