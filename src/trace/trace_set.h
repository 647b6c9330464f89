/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_set.h - the events of some logs, and the traces they are grouped into.
 */
#ifndef BATON_SRC_TRACE_TRACE_SET_H
#define BATON_SRC_TRACE_TRACE_SET_H

#include "base/vec.h"
#include "report/rules.h"
#include "report/sort.h"
#include "trace/trace.h"

struct bt_trace_log {
    struct bt_judgement judged;    /* path, text and findings */
    struct bt_trace_event *events; /* in the order of their lines */
    size_t event_count;
};

struct bt_trace_set {
    const struct bt_env *env;
    struct bt_arena *arena;
    BT_VEC(struct bt_trace_log) logs;
    size_t line_count;
    size_t event_count;
    struct bt_trace *items; /* in the order in which they are shown */
    size_t count;
};

/* ---- Events ---------------------------------------------------------------------------------- */

/* The name by which an event's type is shown. */
bt_str bt_trace_event_type_text(const struct bt_trace_event *event);

/* Put the line, without its line feed. `at` is the time as it is to be written. */
void bt_trace_event_put(struct bt_buf *buf, const struct bt_trace_event *event, const char *at);

/*
 * Take the event out of a line that was read. *out_wrong is what is wrong with the line, for
 * TRACE_LINE_INVALID; unless it is NONE, *out is untouched. Texts point into the line's source or,
 * where they had escapes, into `arena`; BT_ENOMEM is its.
 */
BT_MUST_USE enum bt_status bt_trace_event_read(struct bt_arena *arena,
                                               const struct bt_json_doc *line,
                                               enum bt_trace_line_invalid_reason *out_wrong,
                                               struct bt_trace_event *out);

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Where results live, and memory that is given back when all is grouped. */
struct bt_trace_group_state {
    struct bt_arena *arena;
    struct bt_arena *scratch;
};

/*
 * Somebody who waits for the first later event with the same names, or such an event. Links are
 * made in the order of events.
 */
struct bt_trace_link {
    bt_str names[2];
    const struct bt_trace_event *event; /* NULL for one that waits */
    size_t kind;                        /* of the event, 0 or 1 */
    const struct bt_trace_event *
        *slot[2]; /* where one that waits wants the event of each kind, or NULL */
};

/* Fill the slots. Slots for which there is no event keep what they hold. Takes n log n time. */
BT_MUST_USE enum bt_status bt_trace_links_join(struct bt_trace_group_state *grouping,
                                               const struct bt_trace_link *links, size_t count);

/* Set the workflows of a trace whose events are set, with their phases and errors. */
BT_MUST_USE enum bt_status bt_trace_group_workflows(struct bt_trace_group_state *grouping,
                                                    struct bt_trace *trace);
/* Set its hops. */
BT_MUST_USE enum bt_status bt_trace_group_hops(struct bt_trace_group_state *grouping,
                                               struct bt_trace *trace);

#endif
