/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visit.h - one connection to the bus: which frame is permitted when, and what it does.
 */
#ifndef BATON_SRC_DOOR_VISIT_H
#define BATON_SRC_DOOR_VISIT_H

#include "door/bus.h"
#include "door/door.h"
#include "door/wire.h"
#include "pump/outbox.h"

enum { BT_UNTAKEN_MAX = 32 }; /* deliveries on their way to one client */

enum bt_visitor_state {
    BT_VISITOR_STRANGER = 0, /* waiting for HELLO */
    BT_VISITOR_KNOWN,
    BT_VISITOR_FAILED, /* it is let stand for a moment, and gets no frame */
};

enum bt_visitor_waiting {
    BT_VISITOR_NOTHING = 0,
    BT_VISITOR_HELLO,
    BT_VISITOR_SHUT,
    BT_VISITOR_FRAME,
    BT_VISITOR_TAKING,
};

struct bt_visitor {
    struct bt_post post; /* first, so that the one is the other */
    struct bt_wire wire;
    enum bt_visitor_state state;
    bool is_local;
    uint64_t uid; /* of a local one */
    char address[BT_ADDRESS_BYTES];
    uint8_t challenge[BT_CHALLENGE_BYTES];
    uint32_t client;  /* number */
    bool is_leaving;  /* when everything is said */
    bool is_replaced; /* a newer connection gets what is delivered */
    enum bt_visitor_waiting waiting;
    uint64_t waiting_ms;
    struct bt_outgoing untaken[BT_UNTAKEN_MAX];
    size_t untaken_count;
    uint64_t told_ever; /* the highest number that was ever sent */
    uint64_t told;      /* the delivery that was sent last */
    uint64_t looked;    /* of core.deliveries: when it last was all of them, nothing waits */
    struct bt_visitor *next;
};

void bt_visit_begin(struct bt_visitor *visitor, int fd, uint64_t now_ms);
/* Say the first word. False: no randomness, or no memory. */
BT_MUST_USE bool bt_visit_challenge(struct bt_door *door, struct bt_visitor *visitor);
/* Whether another frame may be taken now. */
bool bt_visit_is_heard(const struct bt_door *door, const struct bt_visitor *visitor);
/* Take a frame, if one is there whole. */
BT_MUST_USE bool bt_visit_hear(struct bt_door *door, struct bt_visitor *visitor);
/* It is gone: the newest of its client's other connections gets what is delivered from now on. */
void bt_visit_end(struct bt_door *door, const struct bt_visitor *visitor);
/* Say what is to be said, and what is delivered. */
void bt_visit_speak(struct bt_door *door, struct bt_visitor *visitor);

#endif
