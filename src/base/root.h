/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root.h - the walk that stands in where the kernel has no openat2(), open to tests.
 */
#ifndef BATON_SRC_BASE_ROOT_H
#define BATON_SRC_BASE_ROOT_H

/*
 * Open `path` (relative) with the flags of open() beneath the folder root_fd, one component at a
 * time and following no symbolic link at all. Returns a descriptor, or -1 and errno; leaving by
 * ".." is EXDEV.
 */
int bt_root_walk(int root_fd, const char *path, int flags);

#endif
