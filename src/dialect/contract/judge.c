/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the order of the steps.
 */
#include <assert.h>

#include "dialect/contract/stages.h"

bool bt_contract_check_is_rejected(const struct bt_contract_check *turn)
{
    const enum bt_severity level = turn->fail_level ? turn->fail_level : BT_SEVERITY_HARD;
    for (size_t i = 0; i < bt_findings_count(turn->findings); i++) {
        if (bt_findings_at(turn->findings, i)->severity >= level) {
            return true;
        }
    }
    return false;
}

bt_str bt_contract_check_action(const struct bt_contract_check *turn)
{
    if (!bt_contract_check_is_rejected(turn)) {
        return BT_STR("none");
    }
    const bool known =
        turn->options->runtime_agent_id.len > 0 || (turn->agent_id.len > 0 && !turn->mismatch);
    return known ? BT_STR("resume_same_agent_contract_repair") : BT_STR("escalate_contract_repair");
}

enum bt_status bt_contract_check_judge(struct bt_contract_check *turn)
{
    assert(turn);
    assert(turn->contract);
    assert(turn->options);
    static bt_contract_check_fn *const steps[] = {
        bt_contract_check_status,  bt_contract_check_evidence, bt_contract_check_consolidation,
        bt_contract_check_members, bt_contract_check_approval, bt_contract_check_verification,
        bt_contract_check_loop,    bt_contract_check_advisory, bt_contract_check_updates,
    };
    turn->arena = bt_findings_arena(turn->findings);
    turn->demanded = turn->options->input && turn->options->input->consolidation_required;
    turn->body = BT_STR("");
    turn->agent_id = BT_STR("");
    BT_TRY(bt_contract_check_read(turn));
    if (!turn->document) {
        bt_contract_check_add_missing_status(turn); /* no contract: all five have one cause */
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        BT_TRY(steps[i](turn));
    }
    return bt_contract_check_add_omitted_counts(turn);
}

enum bt_status bt_contract_check_finish(struct bt_contract_check *turn, bt_str path,
                                        const struct bt_contract_edits *fixed,
                                        struct bt_judgement *out)
{
    struct bt_judgement judged = {
        .path = path, .dialect = BT_DIALECT_CONTRACT, .findings = turn->findings};
    BT_TRY(bt_contract_check_facts(turn, fixed, &judged.facts));
    BT_TRY(bt_contract_check_excerpt_text(turn, &judged.source));
    BT_TRY(bt_findings_finish(turn->findings, turn->text));
    judged.verdict = bt_verdict_of(turn->findings, BT_SEVERITY_HARD);
    *out = judged;
    return BT_OK;
}
