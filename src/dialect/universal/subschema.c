/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subschema.c - the part of the schema that judges a value, found by the value's pointer; and the
 * value that a finding is about, found by its offset.
 */
#include <assert.h>

#include "dialect/universal/subschema.h"
#include "dialect/universal/universal_check.h"
#include "json/get.h"
#include "json/walk.h"

struct bt_universal_children bt_universal_subschema_children(const bt_json_value *subschema)
{
    struct bt_universal_children children = {NULL, NULL, NULL, false};
    const struct bt_json_member *members = subschema ? bt_json_members(subschema) : NULL;
    for (size_t i = 0; members && i < bt_json_count(subschema); i++) {
        const bt_str name = bt_json_name(&members[i]);
        if (bt_str_eq(name, BT_STR("properties"))) {
            children.properties = &members[i].value;
        } else if (bt_str_eq(name, BT_STR("additionalProperties"))) {
            children.others = &members[i].value;
        } else if (bt_str_eq(name, BT_STR("items"))) {
            children.items = &members[i].value;
        } else if (bt_str_eq(name, BT_STR("unevaluatedProperties"))) {
            children.is_closed = true;
        }
    }
    return children;
}

const bt_json_value *bt_universal_child_called(const struct bt_universal_checker *universal,
                                               const struct bt_universal_children *children,
                                               bt_str name)
{
    const bt_json_value *declared =
        bt_json_get(universal->schema_document, children->properties, name);
    const bt_json_value *others = children->others;
    const bool is_judged = others && bt_json_type(others) == BT_JSON_OBJECT;
    return declared ? declared : is_judged ? others : NULL;
}

const bt_json_value *bt_universal_subschema_of_member(const struct bt_universal_checker *universal,
                                                      const bt_json_value *subschema, bt_str name)
{
    const struct bt_universal_children children = bt_universal_subschema_children(subschema);
    return bt_universal_child_called(universal, &children, name);
}

const bt_json_value *bt_universal_subschema_of_item(const struct bt_universal_checker *universal,
                                                    const bt_json_value *subschema)
{
    return bt_json_get(universal->schema_document, subschema, BT_STR("items"));
}

bool bt_universal_subschema_requires(const struct bt_universal_checker *universal,
                                     const bt_json_value *subschema, bt_str name)
{
    return bt_json_lists_text(
        bt_json_get(universal->schema_document, subschema, BT_STR("required")), name);
}

/* One token of a pointer, unescaped. Declared names are short and contain neither ~ nor /, so a
 * token that needs unescaping is not a declared name, and its text does not matter. */
static bt_str next_token(bt_str pointer, size_t *at)
{
    const size_t begin = *at + 1;
    const size_t end = bt_str_find_byte(pointer, '/', begin);
    *at = end;
    return bt_str_slice(pointer, begin, end);
}

const bt_json_value *bt_universal_subschema(const struct bt_universal_checker *universal,
                                            bt_str pointer)
{
    assert(pointer.len == 0 || pointer.ptr[0] == '/');
    const bt_json_value *subschema = bt_json_root(universal->schema_document);
    for (size_t at = 0; subschema && at < pointer.len;) {
        const bt_str token = next_token(pointer, &at);
        const bt_json_value *item = bt_universal_subschema_of_item(universal, subschema);
        subschema = item ? item : bt_universal_subschema_of_member(universal, subschema, token);
    }
    return subschema;
}

/* The last child that begins at or before `offset`: children stand in the source in the order in
 * which they stand in memory. The count when there is none. */
static size_t child_with(const struct bt_json_doc *document, const bt_json_value *container,
                         size_t offset)
{
    const size_t count = bt_json_count(container);
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bt_json_span(document, bt_json_child(container, middle)).begin <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? low - 1 : count;
}

static void step_into(const struct bt_universal_checker *universal,
                      struct bt_universal_location *location, size_t index)
{
    const bt_json_value *holder = location->value;
    const bt_json_value *judge = location->subschema;
    *location = (struct bt_universal_location){
        .holder = holder, .holder_subschema = judge, .depth = location->depth + 1};
    location->value = bt_json_child(holder, index);
    if (bt_json_type(holder) == BT_JSON_OBJECT) {
        location->member = &bt_json_members(holder)[index];
        location->subschema =
            judge
                ? bt_universal_subschema_of_member(universal, judge, bt_json_name(location->member))
                : NULL;
    } else {
        location->subschema = judge ? bt_universal_subschema_of_item(universal, judge) : NULL;
    }
}

bool bt_universal_find_pointer(const struct bt_universal_check *handoff, size_t offset,
                               struct bt_universal_location *out)
{
    assert(handoff->document);
    const struct bt_json_doc *document = handoff->document;
    struct bt_universal_location location = {
        .value = bt_json_root(document),
        .subschema = bt_json_root(handoff->universal->schema_document),
    };
    /* Each turn goes one level down, so nesting bounds it. */
    while (bt_json_span(document, location.value).begin != offset) {
        const size_t index = child_with(document, location.value, offset);
        if (index == bt_json_count(location.value)) {
            return false;
        }
        step_into(handoff->universal, &location, index);
    }
    *out = location;
    return true;
}
