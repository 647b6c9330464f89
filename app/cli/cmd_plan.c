/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - the commands of `baton plan` about one plan */
#include <string.h>

#include "cli.h"
#include "fix_files.h"
#include "output.h"
#include "plan_run.h"
#include "suggest.h"

/* ---- baton plan audit ------------------------------------------------------------------------ */

int cmd_plan_audit(struct cli_run *run)
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

int cmd_plan_waves(struct cli_run *run)
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

static bool is_status(const struct cli_options *options, const char *word)
{
    size_t index = 0;
    return cli_kind_find(CLI_STEP_STATUS, word, &index) ||
           cli_refuse_word(options, "status", CLI_STEP_STATUS, word);
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

int cmd_plan_status_set(struct cli_run *run)
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

int cmd_plan_trajectory(struct cli_run *run)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    struct bt_plan_trajectory_input input = {
        .returns_to = bt_str_of(cli_given(run->options, &flag_returns_to))};
    struct bt_plan_input plan;
    struct bt_plan_result result;
    struct bt_judgement planned;
    struct bt_str_list chains;
    if ((plan_path && !plan_run_read(run, plan_path, &plan)) ||
        !plan_run_read(run, run->options->operands[0], &input.run) ||
        !cli_given_list(run->options, &flag_agent_chain, &run->arena, &chains)) {
        return CLI_FAILED;
    }
    input.plan = plan_path ? &plan : NULL;
    input.chains = chains.items;
    input.chains_count = chains.count;
    const enum bt_status status =
        bt_plan_compare_trajectory(run->plan->checker, &run->arena, &input, &result, &planned);
    if (status == BT_EINVAL) {
        return cli_failed("cannot compare with %s: it has no column agent", plan_path);
    }
    return status == BT_OK ? plan_run_report(run, &result, planned.findings ? &planned : NULL)
                           : plan_run_fail(input.run.path, status);
}
