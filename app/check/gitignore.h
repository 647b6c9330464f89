/* SPDX-License-Identifier: Apache-2.0 */
/* gitignore.h - read the .gitignore files of a folder and of the repository above it. */
#ifndef BATON_APP_CHECK_GITIGNORE_H
#define BATON_APP_CHECK_GITIGNORE_H

#include "pattern/ignore.h"

struct check_gitignore_folder {
    int fd;
    bt_str path;   /* absolute */
    bool is_first; /* a walk begins here: if it is a repository, .git/info/exclude counts */
};

/*
 * Add the patterns of a folder to *list, those of the folders above it; *list stays when the folder
 * has none. The list lives in the arena and points at folder->path as it was copied there.
 * BT_ELIMIT: *out_too_large is the name of a file with more than 1 MiB, and the other patterns were
 * added. BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status check_gitignore_of(struct bt_arena *arena,
                                              const struct check_gitignore_folder *folder,
                                              const struct bt_ignore_list **list,
                                              const char **out_too_large);

/*
 * Set *out to the patterns of the repository for what lies at the absolute path `real`, from the
 * root of the repository to the folder above `real`; NULL when there are none. Statuses as for
 * check_gitignore_of(), but *out_too_large is an absolute path.
 */
BT_MUST_USE enum bt_status check_gitignore_above(struct bt_arena *arena, bt_str real,
                                                 const struct bt_ignore_list **out,
                                                 const char **out_too_large);

#endif
