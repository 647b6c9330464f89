/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_help.c - baton help [COMMAND...]
 */
#include "commands.h"
#include "help.h"
#include "print.h"
#include "suggest.h"

static cli_run_fn run;

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton help", "list the commands"},
    {"baton help json get", "the same as baton json get --help"},
    {NULL, NULL},
};

const struct cli_command cmd_help = {
    .name = "baton help",
    .operands = "[COMMAND...]",
    .summary = "explain a command",
    .about = "Shows what a command does, its flags and examples. Without a COMMAND it lists them "
             "all.\n",
    .missing = "",
    .operands_max = 3,
    .operand_kind = CLI_COMMAND,
    .flags = flags,
    .examples = examples,
    .run = run,
};

static int run(const struct cli_options *options)
{
    const struct cli_command *command = &cli_baton;
    for (size_t i = 0; i < options->operand_count; i++) {
        if (i > 1 && !command->parts) {
            return cli_usage_error(options->command, "unexpected word %s", options->operands[i]);
        }
        const struct cli_command *part = cli_command_part(command, options->operands[i]);
        if (!part) {
            return cli_print_unknown_command(command, options->operands[i]);
        }
        command = part;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    cli_put_help(&buf, command);
    return cli_print_buf(&buf);
}
