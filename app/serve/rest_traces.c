/* SPDX-License-Identifier: Apache-2.0 */
/* rest_traces.c - traces of handoffs from agent to agent. */
#include "serve/rest.h"

static enum bt_status list_traces(struct serve_rest *rest)
{
    return bt_op_traces(&rest->work, rest_number(rest, "limit", 50));
}

static enum bt_status get_trace(struct serve_rest *rest)
{
    return bt_op_trace(&rest->work, rest->x->params[0]);
}

static enum bt_status get_trace_graph(struct serve_rest *rest)
{
    static const char *const types[][2] = {{"mermaid", "text/plain; charset=utf-8"},
                                           {"dot", "text/vnd.graphviz; charset=utf-8"},
                                           {"svg", "image/svg+xml"}};
    const bt_str format = rest_has(rest, "format") ? rest_text(rest, "format") : BT_STR("json");
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (bt_str_eq(format, bt_str_of(types[i][0]))) {
            rest->type = types[i][1];
        }
    }
    return bt_op_trace_graph(&rest->work, rest->x->params[0], format);
}

const struct serve_handler trace_handlers[] = {
    {BT_OPERATION_TRACE_LIST, 0, .run = list_traces},
    {BT_OPERATION_TRACE_GET, 0, .run = get_trace},
    {BT_OPERATION_TRACE_GRAPH, 0, .run = get_trace_graph},
    {.run = NULL},
};
