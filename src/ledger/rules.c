/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - findings of the rules about ledgers, receipts, checkpoints and stores.
 */
#include "ledger/rules.h"

#include "report/add.h"

struct bt_finding bt_ledger_finding(const char *code)
{
    const struct bt_rule *rule = bt_rules_at(bt_rules_find(bt_str_of(code)));
    /* REPLAYED_ID is a code of governed handoffs, too. */
    const struct bt_rule *raw = bt_rule_find(BT_DIALECT_RAW, rule->code);
    struct bt_finding finding = bt_finding_from_rule(raw ? raw : rule);
    finding.hint = bt_rule_hint(finding.rule);
    return finding;
}
