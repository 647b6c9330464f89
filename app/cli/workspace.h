/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace.h - which project a folder belongs to.
 */
#ifndef BATON_APP_CLI_WORKSPACE_H
#define BATON_APP_CLI_WORKSPACE_H

#include <baton/base.h>

/*
 * The name of the project in `root` (NULL: here): the identity of the remote `origin` in its
 * .git/config, which is read without running git; else the folder's name in small letters; else
 * `global`. BT_ENOMEM is its only failure.
 */
BT_MUST_USE enum bt_status cli_workspace(struct bt_arena *arena, const char *root, bt_str *out);

#endif
