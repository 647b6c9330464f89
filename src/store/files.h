/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - small files that must be complete or absent: keys, heads, receipts, tiles. */
#ifndef BATON_SRC_STORE_FILES_H
#define BATON_SRC_STORE_FILES_H

#include <baton/base.h>

struct bt_store_file_mode {
    uint32_t mode;    /* of the file, independent of the umask */
    bool replacing;   /* an existing file is replaced; else it is BT_EDENIED */
    bool is_unsynced; /* it need not survive a power failure */
};

/* Write a temporary file beside it, sync, rename, sync the folder. `path` is followed by a NUL
 * byte. BT_ELIMIT: the disk is full, and there is nothing to undo. */
BT_MUST_USE enum bt_status bt_store_write_file(const char *path, bt_str content,
                                               struct bt_store_file_mode mode,
                                               struct bt_error *error);
/* Make the names in a folder durable. */
BT_MUST_USE enum bt_status bt_store_sync_dir(const char *folder, struct bt_error *error);
/* Create a folder, unless it exists, and make its name durable. */
BT_MUST_USE enum bt_status bt_store_make_dir(const char *folder, uint32_t mode,
                                             struct bt_error *error);

#endif
