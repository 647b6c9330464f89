/* SPDX-License-Identifier: Apache-2.0 */
/* govern_flags.h - how to judge governed handoffs: flags and configuration -> options. */
#ifndef BATON_APP_CLI_GOVERN_FLAGS_H
#define BATON_APP_CLI_GOVERN_FLAGS_H

#include <baton/governed.h>

#include "cli.h"

extern const struct cli_flag flag_boundary_mode;
extern const struct cli_flag flag_relation_mode;
extern const struct cli_flag flag_archetype_mode;
extern const struct cli_flag flag_max_age;
extern const struct cli_flag flag_max_future;
extern const struct cli_flag flag_structure_only;

/* The flags for every judgement, and for the age of submitted handoffs, for tables of flags. */
#define CLI_GOVERNED_FLAGS &flag_boundary_mode, &flag_relation_mode, &flag_archetype_mode
#define CLI_FRESHNESS_FLAGS &flag_max_age, &flag_max_future

/* The options of a run, and what they point at. */
struct cli_governed {
    struct bt_governed_options options;
    bt_str root_path;    /* "": not given */
    struct bt_dir *root; /* NULL: not opened */
};

/*
 * Set the options: a flag takes precedence over the file, the file over the default. Texts live in
 * the arena or in the configuration. False after an error message.
 */
bool cli_governed_options(const struct cli_options *options, struct bt_arena *arena,
                          struct cli_governed *out);
/* Open the governed root if it was given without --structure-only. False after an error message. */
bool cli_governed_open(const struct cli_options *options, struct cli_governed *governed);
/* Close it. */
void cli_governed_close(struct cli_governed *governed);

#endif
