/* SPDX-License-Identifier: Apache-2.0 */
/* contract_transition.c - which status may follow which, and how many reports may be rejected. */
#include "decide/contract_decide.h"
#include "report/rules.h"

enum { RETRIES_MAX = 2 }; /* after the first IN_PROGRESS report */

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

/* The status that the report follows: a resumed agent goes on as if it had said so. An agent in
 * progress gets nothing by that, or it could put off its end for ever. */
static enum bt_contract_status state_to_follow(const struct bt_contract_agent *before)
{
    return before->is_resumed && before->state != BT_CONTRACT_STATUS_NONE
               ? BT_CONTRACT_STATUS_IN_PROGRESS
               : before->state;
}

static enum bt_status add_illegal_transition_finding(struct bt_contract_decision_state *gating,
                                                     struct bt_location at)
{
    const struct bt_contract_check *turn = &gating->turn;
    const enum bt_contract_status from = gating->before.state;
    bt_str legal[BT_CONTRACT_STATUS__MAX];
    size_t count = 0;
    for (unsigned i = BT_CONTRACT_STATUS_IN_PROGRESS; i < BT_CONTRACT_STATUS__MAX; i++) {
        if (may_follow[from][i]) {
            legal[count++] = bt_contract_status_name((enum bt_contract_status)i);
        }
    }
    return bt_add_illegal_transition(
        turn->findings, turn->options->strict_transitions ? BT_SEVERITY_HARD : BT_SEVERITY_WARN, at,
        bt_contract_status_name(from), bt_contract_status_name(turn->plan_status),
        (struct bt_str_list){legal, count});
}

enum bt_status bt_contract_decide_transition(struct bt_contract_decision_state *gating)
{
    struct bt_contract_check *turn = &gating->turn;
    const enum bt_contract_status to = turn->plan_status;
    if (to == BT_CONTRACT_STATUS_NONE || turn->agent_id.len == 0 || turn->mismatch) {
        return BT_OK;
    }
    const struct bt_location at = bt_contract_locate(turn, turn->parts.status_word);
    const enum bt_contract_status from = state_to_follow(&gating->before);
    const uint64_t count = gating->before.in_progress + 1;
    if (!may_follow[from][to]) {
        return add_illegal_transition_finding(gating, at);
    }
    if (from != BT_CONTRACT_STATUS_IN_PROGRESS || to != BT_CONTRACT_STATUS_IN_PROGRESS ||
        count == 1) {
        return BT_OK;
    }
    return count - 1 > RETRIES_MAX
               ? bt_add_in_progress_retry_cap(turn->findings, at, count, count - 1, RETRIES_MAX)
               : bt_add_in_progress_retry(turn->findings, at, count, count - 1, RETRIES_MAX);
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
    gating->after.is_resumed = false;
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
    if (!after->is_escalated && after->rejections < limit &&
        !gating->submission->never_sends_back) {
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
