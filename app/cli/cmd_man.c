/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_man.c - baton man
 *
 * Writes the manual page baton(1) in roff with the man macros, from the same rows as --help.
 */
#include "commands.h"
#include "help.h"
#include "print.h"

static cli_run_fn run;

const struct cli_command cmd_man = {
    .name = "baton man",
    .operands = "",
    .summary = "print the manual page",
    .about = "Prints the manual page baton(1) in roff.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_help),
    .examples =
        CLI_EXAMPLES({"baton man | man -l -", "read the manual page without installing it"}),
    .run = run,
};

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
static void put_usage(struct bt_buf *buf, const struct cli_command *command)
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
    put_usage(buf, command);
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

static int run(const struct cli_options *options)
{
    (void)options;
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    bt_buf_printf(&buf, ".TH BATON 1 \"\" \"baton %s\" \"User Commands\"\n", bt_version());
    bt_buf_put_text(&buf, ".SH NAME\nbaton \\- ");
    put_line(&buf, bt_str_of(cli_baton.summary));
    bt_buf_put_text(&buf, ".SH SYNOPSIS\n");
    put_usage(&buf, &cli_baton);
    bt_buf_put_text(&buf, ".SH DESCRIPTION\n");
    put_paragraphs(&buf, bt_str_of(cli_baton.about));
    for (const struct cli_flag *const *flag = cli_baton.flags; *flag; flag++) {
        put_flag(&buf, *flag);
    }
    bt_buf_put_text(&buf, ".SH COMMANDS\n");
    const struct cli_command *command = cli_command_at(1);
    for (size_t i = 2; command; i++) {
        put_command(&buf, command);
        command = cli_command_at(i);
    }
    put_dialects(&buf);
    put_notes(&buf, "EXIT STATUS", cli_exit_notes);
    put_notes(&buf, "ENVIRONMENT", cli_environment_notes);
    return cli_print_buf(&buf);
}
