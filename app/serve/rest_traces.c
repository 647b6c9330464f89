/* SPDX-License-Identifier: Apache-2.0 */
/* rest_traces.c - traces of handoffs from agent to agent. */
#include "serve/rest.h"

static enum bt_status list_traces(struct serve_call *x)
{
    static const uint64_t limits[2] = {1, 500};
    struct serve_rest rest;
    uint64_t limit = 50;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return rest_query_number(&rest, "limit", limits, &limit)
               ? rest_end(&rest, bt_op_traces(&rest.work, limit))
               : rest_drop(&rest);
}

static enum bt_status get_trace(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, bt_op_trace(&rest.work, x->params[0])) : BT_OK;
}

static enum bt_status get_trace_graph(struct serve_call *x)
{
    static const char *const types[][2] = {{"mermaid", "text/plain; charset=utf-8"},
                                           {"dot", "text/vnd.graphviz; charset=utf-8"},
                                           {"svg", "image/svg+xml"}};
    bt_str value;
    const bt_str format = exchange_query(x, "format", &value) ? value : BT_STR("json");
    const char *type = NULL;
    struct serve_rest rest;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        type = bt_str_eq(format, bt_str_of(types[i][0])) ? types[i][1] : type;
    }
    return rest_begin(&rest, x)
               ? rest_end_as(&rest, bt_op_trace_graph(&rest.work, x->params[0], format), type)
               : BT_OK;
}

const struct serve_route trace_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/traces",
     .operation = "listTraces",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = list_traces,
     .query = "limit",
     .summary = "List the newest traces"},
    {.method = HTTP_GET,
     .path = "/v1/traces/{trace_id}",
     .operation = "getTrace",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = get_trace,
     .summary = "Show the handoffs of a trace"},
    {.method = HTTP_GET,
     .path = "/v1/traces/{trace_id}/graph",
     .operation = "getTraceGraph",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = get_trace_graph,
     .gives = "application/json text/plain text/vnd.graphviz image/svg+xml",
     .query = "format",
     .summary = "Draw the way of a trace from agent to agent"},
    {.path = NULL},
};
