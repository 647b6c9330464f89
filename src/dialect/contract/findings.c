/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - findings about a block, located in the message, and the changes that would resolve
 * them.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "dialect/contract/contract_check.h"
#include "json/value_pointer.h"
#include "report/findings.h"

enum {
    FINDINGS_PER_CODE_MAX = 100, /* findings of one code */
    EDITS_CAPACITY_FIRST = 16,
};

void bt_contract_check_remark(const struct bt_contract_check *turn,
                              struct bt_finding_builder *remark, const char *code,
                              const bt_json_value *value)
{
    bt_finding_builder_begin(remark, bt_contract_rule(code));
    if (value) {
        remark->finding.offset = turn->base + bt_json_span(turn->document, value).begin;
        bt_json_put_value_pointer(&remark->pointer, turn->document, value);
    }
}

void bt_contract_check_remark_member(const struct bt_contract_check *turn,
                                     struct bt_finding_builder *remark, const char *code,
                                     const bt_json_value *object, const char *name)
{
    const bt_json_value *value = bt_contract_check_get(turn, object, name);
    bt_contract_check_remark(turn, remark, code, value ? value : object);
    if (!value) {
        bt_emit_member_string(&remark->emit, "property", bt_str_of(name));
    }
}

/* The index at which findings of a code are counted; codes of other dialects share one. */
static size_t find_count_index(struct bt_contract_check *turn, bt_str code)
{
    const struct bt_rule *rule = bt_contract_rule_or_null(code);
    const unsigned id = rule ? rule->id : 0;
    size_t i = 0;
    while (i < turn->finding_code_count && turn->finding_codes[i] != id) {
        i++;
    }
    if (i == turn->finding_code_count) {
        assert(i < BT_CONTRACT_RULES_MAX);
        turn->finding_codes[i] = id;
        turn->finding_code_count++;
    }
    return i;
}

/* Write how many more there are into the last finding that was told. */
static enum bt_status add_omitted_count(struct bt_contract_check *turn, size_t place)
{
    struct bt_finding *last = turn->findings->items[turn->last[place]];
    const size_t more = turn->finding_counts[place] - FINDINGS_PER_CODE_MAX;
    const bt_str params = last->params;
    if (params.len == 0) {
        return bt_arena_printf(turn->arena, &last->params, "{\"more\":%zu}", more);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, bt_str_slice(params, 0, params.len - 1));
    bt_buf_printf(&buf, ",\"more\":%zu}", more);
    const enum bt_status status = bt_buf_copy(&buf, turn->arena, &last->params);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_contract_check_add_omitted_counts(struct bt_contract_check *turn)
{
    for (size_t i = 0; i < turn->finding_code_count; i++) {
        if (turn->finding_counts[i] > FINDINGS_PER_CODE_MAX) {
            BT_TRY(add_omitted_count(turn, i));
            turn->finding_counts[i] =
                FINDINGS_PER_CODE_MAX; /* told; what comes after is counted anew */
        }
    }
    return BT_OK;
}

enum bt_status bt_contract_check_add_finding(struct bt_contract_check *turn,
                                             struct bt_finding_builder *remark)
{
    const size_t place = find_count_index(turn, remark->finding.rule->code);
    if (turn->finding_counts[place]++ >= FINDINGS_PER_CODE_MAX) {
        bt_buf_free(&remark->pointer);
        bt_buf_free(&remark->message);
        bt_buf_free(&remark->params);
        return BT_OK;
    }
    turn->last[place] = bt_findings_count(turn->findings);
    return bt_finding_builder_end(remark, turn->findings);
}

void bt_contract_check_put_value(const struct bt_contract_check *turn,
                                 struct bt_finding_builder *remark, const bt_json_value *value)
{
    const bt_str text =
        bt_json_is_number(value) ? bt_json_number_text(turn->document, value) : bt_json_text(value);
    if (!bt_str_is_blank(text)) {
        bt_buf_put(&remark->message, remark->finding.rule->meaning);
        bt_buf_put_text(&remark->message, ": ");
        bt_buf_put_quoted(&remark->message, text);
    }
}

enum bt_status bt_contract_check_add_member_finding(struct bt_contract_check *turn,
                                                    const char *code, const bt_json_value *object,
                                                    const char *name, const char *hint)
{
    struct bt_finding_builder remark;
    const bt_json_value *value = bt_contract_check_get(turn, object, name);
    bt_contract_check_remark_member(turn, &remark, code, object, name);
    if (value) {
        bt_contract_check_put_value(turn, &remark, value);
    }
    remark.finding.hint = bt_str_of(hint);
    return bt_contract_check_add_finding(turn, &remark);
}

void bt_contract_check_cap_findings(struct bt_contract_check *turn, size_t from)
{
    struct bt_findings *findings = turn->findings;
    size_t kept = from;
    for (size_t i = from; i < findings->count; i++) {
        const size_t place = find_count_index(turn, findings->items[i]->rule->code);
        if (turn->finding_counts[place]++ < FINDINGS_PER_CODE_MAX) {
            turn->last[place] = kept;
            findings->items[kept++] = findings->items[i];
        }
    }
    findings->count = kept;
}

static enum bt_status make_room(struct bt_arena *arena, struct bt_contract_edits *edits)
{
    if (edits->count < edits->capacity) {
        return BT_OK;
    }
    const size_t capacity = edits->capacity > 0 ? edits->capacity * 2 : EDITS_CAPACITY_FIRST;
    struct bt_contract_edit *items = BT_NEW_ARRAY(arena, struct bt_contract_edit, capacity);
    if (!items) {
        return BT_ENOMEM;
    }
    if (edits->count > 0) {
        memcpy(items, edits->items, edits->count * sizeof(*items));
    }
    edits->items = items;
    edits->capacity = capacity;
    return BT_OK;
}

static enum bt_status keep_pointer(const struct bt_contract_check *turn, const bt_json_value *value,
                                   bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_value_pointer(&buf, turn->document, value);
    const enum bt_status status = bt_buf_copy(&buf, turn->arena, out);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_contract_check_add_edit(struct bt_contract_check *turn, const char *code,
                                          const bt_json_value *value, struct bt_contract_edit edit)
{
    if (!turn->wants_edits) {
        return BT_OK;
    }
    BT_TRY(make_room(turn->arena, &turn->edits));
    edit.begin += turn->base;
    edit.end += turn->base;
    edit.code = bt_str_of(code);
    edit.pointer = BT_STR("");
    if (value) {
        BT_TRY(keep_pointer(turn, value, &edit.pointer));
    }
    turn->edits.items[turn->edits.count++] = edit;
    return BT_OK;
}

enum bt_status bt_contract_check_redact(struct bt_contract_check *turn, size_t begin, size_t end)
{
    BT_TRY(make_room(turn->arena, &turn->secrets));
    turn->secrets.items[turn->secrets.count++] =
        (struct bt_contract_edit){.begin = turn->base + begin, .end = turn->base + end};
    return BT_OK;
}

enum bt_status bt_contract_check_add_string_edit(struct bt_contract_check *turn, const char *code,
                                                 const bt_json_value *value, bt_str text)
{
    if (!turn->wants_edits) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(turn->document, value);
    struct bt_contract_edit edit = {.begin = span.begin, .end = span.end, .kind = BT_FIX_SAFE};
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_string(&buf, text);
    const enum bt_status status = bt_buf_copy(&buf, turn->arena, &edit.text);
    bt_buf_free(&buf);
    BT_TRY(status);
    return bt_contract_check_add_edit(turn, code, value, edit);
}

enum bt_status bt_contract_check_canonical_spelling(struct bt_contract_check *turn,
                                                    const bt_json_value *value, bt_str canonical)
{
    const bt_str written = bt_json_text(value);
    if (bt_str_eq(written, canonical)) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CONTRACT_SPELLING", value);
    bt_buf_put_quoted(&remark.message, written);
    bt_buf_put_text(&remark.message, " is understood as ");
    bt_buf_put_quoted(&remark.message, canonical);
    bt_emit_member_string(&remark.emit, "canonical", canonical);
    remark.finding.hint = BT_STR("write the canonical form, or use --fix");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return bt_contract_check_add_string_edit(turn, "CONTRACT_SPELLING", value, canonical);
}
