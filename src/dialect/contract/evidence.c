/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - evidence_report and consolidation_report. */
#include "dialect/contract/names.h"
#include "dialect/contract/stages.h"

static enum bt_status add_name_spelling_finding(struct bt_contract_check *turn,
                                                const struct bt_contract_report_key *key,
                                                const struct bt_json_member *member)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CONTRACT_SPELLING", &member->value);
    bt_buf_printf(&remark.message, "the name %s is understood as %s", key->token, key->name);
    bt_emit_member_string(&remark.emit, "canonical", bt_str_of(key->name));
    remark.finding.hint = BT_STR("write the canonical form, or use --fix");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    const struct bt_json_span span = bt_json_member_name_span(turn->document, member);
    const struct bt_contract_edit edit = {.begin = span.begin + 1,
                                          .end = span.end - 1,
                                          .text = bt_str_of(key->name),
                                          .kind = BT_FIX_SAFE};
    return bt_contract_check_add_edit(turn, "CONTRACT_SPELLING", &member->value, edit);
}

/* The value of a key in either spelling, or NULL. */
static enum bt_status find_key(struct bt_contract_check *turn, const bt_json_value *report,
                               const struct bt_contract_report_key *key, const bt_json_value **out)
{
    *out = bt_contract_check_get(turn, report, key->name);
    const struct bt_json_member *upper =
        *out ? NULL : bt_json_member(turn->document, report, bt_str_of(key->token));
    if (!upper) {
        return BT_OK;
    }
    *out = &upper->value;
    return add_name_spelling_finding(turn, key, upper);
}

static enum bt_status add_list_expected_finding(struct bt_contract_check *turn,
                                                const bt_json_value *value)
{
    const bool null = bt_json_type(value) == BT_JSON_NULL;
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "LIST_EXPECTED", value);
    bt_buf_printf(&remark.message, "a list is expected here, not %s",
                  bt_json_type_name(turn->document, value));
    bt_emit_member_string(&remark.emit, "expected", BT_STR("array"));
    bt_emit_member_string(&remark.emit, "actual",
                          bt_str_of(bt_json_type_name(turn->document, value)));
    remark.finding.hint = null ? BT_STR("write [] when there is nothing, or use --fix")
                               : BT_STR("put the value into a list, or use --fix");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    const struct bt_json_span span = bt_json_span(turn->document, value);
    struct bt_contract_edit edit = {
        .begin = span.begin, .end = span.end, .text = BT_STR("[]"), .kind = BT_FIX_SAFE};
    if (!null && turn->wants_edits) {
        BT_TRY(bt_arena_printf(turn->arena, &edit.text, "[%.*s]",
                               BT_STR_ARG(bt_str_slice(turn->body, span.begin, span.end))));
    }
    return bt_contract_check_add_edit(turn, "LIST_EXPECTED", value, edit);
}

static enum bt_status add_missing_key_finding(struct bt_contract_check *turn,
                                              const bt_json_value *report,
                                              const struct bt_contract_report_key *key,
                                              enum bt_fix fix)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, key->token, report);
    bt_buf_printf(&remark.message, "the report has no %s", key->name);
    bt_emit_member_string(&remark.emit, "property", bt_str_of(key->name));
    remark.finding.fix = fix;
    remark.finding.hint = BT_STR("add the key, with [] when there was nothing");
    bt_contract_words_add(&turn->missing, bt_str_of(key->token));
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    if (fix == BT_FIX_NONE || !turn->wants_edits) {
        return BT_OK;
    }
    const struct bt_json_member *last = &bt_json_members(report)[bt_json_count(report) - 1];
    const size_t end = bt_json_span(turn->document, &last->value).end;
    struct bt_contract_edit edit = {.begin = end, .end = end, .kind = fix};
    BT_TRY(bt_arena_printf(turn->arena, &edit.text, ",\"%s\":[]", key->name));
    return bt_contract_check_add_edit(turn, key->token, report, edit);
}

static bool is_command(const struct bt_contract_check *turn, const bt_json_value *item)
{
    return bt_json_is_non_blank_string(item) ||
           bt_json_is_non_blank_string(bt_contract_check_get(turn, item, "command")) ||
           bt_json_is_non_blank_string(bt_contract_check_get(turn, item, "cmd"));
}

static enum bt_status check_commands(struct bt_contract_check *turn, const bt_json_value *commands)
{
    for (size_t i = 0; bt_json_items(commands) && i < bt_json_count(commands); i++) {
        const bt_json_value *item = &bt_json_items(commands)[i];
        if (is_command(turn, item)) {
            continue;
        }
        struct bt_finding_builder remark;
        bt_contract_check_remark(turn, &remark, "COMMAND_ENTRY", item);
        bt_contract_check_put_value(turn, &remark, item);
        remark.finding.hint =
            BT_STR("write the command as text, or as {\"command\": ..., \"result\": ...}");
        BT_TRY(bt_contract_check_add_finding(turn, &remark));
    }
    return BT_OK;
}

enum bt_status bt_contract_check_evidence(struct bt_contract_check *turn)
{
    turn->evidence =
        bt_contract_non_empty_object(bt_contract_check_get(turn, turn->root, "evidence_report"));
    if (!turn->evidence) {
        bt_contract_words_add(&turn->missing, BT_STR("EVIDENCE_REPORT"));
        for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
            bt_contract_words_add(&turn->missing, bt_str_of(bt_evidence_keys[i].token));
        }
        return bt_contract_check_add_member_finding(turn, "EVIDENCE_REPORT", turn->root,
                                                    "evidence_report",
                                                    "add evidence_report with its seven keys");
    }
    for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
        const struct bt_contract_report_key *key = &bt_evidence_keys[i];
        const bt_json_value *value = NULL;
        BT_TRY(find_key(turn, turn->evidence, key, &value));
        if (!value) {
            turn->missing_evidence_keys |= 1U << i;
            BT_TRY(add_missing_key_finding(turn, turn->evidence, key, BT_FIX_UNSAFE));
        } else if (bt_json_type(value) != BT_JSON_ARRAY) {
            BT_TRY(add_list_expected_finding(turn, value));
        } else if (bt_str_eq(bt_str_of(key->name), BT_STR("commands_run"))) {
            BT_TRY(check_commands(turn, value));
        }
    }
    return BT_OK;
}

static bool is_ownership(bt_str word)
{
    return bt_str_eq(word, BT_STR("owned_here")) ||
           bt_str_eq(word, BT_STR("cross_surface_dependency")) ||
           bt_str_eq(word, BT_STR("not_my_surface"));
}

/* A member that must be a word; `value` is NULL when it is absent. */
static enum bt_status add_missing_word_finding(struct bt_contract_check *turn,
                                               const struct bt_contract_report_key *key,
                                               const bt_json_value *value)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, key->token, value ? value : turn->consolidation);
    bt_buf_printf(&remark.message, "the report has no usable %s", key->name);
    if (!value) {
        bt_emit_member_string(&remark.emit, "property", bt_str_of(key->name));
    }
    remark.finding.hint = bt_str_eq(bt_str_of(key->name), BT_STR("next_best_agent"))
                              ? BT_STR("name an agent")
                              : BT_STR("write owned_here, cross_surface_dependency or "
                                       "not_my_surface");
    bt_contract_words_add(&turn->missing, bt_str_of(key->token));
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status check_ownership(struct bt_contract_check *turn,
                                      const struct bt_contract_report_key *key,
                                      const bt_json_value *value)
{
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    if (bt_json_is_absent_or_null(value) || (is_string && !bt_json_is_non_blank_string(value))) {
        return add_missing_word_finding(turn, key, value);
    }
    if (is_string && is_ownership(bt_json_text(value))) {
        return BT_OK;
    }
    bt_str word = BT_STR("");
    BT_TRY(bt_contract_check_text(turn, value, &word));
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, key->token, value);
    bt_buf_put_quoted(&remark.message, word);
    bt_buf_put_text(&remark.message, " says nobody who owns this");
    bt_emit_member_string(&remark.emit, "actual", bt_str_truncate_80(word));
    bt_emit_name(&remark.emit, "allowed");
    bt_emit_raw(&remark.emit,
                BT_STR("[\"owned_here\",\"cross_surface_dependency\",\"not_my_surface\"]"));
    remark.finding.hint = BT_STR("write owned_here, cross_surface_dependency or not_my_surface");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return bt_contract_check_add_token(turn, &turn->invalid, key->token, word);
}

static enum bt_status check_consolidation_key(struct bt_contract_check *turn,
                                              const struct bt_contract_report_key *key)
{
    const bt_json_value *value = NULL;
    BT_TRY(find_key(turn, turn->consolidation, key, &value));
    if (bt_str_eq(bt_str_of(key->name), BT_STR("ownership_assessment"))) {
        return check_ownership(turn, key, value);
    }
    if (!key->list) {
        return bt_json_is_non_blank_string(value) ? BT_OK
                                                  : add_missing_word_finding(turn, key, value);
    }
    if (!value) {
        return add_missing_key_finding(turn, turn->consolidation, key, BT_FIX_NONE);
    }
    return bt_json_type(value) == BT_JSON_ARRAY ? BT_OK : add_list_expected_finding(turn, value);
}

enum bt_status bt_contract_check_consolidation(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->root, "consolidation_report");
    if (!turn->demanded && bt_json_is_absent_or_null(value)) {
        return BT_OK;
    }
    turn->consolidation = bt_contract_non_empty_object(value);
    if (!turn->consolidation) {
        turn->missing_parts |= BT_CONTRACT_MISSING_CONSOLIDATION;
        bt_contract_words_add(&turn->missing, BT_STR("CONSOLIDATION_REPORT"));
        for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
            bt_contract_words_add(&turn->missing, bt_str_of(bt_consolidation_keys[i].token));
        }
        return bt_contract_check_add_member_finding(turn, "CONSOLIDATION_REPORT", turn->root,
                                                    "consolidation_report",
                                                    "add consolidation_report with its six keys");
    }
    for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
        const size_t before = turn->missing.count;
        BT_TRY(check_consolidation_key(turn, &bt_consolidation_keys[i]));
        turn->missing_consolidation_keys |= turn->missing.count > before ? 1U << i : 0U;
    }
    return BT_OK;
}
