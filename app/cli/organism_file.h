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
struct organism_file {
    struct bt_arena arena;
    struct bt_organism_hosts hosts;
    char program[PATH_MAX]; /* where this program lies */
    struct bt_judged judged;
    const struct bt_organism *organism; /* NULL: something HARD was found */
};

/* How far to go. */
enum organism_loading {
    ORGANISM_NOT_LOADED = 0, /* nobody's code runs */
    ORGANISM_CLASSES,        /* handlers run as far as their classes must be known */
    ORGANISM_LOADED,         /* all of them */
};

/* Begin with nothing read; ended with organism_file_end(). */
void organism_file_begin(struct organism_file *file);
void organism_file_end(struct organism_file *file);

/* Read and judge the file at `path`; `wanted` gives what is to be done without. False after a
 * complaint: the file could not be judged. */
bool organism_file_read(struct organism_file *file, const char *path, struct bt_env *env,
                        enum organism_loading loading, struct bt_organism_options wanted);

/* The same for commands that need a sound organism: findings of a file that is none go to standard
 * error. False after a complaint. */
bool organism_file_need(struct organism_file *file, const char *path, struct bt_env *env);
/* The same, and every handler must be loadable. */
bool organism_file_load(struct organism_file *file, const char *path, struct bt_env *env);
/* The same, but nobody's code runs: classes are not known. */
bool organism_file_look(struct organism_file *file, const char *path, struct bt_env *env);

/* How to judge messages: what --organism and --client say. */
struct cli_xml {
    struct organism_file file;
    struct bt_organism_options organisms; /* organism files among the documents */
    struct bt_xml_check_options options;
};

/* False after a complaint. Ended with cli_xml_end() in either case. */
bool cli_xml_begin(const struct cli_options *options, struct bt_env *env, struct cli_xml *out);
void cli_xml_end(struct cli_xml *xml);

#endif
