/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - the --help texts, made from the rows of commands and flags. */
#include "help.h"

#include <assert.h>
#include <string.h>

#include "operation/wrap_text.h"

enum {
    MARGIN = 2,
    NAME_COLUMNS_MAX = 30, /* the help of a longer name is on the next line */
    EXAMPLE_COLUMNS_MAX = 44,
};

const struct cli_help_note cli_exit_notes[] = {
    {"0", "accepted, or done"},
    {"1", "rejected, or the answer is no"},
    {"2", "wrong usage, or something could not be read, judged or written"},
    {NULL, NULL},
};

const struct cli_help_note cli_environment_notes[] = {
    {"NO_COLOR", "when set to anything, reports have no colour; they have none either unless "
                 "standard output is a terminal"},
    {NULL, NULL},
};

static void put_usage(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_printf(buf, "Usage: %s%s%s%s\n", command->name, command->flags[1] ? " [FLAGS]" : "",
                  command->operands[0] ? " " : "", command->operands);
}

/* "  -f, --output-format FORMAT"; flags without a letter are in the same column. */
static void put_flag_name(struct bt_buf *buf, const struct cli_flag *flag)
{
    if (flag->letter) {
        bt_buf_printf(buf, "-%c, ", flag->letter);
    } else {
        bt_buf_put_text(buf, "    ");
    }
    bt_buf_printf(buf, "--%s%s%s", flag->name, flag->argument ? " " : "",
                  flag->argument ? flag->argument : "");
}

static size_t flag_columns(const struct cli_flag *flag)
{
    return strlen("-f, --") + strlen(flag->name) +
           (flag->argument ? strlen(flag->argument) + 1 : 0);
}

void cli_put_flag_meaning(struct bt_buf *buf, const struct cli_flag *flag)
{
    assert(buf);
    assert(flag);
    bt_buf_put_text(buf, flag->help);
    bt_str word = cli_kind_word(flag->kind, 0);
    for (size_t i = 1; word.len > 0; i++) {
        bt_buf_put_text(buf, i == 1 ? ": " : ", ");
        /* The words of limits end in the equals sign that must follow them. */
        bt_buf_put(buf, bt_str_slice(word, 0, bt_str_find_byte(word, '=', 0)));
        word = cli_kind_word(flag->kind, i);
    }
}

/* Put the help of a name that ended at column `at`, in its own column. */
static void put_meaning(struct bt_buf *buf, bt_str meaning, size_t at, size_t column)
{
    if (at + MARGIN > column) {
        bt_buf_put_char(buf, '\n');
        at = 0;
    }
    bt_buf_put_repeat(buf, ' ', column - at);
    bt_text_put_wrapped(buf, meaning, column, column);
}

static void put_flags(struct bt_buf *buf, const struct cli_flag *const *flags)
{
    size_t widest = 0;
    for (size_t i = 0; flags[i]; i++) {
        const size_t columns = flag_columns(flags[i]);
        widest = columns > widest && columns <= NAME_COLUMNS_MAX ? columns : widest;
    }
    struct bt_buf meaning;
    bt_buf_init(&meaning, HELP_BYTES_MAX);
    bt_buf_put_text(buf, "\nFlags:\n");
    for (size_t i = 0; flags[i]; i++) {
        bt_buf_put_repeat(buf, ' ', MARGIN);
        put_flag_name(buf, flags[i]);
        bt_buf_clear(&meaning);
        cli_put_flag_meaning(&meaning, flags[i]);
        put_meaning(buf, bt_buf_str(&meaning), MARGIN + flag_columns(flags[i]),
                    widest + (size_t)2 * MARGIN);
    }
    bt_buf_free(&meaning);
}

/* The heading above a command in the list of its parent; "" when there is none. */
static const char *heading_of(const struct cli_command *command, size_t part)
{
    if (!command->headings) {
        return part == 0 ? "Commands" : "";
    }
    for (const struct cli_heading *heading = command->headings; heading->first; heading++) {
        if (heading->first == command->parts[part]) {
            return heading->words;
        }
    }
    return "";
}

static void put_parts(struct bt_buf *buf, const struct cli_command *command)
{
    const struct cli_command *const *parts = command->parts;
    size_t widest = 0;
    for (size_t i = 0; parts[i]; i++) {
        const size_t columns = strlen(cli_command_word(parts[i]));
        widest = columns > widest ? columns : widest;
    }
    for (size_t i = 0; parts[i]; i++) {
        const char *word = cli_command_word(parts[i]);
        const char *heading = heading_of(command, i);
        if (heading[0]) {
            bt_buf_printf(buf, "\n%s:\n", heading);
        }
        bt_buf_put_repeat(buf, ' ', MARGIN);
        bt_buf_put_text(buf, word);
        put_meaning(buf, bt_str_of(parts[i]->summary), MARGIN + strlen(word),
                    widest + (size_t)2 * MARGIN);
    }
}

static void put_about(struct bt_buf *buf, const struct cli_command *command)
{
    const bt_str about = bt_str_of(command->about);
    for (size_t from = 0; from < about.len;) {
        const size_t end = bt_str_find_byte(about, '\n', from);
        bt_buf_put_char(buf, '\n');
        bt_text_put_wrapped(buf, bt_str_slice(about, from, end), 0, 0);
        from = end + 1;
    }
}

static void put_examples(struct bt_buf *buf, const struct cli_example *examples)
{
    size_t widest = 0;
    for (size_t i = 0; examples[i].command; i++) {
        const size_t columns = strlen(examples[i].command);
        widest = columns > widest && columns <= EXAMPLE_COLUMNS_MAX ? columns : widest;
    }
    bt_buf_put_text(buf, "\nExamples:\n");
    for (size_t i = 0; examples[i].command; i++) {
        bt_buf_printf(buf, "  %s", examples[i].command);
        put_meaning(buf, bt_str_of(examples[i].meaning), MARGIN + strlen(examples[i].command),
                    widest + (size_t)2 * MARGIN);
    }
}

static void put_exit_codes(struct bt_buf *buf)
{
    bt_buf_put_text(buf, "\nExit codes:\n");
    for (const struct cli_help_note *note = cli_exit_notes; note->name; note++) {
        bt_buf_printf(buf, "  %s  %s\n", note->name, note->meaning);
    }
}

void cli_put_help(struct bt_buf *buf, const struct cli_command *command)
{
    assert(buf);
    assert(command);
    put_usage(buf, command);
    put_about(buf, command);
    if (command->parts) {
        put_parts(buf, command);
    }
    put_flags(buf, command->flags);
    put_examples(buf, command->examples);
    put_exit_codes(buf);
}

void cli_put_usage(struct bt_buf *buf)
{
    put_usage(buf, &cli_baton);
    put_parts(buf, &cli_baton);
    bt_buf_put_text(buf, "\nbaton help COMMAND tells more.\n");
}
