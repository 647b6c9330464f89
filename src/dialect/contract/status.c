/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - agent_status: the agent's status, its id, and the next step. */
#include "dialect/contract/contract_check.h"

enum { SHORT_HEX = 16 }; /* ids with fewer digits collide in practice */

/* The word without blanks around it and without . , ; at its end, in capitals. */
static enum bt_status canonicalise_word(struct bt_contract_check *check, bt_str text, bt_str *out)
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
    return bt_ascii_upper_copy(check->arena, text, out);
}

static enum bt_status add_unknown_status_finding(struct bt_contract_check *check,
                                                 const bt_json_value *value, bt_str word)
{
    bt_str names[BT_CONTRACT_STATUS__MAX];
    struct bt_str_list allowed = {names, 0};
    for (unsigned i = BT_CONTRACT_STATUS_IN_PROGRESS; i < BT_CONTRACT_STATUS__MAX; i++) {
        names[allowed.count++] = bt_contract_status_name((enum bt_contract_status)i);
    }
    BT_TRY(bt_add_plan_status_not_listed(check->findings, bt_contract_locate(check, value), word,
                                         allowed));
    return bt_contract_check_add_token(check, &check->tokens.invalid, BT_CODE_PLAN_STATUS, word);
}

static enum bt_status check_plan_status(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->parts.status, "plan_status");
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    bt_str word = BT_STR("");
    if (is_string) {
        BT_TRY(canonicalise_word(check, bt_json_text(value), &word));
    } else if (!bt_json_is_absent_or_null(value)) {
        BT_TRY(bt_contract_check_text(check, value, &word));
    }
    if (word.len == 0) {
        check->absent.parts |= BT_CONTRACT_MISSING_PLAN_STATUS;
        bt_contract_words_add_code(&check->tokens.missing, BT_CODE_PLAN_STATUS);
        return bt_contract_check_add_member(check, bt_add_plan_status, check->parts.status,
                                            "plan_status");
    }
    if (!is_string || bt_contract_status_parse(word, &check->plan_status) != BT_OK) {
        return add_unknown_status_finding(check, value, word);
    }
    return bt_contract_check_canonical_spelling(check, value, word);
}

static enum bt_status check_pending_steps(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->parts.status, "pending_steps");
    if (bt_json_is_non_blank_string(value) || (value && bt_json_type(value) == BT_JSON_ARRAY)) {
        return BT_OK;
    }
    check->absent.parts |= BT_CONTRACT_MISSING_PENDING_STEPS;
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_PENDING_STEPS);
    return bt_contract_check_add_member(check, bt_add_pending_steps, check->parts.status,
                                        "pending_steps");
}

static enum bt_status check_next_action(struct bt_contract_check *check)
{
    if (bt_json_is_non_empty(bt_contract_check_get(check, check->parts.status, "next_action"))) {
        return BT_OK;
    }
    check->absent.parts |= BT_CONTRACT_MISSING_NEXT_ACTION;
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_NEXT_ACTION);
    return bt_contract_check_add_member(check, bt_add_next_action, check->parts.status,
                                        "next_action");
}

/* The id that the host reports, absent when it is not known. */
static bt_str expected_id(const struct bt_contract_check *check)
{
    const bt_str id = check->options->runtime_agent_id;
    return id.len > 0 ? id : BT_STR_ABSENT;
}

static enum bt_status add_missing_agent_id_finding(struct bt_contract_check *check,
                                                   const bt_json_value *value)
{
    check->absent.parts |= BT_CONTRACT_MISSING_AGENT_ID;
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_AGENT_ID);
    return bt_add_agent_id(check->findings,
                           bt_contract_locate(check, value ? value : check->parts.status),
                           value ? BT_STR_ABSENT : BT_STR("agent_id"), expected_id(check));
}

static enum bt_status add_agent_id_format_finding(struct bt_contract_check *check,
                                                  const bt_json_value *value)
{
    bt_str id = BT_STR("");
    check->absent.parts |= BT_CONTRACT_MISSING_AGENT_ID;
    BT_TRY(bt_contract_check_text(check, value, &id));
    BT_TRY(bt_add_agent_id_format(check->findings, bt_contract_locate(check, value), id,
                                  expected_id(check)));
    return bt_contract_check_add_token(check, &check->tokens.invalid, BT_CODE_AGENT_ID_FORMAT, id);
}

static enum bt_status add_agent_id_mismatch_finding(struct bt_contract_check *check,
                                                    const bt_json_value *value)
{
    check->mismatch = true;
    check->absent.parts |= BT_CONTRACT_MISSING_AGENT_ID;
    return bt_add_agent_id_mismatch(check->findings, bt_contract_locate(check, value),
                                    check->options->runtime_agent_id, check->agent_id);
}

static enum bt_status check_agent_id(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->parts.status, "agent_id");
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    if (bt_json_is_absent_or_null(value) || (is_string && !bt_json_is_non_blank_string(value))) {
        return add_missing_agent_id_finding(check, value);
    }
    if (!is_string || !bt_agent_id_is_valid(bt_json_text(value))) {
        return add_agent_id_format_finding(check, value);
    }
    check->agent_id = bt_json_text(value);
    if (check->agent_id.len <= SHORT_HEX) {
        BT_TRY(bt_contract_check_add_member(check, bt_add_agent_id_short, check->parts.status,
                                            "agent_id"));
    }
    const bt_str host = check->options->runtime_agent_id;
    return host.len > 0 && !bt_str_eq(host, check->agent_id)
               ? add_agent_id_mismatch_finding(check, value)
               : BT_OK;
}

void bt_contract_check_add_missing_status(struct bt_contract_check *check)
{
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_AGENT_STATUS);
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_PLAN_STATUS);
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_PENDING_STEPS);
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_NEXT_ACTION);
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_AGENT_ID);
}

enum bt_status bt_contract_check_status(struct bt_contract_check *check)
{
    check->parts.status =
        bt_contract_non_empty_object(bt_contract_check_get(check, check->root, "agent_status"));
    if (!check->parts.status) {
        bt_contract_check_add_missing_status(check);
        return bt_contract_check_add_member(check, bt_add_agent_status, check->root,
                                            "agent_status");
    }
    BT_TRY(check_plan_status(check));
    BT_TRY(check_pending_steps(check));
    BT_TRY(check_next_action(check));
    return check_agent_id(check);
}
