/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_plan.c - one step of a plan as an object: its cells, and the agent of the step behind it.
 */
#include <stdio.h>

#include "convert/source.h"
#include "dialect/plan/plan_check.h"
#include "json/emit.h"

enum { ROW_BYTES_MAX = 4 << 20, NAME_BYTES = 24 };

/* Names of agents lose one leading @, which only plans write. */
static bt_str agent_name(bt_str cell)
{
    const bt_str trimmed = bt_plan_trim(cell);
    return bt_str_slice(trimmed, bt_str_starts_with(trimmed, BT_STR("@")) ? 1 : 0, trimmed.len);
}

static bt_str shown_cell(const struct bt_plan_check *plan, bt_str column, bt_str cell)
{
    if (bt_str_eq(column, bt_plan_column_name(BT_PLAN_COLUMN_AGENT))) {
        return agent_name(cell);
    }
    return bt_str_eq(column, bt_plan_column_name(bt_plan_id_column(plan))) ? bt_plan_trim(cell)
                                                                           : cell;
}

/* Blank cells say nothing, and so do columns without a name. */
static void put_row(const struct bt_plan_check *plan, size_t row, struct bt_emit *emit)
{
    const struct bt_csv_row *header = &plan->table->rows[0];
    const struct bt_csv_row *cells = &plan->table->rows[row];
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < header->count && i < cells->count; i++) {
        const bt_str name = header->cells[i].text;
        if (name.len > 0 && !bt_plan_is_blank(cells->cells[i].text)) {
            bt_emit_name_str(emit, name);
            bt_emit_string(emit, shown_cell(plan, name, cells->cells[i].text));
        }
    }
    bt_emit_end(emit);
}

static enum bt_status name_row(struct bt_convert_source *source, size_t at, const char *inner,
                               size_t row)
{
    char text[NAME_BYTES];
    (void)snprintf(text, sizeof(text), "/%zu", row);
    source->names.items[at].inner = bt_str_of(inner);
    return bt_arena_copy(source->arena, bt_str_of(text), &source->names.items[at].shown);
}

/* {"row": the cells of the step, "next": {"agent": who gets its result}} */
static enum bt_status make_object(struct bt_convert_source *source,
                                  const struct bt_plan_check *plan, size_t step)
{
    struct bt_buf buf;
    struct bt_emit emit;
    struct bt_json_read_result read;
    bt_str text = BT_STR("");
    bt_buf_init(&buf, ROW_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "row");
    put_row(plan, plan->steps[step].row, &emit);
    if (step + 1 < plan->steps_count) {
        const bt_str agent =
            agent_name(bt_plan_text(plan, plan->steps[step + 1].row, BT_PLAN_COLUMN_AGENT));
        bt_emit_member_object(&emit, "next");
        if (agent.len > 0) {
            bt_emit_member_string(&emit, "agent", agent);
        }
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, source->arena, &text);
    bt_buf_free(&buf);
    BT_TRY(status);
    BT_TRY(bt_json_read(source->arena, text, NULL, &read));
    source->document = read.document;
    return BT_OK;
}

static enum bt_status take_step(struct bt_convert_source *source, struct bt_plan_check *plan)
{
    size_t step = SIZE_MAX;
    BT_TRY(bt_plan_find_step(plan, source->step, plan->findings, &step));
    if (step == SIZE_MAX) {
        return BT_OK;
    }
    BT_TRY(name_row(source, 0, "/row", plan->steps[step].row));
    if (step + 1 < plan->steps_count) {
        BT_TRY(name_row(source, 1, "/next", plan->steps[step + 1].row));
    }
    return make_object(source, plan, step);
}

static enum bt_status read_with(struct bt_convert_source *source, struct bt_plan_checker *plans)
{
    struct bt_plan_check plan;
    struct bt_findings *findings = bt_findings_new(source->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, plans, NULL, findings);
    BT_TRY(bt_plan_read(&plan, source->text));
    if (plan.is_readable) {
        BT_TRY(take_step(source, &plan));
    }
    source->is_refused = !source->document;
    if (!source->is_refused) {
        return BT_OK;
    }
    BT_TRY(bt_plan_finish(findings, source->path, source->text, &source->refusal));
    return bt_plan_facts(&plan, NULL, 0, &source->refusal.facts);
}

enum bt_status bt_convert_source_read_plan(struct bt_convert_source *source)
{
    struct bt_plan_checker *plans = NULL;
    if (source->step.len == 0) {
        return bt_error_set(source->error, BT_EINVAL,
                            "a plan hands over one step at a time: name it with --step");
    }
    BT_TRY(bt_plan_checker_create(source->env, &plans));
    const enum bt_status status = read_with(source, plans);
    bt_plan_checker_destroy(plans);
    return status;
}
