/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params.c - the parameters of a finding: found by name, copied, compared, written as JSON.
 */
#include <assert.h>

#include "base/buf.h"
#include "json/emit.h"
#include "report/add.h"

const struct bt_finding_arg *bt_finding_arg(const struct bt_finding *finding, bt_str name)
{
    assert(finding);
    for (size_t i = 0; i < finding->arg_count; i++) {
        if (bt_str_eq(finding->args[i].param->name, name)) {
            return &finding->args[i];
        }
    }
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void emit_texts(struct bt_emit *emit, struct bt_str_list list)
{
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < list.count; i++) {
        bt_emit_string(emit, list.items[i]);
    }
    bt_emit_end(emit);
}

static void emit_value(struct bt_emit *emit, const struct bt_finding_arg *arg)
{
    if (arg->is_absent) {
        bt_emit_null(emit);
        return;
    }
    switch (arg->param->type) {
    case BT_PARAM_TEXT:
    case BT_PARAM_NAME:
        bt_emit_string(emit, arg->as.text);
        break;
    case BT_PARAM_NUMBER:
    case BT_PARAM_JSON:
        bt_emit_raw(emit, arg->as.text);
        break;
    case BT_PARAM_INTEGER:
        bt_emit_u64(emit, arg->as.integer);
        break;
    case BT_PARAM_BOOL:
        bt_emit_bool(emit, arg->as.truth);
        break;
    case BT_PARAM_TEXTS:
        emit_texts(emit, arg->as.texts);
        break;
    case BT_PARAM_WORD:
        bt_emit_string(emit, arg->param->words[arg->as.word]);
        break;
    }
}

enum bt_status bt_finding_arg_json(const struct bt_finding_arg *arg, struct bt_arena *arena,
                                   bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    emit_value(&emit, arg);
    return bt_buf_finish(&buf, arena, out);
}

void bt_finding_put_params(const struct bt_finding *finding, struct bt_buf *buf)
{
    assert(finding);
    if (finding->arg_count == 0) {
        return;
    }
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < finding->arg_count; i++) {
        bt_emit_name_str(&emit, finding->args[i].param->name);
        emit_value(&emit, &finding->args[i]);
    }
    bt_emit_end(&emit);
}

void bt_finding_emit_params(const struct bt_finding *finding, struct bt_emit *emit)
{
    if (finding->arg_count > 0) {
        bt_emit_member_raw(emit, "params", BT_STR(""));
        bt_finding_put_params(finding, emit->buf);
    }
}

/* ---- Copying --------------------------------------------------------------------------------- */

static enum bt_status copy_texts(struct bt_arena *arena, struct bt_str_list *texts)
{
    bt_str *items = BT_NEW_ARRAY(arena, bt_str, texts->count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < texts->count; i++) {
        BT_TRY(bt_arena_copy(arena, texts->items[i], &items[i]));
    }
    texts->items = items;
    return BT_OK;
}

bt_str bt_str_cut_shown(bt_str text)
{
    size_t end = text.len < BT_VALUE_SHOWN ? text.len : BT_VALUE_SHOWN;
    while (end > 0 && end < text.len && ((unsigned char)text.ptr[end] & 0xc0) == 0x80) {
        end--;
    }
    return bt_str_slice(text, 0, end);
}

static enum bt_status copy_value(struct bt_arena *arena, struct bt_finding_arg *arg)
{
    const enum bt_param_type type = arg->param->type;
    if (arg->is_absent || type == BT_PARAM_INTEGER || type == BT_PARAM_BOOL ||
        type == BT_PARAM_WORD) {
        return BT_OK;
    }
    if (arg->param->is_cut) {
        arg->as.text = bt_str_cut_shown(arg->as.text);
    }
    return type == BT_PARAM_TEXTS ? copy_texts(arena, &arg->as.texts)
                                  : bt_arena_copy(arena, arg->as.text, &arg->as.text);
}

enum bt_status bt_finding_add_args(struct bt_finding *finding, struct bt_arena *arena,
                                   const struct bt_finding_arg *more, size_t count)
{
    struct bt_finding_arg *args =
        BT_NEW_ARRAY(arena, struct bt_finding_arg, finding->arg_count + count + 1);
    if (!args) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < finding->arg_count + count; i++) {
        args[i] = i < finding->arg_count ? finding->args[i] : more[i - finding->arg_count];
    }
    finding->args = args;
    finding->arg_count += count;
    return BT_OK;
}

enum bt_status bt_finding_set_params(struct bt_finding *finding, struct bt_arena *arena,
                                     const struct bt_json_doc *document,
                                     const bt_json_value *object)
{
    const size_t count = bt_json_members(object) ? bt_json_count(object) : 0;
    struct bt_rule_param *params = BT_NEW_ARRAY(arena, struct bt_rule_param, count + 1);
    struct bt_finding_arg *args = BT_NEW_ARRAY(arena, struct bt_finding_arg, count + 1);
    if (!params || !args) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *member = &bt_json_members(object)[i];
        params[i].type = BT_PARAM_JSON;
        BT_TRY(bt_arena_copy(arena, bt_json_name(member), &params[i].name));
        args[i].param = &params[i];
        BT_TRY(bt_json_write_text(document, &member->value, BT_JSON_FORM_COMPACT, arena,
                                  &args[i].as.text));
    }
    finding->args = args;
    finding->arg_count = count;
    return BT_OK;
}

static bool is_shown(const struct bt_finding_arg *arg)
{
    return !arg->param->is_hidden && (!arg->is_absent || arg->param->is_null);
}

enum bt_status bt_finding_copy_args(struct bt_finding *finding, struct bt_arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < finding->arg_count; i++) {
        count += is_shown(&finding->args[i]);
    }
    struct bt_finding_arg *copies = BT_NEW_ARRAY(arena, struct bt_finding_arg, count + 1);
    if (!copies) {
        return BT_ENOMEM;
    }
    size_t next = 0;
    for (size_t i = 0; i < finding->arg_count; i++) {
        if (is_shown(&finding->args[i])) {
            copies[next] = finding->args[i];
            BT_TRY(copy_value(arena, &copies[next++]));
        }
    }
    finding->args = count > 0 ? copies : NULL;
    finding->arg_count = count;
    return BT_OK;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_texts(struct bt_str_list a, struct bt_str_list b)
{
    int order = compare_numbers(a.count, b.count);
    for (size_t i = 0; order == 0 && i < a.count; i++) {
        order = bt_str_compare(a.items[i], b.items[i]);
    }
    return order;
}

static int compare_values(const struct bt_finding_arg *a, const struct bt_finding_arg *b)
{
    switch (a->param->type) {
    case BT_PARAM_INTEGER:
        return compare_numbers(a->as.integer, b->as.integer);
    case BT_PARAM_BOOL:
        return compare_numbers(a->as.truth, b->as.truth);
    case BT_PARAM_TEXTS:
        return compare_texts(a->as.texts, b->as.texts);
    case BT_PARAM_WORD:
        return bt_str_compare(a->param->words[a->as.word], b->param->words[b->as.word]);
    case BT_PARAM_TEXT:
    case BT_PARAM_NAME:
    case BT_PARAM_NUMBER:
    case BT_PARAM_JSON:
        break;
    }
    return bt_str_compare(a->as.text, b->as.text);
}

static int compare_args(const struct bt_finding_arg *a, const struct bt_finding_arg *b)
{
    int order = bt_str_compare(a->param->name, b->param->name);
    order = order != 0 ? order : compare_numbers(a->param->type, b->param->type);
    order = order != 0 ? order : compare_numbers(a->is_absent, b->is_absent);
    return order != 0 || a->is_absent ? order : compare_values(a, b);
}

int bt_finding_compare_params(const struct bt_finding *a, const struct bt_finding *b)
{
    int order = compare_numbers(a->arg_count, b->arg_count);
    for (size_t i = 0; order == 0 && i < a->arg_count; i++) {
        order = compare_args(&a->args[i], &b->args[i]);
    }
    return order;
}
