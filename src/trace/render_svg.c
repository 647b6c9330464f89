/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_svg.c - traces as one self-contained SVG: no script, no link, no external font or image.
 * Traces are arranged vertically.
 */
#include "trace/svg.h"
#include "trace/trace_set.h"

static const char style[] = "<style>"
                            "text{font:12px system-ui,sans-serif;fill:#1f2933}"
                            ".title{font-size:16px;font-weight:600}"
                            ".name{font-weight:600}"
                            ".quiet{fill:#66788a}"
                            ".small{font-size:11px;fill:#66788a}"
                            ".bad{fill:#c0392b;font-weight:600}"
                            ".mark{font-size:9px;font-weight:700;fill:#fff}"
                            ".fact{font-size:11px}"
                            ".halo{paint-order:stroke;stroke:#fff;stroke-width:4px}"
                            ".end{text-anchor:end}.middle{text-anchor:middle}"
                            "line{stroke:#dde3e9}"
                            "</style>\n";

void bt_trace_svg_text(struct bt_trace_svg *svg, long x, long y, const char *class_name)
{
    bt_buf_printf(svg->buf, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">", x, y, class_name);
}

void bt_trace_svg_name(struct bt_trace_svg *svg, bt_str name, size_t columns)
{
    if (bt_trace_name_columns(name) > columns) {
        bt_buf_put_text(svg->buf, "<title>");
        bt_report_put_escaped(svg->buf, name, BT_NAME_SHOWN, bt_report_escape_xml);
        bt_buf_put_text(svg->buf, "</title>");
    }
    (void)bt_trace_put_truncated(svg->buf, name, columns, bt_report_escape_xml);
}

static void put_trace_head(struct bt_trace_svg *svg, const struct bt_trace *trace)
{
    bt_trace_svg_text(svg, BT_SVG_MARGIN, svg->y + 24, "title");
    bt_buf_put_text(svg->buf, "Trace ");
    bt_trace_svg_name(svg, trace->id, 60);
    bt_buf_put_text(svg->buf, "</text>\n");
    bt_trace_svg_text(svg, BT_SVG_MARGIN, svg->y + 44, "quiet");
    bt_trace_put_time(svg->buf, &trace->events[0]);
    bt_buf_put_text(svg->buf, ", ");
    bt_trace_put_duration(svg->buf, bt_trace_ms_between(&trace->events[0], bt_trace_last(trace)));
    bt_buf_put_text(svg->buf, ", ");
    bt_report_put_count(svg->buf, trace->event_count, "event");
    if (trace->error_count > 0) {
        bt_buf_put_text(svg->buf, ", <tspan class=\"bad\">");
        bt_report_put_count(svg->buf, trace->error_count, "error");
        bt_buf_put_text(svg->buf, "</tspan>");
    }
    bt_buf_put_text(svg->buf, "</text>\n");
    svg->y += BT_SVG_HEAD;
}

/* How large the whole picture is. */
static enum bt_status measure_picture(const struct bt_trace_set *traces, enum bt_trace_view view,
                                      struct bt_arena *arena, struct bt_trace_svg *out)
{
    out->y = BT_SVG_MARGIN;
    out->width = BT_SVG_WIDTH;
    for (size_t i = 0; i < traces->count; i++) {
        const struct bt_trace *trace = &traces->items[i];
        out->y += BT_SVG_HEAD;
        if (view == BT_TRACE_VIEW_TIMELINE) {
            out->y += bt_trace_svg_timeline_height(trace);
            continue;
        }
        struct bt_trace_hop_ends places;
        BT_TRY(bt_trace_hop_ends_of(arena, trace, &places));
        bt_arena_reset(arena);
        const long width = bt_trace_svg_chain_width(places.count);
        out->width = width > out->width ? width : out->width;
        out->y += bt_trace_svg_chain_height(trace);
    }
    return BT_OK;
}

static enum bt_status put_traces(const struct bt_trace_set *traces, enum bt_trace_view view,
                                 struct bt_arena *arena, struct bt_trace_svg *svg)
{
    for (size_t i = 0; i < traces->count; i++) {
        const struct bt_trace *trace = &traces->items[i];
        put_trace_head(svg, trace);
        BT_TRY(view == BT_TRACE_VIEW_TIMELINE ? bt_trace_svg_timeline(svg, arena, trace)
                                              : bt_trace_svg_chain(svg, arena, trace));
        bt_arena_reset(arena);
    }
    return BT_OK;
}

static enum bt_status put_picture(const struct bt_trace_set *traces, enum bt_trace_view view,
                                  struct bt_arena *arena, struct bt_buf *buf)
{
    struct bt_trace_svg size = {0};
    BT_TRY(measure_picture(traces, view, arena, &size));
    bt_buf_printf(buf,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" "
                  "viewBox=\"0 0 %ld %ld\" role=\"img\">\n<title>",
                  size.width, size.y, size.width, size.y);
    bt_buf_put_text(buf, view == BT_TRACE_VIEW_TIMELINE ? "Timeline of " : "Handoffs of ");
    bt_report_put_count(buf, traces->count, "trace");
    bt_buf_put_text(buf, "</title>\n");
    bt_buf_put_text(buf, style);
    bt_buf_printf(buf,
                  "<rect x=\"1\" y=\"1\" width=\"%ld\" height=\"%ld\" rx=\"10\" fill=\"#fff\" "
                  "stroke=\"#dde3e9\"/>\n",
                  size.width - 2, size.y - 2);
    struct bt_trace_svg svg = {.buf = buf, .y = BT_SVG_MARGIN / 2, .width = size.width};
    BT_TRY(put_traces(traces, view, arena, &svg));
    bt_buf_put_text(buf, "</svg>\n");
    return BT_OK;
}

enum bt_status bt_trace_render_svg(const struct bt_trace_set *traces,
                                   const struct bt_trace_render_options *options,
                                   struct bt_buf *buf)
{
    struct bt_arena arena;
    bt_arena_init(&arena, traces->arena->limit);
    const enum bt_status status = put_picture(traces, options->view, &arena, buf);
    bt_arena_free(&arena);
    return status;
}
