/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say.c - findings about a block, at the place where its body stands in the message, and the
 * changes that would settle them.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "dialect/contract/turn.h"
#include "report/findings.h"
#include "schema/where.h"

enum {
    TOLD_MAX = 100, /* findings of one code */
    MENDS_FIRST = 16,
};

void bt_turn_remark(const struct bt_turn *turn, struct bt_remark *remark, const char *code,
                    const bt_value *value)
{
    bt_remark_begin(remark, bt_contract_rule(code));
    if (value) {
        remark->finding.offset = turn->base + bt_json_span(turn->document, value).begin;
        bt_where_put(&remark->pointer, turn->document, value);
    }
}

void bt_turn_remark_member(const struct bt_turn *turn, struct bt_remark *remark, const char *code,
                           const bt_value *object, const char *name)
{
    const bt_value *value = bt_turn_get(turn, object, name);
    bt_turn_remark(turn, remark, code, value ? value : object);
    if (!value) {
        bt_emit_member_string(&remark->emit, "property", bt_str_of(name));
    }
}

/* Write how many more there are into the last finding that was told. */
static enum bt_status tell_more(struct bt_turn *turn, size_t place)
{
    struct bt_finding *last = turn->findings->items[turn->last[place]];
    const size_t more = turn->said[place] - TOLD_MAX;
    const bt_str params = last->params;
    if (params.len == 0) {
        return bt_arena_printf(turn->arena, &last->params, "{\"more\":%zu}", more);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, bt_str_slice(params, 0, params.len - 1));
    bt_buf_printf(&buf, ",\"more\":%zu}", more);
    const enum bt_status status = bt_buf_keep(&buf, turn->arena, &last->params);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_turn_tell_more(struct bt_turn *turn)
{
    for (size_t i = 0; i < BT_CONTRACT_RULES_MAX; i++) {
        if (turn->said[i] > TOLD_MAX) {
            BT_TRY(tell_more(turn, i));
            turn->said[i] = TOLD_MAX; /* told; what comes after is counted anew */
        }
    }
    return BT_OK;
}

enum bt_status bt_turn_say(struct bt_turn *turn, struct bt_remark *remark)
{
    const size_t place = bt_contract_rule_place(remark->finding.rule->code);
    if (turn->said[place]++ >= TOLD_MAX) {
        bt_buf_free(&remark->pointer);
        bt_buf_free(&remark->message);
        bt_buf_free(&remark->params);
        return BT_OK;
    }
    turn->last[place] = bt_findings_count(turn->findings);
    return bt_remark_end(remark, turn->findings);
}

void bt_turn_name(const struct bt_turn *turn, struct bt_remark *remark, const bt_value *value)
{
    const bt_str text =
        bt_json_is_number(value) ? bt_json_number_text(turn->document, value) : bt_json_text(value);
    if (!bt_str_is_blank(text)) {
        bt_buf_put(&remark->message, remark->finding.rule->meaning);
        bt_buf_put_text(&remark->message, ": ");
        bt_put_quoted(&remark->message, text);
    }
}

enum bt_status bt_turn_say_member(struct bt_turn *turn, const char *code, const bt_value *object,
                                  const char *name, const char *hint)
{
    struct bt_remark remark;
    const bt_value *value = bt_turn_get(turn, object, name);
    bt_turn_remark_member(turn, &remark, code, object, name);
    if (value) {
        bt_turn_name(turn, &remark, value);
    }
    remark.finding.hint = bt_str_of(hint);
    return bt_turn_say(turn, &remark);
}

void bt_turn_cap(struct bt_turn *turn, size_t from)
{
    struct bt_findings *findings = turn->findings;
    size_t kept = from;
    for (size_t i = from; i < findings->count; i++) {
        const size_t place = bt_contract_rule_place(findings->items[i]->rule->code);
        if (turn->said[place]++ < TOLD_MAX) {
            turn->last[place] = kept;
            findings->items[kept++] = findings->items[i];
        }
    }
    findings->count = kept;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static enum bt_status make_room(struct bt_arena *arena, struct bt_mends *mends)
{
    if (mends->count < mends->capacity) {
        return BT_OK;
    }
    const size_t capacity = mends->capacity > 0 ? mends->capacity * 2 : MENDS_FIRST;
    struct bt_mend *items = BT_NEW_ARRAY(arena, struct bt_mend, capacity);
    if (!items) {
        return BT_ENOMEM;
    }
    if (mends->count > 0) {
        memcpy(items, mends->items, mends->count * sizeof(*items));
    }
    mends->items = items;
    mends->capacity = capacity;
    return BT_OK;
}

static enum bt_status keep_pointer(const struct bt_turn *turn, const bt_value *value, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_where_put(&buf, turn->document, value);
    const enum bt_status status = bt_buf_keep(&buf, turn->arena, out);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_turn_mend(struct bt_turn *turn, const char *code, const bt_value *value,
                            struct bt_mend mend)
{
    if (!turn->wants_mends) {
        return BT_OK;
    }
    BT_TRY(make_room(turn->arena, &turn->mends));
    mend.begin += turn->base;
    mend.end += turn->base;
    mend.code = bt_str_of(code);
    mend.pointer = BT_STR("");
    if (value) {
        BT_TRY(keep_pointer(turn, value, &mend.pointer));
    }
    turn->mends.items[turn->mends.count++] = mend;
    return BT_OK;
}

enum bt_status bt_turn_hide(struct bt_turn *turn, size_t begin, size_t end)
{
    BT_TRY(make_room(turn->arena, &turn->secrets));
    turn->secrets.items[turn->secrets.count++] =
        (struct bt_mend){.begin = turn->base + begin, .end = turn->base + end};
    return BT_OK;
}

enum bt_status bt_turn_mend_string(struct bt_turn *turn, const char *code, const bt_value *value,
                                   bt_str text)
{
    if (!turn->wants_mends) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(turn->document, value);
    struct bt_mend mend = {.begin = span.begin, .end = span.end, .kind = BT_FIX_SAFE};
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_string(&buf, text);
    const enum bt_status status = bt_buf_keep(&buf, turn->arena, &mend.text);
    bt_buf_free(&buf);
    BT_TRY(status);
    return bt_turn_mend(turn, code, value, mend);
}

enum bt_status bt_turn_spelling(struct bt_turn *turn, const bt_value *value, bt_str canonical)
{
    const bt_str written = bt_json_text(value);
    if (bt_str_eq(written, canonical)) {
        return BT_OK;
    }
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "CONTRACT_SPELLING", value);
    bt_put_quoted(&remark.message, written);
    bt_buf_put_text(&remark.message, " is understood as ");
    bt_put_quoted(&remark.message, canonical);
    bt_emit_member_string(&remark.emit, "canonical", canonical);
    remark.finding.hint = BT_STR("write the canonical form, or use --fix");
    BT_TRY(bt_turn_say(turn, &remark));
    return bt_turn_mend_string(turn, "CONTRACT_SPELLING", value, canonical);
}
