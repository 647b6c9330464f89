/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion_fish.c - the completion script for fish.
 */
#include "completion.h"

#include <assert.h>

static void put_quoted(struct bt_buf *buf, const char *text)
{
    bt_buf_put_char(buf, '\'');
    for (; *text; text++) {
        bt_buf_put_text(buf, *text == '\'' || *text == '\\' ? "\\" : "");
        bt_buf_put_char(buf, *text);
    }
    bt_buf_put_char(buf, '\'');
}

/* Begin a line of the script; everything offered for a command has one. */
static void put_rule(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_printf(buf, "complete -c baton -n '__baton_at %s'", command->name);
}

/* Put the completion of a flag's value (-x: only the words; -F: files) or of an operand. */
static void put_action(struct bt_buf *buf, enum cli_kind kind)
{
    if (cli_kind_has_words(kind)) {
        bt_buf_put_text(buf, " -a '");
        cli_put_words(buf, kind);
        bt_buf_put_char(buf, '\'');
    } else if (kind == CLI_FILE) {
        bt_buf_put_text(buf, " -F");
    } else if (kind == CLI_FOLDER) {
        bt_buf_put_text(buf, " -a '(__fish_complete_directories)'");
    }
}

static void put_flag(struct bt_buf *buf, const struct cli_command *command,
                     const struct cli_flag *flag)
{
    put_rule(buf, command);
    bt_buf_printf(buf, " -l %s", flag->name);
    if (flag->letter) {
        bt_buf_printf(buf, " -s %c", flag->letter);
    }
    if (flag->argument) {
        bt_buf_put_text(buf, flag->kind == CLI_FILE ? " -r" : " -x");
        put_action(buf, flag->kind);
    }
    bt_buf_put_text(buf, " -d ");
    put_quoted(buf, flag->help);
    bt_buf_put_char(buf, '\n');
}

static void put_command(struct bt_buf *buf, const struct cli_command *command)
{
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        put_rule(buf, command);
        bt_buf_printf(buf, " -a %s -d ", cli_command_word(*part));
        put_quoted(buf, (*part)->summary);
        bt_buf_put_char(buf, '\n');
    }
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        put_flag(buf, command, *flag);
    }
    if (command->operand_kind != CLI_ANY) {
        put_rule(buf, command);
        put_action(buf, command->operand_kind);
        bt_buf_put_char(buf, '\n');
    }
}

void cli_put_fish(struct bt_buf *buf)
{
    assert(buf);
    bt_buf_put_text(buf, "# fish completion for baton; made by: baton completion fish\n"
                         "function __baton_at\n"
                         "    set -l at baton\n"
                         "    for word in (commandline -opc)[2..-1]\n"
                         "        switch \"$at $word\"\n"
                         "            case ");
    cli_put_names(buf, " ");
    bt_buf_put_text(buf, "\n"
                         "                set at \"$at $word\"\n"
                         "        end\n"
                         "    end\n"
                         "    test \"$at\" = \"$argv\"\n"
                         "end\n"
                         "complete -c baton -f\n");
    const struct cli_command *command = cli_command_at(0);
    for (size_t i = 1; command; i++) {
        put_command(buf, command);
        command = cli_command_at(i);
    }
}
