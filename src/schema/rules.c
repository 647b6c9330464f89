/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules of JSON Schema, found by code.
 */
#include "schema/rules.h"

#include <assert.h>

#include "report/add.h"

const struct bt_rule *bt_schema_rule(bt_str code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_JSON, code);
    rule = rule ? rule : bt_rule_find(BT_DIALECT_SCHEMA, code);
    assert(rule);
    return rule;
}
