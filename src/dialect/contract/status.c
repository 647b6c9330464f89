/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - agent_status: the agent's status, its id, and the next step. */
#include "dialect/contract/stages.h"

enum { SHORT_HEX = 16 }; /* ids with fewer digits collide in practice */

/* The word without blanks around it and without . , ; at its end, in capitals. */
static enum bt_status canonicalise_word(struct bt_contract_check *turn, bt_str text, bt_str *out)
{
    text = bt_str_trim(text);
    for (;;) {
        const bt_str shorter = bt_str_trim(text);
        const bool mark = shorter.len > 0 && (bt_str_ends_with(shorter, BT_STR(".")) ||
                                              bt_str_ends_with(shorter, BT_STR(",")) ||
                                              bt_str_ends_with(shorter, BT_STR(";")));
        text = bt_str_slice(shorter, 0, shorter.len - (mark ? 1 : 0));
        if (!mark) {
            break;
        }
    }
    return bt_ascii_upper_copy(turn->arena, text, out);
}

static enum bt_status add_unknown_status_finding(struct bt_contract_check *turn,
                                                 const bt_json_value *value, bt_str word)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "PLAN_STATUS", value);
    bt_buf_put_quoted(&remark.message, word);
    bt_buf_put_text(&remark.message, " is none of the five statuses");
    bt_emit_member_string(&remark.emit, "actual", bt_str_truncate_80(word));
    bt_emit_name(&remark.emit, "allowed");
    bt_emit_begin_array(&remark.emit);
    for (unsigned i = BT_CONTRACT_STATUS_IN_PROGRESS; i < BT_CONTRACT_STATUS__MAX; i++) {
        bt_emit_string(&remark.emit, bt_contract_status_name((enum bt_contract_status)i));
    }
    bt_emit_end(&remark.emit);
    remark.finding.hint =
        BT_STR("use IN_PROGRESS, APPROVAL_REQUEST, COMPLETE, BLOCKED or NEEDS_INPUT");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return bt_contract_check_add_token(turn, &turn->invalid, "PLAN_STATUS", word);
}

static enum bt_status check_plan_status(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->status, "plan_status");
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    bt_str word = BT_STR("");
    if (is_string) {
        BT_TRY(canonicalise_word(turn, bt_json_text(value), &word));
    } else if (!bt_json_is_absent_or_null(value)) {
        BT_TRY(bt_contract_check_text(turn, value, &word));
    }
    if (word.len == 0) {
        turn->missing_parts |= BT_CONTRACT_MISSING_PLAN_STATUS;
        bt_contract_words_add(&turn->missing, BT_STR("PLAN_STATUS"));
        return bt_contract_check_add_member_finding(
            turn, "PLAN_STATUS", turn->status, "plan_status",
            "say where you stand: IN_PROGRESS, APPROVAL_REQUEST, COMPLETE, "
            "BLOCKED or NEEDS_INPUT");
    }
    if (!is_string || bt_contract_status_parse(word, &turn->plan_status) != BT_OK) {
        return add_unknown_status_finding(turn, value, word);
    }
    return bt_contract_check_canonical_spelling(turn, value, word);
}

static enum bt_status check_pending_steps(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->status, "pending_steps");
    if (bt_json_is_non_blank_string(value) || (value && bt_json_type(value) == BT_JSON_ARRAY)) {
        return BT_OK;
    }
    turn->missing_parts |= BT_CONTRACT_MISSING_PENDING_STEPS;
    bt_contract_words_add(&turn->missing, BT_STR("PENDING_STEPS"));
    return bt_contract_check_add_member_finding(turn, "PENDING_STEPS", turn->status,
                                                "pending_steps",
                                                "give a list, [] when nothing is pending");
}

static enum bt_status check_next_action(struct bt_contract_check *turn)
{
    if (bt_json_is_non_empty(bt_contract_check_get(turn, turn->status, "next_action"))) {
        return BT_OK;
    }
    turn->missing_parts |= BT_CONTRACT_MISSING_NEXT_ACTION;
    bt_contract_words_add(&turn->missing, BT_STR("NEXT_ACTION"));
    return bt_contract_check_add_member_finding(turn, "NEXT_ACTION", turn->status, "next_action",
                                                "say what comes next");
}

static void put_expected(const struct bt_contract_check *turn, struct bt_finding_builder *remark)
{
    if (turn->options->runtime_agent_id.len > 0) {
        bt_emit_member_string(&remark->emit, "expected", turn->options->runtime_agent_id);
    }
}

static enum bt_status add_missing_agent_id_finding(struct bt_contract_check *turn)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark_member(turn, &remark, "AGENT_ID", turn->status, "agent_id");
    put_expected(turn, &remark);
    remark.finding.hint = BT_STR("give your id as the host reports it");
    turn->missing_parts |= BT_CONTRACT_MISSING_AGENT_ID;
    bt_contract_words_add(&turn->missing, BT_STR("AGENT_ID"));
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status add_agent_id_format_finding(struct bt_contract_check *turn,
                                                  const bt_json_value *value)
{
    bt_str id = BT_STR("");
    turn->missing_parts |= BT_CONTRACT_MISSING_AGENT_ID;
    BT_TRY(bt_contract_check_text(turn, value, &id));
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "AGENT_ID_FORMAT", value);
    bt_buf_put_quoted(&remark.message, id);
    bt_buf_put_text(&remark.message, " is no agent id");
    bt_emit_member_string(&remark.emit, "actual", bt_str_truncate_80(id));
    put_expected(turn, &remark);
    remark.finding.hint =
        BT_STR("an id is `a` and 5 to 127 lower-case hexadecimal digits, as the host reports it");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return bt_contract_check_add_token(turn, &turn->invalid, "AGENT_ID_FORMAT", id);
}

static enum bt_status add_agent_id_mismatch_finding(struct bt_contract_check *turn,
                                                    const bt_json_value *value)
{
    struct bt_finding_builder remark;
    turn->mismatch = true;
    turn->missing_parts |= BT_CONTRACT_MISSING_AGENT_ID;
    bt_contract_check_remark(turn, &remark, "AGENT_ID_MISMATCH", value);
    bt_buf_put_text(&remark.message, "the block says ");
    bt_buf_put_quoted(&remark.message, turn->agent_id);
    bt_buf_put_text(&remark.message, ", but the host reports ");
    bt_buf_put_quoted(&remark.message, turn->options->runtime_agent_id);
    bt_emit_member_string(&remark.emit, "expected", turn->options->runtime_agent_id);
    bt_emit_member_string(&remark.emit, "actual", turn->agent_id);
    remark.finding.hint = BT_STR("use the expected id; never copy the block of another agent");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status check_agent_id(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->status, "agent_id");
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    if (bt_json_is_absent_or_null(value) || (is_string && !bt_json_is_non_blank_string(value))) {
        return add_missing_agent_id_finding(turn);
    }
    if (!is_string || !bt_agent_id_is_valid(bt_json_text(value))) {
        return add_agent_id_format_finding(turn, value);
    }
    turn->agent_id = bt_json_text(value);
    if (turn->agent_id.len <= SHORT_HEX) {
        BT_TRY(bt_contract_check_add_member_finding(turn, "AGENT_ID_SHORT", turn->status,
                                                    "agent_id", "use ids with at least 16 digits"));
    }
    const bt_str host = turn->options->runtime_agent_id;
    return host.len > 0 && !bt_str_eq(host, turn->agent_id)
               ? add_agent_id_mismatch_finding(turn, value)
               : BT_OK;
}

void bt_contract_check_add_missing_status(struct bt_contract_check *turn)
{
    bt_contract_words_add(&turn->missing, BT_STR("AGENT_STATUS"));
    bt_contract_words_add(&turn->missing, BT_STR("PLAN_STATUS"));
    bt_contract_words_add(&turn->missing, BT_STR("PENDING_STEPS"));
    bt_contract_words_add(&turn->missing, BT_STR("NEXT_ACTION"));
    bt_contract_words_add(&turn->missing, BT_STR("AGENT_ID"));
}

enum bt_status bt_contract_check_status(struct bt_contract_check *turn)
{
    turn->status =
        bt_contract_non_empty_object(bt_contract_check_get(turn, turn->root, "agent_status"));
    if (!turn->status) {
        bt_contract_check_add_missing_status(turn);
        return bt_contract_check_add_member_finding(
            turn, "AGENT_STATUS", turn->root, "agent_status",
            "add agent_status with plan_status, agent_id, pending_steps and "
            "next_action");
    }
    BT_TRY(check_plan_status(turn));
    BT_TRY(check_pending_steps(turn));
    BT_TRY(check_next_action(turn));
    return check_agent_id(turn);
}
