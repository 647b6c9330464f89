/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text.c - traces for a terminal: bars over time, or one line for each hop.
 *
 *     planner      30 min  |==============!=================|
 *       Triage     20 min  |----------------------          |
 *     builder        0 ms  |                              | |
 *
 * `!` is an error, `|` inside a bar something without length, `>` the end of what did not end.
 */
#include <assert.h>
#include <string.h>

#include "trace/trace_set.h"
#include "trace/views.h"

enum {
    COLUMNS_USUAL = 80,
    COLUMNS_MIN = 40,
    COLUMNS_MAX = 400,
    DURATION_COLUMNS = 11, /* "59 min 59 s" */
    NAME_COLUMNS_MIN = 12,
    HOP_COLUMNS_MAX = 60,
    GAPS = 6, /* blanks between the columns, and the ends of the bar */
};

/* How the lines of one trace are laid out. */
struct trace_render_text_layout {
    struct bt_buf *buf;
    const struct bt_trace *trace;
    double total_ms;
    size_t name_columns;
    size_t bar_columns;
    size_t hop_columns; /* of the two names of a hop together */
    bool colour;
};

static const char colour_off[] = "\x1b[0m";
static const char colour_error[] = "\x1b[1;31m";
static const char colour_bold[] = "\x1b[1m";

static void put_colour(const struct trace_render_text_layout *layout, const char *colour)
{
    bt_buf_put_text(layout->buf, layout->colour ? colour : "");
}

/* Put a name in exactly so many columns. */
static void put_cell(struct bt_buf *buf, bt_str name, size_t columns)
{
    const size_t used = bt_trace_put_truncated(buf, name, columns, bt_trace_escape_none);
    bt_buf_put_repeat(buf, ' ', columns - used);
}

static size_t widest_name(const struct bt_trace *trace)
{
    size_t widest = NAME_COLUMNS_MIN;
    for (size_t i = 0; i < trace->workflow_count; i++) {
        const struct bt_trace_workflow *workflow = &trace->workflows[i];
        const size_t columns = bt_trace_name_columns(workflow->name);
        widest = columns > widest ? columns : widest;
        for (size_t j = 0; j < workflow->phase_count; j++) {
            const size_t inner =
                2 + bt_trace_name_columns(bt_trace_phase_name(&workflow->phases[j]));
            widest = inner > widest ? inner : widest;
        }
    }
    return widest;
}

static size_t widest_hop(const struct bt_trace *trace)
{
    size_t widest = 0;
    for (size_t i = 0; i < trace->hop_count; i++) {
        const size_t columns = bt_trace_name_columns(trace->hops[i].transmitted->workflow) +
                               bt_trace_name_columns(bt_trace_target_name(&trace->hops[i]));
        widest = columns > widest ? columns : widest;
    }
    return widest < HOP_COLUMNS_MAX ? widest : HOP_COLUMNS_MAX;
}

static struct trace_render_text_layout layout_of(struct bt_buf *buf, const struct bt_trace *trace,
                                                 const struct bt_trace_render_options *options)
{
    size_t columns = options->columns > 0 ? options->columns : COLUMNS_USUAL;
    columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
    columns = columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
    const size_t widest = widest_name(trace);
    const size_t name_columns = widest < columns * 2 / 5 ? widest : columns * 2 / 5;
    return (struct trace_render_text_layout){
        .buf = buf,
        .trace = trace,
        .total_ms = bt_trace_ms_between(&trace->events[0], bt_trace_last(trace)),
        .name_columns = name_columns,
        .bar_columns = columns - name_columns - DURATION_COLUMNS - GAPS,
        .hop_columns = widest_hop(trace),
        .colour = options->colour,
    };
}

/* The cell of the bar in which an event lies. */
static size_t cell_of(const struct trace_render_text_layout *layout,
                      const struct bt_trace_event *event)
{
    const double ms = bt_trace_ms_between(&layout->trace->events[0], event);
    const double share = layout->total_ms > 0 ? ms / layout->total_ms : 0;
    const size_t cell = (size_t)(share * (double)(layout->bar_columns - 1) + 0.5);
    return cell < layout->bar_columns ? cell : layout->bar_columns - 1;
}

struct trace_render_text_bar {
    char cells[COLUMNS_MAX];
};

static struct trace_render_text_bar bar_of(const struct trace_render_text_layout *layout,
                                           const struct bt_trace_event *from,
                                           const struct bt_trace_event *to, char fill)
{
    struct trace_render_text_bar bar;
    const size_t first = cell_of(layout, from);
    const size_t last = cell_of(layout, to);
    memset(bar.cells, ' ', layout->bar_columns);
    memset(bar.cells + first, fill, last - first + 1);
    if (bt_trace_ms_between(from, to) <= 0) {
        bar.cells[first] = '|';
    }
    return bar;
}

static void put_bar(const struct trace_render_text_layout *layout,
                    const struct trace_render_text_bar *bar)
{
    bt_buf_put_text(layout->buf, "  |");
    for (size_t i = 0; i < layout->bar_columns; i++) {
        const bool is_error = bar->cells[i] == '!';
        put_colour(layout, is_error ? colour_error : "");
        bt_buf_put_char(layout->buf, bar->cells[i]);
        put_colour(layout, is_error ? colour_off : "");
    }
    bt_buf_put_text(layout->buf, "|\n");
}

/* Put a duration at the right end of its column. */
static void put_duration(struct bt_buf *buf, double ms)
{
    struct bt_buf text;
    bt_buf_init(&text, 64);
    bt_trace_put_duration(&text, ms);
    bt_buf_put_repeat(buf, ' ',
                      2 + (text.len < DURATION_COLUMNS ? DURATION_COLUMNS - text.len : 0));
    bt_buf_put(buf, bt_buf_str(&text));
    bt_buf_free(&text);
}

static void put_phase(const struct trace_render_text_layout *layout,
                      const struct bt_trace_workflow *workflow, const struct bt_trace_phase *phase)
{
    const struct bt_trace_event *end = bt_trace_phase_end(workflow, phase);
    struct trace_render_text_bar bar = bar_of(layout, phase->started, end, '-');
    bt_buf_put_text(layout->buf, "  ");
    put_cell(layout->buf, bt_trace_phase_name(phase), layout->name_columns - 2);
    if (phase->completed) {
        put_duration(layout->buf, phase->duration_ms);
    } else {
        bar.cells[cell_of(layout, end)] = '>';
        bt_buf_printf(layout->buf, "  %*s", DURATION_COLUMNS, "unfinished");
    }
    put_bar(layout, &bar);
}

static void put_workflow(const struct trace_render_text_layout *layout,
                         const struct bt_trace_workflow *workflow)
{
    struct trace_render_text_bar bar = bar_of(layout, workflow->first, workflow->last, '=');
    for (size_t i = 0; i < workflow->error_count; i++) {
        bar.cells[cell_of(layout, workflow->errors[i])] = '!';
    }
    put_colour(layout, colour_bold);
    put_cell(layout->buf, workflow->name, layout->name_columns);
    put_colour(layout, colour_off);
    put_duration(layout->buf, bt_trace_ms_between(workflow->first, workflow->last));
    put_bar(layout, &bar);
    for (size_t i = 0; i < workflow->phase_count; i++) {
        put_phase(layout, workflow, &workflow->phases[i]);
    }
}

static void put_hop(const struct trace_render_text_layout *layout, const struct bt_trace_hop *hop)
{
    struct bt_buf *buf = layout->buf;
    const bool failed = bt_str_eq(hop->validation.text, BT_STR("failed"));
    bt_buf_put_printable(buf, hop->transmitted->workflow, BT_NAME_SHOWN);
    bt_buf_put_text(buf, " -> ");
    bt_buf_put_printable(buf, bt_trace_target_name(hop), BT_NAME_SHOWN);
    const size_t columns = bt_trace_name_columns(hop->transmitted->workflow) +
                           bt_trace_name_columns(bt_trace_target_name(hop));
    bt_buf_put_repeat(buf, ' ',
                      2 + (columns < layout->hop_columns ? layout->hop_columns - columns : 0));
    bt_trace_put_time(buf, hop->transmitted);
    put_colour(layout, failed ? colour_error : "");
    bt_buf_put_text(buf, failed ? " ! " : "   ");
    bt_trace_put_hop_facts(buf, hop, bt_trace_escape_none);
    put_colour(layout, failed ? colour_off : "");
    bt_buf_put_char(buf, '\n');
}

static void put_head(const struct trace_render_text_layout *layout)
{
    const struct bt_trace *trace = layout->trace;
    struct bt_buf *buf = layout->buf;
    bt_buf_put_text(buf, "trace ");
    put_colour(layout, colour_bold);
    bt_buf_put_printable(buf, trace->id, BT_NAME_SHOWN);
    put_colour(layout, colour_off);
    bt_buf_put_text(buf, "\nfrom ");
    bt_trace_put_time(buf, &trace->events[0]);
    bt_buf_put_text(buf, ", ");
    bt_trace_put_duration(buf, layout->total_ms);
    bt_buf_put_text(buf, ", ");
    bt_report_put_count(buf, trace->event_count, "event");
    if (trace->error_count > 0) {
        bt_buf_put_text(buf, ", ");
        put_colour(layout, colour_error);
        bt_report_put_count(buf, trace->error_count, "error");
        put_colour(layout, colour_off);
    }
    bt_buf_put_text(buf, "\n\n");
}

enum bt_status bt_trace_render_text(const struct bt_trace_set *traces,
                                    const struct bt_trace_render_options *options,
                                    struct bt_buf *buf)
{
    for (size_t i = 0; i < traces->count; i++) {
        const struct bt_trace *trace = &traces->items[i];
        const struct trace_render_text_layout layout = layout_of(buf, trace, options);
        bt_buf_put_text(buf, i > 0 ? "\n" : "");
        put_head(&layout);
        for (size_t j = 0; options->view == BT_TRACE_VIEW_TIMELINE && j < trace->workflow_count;
             j++) {
            put_workflow(&layout, &trace->workflows[j]);
        }
        for (size_t j = 0; options->view == BT_TRACE_VIEW_CHAIN && j < trace->hop_count; j++) {
            put_hop(&layout, &trace->hops[j]);
        }
        if (options->view == BT_TRACE_VIEW_CHAIN && trace->hop_count == 0) {
            bt_buf_put_text(buf, "no handoff was transmitted\n");
        }
    }
    return BT_OK;
}
