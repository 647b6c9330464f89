/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the control channel: operators connect, ask line by line, and are answered.
 */
#ifndef BATON_SRC_DOOR_CONTROL_H
#define BATON_SRC_DOOR_CONTROL_H

#include "pump/pool.h"

struct bt_door;
struct bt_post;
struct bt_operator;

struct bt_control_office {
    struct bt_control_listener *listener; /* NULL: there is no control channel */
    struct bt_pool pool;                  /* of operators */
    struct bt_operator *first;            /* who is connected */
};

/* Listen where the organism says; nothing is done when it has no control channel. */
BT_MUST_USE enum bt_status bt_control_begin(struct bt_door *door, struct bt_error *error);
void bt_control_end(struct bt_door *door);

/* Take the lines that are there. */
void bt_control_hear(struct bt_door *door);
/* Send answers and events; let go of those whose time is up. */
void bt_control_speak(struct bt_door *door);

#endif
