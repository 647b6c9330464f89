/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_plan_audit.c - baton plan audit FILE
 */
#include "commands.h"
#include "plan_flags.h"
#include "plan_run.h"
#include "print.h"

static cli_run_fn run;

const struct cli_command cmd_plan_audit = {
    .name = "baton plan audit",
    .operands = "FILE|-",
    .summary = "compare what each step gives with what the next one takes",
    .about = "Reports the reading of the plan, its references and the chain, and nothing about "
             "status words or ids. The whole chain is shown first, good handoffs included: `ok` "
             "when both "
             "sides name the same schema, `?` when one names none, `x` when they differ.\n",
    .missing = "nothing to audit: give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_root, &flag_edges, &flag_format, &flag_output, &flag_config,
                       &flag_no_config, &flag_limit, &flag_today, &flag_now, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton plan audit --root . work.steps.csv", "compare the chain, with its schemas loaded"},
        {"baton plan audit --today 2026-07-01 work.steps.csv", "as it will be judged on that day"}),
    .run = run,
};

static int audit_plan(struct cli_plan_run *run)
{
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = bt_plan_audit(run->plans, &run->arena, &input, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    const bool is_for_people = run->options->output_count == 0;
    if (is_for_people && result.text.len > 0 && cli_print(result.text) != CLI_DONE) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

static int run(const struct cli_options *options)
{
    struct cli_plan_run run;
    if (!plan_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = audit_plan(&run);
    plan_run_end(&run);
    return code;
}
