/* SPDX-License-Identifier: Apache-2.0 */
/* control_query.h - a request of an operator, and the functions that answer it. */
#ifndef BATON_SRC_PUMP_CONTROL_QUERY_H
#define BATON_SRC_PUMP_CONTROL_QUERY_H

#include <baton/json.h>

#include "json/emit.h"
#include "pump/pump_internal.h"

struct bt_pump_control_call {
    struct bt_pump *pump;
    struct bt_arena *arena;
    const struct bt_json_doc *document; /* that the params stand in; NULL: there are none */
    const bt_json_value *params;        /* an object, or NULL */
    struct bt_emit emit;
    struct bt_control_result *out;
    bt_str id;     /* of the request, as it was written; "": no answer is wanted */
    bool is_later; /* the answer comes when something else has happened */
    bool wants_events;
    uint64_t events_after;
};

/* A method: puts its result, or answers with an error. */
typedef enum bt_status bt_control_method_fn(struct bt_pump_control_call *call);

/* Answer with an error instead of a result. Returns BT_OK. */
BT_MUST_USE enum bt_status bt_control_call_fail(struct bt_pump_control_call *call, int code,
                                                const char *message);
/* Answer that the params are invalid. Returns BT_OK. */
BT_MUST_USE enum bt_status bt_control_call_reject(struct bt_pump_control_call *call,
                                                  const char *message);
/* Answer that the params are invalid, with data, a JSON object. Returns BT_OK. */
BT_MUST_USE enum bt_status bt_control_call_reject_with(struct bt_pump_control_call *call,
                                                       const char *message,
                                                       const struct bt_buf *data);
/* The param of this name, or NULL. */
const bt_json_value *bt_control_call_find_param(const struct bt_pump_control_call *call,
                                                const char *name);
/* A param that is a text; "" when it is absent. False: it is not a text. */
BT_MUST_USE bool bt_control_call_find_text(const struct bt_pump_control_call *call,
                                           const char *name, bt_str *out);
/* A param that is a number; `otherwise` when it is absent. False: it is not a number. */
BT_MUST_USE bool bt_control_call_find_number(const struct bt_pump_control_call *call,
                                             const char *name, uint64_t otherwise, uint64_t *out);

/* Queries of operators. */
bt_control_method_fn bt_control_method_status;
bt_control_method_fn bt_control_method_list;
bt_control_method_fn bt_control_method_graph;
bt_control_method_fn bt_control_method_history;
/* Actions of operators on a running pump. */
bt_control_method_fn bt_control_method_inject;
bt_control_method_fn bt_control_method_shutdown;
bt_control_method_fn bt_control_method_events;
bt_control_method_fn bt_control_method_register;
bt_control_method_fn bt_control_method_unregister;
bt_control_method_fn bt_control_method_reload;

/* ---- Requests -------------------------------------------------------------------------------- */

/* A line of the control channel. */
struct bt_pump_control_line {
    bt_str text;
    uint64_t uid; /* whose it is */
};

/* What a line led to besides its answer. */
struct bt_pump_control_line_result {
    bool wants_events;     /* send events from now on ... */
    uint64_t events_after; /* ... that come after this one */
    uint64_t ticket;       /* the answer comes later, under this number; 0: it does not */
};

/*
 * Run the request in a line and put the answer, with a line feed, to `out`; a notification has no
 * answer. Send the answer only after the next commit; until then the arena must stay as it is.
 */
BT_MUST_USE enum bt_status
bt_pump_handle_control_line(struct bt_pump *pump, struct bt_arena *arena,
                            const struct bt_pump_control_line *line, struct bt_buf *out,
                            struct bt_pump_control_line_result *out_result);

/*
 * Continue a request that could not be answered at once. When it is done, its answer, if it has
 * one, is put to `out`, and *out_ticket is its number; otherwise that is 0.
 */
BT_MUST_USE enum bt_status bt_pump_continue_change(struct bt_pump *pump, struct bt_arena *arena,
                                                   struct bt_buf *out, uint64_t *out_ticket);

/* Put an answer, with a line feed. */
void bt_control_client_put_answer(struct bt_buf *out, bt_str id,
                                  const struct bt_control_result *answer);
/* An empty answer. */
struct bt_control_result bt_control_discard_answer(void);

#endif
