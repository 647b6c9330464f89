/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_types.c - which types of values a schema can accept at all.
 *
 * Each node starts with all of them and loses those that its keywords exclude, given what its
 * children can accept; the pass is repeated until nothing changes. Types only ever go away for a
 * reason, so stopping early leaves too many, never too few.
 */
#include "schema/lint.h"

#include <assert.h>

enum { PASSES_MAX = 16 };

static const struct schema_lint_types_type_name {
    bt_str name;
    uint8_t types;
} type_names[] = {
    {BT_STR_INIT("null"), BT_TAKES_NULL},
    {BT_STR_INIT("boolean"), BT_TAKES_BOOLEAN},
    {BT_STR_INIT("number"), BT_TAKES_INTEGER | BT_TAKES_FRACTION},
    {BT_STR_INIT("integer"), BT_TAKES_INTEGER},
    {BT_STR_INIT("string"), BT_TAKES_STRING},
    {BT_STR_INIT("array"), BT_TAKES_ARRAY},
    {BT_STR_INIT("object"), BT_TAKES_OBJECT},
};

enum { TYPE_NAMES = sizeof(type_names) / sizeof(type_names[0]) };

_Static_assert((int)TYPE_NAMES <= (int)BT_TYPE_NAMES_MAX, "there is no room for all names");

/* The types that one entry of `type` allows. An entry that is not the name of a type (draft 3
 * has schemas there, and "any") allows everything. */
static uint8_t named_types(const bt_json_value *name)
{
    for (size_t i = 0; i < TYPE_NAMES; i++) {
        if (bt_str_eq(bt_json_text(name), type_names[i].name)) {
            return type_names[i].types;
        }
    }
    return BT_TAKES_ALL;
}

static uint8_t types_of_type(const bt_json_value *type)
{
    if (bt_json_type(type) != BT_JSON_ARRAY) {
        return named_types(type);
    }
    uint8_t types = 0;
    for (size_t i = 0; i < bt_json_count(type); i++) {
        types = (uint8_t)(types | named_types(&bt_json_items(type)[i]));
    }
    return types;
}

static uint8_t type_of_value(const bt_json_value *value)
{
    switch (bt_json_type(value)) {
    case BT_JSON_NULL:
        return BT_TAKES_NULL;
    case BT_JSON_FALSE:
    case BT_JSON_TRUE:
        return BT_TAKES_BOOLEAN;
    case BT_JSON_INTEGER:
        return BT_TAKES_INTEGER;
    case BT_JSON_NUMBER:
        return BT_TAKES_INTEGER | BT_TAKES_FRACTION; /* 1.0 is an integer, in most drafts */
    case BT_JSON_STRING:
        return BT_TAKES_STRING;
    case BT_JSON_ARRAY:
        return BT_TAKES_ARRAY;
    case BT_JSON_OBJECT:
        return BT_TAKES_OBJECT;
    case BT_JSON_NONE:
        break;
    }
    return BT_TAKES_ALL;
}

static uint8_t types_of_enum(const bt_json_value *values)
{
    uint8_t types = bt_json_count(values) == 0 ? BT_TAKES_ALL : 0;
    for (size_t i = 0; bt_json_items(values) && i < bt_json_count(values); i++) {
        types = (uint8_t)(types | type_of_value(&bt_json_items(values)[i]));
    }
    return types;
}

uint8_t bt_schema_lint_run_own_types(const struct bt_schema_lint_run *lint,
                                     const struct bt_schema_node *node)
{
    if (bt_json_type(node->value) == BT_JSON_FALSE) {
        return 0;
    }
    const bt_json_value *type = bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_TYPE);
    const bt_json_value *constant = bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_CONST);
    const bt_json_value *values = bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_ENUM);
    unsigned types = BT_TAKES_ALL;
    types &= type ? types_of_type(type) : BT_TAKES_ALL;
    types &= constant ? type_of_value(constant) : BT_TAKES_ALL;
    types &= values ? types_of_enum(values) : BT_TAKES_ALL;
    return (uint8_t)types;
}

uint8_t bt_schema_lint_run_edge_types(const struct bt_schema_lint_run *lint,
                                      const struct bt_schema_edge *edge)
{
    return edge->to == BT_NO_NODE || edge->is_dynamic ? BT_TAKES_ALL : lint->takes[edge->to];
}

/* What a node can accept, given what the nodes it applies in place can. */
static uint8_t types_of_node(const struct bt_schema_lint_run *lint,
                             const struct bt_schema_node *node)
{
    unsigned types = bt_schema_lint_run_own_types(lint, node);
    unsigned any_of = 0;
    unsigned one_of = 0;
    bool has_any_of = false;
    bool has_one_of = false;
    for (uint32_t i = 0; i < node->edges_count; i++) {
        const struct bt_schema_edge *edge = &lint->frame.edges.items[node->edges + i];
        const uint8_t taken = bt_schema_lint_run_edge_types(lint, edge);
        if (edge->keyword == BT_SCHEMA_KW_ANY_OF) {
            has_any_of = true;
            any_of |= taken;
        } else if (edge->keyword == BT_SCHEMA_KW_ONE_OF) {
            has_one_of = true;
            one_of |= taken;
        } else if (edge->keyword == BT_SCHEMA_KW_ALL_OF || edge->keyword == BT_SCHEMA_KW_EXTENDS ||
                   edge->keyword == BT_SCHEMA_KW_REF) {
            types &= taken;
        }
    }
    types &= has_any_of ? any_of : BT_TAKES_ALL;
    types &= has_one_of ? one_of : BT_TAKES_ALL;
    return (uint8_t)types;
}

enum bt_status bt_schema_lint_run_find_types(struct bt_schema_lint_run *lint)
{
    const struct bt_schema_frame *frame = &lint->frame;
    lint->takes = BT_NEW_ARRAY(frame->scratch, uint8_t, frame->nodes.count);
    if (!lint->takes) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < frame->nodes.count; i++) {
        lint->takes[i] = BT_TAKES_ALL;
    }
    bool changed = true;
    for (int pass = 0; changed && pass < PASSES_MAX; pass++) {
        changed = false;
        /* Children mostly come after their parents. */
        for (size_t i = frame->nodes.count; i-- > 0;) {
            const uint8_t types = types_of_node(lint, &frame->nodes.items[i]);
            changed = changed || types != lint->takes[i];
            lint->takes[i] = types;
        }
    }
    return BT_OK;
}

/* Whether a row's name is among those that tell `types`: "number" says integers as well. */
static bool is_type_named(const struct schema_lint_types_type_name *row, uint8_t types)
{
    const bool has_fractions = (types & BT_TAKES_FRACTION) != 0;
    if (row->types & BT_TAKES_FRACTION) {
        return has_fractions;
    }
    return (row->types & types) && !(row->types == BT_TAKES_INTEGER && has_fractions);
}

struct bt_str_list bt_schema_lint_type_names(uint8_t types, bt_str names[BT_TYPE_NAMES_MAX])
{
    struct bt_str_list list = {names, 0};
    for (size_t i = 0; i < TYPE_NAMES; i++) {
        if (is_type_named(&type_names[i], types)) {
            names[list.count++] = type_names[i].name;
        }
    }
    return list;
}
