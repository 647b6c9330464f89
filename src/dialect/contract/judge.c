/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the order of the steps.
 */
#include <assert.h>

#include "dialect/contract/stages.h"

bool bt_turn_is_rejected(const struct bt_turn *turn)
{
    const enum bt_severity level = turn->fail_level ? turn->fail_level : BT_HARD;
    for (size_t i = 0; i < bt_findings_count(turn->findings); i++) {
        if (bt_findings_at(turn->findings, i)->severity >= level) {
            return true;
        }
    }
    return false;
}

bt_str bt_turn_action(const struct bt_turn *turn)
{
    if (!bt_turn_is_rejected(turn)) {
        return BT_STR("none");
    }
    const bool known =
        turn->options->host_id.len > 0 || (turn->agent_id.len > 0 && !turn->mismatch);
    return known ? BT_STR("resume_same_agent_contract_repair") : BT_STR("escalate_contract_repair");
}

enum bt_status bt_turn_judge(struct bt_turn *turn)
{
    assert(turn);
    assert(turn->contract);
    assert(turn->options);
    static bt_turn_fn *const steps[] = {
        bt_turn_status,  bt_turn_evidence, bt_turn_consolidation,
        bt_turn_members, bt_turn_approval, bt_turn_verification,
        bt_turn_loop,    bt_turn_advisory, bt_turn_updates,
    };
    turn->arena = bt_findings_arena(turn->findings);
    turn->demanded = turn->options->input && turn->options->input->consolidation_required;
    turn->body = BT_STR("");
    turn->agent_id = BT_STR("");
    BT_TRY(bt_turn_read(turn));
    if (!turn->document) {
        bt_turn_miss_status(turn); /* no contract: all five have one cause */
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        BT_TRY(steps[i](turn));
    }
    return bt_turn_tell_more(turn);
}

enum bt_status bt_turn_conclude(struct bt_turn *turn, bt_str path, const struct bt_mends *fixed,
                                struct bt_judged *out)
{
    struct bt_judged judged = {
        .path = path, .dialect = BT_STR("contract"), .findings = turn->findings};
    BT_TRY(bt_turn_facts(turn, fixed, &judged.facts));
    BT_TRY(bt_turn_shown(turn, &judged.source));
    BT_TRY(bt_findings_finish(turn->findings, turn->text));
    judged.verdict = bt_verdict_of(turn->findings, BT_HARD);
    *out = judged;
    return BT_OK;
}
