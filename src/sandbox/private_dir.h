/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private_dir.h - private folders of hosts, made and removed.
 */
#ifndef BATON_SRC_SANDBOX_PRIVATE_DIR_H
#define BATON_SRC_SANDBOX_PRIVATE_DIR_H

#include <baton/base.h>

/*
 * Make a new folder with a random name below `parent` (absolute), mode 0711: others may pass
 * through it and nothing more. On BT_OK *out is its path. BT_EIO: it cannot be made.
 */
BT_MUST_USE enum bt_status bt_private_dir_create(struct bt_arena *arena, bt_str parent, bt_str *out,
                                                 struct bt_error *error);

/*
 * Remove a folder and everything in it, however deep and whatever its modes. Follows no link. The
 * one who filled it must be dead. Gives up, quietly, after two million steps or at the first thing
 * that cannot be removed.
 */
void bt_private_dir_remove(bt_str path);

#endif
