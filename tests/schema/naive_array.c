/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_array.c - the keywords that look at the items of an array.
 */
#include "naive_inside.h"

static bool is_array(const struct naive_frame *frame)
{
    return bt_json_type(frame->instance) == BT_JSON_ARRAY;
}

/* The number of items, of which there are none in other values. */
static size_t items_count(const struct naive_frame *frame)
{
    return is_array(frame) ? bt_json_count(frame->instance) : 0;
}

static bool item_passes(const struct naive_frame *frame, const bt_json_value *schema, size_t index)
{
    frame->seen[index] = true;
    return naive_apply_to(frame, schema, &bt_json_items(frame->instance)[index]);
}

/* Each item against the schema in the same place. */
static bool first_pass(const struct naive_frame *frame, const bt_json_value *schemas)
{
    bool passes = true;
    for (size_t i = 0; i < items_count(frame) && i < bt_json_count(schemas); i++) {
        passes = item_passes(frame, &bt_json_items(schemas)[i], i) && passes;
    }
    return passes;
}

/* The items from `first` on against one schema. */
static bool rest_passes(const struct naive_frame *frame, const bt_json_value *schema, size_t first)
{
    bool passes = true;
    for (size_t i = first; i < items_count(frame); i++) {
        passes = item_passes(frame, schema, i) && passes;
    }
    return passes;
}

bool naive_check_prefix_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_ARRAY) {
        return naive_fault(frame->naive, "prefixItems is not an array");
    }
    return first_pass(frame, keyword);
}

bool naive_check_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (frame->schema.home->dialect.draft >= BT_SCHEMA_DRAFT_2020_12) {
        const bt_json_value *prefix = naive_sibling(frame, BT_STR("prefixItems"));
        return rest_passes(frame, keyword, prefix ? bt_json_count(prefix) : 0);
    }
    return bt_json_type(keyword) == BT_JSON_ARRAY ? first_pass(frame, keyword)
                                                  : rest_passes(frame, keyword, 0);
}

/* Only beside a list of items is there anything additional. */
bool naive_check_additional_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    const bt_json_value *items = naive_sibling(frame, BT_STR("items"));
    return !items || bt_json_type(items) != BT_JSON_ARRAY ||
           rest_passes(frame, keyword, bt_json_count(items));
}

/* How many items contain what is wanted. Since 2020-12 these count as evaluated. */
static size_t count_contained(const struct naive_frame *frame, const bt_json_value *schema)
{
    size_t contained = 0;
    for (size_t i = 0; i < items_count(frame); i++) {
        const bool passes = naive_apply_to(frame, schema, &bt_json_items(frame->instance)[i]);
        contained += passes;
        if (passes && frame->schema.home->dialect.draft >= BT_SCHEMA_DRAFT_2020_12) {
            frame->seen[i] = true;
        }
    }
    return contained;
}

bool naive_check_contains(const struct naive_frame *frame, const bt_json_value *keyword)
{
    const struct naive_dialect *dialect = &frame->schema.home->dialect;
    const size_t contained = count_contained(frame, keyword);
    if (!is_array(frame)) {
        return true;
    }
    if (dialect->draft < BT_SCHEMA_DRAFT_2019_09 ||
        (dialect->vocabularies & NAIVE_VALIDATION) == 0) {
        return contained > 0;
    }
    const bt_json_value *least = naive_sibling(frame, BT_STR("minContains"));
    const bt_json_value *most = naive_sibling(frame, BT_STR("maxContains"));
    return (least ? naive_count_is_at_least(frame, contained, least) : contained > 0) &&
           (!most || naive_count_is_at_most(frame, contained, most));
}

bool naive_check_min_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !is_array(frame) || naive_count_is_at_least(frame, items_count(frame), keyword);
}

bool naive_check_max_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !is_array(frame) || naive_count_is_at_most(frame, items_count(frame), keyword);
}

bool naive_check_unique_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_TRUE) {
        return true;
    }
    const bt_json_value *items = bt_json_items(frame->instance);
    for (size_t i = 0; i < items_count(frame); i++) {
        for (size_t j = 0; j < i; j++) {
            if (naive_equal_instances(frame, &items[i], &items[j])) {
                return false;
            }
        }
    }
    return true;
}

bool naive_check_unevaluated_items(const struct naive_frame *frame, const bt_json_value *keyword)
{
    bool passes = true;
    for (size_t i = 0; i < items_count(frame); i++) {
        if (!frame->seen[i]) {
            passes = item_passes(frame, keyword, i) && passes;
        }
    }
    return passes;
}
