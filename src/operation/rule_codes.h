/* SPDX-License-Identifier: Apache-2.0 */
/* rule_codes.h - the codes of rules for adapters, which do not include src/report. */
#ifndef BATON_SRC_OPERATION_RULE_CODES_H
#define BATON_SRC_OPERATION_RULE_CODES_H

#include "report/report.h"
#include "report/rules.h"

/* The first rule with a code; others differ in their dialect. */
static inline const struct bt_rule *bt_rule_of_code(enum bt_code code)
{
    return &bt_rules[bt_rules_first[code]];
}

#endif
