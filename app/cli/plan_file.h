/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file.h - change a plan in place while other processes do the same, without losing changes.
 */
#ifndef BATON_APP_CLI_PLAN_FILE_H
#define BATON_APP_CLI_PLAN_FILE_H

#include <limits.h>

#include <baton/base.h>

struct cli_plan_file {
    char path[PATH_MAX]; /* of the file itself, with links resolved */
    int fd;              /* holds the lock */
};

/*
 * Lock the file that `path` names, waiting for other writers. If the path names another file by
 * then, that one is locked instead. False after an error message. Release it with
 * plan_file_unlock().
 */
bool plan_file_lock(const char *path, struct cli_plan_file *out);
void plan_file_unlock(struct cli_plan_file *file);

/* Replace the content of a locked file. False after an error message. */
bool plan_file_replace(const struct cli_plan_file *file, bt_str content);

#endif
