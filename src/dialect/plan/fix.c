/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - check --fix: ragged rows, the one thing about a plan that can be repaired.
 */
#include <assert.h>

#include "dialect/plan/steps.h"

enum { FIXED_BYTES_MAX = 1 << 30 };

/* The edit that repairs a ragged row as its finding said; its text lives in the arena. */
static enum bt_status edit_of(const struct bt_plan *plan, size_t row, enum bt_fix fix,
                              struct bt_csv_edit *out)
{
    const size_t wanted = plan->table->rows[0].count;
    const struct bt_csv_row *record = &plan->table->rows[row];
    struct bt_buf buf;
    bt_buf_init(&buf, FIXED_BYTES_MAX);
    struct bt_csv_edit edit = {record->end, record->end, BT_STR("")};
    if (record->count < wanted) {
        bt_buf_put_repeat(&buf, ',', wanted - record->count);
    } else if (fix == BT_FIX_SAFE) {
        edit.begin = record->cells[wanted - 1].end;
    } else {
        edit.begin = record->cells[wanted - 1].begin;
        bt_csv_put_cell(&buf, bt_str_slice(plan->text, edit.begin, record->end), true);
    }
    const enum bt_status status = bt_buf_keep(&buf, plan->arena, &edit.text);
    bt_buf_free(&buf);
    *out = edit;
    return status;
}

struct fixing {
    struct bt_csv_edit *edits;
    struct bt_plan_fixed *fixed;
    size_t count;
};

/* The number in the pointer of a row. */
static size_t row_of(bt_str pointer)
{
    uint64_t row = 0;
    const bool is_row = bt_str_to_u64(bt_str_slice(pointer, 1, pointer.len), &row) == BT_OK;
    assert(is_row);
    return (size_t)row;
}

static enum bt_status collect(const struct bt_plan *plan, bool unsafe, struct fixing *out)
{
    const size_t count = bt_findings_count(plan->findings);
    struct fixing fixing = {.edits = BT_NEW_ARRAY(plan->arena, struct bt_csv_edit, count + 1),
                            .fixed = BT_NEW_ARRAY(plan->arena, struct bt_plan_fixed, count + 1)};
    if (!fixing.edits || !fixing.fixed) {
        return BT_ENOMEM;
    }
    /* Findings were added in the order of rows, so edits rise. */
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *finding = bt_findings_at(plan->findings, i);
        const bool is_wanted =
            finding->fix == BT_FIX_SAFE || (unsafe && finding->fix == BT_FIX_UNSAFE);
        if (is_wanted) {
            BT_TRY(
                edit_of(plan, row_of(finding->pointer), finding->fix, &fixing.edits[fixing.count]));
            fixing.fixed[fixing.count++] =
                (struct bt_plan_fixed){finding->rule->code, finding->pointer};
        }
    }
    *out = fixing;
    return BT_OK;
}

static enum bt_status apply(const struct bt_plan *plan, const struct fixing *fixing, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, FIXED_BYTES_MAX);
    bt_csv_write(&buf, plan->text, fixing->edits, fixing->count);
    const enum bt_status status = bt_buf_keep(&buf, plan->arena, out);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_plan_fix(struct bt_plans *plans, struct bt_arena *arena,
                           const struct bt_plan_input *input, bool unsafe,
                           struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(out);
    struct bt_findings *before = bt_findings_new(arena);
    struct bt_findings *after = bt_findings_new(arena);
    struct bt_plan_result result = {.text = input->text};
    struct fixing fixing = {0};
    struct bt_plan plan;
    if (!before || !after) {
        return BT_ENOMEM;
    }
    bt_plan_begin(&plan, plans, input->options, before);
    BT_TRY(bt_plan_read(&plan, input->text));
    BT_TRY(collect(&plan, unsafe, &fixing));
    if (fixing.count > 0) {
        BT_TRY(apply(&plan, &fixing, &result.text));
        result.changed = true;
    }
    bt_plan_begin(&plan, plans, input->options, after);
    BT_TRY(bt_plan_judge(&plan, result.text));
    BT_TRY(bt_plan_finish(after, input->path, result.text, &result.judged));
    BT_TRY(bt_plan_facts(&plan, fixing.fixed, fixing.count, &result.judged.facts));
    *out = result;
    return BT_OK;
}
