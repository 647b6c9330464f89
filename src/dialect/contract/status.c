/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - agent_status: the agent's status, its id, and the next step. */
#include "base/str.h"
#include "dialect/contract/contract_check.h"
#include "schema/nearest.h"

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

/* Words that agents use, each with the status that it probably means. */
static const struct contract_other_word {
    const char *word;
    enum bt_contract_status status;
} other_words[] = {
    {"DONE", BT_CONTRACT_STATUS_COMPLETE},
    {"FINISHED", BT_CONTRACT_STATUS_COMPLETE},
    {"COMPLETED", BT_CONTRACT_STATUS_COMPLETE},
    {"SUCCESS", BT_CONTRACT_STATUS_COMPLETE},
    {"SUCCEEDED", BT_CONTRACT_STATUS_COMPLETE},
    {"OK", BT_CONTRACT_STATUS_COMPLETE},
    {"PASS", BT_CONTRACT_STATUS_COMPLETE},
    {"FAILED", BT_CONTRACT_STATUS_BLOCKED},
    {"FAILURE", BT_CONTRACT_STATUS_BLOCKED},
    {"ERROR", BT_CONTRACT_STATUS_BLOCKED},
    {"STUCK", BT_CONTRACT_STATUS_BLOCKED},
    {"CANNOT_CONTINUE", BT_CONTRACT_STATUS_BLOCKED},
    {"QUESTION", BT_CONTRACT_STATUS_NEEDS_INPUT},
    {"WAITING", BT_CONTRACT_STATUS_NEEDS_INPUT},
    {"NEEDS_ANSWER", BT_CONTRACT_STATUS_NEEDS_INPUT},
    {"NEEDS_APPROVAL", BT_CONTRACT_STATUS_APPROVAL_REQUEST},
    {"PENDING_APPROVAL", BT_CONTRACT_STATUS_APPROVAL_REQUEST},
    {"WORKING", BT_CONTRACT_STATUS_IN_PROGRESS},
    {"RUNNING", BT_CONTRACT_STATUS_IN_PROGRESS},
    {"STARTED", BT_CONTRACT_STATUS_IN_PROGRESS},
    {"CONTINUE", BT_CONTRACT_STATUS_IN_PROGRESS},
};

static bt_str status_at(const void *context, size_t index)
{
    (void)context;
    return bt_contract_status_name((enum bt_contract_status)(index + 1));
}

/* The status that a word probably means, or none. */
static enum bt_contract_status find_nearest_status(bt_str word)
{
    enum { STATUSES = BT_CONTRACT_STATUS__MAX - 1 };
    const size_t nearest = bt_nearest_word(word, status_at, NULL, STATUSES);
    if (nearest < STATUSES) {
        return (enum bt_contract_status)(nearest + 1);
    }
    for (size_t i = 0; i < BT_COUNT_OF(other_words); i++) {
        if (bt_str_eq(word, bt_str_of(other_words[i].word))) {
            return other_words[i].status;
        }
    }
    return BT_CONTRACT_STATUS_NONE;
}

/* The status to report instead where the block has not what `status` demands; absent when it
 * has. */
static bt_str find_humbler_status(const struct bt_contract_check *check,
                                  enum bt_contract_status status)
{
    const bt_json_value *result = bt_json_resolve(check->document, check->root,
                                                  BT_STR("/evidence_report/verification/result"));
    const bt_json_value *request = bt_contract_check_get(check, check->root, "approval_request");
    const bool is_unverified = status == BT_CONTRACT_STATUS_COMPLETE &&
                               !(result && bt_str_eq(bt_json_text(result), BT_STR("pass")));
    const bool is_without_request =
        status == BT_CONTRACT_STATUS_APPROVAL_REQUEST && !bt_contract_non_empty_object(request);
    return is_unverified || is_without_request
               ? bt_contract_status_name(BT_CONTRACT_STATUS_IN_PROGRESS)
               : BT_STR_ABSENT;
}

/* The five words, in `room`. */
static struct bt_str_list list_statuses(bt_str room[BT_CONTRACT_STATUS__MAX])
{
    struct bt_str_list list = {room, 0};
    for (unsigned i = BT_CONTRACT_STATUS_IN_PROGRESS; i < BT_CONTRACT_STATUS__MAX; i++) {
        room[list.count++] = bt_contract_status_name((enum bt_contract_status)i);
    }
    return list;
}

static enum bt_status add_unknown_status_finding(struct bt_contract_check *check,
                                                 const bt_json_value *value, bt_str word)
{
    bt_str names[BT_CONTRACT_STATUS__MAX];
    const enum bt_contract_status nearest = find_nearest_status(word);
    BT_TRY(bt_add_plan_status_not_listed(
        check->findings, bt_contract_locate(check, value), word, list_statuses(names),
        nearest ? bt_contract_status_name(nearest) : BT_STR_ABSENT,
        nearest ? find_humbler_status(check, nearest) : BT_STR_ABSENT));
    return bt_contract_check_add_token(check, &check->tokens.invalid, BT_CODE_PLAN_STATUS, word);
}

static enum bt_status add_missing_status_word_finding(struct bt_contract_check *check,
                                                      const bt_json_value *value)
{
    bt_str names[BT_CONTRACT_STATUS__MAX];
    check->absent.parts |= BT_CONTRACT_MISSING_PLAN_STATUS;
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_PLAN_STATUS);
    return bt_add_plan_status(
        check->findings, bt_contract_locate(check, value ? value : check->parts.status),
        value ? BT_STR_ABSENT : BT_STR("plan_status"),
        value ? bt_contract_shown_value(check, value) : BT_STR_ABSENT, list_statuses(names));
}

/* plan_status, or agent_state, which newer senders write. Sets check->parts.status_word. */
static enum bt_status find_status_word(struct bt_contract_check *check)
{
    const bt_str newer = BT_STR("agent_state");
    const bt_str name = BT_STR("plan_status");
    check->parts.status_word = bt_contract_check_get(check, check->parts.status, name.ptr);
    const struct bt_json_member *member =
        check->parts.status_word ? NULL
                                 : bt_json_member(check->document, check->parts.status, newer);
    if (!member) {
        return BT_OK;
    }
    check->parts.status_word = &member->value;
    const struct bt_json_span span = bt_json_member_name_span(check->document, member);
    const struct bt_contract_edit edit = {
        .begin = span.begin + 1, .end = span.end - 1, .text = name, .kind = BT_FIX_SAFE};
    BT_TRY(bt_add_contract_alias(check->findings, bt_contract_locate(check, &member->value), newer,
                                 name));
    return bt_contract_check_add_edit(check, BT_CODE_CONTRACT_ALIAS, &member->value, edit);
}

/* Read NEEDS_VERIFICATION as NEEDS_INPUT: another agent must verify the work before it counts. */
static enum bt_status read_alias(struct bt_contract_check *check, const bt_json_value *value,
                                 bt_str word)
{
    check->plan_status = BT_CONTRACT_STATUS_NEEDS_INPUT;
    check->tokens.alias = word;
    const bt_str means = bt_contract_status_name(check->plan_status);
    BT_TRY(bt_add_contract_alias(check->findings, bt_contract_locate(check, value), word, means));
    return bt_contract_check_add_string_edit(check, BT_CODE_CONTRACT_ALIAS, value, means);
}

static enum bt_status check_plan_status(struct bt_contract_check *check)
{
    BT_TRY(find_status_word(check));
    const bt_json_value *value = check->parts.status_word;
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    bt_str word = BT_STR("");
    if (is_string) {
        BT_TRY(canonicalise_word(check, bt_json_text(value), &word));
    } else if (!bt_json_is_absent_or_null(value)) {
        BT_TRY(bt_contract_check_text(check, value, &word));
    }
    if (word.len == 0) {
        return add_missing_status_word_finding(check, value);
    }
    if (is_string && bt_str_eq(word, BT_STR("NEEDS_VERIFICATION"))) {
        return read_alias(check, value, word);
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

bt_str bt_contract_expected_id(const struct bt_contract_check *check)
{
    const bt_str id = check->options->runtime_agent_id;
    return id.len > 0 ? id : BT_STR_ABSENT;
}

bt_str bt_contract_id_pattern(const struct bt_contract_check *check)
{
    return check->options->any_agent_ids ? BT_STR("^[A-Za-z0-9][A-Za-z0-9_.:@/-]{0,127}$")
                                         : BT_STR("^a[0-9a-f]{5,127}$");
}

/* True when it is the id that the host reports, as the host writes it or mapped. */
static bool is_host_id(const struct bt_contract_check *check, bt_str id)
{
    const struct bt_contract_options *options = check->options;
    return id.len > 0 && options->runtime_agent_id.len > 0 &&
           (bt_str_eq(id, options->runtime_agent_id) || bt_str_eq(id, options->written_agent_id));
}

static bool is_legal_id(const struct bt_contract_check *check, bt_str id)
{
    return is_host_id(check, id) ||
           (check->options->any_agent_ids ? bt_agent_id_is_any(id) : bt_agent_id_is_valid(id));
}

/* The host tells its agents' ids only at the end of their turns. */
static enum bt_status fill_agent_id(struct bt_contract_check *check, const bt_json_value *value)
{
    check->agent_id = check->options->runtime_agent_id;
    return bt_add_agent_id_filled(check->findings,
                                  bt_contract_locate(check, value ? value : check->parts.status),
                                  check->agent_id);
}

static enum bt_status add_missing_agent_id_finding(struct bt_contract_check *check,
                                                   const bt_json_value *value)
{
    check->absent.parts |= BT_CONTRACT_MISSING_AGENT_ID;
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_AGENT_ID);
    return bt_add_agent_id(check->findings,
                           bt_contract_locate(check, value ? value : check->parts.status),
                           value ? BT_STR_ABSENT : BT_STR("agent_id"),
                           bt_contract_expected_id(check), bt_contract_id_pattern(check));
}

static enum bt_status add_agent_id_format_finding(struct bt_contract_check *check,
                                                  const bt_json_value *value)
{
    bt_str id = BT_STR("");
    check->absent.parts |= BT_CONTRACT_MISSING_AGENT_ID;
    BT_TRY(bt_contract_check_text(check, value, &id));
    BT_TRY(bt_add_agent_id_format(check->findings, bt_contract_locate(check, value), id,
                                  bt_contract_expected_id(check), bt_contract_id_pattern(check)));
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
        return check->options->fills_agent_id && check->options->runtime_agent_id.len > 0
                   ? fill_agent_id(check, value)
                   : add_missing_agent_id_finding(check, value);
    }
    if (!is_string || !is_legal_id(check, bt_json_text(value))) {
        return add_agent_id_format_finding(check, value);
    }
    check->agent_id = bt_json_text(value);
    if (!check->options->any_agent_ids && check->agent_id.len <= SHORT_HEX &&
        bt_agent_id_is_valid(check->agent_id)) {
        BT_TRY(bt_contract_check_add_member(check, bt_add_agent_id_short, check->parts.status,
                                            "agent_id"));
    }
    return check->options->runtime_agent_id.len > 0 && !is_host_id(check, check->agent_id)
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

static enum bt_status add_missing_agent_status_finding(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "agent_status");
    bt_contract_check_add_missing_status(check);
    return bt_add_agent_status(check->findings,
                               bt_contract_locate(check, value ? value : check->root),
                               value ? BT_STR_ABSENT : BT_STR("agent_status"),
                               value ? bt_contract_shown_value(check, value) : BT_STR_ABSENT,
                               bt_contract_expected_id(check), bt_contract_id_pattern(check));
}

enum bt_status bt_contract_check_status(struct bt_contract_check *check)
{
    check->parts.status =
        bt_contract_non_empty_object(bt_contract_check_get(check, check->root, "agent_status"));
    if (!check->parts.status) {
        return add_missing_agent_status_finding(check);
    }
    BT_TRY(check_plan_status(check));
    BT_TRY(check_pending_steps(check));
    BT_TRY(check_next_action(check));
    return check_agent_id(check);
}
