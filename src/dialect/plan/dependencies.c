/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dependencies.c - the dependencies of steps: their edges, cycles, and unusual forms.
 */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "dialect/plan/strong_components.h"
#include "report/rules.h"
#include "schema/nearest.h"

enum bt_plan_column bt_plan_depend_column(const struct bt_plan_check *plan)
{
    return plan->columns == BT_PLAN_COLUMN_SET_PLANNING ? BT_PLAN_COLUMN_DEPENDENCIES
                                                        : BT_PLAN_COLUMN_DEPENDS_ON;
}

enum {
    COMPARED_MAX = 1000000, /* ids, in search of those that were probably meant */
    NEAR_BYTES_MAX = 4096,
};

struct plan_depend_search {
    struct bt_plan_check *plan;
    struct bt_plan_dependency_reader reader;
    bool wants_findings; /* whether findings are wanted */
    size_t *items;       /* of the current step */
    size_t count;
    size_t *marks; /* by step: 1 + the current step when it is among the items already */
    size_t compared_left;
};

static struct bt_location depend_location(const struct bt_plan_check *plan, size_t step)
{
    return bt_plan_cell_location(plan, plan->steps[step].row, bt_plan_depend_column(plan));
}

static void add_item(struct plan_depend_search *search, size_t step, size_t target)
{
    if (search->marks[target] != step + 1) {
        search->marks[target] = step + 1;
        search->items[search->count++] = target;
    }
}

static bt_str step_id_at(const void *context, size_t index)
{
    return ((const struct bt_plan_check *)context)->steps[index].id;
}

/* Write the ids that are like the token, quoted; a NULL pointer when there are none. */
static enum bt_status write_near_ids(struct plan_depend_search *search, bt_str token, bt_str *out)
{
    const struct bt_plan_check *plan = search->plan;
    bt_str near[BT_NEAREST_WORDS_MAX];
    struct bt_buf buf;
    *out = BT_STR_ABSENT;
    if (search->compared_left < plan->steps_count) {
        return BT_OK;
    }
    search->compared_left -= plan->steps_count;
    const size_t count = bt_nearest_words(token, step_id_at, plan, plan->steps_count, near);
    if (count == 0) {
        return BT_OK;
    }
    bt_buf_init(&buf, NEAR_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(&buf, i > 0 ? " or \"" : "\"");
        bt_buf_put_printable(&buf, near[i], BT_VALUE_SHOWN);
        bt_buf_put_char(&buf, '"');
    }
    return bt_buf_finish(&buf, plan->arena, out);
}

static enum bt_status add_unknown_finding(struct plan_depend_search *search, size_t step,
                                          const struct bt_plan_dependency *dependency)
{
    struct bt_plan_check *plan = search->plan;
    const bool is_known = dependency->kind == BT_PLAN_DEPENDENCY_TOO_MANY;
    bt_str near = BT_STR_ABSENT;
    if (!is_known) {
        BT_TRY(write_near_ids(search, dependency->text, &near));
    }
    return bt_add_plan_dep_unknown(
        plan->findings, depend_location(plan, step), dependency->text, plan->steps[step].id,
        is_known ? BT_PLAN_DEP_UNKNOWN_REASON_TOO_MANY : BT_PLAN_DEP_UNKNOWN_REASON_NOT_A_STEP,
        near);
}

static enum bt_status add_spelling_finding(struct bt_plan_check *plan, size_t step,
                                           const struct bt_plan_dependency *dependency)
{
    bt_str *ids = BT_NEW_ARRAY(plan->arena, bt_str, dependency->count + 1);
    BT_TRY(ids ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < dependency->count; i++) {
        ids[i] = plan->steps[dependency->steps[i]].id;
    }
    return bt_add_plan_dep_spelling(plan->findings, depend_location(plan, step), dependency->text,
                                    (struct bt_str_list){ids, dependency->count},
                                    plan->steps[step].id, dependency->count,
                                    dependency->count == 1);
}

static enum bt_status take_dependency(struct plan_depend_search *search, size_t step,
                                      const struct bt_plan_dependency *dependency)
{
    struct bt_plan_check *plan = search->plan;
    if (dependency->kind == BT_PLAN_DEPENDENCY_SPELLED) {
        for (size_t i = 0; i < dependency->count; i++) {
            add_item(search, step, dependency->steps[i]);
        }
        return search->wants_findings ? add_spelling_finding(plan, step, dependency) : BT_OK;
    }
    if (dependency->kind != BT_PLAN_DEPENDENCY_STEP) {
        return search->wants_findings ? add_unknown_finding(search, step, dependency) : BT_OK;
    }
    /* A step of a repeated id that names it means the first; that is not itself. */
    if (dependency->step != step) {
        add_item(search, step, dependency->step);
        return BT_OK;
    }
    const bool is_new = search->marks[step] != step + 1;
    search->marks[step] = step + 1;
    return search->wants_findings && is_new
               ? bt_add_plan_dep_self(plan->findings, depend_location(plan, step), dependency->text,
                                      plan->steps[step].id)
               : BT_OK;
}

void bt_plan_sort_indexes(size_t *items, size_t count)
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
    for (size_t i = 0; i < plan->steps_count; i++) {
        struct bt_plan_dependency dependency;
        search->count = 0;
        bt_plan_dependency_reader_begin(&search->reader, i);
        BT_TRY(bt_plan_dependency_next(&search->reader, &dependency));
        while (dependency.kind != BT_PLAN_DEPENDENCY_NONE) {
            BT_TRY(take_dependency(search, i, &dependency));
            BT_TRY(bt_plan_dependency_next(&search->reader, &dependency));
        }
        size_t *items = BT_NEW_ARRAY(plan->arena, size_t, search->count + 1);
        BT_TRY(items ? BT_OK : BT_ENOMEM);
        memcpy(items, search->items, search->count * sizeof(*items));
        bt_plan_sort_indexes(items, search->count);
        edges[i] = (struct bt_plan_edges){items, search->count};
    }
    return BT_OK;
}

static enum bt_status find_dependencies(struct bt_plan_check *plan, bool wants_findings)
{
    struct plan_depend_search search = {
        .plan = plan,
        .wants_findings = wants_findings,
        .compared_left = COMPARED_MAX,
        .items = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1),
        .marks = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1)};
    struct bt_plan_edges *edges =
        BT_NEW_ARRAY(plan->arena, struct bt_plan_edges, plan->steps_count + 1);
    BT_TRY(search.items && search.marks && edges ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_plan_find_ids(plan));
    bt_plan_dependency_reader_init(&search.reader, plan);
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
