/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_man.c - baton man: baton(1), one page for each command and baton.yaml(5), in roff, from the
 * tables that the program uses.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/file.h"
#include "cli.h"
#include "help.h"
#include "output.h"
#include "suggest.h"

enum {
    LINE_BYTES = 66,
    PAGE_BYTES_MAX = 1 << 20,
    PAGE_NAME_BYTES_MAX = 128,
    PAGE_PATH_BYTES_MAX = 4096
};

#define CONFIG_PAGE "baton.yaml"

/* ---- Text in roff ---------------------------------------------------------------------------- */

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

/* Put words in lines of at most LINE_BYTES, none of which may be taken for a request. */
static void put_line(struct bt_buf *buf, bt_str text)
{
    size_t start = buf->len;
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, ' ', from);
        const bt_str word = bt_str_slice(text, from, end);
        if (buf->len > start && buf->len - start + word.len > LINE_BYTES) {
            bt_buf_put_char(buf, '\n');
            start = buf->len;
        }
        if (buf->len > start) {
            bt_buf_put_char(buf, ' ');
        } else if (word.len > 0 && (word.ptr[0] == '.' || word.ptr[0] == '\'')) {
            bt_buf_put_text(buf, "\\&");
        }
        put_text(buf, word);
        from = end + 1;
    }
    bt_buf_put_char(buf, '\n');
}

static void put_in(struct bt_buf *buf, char font, const char *text)
{
    bt_buf_printf(buf, "\\f%c", font);
    put_text(buf, bt_str_of(text));
    bt_buf_put_text(buf, "\\fR");
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

static void put_item(struct bt_buf *buf, bt_str name, bt_str meaning)
{
    bt_buf_put_text(buf, ".TP\n\\fB");
    put_text(buf, name);
    bt_buf_put_text(buf, "\\fR\n");
    put_line(buf, meaning);
}

static void put_notes(struct bt_buf *buf, const char *title, const struct cli_help_note *notes)
{
    bt_buf_printf(buf, ".SH %s\n", title);
    for (; notes->name; notes++) {
        put_item(buf, bt_str_of(notes->name), bt_str_of(notes->meaning));
    }
}

/* ---- Pages of commands ----------------------------------------------------------------------- */

/* "baton-ledger-append" */
static void write_page_name(const struct cli_command *command, char out[PAGE_NAME_BYTES_MAX])
{
    (void)snprintf(out, PAGE_NAME_BYTES_MAX, "%s", command->name);
    for (char *at = out; *at; at++) {
        *at = *at == ' ' ? '-' : *at;
    }
}

/* The title in capitals, and the name with its summary. */
static void put_head(struct bt_buf *buf, const char *page, int section, const char *summary)
{
    bt_buf_put_text(buf, ".TH ");
    for (const char *at = page; *at; at++) {
        bt_buf_put_char(buf, bt_ascii_upper(*at));
    }
    bt_buf_printf(buf, " %d \"%s\" \"baton %s\" \"%s\"\n.SH NAME\n", section, cli_release_date,
                  bt_version(), section == 1 ? "User Commands" : "File Formats");
    put_text(buf, bt_str_of(page));
    bt_buf_put_text(buf, " \\-\n");
    put_line(buf, bt_str_of(summary));
}

/* name [FLAGS] OPERANDS */
static void put_synopsis(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_put_text(buf, ".SH SYNOPSIS\n");
    put_in(buf, 'B', command->name);
    bt_buf_put_text(buf, " [FLAGS]");
    if (command->operands[0]) {
        bt_buf_put_char(buf, ' ');
        put_in(buf, 'I', command->operands);
    }
    bt_buf_put_char(buf, '\n');
}

static void put_flag(struct bt_buf *buf, const struct cli_flag *flag)
{
    bt_buf_put_text(buf, ".TP\n");
    if (flag->letter) {
        bt_buf_printf(buf, "\\fB\\-%c\\fR%s", flag->letter, flag->name[0] ? ", " : "");
    }
    if (flag->name[0]) {
        bt_buf_put_text(buf, "\\fB\\-\\-");
        put_text(buf, bt_str_of(flag->name));
        bt_buf_put_text(buf, "\\fR");
    }
    if (flag->argument) {
        bt_buf_put_char(buf, ' ');
        put_in(buf, 'I', flag->argument);
    }
    bt_buf_put_char(buf, '\n');
    struct bt_buf meaning;
    bt_buf_init(&meaning, PAGE_BYTES_MAX);
    cli_put_flag_meaning(&meaning, flag);
    put_line(buf, bt_buf_str(&meaning));
    bt_buf_free(&meaning);
}

static void put_flags(struct bt_buf *buf, const struct cli_command *command)
{
    enum cli_flag_heading heading = CLI_UNDER__MAX;
    bt_buf_put_text(buf, ".SH OPTIONS\n");
    for (const uint16_t *number = command->flags; *number; number++) {
        const struct cli_flag *flag = cli_flag_rows[*number];
        if (flag->heading != heading) {
            heading = flag->heading;
            bt_buf_printf(buf, ".SS %s\n", cli_flag_headings[heading]);
        }
        put_flag(buf, flag);
    }
}

static void put_parts(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_put_text(buf, ".SH COMMANDS\n");
    for (const struct cli_command *const *part = command->parts; *part; part++) {
        char page[PAGE_NAME_BYTES_MAX];
        write_page_name(*part, page);
        bt_buf_put_text(buf, ".TP\n");
        put_in(buf, 'B', page);
        bt_buf_put_text(buf, "(1)\n");
        put_line(buf, bt_str_of((*part)->summary));
    }
}

static void put_examples(struct bt_buf *buf, const struct cli_example *examples)
{
    bt_buf_put_text(buf, ".SH EXAMPLES\n");
    for (; examples->command; examples++) {
        put_item(buf, bt_str_of(examples->command), bt_str_of(examples->meaning));
    }
}

static void put_dialects(struct bt_buf *buf)
{
    bt_buf_put_text(buf, ".SH DIALECTS\n");
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        put_item(buf, bt_dialect_name(dialect), bt_dialect_summary(dialect));
    }
}

static const struct cli_help_note file_notes[] = {
    {"baton.yaml", "the configuration of a project"},
    {"~/.config/baton/config.yaml", "the configuration of a user"},
    {"/etc/baton/config.yaml", "the configuration of the machine"},
    {".baton/store.db", "the store of a project, unless another one is named"},
    {NULL, NULL},
};

/* Other pages: the command above, and the configuration. */
static void put_see_also(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_put_text(buf, ".SH SEE ALSO\n");
    if (command != &cli_baton) {
        bt_buf_put_text(buf, "\\fBbaton\\fR(1), ");
    }
    bt_buf_put_text(buf, "\\fB" CONFIG_PAGE "\\fR(5)\n");
}

static void put_command_page(struct bt_buf *buf, const struct cli_command *command)
{
    const bool is_program = command == &cli_baton;
    char page[PAGE_NAME_BYTES_MAX];
    write_page_name(command, page);
    put_head(buf, page, 1, command->summary);
    put_synopsis(buf, command);
    bt_buf_put_text(buf, ".SH DESCRIPTION\n");
    if (command->about[0]) {
        put_paragraphs(buf, bt_str_of(command->about));
    } else {
        put_line(buf, bt_str_of(command->summary));
    }
    if (command->parts) {
        put_parts(buf, command);
    }
    put_flags(buf, command);
    put_examples(buf, command->examples);
    if (is_program) {
        put_dialects(buf);
    }
    put_notes(buf, "EXIT STATUS", cli_exit_notes);
    if (is_program) {
        put_notes(buf, "ENVIRONMENT", cli_environment_notes);
        put_notes(buf, "FILES", file_notes);
    }
    put_see_also(buf, command);
}

/* ---- baton.yaml(5) --------------------------------------------------------------------------- */

static const struct cli_topic *find_topic(const char *name)
{
    const struct cli_topic *topic = cli_topics;
    while (topic->name && strcmp(topic->name, name) != 0) {
        topic++;
    }
    return topic;
}

static void put_keys(struct bt_buf *buf)
{
    struct bt_buf values;
    bt_buf_init(&values, PAGE_BYTES_MAX);
    bt_buf_put_text(buf, ".SH KEYS\n");
    for (size_t key = 0; bt_config_key(key).len > 0; key++) {
        bt_buf_clear(&values);
        cli_put_key_values(&values, key);
        put_item(buf, bt_config_key(key), bt_buf_str(&values));
    }
    bt_buf_free(&values);
}

static void put_config_page(struct bt_buf *buf)
{
    const struct cli_topic *topic = find_topic("config");
    put_head(buf, CONFIG_PAGE, 5, topic->summary);
    bt_buf_put_text(buf, ".SH DESCRIPTION\n");
    for (const struct cli_topic_block *block = topic->blocks; block->text; block++) {
        if (block->term[0]) {
            put_item(buf, bt_str_of(block->term), bt_str_of(block->text));
        } else if (block->text[0] != '@') {
            bt_buf_put_text(buf, block == topic->blocks ? "" : ".PP\n");
            put_line(buf, bt_str_of(block->text));
        }
    }
    put_keys(buf);
    put_notes(buf, "FILES", file_notes);
    bt_buf_put_text(buf, ".SH SEE ALSO\n\\fBbaton\\fR(1), \\fBbaton\\-config\\fR(1)\n");
}

/* ---- baton man ------------------------------------------------------------------------------- */

/* Write one page to FOLDER/NAME.SECTION, and free it. False after an error message. */
static bool write_page(const char *folder, const char *name, int section, struct bt_buf *page)
{
    char path[PAGE_PATH_BYTES_MAX];
    struct bt_error error = {0};
    const int size = snprintf(path, sizeof(path), "%s/%s.%d", folder, name, section);
    enum bt_status status = size < PAGE_PATH_BYTES_MAX ? page->status : BT_ELIMIT;
    if (status == BT_OK) {
        status = bt_file_replace(bt_str_of(path), bt_buf_str(page), &error);
    }
    bt_buf_free(page);
    return status == BT_OK || cli_refuse("cannot write %s: %s", path,
                                         error.text[0] ? error.text : bt_status_text(status));
}

static int write_pages(const char *folder)
{
    const struct cli_command *command = NULL;
    struct bt_buf page;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return cli_failed("cannot make the folder %s: %s", folder, strerror(errno));
    }
    for (size_t i = 0; (command = cli_command_at(i)); i++) {
        char name[PAGE_NAME_BYTES_MAX];
        write_page_name(command, name);
        bt_buf_init(&page, PAGE_BYTES_MAX);
        put_command_page(&page, command);
        if (!write_page(folder, name, 1, &page)) {
            return CLI_FAILED;
        }
    }
    bt_buf_init(&page, PAGE_BYTES_MAX);
    put_config_page(&page);
    return write_page(folder, CONFIG_PAGE, 5, &page) ? CLI_DONE : CLI_FAILED;
}

int cmd_man(const struct cli_options *options)
{
    const char *folder = cli_given(options, &flag_all_pages);
    struct bt_buf buf;
    int code = CLI_FAILED;
    if (folder) {
        return options->operand_count == 0
                   ? write_pages(folder)
                   : cli_usage_error(options->command, "--all writes every page; name no COMMAND");
    }
    bt_buf_init(&buf, PAGE_BYTES_MAX);
    if (options->operand_count == 1 && strcmp(options->operands[0], CONFIG_PAGE) == 0) {
        put_config_page(&buf);
        return cli_print_buf(&buf);
    }
    const struct cli_command *command = cli_find_named(options, &code);
    if (!command) {
        return code;
    }
    put_command_page(&buf, command);
    return cli_print_buf(&buf);
}
