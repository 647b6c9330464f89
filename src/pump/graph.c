/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - the call graph: nodes and edges as JSON, Mermaid or dot. */
#include <stdlib.h>

#include "base/vec.h"
#include "pump/control_query.h"

enum { PICTURE_BYTES_MAX = 1 << 28 };

struct pump_graph_node {
    bt_str name;
    const char *kind;
    bool is_listener;
    bool is_agent;
};

struct pump_graph_edge {
    bt_str from;
    bt_str to;
};

struct pump_graph {
    struct pump_graph_node *nodes;
    size_t nodes_count;
    BT_VEC(struct pump_graph_edge) edges;
    struct bt_arena *arena;
    enum bt_status status;
};

static void add_edge(struct pump_graph *graph, bt_str from, bt_str to)
{
    if (graph->status == BT_OK) {
        graph->status =
            bt_vec_push(graph->arena, &graph->edges, (struct pump_graph_edge){from, to});
    }
}

static void add_node(struct pump_graph *graph, bt_str name, const char *kind)
{
    graph->nodes[graph->nodes_count++] = (struct pump_graph_node){.name = name, .kind = kind};
}

/* Everything that can be called. */
static void add_capabilities(struct pump_graph *graph, const struct bt_organism *organism)
{
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_listener *listener = &organism->listeners[i];
        graph->nodes[graph->nodes_count++] =
            (struct pump_graph_node){listener->takes.name, "listener", true, listener->is_agent};
        for (size_t k = 0; k < listener->peers.count; k++) {
            add_edge(graph, listener->takes.name, listener->peers.items[k]);
        }
        if (listener->group.len > 0) {
            add_edge(graph, listener->group, listener->takes.name);
        }
    }
    for (size_t i = 0; i < organism->groups_count; i++) {
        add_node(graph, organism->groups[i].name, "group");
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        add_node(graph, organism->gateways[i].name, "gateway");
    }
}

static void add_clients(struct pump_graph *graph, const struct bt_organism *organism)
{
    const size_t callable = graph->nodes_count;
    for (size_t i = 0; i < organism->clients_count; i++) {
        const struct bt_organism_client *client = &organism->clients[i];
        for (size_t k = 0; k < callable; k++) {
            if (bt_organism_client_may_call(client, graph->nodes[k].name)) {
                add_edge(graph, client->name, graph->nodes[k].name);
            }
        }
        add_node(graph, client->name, "client");
    }
}

static int by_name(const void *left, const void *right)
{
    return bt_str_compare(((const struct pump_graph_node *)left)->name,
                          ((const struct pump_graph_node *)right)->name);
}

static int by_ends(const void *left, const void *right)
{
    const struct pump_graph_edge *a = left;
    const struct pump_graph_edge *b = right;
    const int first = bt_str_compare(a->from, b->from);
    return first != 0 ? first : bt_str_compare(a->to, b->to);
}

/* The number of a node. Pictures use it because a name may be a keyword of theirs. */
static size_t number_of(const struct pump_graph *graph, bt_str name)
{
    size_t i = 0;
    while (i < graph->nodes_count && !bt_str_eq(graph->nodes[i].name, name)) {
        i++;
    }
    return i;
}

/* Drop edges to listeners that were removed, which peers may still name. */
static void drop_loose_edges(struct pump_graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->edges.count; i++) {
        if (number_of(graph, graph->edges.items[i].to) < graph->nodes_count) {
            graph->edges.items[count++] = graph->edges.items[i];
        }
    }
    graph->edges.count = count;
}

static enum bt_status build_graph(struct pump_graph *graph, const struct bt_organism *organism)
{
    const size_t most = organism->listeners_count + organism->groups_count +
                        organism->gateways_count + organism->clients_count;
    graph->nodes = BT_NEW_ARRAY(graph->arena, struct pump_graph_node, most + 1);
    if (!graph->nodes) {
        return BT_ENOMEM;
    }
    add_capabilities(graph, organism);
    add_clients(graph, organism);
    drop_loose_edges(graph);
    qsort(graph->nodes, graph->nodes_count, sizeof(graph->nodes[0]), by_name);
    if (graph->edges.count > 0) {
        qsort(graph->edges.items, graph->edges.count, sizeof(graph->edges.items[0]), by_ends);
    }
    return graph->status;
}

static void put_json(const struct pump_graph *graph, struct bt_emit *emit)
{
    bt_emit_begin_object(emit);
    bt_emit_member_array(emit, "nodes");
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct pump_graph_node *node = &graph->nodes[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "name", node->name);
        bt_emit_member_string(emit, "kind", bt_str_of(node->kind));
        if (node->is_listener) {
            bt_emit_member_bool(emit, "agent", node->is_agent);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "edges");
    for (size_t i = 0; i < graph->edges.count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "from", graph->edges.items[i].from);
        bt_emit_member_string(emit, "to", graph->edges.items[i].to);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_picture(const struct pump_graph *graph, bool is_dot, struct bt_buf *buf)
{
    bt_buf_put_text(buf, is_dot ? "digraph pump {\n" : "flowchart LR\n");
    for (size_t i = 0; i < graph->nodes_count; i++) {
        bt_buf_printf(buf, is_dot ? "  n%zu [label=\"%.*s\"];\n" : "  n%zu[\"%.*s\"]\n", i,
                      BT_STR_ARG(graph->nodes[i].name));
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        bt_buf_printf(buf, is_dot ? "  n%zu -> n%zu;\n" : "  n%zu --> n%zu\n",
                      number_of(graph, graph->edges.items[i].from),
                      number_of(graph, graph->edges.items[i].to));
    }
    bt_buf_put_text(buf, is_dot ? "}\n" : "");
}

enum bt_status bt_control_method_graph(struct bt_pump_control_call *call)
{
    const bt_json_value *format = bt_control_call_find_param(call, "format");
    const bt_str form = format ? bt_json_text(format) : BT_STR("json");
    const bool is_dot = bt_str_eq(form, BT_STR("dot"));
    struct pump_graph graph = {.arena = call->arena, .status = BT_OK};
    if (!is_dot && !bt_str_eq(form, BT_STR("json")) && !bt_str_eq(form, BT_STR("mermaid"))) {
        return bt_control_call_reject(call, "format is json, mermaid or dot");
    }
    BT_TRY(build_graph(&graph, call->pump->organism));
    if (bt_str_eq(form, BT_STR("json"))) {
        put_json(&graph, &call->emit);
        return BT_OK;
    }
    struct bt_buf picture;
    bt_buf_init(&picture, PICTURE_BYTES_MAX);
    put_picture(&graph, is_dot, &picture);
    bt_emit_begin_object(&call->emit);
    bt_emit_member_string(&call->emit, "text", bt_buf_str(&picture));
    bt_emit_end(&call->emit);
    const enum bt_status status = picture.status;
    bt_buf_free(&picture);
    return status;
}
