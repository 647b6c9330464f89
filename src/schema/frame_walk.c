/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_walk.c - a node -> its keywords and the edges to the schemas below it.
 */
#include <assert.h>

#include "base/error.h"
#include "schema/frame.h"

static enum bt_status add_edge(struct bt_schema_frame *frame, const struct bt_schema_edge *edge)
{
    return bt_vec_push(frame->scratch, &frame->edges, *edge);
}

static bool is_schema(const bt_json_value *value)
{
    const enum bt_json_type type = bt_json_type(value);
    return type == BT_JSON_OBJECT || type == BT_JSON_TRUE || type == BT_JSON_FALSE;
}

/* A keyword of the node that is being walked. */
struct schema_frame_walk_visit {
    struct bt_schema_frame *frame;
    uint32_t resource;
    enum bt_schema_keyword keyword;
};

/* A value that is not a schema where one is expected violates the meta-schema, and is reported
 * there. */
static enum bt_status add_child(const struct schema_frame_walk_visit *visit,
                                const bt_json_value *value)
{
    if (!is_schema(value)) {
        return BT_OK;
    }
    struct bt_schema_edge edge = {.at = value,
                                  .keyword = (uint8_t)visit->keyword,
                                  .place = bt_keyword_rows[visit->keyword].place};
    BT_TRY(bt_schema_frame_add(visit->frame, value, visit->resource, &edge.to));
    return add_edge(visit->frame, &edge);
}

static enum bt_status add_items(const struct schema_frame_walk_visit *visit,
                                const bt_json_value *array, bool objects_only)
{
    const bt_json_value *items = bt_json_items(array);
    for (size_t i = 0; items && i < bt_json_count(array); i++) {
        if (!objects_only || bt_json_type(&items[i]) == BT_JSON_OBJECT) {
            BT_TRY(add_child(visit, &items[i]));
        }
    }
    return BT_OK;
}

static enum bt_status add_members(const struct schema_frame_walk_visit *visit,
                                  const bt_json_value *object)
{
    const struct bt_json_member *members = bt_json_members(object);
    for (size_t i = 0; members && i < bt_json_count(object); i++) {
        BT_TRY(add_child(visit, &members[i].value));
    }
    return BT_OK;
}

static enum bt_status add_children(const struct schema_frame_walk_visit *visit,
                                   const bt_json_value *value)
{
    const bool is_array = bt_json_type(value) == BT_JSON_ARRAY;
    switch ((enum bt_schema_keyword_shape)bt_keyword_rows[visit->keyword].shape) {
    case BT_SCHEMA_KEYWORD_SHAPE_NONE:
        return BT_OK;
    case BT_SCHEMA_KEYWORD_SHAPE_ONE:
        return add_child(visit, value);
    case BT_SCHEMA_KEYWORD_SHAPE_LIST:
        return add_items(visit, value, false);
    case BT_SCHEMA_KEYWORD_SHAPE_MAP:
    case BT_SCHEMA_KEYWORD_SHAPE_DEPENDENCY:
        return add_members(visit, value);
    case BT_SCHEMA_KEYWORD_SHAPE_MAP_OF_MAPS: {
        const struct bt_json_member *members = bt_json_members(value);
        for (size_t i = 0; members && i < bt_json_count(value); i++) {
            BT_TRY(add_members(visit, &members[i].value));
        }
        return BT_OK;
    }
    case BT_SCHEMA_KEYWORD_SHAPE_ONE_OR_LIST:
        return is_array ? add_items(visit, value, false) : add_child(visit, value);
    case BT_SCHEMA_KEYWORD_SHAPE_UNION: {
        const enum bt_schema_draft draft =
            visit->frame->resources.items[visit->resource].dialect.draft;
        if (draft != BT_SCHEMA_DRAFT_3) {
            return BT_OK;
        }
        return is_array || bt_json_type(value) != BT_JSON_OBJECT ? add_items(visit, value, true)
                                                                 : add_child(visit, value);
    }
    }
    assert(false); /* every shape has its case */
    return BT_OK;
}

static bool is_reference(enum bt_schema_keyword keyword)
{
    return keyword == BT_SCHEMA_KW_REF || keyword == BT_SCHEMA_KW_DYNAMIC_REF ||
           keyword == BT_SCHEMA_KW_RECURSIVE_REF;
}

static enum bt_status walk_member(const struct schema_frame_walk_visit *visit,
                                  const bt_json_value *value)
{
    if (!is_reference(visit->keyword)) {
        return add_children(visit, value);
    }
    if (bt_json_type(value) != BT_JSON_STRING) {
        return BT_OK;
    }
    const struct bt_schema_edge edge = {
        .at = value, .to = BT_NO_NODE, .keyword = (uint8_t)visit->keyword, .place = BT_IN_PLACE};
    return add_edge(visit->frame, &edge);
}

/* Up to draft 7 nothing beside a reference counts; definitions are still found by pointers, and
 * names in them are known, because many schemas of those drafts begin with a reference. */
static bool is_keyword_active(const struct bt_schema_frame *frame,
                              const struct bt_schema_node *node, bool has_ref,
                              enum bt_schema_keyword keyword)
{
    const enum bt_schema_draft draft = bt_frame_dialect(frame, node)->draft;
    return draft > BT_SCHEMA_DRAFT_7 || !has_ref || keyword == BT_SCHEMA_KW_REF ||
           keyword == BT_SCHEMA_KW_DEFINITIONS;
}

static enum bt_status walk_node(struct bt_schema_frame *frame, uint32_t number)
{
    struct bt_schema_node node = frame->nodes.items[number];
    node.edges = (uint32_t)frame->edges.count;
    const struct bt_schema_dialect dialect = *bt_frame_dialect(frame, &node);
    const bt_json_value *ref =
        bt_json_get(bt_schema_frame_doc(frame, &node), node.value, BT_STR("$ref"));
    const bool has_ref = ref && bt_json_type(ref) == BT_JSON_STRING;
    const struct bt_json_member *members = bt_json_members(node.value);
    for (size_t i = 0; members && i < bt_json_count(node.value); i++) {
        const enum bt_schema_keyword keyword =
            bt_schema_keyword_find(bt_json_name(&members[i]), &dialect);
        if (keyword == BT_SCHEMA_KW__MAX || !is_keyword_active(frame, &node, has_ref, keyword)) {
            continue;
        }
        node.keywords |= UINT64_C(1) << keyword;
        const struct schema_frame_walk_visit visit = {frame, node.resource, keyword};
        BT_TRY(walk_member(&visit, &members[i].value));
    }
    node.edges_count = (uint32_t)frame->edges.count - node.edges;
    frame->nodes.items[number] = node;
    return BT_OK;
}

enum bt_status bt_schema_frame_build(struct bt_schema_frame *frame,
                                     const struct bt_json_doc *schema)
{
    assert(frame->documents.count == 0);
    bt_map_init(&frame->by_value, frame->scratch, frame->options->hash_seed);
    bt_map_init(&frame->by_uri, frame->scratch, frame->options->hash_seed);
    bt_map_init(&frame->by_anchor, frame->scratch, frame->options->hash_seed);
    bt_map_init(&frame->by_member, frame->scratch, frame->options->hash_seed);
    size_t number = 0;
    BT_TRY(bt_schema_frame_copy(frame, schema, frame->options->uri, &number));
    uint32_t resource = 0;
    BT_TRY(bt_schema_frame_enter(frame, number, &resource));
    while (frame->nodes_walked < frame->nodes.count) {
        while (frame->nodes_walked < frame->nodes.count) {
            BT_TRY(walk_node(frame, (uint32_t)frame->nodes_walked));
            frame->nodes_walked++;
        }
        BT_TRY(bt_schema_frame_resolve_all(frame));
    }
    return BT_OK;
}
