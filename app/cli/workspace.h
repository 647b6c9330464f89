/* SPDX-License-Identifier: Apache-2.0 */
/* workspace.h - the project that a directory belongs to. */
#ifndef BATON_APP_CLI_WORKSPACE_H
#define BATON_APP_CLI_WORKSPACE_H

#include <baton/base.h>

/*
 * The name of the project in `root` (NULL: the current directory): the identity of the remote
 * `origin` in its .git/config, which is read without running git; else the directory's name in
 * lower case; else `global`. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status cli_workspace(struct bt_arena *arena, const char *root, bt_str *out);

#endif
