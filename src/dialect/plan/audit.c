/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.c - the chain of a plan: every handoff, the good ones too, for programs and for people.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "json/emit.h"

enum { MEMBERS_BYTES_MAX = 1 << 30, TEXT_SHOWN = 80 };

static void put_pair(const struct bt_plan_check *plan, size_t index, struct bt_emit *emit)
{
    const struct bt_plan_pair *pair = &plan->handoffs.pairs[index];
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "from_row", plan->steps[pair->from].row);
    bt_emit_member_u64(emit, "to_row", plan->steps[pair->to].row);
    bt_emit_member_string(emit, "from_step", plan->steps[pair->from].id);
    bt_emit_member_string(emit, "to_step", plan->steps[pair->to].id);
    bt_emit_member_string(emit, "out", bt_plan_output_cell(plan, pair->from));
    bt_emit_member_string(emit, "in", bt_plan_input_cell(plan, pair->to));
    bt_emit_member_string(emit, "result", bt_plan_pair_result_name(plan->handoffs.results[index]));
    bt_emit_end(emit);
}

static enum bt_status put_audit(const struct bt_plan_check *plan, bt_str *out)
{
    char today[BT_DATE_BYTES + 1];
    struct bt_object_text text;
    bt_plan_today(plan->plans, &plan->options, today);
    struct bt_emit *emit = bt_object_text_begin(&text, MEMBERS_BYTES_MAX, "audit");
    bt_emit_member_string(emit, "today", bt_str_of(today));
    bt_emit_member_string(emit, "untyped_severity",
                          bt_severity_name(bt_plan_untyped_severity(plan->plans, &plan->options)));
    bt_emit_member_string(emit, "edges",
                          plan->handoffs.is_by_dependencies ? BT_STR("deps") : BT_STR("rows"));
    bt_emit_member_array(emit, "pairs");
    for (size_t i = 0; i < plan->handoffs.count; i++) {
        put_pair(plan, i, emit);
    }
    bt_emit_end(emit);
    return bt_object_text_finish(&text, BT_OK, plan->arena, out);
}

static void draw_schema(struct bt_buf *shown, bt_str schema)
{
    if (schema.len > 0) {
        bt_buf_put_printable(shown, schema, TEXT_SHOWN);
    } else {
        bt_buf_put_text(shown, "nothing");
    }
}

/* One handoff on a line: who gives to whom, and what each of the two sides has promised. */
static void draw_pair(const struct bt_plan_check *plan, size_t index, struct bt_buf *shown)
{
    static const char *const marks[] = {[BT_PLAN_PAIR_TYPED] = "ok ",
                                        [BT_PLAN_PAIR_UNTYPED] = "?  ",
                                        [BT_PLAN_PAIR_MISMATCH] = "x  "};
    const struct bt_plan_pair *pair = &plan->handoffs.pairs[index];
    bt_buf_put_text(shown, marks[plan->handoffs.results[index]]);
    bt_buf_put_printable(shown, plan->steps[pair->from].id, TEXT_SHOWN);
    bt_buf_put_text(shown, " -> ");
    bt_buf_put_printable(shown, plan->steps[pair->to].id, TEXT_SHOWN);
    bt_buf_put_text(shown, "  ");
    draw_schema(shown, bt_plan_output_cell(plan, pair->from));
    if (plan->handoffs.results[index] != BT_PLAN_PAIR_TYPED) {
        bt_buf_put_text(shown, " | ");
        draw_schema(shown, bt_plan_input_cell(plan, pair->to));
    }
    bt_buf_put_char(shown, '\n');
}

static enum bt_status draw_chain(const struct bt_plan_check *plan, bt_str *out)
{
    struct bt_buf shown;
    bt_buf_init(&shown, MEMBERS_BYTES_MAX);
    for (size_t i = 0; i < plan->handoffs.count; i++) {
        draw_pair(plan, i, &shown);
    }
    if (plan->handoffs.count > 0) {
        bt_buf_put_char(&shown, '\n'); /* findings may follow */
    }
    return bt_buf_finish(&shown, plan->arena, out);
}

enum bt_status bt_plan_audit(struct bt_plan_checker *plans, struct bt_arena *arena,
                             const struct bt_plan_input *input, struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(out);
    static bt_plan_stage_fn *const by_rows[] = {bt_plan_references, bt_plan_chain};
    static bt_plan_stage_fn *const by_edges[] = {bt_plan_references, bt_plan_dependencies,
                                                 bt_plan_chain};
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_plan_result result = {0};
    struct bt_plan_check plan;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, plans, input->options, findings);
    BT_TRY(plan.options.by_dependencies ? bt_plan_run(&plan, input->text, by_edges, 3)
                                        : bt_plan_run(&plan, input->text, by_rows, 2));
    if (plan.is_audited) {
        BT_TRY(put_audit(&plan, &result.members));
        BT_TRY(draw_chain(&plan, &result.text));
    }
    BT_TRY(bt_plan_finish(findings, input->path, input->text, &result.judged));
    BT_TRY(bt_plan_facts(&plan, NULL, 0, &result.judged.facts));
    *out = result;
    return BT_OK;
}
