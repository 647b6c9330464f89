/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - --help, baton help, baton version and baton(1), from the table of commands */
#include "help.h"

#include <assert.h>
#include <string.h>

#include "cli.h"
#include "operation/wrap_text.h"
#include "output.h"
#include "suggest.h"

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

/* ---- baton help ------------------------------------------------------------------------------ */

int cmd_help(const struct cli_options *options)
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

/* ---- baton man ------------------------------------------------------------------------------- */

/* Put text in roff: a backslash is \e, a hyphen that may be copied is \-. */
static void put_text(struct bt_buf *buf, bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (byte == '\\') {
            bt_buf_put_text(buf, "\\e");
        } else if (byte == '-') {
            bt_buf_put_text(buf, "\\-");
        } else {
            bt_buf_put_char(buf, byte);
        }
    }
}

/* Put a line that must not be taken for a request. */
static void put_line(struct bt_buf *buf, bt_str text)
{
    if (text.len > 0 && (text.ptr[0] == '.' || text.ptr[0] == '\'')) {
        bt_buf_put_text(buf, "\\&");
    }
    put_text(buf, text);
    bt_buf_put_char(buf, '\n');
}

static void put_in(struct bt_buf *buf, char font, const char *text)
{
    bt_buf_printf(buf, "\\f%c", font);
    put_text(buf, bt_str_of(text));
    bt_buf_put_text(buf, "\\fR");
}

/* name [FLAGS] OPERANDS */
static void put_man_usage(struct bt_buf *buf, const struct cli_command *command)
{
    put_in(buf, 'B', command->name);
    bt_buf_put_text(buf, command->flags[1] ? " [FLAGS]" : "");
    if (command->operands[0]) {
        bt_buf_put_char(buf, ' ');
        put_in(buf, 'I', command->operands);
    }
    bt_buf_put_char(buf, '\n');
}

static void put_paragraphs(struct bt_buf *buf, bt_str text)
{
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        bt_buf_put_text(buf, from > 0 ? ".PP\n" : "");
        put_line(buf, bt_str_slice(text, from, end));
        from = end + 1;
    }
}

static void put_flag(struct bt_buf *buf, const struct cli_flag *flag)
{
    bt_buf_put_text(buf, ".TP\n");
    if (flag->letter) {
        bt_buf_printf(buf, "\\fB\\-%c\\fR, ", flag->letter);
    }
    bt_buf_put_text(buf, "\\fB\\-\\-");
    put_text(buf, bt_str_of(flag->name));
    bt_buf_put_text(buf, "\\fR");
    if (flag->argument) {
        bt_buf_put_char(buf, ' ');
        put_in(buf, 'I', flag->argument);
    }
    bt_buf_put_char(buf, '\n');
    struct bt_buf meaning;
    bt_buf_init(&meaning, HELP_BYTES_MAX);
    cli_put_flag_meaning(&meaning, flag);
    put_line(buf, bt_buf_str(&meaning));
    bt_buf_free(&meaning);
}

static void put_item(struct bt_buf *buf, const char *name, const char *meaning)
{
    bt_buf_put_text(buf, ".TP\n");
    put_in(buf, 'B', name);
    bt_buf_put_char(buf, '\n');
    put_line(buf, bt_str_of(meaning));
}

static void put_command(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_put_text(buf, ".SS ");
    put_man_usage(buf, command);
    put_paragraphs(buf, bt_str_of(command->about));
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        /* Every command has it; the page describes it once, at the top. */
        if (*flag != &flag_help) {
            put_flag(buf, *flag);
        }
    }
    bt_buf_put_text(buf, ".PP\nFor example:\n");
    for (const struct cli_example *example = command->examples; example->command; example++) {
        put_item(buf, example->command, example->meaning);
    }
}

static void put_notes(struct bt_buf *buf, const char *title, const struct cli_help_note *notes)
{
    bt_buf_printf(buf, ".SH %s\n", title);
    for (; notes->name; notes++) {
        put_item(buf, notes->name, notes->meaning);
    }
}

static void put_dialects(struct bt_buf *buf)
{
    bt_buf_put_text(buf, ".SH DIALECTS\n");
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        bt_buf_put_text(buf, ".TP\n\\fB");
        put_text(buf, bt_dialect_name(dialect));
        bt_buf_put_text(buf, "\\fR\n");
        put_line(buf, bt_dialect_summary(dialect));
    }
}

int cmd_man(const struct cli_options *options)
{
    (void)options;
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    bt_buf_printf(&buf, ".TH BATON 1 \"\" \"baton %s\" \"User Commands\"\n", bt_version());
    bt_buf_put_text(&buf, ".SH NAME\nbaton \\- ");
    put_line(&buf, bt_str_of(cli_baton.summary));
    bt_buf_put_text(&buf, ".SH SYNOPSIS\n");
    put_man_usage(&buf, &cli_baton);
    bt_buf_put_text(&buf, ".SH DESCRIPTION\n");
    put_paragraphs(&buf, bt_str_of(cli_baton.about));
    for (const struct cli_flag *const *flag = cli_baton.flags; *flag; flag++) {
        put_flag(&buf, *flag);
    }
    bt_buf_put_text(&buf, ".SH COMMANDS\n");
    const struct cli_command *command = NULL;
    for (size_t i = 1; (command = cli_command_at(i)); i++) {
        put_command(&buf, command);
    }
    put_dialects(&buf);
    put_notes(&buf, "EXIT STATUS", cli_exit_notes);
    put_notes(&buf, "ENVIRONMENT", cli_environment_notes);
    return cli_print_buf(&buf);
}
