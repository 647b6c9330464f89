/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - a question of an operator, and what its answer is made with.
 */
#ifndef BATON_SRC_PUMP_CONTROL_H
#define BATON_SRC_PUMP_CONTROL_H

#include <baton/json.h>

#include "pump/pump.h"

/* Codes of JSON-RPC, and ours. */
enum {
    BT_ASKED_NOT_FOUND = -32001,
    BT_ASKED_NO_METHOD = -32601,
    BT_ASKED_BAD_PARAMS = -32602,
};

struct bt_asked {
    struct bt_pump *pump;
    struct bt_arena *arena;
    const struct bt_doc *params; /* NULL: none */
    struct bt_emit emit;
    struct bt_pump_answer *out;
};

/* Answer with an error instead of a result. Returns BT_OK. */
BT_MUST_USE enum bt_status bt_asked_refuse(struct bt_asked *asked, int code, const char *message);
/* One of the params, or NULL. */
const bt_value *bt_asked_param(const struct bt_asked *asked, const char *name);

/* Who may call whom. */
BT_MUST_USE enum bt_status bt_asked_graph(struct bt_asked *asked);

#endif
