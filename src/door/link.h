/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - the other side of the bus: this pump as a client of another one, for each gateway.
 */
#ifndef BATON_SRC_DOOR_LINK_H
#define BATON_SRC_DOOR_LINK_H

#include "pump/core.h"

struct bt_door;
struct bt_link;

/* One link for each gateway of the organism; they connect by themselves, again and again. */
BT_MUST_USE enum bt_status bt_links_begin(struct bt_door *door, struct bt_error *error);
void bt_links_end(struct bt_door *door);
void bt_links_hear(struct bt_door *door);
void bt_links_speak(struct bt_door *door);

/* What the pump asks of its door about gateways; see struct bt_pump_door. */
bool bt_links_is_open(const struct bt_door *door, uint32_t number);
BT_MUST_USE enum bt_status bt_links_call(struct bt_door *door,
                                         const struct bt_pump_message *message);
void bt_links_cancel(struct bt_door *door, uint32_t number, uint64_t call);

#endif
