/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules about organisms, found by code.
 */
#include <assert.h>

#include "organism/organism.h"
#include "report/add.h"

const struct bt_rule *bt_organism_rule(const char *code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_XML, bt_str_of(code));
    assert(rule);
    return rule;
}
