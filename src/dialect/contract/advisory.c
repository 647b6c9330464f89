/* SPDX-License-Identifier: Apache-2.0 */
/* advisory.c - members that never reject a block: their usable values go into the facts. */

#include <inttypes.h>

#include "base/str.h"
#include "dialect/contract/contract_check.h"
#include "json/emit.h"

static enum bt_status check_type(struct bt_contract_check *check, const char *name,
                                 enum bt_json_type type, enum bt_advisory_ignored_expected expected)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, name);
    if (bt_json_is_absent_or_null(value) || bt_json_type(value) == type) {
        return BT_OK;
    }
    return bt_add_advisory_ignored(check->findings, bt_contract_locate(check, value),
                                   bt_str_of(name),
                                   bt_str_of(bt_json_type_name(check->document, value)), expected);
}

static bool is_kept(const struct bt_contract_check *check, const bt_json_value *entry)
{
    return bt_json_is_non_blank_string(bt_contract_check_get(check, entry, "description")) &&
           bt_json_is_non_blank_string(bt_contract_check_get(check, entry, "body"));
}

static const struct contract_word_list {
    const char *name;
    bt_str words[3];
} word_lists[] = {
    {"type", {BT_STR_INIT("atom"), BT_STR_INIT("decision"), BT_STR_INIT("negative")}},
    {"class", {BT_STR_INIT("anchor"), BT_STR_INIT("thread"), BT_STR_INIT("log")}},
};

static enum bt_status check_word(struct bt_contract_check *check, const bt_json_value *entry,
                                 const struct contract_word_list *list)
{
    const bt_json_value *value = bt_contract_check_get(check, entry, list->name);
    bt_str word = BT_STR("");
    if (bt_json_is_absent_or_null(value)) {
        return BT_OK;
    }
    if (bt_json_type(value) == BT_JSON_STRING) {
        BT_TRY(bt_ascii_lower_copy(check->arena, bt_str_trim(bt_json_text(value)), &word));
    }
    const struct bt_str_list allowed = {list->words, sizeof(list->words) / sizeof(list->words[0])};
    if (bt_str_is_one_of(word, list->words)) {
        return BT_OK;
    }
    return bt_add_memorialize_enum(check->findings, bt_contract_locate(check, value), allowed,
                                   bt_contract_shown_value(check, value));
}

static enum bt_status add_skipped_finding(struct bt_contract_check *check,
                                          const bt_json_value *value, bool is_in_list)
{
    return bt_add_memorialize_entry(check->findings, bt_contract_locate(check, value),
                                    bt_contract_shown_value(check, value), is_in_list);
}

static enum bt_status check_memorialize(struct bt_contract_check *check)
{
    const bt_json_value *entries =
        bt_contract_check_get(check, check->root, "memorialize_suggestions");
    if (bt_json_is_absent_or_null(entries)) {
        return BT_OK;
    }
    if (!bt_json_items(entries) && bt_json_type(entries) != BT_JSON_ARRAY) {
        return add_skipped_finding(check, entries, false);
    }
    for (size_t i = 0; i < bt_json_count(entries); i++) {
        const bt_json_value *entry = &bt_json_items(entries)[i];
        if (!is_kept(check, entry)) {
            BT_TRY(add_skipped_finding(check, entry, true));
            continue;
        }
        BT_TRY(check_word(check, entry, &word_lists[0]));
        BT_TRY(check_word(check, entry, &word_lists[1]));
    }
    return BT_OK;
}

enum bt_status bt_contract_check_advisory(struct bt_contract_check *check)
{
    BT_TRY(check_type(check, "user_facing_summary", BT_JSON_STRING,
                      BT_ADVISORY_IGNORED_EXPECTED_TEXT));
    BT_TRY(
        check_type(check, "memory_suggestions", BT_JSON_ARRAY, BT_ADVISORY_IGNORED_EXPECTED_LIST));
    BT_TRY(check_type(check, "context_consumption", BT_JSON_OBJECT,
                      BT_ADVISORY_IGNORED_EXPECTED_OBJECT));
    return check_memorialize(check);
}

static enum bt_status put_text(const struct bt_contract_check *check, struct bt_emit *emit,
                               const bt_json_value *value)
{
    bt_str text = BT_STR("");
    const struct bt_arena_mark before = bt_arena_mark(check->arena);
    BT_TRY(bt_contract_check_text(check, value, &text));
    bt_emit_string(emit, text);
    bt_arena_rewind(check->arena, before);
    return BT_OK;
}

static void put_summary(const struct bt_contract_check *check, struct bt_emit *emit)
{
    const bt_json_value *summary = bt_contract_check_get(check, check->root, "user_facing_summary");
    bt_emit_member_string_or_null(
        emit, "user_facing_summary",
        bt_json_is_non_blank_string(summary) ? bt_str_trim(bt_json_text(summary)) : BT_STR(""));
}

static enum bt_status put_memories(const struct bt_contract_check *check, struct bt_emit *emit)
{
    const bt_json_value *items = bt_contract_check_get(check, check->root, "memory_suggestions");
    bt_emit_member_array(emit, "memory_suggestions");
    for (size_t i = 0; items && bt_json_items(items) && i < bt_json_count(items); i++) {
        const bt_json_value *item = &bt_json_items(items)[i];
        if (!bt_json_is_absent_or_null(item)) {
            BT_TRY(put_text(check, emit, item));
        }
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_memorialized(const struct bt_contract_check *check, struct bt_emit *emit)
{
    static const char *const names[] = {"description", "body",  "slug",
                                        "type",        "class", "rationale"};
    const bt_json_value *entries =
        bt_contract_check_get(check, check->root, "memorialize_suggestions");
    bt_emit_member_array(emit, "memorialize_suggestions");
    for (size_t i = 0; entries && bt_json_items(entries) && i < bt_json_count(entries); i++) {
        const bt_json_value *entry = &bt_json_items(entries)[i];
        if (!is_kept(check, entry)) {
            continue;
        }
        bt_emit_begin_object(emit);
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            const bt_json_value *value = bt_contract_check_get(check, entry, names[k]);
            if (!bt_json_is_absent_or_null(value)) {
                bt_emit_name(emit, names[k]);
                BT_TRY(put_text(check, emit, value));
            }
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_rollback(const struct bt_contract_check *check, struct bt_emit *emit)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "rollback_executed");
    bt_emit_name(emit, "rollback_executed");
    if (!value) {
        bt_emit_string(emit, BT_STR("ABSENT"));
    } else if (bt_json_is_absent_or_null(value)) {
        bt_emit_null(emit);
    } else {
        return put_text(check, emit, value);
    }
    return BT_OK;
}

static void put_number(const struct bt_contract_check *check, struct bt_emit *emit,
                       const bt_json_value *object, const char *name)
{
    const bt_str number =
        bt_contract_number_text(check, bt_contract_check_get(check, object, name));
    bt_emit_name(emit, name);
    if (number.len > 0) {
        bt_emit_raw(emit, number);
    } else {
        bt_emit_null(emit);
    }
}

/* Whole tokens: what stands behind the point is cut. A number too large to count is unusable. */
static void put_tokens(const struct bt_contract_check *check, struct bt_emit *emit,
                       const bt_json_value *object)
{
    const double end = 9007199254740992.0; /* 2^53 */
    const bt_str number =
        bt_contract_number_text(check, bt_contract_check_get(check, object, "tokens_used"));
    const double tokens = number.len > 0 ? bt_json_decimal_to_double(number) : end;
    bt_emit_name(emit, "tokens_used");
    if (tokens > -end && tokens < end) {
        bt_emit_i64(emit, (int64_t)tokens);
    } else {
        bt_emit_null(emit);
    }
}

static void put_consumption(const struct bt_contract_check *check, struct bt_emit *emit)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "context_consumption");
    bt_emit_name(emit, "context_consumption");
    if (!value || bt_json_type(value) != BT_JSON_OBJECT) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    put_tokens(check, emit, value);
    put_number(check, emit, value, "pct_window");
    bt_emit_end(emit);
}

enum bt_status bt_contract_put_advisory(const struct bt_contract_check *check, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "advisory");
    put_summary(check, emit);
    BT_TRY(put_memories(check, emit));
    BT_TRY(put_memorialized(check, emit));
    BT_TRY(put_rollback(check, emit));
    put_consumption(check, emit);
    bt_emit_end(emit);
    return BT_OK;
}
