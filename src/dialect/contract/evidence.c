/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - evidence_report and consolidation_report. */
#include "dialect/contract/contract_check.h"

#include "base/str.h"

static enum bt_status add_name_spelling_finding(struct bt_contract_check *check,
                                                const struct bt_contract_report_key *key,
                                                const struct bt_json_member *member)
{
    BT_TRY(bt_add_contract_spelling_name(check->findings, bt_contract_locate(check, &member->value),
                                         bt_str_of(key->name), bt_code_name(key->code)));
    const struct bt_json_span span = bt_json_member_name_span(check->document, member);
    const struct bt_contract_edit edit = {.begin = span.begin + 1,
                                          .end = span.end - 1,
                                          .text = bt_str_of(key->name),
                                          .kind = BT_FIX_SAFE};
    return bt_contract_check_add_edit(check, BT_CODE_CONTRACT_SPELLING, &member->value, edit);
}

/* The value of a key in either spelling, or NULL. */
static enum bt_status find_key(struct bt_contract_check *check, const bt_json_value *report,
                               const struct bt_contract_report_key *key, const bt_json_value **out)
{
    *out = bt_contract_check_get(check, report, key->name);
    const struct bt_json_member *upper =
        *out ? NULL : bt_json_member(check->document, report, bt_code_name(key->code));
    if (!upper) {
        return BT_OK;
    }
    *out = &upper->value;
    return add_name_spelling_finding(check, key, upper);
}

static enum bt_status add_list_expected_finding(struct bt_contract_check *check,
                                                const bt_json_value *value)
{
    const bool is_null = bt_json_type(value) == BT_JSON_NULL;
    BT_TRY(bt_add_list_expected(check->findings, bt_contract_locate(check, value), BT_STR("array"),
                                bt_str_of(bt_json_type_name(check->document, value)), is_null));
    const struct bt_json_span span = bt_json_span(check->document, value);
    struct bt_contract_edit edit = {
        .begin = span.begin, .end = span.end, .text = BT_STR("[]"), .kind = BT_FIX_SAFE};
    if (!is_null && check->wants_edits) {
        BT_TRY(bt_arena_printf(check->arena, &edit.text, "[%.*s]",
                               BT_STR_ARG(bt_str_slice(check->block.body, span.begin, span.end))));
    }
    return bt_contract_check_add_edit(check, BT_CODE_LIST_EXPECTED, value, edit);
}

static enum bt_status add_missing_key_finding(struct bt_contract_check *check,
                                              const bt_json_value *report,
                                              const struct bt_contract_report_key *key,
                                              enum bt_fix fix)
{
    bt_contract_words_add_code(&check->tokens.missing, key->code);
    BT_TRY(key->add_missing(check->findings, fix, bt_contract_locate(check, report),
                            bt_str_of(key->name),
                            report == check->parts.evidence ? BT_STR("evidence_report")
                                                            : BT_STR("consolidation_report")));
    if (fix == BT_FIX_NONE || !check->wants_edits) {
        return BT_OK;
    }
    const struct bt_json_member *last = &bt_json_members(report)[bt_json_count(report) - 1];
    const size_t end = bt_json_span(check->document, &last->value).end;
    struct bt_contract_edit edit = {.begin = end, .end = end, .kind = fix};
    BT_TRY(bt_arena_printf(check->arena, &edit.text, ",\"%s\":[]", key->name));
    return bt_contract_check_add_edit(check, key->code, report, edit);
}

static bool is_command(const struct bt_contract_check *check, const bt_json_value *item)
{
    return bt_json_is_non_blank_string(item) ||
           bt_json_is_non_blank_string(bt_contract_check_get(check, item, "command")) ||
           bt_json_is_non_blank_string(bt_contract_check_get(check, item, "cmd"));
}

static enum bt_status check_commands(struct bt_contract_check *check, const bt_json_value *commands)
{
    for (size_t i = 0; bt_json_items(commands) && i < bt_json_count(commands); i++) {
        const bt_json_value *item = &bt_json_items(commands)[i];
        if (!is_command(check, item)) {
            BT_TRY(bt_add_command_entry(check->findings, bt_contract_locate(check, item),
                                        bt_contract_shown_value(check, item)));
        }
    }
    return BT_OK;
}

static enum bt_status add_missing_evidence_finding(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "evidence_report");
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_EVIDENCE_REPORT);
    for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
        bt_contract_words_add_code(&check->tokens.missing, bt_evidence_keys[i].code);
    }
    return bt_add_evidence_report(check->findings,
                                  bt_contract_locate(check, value ? value : check->root),
                                  value ? BT_STR_ABSENT : BT_STR("evidence_report"),
                                  value ? bt_contract_shown_value(check, value) : BT_STR_ABSENT,
                                  check->plan_status == BT_CONTRACT_STATUS_COMPLETE);
}

/* The one member of the report that may be absent. */
static enum bt_status check_changed_files(struct bt_contract_check *check)
{
    const bt_json_value *value =
        bt_contract_check_get(check, check->parts.evidence, "files_changed");
    return value && bt_json_type(value) != BT_JSON_ARRAY ? add_list_expected_finding(check, value)
                                                         : BT_OK;
}

enum bt_status bt_contract_check_evidence(struct bt_contract_check *check)
{
    check->parts.evidence =
        bt_contract_non_empty_object(bt_contract_check_get(check, check->root, "evidence_report"));
    if (!check->parts.evidence) {
        return add_missing_evidence_finding(check);
    }
    for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
        const struct bt_contract_report_key *key = &bt_evidence_keys[i];
        const bt_json_value *value = NULL;
        BT_TRY(find_key(check, check->parts.evidence, key, &value));
        if (!value) {
            check->absent.evidence_keys |= 1U << i;
            BT_TRY(add_missing_key_finding(check, check->parts.evidence, key, BT_FIX_UNSAFE));
        } else if (bt_json_type(value) != BT_JSON_ARRAY) {
            BT_TRY(add_list_expected_finding(check, value));
        } else if (key->code == BT_CODE_COMMANDS_RUN) {
            BT_TRY(check_commands(check, value));
        }
    }
    return check_changed_files(check);
}

static const bt_str ownerships[] = {BT_STR_INIT("owned_here"),
                                    BT_STR_INIT("cross_surface_dependency"),
                                    BT_STR_INIT("not_my_surface")};

enum { OWNERSHIPS = sizeof(ownerships) / sizeof(ownerships[0]) };

/* A member that must be a word; `value` is NULL when it is absent. */
static enum bt_status add_missing_word_finding(struct bt_contract_check *check,
                                               const struct bt_contract_report_key *key,
                                               const bt_json_value *value)
{
    const struct bt_location at =
        bt_contract_locate(check, value ? value : check->parts.consolidation);
    const bt_str property = value ? BT_STR_ABSENT : bt_str_of(key->name);
    bt_contract_words_add_code(&check->tokens.missing, key->code);
    return key->code == BT_CODE_NEXT_BEST_AGENT
               ? bt_add_next_best_agent(check->findings, at, property)
               : bt_add_ownership_assessment(check->findings, at, property,
                                             (struct bt_str_list){ownerships, OWNERSHIPS});
}

static enum bt_status check_ownership(struct bt_contract_check *check,
                                      const struct bt_contract_report_key *key,
                                      const bt_json_value *value)
{
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    if (bt_json_is_absent_or_null(value) || (is_string && !bt_json_is_non_blank_string(value))) {
        return add_missing_word_finding(check, key, value);
    }
    if (is_string && bt_str_is_one_of(bt_json_text(value), ownerships)) {
        return BT_OK;
    }
    bt_str word = BT_STR("");
    BT_TRY(bt_contract_check_text(check, value, &word));
    BT_TRY(bt_add_ownership_assessment_not_listed(check->findings, bt_contract_locate(check, value),
                                                  word,
                                                  (struct bt_str_list){ownerships, OWNERSHIPS}));
    return bt_contract_check_add_token(check, &check->tokens.invalid, key->code, word);
}

static enum bt_status check_consolidation_key(struct bt_contract_check *check,
                                              const struct bt_contract_report_key *key)
{
    const bt_json_value *value = NULL;
    BT_TRY(find_key(check, check->parts.consolidation, key, &value));
    if (key->code == BT_CODE_OWNERSHIP_ASSESSMENT) {
        return check_ownership(check, key, value);
    }
    if (!key->add_missing) {
        return bt_json_is_non_blank_string(value) ? BT_OK
                                                  : add_missing_word_finding(check, key, value);
    }
    if (!value) {
        return add_missing_key_finding(check, check->parts.consolidation, key, BT_FIX_NONE);
    }
    return bt_json_type(value) == BT_JSON_ARRAY ? BT_OK : add_list_expected_finding(check, value);
}

enum bt_status bt_contract_check_consolidation(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "consolidation_report");
    if (!check->demanded && bt_json_is_absent_or_null(value)) {
        return BT_OK;
    }
    check->parts.consolidation = bt_contract_non_empty_object(value);
    if (!check->parts.consolidation) {
        check->absent.parts |= BT_CONTRACT_MISSING_CONSOLIDATION;
        bt_contract_words_add_code(&check->tokens.missing, BT_CODE_CONSOLIDATION_REPORT);
        for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
            bt_contract_words_add_code(&check->tokens.missing, bt_consolidation_keys[i].code);
        }
        return bt_contract_check_add_member(check, bt_add_consolidation_report, check->root,
                                            "consolidation_report");
    }
    for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
        const size_t before = check->tokens.missing.count;
        BT_TRY(check_consolidation_key(check, &bt_consolidation_keys[i]));
        check->absent.consolidation_keys |= check->tokens.missing.count > before ? 1U << i : 0U;
    }
    return BT_OK;
}
