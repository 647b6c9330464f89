/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules about skills, and those of stage governance, found by code.
 */
#include <assert.h>

#include "report/add.h"
#include "skill/skill_internal.h"

const struct bt_rule *bt_skill_catalogue_rule(const char *code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_SKILL, bt_str_of(code));
    rule = rule ? rule : bt_rule_find(BT_DIALECT_UNIVERSAL, bt_str_of(code));
    assert(rule);
    return rule;
}
