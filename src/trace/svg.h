/* SPDX-License-Identifier: Apache-2.0 */
/* svg.h - shared by the two drawings. Lengths are whole pixels, so that no locale affects them. */
#ifndef BATON_SRC_TRACE_SVG_H
#define BATON_SRC_TRACE_SVG_H

#include "trace/views.h"

enum {
    BT_SVG_WIDTH = 960,
    BT_SVG_MARGIN = 28,
    BT_SVG_HEAD = 76, /* height of the lines about a trace */
};

/* Where the next thing goes. */
struct bt_trace_svg {
    struct bt_buf *buf;
    long y;
    long width;
};

/* "<text x= y= class=>"; the caller puts the text and </text>. */
void bt_trace_svg_text(struct bt_trace_svg *svg, long x, long y, const char *class_name);
/* A name in so many columns, with the whole of it as a tooltip where it had to be cut. */
void bt_trace_svg_name(struct bt_trace_svg *svg, bt_str name, size_t columns);

/* Put one trace from svg->y on, and move that behind it. */
BT_MUST_USE enum bt_status bt_trace_svg_timeline(struct bt_trace_svg *svg, struct bt_arena *arena,
                                                 const struct bt_trace *trace);
BT_MUST_USE enum bt_status bt_trace_svg_chain(struct bt_trace_svg *svg, struct bt_arena *arena,
                                              const struct bt_trace *trace);
/* How many pixels it takes. */
long bt_trace_svg_timeline_height(const struct bt_trace *trace);
long bt_trace_svg_chain_height(const struct bt_trace *trace);
/* How wide a chain of so many places is. */
long bt_trace_svg_chain_width(size_t places);

#endif
