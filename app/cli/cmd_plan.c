/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - the commands of `baton plan` about one plan */
#include <string.h>

#include "commands.h"
#include "fix_files.h"
#include "output.h"
#include "plan_run.h"
#include "suggest.h"

/* ---- baton plan audit ------------------------------------------------------------------------ */

static cli_work_fn audit_plan;

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
    .begin = plan_run_begin,
    .work = audit_plan,
};

static int audit_plan(struct cli_run *run)
{
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = bt_plan_audit(run->plan->checker, &run->arena, &input, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    const bool is_for_people = run->options->output_count == 0;
    if (is_for_people && result.text.len > 0 && cli_print(result.text) != CLI_DONE) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

/* ---- baton plan waves ------------------------------------------------------------------------ */

static cli_work_fn print_waves;

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
    .begin = plan_run_begin,
    .work = print_waves,
};

static int print_waves(struct cli_run *run)
{
    const bool remaining = cli_given(run->options, &flag_remaining) != NULL;
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_waves(run->plan->checker, &run->arena, &input, remaining, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

/* ---- baton plan status ----------------------------------------------------------------------- */

static cli_work_fn run_status;

/* clang-format off */
static const struct cli_flag flag_from = {"from", 0, "STATUS", CLI_STEP_STATUS,
    "change it only if the present status is this one", NULL};
/* clang-format on */

const struct cli_command cmd_plan_status_set = {
    .name = "baton plan status set",
    .operands = "FILE STEP STATUS",
    .summary = "change the status of one step and nothing else",
    .about = "Writes the file anew as a whole, with one cell changed and every other byte as it "
             "was. Several writers take turns; with --from, only the first of them wins. STATUS is "
             "pending, in_progress, completed, done or blocked.\n",
    .missing = "which status? give FILE, STEP and STATUS",
    .operands_min = 3,
    .operands_max = 3,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_from, &flag_format, &flag_output, &flag_config, &flag_no_config,
                       &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton plan status set work.steps.csv 3 in_progress --from pending", "take a step, once"}),
    .work = run_status,
};

const struct cli_command cmd_plan_status = {
    .name = "baton plan status",
    .operands = "COMMAND",
    .summary = "change the status of steps",
    .about = "",
    .missing = "do what with a status? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES({"baton plan status set work.steps.csv 3 done", "change one status"}),
    .parts = CLI_PARTS(&cmd_plan_status_set),
};

static bool is_status(const struct cli_options *options, const char *word)
{
    for (size_t i = 0; bt_plan_step_status_at(i).len > 0; i++) {
        if (bt_str_eq(bt_plan_step_status_at(i), bt_str_of(word))) {
            return true;
        }
    }
    struct cli_suggestion guess = cli_guess_for(bt_str_of(word));
    cli_guess_try_kind(&guess, CLI_STEP_STATUS);
    (void)cli_print_unknown(options->command, "status", "", &guess);
    return false;
}

static int set_step_status(struct cli_run *run, const struct cli_plan_file *file)
{
    char **operands = run->options->operands;
    const char *from = cli_given(run->options, &flag_from);
    const struct bt_plan_status_change change = {bt_str_of(operands[1]), bt_str_of(operands[2]),
                                                 from ? bt_str_of(from) : (bt_str){NULL, 0}};
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_set_status(run->plan->checker, &run->arena, &input, &change, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    if (result.changed && !plan_file_replace(file, result.text)) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

static int run_status(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *from = cli_given(options, &flag_from);
    struct cli_plan_file file;
    if (strcmp(options->operands[0], "-") == 0) {
        return cli_usage_error(options->command, "standard input has no status that could be set");
    }
    if (!is_status(options, options->operands[2]) || (from && !is_status(options, from)) ||
        !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    int code = CLI_FAILED;
    if (plan_file_lock(options->operands[0], &file)) {
        code = set_step_status(run, &file);
        plan_file_unlock(&file);
    }
    return code;
}

/* ---- baton plan trajectory ------------------------------------------------------------------- */

static cli_work_fn compare_trajectory;

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
    .begin = plan_run_begin,
    .work = compare_trajectory,
};

/* The given chains, in order. */
static const bt_str *chains_of(struct cli_run *run, size_t *out_count)
{
    bt_str *chains = BT_NEW_ARRAY(&run->arena, bt_str, run->options->given_count + 1);
    const char *chain = NULL;
    for (size_t i = 0; chains && (chain = cli_given_at(run->options, &flag_agents, i)); i++) {
        chains[i] = bt_str_of(chain);
        *out_count = i + 1;
    }
    return chains;
}

static int compare_trajectory(struct cli_run *run)
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
        bt_plan_compare_trajectory(run->plan->checker, &run->arena, &input, &result, &planned);
    if (status == BT_EINVAL) {
        cli_print_error("cannot compare with %s: it has no column agent", plan_path);
        return CLI_FAILED;
    }
    return status == BT_OK ? plan_run_report(run, &result, planned.findings ? &planned : NULL)
                           : plan_run_fail(input.run.path, status);
}
