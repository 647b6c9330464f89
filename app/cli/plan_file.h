/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file.h - a plan that is changed in place by several writers: one at a time, none lost.
 */
#ifndef BATON_APP_CLI_PLAN_FILE_H
#define BATON_APP_CLI_PLAN_FILE_H

#include <limits.h>

#include <baton/base.h>

struct cli_plan_file {
    char path[PATH_MAX]; /* of the file itself, links followed */
    int fd;              /* it is locked through this */
};

/*
 * Lock the file that `path` names, waiting for other writers; when it has become another file
 * meanwhile, that one is locked instead. False after a complaint. Ended with plan_file_unlock().
 */
bool plan_file_lock(const char *path, struct cli_plan_file *out);
void plan_file_unlock(struct cli_plan_file *file);

/* Replace the content of a locked file. False after a complaint. */
bool plan_file_replace(const struct cli_plan_file *file, bt_str content);

#endif
