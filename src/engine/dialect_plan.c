/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_plan.c - plans, judged by src/dialect/plan.
 */
#include <assert.h>

#include "dialect/plan/steps.h"
#include "engine/dialect.h"

enum bt_status bt_plan_check(const struct bt_judging *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_plans *plans = NULL;
    struct bt_plan plan;
    BT_TRY(bt_checker_plans(judging->checker, &plans));
    bt_plan_begin(&plan, plans, judging->options->plan, judging->findings);
    BT_TRY(bt_plan_judge(&plan, judging->content));
    return bt_plan_facts(&plan, NULL, 0, out_facts);
}
