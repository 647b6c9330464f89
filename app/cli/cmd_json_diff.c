/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_json_diff.c - baton json diff A B
 */
#include "commands.h"
#include "json_run.h"
#include "print.h"

enum { RESULT_BYTES_MAX = 1 << 30 };

static cli_run_fn run;
static cli_parse_flag_fn take_exit_code;

static const struct cli_flag flag_exit_code = {
    "exit-code", 0, NULL, CLI_ANY, "exit with 1 when the documents differ", take_exit_code};

const struct cli_command cmd_json_diff = {
    .name = "baton json diff",
    .operands = "A B",
    .summary = "print the patch that turns A into B",
    .about = "Prints an RFC 6902 patch on one line; [] means that the documents are equal. Numbers "
             "are compared by value and members without regard to their order. One of A and B may "
             "be - for standard input.\n",
    .missing = "give two documents to compare",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_exit_code, &flag_format, &flag_config, &flag_no_config, &flag_limit,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton json diff old.json new.json > change.json", "keep what changed as a patch"},
        {"baton json diff --exit-code a.json b.json", "ask whether two documents mean the same"}),
    .run = run,
};

static bool take_exit_code(struct cli_options *options, const char *value)
{
    (void)value;
    options->exit_code = true;
    return true;
}

static int run(const struct cli_options *options)
{
    struct cli_json_run run;
    struct cli_json_input inputs[2];
    struct bt_buf result;
    bool differs = false;
    if (!json_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read_both(&run, inputs)) {
        const enum bt_status status =
            bt_json_diff(&result, inputs[0].document, inputs[1].document, &run.arena);
        if (status != BT_OK) {
            json_run_fail(&run, status);
        }
        differs = !bt_str_eq(bt_buf_str(&result), BT_STR("[]"));
        bt_buf_put_char(&result, '\n');
    }
    const int code = json_run_end(&run, &result);
    return code == CLI_DONE && differs && options->exit_code ? CLI_REJECTED : code;
}
