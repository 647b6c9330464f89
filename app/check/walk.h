/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - go through a folder and find the files that can be documents.
 *
 *     check_walk_begin(walk, "docs");
 *     while (check_walk_next(walk, &item)) { ... }
 *
 * Items come in byte order of their paths, so nothing has to be sorted afterwards. Whether a file
 * is a document is for the caller to find out, see found.h: that needs its content, and several
 * threads can do it.
 */
#ifndef BATON_APP_CHECK_WALK_H
#define BATON_APP_CHECK_WALK_H

#include <baton/json.h>
#include <baton/report.h>

#include "left_out.h"
#include "pattern/ignore.h"
#include "report/report.h"

enum {
    CHECK_WALK_LEVELS_MAX = 64,
    CHECK_WALK_ENTRIES_MAX = 1000000,
    CHECK_WALK_SKIPPED_MAX = 100, /* files that are listed as passed over */
    CHECK_WALK_DROPPED_MAX = 10000,
};

/* What a run sets for its walks. Absolute paths have no links in them. */
struct check_walk_options {
    /* the patterns of the flags, whose parents are those of the configuration */
    struct bt_ignore_list include;
    struct bt_ignore_list exclude;
    bool uses_gitignore;
    bool forces_patterns;       /* they leave out named paths as well */
    bool lists_folders;         /* pass on each folder before it is read */
    bool takes_all_files;       /* whatever their names are */
    bool lists_dropped;         /* list what is left out, for check_walk_put_dropped() */
    enum bt_dialect_id dialect; /* of every file with its ending; BT_DIALECT_NONE: recognise it */
    const bt_str *own_files;    /* absolute paths of files that the run itself reads or writes */
    size_t own_file_count;
    /* the dialect that settings give the file at an absolute path, or BT_DIALECT_NONE; a function,
     * because only the caller knows the settings. NULL: none */
    enum bt_dialect_id (*dialect_of)(const void *settings, bt_str real);
    const void *settings;
};

/* What the walks of a run have found. Dropped folders count as one entry. */
struct check_walk_counts {
    size_t judged;
    size_t unrecognised;
    size_t excluded;
    size_t gitignored;
    size_t hidden;
};

enum check_walk_kind {
    CHECK_WALK_NONE = 0,
    CHECK_WALK_FILE,    /* it can be a document */
    CHECK_WALK_FOLDER,  /* it is about to be read; only with `lists_folders` */
    CHECK_WALK_FAILURE, /* something could not be read, or a limit was reached */
};

/* One result of a walk. Its texts are valid until the next call. */
struct check_walk_item {
    enum check_walk_kind kind;
    bt_str path;                /* as the user would write it; ends in a NUL byte */
    bt_str real;                /* absolute */
    enum bt_dialect_id dialect; /* BT_DIALECT_NONE: recognise it by its content */
    bool is_regular;            /* else a FIFO or a device */
    enum bt_failure_reason reason;
    const char *message;
};

struct check_walk; /* the walks of one run; one at a time */

/* Make it; `options` and what they point at must outlive it, `seed` is that of bt_env. NULL when
 * memory runs out. Destroy it with check_walk_destroy(). */
struct check_walk *check_walk_create(const struct check_walk_options *options,
                                     const uint64_t seed[2]);
/* NULL is allowed. */
void check_walk_destroy(struct check_walk *walk);

/* Count a document that a walk found. */
void check_walk_count_judged(struct check_walk *walk);
/* Count a file as unrecognised. One whose name calls it a document (NO_BLOCK, NO_ENVELOPE) is
 * listed as passed over as well. */
void check_walk_skip(struct check_walk *walk, bt_str path, enum check_left_out_reason reason);
/* How many files were passed over. */
size_t check_walk_skipped_count(const struct check_walk *walk);

/* Begin to walk through a folder; the walk before it must have come to its end. */
void check_walk_begin(struct check_walk *walk, const char *folder);
/*
 * The next item; false at the end. Folders that an earlier walk of the run has read are left out.
 */
bool check_walk_next(struct check_walk *walk, struct check_walk_item *out);
/* What the current walk has dropped, so far or, at its end, in all. */
struct check_walk_counts check_walk_dropped(const struct check_walk *walk);
/* True when the current walk met a folder that an earlier one has read. */
bool check_walk_has_repeated(const struct check_walk *walk);

/* True when the patterns leave out a path that was named; it is counted. */
bool check_walk_leaves_out(struct check_walk *walk, const char *path);

/* Put the members "skipped" and "walk" into the open object, as far as they apply. */
void check_walk_put_members(const struct check_walk *walk, struct bt_emit *emit);
/* Put a line for everything that was left out; nothing unless `lists_dropped` was set. */
void check_walk_put_dropped(struct check_walk *walk, struct bt_buf *buf);

#endif
