/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root.h - the folder behind struct bt_root, and what the files that use one share.
 */
#ifndef BATON_SRC_BASE_ROOT_H
#define BATON_SRC_BASE_ROOT_H

#include <limits.h>

#include <baton/file.h>

struct bt_root {
    int fd;
};

/* Take over an open folder. BT_ENOMEM: the descriptor was closed. */
BT_MUST_USE enum bt_status bt_root_of_fd(int fd, struct bt_root **out, struct bt_error *error);

/*
 * The walk that stands in where the kernel has no openat2(), open to tests: open `path` (relative)
 * with open()'s flags beneath the folder root_fd, one component at a time and following no symbolic
 * link at all. Returns a descriptor, or -1 and errno; leaving by ".." is EXDEV.
 */
int bt_root_walk(int root_fd, const char *path, int flags);

/*
 * The walk behind bt_root_fetch(), open to tests: as above, but following links beneath the folder
 * by hand. Leaving it is EXDEV; a circle of links, or more than 40, is ELOOP.
 */
int bt_root_walk_linked(int root_fd, const char *path, int flags);

/* The walk behind bt_root_fetch_plain(), open to tests: no link is followed, and what may be one is
 * ELOOP. */
int bt_root_walk_plain(int root_fd, const char *path, int flags);

/* A path with its NUL byte, as the system wants it. BT_EINVAL: it is none. */
BT_MUST_USE enum bt_status bt_path_text(bt_str path, char out[PATH_MAX], struct bt_error *error);

/* Write all of it; false leaves errno. */
BT_MUST_USE bool bt_fd_write(int fd, bt_str content);
/* Make the names in an open folder durable; false leaves errno. */
BT_MUST_USE bool bt_fd_sync_folder(int fd);

#endif
