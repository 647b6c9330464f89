/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules of the dialect, found by code.
 */
#include "dialect/universal/universal_check.h"

const struct bt_rule *bt_universal_find_rule(bt_str code)
{
    return bt_rule_find(BT_DIALECT_UNIVERSAL, code);
}
