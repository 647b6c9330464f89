/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_files.h - what the file system says about every file whose change matters to a watch.
 */
#ifndef BATON_APP_CHECK_WATCH_FILES_H
#define BATON_APP_CHECK_WATCH_FILES_H

#include "path_list.h"
#include "walk.h"
#include "watch.h"

/* Path, identity, size and times of each file, in the order in which they were found. */
struct check_watch_files {
    struct bt_buf facts;
};

void check_watch_files_init(struct check_watch_files *files);
void check_watch_files_free(struct check_watch_files *files);

/* Which files matter. */
struct check_watch_places {
    struct check_path_list paths;          /* what is checked: files and folders ... */
    const struct check_walk_options *walk; /* ... and what walks through them drop */
    struct check_path_list files;          /* others, which need not exist */
    struct check_path_list trees;          /* folders in which every file matters */
    bool has_project;                      /* a project's configuration file is looked for */
};

/*
 * Set *out to the present state of these files, and watch their folders and no others. When memory
 * runs out, the state equals no other.
 */
void check_watch_files_take(struct check_watch *watch, const struct check_watch_places *places,
                            const uint64_t seed[2], struct check_watch_files *out);
/* True when nothing has changed. */
bool check_watch_files_equal(const struct check_watch_files *a, const struct check_watch_files *b);

#endif
