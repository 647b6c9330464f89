/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules of the dialect, found by code.
 */
#include <assert.h>

#include "dialect/xml/message_check.h"
#include "report/add.h"

const struct bt_rule *bt_xml_rule(const char *code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_XML, bt_str_of(code));
    assert(rule);
    return rule;
}
