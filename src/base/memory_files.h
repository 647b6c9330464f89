/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_files.h - files that lie in memory, as a directory that is read through struct bt_dir.
 *
 * There are no symbolic links. Files are added and never changed or removed. Paths are resolved
 * like those of a real directory. This file uses nothing of the operating system.
 */
#ifndef BATON_SRC_BASE_MEMORY_FILES_H
#define BATON_SRC_BASE_MEMORY_FILES_H

#include "base/file.h"

struct bt_memory_files;

/* Make an empty directory whose files take at most so many bytes. NULL: no memory. */
struct bt_memory_files *bt_memory_files_create(size_t bytes_max);
/* Destroy it, after every struct bt_dir of it was closed. NULL is allowed. */
void bt_memory_files_destroy(struct bt_memory_files *files);

/*
 * Add a file; path and content are copied. "." and doubled slashes are removed from the path.
 * BT_EINVAL: the path is not one of a file below the directory, or a part of it is a file.
 * BT_EEXIST: there is such a file or directory. BT_ELIMIT: there are too many files, or too many
 * bytes. BT_ENOMEM: no memory. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_memory_files_add(struct bt_memory_files *files, bt_str path,
                                               bt_str content, struct bt_error *error);

/* ---- For the files that implement struct bt_dir ---------------------------------------------- */

/* What a path below a directory in memory leads to. */
struct bt_memory_entry {
    enum bt_file_kind kind;   /* BT_OUTSIDE_ROOT: it leaves the directory */
    enum bt_path_error error; /* of a reader of files */
    bt_str path;              /* of a directory, with a final slash; "" for the whole */
    bt_str content;           /* of a file */
};

/* Look up a path, which starts in the directory `below`, a path as above. BT_EINVAL: it is empty,
 * has 4096 bytes or more, or holds a NUL byte. */
BT_MUST_USE enum bt_status bt_memory_files_find(const struct bt_memory_files *files, bt_str below,
                                                bt_str path, struct bt_memory_entry *out,
                                                struct bt_error *error);
/* Read a file like bt_dir_read_linked(). */
BT_MUST_USE enum bt_status bt_memory_files_read(const struct bt_memory_files *files, bt_str below,
                                                struct bt_arena *arena, bt_str path,
                                                uint64_t max_bytes, struct bt_dir_file *out,
                                                struct bt_error *error);
/* List the names in a directory like bt_dir_list(). */
BT_MUST_USE enum bt_status bt_memory_files_list(const struct bt_memory_files *files, bt_str below,
                                                struct bt_arena *arena, const bt_str **out,
                                                size_t *out_count);
/* The identity of a file; all zero for what is not a file. */
struct bt_file_identity bt_memory_entry_identity(const struct bt_memory_entry *entry);

#endif
