/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grants.h - the list of files a host may touch, as it is put together.
 */
#ifndef BATON_SRC_SANDBOX_GRANTS_H
#define BATON_SRC_SANDBOX_GRANTS_H

#include "sandbox/landlock.h"

enum { BT_GRANTS_MAX = 1024 };

/* A list that grows in an arena; failure sticks, and the caller checks it once at the end. */
struct bt_sandbox_grant_list {
    struct bt_arena *arena;
    struct bt_sandbox_grant *items; /* BT_GRANTS_MAX of them */
    size_t count;
    enum bt_status status;
};

void bt_sandbox_grant_list_init(struct bt_sandbox_grant_list *list, struct bt_arena *arena);
/* Grant a path of the system. */
void bt_sandbox_grant_system(struct bt_sandbox_grant_list *list, bt_str path, unsigned access);
/* Grant a path beneath the organism's folder. */
void bt_sandbox_grant_tree(struct bt_sandbox_grant_list *list, bt_str path, unsigned access);
/* Grant what every host may read, with `exec` also run, and with `net` what names need. */
void bt_sandbox_grant_common(struct bt_sandbox_grant_list *list, bool exec, bool net);
/* Grant the folder of a file beneath the organism's folder or, when that is the organism's folder
 * itself, the *.py and *.so files directly in it: the organism file stays unreadable. */
void bt_sandbox_grant_code(struct bt_sandbox_grant_list *list, int root_fd, bt_str file);

#endif
