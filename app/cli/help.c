/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - --help, -h, baton help and its topics */
#include "help.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "cli.h"
#include "operation/wrap_text.h"
#include "output.h"
#include "suggest.h"

enum {
    MARGIN = 2,
    NAME_COLUMNS_MAX = 30, /* the help of a longer name is on the next line */
    EXAMPLE_COLUMNS_MAX = 44,
    WORDS_MAX = 40, /* longer lists of words are not shown */
    SHORT_WORDS_MAX = 8,
    SHORT_FLAGS_MIN = 5,
    SHORT_FLAGS_MAX = 10,
    SHORT_EXAMPLES = 2,
    FLAGS_MAX = 128,
    SUMMARY_BYTES_MAX = 160,
    DIALECT_COLUMN = 14,
    TOPIC_COLUMN = 15,
    CODE_COLUMN = 34,
    KEY_COLUMN = 30,
};

const struct cli_help_note cli_exit_notes[] = {
    {"0", "accepted, or done"},
    {"1", "rejected: findings at the fail level, or a negative result"},
    {"2", "wrong usage or configuration, or something could not be read or written"},
    {NULL, NULL},
};

const struct cli_help_note cli_environment_notes[] = {
    {"BATON_CONFIG", "a configuration file that is read instead of the others"},
    {"BATON_STORE", "the store, unless --store is given"},
    {"BATON_STATE_DIR", "the folder in which the sizes of ledgers are remembered"},
    {"XDG_CONFIG_HOME", "the folder of the user's configuration (default ~/.config)"},
    {"XDG_STATE_HOME", "the folder of the user's state (default ~/.local/state)"},
    {"STATE_DIRECTORY", "the folder of the state of a systemd service"},
    {"SSL_CERT_FILE", "the file of trusted certificates for outgoing TLS"},
    {"SSL_CERT_DIR", "the folder of trusted certificates for outgoing TLS"},
    {"NO_COLOR", "when it is not empty: no colour, unless --color always is given"},
    {"FORCE_COLOR", "when it is neither empty nor 0: colour in pipes and files, too"},
    {"CLICOLOR_FORCE", "the same as FORCE_COLOR"},
    {"TERM", "when it is dumb or not set: no colour and no hyperlinks"},
    {"CI", "when it is set: no hyperlinks, unless --hyperlinks always is given"},
    {NULL, NULL},
};

static void put_usage(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_printf(buf, "Usage: %s%s%s%s\n", command->name, command->flags[1] ? " [FLAGS]" : "",
                  command->operands[0] ? " " : "", command->operands);
}

/* "-f, --output-format FORMAT"; flags without a letter begin in the same column. */
static void put_flag_name(struct bt_buf *buf, const struct cli_flag *flag)
{
    if (flag->letter) {
        bt_buf_printf(buf, flag->name[0] ? "-%c, " : "-%c", flag->letter);
    } else {
        bt_buf_put_text(buf, "    ");
    }
    bt_buf_printf(buf, "%s%s%s%s", flag->name[0] ? "--" : "", flag->name, flag->argument ? " " : "",
                  flag->argument ? flag->argument : "");
}

static size_t flag_columns(const struct cli_flag *flag)
{
    return strlen(flag->name[0] ? "-f, --" : "-f") + strlen(flag->name) +
           (flag->argument ? strlen(flag->argument) + 1 : 0);
}

/* Put the help of a flag, with its words unless there are more than `words_max`. */
static void put_flag_help(struct bt_buf *buf, const struct cli_flag *flag, size_t words_max)
{
    const size_t count = cli_kind_count(flag->kind);
    bt_buf_put_text(buf, flag->help);
    for (size_t i = 0; count <= words_max && i < count; i++) {
        const bt_str word = cli_kind_word(flag->kind, i);
        bt_buf_put_text(buf, i == 0 ? ": " : ", ");
        /* The words of limits end in the equals sign that must follow them. */
        bt_buf_put(buf, bt_str_slice(word, 0, bt_str_find_byte(word, '=', 0)));
    }
}

void cli_put_flag_meaning(struct bt_buf *buf, const struct cli_flag *flag)
{
    assert(buf);
    assert(flag);
    put_flag_help(buf, flag, WORDS_MAX);
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

/* Put a list of flags, each with its meaning. */
static void put_flag_list(struct bt_buf *buf, const uint16_t *numbers, size_t count,
                          size_t words_max)
{
    size_t widest = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t columns = flag_columns(cli_flag_rows[numbers[i]]);
        widest = columns > widest && columns <= NAME_COLUMNS_MAX ? columns : widest;
    }
    struct bt_buf meaning;
    bt_buf_init(&meaning, HELP_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct cli_flag *flag = cli_flag_rows[numbers[i]];
        bt_buf_put_repeat(buf, ' ', MARGIN);
        put_flag_name(buf, flag);
        bt_buf_clear(&meaning);
        put_flag_help(&meaning, flag, words_max);
        put_meaning(buf, bt_buf_str(&meaning), MARGIN + flag_columns(flag),
                    widest + (size_t)2 * MARGIN);
    }
    bt_buf_free(&meaning);
}

const char *const cli_flag_headings[CLI_UNDER__MAX] = {
    [CLI_UNDER_INPUT] = "Input",
    [CLI_UNDER_RULES] = "Rules",
    [CLI_UNDER_FIXING] = "Fixing",
    [CLI_UNDER_OUTPUT] = "Output",
    [CLI_UNDER_UNIVERSAL] = "Universal",
    [CLI_UNDER_CONTRACT] = "Contract",
    [CLI_UNDER_PLAN] = "Plan",
    [CLI_UNDER_GOVERNED] = "Governed",
    [CLI_UNDER_XML] = "XML",
    [CLI_UNDER_REPRODUCIBLE] = "Reproducible runs",
    [CLI_UNDER_COMMON] = "Common",
};

/* The number of flags below the heading of the first one. */
static size_t count_section(const uint16_t *numbers)
{
    const enum cli_flag_heading heading = cli_flag_rows[numbers[0]]->heading;
    size_t count = 0;
    while (numbers[count] && cli_flag_rows[numbers[count]]->heading == heading) {
        count++;
    }
    return count;
}

/* Flags below their headings; the table has them in that order. */
static void put_flags(struct bt_buf *buf, const uint16_t *numbers)
{
    while (numbers[0]) {
        const size_t count = count_section(numbers);
        bt_buf_printf(buf, "\n%s:\n", cli_flag_headings[cli_flag_rows[numbers[0]]->heading]);
        put_flag_list(buf, numbers, count, WORDS_MAX);
        numbers += count;
    }
}

/*
 * Choose the flags that -h shows: those that are marked, then others of the command itself, then
 * common ones.
 */
static size_t choose_flags(const struct cli_command *command, uint16_t out[SHORT_FLAGS_MAX])
{
    bool is_chosen[FLAGS_MAX] = {false};
    size_t chosen = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < FLAGS_MAX && command->flags[i]; i++) {
            const struct cli_flag *flag = cli_flag_rows[command->flags[i]];
            const bool fits = pass == 0 ? flag->is_short && chosen < SHORT_FLAGS_MAX
                              : pass == 1
                                  ? flag->heading != CLI_UNDER_COMMON && chosen < SHORT_FLAGS_MIN
                                  : chosen < SHORT_FLAGS_MIN;
            if (fits && !is_chosen[i]) {
                is_chosen[i] = true;
                chosen++;
            }
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < FLAGS_MAX && command->flags[i]; i++) {
        if (is_chosen[i]) {
            out[count++] = command->flags[i];
        }
    }
    return count;
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

/* The sub-commands by name alone, one paragraph for each heading. */
static void put_part_names(struct bt_buf *buf, const struct cli_command *command)
{
    struct bt_buf names;
    bt_buf_init(&names, HELP_BYTES_MAX);
    bt_buf_put_char(buf, '\n');
    for (size_t i = 0; command->parts[i]; i++) {
        if (heading_of(command, i)[0]) {
            bt_buf_printf(&names, "%s:", heading_of(command, i));
        }
        const bool is_last = !command->parts[i + 1] || heading_of(command, i + 1)[0];
        bt_buf_printf(&names, " %s%s", cli_command_word(command->parts[i]), is_last ? "" : ",");
        if (is_last) {
            bt_text_put_wrapped(buf, bt_buf_str(&names), 0, MARGIN);
            bt_buf_clear(&names);
        }
    }
    bt_buf_free(&names);
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

static void put_examples(struct bt_buf *buf, const struct cli_example *examples, size_t max)
{
    size_t widest = 0;
    for (size_t i = 0; i < max && examples[i].command; i++) {
        const size_t columns = strlen(examples[i].command);
        widest = columns > widest && columns <= EXAMPLE_COLUMNS_MAX ? columns : widest;
    }
    bt_buf_put_text(buf, "\nExamples:\n");
    for (size_t i = 0; i < max && examples[i].command; i++) {
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
    put_examples(buf, command->examples, SIZE_MAX);
    put_exit_codes(buf);
}

static bt_str capitalise_summary(const struct cli_command *command, char out[SUMMARY_BYTES_MAX])
{
    (void)snprintf(out, SUMMARY_BYTES_MAX, "%s.", command->summary);
    out[0] = bt_ascii_upper(out[0]);
    return bt_str_of(out);
}

void cli_put_short_help(struct bt_buf *buf, const struct cli_command *command)
{
    uint16_t flags[SHORT_FLAGS_MAX];
    char summary[SUMMARY_BYTES_MAX];
    const size_t count = choose_flags(command, flags);
    put_usage(buf, command);
    bt_text_put_wrapped(buf, capitalise_summary(command, summary), 0, 0);
    if (command == &cli_baton) {
        put_part_names(buf, command);
    } else if (command->parts) {
        put_parts(buf, command);
    }
    if (count > 0) {
        bt_buf_put_text(buf, "\nFlags:\n");
        put_flag_list(buf, flags, count, SHORT_WORDS_MAX);
    }
    put_examples(buf, command->examples, SHORT_EXAMPLES);
    bt_buf_printf(buf, "\n%s --help lists everything.\n", command->name);
}

void cli_put_usage(struct bt_buf *buf)
{
    put_usage(buf, &cli_baton);
    put_parts(buf, &cli_baton);
    bt_buf_put_text(buf, "\nbaton help COMMAND tells more.\n");
}

/* ---- Topics ---------------------------------------------------------------------------------- */

/* Names and their meanings, in two columns. */
static void put_entry(struct bt_buf *buf, bt_str name, bt_str meaning, size_t column)
{
    bt_buf_put_repeat(buf, ' ', MARGIN);
    bt_buf_put(buf, name);
    put_meaning(buf, meaning, MARGIN + name.len, column);
}

static void put_notes(struct bt_buf *buf, const struct cli_help_note *notes)
{
    size_t widest = 0;
    for (size_t i = 0; notes[i].name; i++) {
        widest = strlen(notes[i].name) > widest ? strlen(notes[i].name) : widest;
    }
    for (; notes->name; notes++) {
        put_entry(buf, bt_str_of(notes->name), bt_str_of(notes->meaning),
                  widest + (size_t)2 * MARGIN);
    }
}

static void put_exit_notes(struct bt_buf *buf)
{
    put_notes(buf, cli_exit_notes);
}

static void put_environment_notes(struct bt_buf *buf)
{
    put_notes(buf, cli_environment_notes);
}

static void put_dialects(struct bt_buf *buf)
{
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        put_entry(buf, bt_dialect_name(dialect), bt_dialect_summary(dialect), DIALECT_COLUMN);
    }
}

void cli_put_key_values(struct bt_buf *buf, size_t key)
{
    const bt_str otherwise = bt_config_key_default(key);
    bt_buf_put_text(buf, bt_config_key_expected(key));
    if (otherwise.len > 0) {
        bt_buf_printf(buf, " (default %.*s)", BT_STR_ARG(otherwise));
    }
}

static void put_keys(struct bt_buf *buf)
{
    struct bt_buf values;
    bt_buf_init(&values, HELP_BYTES_MAX);
    for (size_t key = 0; bt_config_key(key).len > 0; key++) {
        bt_buf_clear(&values);
        cli_put_key_values(&values, key);
        put_entry(buf, bt_config_key(key), bt_buf_str(&values), KEY_COLUMN);
    }
    bt_buf_free(&values);
}

static void put_limits(struct bt_buf *buf)
{
    const struct bt_limits limits = bt_limits_default();
    const struct {
        const char *name;
        uint64_t value;
        const char *meaning;
    } rows[] = {
        {"document_bytes", limits.document_bytes, "bytes of a document"},
        {"depth", limits.depth, "nested objects and arrays"},
        {"nodes", limits.nodes, "members and items of a document"},
        {"string_bytes", limits.string_bytes, "bytes of one string"},
        {"row_bytes", limits.row_bytes, "bytes of a CSV row"},
        {"cell_bytes", limits.cell_bytes, "bytes of a CSV cell"},
        {"xml_bytes", limits.xml_bytes, "bytes of an XML message"},
        {"xml_depth", limits.xml_depth, "nested XML elements"},
        {"schema_depth", limits.schema_depth, "nesting of a value in a payload schema"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bt_buf_printf(buf, "  %-14s  %10" PRIu64 "  %s\n", rows[i].name, rows[i].value,
                      rows[i].meaning);
    }
}

static void put_fixes(struct bt_buf *buf, enum bt_fix fix)
{
    bt_str last = BT_STR("");
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (rule->fix == fix && !bt_str_eq(rule->code, last)) {
            put_entry(buf, rule->code, rule->meaning, CODE_COLUMN);
            last = rule->code;
        }
    }
}

static void put_safe_fixes(struct bt_buf *buf)
{
    put_fixes(buf, BT_FIX_SAFE);
}

static void put_unsafe_fixes(struct bt_buf *buf)
{
    put_fixes(buf, BT_FIX_UNSAFE);
}

/* The tables that topics name. */
static const struct {
    const char *name;
    void (*put)(struct bt_buf *buf);
} tables[] = {
    {"@dialects", put_dialects},
    {"@environment", put_environment_notes},
    {"@exit-codes", put_exit_notes},
    {"@keys", put_keys},
    {"@limits", put_limits},
    {"@safe-fixes", put_safe_fixes},
    {"@unsafe-fixes", put_unsafe_fixes},
};

static bool put_table(struct bt_buf *buf, const char *name)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (strcmp(tables[i].name, name) == 0) {
            tables[i].put(buf);
            return true;
        }
    }
    return false;
}

static void put_topic(struct bt_buf *buf, const struct cli_topic *topic)
{
    bt_buf_put_char(buf, bt_ascii_upper(topic->summary[0]));
    bt_buf_printf(buf, "%s\n", topic->summary + 1);
    for (const struct cli_topic_block *block = topic->blocks; block->text; block++) {
        bt_buf_put_char(buf, '\n');
        if (block->term[0]) {
            bt_buf_printf(buf, "%s\n    ", block->term);
            bt_text_put_wrapped(buf, bt_str_of(block->text), 4, 4);
        } else if (!put_table(buf, block->text)) {
            bt_text_put_wrapped(buf, bt_str_of(block->text), 0, 0);
        }
    }
}

/* `baton help topics` */
static void put_topics(struct bt_buf *buf)
{
    for (const struct cli_topic *topic = cli_topics; topic->name; topic++) {
        put_entry(buf, bt_str_of(topic->name), bt_str_of(topic->summary), TOPIC_COLUMN);
    }
    bt_buf_put_text(buf, "\nbaton help TOPIC prints one of them.\n");
}

bt_str cli_word_topic(size_t index)
{
    size_t count = 0;
    while (cli_topics[count].name) {
        count++;
    }
    return bt_str_of(index < count ? cli_topics[index].name : index == count ? "topics" : "");
}

/* ---- baton help ------------------------------------------------------------------------------ */

/* The words that may follow help: commands, then topics. */
static bt_str get_subject(const void *context, size_t index)
{
    const size_t commands = cli_kind_count(CLI_COMMAND);
    (void)context;
    return index < commands ? cli_kind_word(CLI_COMMAND, index)
                            : cli_kind_word(CLI_TOPIC, index - commands);
}

static int print_unknown_subject(const struct cli_command *command, const char *word)
{
    if (command != &cli_baton) {
        return cli_print_unknown_command(command, word);
    }
    if (cli_print_absent(command, bt_str_of(word), false)) {
        return CLI_FAILED;
    }
    const struct cli_unknown unknown = {
        .noun = "command or topic",
        .word = bt_str_of(word),
        .allowed = {.at = get_subject,
                    .count = cli_kind_count(CLI_COMMAND) + cli_kind_count(CLI_TOPIC)}};
    return cli_print_unknown(&cli_baton, &unknown);
}

static void put_subject(struct bt_buf *buf, size_t topic)
{
    if (cli_topics[topic].name) {
        put_topic(buf, &cli_topics[topic]);
    } else {
        put_topics(buf);
    }
}

const struct cli_command *cli_find_named(const struct cli_options *options, int *out_code)
{
    const struct cli_command *command = &cli_baton;
    for (size_t i = 0; i < options->operand_count; i++) {
        const struct cli_command *part = cli_command_part(command, options->operands[i]);
        if (!part) {
            *out_code = print_unknown_subject(command, options->operands[i]);
            return NULL;
        }
        command = part;
    }
    return command;
}

int cmd_help(const struct cli_options *options)
{
    struct bt_buf buf;
    int code = CLI_FAILED;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    const char *word = options->operand_count == 1 ? options->operands[0] : "";
    size_t topic = 0;
    const bool is_topic = cli_kind_find(CLI_TOPIC, word, &topic);
    if (!is_topic || cli_command_part(&cli_baton, word)) {
        const struct cli_command *command = cli_find_named(options, &code);
        if (!command) {
            return code;
        }
        cli_put_help(&buf, command);
        bt_buf_put_text(&buf, is_topic ? "\n" : ""); /* the topic of that name follows */
    }
    if (is_topic) {
        put_subject(&buf, topic);
    }
    return cli_print_buf(&buf);
}

/* ---- baton ----------------------------------------------------------------------------------- */

/* Without a command the usage goes to standard error. */
int cmd_baton(const struct cli_options *options)
{
    struct bt_buf buf;
    if (cli_given(options, &flag_version)) {
        return cmd_version(options);
    }
    bt_buf_init(&buf, HELP_BYTES_MAX);
    cli_put_usage(&buf);
    (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
    return CLI_FAILED;
}
