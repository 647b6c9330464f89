/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - a question of an operator, and what its answer is made with.
 */
#ifndef BATON_SRC_PUMP_CONTROL_H
#define BATON_SRC_PUMP_CONTROL_H

#include <baton/json.h>

#include "pump/pump.h"

struct bt_asked {
    struct bt_pump *pump;
    struct bt_arena *arena;
    const struct bt_doc *document; /* that the params stand in; NULL: there are none */
    const bt_value *params;        /* an object, or NULL */
    struct bt_emit emit;
    struct bt_pump_answer *out;
    bt_str id;     /* of the request, as it was written; "": no answer is wanted */
    bool is_later; /* the answer comes when something else has happened */
    bool wants_events;
    uint64_t events_after;
};

/* A method: it puts its result, or refuses. */
typedef enum bt_status bt_asked_fn(struct bt_asked *asked);

/* Answer with an error instead of a result. Returns BT_OK. */
BT_MUST_USE enum bt_status bt_asked_refuse(struct bt_asked *asked, int code, const char *message);
/* The same with data, a JSON object. */
BT_MUST_USE enum bt_status bt_asked_refuse_with(struct bt_asked *asked, const char *message,
                                                const struct bt_buf *data);
/* One of the params, or NULL. */
const bt_value *bt_asked_param(const struct bt_asked *asked, const char *name);
/* One that is a text; "" when it is not there. False: it is something else. */
BT_MUST_USE bool bt_asked_text(const struct bt_asked *asked, const char *name, bt_str *out);
/* One that is a number, or `usual` when it is not there. False: it is something else. */
BT_MUST_USE bool bt_asked_number(const struct bt_asked *asked, const char *name, uint64_t usual,
                                 uint64_t *out);

/* What operators ask ... */
bt_asked_fn bt_asked_status;
bt_asked_fn bt_asked_list;
bt_asked_fn bt_asked_graph;
bt_asked_fn bt_asked_history;
/* ... and what they do, while the pump runs. */
bt_asked_fn bt_asked_inject;
bt_asked_fn bt_asked_shutdown;
bt_asked_fn bt_asked_events;
bt_asked_fn bt_asked_register;
bt_asked_fn bt_asked_unregister;
bt_asked_fn bt_asked_reload;

/* ---- Requests -------------------------------------------------------------------------------- */

/* A line of the control channel. */
struct bt_control_line {
    bt_str text;
    uint64_t uid; /* whose it is */
};

/* What a line led to besides its answer. */
struct bt_control_heard {
    bool wants_events; /* those after this one are to be told from now on */
    uint64_t events_after;
    uint64_t ticket; /* the answer comes later, under this number; 0: it does not */
};

/*
 * Do what a line asks, and put the answer, with a line feed, to `out`; nothing for a request that
 * wants none. It must not leave before what was decided is kept. What was judged lives in the arena
 * until then.
 */
BT_MUST_USE enum bt_status bt_pump_hear_line(struct bt_pump *pump, struct bt_arena *arena,
                                             const struct bt_control_line *line, struct bt_buf *out,
                                             struct bt_control_heard *out_heard);

/*
 * Go on with what was asked and could not be answered at once. When it is done, the answer is put
 * to `out`, which may be nothing, and *out_ticket is its number; else it is 0.
 */
BT_MUST_USE enum bt_status bt_pump_go_on(struct bt_pump *pump, struct bt_arena *arena,
                                         struct bt_buf *out, uint64_t *out_ticket);

/* Put an answer, with a line feed. */
void bt_control_put_answer(struct bt_buf *out, bt_str id, const struct bt_pump_answer *answer);
/* One that says nothing yet. */
struct bt_pump_answer bt_control_no_answer(void);

#endif
