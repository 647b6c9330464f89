/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_bounds.c - keywords whose work grows with the value, without a bound on the value: the rules
 * unbounded-unique-items and unbounded-pattern.
 */
#include "schema/lint.h"

enum { STEPS_MAX = 64 };

/* Whether a keyword stands in the node or in a schema that applies to the same value. */
static bool has_around(const struct bt_schema_lint_run *lint, const struct bt_schema_node *node,
                       enum bt_schema_keyword keyword)
{
    const struct bt_schema_frame *frame = &lint->frame;
    const struct bt_schema_node *queue[STEPS_MAX] = {node};
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        if (bt_schema_node_has(queue[i], keyword)) {
            return true;
        }
        for (uint32_t k = 0; k < queue[i]->edges_count && count < STEPS_MAX; k++) {
            const struct bt_schema_edge *edge = &frame->edges.items[queue[i]->edges + k];
            if (edge->place == BT_IN_PLACE && edge->to != BT_NO_NODE) {
                queue[count++] = &frame->nodes.items[edge->to];
            }
        }
    }
    return false;
}

/* Whether the schema lists the values that it accepts. */
static bool is_listed(const struct bt_schema_node *node)
{
    return bt_schema_node_has(node, BT_SCHEMA_KW_CONST) ||
           bt_schema_node_has(node, BT_SCHEMA_KW_ENUM);
}

static bool is_false(const struct bt_schema_lint_run *lint, const struct bt_schema_node *node,
                     enum bt_schema_keyword keyword)
{
    const bt_json_value *value = bt_schema_frame_keyword(&lint->frame, node, keyword);
    return value && bt_json_type(value) == BT_JSON_FALSE;
}

/* Whether items end somewhere: behind a list of them, or because each is one of few values. */
static bool items_are_bounded(const struct bt_schema_lint_run *lint,
                              const struct bt_schema_node *node)
{
    const struct bt_schema_frame *frame = &lint->frame;
    const bt_json_value *items = bt_schema_frame_keyword(frame, node, BT_SCHEMA_KW_ITEMS);
    const uint32_t child = items ? bt_schema_frame_node(frame, items) : BT_NO_NODE;
    return is_false(lint, node, BT_SCHEMA_KW_ITEMS) ||
           is_false(lint, node, BT_SCHEMA_KW_ADDITIONAL_ITEMS) ||
           is_false(lint, node, BT_SCHEMA_KW_UNEVALUATED_ITEMS) ||
           (child != BT_NO_NODE && is_listed(&frame->nodes.items[child]));
}

enum bt_status bt_schema_lint_unique_items(struct bt_schema_lint_run *lint,
                                           const struct bt_schema_node *node)
{
    const bt_json_value *unique =
        bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_UNIQUE_ITEMS);
    if (!unique || bt_json_type(unique) != BT_JSON_TRUE || is_listed(node) ||
        !(bt_schema_lint_run_own_types(lint, node) & BT_TAKES_ARRAY) ||
        items_are_bounded(lint, node) || has_around(lint, node, BT_SCHEMA_KW_MAX_ITEMS)) {
        return BT_OK;
    }
    return bt_add_schema_lint(lint->findings, bt_schema_lint_locate(lint, unique),
                              BT_SCHEMA_LINT_RULE_UNBOUNDED_UNIQUE_ITEMS);
}

enum bt_status bt_schema_lint_pattern(struct bt_schema_lint_run *lint,
                                      const struct bt_schema_node *node)
{
    const bt_json_value *pattern =
        bt_schema_frame_keyword(&lint->frame, node, BT_SCHEMA_KW_PATTERN);
    if (!pattern || is_listed(node) ||
        !(bt_schema_lint_run_own_types(lint, node) & BT_TAKES_STRING) ||
        has_around(lint, node, BT_SCHEMA_KW_MAX_LENGTH)) {
        return BT_OK;
    }
    return bt_add_schema_lint(lint->findings, bt_schema_lint_locate(lint, pattern),
                              BT_SCHEMA_LINT_RULE_UNBOUNDED_PATTERN);
}
