/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_json_get.c - baton json get POINTER [FILE|-]
 */
#include "commands.h"
#include "json_run.h"
#include "print.h"

enum { RESULT_BYTES_MAX = 1 << 30 };

static cli_run_fn run;
static cli_parse_flag_fn take_raw;

static const struct cli_flag flag_raw = {
    "raw", 0, NULL, CLI_ANY, "print the text of a string, without quotes and escapes", take_raw};

const struct cli_command cmd_json_get = {
    .name = "baton json get",
    .operands = "POINTER [FILE|-]",
    .summary = "print the value at a JSON Pointer",
    .about =
        "Prints the value that POINTER (RFC 6901) names, without white space, and a line feed. "
        "\"\" is the whole document; in a name ~ is written ~0 and / is written ~1. When "
        "nothing is there the exit code is 1. Without a FILE it reads standard input.\n",
    .missing = "get what? give a POINTER such as /handoff/target",
    .operands_min = 1,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags =
        CLI_FLAGS(&flag_raw, &flag_format, &flag_config, &flag_no_config, &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton json get /handoff/target handoff.json", "print one value on one line"},
        {"baton json get --raw /findings/0/code report.json", "print the text of a string"}),
    .run = run,
};

static bool take_raw(struct cli_options *options, const char *value)
{
    (void)value;
    options->raw = true;
    return true;
}

static void put_value(struct cli_json_run *run, const struct cli_json_input *input,
                      const bt_json_value *value, struct bt_buf *out)
{
    if (!run->options->raw || bt_json_type(value) != BT_JSON_STRING) {
        const enum bt_status status =
            bt_json_write(out, input->document, value, BT_JSON_FORM_COMPACT, &run->arena, NULL);
        if (status != BT_OK) {
            json_run_fail(run, status);
        }
    } else if (value->flags & BT_JSON_FLAG_LONE_SURROGATE) {
        cli_print_error(
            "the string holds half of a surrogate pair and has no text; leave out --raw");
        run->failed = true;
    } else {
        bt_buf_put(out, bt_json_text(value));
    }
    bt_buf_put_char(out, '\n');
}

static int run(const struct cli_options *options)
{
    const bt_str pointer = bt_str_of(options->operands[0]);
    if (!bt_json_pointer_is_valid(pointer)) {
        return cli_usage_error(options->command, "%s is not a JSON Pointer", options->operands[0]);
    }
    struct cli_json_run run;
    struct cli_json_input input;
    struct bt_buf result;
    bool absent = false;
    if (!json_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read(&run, 1, &input)) {
        const bt_json_value *value =
            bt_json_resolve(input.document, bt_json_root(input.document), pointer);
        absent = !value;
        if (absent) {
            cli_print_error("nothing at %s", options->operands[0]);
        } else {
            put_value(&run, &input, value, &result);
        }
    }
    const int code = json_run_end(&run, &result);
    return code == CLI_DONE && absent ? CLI_REJECTED : code;
}
