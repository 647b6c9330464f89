/* SPDX-License-Identifier: Apache-2.0 */
/* server_name.h - the command of a server -> its package and its name. */
#ifndef BATON_SRC_WRAP_SERVER_NAME_H
#define BATON_SRC_WRAP_SERVER_NAME_H

#include "base/str.h"

enum { BT_WRAP_NAME_BYTES_MAX = 64 };

/* True for [A-Za-z0-9][A-Za-z0-9._-]{0,63}. */
bool bt_wrap_name_is_valid(bt_str name);

/*
 * The package that a command starts: for npx, bunx, pnpx and uvx the value of --package, -p or
 * --from, else the first word that is not a flag; for docker and podman the image that follows
 * `run`. "": it starts none.
 */
bt_str bt_wrap_package(struct bt_str_list command);

/* True when the package names a version, a tag with a digit, or a digest. */
bool bt_wrap_package_is_versioned(bt_str package);

/* Make a name of a text: characters that names do not have become dashes, and leading ones are
 * dropped; "server" when nothing is left. In the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_name_clean(struct bt_arena *arena, bt_str text, bt_str *out);

/* The name of a command's server: its package without scope and version, else the file name of
 * `program` without its extension, else that of the command. In the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_name_make(struct bt_arena *arena, struct bt_str_list command,
                                             bt_str program, bt_str *out);

#endif
