/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_plan_status.c - baton plan status set FILE STEP STATUS
 */
#include <string.h>

#include "commands.h"
#include "plan_file.h"
#include "plan_run.h"
#include "print.h"
#include "suggest.h"

static cli_run_fn run;

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
    .run = run,
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

static int set_step_status(struct cli_plan_run *run, const struct cli_plan_file *file)
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
        bt_plan_set_status(run->plans, &run->arena, &input, &change, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    if (result.changed && !plan_file_replace(file, result.text)) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

static int run(const struct cli_options *options)
{
    const char *from = cli_given(options, &flag_from);
    struct cli_plan_run run;
    struct cli_plan_file file;
    if (strcmp(options->operands[0], "-") == 0) {
        return cli_usage_error(options->command, "standard input has no status that could be set");
    }
    if (!is_status(options, options->operands[2]) || (from && !is_status(options, from)) ||
        !plan_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    int code = CLI_FAILED;
    if (plan_file_lock(options->operands[0], &file)) {
        code = set_step_status(&run, &file);
        plan_file_unlock(&file);
    }
    plan_run_end(&run);
    return code;
}
