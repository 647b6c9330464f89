/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock.h - which files a host may touch, and the kernel's rule set for it.
 */
#ifndef BATON_SRC_SANDBOX_LANDLOCK_H
#define BATON_SRC_SANDBOX_LANDLOCK_H

#include <baton/base.h>

enum bt_sandbox_access {
    BT_GRANT_READ = 1,    /* read files, list folders */
    BT_GRANT_EXECUTE = 2, /* run programs */
    BT_GRANT_WRITE = 4,   /* make, change and remove below a folder; write to a file */
};

/* A file, or a folder and all below it. */
struct bt_sandbox_grant {
    const char *path;
    unsigned access; /* enum bt_sandbox_access, or-ed */
    bool beneath;    /* the path is relative to the organism's folder and may not leave it */
};

struct bt_sandbox_grants {
    const struct bt_sandbox_grant *items;
    size_t count;
    int root_fd; /* the organism's folder */
    bool tcp;    /* TCP is left alone */
};

/* The version of the kernel's ABI; 0: there is none. */
uint32_t bt_landlock_abi(void);

/*
 * Make a rule set that denies everything the ABI knows but the grants. Paths that do not exist are
 * passed over: nothing can be read there. On BT_OK *out_fd is a descriptor that the caller closes;
 * a process that restricts itself with it cannot go back. BT_EDENIED: a path leaves the organism's
 * folder. BT_EIO: the kernel refused.
 */
BT_MUST_USE enum bt_status bt_landlock_prepare(uint32_t abi, const struct bt_sandbox_grants *grants,
                                               int *out_fd, struct bt_error *error);

/* Restrict the calling thread, for ever; async-signal-safe. False leaves errno. */
BT_MUST_USE bool bt_landlock_enter(int ruleset_fd);

#endif
