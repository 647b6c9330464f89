/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_completion.c - baton completion SHELL
 */
#include "commands.h"
#include "completion.h"
#include "help.h"
#include "print.h"
#include "suggest.h"

static cli_run_fn run;

static const struct cli_flag *const flags[] = {&flag_help, NULL};

const struct cli_command cmd_completion = {
    .name = "baton completion",
    .operands = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .about = "Prints a script that completes commands, flags and their values.\n",
    .missing = "for which shell? give bash, zsh or fish",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_SHELL,
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"source <(baton completion bash)", "complete in this shell; also a line for ~/.bashrc"},
        {"baton completion zsh > ~/.zfunc/_baton", "where ~/.zfunc is in the fpath of zsh"},
        {"baton completion fish > ~/.config/fish/completions/baton.fish",
         "for every fish from now on"}),
    .run = run,
};

static const struct {
    bt_str shell;
    void (*put)(struct bt_buf *buf);
} scripts[] = {
    {BT_STR_INIT("bash"), cli_put_bash},
    {BT_STR_INIT("zsh"), cli_put_zsh},
    {BT_STR_INIT("fish"), cli_put_fish},
};

void cli_put_words(struct bt_buf *buf, enum cli_kind kind)
{
    bt_str last = BT_STR("");
    bt_str word = cli_kind_word(kind, 0);
    for (size_t i = 1; word.len > 0; i++) {
        if (!bt_str_eq(word, last)) {
            bt_buf_put_text(buf, last.len > 0 ? " " : "");
            bt_buf_put(buf, word);
        }
        last = word;
        word = cli_kind_word(kind, i);
    }
}

bool cli_kind_has_words(enum cli_kind kind)
{
    return cli_kind_word(kind, 0).len > 0;
}

void cli_put_names(struct bt_buf *buf, const char *between)
{
    const struct cli_command *command = cli_command_at(1);
    for (size_t i = 2; command; i++) {
        bt_buf_printf(buf, "%s\"%s\"", i > 2 ? between : "", command->name);
        command = cli_command_at(i);
    }
}

static int run(const struct cli_options *options)
{
    const bt_str shell = bt_str_of(options->operands[0]);
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        if (bt_str_eq(scripts[i].shell, shell)) {
            struct bt_buf buf;
            bt_buf_init(&buf, HELP_BYTES_MAX);
            scripts[i].put(&buf);
            return cli_print_buf(&buf);
        }
    }
    struct cli_suggestion guess = cli_guess_for(shell);
    cli_guess_try_kind(&guess, CLI_SHELL);
    return cli_print_unknown(options->command, "shell", "", &guess);
}
