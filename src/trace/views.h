/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.h - what the renderers of traces share.
 *
 * Whatever comes from a log is made visible first and escaped for the form second, so that no name
 * can speak in the form's own voice. Numbers go through one function, so that all forms agree.
 */
#ifndef BATON_SRC_TRACE_VIEWS_H
#define BATON_SRC_TRACE_VIEWS_H

#include "report/render.h"
#include "trace/trace.h"

enum { BT_NAME_SHOWN = 200 }; /* bytes of a name in a drawing; "..." marks a cut */

/* Failures of the buffer stick to it and need not be returned. */
typedef enum bt_status bt_trace_render_fn(const struct bt_trace_set *traces,
                                          const struct bt_trace_render_options *options,
                                          struct bt_buf *buf);

bt_trace_render_fn bt_trace_render_json;
bt_trace_render_fn bt_trace_render_text;
bt_trace_render_fn bt_trace_render_mermaid;
bt_trace_render_fn bt_trace_render_dot;
bt_trace_render_fn bt_trace_render_svg;

/* Put a time for people: 0 ms, 342 ms, 1.2 s, 20 min, 3 h 5 min, 2 d 4 h. */
void bt_trace_put_duration(struct bt_buf *buf, double ms);
/* Put YYYY-MM-DDThh:mm:ss.mmmZ. */
void bt_trace_put_time(struct bt_buf *buf, const struct bt_trace_event *event);
/* The name of a phase; the absent one is "(no phase)". */
bt_str bt_trace_phase_name(const struct bt_trace_phase *phase);
/* The name of a hop's target; the absent one is "(nobody)". */
bt_str bt_trace_target_name(const struct bt_trace_hop *hop);
/* Put "3.0, 145 tokens, passed, 342 ms", less what is not known; escaped. */
void bt_trace_put_hop_facts(struct bt_buf *buf, const struct bt_trace_hop *hop,
                            bt_escape_fn *escape);
/* No escapes: for text that is only made visible. */
bt_escape_fn bt_trace_escape_none;

/* How many columns of a terminal a name takes when it is shown. */
size_t bt_trace_name_columns(bt_str name);
/* Put a name in at most so many columns (at least 3), cut and ended by "..." where it is longer;
 * escaped. Returns how many it took. */
size_t bt_trace_put_truncated(struct bt_buf *buf, bt_str name, size_t columns,
                              bt_escape_fn *escape);

/* When a phase ends for the eye: unfinished ones last as long as their workflow. */
const struct bt_trace_event *bt_trace_phase_end(const struct bt_trace_workflow *workflow,
                                                const struct bt_trace_phase *phase);

/* The distinct names at the ends of a trace's hops, in the order in which they come up. */
struct bt_trace_hop_ends {
    bt_str *names;
    size_t count;
    size_t *of_end; /* indexes of names: 2 * i is the source of hop i, 2 * i + 1 its target */
};

/* BT_ENOMEM is the arena's. Takes n log n time. */
BT_MUST_USE enum bt_status bt_trace_hop_ends_of(struct bt_arena *arena,
                                                const struct bt_trace *trace,
                                                struct bt_trace_hop_ends *out);

/* Put one trace, the one with this index; the arena's memory is given back afterwards. */
typedef enum bt_status bt_trace_put_fn(struct bt_buf *buf, struct bt_arena *arena,
                                       const struct bt_trace *trace, size_t index);
/* Put all of them. */
BT_MUST_USE enum bt_status bt_each_trace(const struct bt_trace_set *traces, struct bt_buf *buf,
                                         bt_trace_put_fn *put);

/* The last event of a trace. */
const struct bt_trace_event *bt_trace_last(const struct bt_trace *trace);

#endif
