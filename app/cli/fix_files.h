/* SPDX-License-Identifier: Apache-2.0 */
/* fix_files.h - change files in place: check --fix, and locked plans. */
#ifndef BATON_APP_CLI_FIX_FILES_H
#define BATON_APP_CLI_FIX_FILES_H

#include <limits.h>

#include <baton/base.h>

#include "cli.h"
#include "engine/fix.h"

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

struct cli_fix_run {
    bool wanted; /* fix, in the files or only in what is shown */
    bool unsafe;
    bool diff;           /* show the changes, and write nothing */
    struct bt_buf shown; /* the diffs, when they replace the report */
};

/* Read the flags. False after an error message. Call cli_fixing_end() at the end. */
bool cli_fixing_begin(const struct cli_options *options, struct cli_fix_run *out);
void cli_fixing_end(struct cli_fix_run *fixing);

/* True when the diffs replace the report. */
bool cli_fix_run_has_one_document(const struct cli_options *options,
                                  const struct cli_fix_run *fixing);

/*
 * Fix a document and set *out to the judgement of the result. If it changed, the file is replaced
 * unless the change is only shown; *out_written is false, after an error message, when that failed.
 * A status is that of bt_fix().
 */
BT_MUST_USE enum bt_status cli_fix_document(struct cli_fix_run *fixing,
                                            const struct bt_fix_input *input,
                                            struct bt_arena *arena, struct bt_judgement *out,
                                            bool *out_written);

/* Print the diffs: as they are or, to a terminal, with control characters escaped. */
bool cli_fixing_print(const struct cli_fix_run *fixing);

#endif
