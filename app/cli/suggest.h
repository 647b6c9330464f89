/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - errors about unknown values: what is allowed, and what was probably meant. */
#ifndef BATON_APP_CLI_SUGGEST_H
#define BATON_APP_CLI_SUGGEST_H

#include "cli.h"
#include "schema/nearest.h"

/* The values that are allowed in one place. */
struct cli_allowed {
    bt_nearest_word_fn *at;
    const void *context;
    size_t count;
    const char *dashes;  /* before each of them; NULL: none */
    bool prefers_longer; /* values that begin with the word come before the nearest one */
};

/* The words of a kind. */
struct cli_allowed cli_allow_kind(enum cli_kind kind);

/*
 * Put ", did you mean X?": the value that is nearest to `word` by the rule of universal handoffs,
 * else up to five that begin with it. Puts nothing when there is none.
 */
void cli_put_meant(struct bt_buf *buf, bt_str word, const struct cli_allowed *allowed);

/* Print the line with the allowed values, when they are not too many. */
void cli_print_allowed(const struct cli_allowed *allowed);

/* A value that is not allowed. */
struct cli_unknown {
    const char *where; /* the flag that has it, "--as"; NULL: it is an operand */
    const char *noun;  /* what it should be: "dialect" */
    bt_str word;
    struct cli_allowed allowed;
};

/*
 * Print the error about an unknown value: what was probably meant, the allowed values when they are
 * not too many, and where to read more. Returns the exit code of a usage error.
 */
int cli_print_unknown(const struct cli_command *command, const struct cli_unknown *unknown);
/* Print the error that a word of the command line is not one of a kind. Returns false. */
bool cli_refuse_word(const struct cli_options *options, enum cli_kind kind, const char *word);
/* Print the error that the value of a flag is not one of its kind. Returns false. */
bool cli_refuse_value(const struct cli_options *options, const struct cli_flag *flag,
                      const char *value);
/*
 * Check the value of a flag by its kind. False, after an error message, when the kind is a closed
 * list without it.
 */
bool cli_check_value(const struct cli_options *options, const struct cli_flag *flag,
                     const char *value);
/*
 * Print "this build has no PART" when `command` has a sub-command or flag of this name only with a
 * part that this build does not have. False, and nothing is printed, for other names.
 */
bool cli_print_absent(const struct cli_command *command, bt_str word, bool is_flag);
/* Print the error that `command` has no sub-command called `word` or, for NULL, needs one. Returns
 * the exit code. */
int cli_print_unknown_command(const struct cli_command *command, const char *word);
/* Print the error that `command` has no flag called `name`, without dashes. Returns false. */
bool cli_refuse_flag(const struct cli_command *command, bt_str name);

enum { CLI_NAMES_MAX = 4096 };

/* Names in a folder, in byte order; at most CLI_NAMES_MAX of them. */
struct cli_folder_names {
    bt_str names[CLI_NAMES_MAX];
    size_t count;
};

/* Read the names in a folder, without "." and "..". NULL when it cannot be read. */
struct cli_folder_names *cli_folder_names_new(struct bt_arena *arena, const char *folder);

/* Print the name in the same folder that is nearest to that of a missing file, if there is one. */
void cli_print_near_file(bt_str path);

#endif
