/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - paths as names, without looking at files. */
#ifndef BATON_SRC_BASE_PATH_H
#define BATON_SRC_BASE_PATH_H

#include <baton/base.h>

/* Take the next part of a path, without slashes, from *at on. False after the last. */
bool bt_path_next(bt_str path, size_t *at, bt_str *out);
/* The next part that is not "."; "" after the last. */
bt_str bt_path_next_component(bt_str path, size_t *at);
/* True when one of its parts is "..". */
bool bt_path_has_parent(bt_str path);
/* What stands before the last slash; "" when there is nothing. */
bt_str bt_path_parent(bt_str path);
/*
 * An absolute path without `.`, `..` and empty parts, which are resolved by name, in the arena and
 * followed by a NUL byte; "" is the root. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_path_resolve(struct bt_arena *arena, bt_str path, bt_str *out);

#endif
