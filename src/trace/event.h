/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - one event as one line, written and read.
 */
#ifndef BATON_SRC_TRACE_EVENT_H
#define BATON_SRC_TRACE_EVENT_H

#include "report/rules.h"
#include "trace/trace.h"

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

#endif
