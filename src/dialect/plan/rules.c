/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules of the dialect, found by code.
 */
#include <assert.h>

#include "dialect/plan/plan_check.h"
#include "report/add.h"

const struct bt_rule *bt_plan_rule(bt_str code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_PLAN, code);
    assert(rule);
    return rule;
}
