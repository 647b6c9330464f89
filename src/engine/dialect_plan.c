/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_plan.c - plans, judged by src/dialect/plan.
 */
#include <assert.h>

#include "dialect/plan/plan_check.h"
#include "engine/dialect.h"

enum bt_status bt_plan_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_check plan;
    BT_TRY(bt_checker_plan(judging->checker, &plans));
    bt_plan_check_begin(&plan, plans, judging->options->plan, judging->findings);
    BT_TRY(bt_plan_check_judge(&plan, judging->content));
    return bt_plan_check_facts(&plan, NULL, 0, out_facts);
}
