/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - apply the changes that resolve findings.
 *
 * A body that cannot be read hides what is wrong inside it, so judging and changing alternate:
 * first the fence, then the syntax, then the values. Each round changes only the bytes that its
 * findings name.
 */
#include <assert.h>

#include "base/vec.h"
#include "dialect/contract/contract_check.h"
#include "report/fixes.h"

enum { ROUNDS_MAX = 8 };

static enum bt_status append_edits(struct bt_arena *arena, struct bt_contract_edits *fixed,
                                   const struct bt_contract_edits *more)
{
    BT_TRY(bt_vec_reserve(arena, fixed, more->count));
    for (size_t i = 0; i < more->count; i++) {
        fixed->items[fixed->count++] = more->items[i];
    }
    return BT_OK;
}

/* Keep the changes that are to be made. One without a code belongs to the change before it. */
static void filter_edits(struct bt_contract_edits *edits, const struct bt_fix_choice *choice)
{
    size_t kept = 0;
    bool is_kept = false;
    for (size_t i = 0; i < edits->count; i++) {
        const struct bt_contract_edit *edit = &edits->items[i];
        if (edit->code != BT_CODE_NONE) {
            is_kept = bt_fix_choice_has(choice, edit->kind, edit->code, edit->pointer);
        }
        if (is_kept) {
            edits->items[kept++] = *edit;
        }
    }
    edits->count = kept;
}

static enum bt_status sort_edits(const struct bt_contract_check *check, struct bt_edit_list *out)
{
    struct bt_edit_list list = {0};
    for (size_t i = 0; i < check->edits.count; i++) {
        const struct bt_contract_edit *edit = &check->edits.items[i];
        BT_TRY(
            bt_vec_push(check->arena, &list, (struct bt_edit){edit->begin, edit->end, edit->text}));
    }
    BT_TRY(bt_edit_list_sort(&list, check->arena));
    *out = list;
    return BT_OK;
}

/* What is done to a document, from the first round to the last. */
struct contract_fix_run {
    struct bt_arena *arena;
    const struct bt_fix_choice *choice;
    struct bt_contract_edits fixed;
    struct bt_edit_list edits; /* from the given text to the present one */
    struct bt_report_change_list changes;
    bt_str before; /* the given text without secrets */
};

/* Describe the changes of a round for people; nothing is shown of values that hold a secret. */
static enum bt_status describe_edits(struct contract_fix_run *run,
                                     const struct bt_contract_check *check)
{
    struct bt_edit_cursor given = bt_edit_cursor_begin(&run->edits);
    bt_str shown = BT_STR("");
    BT_TRY(bt_contract_check_excerpt_text(check, &shown));
    for (size_t i = 0; i < check->edits.count; i++) {
        const struct bt_contract_edit *edit = &check->edits.items[i];
        const bt_str before = bt_str_slice(check->text, edit->begin, edit->end);
        const bool is_shown = bt_str_eq(before, bt_str_slice(shown, edit->begin, edit->end));
        if (edit->code == BT_CODE_NONE) {
            continue;
        }
        const struct bt_report_change change = {
            .why = bt_code_name(edit->code),
            .offset = bt_edit_cursor_find(&given, edit->begin),
            .before = is_shown ? before : BT_STR(""),
            .after = is_shown ? edit->text : BT_STR(""),
        };
        BT_TRY(bt_vec_push(run->arena, &run->changes, change));
    }
    return BT_OK;
}

/* Make the changes of a round. */
static enum bt_status edit_text(struct contract_fix_run *run, const struct bt_contract_check *check,
                                bt_str *out)
{
    struct bt_edit_list edits;
    BT_TRY(describe_edits(run, check));
    BT_TRY(sort_edits(check, &edits));
    BT_TRY(bt_edit_list_compose(&run->edits, check->text, &edits, run->arena, &run->edits));
    BT_TRY(append_edits(run->arena, &run->fixed, &check->edits));
    return bt_edit_list_apply(&edits, check->text, run->arena, out);
}

/* An INPUT envelope has nothing that could be fixed. */
static enum bt_status leave_alone(struct bt_contract_check *check, bt_str path,
                                  struct bt_contract_fix_result *out)
{
    struct bt_contract_fix_result result = {.text = check->text, .before = check->text};
    result.judged = (struct bt_judgement){.path = path,
                                          .dialect = BT_DIALECT_CONTRACT,
                                          .source = check->text,
                                          .findings = check->findings};
    BT_TRY(bt_contract_judge_input(check, &result.judged.facts));
    BT_TRY(bt_findings_finish(check->findings, check->text));
    result.judged.verdict = bt_verdict_of(check->findings, BT_SEVERITY_HARD);
    *out = result;
    return BT_OK;
}

static enum bt_status finish_fix(struct bt_contract_check *check,
                                 const struct bt_contract_document *document,
                                 const struct contract_fix_run *run,
                                 struct bt_contract_fix_result *out)
{
    struct bt_contract_fix_result result = {.text = check->text,
                                            .before = run->before,
                                            .edits = run->edits,
                                            .count = run->changes.count};
    BT_TRY(bt_contract_check_finish(check, document->path, &run->fixed, &result.judged));
    BT_TRY(bt_report_changes_finish(&run->changes, document->text, run->arena,
                                    &result.judged.changes));
    result.judged.fixed = run->changes.count;
    *out = result;
    return BT_OK;
}

enum bt_status bt_contract_fix(struct bt_contract_checker *contract, struct bt_arena *arena,
                               const struct bt_contract_document *document,
                               const struct bt_fix_choice *choice,
                               struct bt_contract_fix_result *out)
{
    assert(contract);
    assert(arena);
    assert(document);
    assert(out);
    static const struct bt_contract_options defaults = {.runtime_agent_id = {"", 0}};
    struct contract_fix_run run = {.arena = arena, .choice = choice};
    bt_str text = document->text;
    for (size_t round = 0;; round++) {
        struct bt_contract_check check = {.contract = contract,
                                          .options =
                                              document->options ? document->options : &defaults,
                                          .findings = bt_findings_new(arena),
                                          .text = text,
                                          .wants_edits = true};
        BT_TRY(check.findings ? BT_OK : BT_ENOMEM);
        if (check.options->direction == BT_CONTRACT_INPUT) {
            return leave_alone(&check, document->path, out);
        }
        BT_TRY(bt_contract_check_judge(&check));
        if (round == 0) {
            BT_TRY(bt_contract_check_excerpt_text(&check, &run.before));
        }
        filter_edits(&check.edits, choice);
        if (check.edits.count == 0 || round == ROUNDS_MAX) {
            return finish_fix(&check, document, &run, out);
        }
        BT_TRY(edit_text(&run, &check, &text));
    }
}
