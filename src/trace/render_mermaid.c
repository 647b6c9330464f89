/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_mermaid.c - traces as Mermaid text: a Gantt chart of workflows and phases, or a flowchart
 * of hops.
 *
 * Mermaid has no quoting that holds everywhere, but it reads #NN; as the character with that
 * number. So everything in a name that could be syntax is written by number.
 */
#include "base/ascii.h"
#include "trace/trace_set.h"
#include "trace/views.h"

static size_t escape_char(struct bt_buf *buf, bt_str text, size_t at)
{
    const unsigned char byte = (unsigned char)text.ptr[at];
    const bool is_plain = bt_ascii_is_alnum((char)byte) || byte == ' ' || byte == '-' ||
                          byte == '_' || byte == '.' || byte >= 0x80;
    if (is_plain) {
        bt_buf_put_char(buf, text.ptr[at]);
    } else {
        bt_buf_printf(buf, "#%u;", byte);
    }
    return 1;
}

static void put_name(struct bt_buf *buf, bt_str name)
{
    bt_report_put_escaped(buf, name, BT_NAME_SHOWN, escape_char);
}

/* " :tag, start, length"; what has no length is a milestone. A length, because Mermaid reads the
 * end of a task more strictly than its start and does without when it cannot. */
static void put_task_data(struct bt_buf *buf, const char *tag, const struct bt_trace_event *from,
                          const struct bt_trace_event *to)
{
    const double ms = bt_trace_ms_between(from, to);
    bt_buf_put_text(buf, " :");
    bt_buf_put_text(buf, tag);
    bt_buf_put_text(buf, ms > 0 ? "" : "milestone, ");
    bt_trace_put_time(buf, from);
    bt_buf_printf(buf, ", %llums\n", (unsigned long long)ms);
}

/* Task names begin with a fixed word or mark, because one such as "section x" would be read as a
 * command at the start of a line. */
static void put_workflow(struct bt_buf *buf, const struct bt_trace_workflow *workflow)
{
    bt_buf_put_text(buf, "    section ");
    put_name(buf, workflow->name);
    bt_buf_put_text(buf, "\n    all");
    put_task_data(buf, "", workflow->first, workflow->last);
    for (size_t i = 0; i < workflow->phase_count; i++) {
        const struct bt_trace_phase *phase = &workflow->phases[i];
        bt_buf_put_text(buf, "    - ");
        put_name(buf, bt_trace_phase_name(phase));
        put_task_data(buf, phase->completed ? "done, " : "active, ", phase->started,
                      bt_trace_phase_end(workflow, phase));
    }
    for (size_t i = 0; i < workflow->error_count; i++) {
        bt_buf_put_text(buf, "    error");
        put_task_data(buf, "crit, ", workflow->errors[i], workflow->errors[i]);
    }
}

static void put_gantt(struct bt_buf *buf, const struct bt_trace_set *traces)
{
    bt_buf_put_text(buf, "gantt\n    title ");
    if (traces->count == 1) {
        bt_buf_put_text(buf, "trace ");
        put_name(buf, traces->items[0].id);
    } else {
        bt_report_put_count(buf, traces->count, "trace");
    }
    bt_buf_put_text(buf, "\n    dateFormat YYYY-MM-DDTHH:mm:ss.SSSZ\n    axisFormat %H:%M:%S\n");
    for (size_t i = 0; i < traces->count; i++) {
        for (size_t j = 0; j < traces->items[i].workflow_count; j++) {
            put_workflow(buf, &traces->items[i].workflows[j]);
        }
    }
}

static void put_hop(struct bt_buf *buf, const struct bt_trace_hop_ends *places, size_t trace,
                    size_t hop, const struct bt_trace_hop *facts)
{
    bt_buf_printf(buf, "        t%zun%zu %s|\"", trace, places->of_end[2 * hop],
                  facts->received ? "-->" : "-.->");
    bt_trace_put_hop_facts(buf, facts, escape_char);
    bt_buf_printf(buf, "\"| t%zun%zu\n", trace, places->of_end[2 * hop + 1]);
}

static enum bt_status put_chain(struct bt_buf *buf, struct bt_arena *arena,
                                const struct bt_trace *trace, size_t index)
{
    struct bt_trace_hop_ends places;
    BT_TRY(bt_trace_hop_ends_of(arena, trace, &places));
    bt_buf_printf(buf, "    subgraph t%zu [\"trace ", index);
    put_name(buf, trace->id);
    bt_buf_put_text(buf, "\"]\n");
    for (size_t i = 0; i < places.count; i++) {
        bt_buf_printf(buf, "        t%zun%zu[\"", index, i);
        put_name(buf, places.names[i]);
        bt_buf_put_text(buf, "\"]\n");
    }
    for (size_t i = 0; i < trace->hop_count; i++) {
        put_hop(buf, &places, index, i, &trace->hops[i]);
    }
    bt_buf_put_text(buf, "    end\n");
    return BT_OK;
}

enum bt_status bt_trace_render_mermaid(const struct bt_trace_set *traces,
                                       const struct bt_trace_render_options *options,
                                       struct bt_buf *buf)
{
    if (options->view == BT_TRACE_VIEW_TIMELINE) {
        put_gantt(buf, traces);
        return BT_OK;
    }
    bt_buf_put_text(buf, "flowchart LR\n");
    return bt_each_trace(traces, buf, put_chain);
}
