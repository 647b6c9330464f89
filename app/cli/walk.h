/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - find the documents below a folder, and count what was left out. */
#ifndef BATON_APP_CLI_WALK_H
#define BATON_APP_CLI_WALK_H

#include "engine/recognise.h"
#include "pattern/ignore.h"

#include "cli.h"

enum { CLI_SKIPPED_MAX = 100 }; /* files that are listed as passed over */

/* A document that a walk found. */
struct cli_walk_file {
    bt_str path; /* ends in a NUL byte */
    enum bt_dialect_id dialect;
};

struct cli_walk_files {
    struct cli_walk_file *items;
    size_t count;
    size_t capacity;
};

/* Why a file that its name calls a document is not judged. */
struct cli_skipped {
    bt_str path;
    const char *reason;
};

/* What the walks of a run have looked at. Dropped folders count as one entry. */
struct cli_walk_counts {
    size_t judged;
    size_t unrecognised;
    size_t excluded;
    size_t gitignored;
    size_t hidden;
};

/* The patterns of a run and what its walks found out. */
struct cli_walk {
    const struct cli_options *options;
    struct bt_arena *arena;
    struct bt_ignore_list include[2]; /* of the configuration, of the flags */
    struct bt_ignore_list exclude[2];
    bool uses_gitignore;
    bool was_used; /* a folder was walked, or a named path left out */
    struct cli_walk_counts counts;
    struct {
        struct cli_skipped *items;
        size_t count;
        size_t capacity;
    } skipped;
    size_t skipped_more;
};

/* Take patterns from the configuration and the flags. False after an error message. */
bool cli_walk_init(struct cli_walk *walk, const struct cli_options *options,
                   struct bt_arena *arena);

/*
 * Collect the documents below `folder`, sorted by path. Symbolic links are not followed. False when
 * something could not be read or a limit was reached; each such failure was printed and added to
 * the report of the run, and *out holds the rest.
 */
bool cli_walk_folder(struct cli_walk *walk, const char *folder, struct cli_walk_files *out);
/* True when --force-exclude and the patterns leave out a path that was named; it is counted. */
bool cli_walk_leaves_out(struct cli_walk *walk, const char *path);

/* Put `"skipped":[...],"walk":{...}`, as far as they apply. */
void cli_walk_put_members(const struct cli_walk *walk, struct bt_buf *buf);

#endif
