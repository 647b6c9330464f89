/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_object.c - the keywords that look at the members of an object.
 */
#include "naive_inside.h"

static bool is_object(const struct naive_frame *frame)
{
    return bt_json_type(frame->instance) == BT_JSON_OBJECT;
}

/* The number of members, of which there are none in other values. */
static size_t members_count(const struct naive_frame *frame)
{
    return is_object(frame) ? bt_json_count(frame->instance) : 0;
}

static bt_str member_name(const struct naive_frame *frame, size_t index)
{
    return bt_json_name(&bt_json_members(frame->instance)[index]);
}

static const bt_json_value *member_value(const struct naive_frame *frame, bt_str name)
{
    return bt_json_get(frame->naive->instance, frame->instance, name);
}

static bool wants_object(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return bt_json_type(keyword) == BT_JSON_OBJECT ||
           naive_fault(frame->naive, "a keyword wants an object");
}

static bool member_passes(const struct naive_frame *frame, const bt_json_value *schema,
                          size_t index)
{
    frame->seen[index] = true;
    return naive_apply_to(frame, schema, &bt_json_members(frame->instance)[index].value);
}

/* Draft 3: a property says itself that it is required. */
static bool has_what_properties_require(const struct naive_frame *frame,
                                        const bt_json_value *properties)
{
    for (size_t i = 0; i < bt_json_count(properties); i++) {
        const struct bt_json_member *property = &bt_json_members(properties)[i];
        const bt_json_value *required =
            bt_json_get(frame->schema.home->document, &property->value, BT_STR("required"));
        if (required && bt_json_type(required) == BT_JSON_TRUE &&
            !member_value(frame, bt_json_name(property))) {
            return false;
        }
    }
    return true;
}

bool naive_check_properties(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (!wants_object(frame, keyword) || !is_object(frame)) {
        return true;
    }
    bool passes = frame->schema.home->dialect.draft > BT_SCHEMA_DRAFT_3 ||
                  has_what_properties_require(frame, keyword);
    for (size_t i = 0; i < members_count(frame); i++) {
        const bt_json_value *schema =
            bt_json_get(frame->schema.home->document, keyword, member_name(frame, i));
        if (schema) {
            passes = member_passes(frame, schema, i) && passes;
        }
    }
    return passes;
}

bool naive_check_pattern_properties(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (!wants_object(frame, keyword)) {
        return false;
    }
    bool passes = true;
    for (size_t i = 0; i < members_count(frame); i++) {
        for (size_t j = 0; j < bt_json_count(keyword); j++) {
            const struct bt_json_member *pattern = &bt_json_members(keyword)[j];
            if (naive_matches(frame, bt_json_name(pattern), member_name(frame, i))) {
                passes = member_passes(frame, &pattern->value, i) && passes;
            }
        }
    }
    return passes;
}

/* Whether properties or patternProperties beside us speak of the name. */
static bool is_known(const struct naive_frame *frame, bt_str name)
{
    const bt_json_value *properties = naive_sibling(frame, BT_STR("properties"));
    const bt_json_value *patterns = naive_sibling(frame, BT_STR("patternProperties"));
    if (bt_json_member(frame->schema.home->document, properties, name)) {
        return true;
    }
    for (size_t i = 0; patterns && i < bt_json_count(patterns); i++) {
        if (naive_matches(frame, bt_json_name(&bt_json_members(patterns)[i]), name)) {
            return true;
        }
    }
    return false;
}

bool naive_check_additional_properties(const struct naive_frame *frame,
                                       const bt_json_value *keyword)
{
    bool passes = true;
    for (size_t i = 0; i < members_count(frame); i++) {
        if (!is_known(frame, member_name(frame, i))) {
            passes = member_passes(frame, keyword, i) && passes;
        }
    }
    return passes;
}

bool naive_check_property_names(const struct naive_frame *frame, const bt_json_value *keyword)
{
    bool passes = true;
    for (size_t i = 0; i < members_count(frame); i++) {
        const bt_str name = member_name(frame, i);
        const bt_json_value value = {
            .type = BT_JSON_STRING, .size = (uint32_t)name.len, .as = {.text = name.ptr}};
        passes = naive_apply_to(frame, keyword, &value) && passes;
    }
    return passes;
}

bool naive_check_min_properties(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !is_object(frame) || naive_count_is_at_least(frame, members_count(frame), keyword);
}

bool naive_check_max_properties(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !is_object(frame) || naive_count_is_at_most(frame, members_count(frame), keyword);
}

bool naive_check_required(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_ARRAY) {
        return naive_fault(frame->naive, "required is not an array");
    }
    bool passes = true;
    for (size_t i = 0; is_object(frame) && i < bt_json_count(keyword); i++) {
        if (!member_value(frame, bt_json_text(&bt_json_items(keyword)[i]))) {
            passes = false;
        }
    }
    return passes;
}

/* What must hold when a member is there: a name (draft 3), names, or a schema. */
static bool dependency_passes(const struct naive_frame *frame, const bt_json_value *dependency)
{
    if (bt_json_type(dependency) == BT_JSON_STRING) {
        return member_value(frame, bt_json_text(dependency)) != NULL;
    }
    if (bt_json_type(dependency) == BT_JSON_ARRAY) {
        return naive_check_required(frame, dependency);
    }
    return naive_apply_sub(frame, dependency);
}

bool naive_check_dependencies(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (!wants_object(frame, keyword)) {
        return false;
    }
    bool passes = true;
    for (size_t i = 0; is_object(frame) && i < bt_json_count(keyword); i++) {
        const struct bt_json_member *dependency = &bt_json_members(keyword)[i];
        if (member_value(frame, bt_json_name(dependency))) {
            passes = dependency_passes(frame, &dependency->value) && passes;
        }
    }
    return passes;
}

bool naive_check_dependent_required(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return naive_check_dependencies(frame, keyword);
}

bool naive_check_dependent_schemas(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return naive_check_dependencies(frame, keyword);
}

/* A schema for each text that a member may have. */
bool naive_check_property_dependencies(const struct naive_frame *frame,
                                       const bt_json_value *keyword)
{
    if (!wants_object(frame, keyword)) {
        return false;
    }
    bool passes = true;
    for (size_t i = 0; is_object(frame) && i < bt_json_count(keyword); i++) {
        const struct bt_json_member *property = &bt_json_members(keyword)[i];
        const bt_json_value *value = member_value(frame, bt_json_name(property));
        const bt_json_value *schema = NULL;
        if (value && bt_json_type(value) == BT_JSON_STRING) {
            schema =
                bt_json_get(frame->schema.home->document, &property->value, bt_json_text(value));
        }
        if (schema) {
            passes = naive_apply_sub(frame, schema) && passes;
        }
    }
    return passes;
}

bool naive_check_unevaluated_properties(const struct naive_frame *frame,
                                        const bt_json_value *keyword)
{
    bool passes = true;
    for (size_t i = 0; i < members_count(frame); i++) {
        if (!frame->seen[i]) {
            passes = member_passes(frame, keyword, i) && passes;
        }
    }
    return passes;
}
