/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate.c - check a payload by its schema. The schema is judged first; a refused one leaves the
 * payload unread.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "dialect/plan/payload.h"
#include "json/options.h"
#include "report/json_rules.h"
#include "report/rules.h"
#include "schema/options.h"

enum { FINDINGS_MAX = 1000000, NUMBER_BYTES = 32, SHOWN_BYTES = 48 };

enum plan_validate_outcome {
    CONFORMS = 0,
    NONCONFORMING,
    SCHEMA_INVALID,
    REFERENCE_REFUSED,
    PAYLOAD_UNREADABLE,
    BUDGET_SPENT,
    UNTYPED,
};

struct plan_validate_state {
    struct bt_plan_checker *plans;
    const struct bt_plan_validate_input *input;
    struct bt_plan_options options;
    struct bt_findings *findings;
    struct bt_arena *arena;
    const struct bt_payload *schema;
    enum plan_validate_outcome outcome;
    bool has_schema; /* the reference was not refused */
    uint64_t begin_ns;
    uint64_t work;
};

static uint64_t elapsed_ns(const struct plan_validate_state *validation)
{
    const struct bt_plan_validate_input *input = validation->input;
    return input->clock ? input->clock(input->clock_context) - validation->begin_ns : 0;
}

/* Report findings about the plan for the payload; their pointers lead into another document. */
static enum bt_status refuse_plan(struct plan_validate_state *validation,
                                  const struct bt_findings *read)
{
    validation->outcome = REFERENCE_REFUSED;
    for (size_t i = 0; i < bt_findings_count(read); i++) {
        struct bt_finding finding = *bt_findings_at(read, i);
        finding.pointer = BT_STR("");
        finding.offset = BT_OFFSET_NONE;
        finding.fix = BT_FIX_NONE;
        BT_TRY(bt_findings_add(validation->findings, &finding));
    }
    return BT_OK;
}

static enum bt_status take_from_step(struct plan_validate_state *validation,
                                     struct bt_plan_check *plan, bt_str *out)
{
    const struct bt_plan_validate_input *input = validation->input;
    const enum bt_plan_column column =
        input->is_input_schema ? BT_PLAN_COLUMN_PAYLOAD_IN : BT_PLAN_COLUMN_PAYLOAD_OUT;
    size_t step = SIZE_MAX;
    BT_TRY(bt_plan_find_step(plan, input->step, validation->findings, &step));
    if (step == SIZE_MAX) {
        validation->outcome = REFERENCE_REFUSED;
        return BT_OK;
    }
    const bt_str text = bt_plan_text(plan, plan->steps[step].row, column);
    if (bt_plan_is_blank(text)) {
        validation->outcome = UNTYPED;
        return bt_add_payload_untyped_step(
            validation->findings, bt_plan_untyped_severity(validation->plans, &validation->options),
            bt_location_whole(), plan->steps[step].id, bt_plan_column_name(column));
    }
    *out = bt_plan_trim(text);
    return BT_OK;
}

/* The reference that counts. *out stays as it is when there is none; the outcome says why. */
static enum bt_status find_reference(struct plan_validate_state *validation, bt_str *out)
{
    const struct bt_plan_validate_input *input = validation->input;
    if (!input->plan) {
        *out = input->reference;
        return BT_OK;
    }
    struct bt_findings *read = bt_findings_new(validation->arena);
    struct bt_plan_check plan;
    BT_TRY(read ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, validation->plans, input->plan->options, read);
    BT_TRY(bt_plan_read(&plan, input->plan->text));
    return plan.is_readable ? take_from_step(validation, &plan, out)
                            : refuse_plan(validation, read);
}

/* Everything found before is dropped: it would be half a list. */
static enum bt_status set_budget_spent(struct plan_validate_state *validation, bool is_time)
{
    const struct bt_plan_validate_input *input = validation->input;
    char limit[NUMBER_BYTES];
    char shown[SHOWN_BYTES];
    validation->findings = bt_findings_new(validation->arena);
    BT_TRY(validation->findings ? BT_OK : BT_ENOMEM);
    validation->outcome = BUDGET_SPENT;
    if (is_time) {
        (void)snprintf(limit, sizeof(limit), "%g", (double)input->timeout_ns / 1e9);
        (void)snprintf(shown, sizeof(shown), "%" PRIu64 " ms", input->timeout_ns / 1000000);
    } else {
        (void)snprintf(limit, sizeof(limit), "%" PRIu64, input->budget);
        (void)snprintf(shown, sizeof(shown), "%" PRIu64 " units of work", input->budget);
    }
    return bt_add_schema_budget_payload(validation->findings, bt_location_whole(),
                                        is_time ? BT_SCHEMA_BUDGET_PAYLOAD_SPENT_TIME
                                                : BT_SCHEMA_BUDGET_PAYLOAD_SPENT_WORK,
                                        bt_str_of(limit), bt_str_of(shown));
}

static enum bt_status check_bounds(struct plan_validate_state *validation)
{
    if (validation->work > validation->input->budget) {
        return set_budget_spent(validation, false);
    }
    return elapsed_ns(validation) > validation->input->timeout_ns
               ? set_budget_spent(validation, true)
               : BT_OK;
}

/* The file of a schema that got this far is known, so it can be shown. */
static bool has_file(const struct bt_payload *schema)
{
    return schema->step > BT_PAYLOAD_TEXT && schema->step != BT_PAYLOAD_OPEN;
}

static enum bt_status take_schema(struct plan_validate_state *validation,
                                  const struct bt_payload *schema)
{
    validation->schema = schema;
    validation->has_schema = has_file(schema);
    /* One unit for each schema that the meta-schemas were applied to. */
    validation->work = schema->positions.count;
    if (schema->step != BT_PAYLOAD_PASSED) {
        const struct bt_payload_finding_target target = {
            .pointer = BT_STR(""), .offset = BT_OFFSET_NONE, .reference = schema->reference};
        validation->outcome = validation->has_schema ? SCHEMA_INVALID : REFERENCE_REFUSED;
        BT_TRY(bt_payload_copy_finding(schema, &target, validation->findings));
    }
    return validation->has_schema ? check_bounds(validation) : BT_OK;
}

static enum bt_status run_validation(struct plan_validate_state *validation,
                                     const struct bt_json_doc *payload)
{
    const struct bt_plan_validate_input *input = validation->input;
    struct bt_schema_limits limits = bt_schema_limits_default();
    const uint64_t spent_ns = elapsed_ns(validation);
    limits.work_max = input->budget - validation->work;
    limits.time_ns = input->timeout_ns > spent_ns ? input->timeout_ns - spent_ns : 1;
    limits.clock = input->clock;
    limits.clock_context = input->clock_context;
    limits.findings_max = FINDINGS_MAX;
    if (limits.work_max == 0) {
        return set_budget_spent(validation, false);
    }
    struct bt_schema_runner *runner = validation->plans->payload_runner;
    BT_TRY(bt_schema_runner_set_limits(runner, &limits));
    const struct bt_schema *schema = validation->schema->schema;
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    enum bt_status status =
        bt_schema_validate(schema, runner, payload, validation->findings, &answer);
    validation->work += bt_schema_work_used(runner);
    if (answer == BT_SCHEMA_INVALID) {
        validation->outcome = NONCONFORMING;
    }
    if (status == BT_OK && answer == BT_SCHEMA_UNDECIDED) {
        status =
            set_budget_spent(validation, bt_schema_limit_reached(runner) == BT_SCHEMA_LIMIT_TIME);
    }
    return status;
}

static enum bt_status judge_payload(struct plan_validate_state *validation)
{
    struct bt_json_read_result read = {0};
    const struct bt_json_options options = bt_json_options_from_env(validation->plans->env);
    const bt_str text = validation->input->payload.text;
    /* from: caller */
    BT_TRY(bt_json_read(validation->arena, text, &options, &read));
    if (!read.document) {
        validation->outcome = PAYLOAD_UNREADABLE;
        return bt_findings_add_json(validation->findings, &read, text);
    }
    BT_TRY(bt_findings_add_lone(validation->findings, read.document));
    return run_validation(validation, read.document);
}

static enum bt_status put_member(const struct plan_validate_state *validation, bt_str *out)
{
    static const char *const names[] = {
        [CONFORMS] = "conforms",
        [NONCONFORMING] = "nonconforming",
        [SCHEMA_INVALID] = "schema_invalid",
        [REFERENCE_REFUSED] = "reference_refused",
        [PAYLOAD_UNREADABLE] = "payload_unreadable",
        [BUDGET_SPENT] = "budget_spent",
        [UNTYPED] = "untyped",
    };
    const uint64_t us = (elapsed_ns(validation) + 500) / 1000;
    const bt_str schema = validation->has_schema ? validation->schema->shown : BT_STR("null");
    return bt_arena_printf(validation->arena, out,
                           "\"validate\":{\"outcome\":\"%s\",\"schema\":%.*s,"
                           "\"elapsed_ms\":%" PRIu64 ".%03" PRIu64 ",\"work\":%" PRIu64 "}",
                           names[validation->outcome], BT_STR_ARG(schema), us / 1000, us % 1000,
                           validation->work);
}

static enum bt_status judge_by(struct plan_validate_state *validation,
                               const struct bt_payload *schema)
{
    BT_TRY(take_schema(validation, schema));
    return validation->outcome == CONFORMS ? judge_payload(validation) : BT_OK;
}

static enum bt_status finish_validation(const struct plan_validate_state *validation,
                                        struct bt_plan_result *out)
{
    struct bt_plan_result result = {0};
    const struct bt_plan_input *payload = &validation->input->payload;
    BT_TRY(bt_plan_finish(validation->findings, payload->path, payload->text, &result.judged));
    BT_TRY(put_member(validation, &result.members));
    *out = result;
    return BT_OK;
}

/* Judge by a schema that is loaded for this payload alone. */
static enum bt_status judge_by_name(struct plan_validate_state *validation,
                                    struct bt_plan_result *out)
{
    bt_str reference = {NULL, 0};
    struct bt_payload_schema *schema = NULL;
    BT_TRY(find_reference(validation, &reference));
    if (!reference.ptr) {
        return finish_validation(validation, out);
    }
    BT_TRY(bt_payload_schema_open(validation->plans, validation->options.dir, reference, &schema));
    enum bt_status status = judge_by(validation, &schema->payload);
    status = status == BT_OK ? finish_validation(validation, out) : status;
    bt_payload_schema_close(schema);
    return status;
}

enum bt_status bt_plan_validate_payload(struct bt_plan_checker *plans, struct bt_arena *arena,
                                        const struct bt_plan_validate_input *input,
                                        struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(input->schema || (input->payload.options && input->payload.options->dir));
    struct plan_validate_state validation = {
        .plans = plans,
        .input = input,
        .findings = bt_findings_new(arena),
        .arena = arena,
        .begin_ns = input->clock ? input->clock(input->clock_context) : 0};
    BT_TRY(validation.findings ? BT_OK : BT_ENOMEM);
    if (input->payload.options) {
        validation.options = *input->payload.options;
    }
    if (!input->schema) {
        return judge_by_name(&validation, out);
    }
    BT_TRY(judge_by(&validation, &input->schema->payload));
    return finish_validation(&validation, out);
}
