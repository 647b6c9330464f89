/* SPDX-License-Identifier: Apache-2.0 */
/* message_rows.h - the columns of the pump's tables, and the spelling of their values. */
#ifndef BATON_SRC_PUMP_MESSAGE_ROWS_H
#define BATON_SRC_PUMP_MESSAGE_ROWS_H

#include "pump/core.h"

/*
 * Columns of pump_message. A row is written once, and again only to say of a message for a listener
 * that it was dropped or is dead, or that it is done and nothing came of it. When something did,
 * what came of it says in BT_PUMP_MESSAGE_CAUSE that the other is over.
 */
enum {
    BT_PUMP_MESSAGE_N = 0,
    BT_PUMP_MESSAGE_KIND,
    BT_PUMP_MESSAGE_SENDER,
    BT_PUMP_MESSAGE_TARGET,
    BT_PUMP_MESSAGE_THREAD,
    BT_PUMP_MESSAGE_ROOT,
    BT_PUMP_MESSAGE_TAG,
    BT_PUMP_MESSAGE_CALL,
    BT_PUMP_MESSAGE_PAYLOAD,
    BT_PUMP_MESSAGE_STATE,
    BT_PUMP_MESSAGE_CAUSE,
    BT_PUMP_MESSAGE_SEQ,
    BT_PUMP_MESSAGE_COLUMNS,
};

/* Columns of thread. A root is a row of its own, without a parent. */
enum {
    BT_THREAD_ID = 0,
    BT_THREAD_CLIENT,
    BT_THREAD_UUID,
    BT_THREAD_PARENT,
    BT_THREAD_LISTENER,
    BT_THREAD_ROOT,
    BT_THREAD_DEPTH,
    BT_THREAD_TOKENS,
    BT_THREAD_STATE,
    BT_THREAD_SEEN,
    BT_THREAD_SEQ,
    BT_THREAD_COLUMNS,
};

/* Owners in pump_counter: these words, the first three before the name of a listener or client. */
#define BT_COUNTER_CALL "call:"
#define BT_COUNTER_DELIVERY "delivery:"
/* Deliveries below this are in pump_delivery until they are taken; those from here on were made by
 * the last commit, and known by their messages. */
#define BT_COUNTER_FILED "filed:"
#define BT_COUNTER_NUMBER "message"
#define BT_COUNTER_OLDEST "oldest"
#define BT_COUNTER_DONE "done"
#define BT_COUNTER_DEAD "dead"
#define BT_COUNTER_DAY "day:" /* before a day since 1970: the first message of that day */

/* "ingress", "call" ...; parsing gives BT_PUMP_MESSAGE_KIND_NONE for an unknown kind. */
bt_str bt_pump_message_kind_name(enum bt_pump_message_kind kind);
enum bt_pump_message_kind bt_pump_message_kind_parse(bt_str name);
/* "queued", "in-flight" ... */
bt_str bt_pump_message_state_name(enum bt_pump_message_state state);

#define BT_NUMBER_TEXT_BYTES 24

/* A number as text, which lies in `out`. */
bt_str bt_pump_number_text(uint64_t number, char out[BT_NUMBER_TEXT_BYTES]);

#define BT_DELIVERY_ID_BYTES 24

/* The number of a delivery so that texts sort as numbers do; NUL-terminated. */
void bt_pump_delivery_id(uint64_t number, char out[BT_DELIVERY_ID_BYTES]);

#endif
