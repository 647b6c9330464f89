/* SPDX-License-Identifier: Apache-2.0 */
/*
 * response.c - rules about the answers to handoffs.
 */
#include "dialect/governed/ruling.h"

/* ---- Semantics ------------------------------------------------------------------------------- */

/* Whether data says why: an explanation, or for errors their message. */
static bool is_explained(const struct bt_ruling *ruling)
{
    const bool is_error =
        bt_str_eq(bt_ruling_text(ruling, BT_STR("/response/status")), BT_STR("error"));
    return !bt_is_ascii_blank(
               bt_ruling_text(ruling, BT_STR("/response/content/data/explanation"))) ||
           (is_error && !bt_is_ascii_blank(bt_ruling_text(
                            ruling, BT_STR("/response/content/data/error_message"))));
}

static enum bt_status judge_flags(struct bt_ruling *ruling)
{
    static const bt_str pointers[] = {
        BT_STR_INIT("/governance/within_scope"),
        BT_STR_INIT("/governance/boundaries_respected"),
        BT_STR_INIT("/governance/quality_standards_met"),
        BT_STR_INIT("/governance/constraints_followed"),
    };
    for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
        const bt_value *flag = bt_ruling_at(ruling, pointers[i]);
        const bt_str name = bt_str_slice(pointers[i], sizeof("/governance/") - 1, pointers[i].len);
        struct bt_remark remark;
        if (bt_json_type(flag) != BT_JSON_FALSE || is_explained(ruling)) {
            continue;
        }
        bt_ruling_remark(ruling, &remark, "RESPONSE_UNEXPLAINED", pointers[i]);
        bt_buf_printf(&remark.message, "%.*s is false, and nothing says why", BT_STR_ARG(name));
        bt_emit_member_string(&remark.emit, "flag", name);
        BT_TRY(bt_remark_end(&remark, ruling->findings));
    }
    return BT_OK;
}

enum bt_status bt_ruling_response(struct bt_ruling *ruling)
{
    const bt_str status = bt_ruling_text(ruling, BT_STR("/response/status"));
    const bt_str confidence = bt_ruling_text(ruling, BT_STR("/response/confidence"));
    struct bt_remark remark;
    BT_TRY(judge_flags(ruling));
    if (bt_str_eq(status, BT_STR("error")) == bt_str_eq(confidence, BT_STR("not_applicable"))) {
        return BT_OK;
    }
    bt_ruling_remark(ruling, &remark, "RESPONSE_CONFIDENCE", BT_STR("/response/confidence"));
    bt_buf_printf(&remark.message, "confidence %.*s does not go with status %.*s",
                  BT_STR_ARG(confidence), BT_STR_ARG(status));
    bt_emit_member_string(&remark.emit, "status", status);
    bt_emit_member_string(&remark.emit, "confidence", confidence);
    return bt_remark_end(&remark, ruling->findings);
}

/* ---- Governance ------------------------------------------------------------------------------ */

static enum bt_status say_suggestion(struct bt_ruling *ruling, const bt_value *at, size_t index,
                                     bt_str reason)
{
    struct bt_remark remark;
    bt_governed_remark(&remark, "SUGGESTION_INVALID", (struct bt_spot){ruling->document, at});
    bt_buf_printf(&remark.pointer, "/next_actions/suggested_handoffs/%zu/target_agent", index);
    bt_buf_put_text(&remark.message, "a handoff to ");
    bt_put_quoted(&remark.message, bt_json_text(at));
    bt_buf_printf(&remark.message, " would be refused: %.*s", BT_STR_ARG(reason));
    bt_emit_member_string(&remark.emit, "target", bt_json_text(at));
    bt_emit_member_string(&remark.emit, "reason", reason);
    return bt_remark_end(&remark, ruling->findings);
}

/* Why the responder may not hand to the agent; "" when it may, or nobody can tell. */
static bt_str refusal_of(const struct bt_ruling *ruling, bt_str id)
{
    const struct bt_roster *roster = &ruling->roster;
    const size_t to = bt_roster_find(roster, id);
    const size_t from = ruling->parties[0].agent;
    if (to == BT_NO_AGENT) {
        return BT_STR("unknown_agent");
    }
    if (from == BT_NO_AGENT || !roster->has_lists || roster->lock.fault != BT_ROOT_FINE ||
        !bt_agent_is_candidate(&roster->agents[from]) ||
        !bt_agent_is_candidate(&roster->agents[to])) {
        return BT_STR("");
    }
    return bt_pair_reason(bt_pair_judge(roster, from, to));
}

enum bt_status bt_ruling_suggest(struct bt_ruling *ruling)
{
    const bt_value *list = bt_ruling_at(ruling, BT_STR("/next_actions/suggested_handoffs"));
    const size_t count = list ? bt_json_count(list) : 0;
    if (count > 0 && ruling->roster.lock.fault == BT_ROOT_FINE) {
        BT_TRY(bt_roster_examine(&ruling->roster));
    }
    for (size_t i = 0; i < count; i++) {
        const bt_value *at =
            bt_json_get(ruling->document, &bt_json_items(list)[i], BT_STR("target_agent"));
        const bt_str reason = refusal_of(ruling, bt_json_text(at));
        if (reason.len > 0) {
            BT_TRY(say_suggestion(ruling, at, i, reason));
        }
    }
    return BT_OK;
}
