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

#include "json/text_hash.h"
#include "schema/uri.h"

static uint64_t hash_address(const void *address)
{
    return bt_json_hash_combine((uint64_t)(uintptr_t)address, 1);
}

uint32_t bt_host_frame_node(const struct bt_schema_frame *frame, const bt_json_value *value)
{
    struct bt_schema_hash_index_search search = {hash_address(value), 0};
    uint32_t node = bt_schema_hash_index_next(&frame->by_value, &search);
    while (node != BT_INDEX_NONE && frame->nodes[node].value != value) {
        node = bt_schema_hash_index_next(&frame->by_value, &search);
    }
    return node == BT_INDEX_NONE ? BT_NO_NODE : node;
}

uint32_t bt_host_frame_resource(const struct bt_schema_frame *frame, bt_str uri)
{
    /* The index holds names of resources: pairs of a resource and one of its URIs. The first that
     * claimed a URI keeps it. */
    struct bt_schema_hash_index_search search = {bt_json_hash_text(2, uri), 0};
    for (uint32_t found = bt_schema_hash_index_next(&frame->by_uri, &search);
         found != BT_INDEX_NONE; found = bt_schema_hash_index_next(&frame->by_uri, &search)) {
        const struct bt_anchor *name = &frame->anchors[found];
        if (name->node == BT_NO_NODE && bt_str_eq(name->name, uri)) {
            return name->resource;
        }
    }
    return BT_NO_RESOURCE;
}

const struct bt_anchor *bt_host_frame_anchor(const struct bt_schema_frame *frame, uint32_t resource,
                                             bt_str name)
{
    struct bt_schema_hash_index_search search = {bt_json_hash_text(3 + (uint64_t)resource, name),
                                                 0};
    for (uint32_t found = bt_schema_hash_index_next(&frame->by_anchor, &search);
         found != BT_INDEX_NONE; found = bt_schema_hash_index_next(&frame->by_anchor, &search)) {
        const struct bt_anchor *anchor = &frame->anchors[found];
        if (anchor->resource == resource && bt_str_eq(anchor->name, name)) {
            return anchor;
        }
    }
    return NULL;
}

static enum bt_status push_anchor(struct bt_schema_frame *frame, const struct bt_anchor *anchor,
                                  uint32_t *out_number)
{
    void *anchors = frame->anchors;
    BT_TRY(bt_vec_reserve(frame->scratch, &anchors, frame->anchors_count, &frame->anchors_capacity,
                          sizeof(*frame->anchors)));
    frame->anchors = anchors;
    *out_number = (uint32_t)frame->anchors_count;
    frame->anchors[frame->anchors_count++] = *anchor;
    return BT_OK;
}

enum bt_status bt_host_frame_name(struct bt_schema_frame *frame, uint32_t resource, bt_str uri)
{
    if (bt_host_frame_resource(frame, uri) != BT_NO_RESOURCE) {
        return BT_OK;
    }
    uint32_t number = 0;
    const struct bt_anchor name = {.name = uri, .resource = resource, .node = BT_NO_NODE};
    BT_TRY(push_anchor(frame, &name, &number));
    return bt_schema_hash_index_add(&frame->by_uri, bt_json_hash_text(2, uri), number);
}

static enum bt_status add_anchor(struct bt_schema_frame *frame, uint32_t node, bt_str name,
                                 bool is_dynamic)
{
    const uint32_t resource = frame->nodes[node].resource;
    uint32_t number = 0;
    const struct bt_anchor anchor = {name, resource, node, is_dynamic};
    BT_TRY(push_anchor(frame, &anchor, &number));
    return bt_schema_hash_index_add(&frame->by_anchor,
                                    bt_json_hash_text(3 + (uint64_t)resource, name), number);
}

const struct bt_json_doc *bt_host_frame_doc(const struct bt_schema_frame *frame,
                                            const struct bt_node *node)
{
    return frame->documents[frame->resources[node->resource].document].document;
}

const bt_json_value *bt_host_frame_keyword(const struct bt_schema_frame *frame,
                                           const struct bt_node *node, enum bt_keyword keyword)
{
    return bt_node_has(node, keyword) ? bt_json_get(bt_host_frame_doc(frame, node), node->value,
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
                                   const struct bt_resource *resource, uint32_t *out_number)
{
    void *resources = frame->resources;
    BT_TRY(bt_vec_reserve(frame->scratch, &resources, frame->resources_count,
                          &frame->resources_capacity, sizeof(*frame->resources)));
    frame->resources = resources;
    *out_number = (uint32_t)frame->resources_count;
    frame->resources[frame->resources_count++] = *resource;
    return BT_OK;
}

/* A schema that has an identifier begins a resource; *resource becomes it. */
static enum bt_status begin_resource(struct bt_schema_frame *frame, const bt_json_value *value,
                                     uint32_t *resource)
{
    const struct bt_resource outer = frame->resources[*resource];
    const struct bt_json_doc *document = frame->documents[outer.document].document;
    struct bt_schema_dialect dialect = outer.dialect;
    const bt_json_value *schema = bt_json_get(document, value, BT_STR("$schema"));
    if (schema && bt_json_type(schema) == BT_JSON_STRING) {
        BT_TRY(bt_host_frame_find_dialect(frame, outer.document, schema, &dialect));
    }
    const struct bt_uri id = bt_uri_split(id_of(document, value, dialect.draft));
    if (id.whole.len == 0) {
        return BT_OK; /* $schema counts only beside an identifier */
    }
    struct bt_resource inner = {
        .root = (uint32_t)frame->nodes_count, .document = outer.document, .dialect = dialect};
    BT_TRY(bt_uri_resolve(frame->arena, outer.uri, id.whole, &inner.uri));
    BT_TRY(add_resource(frame, &inner, resource));
    return bt_host_frame_name(frame, *resource, inner.uri);
}

/* The names that a schema gives itself. */
static enum bt_status name_node(struct bt_schema_frame *frame, uint32_t number)
{
    const struct bt_node *node = &frame->nodes[number];
    struct bt_resource *resource = &frame->resources[node->resource];
    const struct bt_json_doc *document = frame->documents[resource->document].document;
    const bt_json_value *value = node->value;
    const enum bt_schema_draft draft = resource->dialect.draft;
    if (draft <= BT_SCHEMA_DRAFT_7) {
        const struct bt_uri id = bt_uri_split(id_of(document, value, draft));
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

enum bt_status bt_host_frame_add(struct bt_schema_frame *frame, const bt_json_value *value,
                                 uint32_t resource, uint32_t *out_node)
{
    const uint32_t known = bt_host_frame_node(frame, value);
    if (known != BT_NO_NODE) {
        *out_node = known;
        return BT_OK;
    }
    if (frame->nodes_count >= frame->options->nodes_max) {
        return BT_ELIMIT;
    }
    const bool is_root = frame->resources[resource].root == (uint32_t)frame->nodes_count;
    if (bt_json_type(value) == BT_JSON_OBJECT && !is_root) {
        BT_TRY(begin_resource(frame, value, &resource));
    }
    void *nodes = frame->nodes;
    BT_TRY(bt_vec_reserve(frame->scratch, &nodes, frame->nodes_count, &frame->nodes_capacity,
                          sizeof(*frame->nodes)));
    frame->nodes = nodes;
    const uint32_t number = (uint32_t)frame->nodes_count++;
    frame->nodes[number] = (struct bt_node){.value = value, .resource = resource};
    BT_TRY(bt_schema_hash_index_add(&frame->by_value, hash_address(value), number));
    if (bt_json_type(value) == BT_JSON_OBJECT) {
        BT_TRY(name_node(frame, number));
    }
    *out_node = number;
    return BT_OK;
}

enum bt_status bt_host_frame_enter(struct bt_schema_frame *frame, size_t number,
                                   uint32_t *out_resource)
{
    if (frame->documents[number].resource != BT_NO_RESOURCE) {
        *out_resource = frame->documents[number].resource;
        return BT_OK;
    }
    const struct bt_json_doc *document = frame->documents[number].document;
    const bt_json_value *root = bt_json_root(document);
    struct bt_resource resource = {.root = (uint32_t)frame->nodes_count,
                                   .document = (uint32_t)number,
                                   .uri = frame->documents[number].uri,
                                   .dialect = bt_schema_dialect_of(frame->options->draft)};
    const bt_json_value *schema = bt_json_get(document, root, BT_STR("$schema"));
    if (schema && bt_json_type(schema) == BT_JSON_STRING) {
        BT_TRY(bt_host_frame_find_dialect(frame, number, schema, &resource.dialect));
    }
    if (bt_json_type(root) == BT_JSON_OBJECT) {
        const bt_str id = id_of(document, root, resource.dialect.draft);
        BT_TRY(bt_uri_resolve(frame->arena, resource.uri, id, &resource.uri));
    }
    uint32_t entered = 0;
    BT_TRY(add_resource(frame, &resource, &entered));
    frame->documents[number].resource = entered;
    BT_TRY(bt_host_frame_name(frame, entered, resource.uri));
    BT_TRY(bt_host_frame_name(frame, entered, frame->documents[number].uri));
    uint32_t node = 0;
    BT_TRY(bt_host_frame_add(frame, root, entered, &node));
    *out_resource = entered;
    return BT_OK;
}
