/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spot.c - the place that a finding names, found by its offset.
 */
#include "dialect/universal/spot.h"

#include <assert.h>

#include "dialect/universal/subschema.h"

static const bt_value *child_at(const bt_value *container, size_t index)
{
    return bt_json_type(container) == BT_JSON_ARRAY ? &bt_json_items(container)[index]
                                                    : &bt_json_members(container)[index].value;
}

/* The last child that begins at or before `offset`: children stand in the source in the order in
 * which they stand in memory. The count when there is none. */
static size_t child_with(const struct bt_doc *document, const bt_value *container, size_t offset)
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

static void step_into(const struct bt_universal *universal, struct bt_spot *spot, size_t index)
{
    const bt_value *holder = spot->value;
    const bt_value *judge = spot->subschema;
    *spot = (struct bt_spot){.holder = holder, .holder_subschema = judge, .depth = spot->depth + 1};
    spot->value = child_at(holder, index);
    if (bt_json_type(holder) == BT_JSON_OBJECT) {
        spot->member = &bt_json_members(holder)[index];
        spot->subschema =
            judge ? bt_subschema_of_member(universal, judge, bt_json_name(spot->member)) : NULL;
    } else {
        spot->subschema = judge ? bt_subschema_of_item(universal, judge) : NULL;
    }
}

bool bt_spot_find(const struct bt_handoff *handoff, size_t offset, struct bt_spot *out)
{
    assert(handoff->document);
    const struct bt_doc *document = handoff->document;
    struct bt_spot spot = {
        .value = bt_json_root(document),
        .subschema = bt_json_root(handoff->universal->schema_document),
    };
    /* Each turn goes one level down, so nesting bounds it. */
    while (bt_json_span(document, spot.value).begin != offset) {
        const size_t index = child_with(document, spot.value, offset);
        if (index == bt_json_count(spot.value)) {
            return false;
        }
        step_into(handoff->universal, &spot, index);
    }
    *out = spot;
    return true;
}
