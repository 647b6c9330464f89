/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan_schema.c - baton plan validate, baton plan schema */
#include <string.h>

#include "cli.h"
#include "output.h"
#include "plan_run.h"
#include "schema_run.h"

/* ---- baton plan validate --------------------------------------------------------------------- */

static const uint64_t budget_max = UINT64_C(1000000000000);

/* Parse a decimal number of seconds exactly, with at most nine digits of a fraction. */
static bool to_ns(const char *text, uint64_t *out)
{
    const bt_str value = bt_str_of(text);
    const size_t point = bt_str_find_byte(value, '.', 0);
    const bt_str fraction = bt_str_slice(value, point + 1, value.len);
    uint64_t whole = 0;
    uint64_t ns = 0;
    if (bt_str_to_u64(bt_str_slice(value, 0, point), &whole) != BT_OK || whole > 60 ||
        (point < value.len && fraction.len == 0)) {
        return false;
    }
    uint64_t unit = 100000000;
    for (size_t i = 0; i < fraction.len; i++, unit /= 10) {
        if (fraction.ptr[i] < '0' || fraction.ptr[i] > '9') {
            return false;
        }
        ns += (uint64_t)(fraction.ptr[i] - '0') * unit;
    }
    *out = whole * 1000000000 + ns;
    return *out >= 1000000 && *out <= UINT64_C(60000000000);
}

static bool take_bounds(const struct cli_options *options, struct bt_plan_validate_input *out)
{
    const char *timeout = cli_given(options, &flag_timeout);
    const char *budget = cli_given(options, &flag_budget);
    out->timeout_ns = bt_config_u64(options->config, "limits.schema_ms") * 1000000;
    out->budget = bt_config_u64(options->config, "limits.schema_work");
    if (timeout && !to_ns(timeout, &out->timeout_ns)) {
        return cli_refuse_usage(options, "--timeout wants seconds from 0.001 to 60, not %s",
                                timeout);
    }
    if (budget && (bt_str_to_u64(bt_str_of(budget), &out->budget) != BT_OK || out->budget == 0 ||
                   out->budget > budget_max)) {
        return cli_refuse_usage(options, "--budget wants a whole number from 1 to 10^12, not %s",
                                budget);
    }
    return true;
}

/* What is wrong with the combination of flags, or NULL. */
static const char *find_usage_error(const struct cli_options *options)
{
    const char *side = cli_given(options, &flag_side);
    const bool has_schema = cli_given(options, &flag_schema) != NULL;
    const bool has_plan = cli_given(options, &flag_plan) != NULL;
    const bool has_step = cli_given(options, &flag_step) != NULL;
    if (has_schema == has_plan) {
        return "give either --schema REF or --plan FILE";
    }
    if (has_plan != has_step || (side && !has_plan)) {
        return "--plan, --step and --side belong together";
    }
    if (side && strcmp(side, "out") != 0 && strcmp(side, "in") != 0) {
        return "--side wants out or in";
    }
    return options->root ? NULL : "give --root DIR, the folder of schemas";
}

static int validate_payload(struct cli_run *run, struct bt_plan_validate_input *input)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    const char *side = cli_given(run->options, &flag_side);
    struct bt_plan_input plan;
    struct bt_plan_result result;
    if (plan_path && !plan_run_read(run, plan_path, &plan)) {
        return CLI_FAILED;
    }
    if (!plan_run_read(run, run->options->operands[0], &input->payload)) {
        return CLI_FAILED;
    }
    input->plan = plan_path ? &plan : NULL;
    input->step = bt_str_of(cli_given(run->options, &flag_step));
    input->is_input_schema = side && strcmp(side, "in") == 0;
    input->reference = bt_str_of(cli_given(run->options, &flag_schema));
    input->clock = schema_run_clock;
    const enum bt_status status =
        bt_plan_validate_payload(run->plan->checker, &run->arena, input, &result);
    return status == BT_OK ? plan_run_report(run, &result, NULL)
                           : plan_run_fail(input->payload.path, status);
}

int cmd_plan_validate(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_plan_validate_input input = {0};
    const char *wrong = find_usage_error(options);
    if (wrong) {
        return cli_usage_error(options->command, "%s", wrong);
    }
    if (!take_bounds(options, &input) || !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    return validate_payload(run, &input);
}

/* ---- baton plan schema, baton schema strip --------------------------------------------------- */

typedef enum bt_status cli_plan_schema_fn(struct bt_plan_checker *plans, struct bt_arena *arena,
                                          const struct bt_payload_schema_input *input,
                                          struct bt_plan_result *out);

static int print_schema(struct cli_run *run, cli_plan_schema_fn *tool)
{
    struct bt_payload_schema_input input;
    struct bt_plan_result result;
    if (!plan_run_begin(run) || !plan_run_schema(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = tool(run->plan->checker, &run->arena, &input, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

int cmd_plan_schema_load(struct cli_run *run)
{
    return run->options->root
               ? print_schema(run, bt_payload_schema_load)
               : cli_usage_error(run->options->command, "give --root DIR, the folder of schemas");
}

int cmd_payload_schema_strip(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_strip);
}

int cmd_plan_schema_lint(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_lint);
}
