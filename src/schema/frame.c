/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.c - values -> nodes and edges, by walking each document once.
 *
 * The list of nodes is the queue of the walk: a node that is walked adds those below it at the end.
 * References are resolved when the queue is empty, because they may lead to names that come later;
 * what they add is walked again, until nothing is left.
 */
#include "schema/frame.h"

#include <assert.h>

#include "base/error.h"
#include "schema/uri.h"

uint32_t bt_schema_frame_node(const struct bt_schema_frame *frame, const bt_json_value *value)
{
    const struct bt_map_entry *entry =
        bt_map_find(&frame->by_value, bt_map_number((uintptr_t)value));
    return entry ? bt_map_index(&frame->by_value, entry) : BT_NO_NODE;
}

uint32_t bt_schema_frame_resource(const struct bt_schema_frame *frame, bt_str uri)
{
    const struct bt_map_entry *entry = bt_map_find(&frame->by_uri, bt_map_text(uri));
    return entry ? (uint32_t)entry->value.number : BT_NO_RESOURCE;
}

const struct bt_schema_anchor *bt_schema_frame_anchor(const struct bt_schema_frame *frame,
                                                      uint32_t resource, bt_str name)
{
    const struct bt_map_entry *entry =
        bt_map_find(&frame->by_anchor, (struct bt_map_key){name, resource});
    return entry ? &frame->anchors.items[entry->value.number] : NULL;
}

enum bt_status bt_schema_frame_name(struct bt_schema_frame *frame, uint32_t resource, bt_str uri)
{
    const uint32_t count = frame->by_uri.count;
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&frame->by_uri, bt_map_text(uri), &entry));
    if (frame->by_uri.count > count) {
        entry->value.number = resource;
    }
    return BT_OK;
}

static enum bt_status add_anchor(struct bt_schema_frame *frame, uint32_t node, bt_str name,
                                 bool is_dynamic)
{
    const uint32_t resource = frame->nodes.items[node].resource;
    const uint32_t count = frame->by_anchor.count;
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&frame->by_anchor, (struct bt_map_key){name, resource}, &entry));
    if (frame->by_anchor.count > count) {
        entry->value.number = frame->anchors.count;
    }
    return bt_vec_push(frame->scratch, &frame->anchors,
                       (struct bt_schema_anchor){name, resource, node, is_dynamic});
}

const struct bt_json_doc *bt_schema_frame_doc(const struct bt_schema_frame *frame,
                                              const struct bt_schema_node *node)
{
    return frame->documents.items[frame->resources.items[node->resource].document].document;
}

const bt_json_value *bt_schema_frame_keyword(const struct bt_schema_frame *frame,
                                             const struct bt_schema_node *node,
                                             enum bt_schema_keyword keyword)
{
    return bt_schema_node_has(node, keyword)
               ? bt_json_get(bt_schema_frame_doc(frame, node), node->value,
                             bt_keyword_rows[keyword].name)
               : NULL;
}

/* A string member of a schema, or "". */
static bt_str text_of(const struct bt_json_doc *document, const bt_json_value *schema, bt_str name)
{
    const bt_json_value *value = bt_json_get(document, schema, name);
    return value ? bt_json_text(value) : BT_STR("");
}

/* Up to draft 7 a reference hides everything beside it, identifiers too. */
static bool is_hidden(const struct bt_json_doc *document, const bt_json_value *schema,
                      enum bt_schema_draft draft)
{
    const bt_json_value *ref = bt_json_get(document, schema, BT_STR("$ref"));
    return draft <= BT_SCHEMA_DRAFT_7 && ref && bt_json_type(ref) == BT_JSON_STRING;
}

static bt_str id_of(const struct bt_json_doc *document, const bt_json_value *schema,
                    enum bt_schema_draft draft)
{
    if (is_hidden(document, schema, draft)) {
        return BT_STR("");
    }
    return text_of(document, schema, draft <= BT_SCHEMA_DRAFT_4 ? BT_STR("id") : BT_STR("$id"));
}

static enum bt_status add_resource(struct bt_schema_frame *frame,
                                   const struct bt_schema_resource *resource, uint32_t *out_number)
{
    *out_number = (uint32_t)frame->resources.count;
    return bt_vec_push(frame->scratch, &frame->resources, *resource);
}

/* A schema that has an identifier begins a resource; *resource becomes it. */
static enum bt_status begin_resource(struct bt_schema_frame *frame, const bt_json_value *value,
                                     uint32_t *resource)
{
    const struct bt_schema_resource outer = frame->resources.items[*resource];
    const struct bt_json_doc *document = frame->documents.items[outer.document].document;
    struct bt_schema_dialect dialect = outer.dialect;
    const bt_json_value *schema = bt_json_get(document, value, BT_STR("$schema"));
    if (schema && bt_json_type(schema) == BT_JSON_STRING) {
        BT_TRY(bt_schema_frame_find_dialect(frame, outer.document, schema, &dialect));
    }
    const struct bt_schema_uri id = bt_schema_uri_split(id_of(document, value, dialect.draft));
    if (id.whole.len == 0) {
        return BT_OK; /* $schema counts only beside an identifier */
    }
    struct bt_schema_resource inner = {
        .root = (uint32_t)frame->nodes.count, .document = outer.document, .dialect = dialect};
    BT_TRY(bt_schema_uri_resolve(frame->arena, outer.uri, id.whole, &inner.uri));
    BT_TRY(add_resource(frame, &inner, resource));
    return bt_schema_frame_name(frame, *resource, inner.uri);
}

/* The names that a schema gives itself. */
static enum bt_status name_node(struct bt_schema_frame *frame, uint32_t number)
{
    const struct bt_schema_node *node = &frame->nodes.items[number];
    struct bt_schema_resource *resource = &frame->resources.items[node->resource];
    const struct bt_json_doc *document = frame->documents.items[resource->document].document;
    const bt_json_value *value = node->value;
    const enum bt_schema_draft draft = resource->dialect.draft;
    if (draft <= BT_SCHEMA_DRAFT_7) {
        const struct bt_schema_uri id = bt_schema_uri_split(id_of(document, value, draft));
        return id.fragment.len > 0 ? add_anchor(frame, number, id.fragment, false) : BT_OK;
    }
    const bt_str anchor = text_of(document, value, BT_STR("$anchor"));
    if (anchor.len > 0) {
        BT_TRY(add_anchor(frame, number, anchor, false));
    }
    if (draft == BT_SCHEMA_DRAFT_2019_09) {
        const bt_json_value *flag = bt_json_get(document, value, BT_STR("$recursiveAnchor"));
        if (flag && bt_json_type(flag) == BT_JSON_TRUE && resource->root == number) {
            resource->is_recursive = true;
        }
        return BT_OK;
    }
    const bt_str dynamic = text_of(document, value, BT_STR("$dynamicAnchor"));
    return dynamic.len > 0 ? add_anchor(frame, number, dynamic, true) : BT_OK;
}

enum bt_status bt_schema_frame_add(struct bt_schema_frame *frame, const bt_json_value *value,
                                   uint32_t resource, uint32_t *out_node)
{
    const uint32_t known = bt_schema_frame_node(frame, value);
    if (known != BT_NO_NODE) {
        *out_node = known;
        return BT_OK;
    }
    if (frame->nodes.count >= frame->options->nodes_max) {
        return BT_ELIMIT;
    }
    const bool is_root = frame->resources.items[resource].root == (uint32_t)frame->nodes.count;
    if (bt_json_type(value) == BT_JSON_OBJECT && !is_root) {
        BT_TRY(begin_resource(frame, value, &resource));
    }
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&frame->by_value, bt_map_number((uintptr_t)value), &entry));
    const uint32_t number = (uint32_t)frame->nodes.count;
    assert(bt_map_index(&frame->by_value, entry) == number);
    BT_TRY(bt_vec_push(frame->scratch, &frame->nodes,
                       (struct bt_schema_node){.value = value, .resource = resource}));
    if (bt_json_type(value) == BT_JSON_OBJECT) {
        BT_TRY(name_node(frame, number));
    }
    *out_node = number;
    return BT_OK;
}

enum bt_status bt_schema_frame_enter(struct bt_schema_frame *frame, size_t number,
                                     uint32_t *out_resource)
{
    if (frame->documents.items[number].resource != BT_NO_RESOURCE) {
        *out_resource = frame->documents.items[number].resource;
        return BT_OK;
    }
    const struct bt_json_doc *document = frame->documents.items[number].document;
    const bt_json_value *root = bt_json_root(document);
    struct bt_schema_resource resource = {.root = (uint32_t)frame->nodes.count,
                                          .document = (uint32_t)number,
                                          .uri = frame->documents.items[number].uri,
                                          .dialect = bt_schema_dialect_of(frame->options->draft)};
    const bt_json_value *schema = bt_json_get(document, root, BT_STR("$schema"));
    if (schema && bt_json_type(schema) == BT_JSON_STRING) {
        BT_TRY(bt_schema_frame_find_dialect(frame, number, schema, &resource.dialect));
    }
    if (bt_json_type(root) == BT_JSON_OBJECT) {
        const bt_str id = id_of(document, root, resource.dialect.draft);
        BT_TRY(bt_schema_uri_resolve(frame->arena, resource.uri, id, &resource.uri));
    }
    uint32_t entered = 0;
    BT_TRY(add_resource(frame, &resource, &entered));
    frame->documents.items[number].resource = entered;
    BT_TRY(bt_schema_frame_name(frame, entered, resource.uri));
    BT_TRY(bt_schema_frame_name(frame, entered, frame->documents.items[number].uri));
    uint32_t node = 0;
    BT_TRY(bt_schema_frame_add(frame, root, entered, &node));
    *out_resource = entered;
    return BT_OK;
}
