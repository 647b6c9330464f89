/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism_file.h - the organism that a command works with: its flags, the file, its handlers.
 */
#ifndef BATON_APP_CLI_ORGANISM_FILE_H
#define BATON_APP_CLI_ORGANISM_FILE_H

#include <limits.h>

#include <baton/xml.h>

#include "cli.h"

extern const struct cli_flag flag_organism;
extern const struct cli_flag flag_client;

/* An organism file that was read, with everything that was made from it. */
struct cli_organism_file {
    struct bt_arena arena;
    struct bt_host_launch_options hosts;
    char program[PATH_MAX]; /* where this program lies */
    struct bt_judgement judged;
    const struct bt_organism *organism; /* NULL: something HARD was found */
};

/* How far to go. */
enum cli_organism_depth {
    ORGANISM_NOT_LOADED = 0, /* nobody's code runs */
    ORGANISM_CLASSES,        /* handlers run as far as their classes must be known */
    ORGANISM_LOADED,         /* all of them */
};

/* Begin with nothing read; ended with organism_file_end(). */
void organism_file_begin(struct cli_organism_file *file);
void organism_file_end(struct cli_organism_file *file);

/* Read and judge the file at `path`; `wanted` gives what is to be done without. False after a
 * complaint: the file could not be judged. */
bool organism_file_read(struct cli_organism_file *file, const char *path, struct bt_env *env,
                        enum cli_organism_depth loading, struct bt_organism_options wanted);

/* The same for commands that need a sound organism: findings of a file that is none go to standard
 * error. False after a complaint. */
bool cli_organism_file_require(struct cli_organism_file *file, const char *path,
                               struct bt_env *env);
/* The same, and every handler must be loadable. */
bool organism_file_load(struct cli_organism_file *file, const char *path, struct bt_env *env);
/* The same, but nobody's code runs: classes are not known. */
bool cli_organism_file_read_only(struct cli_organism_file *file, const char *path,
                                 struct bt_env *env);

/* How to judge messages: what --organism and --client say. */
struct cli_message_options {
    struct cli_organism_file file;
    struct bt_organism_options organisms; /* organism files among the documents */
    struct bt_message_options options;
};

/* False after a complaint. Ended with cli_xml_end() in either case. */
bool cli_message_options_init(const struct cli_options *options, struct bt_env *env,
                              struct cli_message_options *out);
void cli_message_options_free(struct cli_message_options *xml);

#endif
