/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_ref.c - $ref, $dynamicRef, $recursiveRef.
 *
 * A dynamic reference whose name only one resource has leads to the same schema whatever the path,
 * and is an ordinary one. For the others there are registers.
 */
#include <assert.h>

#include "schema/code.h"

static bool is_register(const struct bt_schema_register_name *place, bt_str name, bool is_recursive)
{
    return place->is_recursive == is_recursive && (is_recursive || bt_str_eq(place->name, name));
}

/* The register of a name, or registers_count. */
static size_t find_register(const struct bt_schema_coder *coder, bt_str name, bool is_recursive)
{
    size_t i = 0;
    while (i < coder->registers.count &&
           !is_register(&coder->registers.items[i], name, is_recursive)) {
        i++;
    }
    return i;
}

static size_t register_of(const struct bt_schema_coder *coder, const struct bt_schema_edge *edge)
{
    return find_register(coder, bt_schema_edge_name(edge),
                         edge->keyword == BT_SCHEMA_KW_RECURSIVE_REF);
}

static enum bt_status add_register(struct bt_schema_coder *coder, const struct bt_schema_edge *edge)
{
    if (register_of(coder, edge) < coder->registers.count) {
        return BT_OK;
    }
    return bt_vec_push(coder->scratch, &coder->registers,
                       (struct bt_schema_register_name){
                           .name = bt_schema_edge_name(edge),
                           .is_recursive = edge->keyword == BT_SCHEMA_KW_RECURSIVE_REF});
}

static void add_candidate(struct bt_schema_coder *coder, uint32_t node, size_t place)
{
    if (place < coder->registers.count) {
        coder->candidates.nodes[coder->candidates.count] = node;
        coder->candidates.registers[coder->candidates.count++] = (uint32_t)place;
    }
}

static enum bt_status find_candidates(struct bt_schema_coder *coder)
{
    const struct bt_schema_frame *frame = coder->frame;
    const size_t most = frame->anchors.count + frame->resources.count;
    coder->candidates.count = 0;
    coder->candidates.nodes = BT_NEW_ARRAY(coder->scratch, uint32_t, most);
    coder->candidates.registers = BT_NEW_ARRAY(coder->scratch, uint32_t, most);
    coder->candidates.targets = BT_NEW_ARRAY(coder->arena, struct bt_schema_dynamic_target, most);
    coder->candidates.binds = BT_NEW_ARRAY(coder->scratch, bool, frame->resources.count);
    if (!coder->candidates.nodes || !coder->candidates.registers || !coder->candidates.targets ||
        !coder->candidates.binds) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < frame->anchors.count; i++) {
        const struct bt_schema_anchor *anchor = &frame->anchors.items[i];
        if (anchor->is_dynamic) {
            add_candidate(coder, anchor->node, find_register(coder, anchor->name, false));
        }
    }
    for (size_t i = 0; i < frame->resources.count; i++) {
        if (frame->resources.items[i].is_recursive) {
            add_candidate(coder, frame->resources.items[i].root,
                          find_register(coder, BT_STR(""), true));
        }
    }
    return BT_OK;
}

/* Make ordinary references of those that can lead to one place only. */
static bool resolve_single_targets(struct bt_schema_coder *coder)
{
    bool any = false;
    for (size_t i = 0; i < coder->frame->edges.count; i++) {
        struct bt_schema_edge *edge = &coder->frame->edges.items[i];
        if (!edge->is_dynamic) {
            continue;
        }
        const size_t place = register_of(coder, edge);
        size_t others = 0;
        for (size_t k = 0; k < coder->candidates.count; k++) {
            others +=
                coder->candidates.registers[k] == place && coder->candidates.nodes[k] != edge->to;
        }
        edge->is_dynamic = others > 0 || edge->to == BT_NO_NODE;
        any = any || edge->is_dynamic;
    }
    return any;
}

enum bt_status bt_schema_code_find_registers(struct bt_schema_coder *coder)
{
    struct bt_schema_frame *frame = coder->frame;
    for (size_t i = 0; i < frame->edges.count; i++) {
        if (frame->edges.items[i].is_dynamic) {
            BT_TRY(add_register(coder, &frame->edges.items[i]));
        }
    }
    BT_TRY(find_candidates(coder));
    if (coder->registers.count > 0 && !resolve_single_targets(coder)) {
        coder->registers.count = 0;
        coder->candidates.count = 0;
    }
    for (size_t i = 0; i < coder->candidates.count; i++) {
        coder->candidates.binds[frame->nodes.items[coder->candidates.nodes[i]].resource] = true;
    }
    return BT_OK;
}

bool bt_schema_code_binds(const struct bt_schema_coder *coder, uint32_t resource)
{
    return coder->candidates.binds[resource];
}

enum bt_status bt_schema_code_entered(struct bt_schema_coder *coder)
{
    const uint32_t resource = bt_schema_code_node(coder)->resource;
    struct bt_schema_scope *scope = BT_NEW(coder->arena, struct bt_schema_scope);
    struct bt_schema_binding *bindings =
        BT_NEW_ARRAY(coder->arena, struct bt_schema_binding, coder->candidates.count);
    if (!scope || !bindings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < coder->candidates.count; i++) {
        if (coder->frame->nodes.items[coder->candidates.nodes[i]].resource == resource) {
            bindings[scope->bindings_count++] =
                (struct bt_schema_binding){coder->candidates.registers[i], (uint32_t)i};
        }
    }
    bt_arena_shrink_last(coder->arena, bindings, scope->bindings_count * sizeof(*bindings));
    scope->bindings = bindings;
    BT_TRY(bt_schema_code_use_variant(coder, coder->variant - BT_VARIANT_ENTERED, &scope->use));
    return bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_SCOPE,
                                                                .types = BT_SCHEMA_TYPE_SET_ALL,
                                                                .as.scope = scope});
}

/* Every schema that the name can mean must be there when it is asked for. */
static enum bt_status add_target_refs(struct bt_schema_coder *coder, size_t place)
{
    const unsigned tracked = coder->is_tracked ? 1 : 0;
    for (size_t i = 0; i < coder->candidates.count; i++) {
        struct bt_schema_block_ref *use = &coder->candidates.targets[i].uses[tracked];
        if (coder->candidates.registers[i] == place && use->kind == BT_USE_NONE) {
            BT_TRY(bt_schema_code_use_variant(coder,
                                              coder->candidates.nodes[i] * BT_VARIANTS +
                                                  (tracked ? BT_VARIANT_TRACKED : 0),
                                              use));
        }
    }
    return BT_OK;
}

static enum bt_status code_dynamic(struct bt_schema_coder *coder, const struct bt_schema_edge *edge)
{
    struct bt_schema_dynamic *dynamic = BT_NEW(coder->arena, struct bt_schema_dynamic);
    if (!dynamic) {
        return BT_ENOMEM;
    }
    const size_t place = register_of(coder, edge);
    dynamic->place = (uint32_t)place;
    BT_TRY(add_target_refs(coder, place));
    if (edge->to != BT_NO_NODE) {
        BT_TRY(bt_schema_code_use_node(coder, edge->to, coder->is_tracked, &dynamic->fallback));
    }
    return bt_schema_code_instr(
        coder,
        (struct bt_schema_instr){.op = BT_SCHEMA_OP_DYNAMIC,
                                 .types = BT_SCHEMA_TYPE_SET_ALL,
                                 .number = edge->keyword,
                                 .flags = coder->is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0,
                                 .as.dynamic = dynamic});
}

enum bt_status bt_schema_code_references(struct bt_schema_coder *coder)
{
    const struct bt_schema_node node = *bt_schema_code_node(coder);
    for (uint32_t i = 0; i < node.edges_count; i++) {
        const struct bt_schema_edge edge = coder->frame->edges.items[node.edges + i];
        if (edge.keyword != BT_SCHEMA_KW_REF && edge.keyword != BT_SCHEMA_KW_DYNAMIC_REF &&
            edge.keyword != BT_SCHEMA_KW_RECURSIVE_REF) {
            continue;
        }
        if (edge.is_dynamic) {
            BT_TRY(code_dynamic(coder, &edge));
        } else if (edge.to != BT_NO_NODE) {
            BT_TRY(bt_schema_code_in_place(coder, edge.to));
        }
    }
    return BT_OK;
}
