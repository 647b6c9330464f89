/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_branches.c - branches that nothing can take, judged by types: the rule unreachable-branch.
 *
 * A branch that is literally false is meant that way and is not mentioned.
 */
#include "schema/lint.h"

struct schema_lint_branches_branch {
    const struct bt_schema_edge *edge;
    uint8_t types;      /* that it can accept ... */
    uint8_t around;     /* ... and that come to it */
    const char *reason; /* why it never applies; NULL: the types exclude each other */
};

static bool is_false(const bt_json_value *schema)
{
    return bt_json_type(schema) == BT_JSON_FALSE;
}

static bool is_anything(const bt_json_value *schema)
{
    return bt_json_type(schema) == BT_JSON_TRUE ||
           (bt_json_type(schema) == BT_JSON_OBJECT && bt_json_count(schema) == 0);
}

/* Warn of a branch that nothing takes; `place` is "then" or "this branch of anyOf". */
static enum bt_status add_branch_finding(struct bt_schema_lint_run *lint,
                                         const struct schema_lint_branches_branch *branch)
{
    const struct bt_schema_keyword_row *row = &bt_keyword_rows[branch->edge->keyword];
    const bool is_one = row->shape == BT_SCHEMA_KEYWORD_SHAPE_ONE;
    const struct bt_str_list none = {NULL, 0};
    bt_str taken[BT_TYPE_NAMES_MAX];
    bt_str coming[BT_TYPE_NAMES_MAX];
    bt_str place;
    BT_TRY(bt_arena_printf(lint->frame.scratch, &place, "%s%.*s", is_one ? "" : "this branch of ",
                           BT_STR_ARG(row->name)));
    return bt_add_schema_lint_branch(
        lint->findings, bt_schema_lint_locate(lint, branch->edge->at), BT_STR("unreachable-branch"),
        row->name, branch->reason ? none : bt_schema_lint_type_names(branch->types, taken),
        branch->reason ? none : bt_schema_lint_type_names(branch->around, coming), place,
        branch->reason ? bt_str_of(branch->reason) : BT_STR_ABSENT, branch->types == 0);
}

/* Warn of a branch that has no type in common with what comes to it. */
static enum bt_status check_branch(struct bt_schema_lint_run *lint,
                                   const struct bt_schema_edge *edge, uint8_t around)
{
    const struct schema_lint_branches_branch branch = {
        .edge = edge, .types = bt_schema_lint_run_edge_types(lint, edge), .around = around};
    if ((branch.types & around) != 0 || is_false(edge->at)) {
        return BT_OK;
    }
    return add_branch_finding(lint, &branch);
}

/* The branches of allOf, one after the other: a branch meets what those before it let through. In
 * the end *around is what comes to the other keywords. */
static enum bt_status check_all_of(struct bt_schema_lint_run *lint,
                                   const struct bt_schema_node *node, uint8_t *around)
{
    for (uint32_t i = 0; i < node->edges_count; i++) {
        const struct bt_schema_edge *edge = &lint->frame.edges.items[node->edges + i];
        *around &= edge->keyword == BT_SCHEMA_KW_REF ? bt_schema_lint_run_edge_types(lint, edge)
                                                     : BT_TAKES_ALL;
    }
    for (uint32_t i = 0; *around != 0 && i < node->edges_count; i++) {
        const struct bt_schema_edge *edge = &lint->frame.edges.items[node->edges + i];
        if (edge->keyword == BT_SCHEMA_KW_ALL_OF || edge->keyword == BT_SCHEMA_KW_EXTENDS) {
            BT_TRY(check_branch(lint, edge, *around));
            *around &= bt_schema_lint_run_edge_types(lint, edge);
        }
    }
    return BT_OK;
}

static const struct bt_schema_edge *edge_of(const struct bt_schema_lint_run *lint,
                                            const struct bt_schema_node *node,
                                            enum bt_schema_keyword keyword)
{
    for (uint32_t i = 0; i < node->edges_count; i++) {
        const struct bt_schema_edge *edge = &lint->frame.edges.items[node->edges + i];
        if (edge->keyword == keyword) {
            return edge;
        }
    }
    return NULL;
}

static enum bt_status check_if(struct bt_schema_lint_run *lint, const struct bt_schema_node *node,
                               uint8_t around)
{
    const struct bt_schema_edge *test = edge_of(lint, node, BT_SCHEMA_KW_IF);
    const struct bt_schema_edge *yes = edge_of(lint, node, BT_SCHEMA_KW_THEN);
    const struct bt_schema_edge *no = edge_of(lint, node, BT_SCHEMA_KW_ELSE);
    if (!test) {
        return BT_OK;
    }
    const uint8_t passing = bt_schema_lint_run_edge_types(lint, test) & around;
    if (passing == 0 && !is_false(test->at)) {
        BT_TRY(check_branch(lint, test, around));
    } else if (yes && passing != 0) {
        BT_TRY(check_branch(lint, yes, passing));
    }
    if (yes && is_false(test->at)) {
        const struct schema_lint_branches_branch branch = {.edge = yes,
                                                           .reason = "if accepts nothing"};
        BT_TRY(add_branch_finding(lint, &branch));
    }
    if (no && is_anything(test->at)) {
        const struct schema_lint_branches_branch branch = {.edge = no,
                                                           .reason = "if accepts everything"};
        return add_branch_finding(lint, &branch);
    }
    return no ? check_branch(lint, no, around) : BT_OK;
}

enum bt_status bt_schema_lint_branches(struct bt_schema_lint_run *lint,
                                       const struct bt_schema_node *node)
{
    uint8_t around = bt_schema_lint_run_own_types(lint, node);
    if (around == 0) {
        return BT_OK; /* no value reaches any branch; this is reported where the schema is
                       * applied */
    }
    BT_TRY(check_all_of(lint, node, &around));
    if (around == 0) {
        return BT_OK;
    }
    for (uint32_t i = 0; i < node->edges_count; i++) {
        const struct bt_schema_edge *edge = &lint->frame.edges.items[node->edges + i];
        if (edge->keyword == BT_SCHEMA_KW_ANY_OF || edge->keyword == BT_SCHEMA_KW_ONE_OF) {
            BT_TRY(check_branch(lint, edge, around));
        }
    }
    return check_if(lint, node, around);
}
