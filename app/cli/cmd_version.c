/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_version.c - baton version
 */
#include "commands.h"
#include "print.h"

static cli_run_fn run;

const struct cli_command cmd_version = {
    .name = "baton version",
    .operands = "",
    .summary = "print the version",
    .about = "Prints the name of the program and its version.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES({"baton version", "print name and version on one line"}),
    .run = run,
};

static int run(const struct cli_options *options)
{
    (void)options;
    struct bt_buf buf;
    bt_buf_init(&buf, 256);
    bt_buf_printf(&buf, "baton %s\n", bt_version());
    return cli_print_buf(&buf);
}
