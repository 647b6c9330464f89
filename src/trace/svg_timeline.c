/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg_timeline.c - workflows and phases as bars over a common axis.
 */
#include "trace/svg.h"

enum {
    NAME_COLUMNS = 30,
    BARS_X = 260,
    BARS_WIDTH = 570,
    TICKS_MAX = 6,
    AXIS = 24,
    WORKFLOW_ROW = 30,
    PHASE_ROW = 24,
    ROW_GAP = 6,
    TRACE_GAP = 24,
};

/* Calm colours that stay apart for most eyes; they come again after the last. */
static const char *const colours[] = {"#2f6fb2", "#2a9d8f", "#8a63b8",
                                      "#c77d2e", "#5b7f3a", "#b0557a"};

struct trace_svg_timeline_scale {
    const struct bt_trace_event *from;
    double total_ms;
};

static long x_at(double total_ms, double ms)
{
    return BARS_X + (long)(total_ms > 0 ? ms / total_ms * BARS_WIDTH : 0);
}

static long x_of(const struct trace_svg_timeline_scale *scale, const struct bt_trace_event *event)
{
    return x_at(scale->total_ms, bt_trace_ms_between(scale->from, event));
}

static long rows_height(const struct bt_trace *trace)
{
    long height = 0;
    for (size_t i = 0; i < trace->workflow_count; i++) {
        height += WORKFLOW_ROW + ROW_GAP + (long)trace->workflows[i].phase_count * PHASE_ROW;
    }
    return height;
}

long bt_trace_svg_timeline_height(const struct bt_trace *trace)
{
    return AXIS + rows_height(trace) + TRACE_GAP;
}

/* A round distance between ticks, so that there are at most TICKS_MAX. */
static double step_of(double total_ms)
{
    static const double steps[] = {1,    2,    5,    10,    20,    50,    100,   200,    500,  1e3,
                                   2e3,  5e3,  1e4,  15e3,  3e4,   6e4,   12e4,  3e5,    6e5,  9e5,
                                   18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 432e6};
    size_t i = 0;
    while (i + 1 < sizeof(steps) / sizeof(steps[0]) && total_ms / steps[i] > TICKS_MAX) {
        i++;
    }
    double step = steps[i];
    while (total_ms / step > TICKS_MAX) { /* ends: ten thousand years are few doublings of a week */
        step *= 2;
    }
    return step;
}

static void put_axis(struct bt_trace_svg *svg, const struct bt_trace *trace, double total_ms)
{
    const long bottom = svg->y + AXIS + rows_height(trace);
    const double step = step_of(total_ms);
    for (int i = 0; i * step <= total_ms; i++) {
        const double ms = i * step;
        const long x = x_at(total_ms, ms);
        bt_buf_printf(svg->buf, "<line x1=\"%ld\" y1=\"%ld\" x2=\"%ld\" y2=\"%ld\"/>\n", x,
                      svg->y + 14, x, bottom);
        bt_trace_svg_text(svg, x, svg->y + 8, "small middle");
        if (ms > 0) {
            bt_trace_put_duration(svg->buf, ms);
        } else {
            bt_buf_put_char(svg->buf, '0');
        }
        bt_buf_put_text(svg->buf, "</text>\n");
    }
    svg->y += AXIS;
}

/* What one row shows. */
struct trace_svg_timeline_row {
    bt_str name;
    const struct bt_trace_event *from;
    const struct bt_trace_event *to;
    const char *colour;
    bool is_phase;
    bool is_open; /* did not end */
    double duration_ms;
};

static void put_bar(struct bt_trace_svg *svg, const struct trace_svg_timeline_scale *scale,
                    const struct trace_svg_timeline_row *row)
{
    const long height = row->is_phase ? 10 : 16;
    const long top = svg->y + ((row->is_phase ? PHASE_ROW : WORKFLOW_ROW) - height) / 2;
    const long x = x_of(scale, row->from);
    const long width = x_of(scale, row->to) - x;
    bt_buf_printf(svg->buf,
                  "<rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%ld\" rx=\"3\" fill=\"%s\"", x,
                  top, width > 3 ? width : 3, height, row->colour);
    if (row->is_open) {
        bt_buf_printf(svg->buf, " fill-opacity=\".15\" stroke=\"%s\" stroke-dasharray=\"4 3\"",
                      row->colour);
    } else if (row->is_phase) {
        bt_buf_put_text(svg->buf, " fill-opacity=\".55\"");
    }
    bt_buf_put_text(svg->buf, "/>\n");
}

static void put_row(struct bt_trace_svg *svg, const struct trace_svg_timeline_scale *scale,
                    const struct trace_svg_timeline_row *row)
{
    const long height = row->is_phase ? PHASE_ROW : WORKFLOW_ROW;
    const long baseline = svg->y + height / 2 + 4;
    const long indent = row->is_phase ? 14 : 0;
    bt_trace_svg_text(svg, BT_SVG_MARGIN + indent, baseline, row->is_phase ? "phase" : "name");
    bt_trace_svg_name(svg, row->name, row->is_phase ? NAME_COLUMNS - 2 : NAME_COLUMNS - 3);
    bt_buf_put_text(svg->buf, "</text>\n");
    put_bar(svg, scale, row);
    bt_trace_svg_text(svg, svg->width - BT_SVG_MARGIN, baseline,
                      row->is_phase ? "quiet end" : "end");
    if (row->is_open) {
        bt_buf_put_text(svg->buf, "unfinished");
    } else {
        bt_trace_put_duration(svg->buf, row->duration_ms);
    }
    bt_buf_put_text(svg->buf, "</text>\n");
    svg->y += height;
}

static void put_errors(struct bt_trace_svg *svg, const struct trace_svg_timeline_scale *scale,
                       const struct bt_trace_workflow *workflow, long y)
{
    for (size_t i = 0; i < workflow->error_count; i++) {
        const long x = x_of(scale, workflow->errors[i]);
        bt_buf_put_text(svg->buf, "<g><title>error, ");
        bt_trace_put_time(svg->buf, workflow->errors[i]);
        bt_buf_printf(svg->buf,
                      "</title><circle cx=\"%ld\" cy=\"%ld\" r=\"7\" fill=\"#c0392b\" "
                      "stroke=\"#fff\"/>",
                      x, y);
        bt_trace_svg_text(svg, x, y + 3, "mark middle");
        bt_buf_put_text(svg->buf, "!</text></g>\n");
    }
}

static void put_workflow(struct bt_trace_svg *svg, const struct trace_svg_timeline_scale *scale,
                         const struct bt_trace_workflow *workflow, const char *colour)
{
    const long middle = svg->y + WORKFLOW_ROW / 2;
    put_row(svg, scale,
            &(struct trace_svg_timeline_row){
                .name = workflow->name,
                .from = workflow->first,
                .to = workflow->last,
                .colour = colour,
                .duration_ms = bt_trace_ms_between(workflow->first, workflow->last),
            });
    put_errors(svg, scale, workflow, middle);
    for (size_t i = 0; i < workflow->phase_count; i++) {
        const struct bt_trace_phase *phase = &workflow->phases[i];
        put_row(svg, scale,
                &(struct trace_svg_timeline_row){
                    .name = bt_trace_phase_name(phase),
                    .from = phase->started,
                    .to = bt_trace_phase_end(workflow, phase),
                    .colour = colour,
                    .is_phase = true,
                    .is_open = !phase->completed,
                    .duration_ms = phase->duration_ms,
                });
    }
    svg->y += ROW_GAP;
}

enum bt_status bt_trace_svg_timeline(struct bt_trace_svg *svg, struct bt_arena *arena,
                                     const struct bt_trace *trace)
{
    (void)arena;
    const struct trace_svg_timeline_scale scale = {
        &trace->events[0], bt_trace_ms_between(&trace->events[0], bt_trace_last(trace))};
    put_axis(svg, trace, scale.total_ms);
    for (size_t i = 0; i < trace->workflow_count; i++) {
        put_workflow(svg, &scale, &trace->workflows[i],
                     colours[i % (sizeof(colours) / sizeof(colours[0]))]);
    }
    svg->y += TRACE_GAP;
    return BT_OK;
}
