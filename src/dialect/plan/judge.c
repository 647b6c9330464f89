/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the order of the stages: what check and audit run over a plan.
 */
#include <assert.h>

#include "dialect/plan/steps.h"

enum { MEMBERS_BYTES_MAX = 1 << 30 };

static enum bt_status run(struct bt_plan *plan, bt_str text, bt_plan_stage_fn *const *stages,
                          size_t count)
{
    BT_TRY(bt_plan_read(plan, text));
    for (size_t i = 0; plan->is_readable && i < count; i++) {
        BT_TRY(stages[i](plan));
    }
    return BT_OK;
}

enum bt_status bt_plan_judge(struct bt_plan *plan, bt_str text)
{
    static bt_plan_stage_fn *const stages[] = {bt_plan_references, bt_plan_duplicates,
                                               bt_plan_status_words, bt_plan_dependencies,
                                               bt_plan_chain};
    return run(plan, text, stages, sizeof(stages) / sizeof(stages[0]));
}

enum bt_status bt_plan_finish(struct bt_findings *findings, bt_str path, bt_str source,
                              struct bt_judged *out)
{
    BT_TRY(bt_findings_finish(findings, source));
    *out = (struct bt_judged){.path = path,
                              .dialect = BT_STR("plan"),
                              .source = source,
                              .verdict = bt_verdict_of(findings, BT_HARD),
                              .findings = findings};
    return BT_OK;
}

/* ---- Audit ----------------------------------------------------------------------------------- */

static void put_pair(const struct bt_plan *plan, size_t index, struct bt_emit *emit)
{
    const struct bt_pair *pair = &plan->pairs[index];
    bt_emit_object(emit);
    bt_emit_member_u64(emit, "from_row", plan->steps[pair->from].row);
    bt_emit_member_u64(emit, "to_row", plan->steps[pair->to].row);
    bt_emit_member_string(emit, "from_step", plan->steps[pair->from].id);
    bt_emit_member_string(emit, "to_step", plan->steps[pair->to].id);
    bt_emit_member_string(emit, "out", bt_plan_out(plan, pair->from));
    bt_emit_member_string(emit, "in", bt_plan_in(plan, pair->to));
    bt_emit_member_string(emit, "result", bt_pair_result_name(plan->results[index]));
    bt_emit_end(emit);
}

static enum bt_status put_audit(const struct bt_plan *plan, bt_str *out)
{
    char today[BT_DATE_BYTES + 1];
    struct bt_buf buf;
    struct bt_emit emit;
    bt_plan_today(plan->plans, &plan->options, today);
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_buf_put_text(&buf, "\"audit\":");
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "today", bt_str_of(today));
    bt_emit_member_string(&emit, "untyped_severity",
                          bt_severity_name(bt_untyped_severity(plan->plans, &plan->options)));
    bt_emit_member_string(&emit, "edges",
                          plan->is_by_dependencies ? BT_STR("deps") : BT_STR("rows"));
    bt_emit_name(&emit, "pairs");
    bt_emit_array(&emit);
    for (size_t i = 0; i < plan->pairs_count; i++) {
        put_pair(plan, i, &emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_keep(&buf, plan->arena, out);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_plan_audit(struct bt_plans *plans, struct bt_arena *arena,
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
    struct bt_plan plan;
    if (!findings) {
        return BT_ENOMEM;
    }
    bt_plan_begin(&plan, plans, input->options, findings);
    BT_TRY(plan.options.by_dependencies ? run(&plan, input->text, by_edges, 3)
                                        : run(&plan, input->text, by_rows, 2));
    if (plan.is_audited) {
        BT_TRY(put_audit(&plan, &result.members));
    }
    BT_TRY(bt_plan_finish(findings, input->path, input->text, &result.judged));
    BT_TRY(bt_plan_facts(&plan, NULL, 0, &result.judged.facts));
    *out = result;
    return BT_OK;
}
