/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_plan_waves.c - baton plan waves FILE
 */
#include "commands.h"
#include "plan_run.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_remaining = {"remaining", 0, NULL, CLI_ANY,
    "leave completed steps out", NULL};
/* clang-format on */

const struct cli_command cmd_plan_waves = {
    .name = "baton plan waves",
    .operands = "FILE|-",
    .summary = "find which steps of a plan can run at the same time",
    .about = "Steps that neither depend on nor disturb each other share a wave. What a step reads "
             "and writes is taken from the paths in its cells; one that touches shared state, or "
             "names no path, runs alone.\n",
    .missing = "nothing to schedule: give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_remaining, &flag_format, &flag_output, &flag_config, &flag_no_config,
                       &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton plan waves -f json work.steps.csv", "the whole schedule, with reasons"},
        {"baton plan waves --remaining work.steps.csv", "what is still to be done"}),
    .run = run,
};

static int print_waves(struct cli_plan_run *run)
{
    const bool remaining = cli_given(run->options, &flag_remaining) != NULL;
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_waves(run->plans, &run->arena, &input, remaining, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

static int run(const struct cli_options *options)
{
    struct cli_plan_run run;
    if (!plan_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = print_waves(&run);
    plan_run_end(&run);
    return code;
}
