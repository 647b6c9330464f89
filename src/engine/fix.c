/* SPDX-License-Identifier: Apache-2.0 */
/* fix.c - the fixes of each dialect: its options and its part of the checker, and one result. */
#include "engine/fix.h"

#include <assert.h>

#include "dialect/contract/contract.h"
#include "dialect/plan/plan.h"
#include "dialect/universal/universal.h"
#include "dialect/xml/message.h"
#include "engine/dialect.h"

enum bt_status bt_universal_fix_document(const struct bt_fix_input *input, struct bt_arena *arena,
                                         struct bt_fix_result *out)
{
    const struct bt_universal_input document = {input->path, input->content,
                                                input->options->universal};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_result fixed;
    BT_TRY(bt_checker_universal(input->options->checker, &universal));
    BT_TRY(bt_universal_fix(universal, arena, &document, &input->choice, &fixed));
    *out =
        (struct bt_fix_result){fixed.judged, fixed.text, fixed.edits, {input->content, fixed.text}};
    return BT_OK;
}

enum bt_status bt_plan_fix_document(const struct bt_fix_input *input, struct bt_arena *arena,
                                    struct bt_fix_result *out)
{
    const struct bt_plan_input document = {input->path, input->content, input->options->plan};
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result fixed;
    BT_TRY(bt_checker_plan(input->options->checker, &plans));
    BT_TRY(bt_plan_fix(plans, arena, &document, &input->choice, &fixed));
    *out =
        (struct bt_fix_result){fixed.judged, fixed.text, fixed.edits, {input->content, fixed.text}};
    return BT_OK;
}

enum bt_status bt_contract_fix_document(const struct bt_fix_input *input, struct bt_arena *arena,
                                        struct bt_fix_result *out)
{
    const struct bt_contract_document document = {input->path, input->content,
                                                  input->options->contract};
    struct bt_contract_checker *contract = NULL;
    struct bt_contract_fix_result fixed;
    BT_TRY(bt_checker_contract(input->options->checker, &contract));
    BT_TRY(bt_contract_fix(contract, arena, &document, &input->choice, &fixed));
    *out = (struct bt_fix_result){
        fixed.judged, fixed.text, fixed.edits, {fixed.before, fixed.judged.source}};
    return BT_OK;
}

enum bt_status bt_message_fix_document(const struct bt_fix_input *input, struct bt_arena *arena,
                                       struct bt_fix_result *out)
{
    const struct bt_message_input document = {input->path, input->content, input->options->xml};
    struct bt_message_fix_result fixed;
    struct bt_edit_list edits; /* it is written anew, in canonical form */
    BT_TRY(bt_message_fix(input->env, arena, &document, &input->choice, &fixed));
    BT_TRY(bt_edit_list_between(input->content, fixed.text, arena, &edits));
    *out = (struct bt_fix_result){fixed.judged, fixed.text, edits, {input->content, fixed.text}};
    return BT_OK;
}

/* A dialect without fixes. */
static enum bt_status judge_only(const struct bt_fix_input *input, struct bt_arena *arena,
                                 struct bt_fix_result *out)
{
    struct bt_fix_result result = {.text = input->content,
                                   .shown = {input->content, input->content}};
    BT_TRY(bt_check_document(input->env, arena, input->path, input->content, input->options,
                             &result.judged));
    *out = result;
    return BT_OK;
}

/* The checks that are not made on the fixed document, which fixers do not list. */
static enum bt_status find_skipped(const struct bt_fix_input *input, struct bt_arena *arena,
                                   struct bt_fix_result *result)
{
    const struct bt_arena_mark before = bt_arena_mark(arena);
    struct bt_judgement again;
    BT_TRY(bt_check_document(input->env, arena, input->path, result->text, input->options, &again));
    result->judged.skipped = again.skipped;
    bt_arena_rewind(arena, before);
    return BT_OK;
}

enum bt_status bt_fix(const struct bt_fix_input *input, struct bt_arena *arena,
                      struct bt_fix_result *out)
{
    assert(input);
    assert(input->options->checker);
    assert(out);
    static const struct bt_report_changes none = {NULL, 0};
    const struct bt_check_options *options = input->options;
    const enum bt_dialect_id dialect =
        options->dialect ? options->dialect : bt_dialect_recognise(input->path, input->content);
    bt_fix_fn *fix = dialect ? bt_dialect_row(dialect)->fix : NULL;
    BT_TRY(fix ? fix(input, arena, out) : judge_only(input, arena, out));
    BT_TRY(fix && options->lists_skipped ? find_skipped(input, arena, out) : BT_OK);
    out->judged.verdict = bt_verdict_of(
        out->judged.findings, options->fail_level ? options->fail_level : BT_SEVERITY_HARD);
    const struct bt_report_changes *changes = out->judged.changes;
    out->judged.changes = changes && changes->count > 0 ? changes : &none;
    return BT_OK;
}
