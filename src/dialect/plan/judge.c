/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - the order of the stages of a plan's check. */
#include <assert.h>

#include "dialect/plan/plan_check.h"

enum bt_status bt_plan_run(struct bt_plan_check *plan, bt_str text, bt_plan_stage_fn *const *stages,
                           size_t count)
{
    BT_TRY(bt_plan_read(plan, text));
    for (size_t i = 0; plan->is_readable && i < count; i++) {
        BT_TRY(stages[i](plan));
    }
    return BT_OK;
}

enum bt_status bt_plan_judge(struct bt_plan_check *plan, bt_str text)
{
    static bt_plan_stage_fn *const stages[] = {bt_plan_references, bt_plan_duplicates,
                                               bt_plan_check_status_words, bt_plan_dependencies,
                                               bt_plan_chain};
    return bt_plan_run(plan, text, stages, sizeof(stages) / sizeof(stages[0]));
}

enum bt_status bt_plan_finish(struct bt_findings *findings, bt_str path, bt_str source,
                              struct bt_judgement *out)
{
    BT_TRY(bt_findings_finish(findings, source));
    *out = (struct bt_judgement){.path = path,
                                 .dialect = BT_DIALECT_PLAN,
                                 .source = source,
                                 .verdict = bt_verdict_of(findings, BT_SEVERITY_HARD),
                                 .findings = findings};
    return BT_OK;
}
