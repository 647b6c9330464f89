/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition.c - which status may follow which, and how often a report may be bad.
 */
#include "gate/gating.h"

enum { IN_PROGRESS_CAP = 2 };

static const bool may_follow[BT_PLAN__MAX][BT_PLAN__MAX] = {
    [BT_PLAN_NONE] = {[BT_PLAN_IN_PROGRESS] = true,
                      [BT_PLAN_APPROVAL_REQUEST] = true,
                      [BT_PLAN_COMPLETE] = true,
                      [BT_PLAN_BLOCKED] = true,
                      [BT_PLAN_NEEDS_INPUT] = true},
    [BT_PLAN_IN_PROGRESS] = {[BT_PLAN_IN_PROGRESS] = true, /* up to the cap */
                             [BT_PLAN_APPROVAL_REQUEST] = true,
                             [BT_PLAN_COMPLETE] = true,
                             [BT_PLAN_BLOCKED] = true,
                             [BT_PLAN_NEEDS_INPUT] = true},
    [BT_PLAN_APPROVAL_REQUEST] = {[BT_PLAN_IN_PROGRESS] = true},
    [BT_PLAN_COMPLETE] = {[BT_PLAN_IN_PROGRESS] = true},
    [BT_PLAN_BLOCKED] = {[BT_PLAN_IN_PROGRESS] = true},
    [BT_PLAN_NEEDS_INPUT] = {[BT_PLAN_IN_PROGRESS] = true},
};

static enum bt_status say_illegal(struct bt_gating *gating, const bt_value *at)
{
    struct bt_turn *turn = &gating->turn;
    const bt_str from = bt_plan_status_name(gating->before.state);
    const bt_str to = bt_plan_status_name(turn->plan_status);
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "ILLEGAL_TRANSITION", at);
    bt_buf_printf(&remark.message, "%.*s may not follow %.*s", BT_STR_ARG(to), BT_STR_ARG(from));
    bt_emit_member_string(&remark.emit, "from", from);
    bt_emit_member_string(&remark.emit, "to", to);
    remark.finding.hint = BT_STR("report IN_PROGRESS first");
    return bt_turn_say(turn, &remark);
}

static enum bt_status say_retry(struct bt_gating *gating, const bt_value *at, uint64_t count)
{
    struct bt_turn *turn = &gating->turn;
    const bool is_over = count > IN_PROGRESS_CAP;
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, is_over ? "IN_PROGRESS_RETRY_CAP" : "IN_PROGRESS_RETRY", at);
    bt_emit_member_u64(&remark.emit, "count", count);
    bt_emit_member_u64(&remark.emit, "cap", IN_PROGRESS_CAP);
    remark.finding.hint = is_over ? BT_STR("report COMPLETE, BLOCKED, NEEDS_INPUT or "
                                           "APPROVAL_REQUEST")
                                  : BT_STR("finish, or say what blocks: the next one is refused");
    return bt_turn_say(turn, &remark);
}

enum bt_status bt_gating_transition(struct bt_gating *gating)
{
    struct bt_turn *turn = &gating->turn;
    const enum bt_plan_status to = turn->plan_status;
    if (to == BT_PLAN_NONE || turn->agent_id.len == 0 || turn->mismatch) {
        return BT_OK;
    }
    const bt_value *at = bt_turn_get(turn, turn->status, "plan_status");
    const uint64_t count = gating->before.in_progress + 1;
    if (!may_follow[gating->before.state][to]) {
        return say_illegal(gating, at);
    }
    const bool again = to == BT_PLAN_IN_PROGRESS && gating->before.state == BT_PLAN_IN_PROGRESS;
    return again ? say_retry(gating, at, count) : BT_OK;
}

/* ---- Rejections ------------------------------------------------------------------------------ */

static enum bt_status say_limit(struct bt_gating *gating)
{
    const uint64_t limit = gating->asked->max_rejections;
    struct bt_remark remark;
    bt_turn_remark(&gating->turn, &remark, "CONTRACT_REJECTION_LIMIT", NULL);
    bt_emit_member_u64(&remark.emit, "limit", limit);
    remark.finding.hint = BT_STR("a person looks at the agent; an accepted report, or baton "
                                 "contract state --clear, starts anew");
    return bt_turn_say(&gating->turn, &remark);
}

static void accept(struct bt_gating *gating)
{
    const enum bt_plan_status to = gating->turn.plan_status;
    const bool again = to == BT_PLAN_IN_PROGRESS && gating->before.state == BT_PLAN_IN_PROGRESS;
    gating->after.state = to;
    gating->after.in_progress =
        to == BT_PLAN_IN_PROGRESS ? (again ? gating->before.in_progress : 0) + 1 : 0;
    gating->after.rejections = 0;
    gating->after.is_escalated = false;
    gating->out.outcome = BT_GATE_ACCEPTED;
    gating->out.attempt = 0;
}

enum bt_status bt_gating_count(struct bt_gating *gating)
{
    const uint64_t limit = gating->asked->max_rejections;
    struct bt_agent_state *after = &gating->after;
    *after = gating->before;
    after->updated_at = bt_str_of(gating->now);
    if (!bt_turn_is_rejected(&gating->turn)) {
        accept(gating);
        return BT_OK;
    }
    if (!after->is_escalated && after->rejections < limit) {
        gating->out.outcome = BT_GATE_SENT_BACK;
        gating->out.attempt = ++after->rejections;
        return BT_OK;
    }
    gating->out.outcome = BT_GATE_ESCALATED;
    gating->out.attempt = limit + 1;
    after->is_escalated = true;
    return say_limit(gating);
}
