/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - which message is called next.
 *
 * A message waits on a thread. A thread belongs to one lane, the calls of one listener, and to one
 * root. A lane has so many slots; a serial one takes one call per thread at a time. Breadth-first,
 * roots take turns in the order in which they were made, each with its oldest message that can be
 * called; depth-first, the oldest root goes first, with what was queued last.
 *
 * Everything lies in the caller's structs. Each step takes time logarithmic in the threads that
 * wait, and linear in the lanes that have some.
 */
#ifndef BATON_SRC_PUMP_SCHEDULE_H
#define BATON_SRC_PUMP_SCHEDULE_H

#include "base/treap.h"

struct bt_pump_schedule_listener {
    uint64_t max;       /* calls in flight */
    uint64_t in_flight; /* of these */
    bool is_open;       /* the host takes calls */
    bool is_serial;
    struct bt_treap ring;                     /* threads that could be called, but for free slots */
    struct bt_pump_schedule_slot *repeats;    /* messages to be called again, the first first */
    bool is_repeating;                        /* one of them is in flight */
    bool is_listed;                           /* it has something that waits */
    struct bt_pump_schedule_listener *before; /* among those */
    struct bt_pump_schedule_listener *after;
};

struct bt_pump_schedule_thread {
    struct bt_treap_node node; /* in the ring of its lane */
    struct bt_pump_schedule_listener *lane;
    uint64_t root;           /* number of its root: roots are numbered as they are made, from 1 */
    struct bt_treap waiting; /* its messages */
    uint64_t in_flight;
    bool is_queued;
};

enum bt_pump_schedule_slot_state {
    BT_PUMP_SLOT_FREE = 0,
    BT_PUMP_SLOT_WAITING,
    BT_PUMP_SLOT_REPEAT,
    BT_PUMP_SLOT_IN_FLIGHT
};

/* A message as the schedule sees it. */
struct bt_pump_schedule_slot {
    struct bt_treap_node node; /* among those of its thread that wait */
    struct bt_pump_schedule_thread *thread;
    struct bt_pump_schedule_slot *next; /* among those to be repeated */
    enum bt_pump_schedule_slot_state state;
    bool is_repeat; /* it is in flight for another time */
};

struct bt_pump_schedule {
    bool depth_first;
    uint64_t max;                            /* calls in flight in all lanes */
    uint64_t in_flight;                      /* of these */
    uint64_t turn;                           /* the root that was called last */
    struct bt_pump_schedule_listener *lanes; /* that have something that waits */
};

/* Let a message wait. `result` counts what was queued together, `index` the order within. */
void bt_pump_schedule_add(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot,
                          uint64_t result, uint64_t index);
/* Let a message that was in flight wait to be called again, alone and before all others. */
void bt_pump_schedule_repeat(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot);
/* Take back a message that waits. */
void bt_pump_schedule_drop(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot);

/* The message to be called now, which is in flight from here on; NULL: none can be called. */
struct bt_pump_schedule_slot *bt_pump_schedule_next(struct bt_pump_schedule *schedule);
/* A call is over. */
void bt_pump_schedule_done(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot);

#endif
