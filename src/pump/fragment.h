/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fragment.h - the fragments of a handler's result, and the action for each. Independent of
 * threads, calls and the store.
 */
#ifndef BATON_SRC_PUMP_FRAGMENT_H
#define BATON_SRC_PUMP_FRAGMENT_H

#include "report/rules.h"

/* Zero is not an action, so that cleared memory goes nowhere. */
enum bt_pump_fragment_action {
    BT_PUMP_FRAGMENT_ACTION_NONE = 0,
    BT_PUMP_FRAGMENT_ACTION_REJECT, /* `code` says why */
    BT_PUMP_FRAGMENT_ACTION_SELF,   /* the emitter calls itself, or says todo-until */
    BT_PUMP_FRAGMENT_ACTION_CALL,   /* to a peer, or to the members of a group */
    BT_PUMP_FRAGMENT_ACTION_REPLY,  /* to the caller */
    BT_PUMP_FRAGMENT_ACTION_RETURN, /* to the caller; the threads below end */
    BT_PUMP_FRAGMENT_ACTION_HALT,   /* to the caller; everything below ends, and so does the
                                     * emitter's thread */
};

struct bt_pump_fragment {
    enum bt_pump_fragment_action action;
    bt_str root;             /* local name, for people */
    bt_str canonical;        /* what the emitter wrote */
    bt_str payload;          /* what is handed on; for return and halt what stands inside */
    bt_str peer;             /* of a call: the listener, group or gateway that has the tag */
    const uint32_t *targets; /* of a call: numbers of listeners */
    size_t targets_count;
    enum bt_code code; /* refused: the event */
    bt_str params;     /* of the event: a JSON object, or "" */
};

/* A result that was taken apart; a fault refuses all of it. */
struct bt_pump_fragments {
    const struct bt_pump_fragment *items;
    size_t count;
    enum bt_code fault; /* the event, or 0 */
    bool is_attack;     /* the fault is a security event, whatever its rule says */
    bt_str params;      /* of the fault: a JSON object, or "" */
    bt_str repairs;     /* a JSON array of what lenient reading repaired, or "" */
};

#endif
