/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema_print.c - baton schema print NAME
 */
#include "commands.h"
#include "print.h"
#include "suggest.h"

enum { NAMES_BYTES_MAX = 4096 };

static cli_run_fn run_print;

const struct cli_command cmd_schema_print = {
    .name = "baton schema print",
    .operands = "NAME",
    .summary = "print a schema of what Baton reads or writes",
    .about = "Prints one of the JSON Schemas that are part of the program, for editors and for "
             "other validators. Without a NAME, or with an unknown one, the names are listed.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_SCHEMA_NAME,
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton schema print report > report.schema.json", "the schema of what -f json prints"}),
    .run = run_print,
};

static void put_names(struct bt_buf *buf)
{
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        bt_buf_put_text(buf, i > 0 ? ", " : "");
        bt_buf_put(buf, bt_schema_builtin_at(i)->name);
    }
    bt_buf_put_char(buf, '\0');
}

/* Print the known names and the nearest one. */
static int print_usage_error(const struct cli_options *options)
{
    const bool given = options->operand_count > 0;
    struct cli_suggestion guess = cli_guess_for(bt_str_of(given ? options->operands[0] : ""));
    cli_guess_try_kind(&guess, CLI_SCHEMA_NAME);
    struct bt_buf names;
    bt_buf_init(&names, NAMES_BYTES_MAX);
    put_names(&names);
    const char *list = names.status == BT_OK ? names.ptr : "";
    int code = CLI_FAILED;
    if (!given) {
        code = cli_usage_error(options->command, "print which schema? There are: %s", list);
    } else if (guess.best.len > 0) {
        code =
            cli_usage_error(options->command, "unknown schema %s, did you mean %.*s? There are: %s",
                            options->operands[0], BT_STR_ARG(guess.best), list);
    } else {
        code = cli_usage_error(options->command, "unknown schema %s. There are: %s",
                               options->operands[0], list);
    }
    bt_buf_free(&names);
    return code;
}

static int run_print(const struct cli_options *options)
{
    const bt_str name = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        if (bt_str_eq(bt_schema_builtin_at(i)->name, name)) {
            return cli_print(bt_schema_builtin_at(i)->text);
        }
    }
    return print_usage_error(options);
}
