/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_required.c - names that are required but are not a property: the rule
 * required-without-property.
 */
#include "schema/lint.h"
#include "schema/nearest.h"

enum {
    STEPS_MAX = 64,
    NEAREST_MAX = 256, /* properties among which the name that was meant is searched */
};

/* Whether the name fits a pattern; when it cannot be told, it does. */
static enum bt_status match_pattern(struct bt_schema_lint_run *lint, bt_str pattern, bt_str name,
                                    bool *out)
{
    struct bt_regex_compile_result made = {0};
    *out = true;
    if (lint->matches_left == 0) {
        return BT_OK;
    }
    lint->matches_left--;
    BT_TRY(bt_regex_compile(lint->frame.arena, pattern, NULL, &made));
    *out = !made.regex || bt_regex_match(made.regex, &lint->matcher, name) != BT_REGEX_NO_MATCH;
    return BT_OK;
}

/* Whether the node itself says something about the member called `name`. */
static enum bt_status find_own_declaration(struct bt_schema_lint_run *lint,
                                           const struct bt_schema_node *node, bt_str name,
                                           bool *out)
{
    const struct bt_schema_frame *frame = &lint->frame;
    const struct bt_json_doc *document = bt_schema_frame_doc(frame, node);
    const bt_json_value *properties = bt_schema_frame_keyword(frame, node, BT_SCHEMA_KW_PROPERTIES);
    const bt_json_value *patterns =
        bt_schema_frame_keyword(frame, node, BT_SCHEMA_KW_PATTERN_PROPERTIES);
    const size_t cost = properties ? bt_json_count(properties) : 0;
    if (cost > lint->compares_left) {
        *out = true;
        return BT_OK;
    }
    lint->compares_left -= cost;
    *out = properties && bt_json_get(document, properties, name);
    const struct bt_json_member *members = patterns ? bt_json_members(patterns) : NULL;
    for (size_t i = 0; !*out && members && i < bt_json_count(patterns); i++) {
        BT_TRY(match_pattern(lint, bt_json_name(&members[i]), name, out));
    }
    return BT_OK;
}

/* True when the node, or one that applies to the same object, declares the name. When the search
 * is too long the name counts as declared. */
static enum bt_status is_declared(struct bt_schema_lint_run *lint,
                                  const struct bt_schema_node *node, bt_str name, bool *out)
{
    const struct bt_schema_frame *frame = &lint->frame;
    const struct bt_schema_node *queue[STEPS_MAX] = {node};
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        BT_TRY(find_own_declaration(lint, queue[i], name, out));
        if (*out) {
            return BT_OK;
        }
        for (uint32_t k = 0; k < queue[i]->edges_count; k++) {
            const struct bt_schema_edge *edge = &frame->edges.items[queue[i]->edges + k];
            if (edge->place != BT_IN_PLACE || edge->to == BT_NO_NODE) {
                continue;
            }
            if (count == STEPS_MAX || edge->is_dynamic) {
                *out = true;
                return BT_OK;
            }
            queue[count++] = &frame->nodes.items[edge->to];
        }
    }
    return BT_OK;
}

static bool is_closed(const struct bt_schema_lint_run *lint, const struct bt_schema_node *node)
{
    const bt_json_value *more =
        bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_ADDITIONAL_PROPERTIES);
    const bt_json_value *rest =
        bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_UNEVALUATED_PROPERTIES);
    return (more && bt_json_type(more) == BT_JSON_FALSE) ||
           (rest && bt_json_type(rest) == BT_JSON_FALSE);
}

static bt_str property_at(const void *properties, size_t index)
{
    const bt_json_value *object = properties;
    return bt_json_name(&bt_json_members(object)[index]);
}

/* The property that was probably meant, or "". */
static bt_str find_nearest_property(struct bt_schema_lint_run *lint,
                                    const struct bt_schema_node *node, bt_str name)
{
    const bt_json_value *properties =
        bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_PROPERTIES);
    const bool is_object = properties && bt_json_members(properties);
    const size_t count = is_object ? bt_json_count(properties) : 0;
    if (count == 0 || count > NEAREST_MAX || lint->nearest_left == 0) {
        return BT_STR("");
    }
    lint->nearest_left--;
    const size_t found = bt_nearest_word(name, property_at, properties, count);
    return found < count ? property_at(properties, found) : BT_STR("");
}

static enum bt_status add_required_finding(struct bt_schema_lint_run *lint,
                                           const struct bt_schema_node *node,
                                           const bt_json_value *at, bool closed)
{
    const bt_str meant = find_nearest_property(lint, node, bt_json_text(at));
    return bt_add_schema_lint_required(lint->findings, bt_schema_lint_locate(lint, at),
                                       BT_STR("required-without-property"), bt_json_text(at),
                                       meant.len > 0 ? meant : BT_STR_ABSENT, closed);
}

enum bt_status bt_schema_lint_required(struct bt_schema_lint_run *lint,
                                       const struct bt_schema_node *node)
{
    const bt_json_value *required =
        bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_REQUIRED);
    const bool closed = is_closed(lint, node);
    if (!required || bt_json_type(required) != BT_JSON_ARRAY ||
        (!closed && !bt_schema_node_has(node, BT_SCHEMA_KW_PROPERTIES))) {
        return BT_OK;
    }
    for (size_t i = 0; i < bt_json_count(required); i++) {
        const bt_json_value *name = &bt_json_items(required)[i];
        bool declared = bt_json_type(name) != BT_JSON_STRING;
        if (!declared) {
            BT_TRY(is_declared(lint, node, bt_json_text(name), &declared));
        }
        if (!declared) {
            BT_TRY(add_required_finding(lint, node, name, closed));
        }
    }
    return BT_OK;
}
