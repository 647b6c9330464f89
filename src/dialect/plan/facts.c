/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts of a plan's report. */
#include <stdio.h>

#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "json/emit.h"
#include "report/rules.h"

enum { FACTS_BYTES_MAX = 1 << 30 };

static void put_schemas(const struct bt_plan_check *plan, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "schemas");
    for (size_t i = 0; i < plan->refs.schemas_count; i++) {
        const struct bt_payload_named_schema *schema = &plan->refs.schemas[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "id", schema->id);
        bt_emit_member_string(emit, "file", schema->file);
        bt_emit_member_u64(emit, "cells", schema->cells);
        bt_emit_member_bool(emit, "loaded", schema->is_loaded);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_status(const struct bt_plan_check *plan, struct bt_emit *emit)
{
    uint64_t counts[BT_PLAN_STEP_STATUS__MAX] = {0};
    for (size_t i = 0; i < plan->steps_count; i++) {
        counts[bt_plan_step_status(plan, i)]++;
    }
    bt_emit_member_object(emit, "status");
    bt_emit_member_u64(emit, "pending", counts[BT_PLAN_STEP_PENDING]);
    bt_emit_member_u64(emit, "in_progress", counts[BT_PLAN_STEP_IN_PROGRESS]);
    bt_emit_member_u64(emit, "completed", counts[BT_PLAN_STEP_COMPLETED]);
    bt_emit_member_u64(emit, "blocked", counts[BT_PLAN_STEP_BLOCKED]);
    bt_emit_member_u64(emit, "unknown", counts[BT_PLAN_STEP_OTHER]);
    bt_emit_end(emit);
}

static bt_str eol_of(const struct bt_csv_table *table)
{
    if (table->lf_count > 0 && table->crlf_count > 0) {
        return BT_STR("mixed");
    }
    return table->lf_count > 0     ? BT_STR("lf")
           : table->crlf_count > 0 ? BT_STR("crlf")
                                   : BT_STR("none");
}

static void put_measured(const struct bt_plan_check *plan, struct bt_emit *emit)
{
    char today[BT_DATE_BYTES + 1];
    bt_plan_today(plan->plans, &plan->options, today);
    bt_emit_member_string(emit, "columns",
                          plan->columns == BT_PLAN_COLUMN_SET_PLANNING ? BT_STR("planning")
                                                                       : BT_STR("runtime"));
    bt_emit_member_bool(emit, "bom", plan->table->has_bom);
    bt_emit_member_string(emit, "eol", eol_of(plan->table));
    bt_emit_member_u64(emit, "rows", plan->table->count - 1);
    bt_emit_member_u64(emit, "steps", plan->steps_count);
    bt_emit_member_u64(emit, "pairs", plan->handoffs.count);
    bt_emit_member_u64(emit, "typed", plan->handoffs.typed);
    bt_emit_member_u64(emit, "untyped", plan->handoffs.untyped);
    bt_emit_member_u64(emit, "mismatched", plan->handoffs.mismatched);
    bt_emit_member_string(emit, "edges",
                          plan->handoffs.is_by_dependencies ? BT_STR("deps") : BT_STR("rows"));
    bt_emit_member_bool(emit, "resolved", plan->options.dir != NULL);
    bt_emit_member_string(emit, "today", bt_str_of(today));
    bt_emit_member_bool(emit, "today_pinned", plan->options.is_pinned);
    bt_emit_member_string(emit, "untyped_severity",
                          bt_severity_name(bt_plan_untyped_severity(plan->plans, &plan->options)));
    put_schemas(plan, emit);
    put_status(plan, emit);
}

/* Only ragged rows can be repaired. */
static void put_fixed(struct bt_emit *emit, const size_t *rows, size_t count)
{
    bt_emit_member_array(emit, "fixed");
    for (size_t i = 0; i < count; i++) {
        char pointer[24];
        (void)snprintf(pointer, sizeof(pointer), "/%zu", rows[i]);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "code", bt_code_name(BT_CODE_CSV_RAGGED_ROW));
        bt_emit_member_string(emit, "pointer", bt_str_of(pointer));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

enum bt_status bt_plan_facts(const struct bt_plan_check *plan, const size_t *fixed,
                             size_t fixed_count, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, FACTS_BYTES_MAX, NULL);
    bt_emit_member_bool(emit, "audited", plan->is_audited);
    if (plan->is_audited) {
        put_measured(plan, emit);
    }
    if (fixed) {
        put_fixed(emit, fixed, fixed_count);
    }
    return bt_object_text_finish(&text, BT_OK, plan->arena, out);
}
