/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.c - compare both sides of each handoff: the schema that is produced and the one that is
 * consumed.
 *
 * The comparison uses one string for each cell, never the body of a schema.
 */
#include <assert.h>

#include "base/clock.h"
#include "dialect/plan/plan_check.h"
#include "report/rules.h"

void bt_plan_today(const struct bt_plan_checker *plans, const struct bt_plan_options *options,
                   char out[BT_DATE_BYTES + 1])
{
    bt_instant today = options->today_given ? options->today : bt_env_now(plans->env);
    if (options->is_recorded) {
        const bt_instant now = bt_clock_now();
        today = now.seconds > today.seconds ? now : today;
    }
    bt_civil_date_format(today.seconds, out);
}

bt_str bt_plan_untyped_hard_from(void)
{
    return BT_STR("2026-07-01");
}

enum bt_severity bt_plan_untyped_severity(const struct bt_plan_checker *plans,
                                          const struct bt_plan_options *options)
{
    char today[BT_DATE_BYTES + 1];
    bt_plan_today(plans, options, today);
    return bt_str_compare(bt_str_of(today), bt_plan_untyped_hard_from()) < 0 ? BT_SEVERITY_WARN
                                                                             : BT_SEVERITY_HARD;
}

bt_str bt_plan_input_cell(const struct bt_plan_check *plan, size_t step)
{
    return bt_payload_references_identity(&plan->refs, 2 * step);
}

bt_str bt_plan_output_cell(const struct bt_plan_check *plan, size_t step)
{
    return bt_payload_references_identity(&plan->refs, 2 * step + 1);
}

bt_str bt_plan_pair_result_name(enum bt_plan_pair_result result)
{
    static const bt_str names[] = {
        [BT_PLAN_PAIR_UNKNOWN] = BT_STR_INIT(""),
        [BT_PLAN_PAIR_TYPED] = BT_STR_INIT("typed"),
        [BT_PLAN_PAIR_UNTYPED] = BT_STR_INIT("untyped"),
        [BT_PLAN_PAIR_MISMATCH] = BT_STR_INIT("mismatch"),
    };
    return names[result];
}

/* One pair for each dependency; 0 when there is none. */
static enum bt_status pair_by_dependencies(struct bt_plan_check *plan)
{
    size_t count = 0;
    for (size_t i = 0; plan->edges && i < plan->steps_count; i++) {
        count += plan->edges[i].count;
    }
    struct bt_plan_pair *pairs = BT_NEW_ARRAY(plan->arena, struct bt_plan_pair, count + 1);
    BT_TRY(pairs ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; count > 0 && i < plan->steps_count; i++) {
        for (size_t j = 0; j < plan->edges[i].count; j++) {
            pairs[plan->handoffs.count++] = (struct bt_plan_pair){plan->edges[i].items[j], i};
        }
    }
    plan->handoffs.pairs = pairs;
    plan->handoffs.is_by_dependencies = count > 0;
    return BT_OK;
}

static enum bt_status pair_by_rows(struct bt_plan_check *plan)
{
    struct bt_plan_pair *pairs =
        BT_NEW_ARRAY(plan->arena, struct bt_plan_pair, plan->steps_count + 1);
    BT_TRY(pairs ? BT_OK : BT_ENOMEM);
    for (size_t i = 1; i < plan->steps_count; i++) {
        pairs[plan->handoffs.count++] = (struct bt_plan_pair){i - 1, i};
    }
    plan->handoffs.pairs = pairs;
    return BT_OK;
}

static enum bt_status add_untyped_finding(struct bt_plan_check *plan,
                                          const struct bt_plan_pair *pair,
                                          enum bt_severity severity)
{
    const struct bt_plan_step *from = &plan->steps[pair->from];
    const struct bt_plan_step *to = &plan->steps[pair->to];
    const bt_str out = bt_plan_output_cell(plan, pair->from);
    const bt_str in = bt_plan_input_cell(plan, pair->to);
    const struct bt_location at =
        out.len == 0 ? bt_plan_cell_location(plan, from->row, BT_PLAN_COLUMN_PAYLOAD_OUT)
                     : bt_plan_cell_location(plan, to->row, BT_PLAN_COLUMN_PAYLOAD_IN);
    const enum bt_payload_untyped_side side = out.len > 0  ? BT_PAYLOAD_UNTYPED_SIDE_TAKING
                                              : in.len > 0 ? BT_PAYLOAD_UNTYPED_SIDE_GIVING
                                                           : BT_PAYLOAD_UNTYPED_SIDE_EITHER;
    return bt_add_payload_untyped(plan->findings, severity, at, from->row, to->row, from->id,
                                  to->id, out, in, side);
}

static enum bt_status add_mismatch_finding(struct bt_plan_check *plan,
                                           const struct bt_plan_pair *pair)
{
    const struct bt_plan_step *from = &plan->steps[pair->from];
    const struct bt_plan_step *to = &plan->steps[pair->to];
    return bt_add_payload_mismatch(
        plan->findings, bt_plan_cell_location(plan, to->row, BT_PLAN_COLUMN_PAYLOAD_IN), from->row,
        to->row, from->id, to->id, bt_plan_output_cell(plan, pair->from),
        bt_plan_input_cell(plan, pair->to));
}

static enum bt_plan_pair_result compare_pair(const struct bt_plan_check *plan,
                                             const struct bt_plan_pair *pair)
{
    const bt_str out = bt_plan_output_cell(plan, pair->from);
    const bt_str in = bt_plan_input_cell(plan, pair->to);
    if (out.len == 0 || in.len == 0) {
        return BT_PLAN_PAIR_UNTYPED;
    }
    return bt_str_eq(out, in) ? BT_PLAN_PAIR_TYPED : BT_PLAN_PAIR_MISMATCH;
}

enum bt_status bt_plan_chain(struct bt_plan_check *plan)
{
    assert(plan->refs.sites);
    const enum bt_severity severity = bt_plan_untyped_severity(plan->plans, &plan->options);
    if (plan->options.by_dependencies) {
        BT_TRY(pair_by_dependencies(plan));
    }
    if (!plan->handoffs.is_by_dependencies) {
        BT_TRY(pair_by_rows(plan));
    }
    enum bt_plan_pair_result *results =
        BT_NEW_ARRAY(plan->arena, enum bt_plan_pair_result, plan->handoffs.count + 1);
    BT_TRY(results ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < plan->handoffs.count; i++) {
        const struct bt_plan_pair *pair = &plan->handoffs.pairs[i];
        results[i] = compare_pair(plan, pair);
        plan->handoffs.typed += results[i] == BT_PLAN_PAIR_TYPED;
        plan->handoffs.untyped += results[i] == BT_PLAN_PAIR_UNTYPED;
        plan->handoffs.mismatched += results[i] == BT_PLAN_PAIR_MISMATCH;
        if (results[i] == BT_PLAN_PAIR_UNTYPED) {
            BT_TRY(add_untyped_finding(plan, pair, severity));
        } else if (results[i] == BT_PLAN_PAIR_MISMATCH) {
            BT_TRY(add_mismatch_finding(plan, pair));
        }
    }
    plan->handoffs.results = results;
    plan->is_audited = true;
    return BT_OK;
}
