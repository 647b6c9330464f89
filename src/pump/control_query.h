/* SPDX-License-Identifier: Apache-2.0 */
/* control_query.h - a request of an operator, and the functions that answer it. */
#ifndef BATON_SRC_PUMP_CONTROL_QUERY_H
#define BATON_SRC_PUMP_CONTROL_QUERY_H

#include <baton/json.h>

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

/* A method: it puts its result, or refuses. */
typedef enum bt_status bt_control_method_fn(struct bt_pump_control_call *call);

/* Answer with an error instead of a result. Returns BT_OK. */
BT_MUST_USE enum bt_status bt_pump_control_call_respond_error(struct bt_pump_control_call *call,
                                                              int code, const char *message);
/* Answer with an error that has data, a JSON object. Returns BT_OK. */
BT_MUST_USE enum bt_status
bt_pump_control_call_respond_error_with(struct bt_pump_control_call *call, const char *message,
                                        const struct bt_buf *data);
/* One of the params, or NULL. */
const bt_json_value *bt_pump_control_call_find_param(const struct bt_pump_control_call *call,
                                                     const char *name);
/* One that is a text; "" when it is not there. False: it is something else. */
BT_MUST_USE bool bt_pump_control_call_find_text(const struct bt_pump_control_call *call,
                                                const char *name, bt_str *out);
/* One that is a number, or `usual` when it is not there. False: it is something else. */
BT_MUST_USE bool bt_pump_control_call_find_number(const struct bt_pump_control_call *call,
                                                  const char *name, uint64_t usual, uint64_t *out);

/* What operators ask ... */
bt_control_method_fn bt_control_method_status;
bt_control_method_fn bt_control_method_list;
bt_control_method_fn bt_control_method_graph;
bt_control_method_fn bt_control_method_history;
/* ... and what they do, while the pump runs. */
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
    bool wants_events; /* those after this one are to be told from now on */
    uint64_t events_after;
    uint64_t ticket; /* the answer comes later, under this number; 0: it does not */
};

/*
 * Do what a line asks, and put the answer, with a line feed, to `out`; nothing for a request that
 * wants none. It must not leave before what was decided is kept. What was judged lives in the arena
 * until then.
 */
BT_MUST_USE enum bt_status
bt_pump_handle_control_line(struct bt_pump *pump, struct bt_arena *arena,
                            const struct bt_pump_control_line *line, struct bt_buf *out,
                            struct bt_pump_control_line_result *out_result);

/*
 * Go on with what was asked and could not be answered at once. When it is done, the answer is put
 * to `out`, which may be nothing, and *out_ticket is its number; else it is 0.
 */
BT_MUST_USE enum bt_status bt_pump_continue_change(struct bt_pump *pump, struct bt_arena *arena,
                                                   struct bt_buf *out, uint64_t *out_ticket);

/* Put an answer, with a line feed. */
void bt_control_client_put_answer(struct bt_buf *out, bt_str id,
                                  const struct bt_control_result *answer);
/* One that says nothing yet. */
struct bt_control_result bt_control_discard_answer(void);

#endif
