/* SPDX-License-Identifier: Apache-2.0 */
/* semantics.c - duplicate ids, and the words of the status column. */
#include "dialect/plan/plan_check.h"
#include "report/rules.h"

static const struct plan_semantics_word {
    bt_str word;
    enum bt_plan_step_status status;
} words[] = {
    {BT_STR_INIT("pending"), BT_PLAN_STEP_PENDING},
    {BT_STR_INIT("in_progress"), BT_PLAN_STEP_IN_PROGRESS},
    {BT_STR_INIT("completed"), BT_PLAN_STEP_COMPLETED},
    {BT_STR_INIT("done"), BT_PLAN_STEP_COMPLETED},
    {BT_STR_INIT("blocked"), BT_PLAN_STEP_BLOCKED},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

bt_str bt_plan_step_status_at(size_t index)
{
    return index < WORDS ? words[index].word : BT_STR("");
}

enum bt_plan_step_status bt_plan_step_status(const struct bt_plan_check *plan, size_t step)
{
    const bt_str text = bt_plan_text(plan, plan->steps[step].row, BT_PLAN_COLUMN_STATUS);
    if (bt_plan_is_blank(text)) {
        return BT_PLAN_STEP_PENDING;
    }
    for (size_t i = 0; i < WORDS; i++) {
        if (bt_str_eq(bt_plan_trim(text), words[i].word)) {
            return words[i].status;
        }
    }
    return BT_PLAN_STEP_OTHER;
}

enum bt_status bt_plan_check_status_words(struct bt_plan_check *plan)
{
    for (size_t i = 0; i < plan->steps_count; i++) {
        const size_t row = plan->steps[i].row;
        if (bt_plan_step_status(plan, i) == BT_PLAN_STEP_OTHER) {
            BT_TRY(bt_add_plan_status_unknown(
                plan->findings, bt_plan_cell_location(plan, row, BT_PLAN_COLUMN_STATUS),
                bt_plan_trim(bt_plan_text(plan, row, BT_PLAN_COLUMN_STATUS))));
        }
    }
    return BT_OK;
}

enum bt_status bt_plan_duplicates(struct bt_plan_check *plan)
{
    BT_TRY(bt_plan_find_ids(plan));
    for (size_t i = 0; i < plan->steps_count; i++) {
        const size_t first = bt_plan_step_of_id(plan, plan->steps[i].id);
        if (first != i) {
            BT_TRY(bt_add_plan_duplicate_step(
                plan->findings,
                bt_plan_cell_location(plan, plan->steps[i].row, bt_plan_id_column(plan)),
                plan->steps[i].id, plan->steps[first].row));
        }
    }
    return BT_OK;
}

enum bt_status bt_plan_find_ids(struct bt_plan_check *plan)
{
    if (plan->has_ids) {
        return BT_OK;
    }
    bt_map_init(&plan->ids, plan->arena, plan->plans->env->hash_seed);
    for (size_t i = 0; i < plan->steps_count; i++) {
        struct bt_map_entry *entry = NULL;
        BT_TRY(bt_map_add(&plan->ids, bt_map_text(plan->steps[i].id), &entry));
        if (entry->value.number == 0) {
            entry->value.number = i + 1;
        }
    }
    plan->has_ids = true;
    return BT_OK;
}

size_t bt_plan_step_of_id(const struct bt_plan_check *plan, bt_str id)
{
    const struct bt_map_entry *entry = bt_map_find(&plan->ids, bt_map_text(id));
    return entry ? (size_t)entry->value.number - 1 : BT_ABSENT;
}

enum bt_status bt_plan_find_step(struct bt_plan_check *plan, bt_str id,
                                 struct bt_findings *findings, size_t *out)
{
    BT_TRY(bt_plan_find_ids(plan));
    const size_t step = bt_plan_step_of_id(plan, id);
    *out = SIZE_MAX;
    if (step == BT_ABSENT) {
        return bt_add_plan_step_not_found(findings, bt_location_whole(), id);
    }
    for (size_t i = step + 1; i < plan->steps_count; i++) {
        if (bt_str_eq(plan->steps[i].id, id)) {
            return bt_add_plan_duplicate_step_of_payload(findings, bt_location_whole(), id);
        }
    }
    *out = step;
    return BT_OK;
}
