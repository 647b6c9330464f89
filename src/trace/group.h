/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.h - the parts of one trace.
 */
#ifndef BATON_SRC_TRACE_GROUP_H
#define BATON_SRC_TRACE_GROUP_H

#include "report/sort.h"
#include "trace/trace.h"

/* Where results live, and memory that is given back when all is grouped. */
struct bt_trace_group_state {
    struct bt_arena *arena;
    struct bt_arena *scratch;
};

/* The indexes 0 to count-1 in the order of `compare`; NULL when there is no memory. */
size_t *bt_trace_sort(struct bt_arena *scratch, size_t count, bt_sort_order_fn *compare,
                      const void *context);

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
