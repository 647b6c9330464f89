/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the hints of the rules of the dialect. */
#include "dialect/governed/schema.h"
#include "report/add.h"

bt_str bt_governed_hint(bt_str code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_GOVERNED, code);
    const bt_str hint = rule ? bt_rule_hint(rule) : BT_STR("");
    return hint.len > 0 ? hint : BT_STR("correct the document");
}
