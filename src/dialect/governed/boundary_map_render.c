/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary_map_render.c - the handoff graph for Mermaid, for Graphviz, and as SVG.
 *
 * Arrows have the colour of their pattern. A pair that may hand off in both directions is one arrow
 * with two heads where both directions have the same pattern.
 */
#include "dialect/governed/governed_root.h"

#include <assert.h>

static const char *const colours[] = {"#66788a", "#2f6fb2", "#2e8b57", "#c77700", "#7b4fa3"};

static bool is_bidirectional(const struct bt_governed_root *governed_root, size_t from, size_t to)
{
    return bt_governed_map_allows(governed_root, to, from) &&
           bt_governed_pair_pattern(governed_root, from, to) ==
               bt_governed_pair_pattern(governed_root, to, from);
}

/* Whether an arrow begins here: of two ways in one arrow, the one from the first agent counts. */
static bool is_arrow_start(const struct bt_governed_root *governed_root, size_t from, size_t to)
{
    return bt_governed_map_allows(governed_root, from, to) &&
           (from < to || !is_bidirectional(governed_root, from, to));
}

typedef void governed_arrow_fn(const struct bt_governed_root *governed_root, struct bt_buf *buf,
                               size_t from, size_t to);

static void put_arrows(const struct bt_governed_root *governed_root, struct bt_buf *buf,
                       governed_arrow_fn *put)
{
    for (size_t from = 0; from < governed_root->count; from++) {
        for (size_t to = 0; to < governed_root->count; to++) {
            if (is_arrow_start(governed_root, from, to)) {
                put(governed_root, buf, from, to);
            }
        }
    }
}

static void put_mermaid_arrow(const struct bt_governed_root *governed_root, struct bt_buf *buf,
                              size_t from, size_t to)
{
    bt_buf_printf(buf, "    a%zu %s|%u| a%zu\n", from,
                  is_bidirectional(governed_root, from, to) ? "<-->" : "-->",
                  bt_governed_pair_pattern(governed_root, from, to), to);
}

void bt_governed_map_put_mermaid(const struct bt_governed_root *governed_root, struct bt_buf *buf)
{
    static const char *const shapes[BT_GOVERNED_AGENT_TYPE__MAX][2] = {
        {"[\"", "\"]"}, {"([\"", "\"])"}, {"{{\"", "\"}}"}};
    bt_buf_put_text(buf, "flowchart LR\n");
    for (size_t i = 0; i < governed_root->count; i++) {
        const struct bt_governed_agent *agent = &governed_root->agents[i];
        bt_buf_printf(buf, "    a%zu%s%.*s%s\n", i, shapes[agent->type][0], BT_STR_ARG(agent->id),
                      shapes[agent->type][1]);
    }
    put_arrows(governed_root, buf, put_mermaid_arrow);
}

static void put_dot_arrow(const struct bt_governed_root *governed_root, struct bt_buf *buf,
                          size_t from, size_t to)
{
    const unsigned pattern = bt_governed_pair_pattern(governed_root, from, to);
    bt_buf_printf(buf, "    a%zu -> a%zu [color=\"%s\", label=\"%u\"%s];\n", from, to,
                  colours[pattern], pattern,
                  is_bidirectional(governed_root, from, to) ? ", dir=both" : "");
}

void bt_governed_map_put_dot(const struct bt_governed_root *governed_root, struct bt_buf *buf)
{
    static const char *const shapes[BT_GOVERNED_AGENT_TYPE__MAX] = {"box", "ellipse", "hexagon"};
    bt_buf_put_text(buf, "digraph boundaries {\n"
                         "    graph [rankdir=LR, fontname=\"sans-serif\"];\n"
                         "    node [fontname=\"sans-serif\"];\n"
                         "    edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (size_t i = 0; i < governed_root->count; i++) {
        bt_buf_printf(buf, "    a%zu [shape=%s, label=\"%.*s\"];\n", i,
                      shapes[governed_root->agents[i].type],
                      BT_STR_ARG(governed_root->agents[i].id));
    }
    put_arrows(governed_root, buf, put_dot_arrow);
    bt_buf_put_text(buf, "}\n");
}

/* Three columns: domains, archetypes, orchestrators. Arrows within a column bend to its left. */
enum {
    MARGIN = 28,
    HEAD = 64,
    BEND = 110, /* room for arrows to the left of the domains */
    BOX_WIDTH = 200,
    BOX_HEIGHT = 34,
    ROW = 62,
    COLUMN = 340,
    SHOWN = 28, /* characters of an id in a box */
};

static long x_of(const struct bt_governed_root *governed_root, size_t agent)
{
    return MARGIN + BEND + (long)governed_root->agents[agent].type * COLUMN;
}

/* The place of an agent among those of its type. */
static long y_of(const struct bt_governed_root *governed_root, size_t agent)
{
    size_t before = 0;
    for (size_t type = 0; type < governed_root->agents[agent].type; type++) {
        before += governed_root->counts[type];
    }
    /* Columns stand lower from left to right, so that arrows pass between boxes. */
    return HEAD + (long)(agent - before) * ROW + (long)governed_root->agents[agent].type * ROW / 2;
}

static void put_svg_arrow(const struct bt_governed_root *governed_root, struct bt_buf *buf,
                          size_t from, size_t to)
{
    const unsigned pattern = bt_governed_pair_pattern(governed_root, from, to);
    const long side = x_of(governed_root, from) < x_of(governed_root, to) ? BOX_WIDTH : 0;
    const bool is_inside = governed_root->agents[from].type == governed_root->agents[to].type;
    const long shift = from < to ? -5 : 5; /* two ways stand beside each other */
    const long x1 = x_of(governed_root, from) + (is_inside ? 0 : side);
    const long x2 = x_of(governed_root, to) + (is_inside ? 0 : BOX_WIDTH - side);
    const long y1 = y_of(governed_root, from) + BOX_HEIGHT / 2 + shift;
    const long y2 = y_of(governed_root, to) + BOX_HEIGHT / 2 + shift;
    const long distance = y2 > y1 ? y2 - y1 : y1 - y2;
    const long bend = is_inside ? (distance / 4 < BEND - 30 ? 30 + distance / 4 : BEND) : 0;
    const long c1 = is_inside ? x1 - bend : (x1 + x2) / 2;
    const long c2 = is_inside ? x2 - bend : (x1 + x2) / 2;
    bt_buf_printf(buf,
                  "<path class=\"a\" d=\"M%ld %ldC%ld %ld %ld %ld %ld %ld\" stroke=\"%s\" "
                  "marker-end=\"url(#m%u)\"%s%u%s/>\n",
                  x1, y1, c1, y1, c2, y2, x2, y2, colours[pattern], pattern,
                  is_bidirectional(governed_root, from, to) ? " marker-start=\"url(#m"
                                                            : " data-pattern=\"",
                  pattern, is_bidirectional(governed_root, from, to) ? ")\"" : "\"");
}

static void put_markers(struct bt_buf *buf)
{
    bt_buf_put_text(buf, "<defs>\n");
    for (unsigned i = 1; i < sizeof(colours) / sizeof(colours[0]); i++) {
        bt_buf_printf(buf,
                      "<marker id=\"m%u\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
                      "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\">"
                      "<path d=\"M0 0L10 5L0 10z\" fill=\"%s\" stroke=\"none\"/></marker>\n",
                      i, colours[i]);
    }
    bt_buf_put_text(buf, "</defs>\n");
}

static void put_legend(struct bt_buf *buf)
{
    static const char *const texts[] = {"", "1 domain to domain", "2 archetype to domain",
                                        "3 domain to archetype", "4 with an orchestrator"};
    for (unsigned i = 1; i < sizeof(texts) / sizeof(texts[0]); i++) {
        bt_buf_printf(buf, "<text x=\"%d\" y=\"30\" style=\"fill:%s\">%s</text>\n",
                      MARGIN + ((int)i - 1) * 190, colours[i], texts[i]);
    }
}

static void put_box(const struct bt_governed_root *governed_root, struct bt_buf *buf, size_t index)
{
    static const int corners[BT_GOVERNED_AGENT_TYPE__MAX] = {4, 17, 0};
    const struct bt_governed_agent *agent = &governed_root->agents[index];
    const bool is_cut = agent->id.len > SHOWN;
    assert(agent->type < BT_GOVERNED_AGENT_TYPE__MAX);
    bt_buf_printf(
        buf,
        "<rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" rx=\"%d\"%s/>\n"
        "<text x=\"%ld\" y=\"%ld\" class=\"id\">%.*s%s</text>\n",
        x_of(governed_root, index), y_of(governed_root, index), BOX_WIDTH, BOX_HEIGHT,
        corners[agent->type],
        bt_governed_agent_is_candidate(agent) ? "" : " stroke-dasharray=\"5 4\"",
        x_of(governed_root, index) + BOX_WIDTH / 2, y_of(governed_root, index) + BOX_HEIGHT / 2 + 4,
        BT_STR_ARG(bt_str_slice(agent->id, 0, is_cut ? SHOWN - 3 : SHOWN)), is_cut ? "..." : "");
}

void bt_governed_map_put_svg(const struct bt_governed_root *governed_root, struct bt_buf *buf)
{
    size_t rows = 1;
    for (size_t i = 0; i < BT_GOVERNED_AGENT_TYPE__MAX; i++) {
        rows = governed_root->counts[i] > rows ? governed_root->counts[i] : rows;
    }
    const long width = (long)2 * MARGIN + BEND + (long)2 * COLUMN + BOX_WIDTH;
    const long height = HEAD + (long)(rows + 1) * ROW + MARGIN;
    bt_buf_printf(buf,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" "
                  "viewBox=\"0 0 %ld %ld\">\n<style>text{font:12px system-ui,sans-serif;"
                  "fill:#1f2933}.id{text-anchor:middle;font-weight:600}"
                  ".a{fill:none;stroke-width:1.6}rect{fill:#eef3f8;stroke:#2f6fb2}</style>\n"
                  "<rect width=\"%ld\" height=\"%ld\" style=\"fill:#fff;stroke:none\"/>\n",
                  width, height, width, height, width, height);
    put_markers(buf);
    put_legend(buf);
    put_arrows(governed_root, buf, put_svg_arrow);
    for (size_t i = 0; i < governed_root->count; i++) {
        put_box(governed_root, buf, i);
    }
    bt_buf_put_text(buf, "</svg>\n");
}
