/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - what callers of the library read of rules, findings and judged documents.
 */
#include <assert.h>

#include "report/report.h"

bt_str bt_rule_code(const struct bt_rule *rule)
{
    assert(rule);
    return rule->code;
}

bt_str bt_rule_dialect(const struct bt_rule *rule)
{
    assert(rule);
    return rule->dialect;
}

enum bt_severity bt_rule_severity(const struct bt_rule *rule)
{
    assert(rule);
    return rule->severity;
}

enum bt_stage bt_rule_stage(const struct bt_rule *rule)
{
    assert(rule);
    return rule->stage;
}

enum bt_fix bt_rule_fix(const struct bt_rule *rule)
{
    assert(rule);
    return rule->fix;
}

bool bt_rule_is_security(const struct bt_rule *rule)
{
    assert(rule);
    return rule->security;
}

bt_str bt_rule_meaning(const struct bt_rule *rule)
{
    assert(rule);
    return rule->meaning;
}

bt_str bt_rule_explanation(const struct bt_rule *rule)
{
    assert(rule);
    return rule->explanation;
}

bt_str bt_rule_bad(const struct bt_rule *rule)
{
    assert(rule);
    return rule->bad;
}

bt_str bt_rule_good(const struct bt_rule *rule)
{
    assert(rule);
    return rule->good;
}

bt_str bt_finding_code(const struct bt_finding *finding)
{
    assert(finding);
    return finding->rule->code;
}

enum bt_severity bt_finding_severity(const struct bt_finding *finding)
{
    assert(finding);
    return finding->severity;
}

enum bt_stage bt_finding_stage(const struct bt_finding *finding)
{
    assert(finding);
    return finding->rule->stage;
}

bt_str bt_finding_pointer(const struct bt_finding *finding)
{
    assert(finding);
    return finding->pointer;
}

struct bt_position bt_finding_place(const struct bt_finding *finding)
{
    assert(finding);
    return finding->position;
}

bt_str bt_finding_message(const struct bt_finding *finding)
{
    assert(finding);
    return finding->message;
}

bt_str bt_finding_hint(const struct bt_finding *finding)
{
    assert(finding);
    return finding->hint;
}

bool bt_finding_is_security(const struct bt_finding *finding)
{
    assert(finding);
    return finding->security;
}

enum bt_fix bt_finding_fix(const struct bt_finding *finding)
{
    assert(finding);
    return finding->fix;
}

bt_str bt_finding_params(const struct bt_finding *finding)
{
    assert(finding);
    return finding->params;
}

bt_str bt_judgement_path(const struct bt_judgement *judgement)
{
    assert(judgement);
    return judgement->path;
}

enum bt_dialect_id bt_judgement_dialect(const struct bt_judgement *judgement)
{
    assert(judgement);
    return judgement->dialect;
}

enum bt_verdict bt_judgement_verdict(const struct bt_judgement *judgement)
{
    assert(judgement);
    return judgement->verdict;
}

const struct bt_findings *bt_judgement_findings(const struct bt_judgement *judgement)
{
    assert(judgement);
    return judgement->findings;
}

bt_str bt_judgement_facts(const struct bt_judgement *judgement)
{
    assert(judgement);
    return judgement->shown_facts.len > 0 ? judgement->shown_facts : BT_STR("{}");
}

bt_str bt_judgement_members(const struct bt_judgement *judgement)
{
    assert(judgement);
    return judgement->extra_members;
}
