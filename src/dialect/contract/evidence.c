/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.c - evidence_report and consolidation_report: what was looked at, done and found.
 */
#include "dialect/contract/names.h"
#include "dialect/contract/stages.h"

/* ---- Keys of both reports -------------------------------------------------------------------- */

static enum bt_status say_upper_name(struct bt_turn *turn, const struct bt_report_key *key,
                                     const struct bt_json_member *member)
{
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "CONTRACT_SPELLING", &member->value);
    bt_buf_printf(&remark.message, "the name %s is understood as %s", key->token, key->name);
    bt_emit_member_string(&remark.emit, "canonical", bt_str_of(key->name));
    remark.finding.hint = BT_STR("write the canonical form, or use --fix");
    BT_TRY(bt_turn_say(turn, &remark));
    const struct bt_json_span span = bt_json_name_span(turn->document, member);
    const struct bt_mend mend = {.begin = span.begin + 1,
                                 .end = span.end - 1,
                                 .text = bt_str_of(key->name),
                                 .kind = BT_FIX_SAFE};
    return bt_turn_mend(turn, "CONTRACT_SPELLING", &member->value, mend);
}

/* The value of a key in either spelling, or NULL. */
static enum bt_status find_key(struct bt_turn *turn, const bt_value *report,
                               const struct bt_report_key *key, const bt_value **out)
{
    *out = bt_turn_get(turn, report, key->name);
    const struct bt_json_member *upper =
        *out ? NULL : bt_json_member(turn->document, report, bt_str_of(key->token));
    if (!upper) {
        return BT_OK;
    }
    *out = &upper->value;
    return say_upper_name(turn, key, upper);
}

static enum bt_status say_no_list(struct bt_turn *turn, const bt_value *value)
{
    const bool null = bt_json_type(value) == BT_JSON_NULL;
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "LIST_EXPECTED", value);
    bt_buf_printf(&remark.message, "a list is expected here, not %s",
                  bt_json_type_name(turn->document, value));
    bt_emit_member_string(&remark.emit, "expected", BT_STR("array"));
    bt_emit_member_string(&remark.emit, "actual",
                          bt_str_of(bt_json_type_name(turn->document, value)));
    remark.finding.hint = null ? BT_STR("write [] when there is nothing, or use --fix")
                               : BT_STR("put the value into a list, or use --fix");
    BT_TRY(bt_turn_say(turn, &remark));
    const struct bt_json_span span = bt_json_span(turn->document, value);
    struct bt_mend mend = {
        .begin = span.begin, .end = span.end, .text = BT_STR("[]"), .kind = BT_FIX_SAFE};
    if (!null && turn->wants_mends) {
        BT_TRY(bt_arena_printf(turn->arena, &mend.text, "[%.*s]",
                               BT_STR_ARG(bt_str_slice(turn->body, span.begin, span.end))));
    }
    return bt_turn_mend(turn, "LIST_EXPECTED", value, mend);
}

static enum bt_status say_key_missing(struct bt_turn *turn, const bt_value *report,
                                      const struct bt_report_key *key, enum bt_fix fix)
{
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, key->token, report);
    bt_buf_printf(&remark.message, "the report has no %s", key->name);
    bt_emit_member_string(&remark.emit, "property", bt_str_of(key->name));
    remark.finding.fix = fix;
    remark.finding.hint = BT_STR("add the key, with [] when there was nothing");
    bt_words_add(&turn->missing, bt_str_of(key->token));
    BT_TRY(bt_turn_say(turn, &remark));
    if (fix == BT_FIX_NONE || !turn->wants_mends) {
        return BT_OK;
    }
    const struct bt_json_member *last = &bt_json_members(report)[bt_json_count(report) - 1];
    const size_t end = bt_json_span(turn->document, &last->value).end;
    struct bt_mend mend = {.begin = end, .end = end, .kind = fix};
    BT_TRY(bt_arena_printf(turn->arena, &mend.text, ",\"%s\":[]", key->name));
    return bt_turn_mend(turn, key->token, report, mend);
}

/* ---- Evidence -------------------------------------------------------------------------------- */

static bool is_command(const struct bt_turn *turn, const bt_value *item)
{
    return bt_is_text(item) || bt_is_text(bt_turn_get(turn, item, "command")) ||
           bt_is_text(bt_turn_get(turn, item, "cmd"));
}

static enum bt_status check_commands(struct bt_turn *turn, const bt_value *commands)
{
    for (size_t i = 0; bt_json_items(commands) && i < bt_json_count(commands); i++) {
        const bt_value *item = &bt_json_items(commands)[i];
        if (is_command(turn, item)) {
            continue;
        }
        struct bt_remark remark;
        bt_turn_remark(turn, &remark, "COMMAND_ENTRY", item);
        bt_turn_name(turn, &remark, item);
        remark.finding.hint =
            BT_STR("write the command as text, or as {\"command\": ..., \"result\": ...}");
        BT_TRY(bt_turn_say(turn, &remark));
    }
    return BT_OK;
}

enum bt_status bt_turn_evidence(struct bt_turn *turn)
{
    turn->evidence = bt_filled(bt_turn_get(turn, turn->root, "evidence_report"));
    if (!turn->evidence) {
        bt_words_add(&turn->missing, BT_STR("EVIDENCE_REPORT"));
        for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
            bt_words_add(&turn->missing, bt_str_of(bt_evidence_keys[i].token));
        }
        return bt_turn_say_member(turn, "EVIDENCE_REPORT", turn->root, "evidence_report",
                                  "add evidence_report with its seven keys");
    }
    for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
        const struct bt_report_key *key = &bt_evidence_keys[i];
        const bt_value *value = NULL;
        BT_TRY(find_key(turn, turn->evidence, key, &value));
        if (!value) {
            turn->evidence_lacks |= 1U << i;
            BT_TRY(say_key_missing(turn, turn->evidence, key, BT_FIX_UNSAFE));
        } else if (bt_json_type(value) != BT_JSON_ARRAY) {
            BT_TRY(say_no_list(turn, value));
        } else if (bt_str_eq(bt_str_of(key->name), BT_STR("commands_run"))) {
            BT_TRY(check_commands(turn, value));
        }
    }
    return BT_OK;
}

/* ---- Consolidation --------------------------------------------------------------------------- */

static bool is_ownership(bt_str word)
{
    return bt_str_eq(word, BT_STR("owned_here")) ||
           bt_str_eq(word, BT_STR("cross_surface_dependency")) ||
           bt_str_eq(word, BT_STR("not_my_surface"));
}

/* A member that must be a word; `value` is NULL when it is absent. */
static enum bt_status say_word_missing(struct bt_turn *turn, const struct bt_report_key *key,
                                       const bt_value *value)
{
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, key->token, value ? value : turn->consolidation);
    bt_buf_printf(&remark.message, "the report has no usable %s", key->name);
    if (!value) {
        bt_emit_member_string(&remark.emit, "property", bt_str_of(key->name));
    }
    remark.finding.hint = bt_str_eq(bt_str_of(key->name), BT_STR("next_best_agent"))
                              ? BT_STR("name an agent")
                              : BT_STR("write owned_here, cross_surface_dependency or "
                                       "not_my_surface");
    bt_words_add(&turn->missing, bt_str_of(key->token));
    return bt_turn_say(turn, &remark);
}

static enum bt_status check_ownership(struct bt_turn *turn, const struct bt_report_key *key,
                                      const bt_value *value)
{
    const bool is_string = value && bt_json_type(value) == BT_JSON_STRING;
    if (bt_is_nothing(value) || (is_string && !bt_is_text(value))) {
        return say_word_missing(turn, key, value);
    }
    if (is_string && is_ownership(bt_json_text(value))) {
        return BT_OK;
    }
    bt_str word = BT_STR("");
    BT_TRY(bt_turn_text(turn, value, &word));
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, key->token, value);
    bt_put_quoted(&remark.message, word);
    bt_buf_put_text(&remark.message, " says nobody who owns this");
    bt_emit_member_string(&remark.emit, "actual", bt_cut_at_80(word));
    bt_emit_name(&remark.emit, "allowed");
    bt_emit_raw(&remark.emit,
                BT_STR("[\"owned_here\",\"cross_surface_dependency\",\"not_my_surface\"]"));
    remark.finding.hint = BT_STR("write owned_here, cross_surface_dependency or not_my_surface");
    BT_TRY(bt_turn_say(turn, &remark));
    return bt_turn_add_token(turn, &turn->invalid, key->token, word);
}

static enum bt_status check_consolidation_key(struct bt_turn *turn, const struct bt_report_key *key)
{
    const bt_value *value = NULL;
    BT_TRY(find_key(turn, turn->consolidation, key, &value));
    if (bt_str_eq(bt_str_of(key->name), BT_STR("ownership_assessment"))) {
        return check_ownership(turn, key, value);
    }
    if (!key->list) {
        return bt_is_text(value) ? BT_OK : say_word_missing(turn, key, value);
    }
    if (!value) {
        return say_key_missing(turn, turn->consolidation, key, BT_FIX_NONE);
    }
    return bt_json_type(value) == BT_JSON_ARRAY ? BT_OK : say_no_list(turn, value);
}

enum bt_status bt_turn_consolidation(struct bt_turn *turn)
{
    const bt_value *value = bt_turn_get(turn, turn->root, "consolidation_report");
    if (!turn->demanded && bt_is_nothing(value)) {
        return BT_OK;
    }
    turn->consolidation = bt_filled(value);
    if (!turn->consolidation) {
        turn->lacks |= BT_LACKS_CONSOLIDATION;
        bt_words_add(&turn->missing, BT_STR("CONSOLIDATION_REPORT"));
        for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
            bt_words_add(&turn->missing, bt_str_of(bt_consolidation_keys[i].token));
        }
        return bt_turn_say_member(turn, "CONSOLIDATION_REPORT", turn->root, "consolidation_report",
                                  "add consolidation_report with its six keys");
    }
    for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
        const size_t before = turn->missing.count;
        BT_TRY(check_consolidation_key(turn, &bt_consolidation_keys[i]));
        turn->consolidation_lacks |= turn->missing.count > before ? 1U << i : 0U;
    }
    return BT_OK;
}
