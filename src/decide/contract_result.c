/* SPDX-License-Identifier: Apache-2.0 */
/* contract_result.c - the report about a submission. */
#include "decide/contract_decide.h"

#include "base/str.h"
#include "json/emit.h"

static bt_str outcome_name(enum bt_contract_outcome outcome)
{
    return outcome == BT_CONTRACT_OUTCOME_ACCEPTED ? BT_STR("accepted")
           : outcome == BT_CONTRACT_OUTCOME_RETRY  ? BT_STR("sent_back")
                                                   : BT_STR("escalated");
}

static void put_status(struct bt_emit *emit, const char *name, enum bt_contract_status status)
{
    bt_emit_name(emit, name);
    if (status == BT_CONTRACT_STATUS_NONE) {
        bt_emit_null(emit);
    } else {
        bt_emit_string(emit, bt_contract_status_name(status));
    }
}

static void put_updates(struct bt_emit *emit, const struct bt_contract_decision_state *gating)
{
    bt_emit_member_array(emit, "updates");
    for (size_t i = 0; i < gating->change_count; i++) {
        const struct bt_section_change *change = &gating->changes[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "contract", change->name);
        bt_emit_member_string(emit, "mode",
                              change->is_dropped ? BT_STR("dropped")
                              : change->is_new   ? BT_STR("insert")
                                                 : BT_STR("merge"));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_approval(struct bt_emit *emit, const struct bt_contract_decision_state *gating)
{
    bt_emit_name(emit, "approval");
    if (gating->out.approval_id.len == 0) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "id", gating->approval.id);
    bt_emit_member_string(emit, "status", gating->approval.status);
    bt_emit_member_string(emit, "fingerprint", gating->approval.fingerprint);
    bt_emit_member_bool(emit, "created", gating->makes_request);
    bt_emit_end(emit);
}

static void put_submit(struct bt_emit *emit, const struct bt_contract_decision_state *gating)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "outcome", outcome_name(gating->out.outcome));
    bt_emit_member_string(emit, "workspace", gating->submission->workspace);
    bt_emit_member_string(emit, "session", gating->submission->session);
    bt_emit_member_string(emit, "agent_id", gating->out.agent_id);
    bt_emit_member_u64(emit, "attempt", gating->out.attempt);
    bt_emit_member_u64(emit, "max_rejections", gating->submission->max_rejections);
    bt_emit_member_object(emit, "state");
    put_status(emit, "previous", gating->before.state);
    put_status(emit, "current", gating->after.state);
    bt_emit_member_u64(emit, "in_progress_count", gating->after.in_progress);
    bt_emit_member_bool(emit, "resumed", gating->before.is_resumed);
    bt_emit_end(emit);
    put_updates(emit, gating);
    put_approval(emit, gating);
    bt_emit_end(emit);
}

/* The contracts of an accepted report that were not written, each once. */
static enum bt_status list_dropped(struct bt_contract_decision_state *gating, bool is_accepted)
{
    bt_str *names = BT_NEW_ARRAY(gating->arena, bt_str, gating->change_count + 1);
    struct bt_str_list *dropped = &gating->out.dropped;
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    *dropped = (struct bt_str_list){names, 0};
    for (size_t i = 0; is_accepted && i < gating->change_count; i++) {
        const struct bt_section_change *change = &gating->changes[i];
        if (change->is_dropped &&
            bt_str_index_in(change->name, names, dropped->count) == dropped->count) {
            names[dropped->count++] = change->name;
        }
    }
    return BT_OK;
}

enum bt_status bt_contract_decide_describe(struct bt_contract_decision_state *gating)
{
    const bool is_accepted = gating->out.outcome == BT_CONTRACT_OUTCOME_ACCEPTED;
    gating->out.state = gating->after.state;
    gating->out.previous_state = gating->before.state;
    gating->out.changes = gating->changes;
    gating->out.change_count = is_accepted ? gating->change_count : 0;
    gating->out.approval_expires_at = gating->approval.expires_at;
    gating->out.approval_id = is_accepted ? gating->approval.id : BT_STR("");
    gating->out.fingerprint = gating->approval.fingerprint;
    BT_TRY(list_dropped(gating, is_accepted));
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, "\"submit\":");
    bt_emit_init(&emit, &buf, false);
    put_submit(&emit, gating);
    return bt_buf_finish(&buf, gating->arena, &gating->item->judged->extra_members);
}
