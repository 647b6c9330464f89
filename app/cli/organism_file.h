/* SPDX-License-Identifier: Apache-2.0 */
/* organism_file.h - the organism of a command: its flags, the file, its handlers. */
#ifndef BATON_APP_CLI_ORGANISM_FILE_H
#define BATON_APP_CLI_ORGANISM_FILE_H

#include <limits.h>

#include "cli.h"
#include "dialect/xml/message.h"

/* An organism file with everything that was made from it. */
struct cli_organism_file {
    struct bt_arena arena;
    struct bt_host_launch_options hosts;
    char program[PATH_MAX]; /* path of this program */
    struct bt_judgement judged;
    const struct bt_organism *organism; /* NULL: there is a HARD finding */
};

/* Which handlers to load. */
enum cli_organism_depth {
    ORGANISM_NOT_LOADED = 0, /* none: no handler code runs */
    ORGANISM_CLASSES,        /* only those whose classes are needed */
    ORGANISM_LOADED,         /* all of them */
};

/* Begin without a file; free it with organism_file_end(). */
void organism_file_begin(struct cli_organism_file *file);
void organism_file_end(struct cli_organism_file *file);

/*
 * Read and judge the file at `path`; `wanted` has the features to act without. False after an error
 * message: the file could not be judged.
 */
bool organism_file_read(struct cli_organism_file *file, const char *path, struct bt_env *env,
                        enum cli_organism_depth loading, struct bt_organism_options wanted);

/* Judge an organism that is not a file, and load its handlers. False after an error message. */
bool organism_file_judge(struct cli_organism_file *file, const struct bt_organism_source *source,
                         struct bt_env *env, struct bt_organism_options wanted);

/* Whether the organism that was read last can be used; else its findings are printed. */
bool organism_file_is_usable(struct cli_organism_file *file, const char *path);

/*
 * Read the file at `path` and require a valid organism; findings go to standard error. False after
 * an error message.
 */
bool organism_file_require(struct cli_organism_file *file, const char *path, struct bt_env *env,
                           enum cli_organism_depth loading);

/* How to judge messages: --organism and --client. */
struct cli_message_options {
    struct cli_organism_file file;
    struct bt_organism_options organisms; /* for organism files among the documents */
    struct bt_message_options options;
};

/* Set the options. False after an error message. Call cli_message_options_free() in either case. */
bool cli_message_options_init(const struct cli_options *options, struct bt_env *env,
                              struct cli_message_options *out);
void cli_message_options_free(struct cli_message_options *xml);

#endif
