/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c - the positions of schemas in a payload schema. */
#include "dialect/plan/payload.h"

#include <assert.h>

#include "base/vec.h"
#include "schema/draft.h"

enum { DEPTH_MAX = 1001 };

enum plan_positions_shape {
    PLAN_POSITIONS_SHAPE_ONE = 1,
    PLAN_POSITIONS_SHAPE_LIST = 2,
    PLAN_POSITIONS_SHAPE_MAP = 4
};

static const struct plan_positions_entered {
    bt_str name;
    unsigned shapes;
} entered[] = {
    {BT_STR_INIT("$defs"), PLAN_POSITIONS_SHAPE_MAP},
    {BT_STR_INIT("additionalItems"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("additionalProperties"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("allOf"), PLAN_POSITIONS_SHAPE_LIST},
    {BT_STR_INIT("anyOf"), PLAN_POSITIONS_SHAPE_LIST},
    {BT_STR_INIT("contains"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("contentSchema"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("definitions"), PLAN_POSITIONS_SHAPE_MAP},
    {BT_STR_INIT("dependencies"), PLAN_POSITIONS_SHAPE_MAP},
    {BT_STR_INIT("dependentSchemas"), PLAN_POSITIONS_SHAPE_MAP},
    {BT_STR_INIT("else"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("if"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("items"), PLAN_POSITIONS_SHAPE_ONE | PLAN_POSITIONS_SHAPE_LIST},
    {BT_STR_INIT("not"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("oneOf"), PLAN_POSITIONS_SHAPE_LIST},
    {BT_STR_INIT("patternProperties"), PLAN_POSITIONS_SHAPE_MAP},
    {BT_STR_INIT("prefixItems"), PLAN_POSITIONS_SHAPE_LIST},
    {BT_STR_INIT("properties"), PLAN_POSITIONS_SHAPE_MAP},
    {BT_STR_INIT("propertyNames"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("then"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("unevaluatedItems"), PLAN_POSITIONS_SHAPE_ONE},
    {BT_STR_INIT("unevaluatedProperties"), PLAN_POSITIONS_SHAPE_ONE},
};

static unsigned shapes_of(bt_str name)
{
    for (size_t i = 0; i < sizeof(entered) / sizeof(entered[0]); i++) {
        if (bt_str_eq(entered[i].name, name)) {
            return entered[i].shapes;
        }
    }
    return 0;
}

bool bt_payload_keyword_has_schemas(bt_str name)
{
    return shapes_of(name) != 0;
}

bool bt_payload_is_schema(const bt_json_value *value)
{
    const enum bt_json_type type = bt_json_type(value);
    return type == BT_JSON_OBJECT || type == BT_JSON_TRUE || type == BT_JSON_FALSE;
}

bool bt_payload_is_listed(bt_str name, const bt_str *words)
{
    while (words->len > 0 && !bt_str_eq(*words, name)) {
        words++;
    }
    return words->len > 0;
}

bool bt_payload_keyword_is_prose(bt_str name)
{
    static const bt_str words[] = {BT_STR_INIT("description"), BT_STR_INIT("title"),
                                   BT_STR_INIT("$comment"), BT_STR_INIT("examples"),
                                   BT_STR_INIT("")};
    return bt_payload_is_listed(name, words);
}

bool bt_payload_keyword_is_defined(bt_str name, enum bt_schema_draft draft)
{
    static const bt_str both[] = {BT_STR_INIT("$schema"),  BT_STR_INIT("$defs"),
                                  BT_STR_INIT("default"),  BT_STR_INIT("definitions"),
                                  BT_STR_INIT("readOnly"), BT_STR_INIT("writeOnly"),
                                  BT_STR_INIT("")};
    static const bt_str later[] = {BT_STR_INIT("$vocabulary"), BT_STR_INIT("deprecated"),
                                   BT_STR_INIT("")};
    const struct bt_schema_dialect dialect = bt_schema_dialect_of(draft);
    return bt_payload_keyword_is_prose(name) || bt_payload_is_listed(name, both) ||
           (draft >= BT_SCHEMA_DRAFT_2019_09 && bt_payload_is_listed(name, later)) ||
           bt_schema_keyword_find(name, &dialect) != BT_SCHEMA_KW__MAX;
}

/* How far the members of one schema have been gone through. */
struct plan_positions_frame {
    size_t position;
    size_t member;
    size_t inner; /* within a list or a map */
};

struct plan_positions_search {
    struct bt_arena *arena;
    const struct bt_json_doc *document;
    struct bt_payload_schema_position *items;
    size_t count;
    size_t capacity;
    struct plan_positions_frame frames[DEPTH_MAX];
    size_t depth;
};

static enum bt_status push_schema(struct plan_positions_search *search, const bt_json_value *schema,
                                  bool is_root, bool is_property)
{
    assert(search->depth < DEPTH_MAX);
    search->frames[search->depth++] = (struct plan_positions_frame){.position = search->count};
    return bt_vec_push(
        search->arena, search,
        (struct bt_payload_schema_position){.schema = schema,
                                            .offset = bt_json_span(search->document, schema).begin,
                                            .is_root = is_root,
                                            .is_property = is_property});
}

/* The next schema within the value of a keyword, or NULL when there is none left. */
static const bt_json_value *next_inside(const struct bt_json_member *member, size_t *inner)
{
    const bt_json_value *value = &member->value;
    const unsigned shapes = shapes_of(bt_json_name(member));
    if ((shapes & PLAN_POSITIONS_SHAPE_ONE) != 0 && bt_payload_is_schema(value)) {
        return (*inner)++ == 0 ? value : NULL;
    }
    const bt_json_value *items =
        (shapes & PLAN_POSITIONS_SHAPE_LIST) != 0 ? bt_json_items(value) : NULL;
    const struct bt_json_member *members =
        (shapes & PLAN_POSITIONS_SHAPE_MAP) != 0 ? bt_json_members(value) : NULL;
    while ((items || members) && *inner < bt_json_count(value)) {
        const size_t at = (*inner)++;
        const bt_json_value *found = items ? &items[at] : &members[at].value;
        if (bt_payload_is_schema(found)) {
            return found;
        }
    }
    return NULL;
}

/* Go on in the schema on top: enter the next one below it, or leave it. */
static enum bt_status advance_search(struct plan_positions_search *search)
{
    struct plan_positions_frame *top = &search->frames[search->depth - 1];
    const bt_json_value *schema = search->items[top->position].schema;
    const struct bt_json_member *members = bt_json_members(schema);
    while (top->member < bt_json_count(schema)) {
        const struct bt_json_member *member = &members[top->member];
        const bt_json_value *found = next_inside(member, &top->inner);
        if (found) {
            return push_schema(search, found, false,
                               bt_str_eq(bt_json_name(member), BT_STR("properties")));
        }
        top->member++;
        top->inner = 0;
    }
    search->items[top->position].end = search->count;
    search->depth--;
    return BT_OK;
}

static enum bt_status find_below(struct plan_positions_search *search, const bt_json_value *root)
{
    BT_TRY(push_schema(search, root, true, false));
    while (search->depth > 0) {
        BT_TRY(advance_search(search));
    }
    return BT_OK;
}

enum bt_status bt_payload_schema_positions_find(const struct bt_json_doc *document,
                                                struct bt_arena *arena,
                                                struct bt_payload_schema_positions *out)
{
    assert(document);
    assert(out);
    struct plan_positions_search search = {.arena = arena, .document = document};
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *items = bt_json_items(root);
    if (bt_payload_is_schema(root)) {
        BT_TRY(find_below(&search, root));
    }
    for (size_t i = 0; items && i < bt_json_count(root); i++) {
        if (bt_payload_is_schema(&items[i])) {
            BT_TRY(find_below(&search, &items[i]));
        }
    }
    *out = (struct bt_payload_schema_positions){document, search.items, search.count};
    return BT_OK;
}

size_t bt_payload_schema_positions_index(const struct bt_payload_schema_positions *positions,
                                         const bt_json_value *value)
{
    const size_t offset = bt_json_span(positions->document, value).begin;
    size_t from = 0;
    size_t to = positions->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (positions->items[middle].offset < offset) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < positions->count && positions->items[from].schema == value ? from : SIZE_MAX;
}
