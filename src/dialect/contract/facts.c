/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts of the report, and the text that excerpts may show. */
#include <string.h>

#include "dialect/contract/contract_check.h"
#include "json/emit.h"

static void put_block(const struct bt_contract_check *check, struct bt_emit *emit)
{
    bt_emit_name(emit, "block");
    if (check->block.count == 0 || !check->block.fence.closed) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "count", check->block.count);
    bt_emit_member_u64(emit, "line", bt_position_at(check->text, check->block.fence.open).line);
    bt_emit_member_u64(emit, "bytes", check->block.body.len);
    bt_emit_end(emit);
}

static void put_words(struct bt_emit *emit, const char *name, const struct bt_contract_words *words)
{
    bt_emit_member_texts(emit, name, words->items, words->count);
}

bt_str bt_contract_status_dispatch(enum bt_contract_status status)
{
    static const bt_str words[BT_CONTRACT_STATUS__MAX] = {
        [BT_CONTRACT_STATUS_NONE] = BT_STR_INIT(""),
        [BT_CONTRACT_STATUS_IN_PROGRESS] = BT_STR_INIT("resume"),
        [BT_CONTRACT_STATUS_APPROVAL_REQUEST] = BT_STR_INIT("consent"),
        [BT_CONTRACT_STATUS_COMPLETE] = BT_STR_INIT("close"),
        [BT_CONTRACT_STATUS_BLOCKED] = BT_STR_INIT("review_gaps"),
        [BT_CONTRACT_STATUS_NEEDS_INPUT] = BT_STR_INIT("ask_user"),
    };
    return words[status];
}

static void put_dispatch(const struct bt_contract_check *check, struct bt_emit *emit)
{
    bt_emit_member_string_or_null(emit, "dispatch",
                                  bt_contract_check_is_rejected(check)
                                      ? BT_STR("")
                                      : bt_contract_status_dispatch(check->plan_status));
}

static void put_updates(const struct bt_contract_check *check, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "updates");
    for (size_t i = 0; i < bt_contract_updates_count(check); i++) {
        const struct bt_contract_update update = bt_contract_updates_at(check, i);
        if (update.contract && update.payload) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "contract", bt_json_text(update.contract));
            bt_emit_member_u64(emit, "keys", bt_json_count(update.payload));
            if (update.is_dropped) {
                bt_emit_member_bool(emit, "dropped", true);
            }
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

static void put_fixed(struct bt_emit *emit, const struct bt_contract_edits *fixed)
{
    bt_emit_member_array(emit, "fixed");
    for (size_t i = 0; i < fixed->count; i++) {
        if (fixed->items[i].code != BT_CODE_NONE) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "code", bt_code_name(fixed->items[i].code));
            bt_emit_member_string(emit, "pointer", fixed->items[i].pointer);
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

static enum bt_status put_all(const struct bt_contract_check *check,
                              const struct bt_contract_edits *fixed, struct bt_emit *emit)
{
    put_block(check, emit);
    bt_emit_member_string_or_null(emit, "plan_status", bt_contract_status_name(check->plan_status));
    if (check->tokens.alias.len > 0) {
        bt_emit_member_object(emit, "alias");
        bt_emit_member_string(emit, "plan_status", check->tokens.alias);
        bt_emit_end(emit);
    }
    bt_emit_member_string_or_null(emit, "agent_id", check->agent_id);
    put_words(emit, "missing", &check->tokens.missing);
    put_words(emit, "invalid", &check->tokens.invalid);
    put_words(emit, "warnings", &check->tokens.warnings);
    bt_emit_member_bool(emit, "consolidation_required", check->demanded);
    bt_emit_member_string(emit, "recommended_action", bt_contract_check_action(check));
    put_dispatch(check, emit);
    bt_emit_member_string_or_null(emit, "approval_fingerprint",
                                  bt_str_of(check->request.fingerprint));
    put_updates(check, emit);
    BT_TRY(bt_contract_put_advisory(check, emit));
    if (check->tokens.evidence.len > 0) {
        bt_emit_name(emit, "evidence");
        bt_emit_raw(emit, check->tokens.evidence);
    }
    if (fixed) {
        put_fixed(emit, fixed);
    }
    return BT_OK;
}

enum bt_status bt_contract_check_facts(const struct bt_contract_check *check,
                                       const struct bt_contract_edits *fixed, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    return bt_object_text_finish(&text, put_all(check, fixed, emit), check->arena, out);
}

/* Secrets can also stand where nothing was read. */
static bool has_secret(const struct bt_contract_check *check, bt_str text)
{
    size_t begin = 0;
    size_t end = 0;
    return check->secrets.count > 0 || bt_contract_next_secret(text, 0, &begin, &end);
}

enum bt_status bt_contract_check_excerpt_text(const struct bt_contract_check *check, bt_str *out)
{
    /* Everything from the first byte that is not valid UTF-8 is ignored, and not quoted either. */
    const bt_str sound = bt_str_slice(check->text, 0, bt_utf8_check(check->text));
    *out = check->text;
    if (!has_secret(check, sound)) {
        return BT_OK;
    }
    char *shown = bt_arena_alloc(check->arena, check->text.len);
    BT_TRY(shown ? BT_OK : BT_ENOMEM);
    memcpy(shown, check->text.ptr, check->text.len);
    for (size_t i = 0; i < check->secrets.count; i++) {
        const struct bt_contract_edit *secret = &check->secrets.items[i];
        memset(shown + secret->begin, '*', secret->end - secret->begin);
    }
    size_t end = 0;
    for (size_t begin = 0; bt_contract_next_secret(sound, end, &begin, &end);) {
        memset(shown + begin, '*', end - begin);
    }
    *out = (bt_str){shown, check->text.len};
    return BT_OK;
}
