/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - check --fix: ragged rows, the one thing about a plan that can be repaired.
 */
#include <assert.h>

#include "dialect/plan/plan_check.h"
#include "dialect/plan/ragged.h"

enum { FIXED_BYTES_MAX = 1 << 30 };

struct plan_fix_state {
    struct bt_csv_edit *edits;
    size_t edits_count;
    struct bt_plan_fix_row *fixed;
    size_t count;
};

/* Add the edit that replaces the bytes begin..end by what `buf` holds, and free the buffer. */
static enum bt_status add_edit(const struct bt_plan_check *plan, struct plan_fix_state *fixing,
                               size_t begin, size_t end, struct bt_buf *buf)
{
    struct bt_csv_edit edit = {begin, end, BT_STR("")};
    const enum bt_status status = bt_buf_copy(buf, plan->arena, &edit.text);
    bt_buf_free(buf);
    if (status == BT_OK) {
        fixing->edits[fixing->edits_count++] = edit;
    }
    return status;
}

/* Quote the cells that the only possible reading joins. */
static enum bt_status quote_joined(const struct bt_plan_check *plan,
                                   const struct bt_csv_row *record, const size_t *starts,
                                   struct plan_fix_state *fixing)
{
    for (size_t column = 0; starts[column] < record->count; column++) {
        const struct bt_csv_cell *first = &record->cells[starts[column]];
        const struct bt_csv_cell *last = &record->cells[starts[column + 1] - 1];
        if (first != last) {
            struct bt_buf buf;
            bt_buf_init(&buf, FIXED_BYTES_MAX);
            bt_csv_put_cell(&buf, bt_str_slice(plan->text, first->begin, last->end), true);
            BT_TRY(add_edit(plan, fixing, first->begin, last->end, &buf));
        }
    }
    return BT_OK;
}

/* Add the edits that repair a ragged row as its finding said. */
static enum bt_status repair_row(struct bt_plan_check *plan, size_t row,
                                 struct plan_fix_state *fixing)
{
    const size_t wanted = plan->table->rows[0].count;
    const struct bt_csv_row *record = &plan->table->rows[row];
    struct bt_plan_ragged ragged;
    BT_TRY(bt_plan_check_ragged(plan, row, &ragged));
    if (ragged.starts) {
        return quote_joined(plan, record, ragged.starts, fixing);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, FIXED_BYTES_MAX);
    if (record->count > wanted) {
        return add_edit(plan, fixing, record->cells[wanted - 1].end, record->end, &buf);
    }
    bt_buf_put_repeat(&buf, ',', wanted - record->count);
    return add_edit(plan, fixing, record->end, record->end, &buf);
}

/* The number in the pointer of a row. */
static size_t row_of(bt_str pointer)
{
    uint64_t row = 0;
    const bool is_row = bt_str_to_u64(bt_str_slice(pointer, 1, pointer.len), &row) == BT_OK;
    assert(is_row);
    return (size_t)row;
}

static enum bt_status collect_edits(struct bt_plan_check *plan, bool unsafe,
                                    struct plan_fix_state *out)
{
    const size_t count = bt_findings_count(plan->findings);
    /* A row has fewer edits than cells, but for a short row, which has one. */
    const size_t edits_max = (plan->table ? plan->table->cells : 0) + count;
    struct plan_fix_state fixing = {
        .edits = BT_NEW_ARRAY(plan->arena, struct bt_csv_edit, edits_max + 1),
        .fixed = BT_NEW_ARRAY(plan->arena, struct bt_plan_fix_row, count + 1)};
    if (!fixing.edits || !fixing.fixed) {
        return BT_ENOMEM;
    }
    /* Findings were added in the order of rows, so edits rise. */
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *finding = bt_findings_at(plan->findings, i);
        const bool is_wanted =
            finding->fix == BT_FIX_SAFE || (unsafe && finding->fix == BT_FIX_UNSAFE);
        if (is_wanted) {
            BT_TRY(repair_row(plan, row_of(finding->pointer), &fixing));
            fixing.fixed[fixing.count++] =
                (struct bt_plan_fix_row){finding->rule->code, finding->pointer};
        }
    }
    *out = fixing;
    return BT_OK;
}

static enum bt_status apply_edits(const struct bt_plan_check *plan,
                                  const struct plan_fix_state *fixing, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, FIXED_BYTES_MAX);
    bt_csv_write_edits(&buf, plan->text, fixing->edits, fixing->edits_count);
    const enum bt_status status = bt_buf_copy(&buf, plan->arena, out);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_plan_fix(struct bt_plan_checker *plans, struct bt_arena *arena,
                           const struct bt_plan_input *input, bool unsafe,
                           struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(out);
    struct bt_findings *before = bt_findings_new(arena);
    struct bt_findings *after = bt_findings_new(arena);
    struct bt_plan_result result = {.text = input->text};
    struct plan_fix_state fixing = {0};
    struct bt_plan_check plan;
    if (!before || !after) {
        return BT_ENOMEM;
    }
    bt_plan_begin(&plan, plans, input->options, before);
    BT_TRY(bt_plan_read(&plan, input->text));
    BT_TRY(collect_edits(&plan, unsafe, &fixing));
    if (fixing.count > 0) {
        BT_TRY(apply_edits(&plan, &fixing, &result.text));
        result.changed = true;
    }
    bt_plan_begin(&plan, plans, input->options, after);
    BT_TRY(bt_plan_judge(&plan, result.text));
    BT_TRY(bt_plan_finish(after, input->path, result.text, &result.judged));
    BT_TRY(bt_plan_facts(&plan, fixing.fixed, fixing.count, &result.judged.facts));
    result.judged.fixed = fixing.count;
    *out = result;
    return BT_OK;
}
