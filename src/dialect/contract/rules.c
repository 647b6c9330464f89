/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules of the dialect, found by code.
 */
#include <assert.h>

#include "dialect/contract/contract_check.h"
#include "report/add.h"

const struct bt_rule *bt_contract_rule_or_null(bt_str code)
{
    return bt_rule_find(BT_DIALECT_CONTRACT, code);
}

const struct bt_rule *bt_contract_rule(const char *code)
{
    const struct bt_rule *rule = bt_contract_rule_or_null(bt_str_of(code));
    assert(rule);
    return rule;
}
