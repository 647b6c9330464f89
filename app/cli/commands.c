/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the table of commands. A new command is one file and one line here. */
#include "commands.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "help.h"
#include "print.h"

/* In the order of the help text. */
/* clang-format off */
static const struct cli_heading headings[] = {
    {&cmd_check, "Judge and mend"},
    {&cmd_plan, "For one kind of handoff"},
    {&cmd_trace, "Who did it, and who can"},
    {&cmd_ledger, "Record"},
    {&cmd_serve, "Serve"},
    {&cmd_explain, "Look up, and work with JSON"},
    {&cmd_help, "About baton"},
    {NULL, NULL},
};
/* clang-format on */

static int run(const struct cli_options *options);

const struct cli_command cli_baton = {
    .name = "baton",
    .operands = "COMMAND",
    .summary = "check handoffs between agents",
    .about = "Baton judges the documents that agents hand to each other and says, in terms of one "
             "stable list of rules, what is wrong with them.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_version, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton check handoffs/", "judge every handoff below a folder"},
                     {"baton explain JSON_DUPLICATE_KEY", "say what a code means and what to do"},
                     {"baton help check", "everything about one command"}),
    .parts = CLI_PARTS(&cmd_check, &cmd_repair, &cmd_compress, &cmd_seal, &cmd_new, &cmd_write,
                       &cmd_convert, &cmd_tokens, &cmd_plan, &cmd_contract, &cmd_approvals,
                       &cmd_hook, &cmd_govern, &cmd_pump, &cmd_handler_host, &cmd_trace,
                       &cmd_discover, &cmd_registry, &cmd_ledger, &cmd_store, &cmd_serve,
                       &cmd_token, &cmd_mcp, &cmd_config, &cmd_explain, &cmd_rules, &cmd_json,
                       &cmd_schema, &cmd_help, &cmd_version, &cmd_completion, &cmd_man),
    .headings = headings,
    .run = run,
};

/* Without a command the usage goes to standard error. */
static int run(const struct cli_options *options)
{
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    if (options->version) {
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
