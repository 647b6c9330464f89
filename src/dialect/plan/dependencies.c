/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dependencies.c - the dependencies of steps: the tokens of the dependency cell, cycles, and
 * unusual forms.
 */
#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "dialect/plan/plan_check.h"
#include "dialect/plan/strong_components.h"
#include "report/rules.h"

enum bt_plan_column bt_plan_depend_column(const struct bt_plan_check *plan)
{
    return plan->columns == BT_PLAN_COLUMN_SET_PLANNING ? BT_PLAN_COLUMN_DEPENDENCIES
                                                        : BT_PLAN_COLUMN_DEPENDS_ON;
}

bool bt_plan_next_token(bt_str text, size_t *at, bt_str *out)
{
    static const char separators[] = " \t\r\n,;";
    size_t begin = *at;
    while (begin < text.len && memchr(separators, text.ptr[begin], sizeof(separators) - 1)) {
        begin++;
    }
    size_t end = begin;
    while (end < text.len && !memchr(separators, text.ptr[end], sizeof(separators) - 1)) {
        end++;
    }
    *at = end;
    *out = bt_str_slice(text, begin, end);
    return end > begin;
}

bool bt_plan_means_no_dependency(bt_str token)
{
    return bt_ascii_equal_nocase(token, BT_STR("none")) ||
           bt_ascii_equal_nocase(token, BT_STR("n/a")) || bt_str_eq(token, BT_STR("-"));
}

struct plan_depend_search {
    struct bt_plan_check *plan;
    bool wants_findings; /* whether findings are wanted */
    size_t *items;       /* of the step at hand */
    size_t count;
    size_t *marks; /* by step: 1 + the step at hand when it is among the items already */
};

static struct bt_location depend_location(const struct bt_plan_check *plan, size_t step)
{
    return bt_plan_cell_location(plan, plan->steps[step].row, bt_plan_depend_column(plan));
}

static enum bt_status take_token(struct plan_depend_search *search, size_t step, bt_str token)
{
    struct bt_plan_check *plan = search->plan;
    const size_t target = bt_plan_step_of_id(plan, token);
    if (target == BT_ABSENT) {
        return bt_plan_means_no_dependency(token) || !search->wants_findings
                   ? BT_OK
                   : bt_add_plan_dep_unknown(plan->findings, depend_location(plan, step), token,
                                             plan->steps[step].id);
    }
    if (search->marks[target] == step + 1) {
        return BT_OK;
    }
    search->marks[target] = step + 1;
    /* A step of a repeated id that names it means the first; that is not itself. */
    if (target == step) {
        return search->wants_findings
                   ? bt_add_plan_dep_self(plan->findings, depend_location(plan, step), token,
                                          plan->steps[step].id)
                   : BT_OK;
    }
    search->items[search->count++] = target;
    return BT_OK;
}

static void sort_indexes(size_t *items, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < count; i++) {
            const size_t item = items[i];
            size_t j = i;
            for (; j >= gap && items[j - gap] > item; j -= gap) {
                items[j] = items[j - gap];
            }
            items[j] = item;
        }
    }
}

static enum bt_status find_edges(struct plan_depend_search *search, struct bt_plan_edges *edges)
{
    struct bt_plan_check *plan = search->plan;
    const enum bt_plan_column column = bt_plan_depend_column(plan);
    for (size_t i = 0; i < plan->steps_count; i++) {
        const bt_str text = bt_plan_text(plan, plan->steps[i].row, column);
        bt_str token;
        search->count = 0;
        for (size_t at = 0; bt_plan_next_token(text, &at, &token);) {
            BT_TRY(take_token(search, i, token));
        }
        size_t *items = BT_NEW_ARRAY(plan->arena, size_t, search->count + 1);
        BT_TRY(items ? BT_OK : BT_ENOMEM);
        memcpy(items, search->items, search->count * sizeof(*items));
        sort_indexes(items, search->count);
        edges[i] = (struct bt_plan_edges){items, search->count};
    }
    return BT_OK;
}

static enum bt_status find_dependencies(struct bt_plan_check *plan, bool wants_findings)
{
    struct plan_depend_search search = {
        .plan = plan,
        .wants_findings = wants_findings,
        .items = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1),
        .marks = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1)};
    struct bt_plan_edges *edges =
        BT_NEW_ARRAY(plan->arena, struct bt_plan_edges, plan->steps_count + 1);
    BT_TRY(search.items && search.marks && edges ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_plan_find_ids(plan));
    BT_TRY(find_edges(&search, edges));
    plan->edges = edges;
    return BT_OK;
}

enum bt_status bt_plan_find_edges(struct bt_plan_check *plan)
{
    return find_dependencies(plan, false);
}

static size_t next_edge(const void *context, size_t step, size_t *cursor)
{
    const struct bt_plan_check *plan = context;
    const struct bt_plan_edges *edges = &plan->edges[step];
    return *cursor < edges->count ? edges->items[(*cursor)++] : SIZE_MAX;
}

/* Add one finding for each cycle of two or more steps, at its first row. `next` links the steps
 * of a set in rising order; a set with one step is not a cycle. */
static enum bt_status add_cycle_findings(struct bt_plan_check *plan, const size_t *sets)
{
    const size_t count = plan->steps_count;
    size_t *first = BT_NEW_ARRAY(plan->arena, size_t, count + 1); /* by set */
    size_t *next = BT_NEW_ARRAY(plan->arena, size_t, count + 1);
    bt_str *ids = BT_NEW_ARRAY(plan->arena, bt_str, count + 1);
    BT_TRY(first && next && ids ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        first[i] = BT_ABSENT;
    }
    for (size_t i = count; i > 0; i--) {
        next[i - 1] = first[sets[i - 1]];
        first[sets[i - 1]] = i - 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (first[sets[i]] != i || next[i] == BT_ABSENT) {
            continue;
        }
        size_t members = 0;
        for (size_t step = i; step != BT_ABSENT; step = next[step]) {
            ids[members++] = plan->steps[step].id;
        }
        BT_TRY(bt_add_plan_dep_cycle(plan->findings, depend_location(plan, i),
                                     (struct bt_str_list){ids, members}, plan->steps[i].id));
    }
    return BT_OK;
}

static enum bt_status add_forward_findings(struct bt_plan_check *plan, const size_t *sets)
{
    for (size_t i = 0; i < plan->steps_count; i++) {
        for (size_t j = 0; j < plan->edges[i].count; j++) {
            const size_t target = plan->edges[i].items[j];
            if (target > i && sets[target] != sets[i]) {
                BT_TRY(bt_add_plan_dep_forward(plan->findings, depend_location(plan, i),
                                               plan->steps[target].id, plan->steps[i].id));
            }
        }
    }
    return BT_OK;
}

static enum bt_status add_not_linear_finding(struct bt_plan_check *plan)
{
    for (size_t i = 0; i < plan->steps_count; i++) {
        bool is_linear = plan->edges[i].count == 0;
        for (size_t j = 0; j < plan->edges[i].count; j++) {
            is_linear = is_linear || plan->edges[i].items[j] + 1 == i;
        }
        if (!is_linear) {
            return bt_add_plan_not_linear(plan->findings, depend_location(plan, i),
                                          plan->steps[i].id);
        }
    }
    return BT_OK;
}

static bool has_edges(const struct bt_plan_check *plan)
{
    for (size_t i = 0; i < plan->steps_count; i++) {
        if (plan->edges[i].count > 0) {
            return true;
        }
    }
    return false;
}

enum bt_status bt_plan_dependencies(struct bt_plan_check *plan)
{
    size_t *sets = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1);
    BT_TRY(sets ? BT_OK : BT_ENOMEM);
    BT_TRY(find_dependencies(plan, true));
    BT_TRY(bt_plan_strong_components(plan->arena, plan->steps_count, next_edge, plan, sets));
    BT_TRY(add_cycle_findings(plan, sets));
    BT_TRY(add_forward_findings(plan, sets));
    const bool is_by_rows = !plan->options.by_dependencies || !has_edges(plan);
    return is_by_rows ? add_not_linear_finding(plan) : BT_OK;
}
