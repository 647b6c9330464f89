/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - apply the changes that resolve findings.
 *
 * A body that cannot be read hides what is wrong inside it, so judging and changing alternate:
 * first the fence, then the syntax, then the values. Each round changes only the bytes that its
 * findings name.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/vec.h"
#include "dialect/contract/contract_check.h"
#include "report/sort.h"

enum { ROUNDS_MAX = 8 };

static int compare_places(const void *context, size_t a, size_t b)
{
    const struct bt_contract_edit *edits = context;
    return (edits[a].begin > edits[b].begin) - (edits[a].begin < edits[b].begin);
}

/* The text with the changes made, which are in order and do not overlap. */
static enum bt_status write_edited_text(struct bt_contract_check *check, const size_t *order,
                                        size_t count, bt_str *out)
{
    struct bt_buf buf;
    size_t from = 0;
    bt_buf_init(&buf, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct bt_contract_edit *edit = &check->edits.items[order[i]];
        assert(edit->begin >= from);
        bt_buf_put(&buf, bt_str_slice(check->text, from, edit->begin));
        bt_buf_put(&buf, edit->text);
        from = edit->end;
    }
    bt_buf_put(&buf, bt_str_slice(check->text, from, check->text.len));
    return bt_buf_finish(&buf, check->arena, out);
}

static enum bt_status append_edits(struct bt_arena *arena, struct bt_contract_edits *fixed,
                                   const struct bt_contract_edits *more)
{
    BT_TRY(bt_vec_reserve(arena, fixed, more->count));
    for (size_t i = 0; i < more->count; i++) {
        fixed->items[fixed->count++] = more->items[i];
    }
    return BT_OK;
}

/* Keep the changes that may be made. */
static void filter_edits(struct bt_contract_edits *edits, bool unsafe)
{
    size_t kept = 0;
    for (size_t i = 0; i < edits->count; i++) {
        if (edits->items[i].kind == BT_FIX_SAFE || unsafe) {
            edits->items[kept++] = edits->items[i];
        }
    }
    edits->count = kept;
}

enum bt_status bt_contract_edits_apply(struct bt_contract_check *check, bt_str *out)
{
    const size_t count = check->edits.count;
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(check->arena, count, compare_places, check->edits.items, &order));
    return write_edited_text(check, order, count, out);
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

static enum bt_status finish_fix(struct bt_contract_check *check, bt_str path,
                                 const struct bt_contract_edits *fixed,
                                 struct bt_contract_fix_result *out)
{
    struct bt_contract_fix_result result = {.text = check->text, .count = fixed->count};
    BT_TRY(bt_contract_check_finish(check, path, fixed, &result.judged));
    result.judged.fixed = fixed->count;
    *out = result;
    return BT_OK;
}

enum bt_status bt_contract_fix(struct bt_contract_checker *contract, struct bt_arena *arena,
                               const struct bt_contract_document *document, bool unsafe,
                               struct bt_contract_fix_result *out)
{
    assert(contract);
    assert(arena);
    assert(document);
    assert(out);
    static const struct bt_contract_options defaults = {.runtime_agent_id = {"", 0}};
    struct bt_contract_edits fixed = {0};
    bt_str text = document->text;
    bt_str before = document->text;
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
            BT_TRY(bt_contract_check_excerpt_text(&check, &before));
        }
        filter_edits(&check.edits, unsafe);
        if (check.edits.count == 0 || round == ROUNDS_MAX) {
            BT_TRY(finish_fix(&check, document->path, &fixed, out));
            out->before = before;
            return BT_OK;
        }
        BT_TRY(bt_contract_edits_apply(&check, &text));
        BT_TRY(append_edits(arena, &fixed, &check.edits));
    }
}
