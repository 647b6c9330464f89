/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_plan_trajectory.c - baton plan trajectory RUN
 */
#include "commands.h"
#include "plan_run.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_plan = {"plan", 0, "FILE", CLI_FILE,
    "the plan whose agents and payloads are expected", NULL};
static const struct cli_flag flag_agents = {"chain", 0, "A,B,C", CLI_ANY,
    "a chain of agents that is expected (repeatable)", NULL};
static const struct cli_flag flag_returns_to = {"returns-to", 0, "AGENT", CLI_ANY,
    "the agent that the run must come back to", NULL};
/* clang-format on */

const struct cli_command cmd_plan_trajectory = {
    .name = "baton plan trajectory",
    .operands = "RUN|-",
    .summary = "compare a recorded run with what was planned",
    .about = "A RUN is a JSON document of handoff edges. Their order, their agents and the payload "
             "schemas they carried are compared with the plan and with chains named here.\n",
    .missing = "compare which run? give a RUN, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_plan, &flag_agents, &flag_returns_to, &flag_root, &flag_format,
                       &flag_output, &flag_config, &flag_no_config, &flag_limit, &flag_today,
                       &flag_now, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton plan trajectory --plan work.steps.csv run.json", "did it go as planned?"},
        {"baton plan trajectory --chain ann,bob --returns-to ann run.json",
         "by chains named here"}),
    .run = run,
};

/* The given chains, in order. */
static const bt_str *chains_of(struct cli_plan_run *run, size_t *out_count)
{
    bt_str *chains = BT_NEW_ARRAY(&run->arena, bt_str, run->options->given_count + 1);
    const char *chain = NULL;
    for (size_t i = 0; chains && (chain = cli_given_at(run->options, &flag_agents, i)); i++) {
        chains[i] = bt_str_of(chain);
        *out_count = i + 1;
    }
    return chains;
}

static int compare_trajectory(struct cli_plan_run *run)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    struct bt_plan_trajectory_input input = {
        .returns_to = bt_str_of(cli_given(run->options, &flag_returns_to))};
    struct bt_plan_input plan;
    struct bt_plan_result result;
    struct bt_judgement planned;
    if ((plan_path && !plan_run_read(run, plan_path, &plan)) ||
        !plan_run_read(run, run->options->operands[0], &input.run)) {
        return CLI_FAILED;
    }
    input.plan = plan_path ? &plan : NULL;
    input.chains = chains_of(run, &input.chains_count);
    if (!input.chains) {
        return plan_run_fail(input.run.path, BT_ENOMEM);
    }
    const enum bt_status status =
        bt_plan_compare_trajectory(run->plans, &run->arena, &input, &result, &planned);
    if (status == BT_EINVAL) {
        cli_print_error("cannot compare with %s: it has no column agent", plan_path);
        return CLI_FAILED;
    }
    return status == BT_OK ? plan_run_report(run, &result, planned.findings ? &planned : NULL)
                           : plan_run_fail(input.run.path, status);
}

static int run(const struct cli_options *options)
{
    struct cli_plan_run run;
    if (!plan_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = compare_trajectory(&run);
    plan_run_end(&run);
    return code;
}
