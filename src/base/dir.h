/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir.h - the folder behind struct bt_dir, and what the files that use one share.
 */
#ifndef BATON_SRC_BASE_DIR_H
#define BATON_SRC_BASE_DIR_H

#include <limits.h>

#include "base/file.h"
#include "base/memory_files.h"

struct bt_dir {
    int fd;                               /* -1 in memory, where nothing can be written */
    const struct bt_memory_files *memory; /* the files of a folder in memory; NULL: it has fd */
    bt_str below;                         /* the folder among them */
};

/* Take over an open folder. BT_ENOMEM: the descriptor was closed. */
BT_MUST_USE enum bt_status bt_dir_from_fd(int fd, struct bt_dir **out, struct bt_error *error);

/* The folder `below` of a folder in memory; see struct bt_memory_entry. */
BT_MUST_USE enum bt_status bt_dir_from_memory(const struct bt_memory_files *files, bt_str below,
                                              struct bt_dir **out, struct bt_error *error);

#ifndef BT_PROFILE_CORE

/*
 * The walk that stands in where the kernel has no openat2(), open to tests: open `path` (relative)
 * with open()'s flags beneath the folder root_fd, one component at a time and following no symbolic
 * link at all. Returns a descriptor, or -1 and errno; leaving by ".." is EXDEV.
 */
int bt_dir_open_path(int root_fd, const char *path, int flags);

/*
 * The walk behind bt_dir_read_linked(), open to tests: as above, but following links beneath the
 * folder by hand. Leaving it is EXDEV; a circle of links, or more than 40, is ELOOP.
 */
int bt_dir_open_path_linked(int root_fd, const char *path, int flags);

/* What becomes of symbolic links on the way; none may lead out of the folder. */
enum bt_dir_links {
    BT_DIR_LINKS_FOLLOWED = 1,
    BT_DIR_LINKS_REFUSED,
    BT_DIR_LINKS_OF_DEVICE, /* followed by the kernel, but not into another file system */
};

/* Open `path` (relative) with open()'s flags beneath the folder: by openat2() or, where the kernel
 * has none, by one of the walks above. Returns a descriptor, or -1 and errno. */
int bt_dir_open_beneath(int root_fd, const char *path, int flags, enum bt_dir_links links);

/* A path with its NUL byte, as the system wants it. BT_EINVAL: it is none. */
BT_MUST_USE enum bt_status bt_path_to_cstr(bt_str path, char out[PATH_MAX], struct bt_error *error);

/* Write all of it; false leaves errno. */
BT_MUST_USE bool bt_fd_write(int fd, bt_str content);
/* Make the names in an open folder durable; false leaves errno. */
BT_MUST_USE bool bt_fd_sync_dir(int fd);

#endif

#endif
