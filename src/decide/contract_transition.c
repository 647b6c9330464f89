/* SPDX-License-Identifier: Apache-2.0 */
/* contract_transition.c - which status may follow which, and how many reports may be rejected. */
#include "decide/contract_decide.h"
#include "report/rules.h"

enum { IN_PROGRESS_CAP = 2 };

static const bool may_follow[BT_CONTRACT_STATUS__MAX][BT_CONTRACT_STATUS__MAX] = {
    [BT_CONTRACT_STATUS_NONE] = {[BT_CONTRACT_STATUS_IN_PROGRESS] = true,
                                 [BT_CONTRACT_STATUS_APPROVAL_REQUEST] = true,
                                 [BT_CONTRACT_STATUS_COMPLETE] = true,
                                 [BT_CONTRACT_STATUS_BLOCKED] = true,
                                 [BT_CONTRACT_STATUS_NEEDS_INPUT] = true},
    [BT_CONTRACT_STATUS_IN_PROGRESS] = {[BT_CONTRACT_STATUS_IN_PROGRESS] = true, /* up to the cap */
                                        [BT_CONTRACT_STATUS_APPROVAL_REQUEST] = true,
                                        [BT_CONTRACT_STATUS_COMPLETE] = true,
                                        [BT_CONTRACT_STATUS_BLOCKED] = true,
                                        [BT_CONTRACT_STATUS_NEEDS_INPUT] = true},
    [BT_CONTRACT_STATUS_APPROVAL_REQUEST] = {[BT_CONTRACT_STATUS_IN_PROGRESS] = true},
    [BT_CONTRACT_STATUS_COMPLETE] = {[BT_CONTRACT_STATUS_IN_PROGRESS] = true},
    [BT_CONTRACT_STATUS_BLOCKED] = {[BT_CONTRACT_STATUS_IN_PROGRESS] = true},
    [BT_CONTRACT_STATUS_NEEDS_INPUT] = {[BT_CONTRACT_STATUS_IN_PROGRESS] = true},
};

enum bt_status bt_contract_decide_transition(struct bt_contract_decision_state *gating)
{
    struct bt_contract_check *turn = &gating->turn;
    const enum bt_contract_status to = turn->plan_status;
    if (to == BT_CONTRACT_STATUS_NONE || turn->agent_id.len == 0 || turn->mismatch) {
        return BT_OK;
    }
    const struct bt_location at =
        bt_contract_locate(turn, bt_contract_check_get(turn, turn->parts.status, "plan_status"));
    const enum bt_contract_status from = gating->before.state;
    const uint64_t count = gating->before.in_progress + 1;
    if (!may_follow[from][to]) {
        return bt_add_illegal_transition(turn->findings, at, bt_contract_status_name(from),
                                         bt_contract_status_name(to));
    }
    if (from != BT_CONTRACT_STATUS_IN_PROGRESS || to != BT_CONTRACT_STATUS_IN_PROGRESS) {
        return BT_OK;
    }
    return count > IN_PROGRESS_CAP
               ? bt_add_in_progress_retry_cap(turn->findings, at, count, IN_PROGRESS_CAP)
               : bt_add_in_progress_retry(turn->findings, at, count, IN_PROGRESS_CAP);
}

static void accept_transition(struct bt_contract_decision_state *gating)
{
    const enum bt_contract_status to = gating->turn.plan_status;
    const bool again = to == BT_CONTRACT_STATUS_IN_PROGRESS &&
                       gating->before.state == BT_CONTRACT_STATUS_IN_PROGRESS;
    gating->after.state = to;
    gating->after.in_progress =
        to == BT_CONTRACT_STATUS_IN_PROGRESS ? (again ? gating->before.in_progress : 0) + 1 : 0;
    gating->after.rejections = 0;
    gating->after.is_escalated = false;
    gating->out.outcome = BT_CONTRACT_OUTCOME_ACCEPTED;
    gating->out.attempt = 0;
}

enum bt_status bt_contract_decide_rejections(struct bt_contract_decision_state *gating)
{
    const uint64_t limit = gating->submission->max_rejections;
    struct bt_contract_agent *after = &gating->after;
    *after = gating->before;
    after->updated_at = bt_str_of(gating->now);
    if (!bt_contract_check_is_rejected(&gating->turn)) {
        accept_transition(gating);
        return BT_OK;
    }
    if (!after->is_escalated && after->rejections < limit) {
        gating->out.outcome = BT_CONTRACT_OUTCOME_RETRY;
        gating->out.attempt = ++after->rejections;
        return BT_OK;
    }
    gating->out.outcome = BT_CONTRACT_OUTCOME_ESCALATED;
    gating->out.attempt = limit + 1;
    after->is_escalated = true;
    return bt_add_contract_rejection_limit(gating->turn.findings,
                                           bt_contract_locate(&gating->turn, NULL), limit);
}
