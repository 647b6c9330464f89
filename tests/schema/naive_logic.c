/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_logic.c - the keywords that apply schemas to the same value: allOf, anyOf, not, if and the
 * unions of draft 3.
 */
#include "naive_inside.h"

/* How many of the schemas the instance passes. All are tried: each may evaluate children. */
static size_t count_passes(const struct naive_frame *frame, const bt_json_value *schemas)
{
    size_t passes = 0;
    for (size_t i = 0; bt_json_items(schemas) && i < bt_json_count(schemas); i++) {
        passes += naive_apply_sub(frame, &bt_json_items(schemas)[i]);
    }
    return passes;
}

static bool wants_schemas(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return bt_json_type(keyword) == BT_JSON_ARRAY ||
           naive_fault(frame->naive, "a keyword wants an array of schemas");
}

bool naive_check_all_of(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return wants_schemas(frame, keyword) && count_passes(frame, keyword) == bt_json_count(keyword);
}

bool naive_check_any_of(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return wants_schemas(frame, keyword) && count_passes(frame, keyword) > 0;
}

bool naive_check_one_of(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return wants_schemas(frame, keyword) && count_passes(frame, keyword) == 1;
}

bool naive_check_not(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !naive_try_sub(frame, keyword);
}

/* Without `then` or `else`, `if` may still evaluate children. */
bool naive_check_if(const struct naive_frame *frame, const bt_json_value *keyword)
{
    const bool holds = naive_apply_sub(frame, keyword);
    const bt_json_value *branch = naive_sibling(frame, holds ? BT_STR("then") : BT_STR("else"));
    return !branch || naive_apply_sub(frame, branch);
}

bool naive_check_extends(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return bt_json_type(keyword) == BT_JSON_ARRAY ? naive_check_all_of(frame, keyword)
                                                  : naive_apply_sub(frame, keyword);
}

/* One alternative of a type: its name or, in draft 3, a schema. */
static bool alternative_fits(const struct naive_frame *frame, const bt_json_value *alternative)
{
    if (bt_json_type(alternative) == BT_JSON_STRING) {
        return naive_type_fits(frame, bt_json_text(alternative));
    }
    if (frame->schema.home->dialect.draft > BT_SCHEMA_DRAFT_3) {
        return naive_fault(frame->naive, "a type is not a string");
    }
    return naive_apply_sub(frame, alternative);
}

bool naive_check_type(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_ARRAY) {
        return alternative_fits(frame, keyword);
    }
    bool fits = false;
    for (size_t i = 0; i < bt_json_count(keyword); i++) {
        fits = alternative_fits(frame, &bt_json_items(keyword)[i]) || fits;
    }
    return fits;
}

bool naive_check_disallow(const struct naive_frame *frame, const bt_json_value *keyword)
{
    return !naive_check_type(frame, keyword);
}
