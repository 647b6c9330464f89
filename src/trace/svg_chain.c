/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg_chain.c - hops as arrows between the lifelines of workflows, from the first to the last.
 */
#include "trace/svg.h"

enum {
    TIMES_WIDTH = 100, /* the column with the times of day */
    PLACE_WIDTH = 250,
    BOX_WIDTH = 180,
    BOX_HEIGHT = 32,
    BOX_COLUMNS = 24,
    HOP_ROW = 46,
    LOOP_WIDTH = 36,
    TRACE_GAP = 36,
};

static long x_of(size_t place)
{
    return BT_SVG_MARGIN + TIMES_WIDTH + BOX_WIDTH / 2 + (long)place * PLACE_WIDTH;
}

long bt_trace_svg_chain_width(size_t places)
{
    return places > 0 ? x_of(places - 1) + BOX_WIDTH / 2 + BT_SVG_MARGIN : 0;
}

long bt_trace_svg_chain_height(const struct bt_trace *trace)
{
    return (trace->hop_count > 0 ? BOX_HEIGHT : 0) + (long)trace->hop_count * HOP_ROW + TRACE_GAP;
}

static void put_places(struct bt_trace_svg *svg, const struct bt_trace_hop_ends *places,
                       long bottom)
{
    for (size_t i = 0; i < places->count; i++) {
        const long x = x_of(i);
        bt_buf_printf(svg->buf,
                      "<line x1=\"%ld\" y1=\"%ld\" x2=\"%ld\" y2=\"%ld\" stroke-dasharray=\"3 4\"/>"
                      "\n<rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" rx=\"6\" "
                      "fill=\"#eef3f8\" stroke=\"#2f6fb2\"/>\n",
                      x, svg->y + BOX_HEIGHT, x, bottom, x - BOX_WIDTH / 2, svg->y, BOX_WIDTH,
                      BOX_HEIGHT);
        bt_trace_svg_text(svg, x, svg->y + BOX_HEIGHT / 2 + 4, "name middle");
        bt_trace_svg_name(svg, places->names[i], BOX_COLUMNS);
        bt_buf_put_text(svg->buf, "</text>\n");
    }
}

/* An arrow from one lifeline to another, or out and back again; dashed when it was not received. */
static void put_arrow(struct bt_trace_svg *svg, long from, long to, const struct bt_trace_hop *hop,
                      const char *colour)
{
    const long y = svg->y;
    const char *dashes = hop->received ? "" : " stroke-dasharray=\"6 4\"";
    if (from == to) {
        bt_buf_printf(svg->buf, "<path d=\"M%ld %ldh%dv12h-%d\" fill=\"none\" stroke=\"%s\"%s/>\n",
                      from, y, LOOP_WIDTH, LOOP_WIDTH - 8, colour, dashes);
        bt_buf_printf(svg->buf, "<path d=\"M%ld %ldl9-5v10z\" fill=\"%s\"/>\n", from, y + 12,
                      colour);
        return;
    }
    const int back = to > from ? -9 : 9;
    bt_buf_printf(svg->buf, "<path d=\"M%ld %ldH%ld\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", from,
                  y, to + back, colour, dashes);
    bt_buf_printf(svg->buf, "<path d=\"M%ld %ldl%d-5v10z\" fill=\"%s\"/>\n", to, y, back, colour);
}

static void put_hop(struct bt_trace_svg *svg, const struct bt_trace_hop_ends *places,
                    const struct bt_trace *trace, size_t index)
{
    const struct bt_trace_hop *hop = &trace->hops[index];
    const long from = x_of(places->of_end[2 * index]);
    const long to = x_of(places->of_end[2 * index + 1]);
    const bool failed = bt_str_eq(hop->validation.text, BT_STR("failed"));
    char time[BT_INSTANT_TEXT_BYTES] = "";
    svg->y += HOP_ROW;
    if (bt_timestamp_format(hop->transmitted->at, time)) {
        bt_trace_svg_text(svg, BT_SVG_MARGIN, svg->y + 4, "small");
        bt_buf_printf(svg->buf, "%.12s</text>\n", time + sizeof("2026-04-14T") - 1);
    }
    put_arrow(svg, from, to, hop, failed ? "#c0392b" : "#2f6fb2");
    const long label_x = from == to ? from + LOOP_WIDTH + 8 : (from + to) / 2;
    bt_trace_svg_text(svg, label_x, svg->y - 8, from == to ? "fact halo" : "fact halo middle");
    bt_buf_put_text(svg->buf, failed ? "<tspan class=\"bad\">" : "<tspan>");
    bt_trace_put_hop_facts(svg->buf, hop, bt_report_escape_xml);
    bt_buf_put_text(svg->buf, "</tspan></text>\n");
}

enum bt_status bt_trace_svg_chain(struct bt_trace_svg *svg, struct bt_arena *arena,
                                  const struct bt_trace *trace)
{
    struct bt_trace_hop_ends places;
    BT_TRY(bt_trace_hop_ends_of(arena, trace, &places));
    const long end = svg->y + bt_trace_svg_chain_height(trace);
    put_places(svg, &places, end - TRACE_GAP + 14);
    svg->y += BOX_HEIGHT;
    if (trace->hop_count == 0) {
        bt_trace_svg_text(svg, BT_SVG_MARGIN, end - TRACE_GAP, "quiet");
        bt_buf_put_text(svg->buf, "no handoff was transmitted</text>\n");
    }
    for (size_t i = 0; i < trace->hop_count; i++) {
        put_hop(svg, &places, trace, i);
    }
    svg->y = end;
    return BT_OK;
}
