/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - check --fix: ragged rows, the one thing about a plan that can be repaired.
 */
#include <assert.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/vec.h"
#include "dialect/plan/plan_check.h"
#include "report/fixes.h"
#include "report/rules.h"

enum { FIXED_BYTES_MAX = 1 << 30 };

struct plan_fix_state {
    struct bt_edit_list edits; /* in rising order */
    struct bt_report_change_list changes;
    size_t *rows; /* the numbers of the repaired rows */
    size_t count;
};

/* Add the edit that replaces the bytes begin..end by what `buf` holds, and free the buffer. */
static enum bt_status add_edit(const struct bt_plan_check *plan, struct plan_fix_state *state,
                               size_t begin, size_t end, struct bt_buf *buf)
{
    struct bt_edit edit = {begin, end, BT_STR("")};
    BT_TRY(bt_buf_finish(buf, plan->arena, &edit.text));
    BT_TRY(bt_vec_push(plan->arena, &state->edits, edit));
    const struct bt_report_change change = {.why = bt_code_name(BT_CODE_CSV_RAGGED_ROW),
                                            .offset = begin,
                                            .before = bt_str_slice(plan->text, begin, end),
                                            .after = edit.text};
    return bt_vec_push(plan->arena, &state->changes, change);
}

/* Quote the cells that the only possible reading joins. */
static enum bt_status quote_joined(const struct bt_plan_check *plan,
                                   const struct bt_csv_row *record, const size_t *starts,
                                   struct plan_fix_state *state)
{
    for (size_t column = 0; starts[column] < record->count; column++) {
        const struct bt_csv_cell *first = &record->cells[starts[column]];
        const struct bt_csv_cell *last = &record->cells[starts[column + 1] - 1];
        if (first != last) {
            struct bt_buf buf;
            bt_buf_init(&buf, FIXED_BYTES_MAX);
            bt_csv_put_cell(&buf, bt_str_slice(plan->text, first->begin, last->end), true);
            BT_TRY(add_edit(plan, state, first->begin, last->end, &buf));
        }
    }
    return BT_OK;
}

/* Add the edits that repair a ragged row. */
static enum bt_status repair_row(const struct bt_plan_check *plan, const struct bt_csv_row *record,
                                 const struct bt_plan_ragged *ragged, struct plan_fix_state *state)
{
    const size_t wanted = plan->table->rows[0].count;
    if (ragged->starts) {
        return quote_joined(plan, record, ragged->starts, state);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, FIXED_BYTES_MAX);
    if (record->count > wanted) {
        return add_edit(plan, state, record->cells[wanted - 1].end, record->end, &buf);
    }
    bt_buf_put_repeat(&buf, ',', wanted - record->count);
    return add_edit(plan, state, record->end, record->end, &buf);
}

/* True when the repair of a row is to be made. */
static bool is_chosen(const struct bt_fix_choice *choice, enum bt_fix fix, size_t row)
{
    char pointer[24];
    (void)snprintf(pointer, sizeof(pointer), "/%zu", row);
    return fix != BT_FIX_NONE &&
           bt_fix_choice_has(choice, fix, BT_CODE_CSV_RAGGED_ROW, bt_str_of(pointer));
}

/* Collect the edits, in rising order. There are none unless the header could be read. */
static enum bt_status collect_edits(struct bt_plan_check *plan, const struct bt_fix_choice *choice,
                                    struct plan_fix_state *out)
{
    const size_t rows = plan->steps ? plan->table->count : 0;
    struct plan_fix_state state = {.rows = BT_NEW_ARRAY(plan->arena, size_t, rows + 1)};
    BT_TRY(state.rows ? BT_OK : BT_ENOMEM);
    for (size_t row = 1; row < rows; row++) {
        const struct bt_csv_row *record = &plan->table->rows[row];
        struct bt_plan_ragged ragged = {.fix = BT_FIX_NONE};
        if (record->count != plan->table->rows[0].count) {
            BT_TRY(bt_plan_check_ragged(plan, row, &ragged));
        }
        if (is_chosen(choice, ragged.fix, row)) {
            BT_TRY(repair_row(plan, record, &ragged, &state));
            state.rows[state.count++] = row;
        }
    }
    *out = state;
    return BT_OK;
}

enum bt_status bt_plan_fix(struct bt_plan_checker *plans, struct bt_arena *arena,
                           const struct bt_plan_input *input, const struct bt_fix_choice *choice,
                           struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(out);
    struct bt_findings *before = bt_findings_new(arena);
    struct bt_findings *after = bt_findings_new(arena);
    struct bt_plan_result result = {.text = input->text};
    struct plan_fix_state state = {0};
    struct bt_plan_check plan;
    BT_TRY(before && after ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, plans, input->options, before);
    BT_TRY(bt_plan_read(&plan, input->text));
    BT_TRY(collect_edits(&plan, choice, &state));
    BT_TRY(bt_edit_list_apply(&state.edits, input->text, arena, &result.text));
    result.changed = state.count > 0;
    result.edits = state.edits;
    bt_plan_begin(&plan, plans, input->options, after);
    BT_TRY(bt_plan_judge(&plan, result.text));
    BT_TRY(bt_plan_finish(after, input->path, result.text, &result.judged));
    BT_TRY(bt_plan_facts(&plan, state.rows, state.count, &result.judged.facts));
    BT_TRY(bt_report_changes_finish(&state.changes, input->text, arena, &result.judged.changes));
    result.judged.fixed = state.count;
    *out = result;
    return BT_OK;
}
