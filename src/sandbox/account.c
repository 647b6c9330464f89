/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.c - the name of an account -> user and group of a child; reports early when the account
 * could not reach the files.
 */
#include "sandbox/account.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"

enum { ENTRY_BYTES_MAX = 16384 };

/* A host has only the group of the account, so only these bits matter. */
static bool may_enter(const struct stat *about, const struct bt_host_launch_context *context)
{
    const mode_t bit = about->st_uid == context->uid   ? S_IXUSR
                       : about->st_gid == context->gid ? S_IXGRP
                                                       : S_IXOTH;
    return context->uid == 0 || (about->st_mode & bit) != 0;
}

/* The account must be allowed to enter every folder of the path. */
static enum bt_status check_path_access(const struct bt_host_launch_context *context, bt_str name,
                                        struct bt_error *error)
{
    char path[PATH_MAX];
    struct stat about;
    BT_TRY(bt_path_to_cstr(context->root, path, error));
    for (size_t i = 1; i <= context->root.len; i++) {
        const char here = path[i];
        if (here != '/' && here != '\0') {
            continue;
        }
        path[i] = '\0';
        if (stat(path, &about) != 0) {
            return bt_error_errno(error, NULL, path);
        }
        if (!may_enter(&about, context)) {
            return bt_error_set(
                error, BT_ENOENT,
                "sandbox_user: the account %.*s may not enter %s: move the organism, or "
                "chmod o+x it",
                BT_STR_ARG(name), path);
        }
        path[i] = here;
    }
    return BT_OK;
}

enum bt_status bt_sandbox_switch_account(struct bt_host_launch_context *context, bt_str name,
                                         struct bt_error *error)
{
    char text[PATH_MAX];
    char entry[ENTRY_BYTES_MAX];
    struct passwd account;
    struct passwd *found = NULL;
    if (name.len == 0 || geteuid() != 0) {
        return BT_OK;
    }
    BT_TRY(bt_path_to_cstr(name, text, error));
    const int why = getpwnam_r(text, &account, entry, sizeof(entry), &found);
    if (!found) {
        return why == 0 || why == ENOENT
                   ? bt_error_set(error, BT_ENOENT, "sandbox_user: the account %s does not exist",
                                  text)
                   : bt_error_set(error, BT_EIO, "sandbox_user: %s: %s", text, strerror(why));
    }
    context->drop_user = true;
    context->uid = account.pw_uid;
    context->gid = account.pw_gid;
    return check_path_access(context, name, error);
}
