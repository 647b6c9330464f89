/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the program without a command, and looking through the rows of the commands. */
#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "help.h"
#include "output.h"

/* Without a command the usage goes to standard error. */
int cmd_baton(const struct cli_options *options)
{
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    if (cli_given(options, &flag_version)) {
        bt_buf_printf(&buf, "baton %s\n", bt_version());
        return cli_print_buf(&buf);
    }
    cli_put_usage(&buf);
    (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
    return CLI_FAILED;
}

const char *cli_command_word(const struct cli_command *command)
{
    assert(command);
    const char *blank = strrchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

const struct cli_command *cli_command_part(const struct cli_command *command, const char *word)
{
    assert(command);
    assert(word);
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        if (strcmp(cli_command_word(*part), word) == 0) {
            return *part;
        }
    }
    return NULL;
}

/* The sub-commands that are still to be listed, one list for each level. */
enum { LEVELS_MAX = 4 };

const struct cli_command *cli_command_at(size_t index)
{
    const struct cli_command *const *next[LEVELS_MAX] = {cli_baton.parts};
    const struct cli_command *command = &cli_baton;
    size_t depth = 1;
    for (size_t i = 0; i < index; i++) {
        while (depth > 0 && !*next[depth - 1]) {
            depth--;
        }
        if (depth == 0) {
            return NULL;
        }
        command = *next[depth - 1]++;
        if (command->parts) {
            assert(depth < LEVELS_MAX);
            next[depth++] = command->parts;
        }
    }
    return command;
}
