/* SPDX-License-Identifier: Apache-2.0 */
/* help.h - help texts and the man page, made from the tables of cli.h. */
#ifndef BATON_APP_CLI_HELP_H
#define BATON_APP_CLI_HELP_H

#include "cli.h"

enum { HELP_BYTES_MAX = 1 << 20 };

/* Put what `baton` prints without a command: usage and the list of commands. */
void cli_put_usage(struct bt_buf *buf);
/* Put what -h shows about a command: the flags that most people need, and two examples. */
void cli_put_short_help(struct bt_buf *buf, const struct cli_command *command);
/* Put the `--help` text of a command. */
void cli_put_help(struct bt_buf *buf, const struct cli_command *command);

/* The headings of flags. */
extern const char *const cli_flag_headings[CLI_UNDER__MAX];
/* Put the help of a flag, with its allowed words. */
void cli_put_flag_meaning(struct bt_buf *buf, const struct cli_flag *flag);

/* The exit codes and the environment variables, one row each; the last row is NULL. */
struct cli_help_note {
    const char *name;
    const char *meaning;
};
extern const struct cli_help_note cli_exit_notes[];
extern const struct cli_help_note cli_environment_notes[];

/* A page that is not about a command, see tools/gen_topics.py. */
struct cli_topic_block {
    const char *term; /* "": a paragraph, or a table whose name begins with "@" */
    const char *text; /* NULL ends a list */
};
struct cli_topic {
    const char *name; /* NULL ends the list */
    const char *summary;
    const struct cli_topic_block *blocks;
};
extern const struct cli_topic cli_topics[];
/* YYYY-MM-DD of the newest release. */
extern const char cli_release_date[];

/* Put the values that a configuration key allows, and its default. */
void cli_put_key_values(struct bt_buf *buf, size_t key);
/* The command that the operands name. NULL, after an error message, with the exit code. */
const struct cli_command *cli_find_named(const struct cli_options *options, int *out_code);

#endif
