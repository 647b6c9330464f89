/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the program baton: parse the words, run the command. */
#include <signal.h>
#include <string.h>

#include "cli.h"
#include "help.h"
#include "output.h"
#include "run.h"
#include "settings.h"
#include "suggest.h"

/* The words that are still to be parsed. */
struct cli_argv_cursor {
    char **next;
    char **end;
};

static const struct cli_flag *flag_called(const struct cli_command *command, bt_str name)
{
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        if (bt_str_eq(bt_str_of((*flag)->name), name)) {
            return *flag;
        }
    }
    return NULL;
}

static const struct cli_flag *flag_lettered(const struct cli_command *command, char letter)
{
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        if ((*flag)->letter == letter) {
            return *flag;
        }
    }
    return NULL;
}

static bool unknown_flag(const struct cli_command *command, bt_str name)
{
    struct cli_suggestion guess = cli_guess_for(name);
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        cli_guess_try(&guess, bt_str_of((*flag)->name));
    }
    (void)cli_print_unknown(command, "flag", "--", &guess);
    return false;
}

static bool add_flag(struct cli_options *options, const struct cli_flag *flag, const char *value)
{
    options->given[options->given_count++] =
        (struct cli_given){flag, value, options->operand_count};
    return !flag->take || flag->take(options, value);
}

const char *cli_given_at(const struct cli_options *options, const struct cli_flag *flag,
                         size_t index)
{
    for (size_t i = 0; i < options->given_count; i++) {
        const struct cli_given *given = &options->given[i];
        if (given->flag->id == flag->id && index-- == 0) {
            return given->value ? given->value : "";
        }
    }
    return NULL;
}

bool cli_given_list(const struct cli_options *options, const struct cli_flag *flag,
                    struct bt_arena *arena, struct bt_str_list *out)
{
    bt_str *list = BT_NEW_ARRAY(arena, bt_str, options->given_count + 1);
    const char *value = NULL;
    size_t count = 0;
    for (; list && (value = cli_given_at(options, flag, count)); count++) {
        list[count] = bt_str_of(value);
    }
    *out = (struct bt_str_list){list, count};
    return list || cli_refuse_status(BT_ENOMEM);
}

const char *cli_given(const struct cli_options *options, const struct cli_flag *flag)
{
    for (size_t i = options->given_count; i > 0; i--) {
        const struct cli_given *given = &options->given[i - 1];
        if (given->flag->id == flag->id) {
            return given->value ? given->value : "";
        }
    }
    return NULL;
}

/* Set the value of a flag: the attached one, or the next word. */
static bool take_flag(struct cli_options *options, const struct cli_flag *flag,
                      const char *attached, struct cli_argv_cursor *words)
{
    if (!flag->argument) {
        if (attached) {
            return cli_refuse_usage(options, "--%s takes no value", flag->name);
        }
        return add_flag(options, flag, NULL);
    }
    if (!attached && words->next == words->end) {
        return cli_refuse_usage(options, "--%s needs a value: --%s %s", flag->name, flag->name,
                                flag->argument);
    }
    return add_flag(options, flag, attached ? attached : *words->next++);
}

/* --name, --name VALUE, --name=VALUE */
static bool take_long(struct cli_options *options, const char *word, struct cli_argv_cursor *words)
{
    const bt_str text = bt_str_of(word + 2);
    const size_t equals = bt_str_find_byte(text, '=', 0);
    const bt_str name = bt_str_slice(text, 0, equals);
    const struct cli_flag *flag = flag_called(options->command, name);
    if (!flag) {
        return unknown_flag(options->command, name);
    }
    return take_flag(options, flag, equals < text.len ? text.ptr + equals + 1 : NULL, words);
}

/* -x, -x VALUE, -xVALUE */
static bool take_short(struct cli_options *options, const char *word, struct cli_argv_cursor *words)
{
    const struct cli_flag *flag = flag_lettered(options->command, word[1]);
    const char *attached = word[2] ? word + 2 : NULL;
    if (!flag || (attached && !flag->argument)) {
        return cli_refuse_usage(options, "unknown flag %s", word);
    }
    return take_flag(options, flag, attached, words);
}

/* Operands are moved to the front of the words, over flags that have been parsed already. */
static bool take_words(struct cli_options *options, struct cli_argv_cursor words)
{
    bool flags_over = false;
    options->operands = words.next;
    while (words.next < words.end) {
        char *word = *words.next++;
        bool taken = true;
        if (flags_over || word[0] != '-' || word[1] == '\0') {
            options->operands[options->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            flags_over = true;
        } else if (word[1] == '-') {
            taken = take_long(options, word, &words);
        } else {
            taken = take_short(options, word, &words);
        }
        if (!taken) {
            return false;
        }
    }
    return true;
}

/* Follow the words that name sub-commands. NULL after an error message. */
static const struct cli_command *find_command(struct cli_argv_cursor *words)
{
    const struct cli_command *command = &cli_baton;
    while (command->parts && words->next < words->end && words->next[0][0] != '-') {
        const struct cli_command *part = cli_command_part(command, *words->next);
        if (!part && command->operands_max > 0) {
            return command; /* the word is an operand */
        }
        if (!part) {
            (void)cli_print_unknown_command(command, *words->next);
            return NULL;
        }
        command = part;
        words->next++;
    }
    return command;
}

/* Two formats on one stream could not be told apart. */
static bool shares_stdout(const struct cli_options *options)
{
    size_t shown = 0;
    for (size_t i = 0; i < options->output_count; i++) {
        shown += options->outputs[i].path == NULL;
    }
    return shown > 1;
}

static int print_help(const struct cli_command *command)
{
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    cli_put_help(&buf, command);
    return cli_print_buf(&buf);
}

/* Parse the flags and operands of a command, and run it. */
static int run_command(struct cli_options *options, struct cli_argv_cursor words,
                       struct bt_arena *arena)
{
    const struct cli_command *command = options->command;
    if (!take_words(options, words)) {
        return cli_misuse_code(command);
    }
    if (cli_given(options, &flag_help)) {
        return print_help(command);
    }
    if ((!command->run && !command->work) || options->operand_count < command->operands_min) {
        return cli_usage_error(command, "%s", command->missing);
    }
    if (options->operand_count > command->operands_max) {
        return cli_usage_error(command, "unexpected word %s",
                               options->operands[command->operands_max]);
    }
    if (shares_stdout(options)) {
        return cli_usage_error(command,
                               "only one format can go to standard output; name files with -o");
    }
    if (cli_resolve_settings(options, arena)) {
        return command->run ? command->run(options) : cli_run_command(options);
    }
    if (command->reports_failures && bt_report_failure_count(options->report) > 0) {
        (void)cli_report_write(options, options->report);
    }
    return cli_misuse_code(command);
}

int cli_main(size_t count, char **words)
{
    struct cli_argv_cursor rest = {words, words + count};
    const struct cli_command *command = find_command(&rest);
    if (!command) {
        return CLI_FAILED;
    }
    struct cli_options options = {.command = command, .config = bt_config_defaults()};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    options.given = BT_NEW_ARRAY(&arena, struct cli_given, count + 1);
    options.report = bt_report_new(&arena);
    if (!options.given || !options.report) {
        return cli_fail_status(BT_ENOMEM);
    }
    const int code = run_command(&options, rest, &arena);
    bt_arena_free(&arena);
    return code;
}

int main(int argc, char **argv)
{
    /* A closed pipe must give a failed write instead of ending the program silently. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* so must a file at its size limit */
    return argc > 0 ? cli_main((size_t)argc - 1, argv + 1) : CLI_FAILED;
}
