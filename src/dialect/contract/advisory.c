/* SPDX-License-Identifier: Apache-2.0 */
/* advisory.c - members that never reject a block: their usable values go into the facts. */
#include "dialect/contract/advisory.h"

#include <inttypes.h>

#include "dialect/contract/stages.h"

static enum bt_status check_type(struct bt_contract_check *turn, const char *name,
                                 enum bt_json_type type)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->root, name);
    if (bt_json_is_absent_or_null(value) || bt_json_type(value) == type) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "ADVISORY_IGNORED", value);
    bt_buf_printf(&remark.message, "%s is of type %s and is passed over", name,
                  bt_json_type_name(turn->document, value));
    remark.finding.hint = type == BT_JSON_STRING  ? BT_STR("write it as text")
                          : type == BT_JSON_ARRAY ? BT_STR("write it as a list")
                                                  : BT_STR("write it as an object");
    return bt_contract_check_add_finding(turn, &remark);
}

static bool is_kept(const struct bt_contract_check *turn, const bt_json_value *entry)
{
    return bt_json_is_non_blank_string(bt_contract_check_get(turn, entry, "description")) &&
           bt_json_is_non_blank_string(bt_contract_check_get(turn, entry, "body"));
}

static const struct contract_word_list {
    const char *name;
    bt_str words[3];
    bt_str allowed;
} word_lists[] = {
    {"type",
     {BT_STR_INIT("atom"), BT_STR_INIT("decision"), BT_STR_INIT("negative")},
     BT_STR_INIT("[\"atom\",\"decision\",\"negative\"]")},
    {"class",
     {BT_STR_INIT("anchor"), BT_STR_INIT("thread"), BT_STR_INIT("log")},
     BT_STR_INIT("[\"anchor\",\"thread\",\"log\"]")},
};

static enum bt_status check_word(struct bt_contract_check *turn, const bt_json_value *entry,
                                 const struct contract_word_list *list)
{
    const bt_json_value *value = bt_contract_check_get(turn, entry, list->name);
    bt_str word = BT_STR("");
    if (bt_json_is_absent_or_null(value)) {
        return BT_OK;
    }
    if (bt_json_type(value) == BT_JSON_STRING) {
        BT_TRY(bt_ascii_lower_copy(turn->arena, bt_str_trim(bt_json_text(value)), &word));
    }
    for (size_t i = 0; i < sizeof(list->words) / sizeof(list->words[0]); i++) {
        if (bt_str_eq(word, list->words[i])) {
            return BT_OK;
        }
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "MEMORIALIZE_ENUM", value);
    bt_contract_check_put_value(turn, &remark, value);
    bt_emit_name(&remark.emit, "allowed");
    bt_emit_raw(&remark.emit, list->allowed);
    remark.finding.hint = BT_STR("use one of the listed words; the entry is kept as it is");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status add_skipped_finding(struct bt_contract_check *turn,
                                          const bt_json_value *value, const char *hint)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "MEMORIALIZE_ENTRY", value);
    bt_contract_check_put_value(turn, &remark, value);
    remark.finding.hint = bt_str_of(hint);
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status check_memorialize(struct bt_contract_check *turn)
{
    const bt_json_value *entries =
        bt_contract_check_get(turn, turn->root, "memorialize_suggestions");
    if (bt_json_is_absent_or_null(entries)) {
        return BT_OK;
    }
    if (!bt_json_items(entries) && bt_json_type(entries) != BT_JSON_ARRAY) {
        return add_skipped_finding(turn, entries, "write a list of {description, body}");
    }
    for (size_t i = 0; i < bt_json_count(entries); i++) {
        const bt_json_value *entry = &bt_json_items(entries)[i];
        if (!is_kept(turn, entry)) {
            BT_TRY(add_skipped_finding(turn, entry, "give description and body, both as text"));
            continue;
        }
        BT_TRY(check_word(turn, entry, &word_lists[0]));
        BT_TRY(check_word(turn, entry, &word_lists[1]));
    }
    return BT_OK;
}

enum bt_status bt_contract_check_advisory(struct bt_contract_check *turn)
{
    BT_TRY(check_type(turn, "user_facing_summary", BT_JSON_STRING));
    BT_TRY(check_type(turn, "memory_suggestions", BT_JSON_ARRAY));
    BT_TRY(check_type(turn, "context_consumption", BT_JSON_OBJECT));
    return check_memorialize(turn);
}

static enum bt_status put_text(const struct bt_contract_check *turn, struct bt_emit *emit,
                               const bt_json_value *value)
{
    bt_str text = BT_STR("");
    const struct bt_arena_mark before = bt_arena_mark(turn->arena);
    BT_TRY(bt_contract_check_text(turn, value, &text));
    bt_emit_string(emit, text);
    bt_arena_rewind(turn->arena, before);
    return BT_OK;
}

static void put_summary(const struct bt_contract_check *turn, struct bt_emit *emit)
{
    const bt_json_value *summary = bt_contract_check_get(turn, turn->root, "user_facing_summary");
    bt_emit_name(emit, "user_facing_summary");
    if (bt_json_is_non_blank_string(summary)) {
        bt_emit_string(emit, bt_str_trim(bt_json_text(summary)));
    } else {
        bt_emit_null(emit);
    }
}

static enum bt_status put_memories(const struct bt_contract_check *turn, struct bt_emit *emit)
{
    const bt_json_value *items = bt_contract_check_get(turn, turn->root, "memory_suggestions");
    bt_emit_name(emit, "memory_suggestions");
    bt_emit_begin_array(emit);
    for (size_t i = 0; items && bt_json_items(items) && i < bt_json_count(items); i++) {
        const bt_json_value *item = &bt_json_items(items)[i];
        if (!bt_json_is_absent_or_null(item)) {
            BT_TRY(put_text(turn, emit, item));
        }
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_memorialized(const struct bt_contract_check *turn, struct bt_emit *emit)
{
    static const char *const names[] = {"description", "body",  "slug",
                                        "type",        "class", "rationale"};
    const bt_json_value *entries =
        bt_contract_check_get(turn, turn->root, "memorialize_suggestions");
    bt_emit_name(emit, "memorialize_suggestions");
    bt_emit_begin_array(emit);
    for (size_t i = 0; entries && bt_json_items(entries) && i < bt_json_count(entries); i++) {
        const bt_json_value *entry = &bt_json_items(entries)[i];
        if (!is_kept(turn, entry)) {
            continue;
        }
        bt_emit_begin_object(emit);
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            const bt_json_value *value = bt_contract_check_get(turn, entry, names[k]);
            if (!bt_json_is_absent_or_null(value)) {
                bt_emit_name(emit, names[k]);
                BT_TRY(put_text(turn, emit, value));
            }
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_rollback(const struct bt_contract_check *turn, struct bt_emit *emit)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->root, "rollback_executed");
    bt_emit_name(emit, "rollback_executed");
    if (!value) {
        bt_emit_string(emit, BT_STR("ABSENT"));
    } else if (bt_json_is_absent_or_null(value)) {
        bt_emit_null(emit);
    } else {
        return put_text(turn, emit, value);
    }
    return BT_OK;
}

static void put_number(const struct bt_contract_check *turn, struct bt_emit *emit,
                       const bt_json_value *object, const char *name)
{
    const bt_str number = bt_contract_number_text(turn, bt_contract_check_get(turn, object, name));
    bt_emit_name(emit, name);
    if (number.len > 0) {
        bt_emit_raw(emit, number);
    } else {
        bt_emit_null(emit);
    }
}

/* Whole tokens: what stands behind the point is cut. A number too large to count is unusable. */
static void put_tokens(const struct bt_contract_check *turn, struct bt_emit *emit,
                       const bt_json_value *object)
{
    const double end = 9007199254740992.0; /* 2^53 */
    const bt_str number =
        bt_contract_number_text(turn, bt_contract_check_get(turn, object, "tokens_used"));
    const double tokens = number.len > 0 ? bt_json_decimal_to_double(number) : end;
    bt_emit_name(emit, "tokens_used");
    if (tokens > -end && tokens < end) {
        bt_emit_i64(emit, (int64_t)tokens);
    } else {
        bt_emit_null(emit);
    }
}

static void put_consumption(const struct bt_contract_check *turn, struct bt_emit *emit)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->root, "context_consumption");
    bt_emit_name(emit, "context_consumption");
    if (!value || bt_json_type(value) != BT_JSON_OBJECT) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    put_tokens(turn, emit, value);
    put_number(turn, emit, value, "pct_window");
    bt_emit_end(emit);
}

enum bt_status bt_contract_put_advisory(const struct bt_contract_check *turn, struct bt_emit *emit)
{
    bt_emit_name(emit, "advisory");
    bt_emit_begin_object(emit);
    put_summary(turn, emit);
    BT_TRY(put_memories(turn, emit));
    BT_TRY(put_memorialized(turn, emit));
    BT_TRY(put_rollback(turn, emit));
    put_consumption(turn, emit);
    bt_emit_end(emit);
    return BT_OK;
}
