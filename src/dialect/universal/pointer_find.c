/* SPDX-License-Identifier: Apache-2.0 */
/* pointer_find.c - find the value that a finding is about, by its offset. */
#include "dialect/universal/pointer_find.h"

#include <assert.h>

#include "dialect/universal/subschema.h"

static const bt_json_value *child_at(const bt_json_value *container, size_t index)
{
    return bt_json_type(container) == BT_JSON_ARRAY ? &bt_json_items(container)[index]
                                                    : &bt_json_members(container)[index].value;
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
        if (bt_json_span(document, child_at(container, middle)).begin <= offset) {
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
    location->value = child_at(holder, index);
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
