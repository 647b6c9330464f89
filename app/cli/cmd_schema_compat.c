/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema_compat.c - baton schema compat OLD NEW
 */
#include <string.h>

#include "commands.h"
#include "plan_run.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_mode = {"mode", 0, "MODE", CLI_MODE,
    "whose payloads must stay good: backward (of OLD, the default), forward (of NEW), full", NULL};
static const struct cli_flag flag_counterexample = {"counterexample", 0, "FILE", CLI_FILE,
    "write a payload that breaks to FILE", NULL};
/* clang-format on */

const struct cli_command cmd_schema_compat = {
    .name = "baton schema compat",
    .operands = "OLD NEW",
    .summary = "does a new version of a payload schema break anyone?",
    .about = "Compatible means proven. Incompatible means that a payload was found which one "
             "version accepts and the other refuses; it was validated by both. What is neither "
             "counts as incompatible. With --root, OLD and NEW are references.\n",
    .missing = "compare what? give OLD and NEW",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_mode, &flag_counterexample, &flag_root, &flag_format, &flag_output,
                       &flag_config, &flag_no_config, &flag_limit, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton schema compat order.v1.schema.json order.v2.schema.json",
                      "does v2 take what v1 took?"},
                     {"baton schema compat --mode full --root . v1.schema.json v2.schema.json",
                      "in both directions, by reference"}),
    .run = run,
};

static bool take_mode(const struct cli_options *options, enum bt_payload_compat_mode *out)
{
    static const enum bt_payload_compat_mode modes[] = {
        BT_PAYLOAD_COMPAT_BACKWARD, BT_PAYLOAD_COMPAT_FORWARD, BT_PAYLOAD_COMPAT_FULL};
    const char *given = cli_given(options, &flag_mode);
    *out = BT_PAYLOAD_COMPAT_BACKWARD;
    for (size_t i = 0; given && i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (bt_str_eq(cli_kind_word(CLI_MODE, i), bt_str_of(given))) {
            *out = modes[i];
            return true;
        }
    }
    if (given) {
        (void)cli_usage_error(options->command, "--mode wants backward, forward or full, not %s",
                              given);
    }
    return !given;
}

/* A compatible result leaves the file unchanged. */
static bool write_counterexample(const struct cli_options *options, bt_str text)
{
    const char *path = cli_given(options, &flag_counterexample);
    struct bt_error error;
    if (path && text.len > 0 && bt_file_replace(bt_str_of(path), text, &error) != BT_OK) {
        cli_print_error("cannot write %s: %s", path, error.text);
        return false;
    }
    return true;
}

static int compare_schemas(struct cli_plan_run *run, struct bt_payload_compat_input *input)
{
    struct bt_plan_result result;
    struct bt_judgement old_judged;
    if (!plan_run_schema(run, run->options->operands[0], &input->old_schema) ||
        !plan_run_schema(run, run->options->operands[1], &input->new_schema)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_payload_schema_compare(run->plans, &run->arena, input, &result, &old_judged);
    if (status != BT_OK) {
        return plan_run_fail(input->new_schema.path, status);
    }
    if (!write_counterexample(run->options, result.text)) {
        return CLI_FAILED;
    }
    if (!old_judged.findings) {
        return plan_run_report(run, &result, NULL);
    }
    struct bt_plan_result both = result; /* in the order of the command line */
    both.judged = old_judged;
    return plan_run_report(run, &both, &result.judged);
}

static int run(const struct cli_options *options)
{
    struct cli_plan_run run;
    struct bt_payload_compat_input input = {0};
    if (!take_mode(options, &input.mode) || !plan_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = compare_schemas(&run, &input);
    plan_run_end(&run);
    return code;
}
