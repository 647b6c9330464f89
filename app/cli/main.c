/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the program baton: parse the words, run the command. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "help.h"
#include "output.h"
#include "run.h"
#include "suggest.h"

/* The words that are still to be parsed. */
struct cli_argv_cursor {
    char **next;
    char **end;
};

const struct cli_flag *cli_find_flag(const struct cli_command *command, bt_str name, char letter)
{
    for (const uint16_t *number = command->flags; *number; number++) {
        const struct cli_flag *flag = cli_flag_rows[*number];
        if (name.len > 0 ? bt_str_eq(bt_str_of(flag->name), name)
                         : letter && flag->letter == letter) {
            return flag;
        }
    }
    return NULL;
}

bool cli_has_flag(const struct cli_command *command, const struct cli_flag *wanted)
{
    for (const uint16_t *number = command->flags; *number; number++) {
        const struct cli_flag *flag = cli_flag_rows[*number];
        if (flag->id == wanted->id) {
            return true;
        }
    }
    return false;
}

bool cli_add_flag(struct cli_options *options, const struct cli_flag *flag, const char *value)
{
    if (value && !flag->take && !cli_check_value(options, flag, value)) {
        return false;
    }
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
        return cli_add_flag(options, flag, NULL);
    }
    if (!attached && words->next == words->end) {
        return cli_refuse_usage(options, "--%s needs a value: --%s %s", flag->name, flag->name,
                                flag->argument);
    }
    return cli_add_flag(options, flag, attached ? attached : *words->next++);
}

/* --name, --name VALUE, --name=VALUE */
static bool take_long(struct cli_options *options, const char *word, struct cli_argv_cursor *words)
{
    const bt_str text = bt_str_of(word + 2);
    const size_t equals = bt_str_find_byte(text, '=', 0);
    const bt_str name = bt_str_slice(text, 0, equals);
    const struct cli_flag *flag = cli_find_flag(options->command, name, 0);
    if (!flag) {
        return cli_refuse_flag(options->command, name);
    }
    return take_flag(options, flag, equals < text.len ? text.ptr + equals + 1 : NULL, words);
}

/* -x, -x VALUE, -xVALUE */
static bool take_short(struct cli_options *options, const char *word, struct cli_argv_cursor *words)
{
    const struct cli_flag *flag = cli_find_flag(options->command, BT_STR(""), word[1]);
    const char *attached = word[2] ? word + 2 : NULL;
    if (flag_start_in.letter == word[1]) {
        return cli_refuse_usage(options, "-C must come first: baton -C DIR%s",
                                options->command->name + strlen(cli_baton.name));
    }
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
            options->operands_before_dashes += !flags_over;
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

/*
 * Take the -C DIR before the command, each relative to the one before. Returns the folder that
 * cannot be used, or NULL; `-C` itself where its folder is missing.
 */
static const char *change_folder(struct cli_argv_cursor *words)
{
    while (words->next < words->end && words->next[0][0] == '-' &&
           words->next[0][1] == flag_start_in.letter) {
        const char *word = *words->next++;
        if (!word[2] && words->next == words->end) {
            return word;
        }
        const char *folder = word[2] ? word + 2 : *words->next++;
        if (chdir(folder) != 0) {
            return folder;
        }
    }
    return NULL;
}

/* Print the error about a folder of -C. Returns the exit code. */
static int fail_folder(const struct cli_command *command, const char *folder)
{
    const int number = errno;
    if (folder[0] == '-') {
        return cli_usage_error(command, "-C needs a value: -C DIR");
    }
    cli_print_error("-C %s: %s", folder, strerror(number));
    if (number == ENOENT) {
        cli_print_near_file(bt_str_of(folder));
    }
    return cli_misuse_code(command);
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

static int print_help(const struct cli_command *command, bool is_short)
{
    struct bt_buf buf;
    bt_buf_init(&buf, HELP_BYTES_MAX);
    if (is_short) {
        cli_put_short_help(&buf, command);
    } else {
        cli_put_help(&buf, command);
    }
    return cli_print_buf(&buf);
}

/* Check flags that exclude each other in every command. */
static bool are_compatible(const struct cli_options *options)
{
    static const struct cli_flag *const pairs[][2] = {{&flag_config, &flag_no_config},
                                                      {&flag_quiet, &flag_verbose}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (cli_given(options, pairs[i][0]) && cli_given(options, pairs[i][1])) {
            return cli_refuse_usage(options, "--%s and --%s exclude each other", pairs[i][0]->name,
                                    pairs[i][1]->name);
        }
    }
    return true;
}

/* Parse the flags and operands of a command, and run it. */
static int run_command(struct cli_options *options, struct cli_argv_cursor words,
                       struct bt_arena *arena)
{
    const struct cli_command *command = options->command;
    if (!take_words(options, words)) {
        return cli_misuse_code(command);
    }
    const bool wants_help = cli_given(options, &flag_help) != NULL;
    if (wants_help || cli_given(options, &flag_short_help)) {
        return print_help(command, !wants_help);
    }
    if (!command->run && !command->work) {
        return cli_print_unknown_command(command, NULL);
    }
    if (options->operand_count < command->operands_min) {
        return cli_usage_error(command, "%s", command->missing);
    }
    if (command == &cli_baton && options->operand_count > 0 &&
        cli_command_part(command, options->operands[0])) {
        return cli_usage_error(command, "flags follow the command: baton %s FLAGS",
                               options->operands[0]);
    }
    if (options->operand_count > command->operands_max) {
        return cli_usage_error(command, "unexpected word %s",
                               options->operands[command->operands_max]);
    }
    if (shares_stdout(options)) {
        return cli_usage_error(command,
                               "only one format can go to standard output; name files with -o");
    }
    if (!are_compatible(options)) {
        return cli_misuse_code(command);
    }
    if (cli_resolve_settings(options, arena)) {
        return !cli_check_needed(options, arena) ? cli_misuse_code(command)
               : command->run                    ? command->run(options)
                                                 : cli_run_command(options);
    }
    if (command->config.reports_failures && bt_report_failure_count(options->report) > 0) {
        (void)cli_report_write(options, options->report);
    }
    return cli_misuse_code(command);
}

int cli_main(size_t count, char **words)
{
    struct cli_argv_cursor rest = {words, words + count};
    const char *folder = change_folder(&rest);
    if (folder) {
        const struct cli_command *part =
            rest.next < rest.end ? cli_command_part(&cli_baton, *rest.next) : NULL;
        return fail_folder(part ? part : &cli_baton, folder);
    }
    const struct cli_command *command = find_command(&rest);
    if (!command) {
        return CLI_FAILED;
    }
    struct cli_options options = {.command = command, .config = bt_config_defaults()};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    /* A word gives up to two flags, and missing ones can be asked for. */
    options.given = BT_NEW_ARRAY(&arena, struct cli_given, 2 * count + CLI_NEEDED_MAX);
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
