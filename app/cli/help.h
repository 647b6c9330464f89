/* SPDX-License-Identifier: Apache-2.0 */
/* help.h - help texts and the man page, made from the tables of cli.h. */
#ifndef BATON_APP_CLI_HELP_H
#define BATON_APP_CLI_HELP_H

#include "cli.h"

enum { HELP_BYTES_MAX = 1 << 20 };

/* Put what `baton` prints without a command: usage and the list of commands. */
void cli_put_usage(struct bt_buf *buf);
/* Put the `--help` text of a command. */
void cli_put_help(struct bt_buf *buf, const struct cli_command *command);

/* Put the help of a flag, with its allowed words. */
void cli_put_flag_meaning(struct bt_buf *buf, const struct cli_flag *flag);

/* The exit codes and the environment variables, one row each; the last row is NULL. */
struct cli_help_note {
    const char *name;
    const char *meaning;
};
extern const struct cli_help_note cli_exit_notes[];
extern const struct cli_help_note cli_environment_notes[];

#endif
