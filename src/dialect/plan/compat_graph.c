/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_graph.c - a payload schema as an acyclic graph, and questions about its nodes.
 */
#include <assert.h>
#include <string.h>

#include "dialect/plan/compat.h"
#include "json/builder.h"
#include "json/get.h"
#include "schema/options.h"

enum { RUNS_MAX = 200000, FUEL = 1000000, DEPTH_SEEN = 4096 };

const bt_json_value *bt_payload_side_schema(const struct bt_payload_side *side, size_t node)
{
    assert(node < side->count);
    return node < BT_NODES_BEFORE ? NULL
                                  : side->payload->positions.items[node - BT_NODES_BEFORE].schema;
}

const bt_json_value *bt_payload_side_get(const struct bt_payload_side *side, size_t node,
                                         const char *name)
{
    const bt_json_value *schema = bt_payload_side_schema(side, node);
    return schema ? bt_json_get(side->payload->document, schema, bt_str_of(name)) : NULL;
}

size_t bt_payload_side_node(const struct bt_payload_side *side, const bt_json_value *schema)
{
    const size_t index = bt_payload_schema_positions_index(&side->payload->positions, schema);
    return index == SIZE_MAX ? BT_ANYTHING : index + BT_NODES_BEFORE;
}

static size_t target_of(const struct bt_payload_side *side, size_t node)
{
    const bt_json_value *ref = bt_payload_side_get(side, node, "$ref");
    const struct bt_json_doc *document = side->payload->document;
    if (!ref) {
        return BT_ABSENT;
    }
    const bt_json_value *found =
        bt_payload_ref_target(side->payload, bt_json_text(ref), bt_json_root(document));
    return found ? bt_payload_side_node(side, found) : BT_ABSENT;
}

/* The next node that `node` leads to: those directly below, then its target. */
static size_t next_edge(const struct bt_payload_side *side, size_t node, size_t *cursor)
{
    if (node < BT_NODES_BEFORE || *cursor == BT_ABSENT) {
        return BT_ABSENT;
    }
    const struct bt_payload_schema_position *items = side->payload->positions.items;
    const size_t position = node - BT_NODES_BEFORE;
    const size_t child = *cursor == 0 ? position + 1 : items[*cursor - 1].end;
    if (child < items[position].end) {
        *cursor = child + 1;
        return child + BT_NODES_BEFORE;
    }
    *cursor = BT_ABSENT;
    return side->targets[node];
}

/* Put each node after those that it leads to: leave them in the order of a search to the depth. */
static enum bt_status find_order(struct bt_payload_side *side, struct bt_arena *arena)
{
    size_t *cursors = BT_NEW_ARRAY(arena, size_t, side->count);
    size_t *path = BT_NEW_ARRAY(arena, size_t, side->count);
    bool *seen = BT_NEW_ARRAY(arena, bool, side->count);
    size_t ordered = 0;
    BT_TRY(cursors && path && seen ? BT_OK : BT_ENOMEM);
    for (size_t start = 0; start < side->count; start++) {
        size_t depth = 0;
        if (!seen[start]) {
            seen[start] = true;
            path[depth++] = start;
        }
        while (depth > 0) {
            const size_t node = path[depth - 1];
            const size_t next = next_edge(side, node, &cursors[node]);
            if (next == BT_ABSENT) {
                side->order[ordered++] = node;
                depth--;
            } else if (!seen[next]) {
                seen[next] = true;
                path[depth++] = next;
            }
        }
    }
    assert(ordered == side->count);
    return BT_OK;
}

enum bt_status bt_payload_side_begin(struct bt_payload_side *side, const struct bt_payload *payload,
                                     struct bt_arena *arena)
{
    const size_t count = payload->positions.count + BT_NODES_BEFORE;
    *side = (struct bt_payload_side){.payload = payload,
                                     .count = count,
                                     .targets = BT_NEW_ARRAY(arena, size_t, count),
                                     .order = BT_NEW_ARRAY(arena, size_t, count),
                                     .compiled = BT_NEW_ARRAY(arena, struct bt_schema *, count)};
    BT_TRY(side->targets && side->order && side->compiled ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        side->targets[i] = target_of(side, i);
    }
    return find_order(side, arena);
}

void bt_payload_side_end(struct bt_payload_side *side)
{
    for (size_t i = 0; side->compiled && i < side->count; i++) {
        bt_schema_destroy(side->compiled[i]);
    }
}

size_t bt_payload_side_resolve(const struct bt_payload_side *side, size_t node)
{
    for (size_t i = 0; i < DEPTH_SEEN; i++) {
        const bt_json_value *schema = bt_payload_side_schema(side, node);
        const bool is_alone =
            schema && side->targets[node] != BT_ABSENT &&
            (side->payload->draft == BT_SCHEMA_DRAFT_7 || bt_json_count(schema) == 1);
        if (!is_alone) {
            return node;
        }
        node = side->targets[node];
    }
    return node;
}

bool bt_payload_side_is_anything(const struct bt_payload_side *side, size_t node)
{
    const bt_json_value *schema = bt_payload_side_schema(side, node);
    return node == BT_ANYTHING ||
           (schema && (bt_json_type(schema) == BT_JSON_TRUE ||
                       (bt_json_type(schema) == BT_JSON_OBJECT && bt_json_count(schema) == 0)));
}

bool bt_payload_side_is_nothing(const struct bt_payload_side *side, size_t node)
{
    const bt_json_value *schema = bt_payload_side_schema(side, node);
    return node == BT_NOTHING || (schema && bt_json_type(schema) == BT_JSON_FALSE);
}

/* The node of a keyword that is one schema; absent, it allows anything. */
static size_t get_subschema_node(const struct bt_payload_side *side, size_t node,
                                 const char *keyword)
{
    const bt_json_value *schema = bt_payload_side_get(side, node, keyword);
    return schema && bt_payload_is_schema(schema) ? bt_payload_side_node(side, schema)
                                                  : BT_ANYTHING;
}

size_t bt_payload_side_property(const struct bt_payload_side *side, size_t node, bt_str name)
{
    const bt_json_value *properties = bt_payload_side_get(side, node, "properties");
    const bt_json_value *found =
        properties && name.ptr ? bt_json_get(side->payload->document, properties, name) : NULL;
    return found ? bt_payload_side_node(side, found)
                 : get_subschema_node(side, node, "additionalProperties");
}

/* The list of schemas for the first items, and the keyword for the rest. */
static const bt_json_value *first_items(const struct bt_payload_side *side, size_t node,
                                        const char **out_rest)
{
    const bool is_seven = side->payload->draft == BT_SCHEMA_DRAFT_7;
    const bt_json_value *list = bt_payload_side_get(side, node, is_seven ? "items" : "prefixItems");
    const bool has_list = list && bt_json_type(list) == BT_JSON_ARRAY;
    *out_rest = is_seven && has_list ? "additionalItems" : "items";
    return has_list ? list : NULL;
}

size_t bt_payload_side_items(const struct bt_payload_side *side, size_t node)
{
    const char *rest = NULL;
    const bt_json_value *list = first_items(side, node, &rest);
    return list ? bt_json_count(list) : 0;
}

size_t bt_payload_side_item(const struct bt_payload_side *side, size_t node, size_t index)
{
    const char *rest = NULL;
    const bt_json_value *list = first_items(side, node, &rest);
    return list && index < bt_json_count(list)
               ? bt_payload_side_node(side, &bt_json_items(list)[index])
               : get_subschema_node(side, node, rest);
}

bool bt_payload_side_requires(const struct bt_payload_side *side, size_t node, bt_str name)
{
    return bt_json_lists_text(bt_payload_side_get(side, node, "required"), name);
}

static unsigned type_bits(bt_str name)
{
    static const struct plan_compat_graph_row {
        bt_str name;
        unsigned bits;
    } rows[] = {
        {BT_STR_INIT("null"), BT_TYPE_NULL},
        {BT_STR_INIT("boolean"), BT_TYPE_BOOLEAN},
        {BT_STR_INIT("integer"), BT_TYPE_INTEGER},
        {BT_STR_INIT("number"), BT_TYPE_INTEGER | BT_TYPE_FRACTION},
        {BT_STR_INIT("string"), BT_TYPE_STRING},
        {BT_STR_INIT("array"), BT_TYPE_ARRAY},
        {BT_STR_INIT("object"), BT_TYPE_OBJECT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(rows[i].name, name)) {
            return rows[i].bits;
        }
    }
    return 0;
}

unsigned bt_payload_side_types(const struct bt_payload_side *side, size_t node)
{
    const bt_json_value *type = bt_payload_side_get(side, node, "type");
    const bt_json_value *items = type ? bt_json_items(type) : NULL;
    if (!type) {
        return BT_TYPE_ALL;
    }
    unsigned bits = type_bits(bt_json_text(type));
    for (size_t i = 0; items && i < bt_json_count(type); i++) {
        bits |= type_bits(bt_json_text(&items[i]));
    }
    return bits;
}

/* Compile the schema at a node by referring to it from outside, so that its own references hold. */
static enum bt_status compile_node(struct bt_payload_compat *compat, struct bt_payload_side *side,
                                   size_t node)
{
    static const bt_str uri = BT_STR_INIT("urn:baton:compat");
    struct bt_json_builder builder;
    const struct bt_json_doc *reference = NULL;
    struct bt_buf pointer;
    bt_buf_init(&pointer, 1 << 20);
    bt_buf_put(&pointer, uri);
    bt_buf_put_char(&pointer, '#');
    bt_payload_put_fragment(side->payload, bt_payload_side_schema(side, node), &pointer);
    struct bt_emit *emit = bt_json_builder_begin(&builder, compat->arena, NULL);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "$ref", bt_buf_str(&pointer));
    bt_emit_end(emit);
    const enum bt_status status = bt_json_builder_finish(&builder, pointer.status, &reference);
    bt_buf_free(&pointer);
    BT_TRY(status);
    const struct bt_schema_document document = {uri, side->payload->document};
    struct bt_schema_options options = bt_schema_options_default();
    options.documents = &document;
    options.documents_count = 1;
    options.skip_metaschema = true;
    return bt_schema_compile(reference, &options, NULL, &side->compiled[node]);
}

enum bt_status bt_payload_side_validate(struct bt_payload_compat *compat,
                                        struct bt_payload_side *side, size_t node,
                                        const struct bt_json_doc *value, enum bt_schema_result *out)
{
    *out = BT_SCHEMA_UNDECIDED;
    if (node < BT_NODES_BEFORE) {
        *out = node == BT_ANYTHING ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
        return BT_OK;
    }
    if (compat->runs++ >= RUNS_MAX) {
        return BT_OK;
    }
    if (!side->compiled[node]) {
        BT_TRY(compile_node(compat, side, node));
    }
    if (side->compiled[node] && value) {
        *out = bt_schema_run(side->compiled[node], compat->runner, value);
    }
    return BT_OK;
}

enum bt_status bt_payload_sample_read(struct bt_payload_compat *compat, bt_str sample,
                                      const struct bt_json_doc **out)
{
    struct bt_json_read_result read = {0};
    /* from: a candidate, of which nothing is known before it is read and validated */
    BT_TRY(bt_json_read(compat->arena, sample, NULL, &read));
    *out = read.document;
    return BT_OK;
}
