/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set_status.c - change one status, and leave every other byte.
 *
 * Record boundaries are certain once the file was read, so problems in other rows do not matter
 * here: they are reported as warnings.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "json/emit.h"
#include "report/rules.h"

enum { CHANGED_BYTES_MAX = 1 << 30 };

struct plan_set_status_state {
    struct bt_plan_check plan;
    const struct bt_plan_status_change *change;
    size_t row;    /* of the step, or 0 */
    size_t second; /* another row with its id, or 0 */
};

/* Find the step among all rows, also ragged ones. */
static void find_row(struct plan_set_status_state *state)
{
    const struct bt_plan_check *plan = &state->plan;
    const enum bt_plan_column column = bt_plan_id_column(plan);
    for (size_t row = 1; row < plan->table->count; row++) {
        const bt_str id = bt_plan_text(plan, row, column);
        if (bt_plan_is_blank(id) || !bt_str_eq(bt_plan_trim(id), state->change->step)) {
            continue;
        }
        if (state->row == 0) {
            state->row = row;
        } else if (state->second == 0) {
            state->second = row;
        }
    }
}

/* Copy what reading found, as warnings where it does not concern the step. */
static enum bt_status copy_read_findings(const struct plan_set_status_state *state,
                                         const struct bt_findings *read, struct bt_findings *to)
{
    for (size_t i = 0; i < bt_findings_count(read); i++) {
        struct bt_finding finding = *bt_findings_at(read, i);
        const bool is_target =
            state->row > 0 && finding.offset == state->plan.table->rows[state->row].begin;
        if ((finding.code == BT_CODE_CSV_RAGGED_ROW && !is_target) ||
            finding.code == BT_CODE_PLAN_STEP_BLANK) {
            finding.severity = BT_SEVERITY_WARN;
        }
        BT_TRY(bt_findings_add(to, &finding));
    }
    return BT_OK;
}

static enum bt_status refuse_step(struct plan_set_status_state *state)
{
    struct bt_plan_check *plan = &state->plan;
    const bt_str step = state->change->step;
    if (state->row == 0) {
        return bt_add_plan_step_not_found(plan->findings, bt_location_whole(), step);
    }
    return bt_add_plan_duplicate_step_of_request(
        plan->findings, bt_plan_cell_location(plan, state->second, bt_plan_id_column(plan)),
        state->row, step);
}

static enum bt_status put_member(const struct plan_set_status_state *state, bt_str present,
                                 bool changed, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, CHANGED_BYTES_MAX, "status");
    bt_emit_member_string(emit, "step", state->change->step);
    bt_emit_member_u64(emit, "row", state->row);
    bt_emit_member_string(emit, "from", present);
    bt_emit_member_string(emit, "to", state->change->to);
    bt_emit_member_bool(emit, "changed", changed);
    return bt_object_text_finish(&text, BT_OK, state->plan.arena, out);
}

static enum bt_status replace_cell(const struct plan_set_status_state *state, bt_str *out)
{
    const struct bt_plan_check *plan = &state->plan;
    const struct bt_csv_cell *cell =
        &plan->table->rows[state->row].cells[plan->at[BT_PLAN_COLUMN_STATUS]];
    struct bt_buf made;
    struct bt_buf whole;
    bt_buf_init(&made, CHANGED_BYTES_MAX);
    bt_buf_init(&whole, CHANGED_BYTES_MAX);
    bt_csv_put_cell(&made, state->change->to, cell->is_quoted);
    struct bt_edit edit = {cell->begin, cell->end, bt_buf_str(&made)};
    bt_edit_list_put(&(struct bt_edit_list){&edit, 1, 1}, plan->text, &whole);
    const enum bt_status status =
        made.status == BT_OK ? bt_buf_copy(&whole, plan->arena, out) : made.status;
    bt_buf_free(&whole);
    bt_buf_free(&made);
    return status;
}

static enum bt_status set_step_status(struct plan_set_status_state *state,
                                      struct bt_plan_result *result)
{
    struct bt_plan_check *plan = &state->plan;
    if (state->row == 0 || state->second > 0) {
        return refuse_step(state);
    }
    if (plan->table->rows[state->row].count != plan->table->rows[0].count) {
        return BT_OK; /* reading has reported it */
    }
    if (plan->at[BT_PLAN_COLUMN_STATUS] == BT_ABSENT) {
        return bt_add_plan_no_status_column(plan->findings, bt_plan_row_location(plan, 0));
    }
    const bt_str present = bt_plan_trim(bt_plan_text(plan, state->row, BT_PLAN_COLUMN_STATUS));
    if (state->change->from.ptr && !bt_str_eq(state->change->from, present)) {
        return bt_add_plan_status_conflict(
            plan->findings, bt_plan_cell_location(plan, state->row, BT_PLAN_COLUMN_STATUS),
            state->change->from, present);
    }
    result->changed = !bt_str_eq(present, state->change->to);
    if (result->changed) {
        BT_TRY(replace_cell(state, &result->text));
    }
    return put_member(state, present, result->changed, &result->members);
}

enum bt_status bt_plan_set_status(struct bt_plan_checker *plans, struct bt_arena *arena,
                                  const struct bt_plan_input *input,
                                  const struct bt_plan_status_change *change,
                                  struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(change);
    struct bt_findings *read = bt_findings_new(arena);
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_plan_result result = {.text = input->text};
    struct plan_set_status_state state = {.change = change};
    BT_TRY(read && findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&state.plan, plans, input->options, read);
    BT_TRY(bt_plan_read(&state.plan, input->text));
    state.plan.findings = findings;
    const bool is_headed = state.plan.table && state.plan.steps;
    if (is_headed) {
        find_row(&state);
    }
    BT_TRY(copy_read_findings(&state, read, findings));
    if (is_headed) {
        BT_TRY(set_step_status(&state, &result));
    }
    BT_TRY(bt_plan_finish(findings, input->path, input->text, &result.judged));
    *out = result;
    return BT_OK;
}
