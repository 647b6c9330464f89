/* SPDX-License-Identifier: Apache-2.0 */
/* contract_transition.c - which status may follow which, and how many reports may be rejected. */
#include "decide/contract_decide.h"

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

static enum bt_status add_illegal_transition_finding(struct bt_contract_decision_state *gating,
                                                     const bt_json_value *at)
{
    struct bt_contract_check *turn = &gating->turn;
    const bt_str from = bt_contract_status_name(gating->before.state);
    const bt_str to = bt_contract_status_name(turn->plan_status);
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "ILLEGAL_TRANSITION", at);
    bt_buf_printf(&remark.message, "%.*s may not follow %.*s", BT_STR_ARG(to), BT_STR_ARG(from));
    bt_emit_member_string(&remark.emit, "from", from);
    bt_emit_member_string(&remark.emit, "to", to);
    remark.finding.hint = BT_STR("report IN_PROGRESS first");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status add_retry_finding(struct bt_contract_decision_state *gating,
                                        const bt_json_value *at, uint64_t count)
{
    struct bt_contract_check *turn = &gating->turn;
    const bool is_over = count > IN_PROGRESS_CAP;
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, is_over ? "IN_PROGRESS_RETRY_CAP" : "IN_PROGRESS_RETRY",
                             at);
    bt_emit_member_u64(&remark.emit, "count", count);
    bt_emit_member_u64(&remark.emit, "cap", IN_PROGRESS_CAP);
    remark.finding.hint = is_over ? BT_STR("report COMPLETE, BLOCKED, NEEDS_INPUT or "
                                           "APPROVAL_REQUEST")
                                  : BT_STR("finish, or say what blocks: the next one is refused");
    return bt_contract_check_add_finding(turn, &remark);
}

enum bt_status bt_contract_decide_transition(struct bt_contract_decision_state *gating)
{
    struct bt_contract_check *turn = &gating->turn;
    const enum bt_contract_status to = turn->plan_status;
    if (to == BT_CONTRACT_STATUS_NONE || turn->agent_id.len == 0 || turn->mismatch) {
        return BT_OK;
    }
    const bt_json_value *at = bt_contract_check_get(turn, turn->status, "plan_status");
    const uint64_t count = gating->before.in_progress + 1;
    if (!may_follow[gating->before.state][to]) {
        return add_illegal_transition_finding(gating, at);
    }
    const bool again = to == BT_CONTRACT_STATUS_IN_PROGRESS &&
                       gating->before.state == BT_CONTRACT_STATUS_IN_PROGRESS;
    return again ? add_retry_finding(gating, at, count) : BT_OK;
}

static enum bt_status add_limit_finding(struct bt_contract_decision_state *gating)
{
    const uint64_t limit = gating->submission->max_rejections;
    struct bt_finding_builder remark;
    bt_contract_check_remark(&gating->turn, &remark, "CONTRACT_REJECTION_LIMIT", NULL);
    bt_emit_member_u64(&remark.emit, "limit", limit);
    remark.finding.hint = BT_STR("a person looks at the agent; an accepted report, or baton "
                                 "contract state --clear, starts anew");
    return bt_contract_check_add_finding(&gating->turn, &remark);
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
    return add_limit_finding(gating);
}
