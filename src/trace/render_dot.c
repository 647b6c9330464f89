/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_dot.c - traces as text for Graphviz: workflows in the order of their start with their
 * phases, or hops from workflow to workflow. Each trace is a cluster.
 */
#include "trace/trace_set.h"
#include "trace/views.h"

/* Inside quotes; labels also have escapes of their own (\n, \G) and read HTML entities. */
static size_t escape_char(struct bt_buf *buf, bt_str text, size_t at)
{
    switch (text.ptr[at]) {
    case '"':
        bt_buf_put_text(buf, "\\\"");
        break;
    case '\\':
        bt_buf_put_text(buf, "\\\\");
        break;
    case '&':
        bt_buf_put_text(buf, "&amp;");
        break;
    default:
        bt_buf_put_char(buf, text.ptr[at]);
        break;
    }
    return 1;
}

static void put_name(struct bt_buf *buf, bt_str name)
{
    bt_report_put_escaped(buf, name, BT_NAME_SHOWN, escape_char);
}

static void put_head(struct bt_buf *buf, const struct bt_trace *trace, size_t index)
{
    bt_buf_printf(buf, "    subgraph cluster_%zu {\n        label=\"trace ", index);
    put_name(buf, trace->id);
    bt_buf_put_text(buf, "\";\n");
}

static void put_phases(struct bt_buf *buf, const struct bt_trace_workflow *workflow, size_t trace,
                       size_t index)
{
    for (size_t i = 0; i < workflow->phase_count; i++) {
        const struct bt_trace_phase *phase = &workflow->phases[i];
        bt_buf_printf(buf, "        t%zuw%zup%zu [shape=plain, label=\"", trace, index, i);
        put_name(buf, bt_trace_phase_name(phase));
        bt_buf_put_text(buf, "\\n");
        if (phase->completed) {
            bt_trace_put_duration(buf, phase->duration_ms);
        } else {
            bt_buf_put_text(buf, "unfinished");
        }
        bt_buf_printf(buf,
                      "\"];\n        t%zuw%zu -> t%zuw%zup%zu [style=dashed, arrowhead=none];\n",
                      trace, index, trace, index, i);
    }
}

static enum bt_status put_timeline(struct bt_buf *buf, struct bt_arena *arena,
                                   const struct bt_trace *trace, size_t index)
{
    (void)arena;
    put_head(buf, trace, index);
    for (size_t i = 0; i < trace->workflow_count; i++) {
        const struct bt_trace_workflow *workflow = &trace->workflows[i];
        bt_buf_printf(buf, "        t%zuw%zu [label=\"", index, i);
        put_name(buf, workflow->name);
        bt_buf_put_text(buf, "\\n");
        bt_trace_put_duration(buf, bt_trace_ms_between(workflow->first, workflow->last));
        bt_buf_put_text(buf, workflow->error_count > 0 ? "\", color=\"#c0392b\"];\n" : "\"];\n");
        if (i > 0) {
            bt_buf_printf(buf, "        t%zuw%zu -> t%zuw%zu;\n", index, i - 1, index, i);
        }
        put_phases(buf, workflow, index, i);
    }
    bt_buf_put_text(buf, "    }\n");
    return BT_OK;
}

static enum bt_status put_chain(struct bt_buf *buf, struct bt_arena *arena,
                                const struct bt_trace *trace, size_t index)
{
    struct bt_trace_hop_ends places;
    BT_TRY(bt_trace_hop_ends_of(arena, trace, &places));
    put_head(buf, trace, index);
    for (size_t i = 0; i < places.count; i++) {
        bt_buf_printf(buf, "        t%zun%zu [label=\"", index, i);
        put_name(buf, places.names[i]);
        bt_buf_put_text(buf, "\"];\n");
    }
    for (size_t i = 0; i < trace->hop_count; i++) {
        bt_buf_printf(buf, "        t%zun%zu -> t%zun%zu [label=\"", index, places.of_end[2 * i],
                      index, places.of_end[2 * i + 1]);
        bt_trace_put_hop_facts(buf, &trace->hops[i], escape_char);
        bt_buf_put_text(buf, trace->hops[i].received ? "\"];\n" : "\", style=dashed];\n");
    }
    bt_buf_put_text(buf, "    }\n");
    return BT_OK;
}

enum bt_status bt_trace_render_dot(const struct bt_trace_set *traces,
                                   const struct bt_trace_render_options *options,
                                   struct bt_buf *buf)
{
    bt_buf_put_text(buf, "digraph traces {\n"
                         "    graph [rankdir=LR, fontname=\"sans-serif\"];\n"
                         "    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                         "    edge [fontname=\"sans-serif\", fontsize=10];\n");
    BT_TRY(bt_each_trace(traces, buf,
                         options->view == BT_TRACE_VIEW_TIMELINE ? put_timeline : put_chain));
    bt_buf_put_text(buf, "}\n");
    return BT_OK;
}
