/* SPDX-License-Identifier: Apache-2.0 */
/* universal_run.h - shared by the commands that change or make universal handoffs. */
#ifndef BATON_APP_CLI_UNIVERSAL_RUN_H
#define BATON_APP_CLI_UNIVERSAL_RUN_H

#include <baton/universal.h>

#include "cli.h"
#include "input.h"

extern const struct cli_flag flag_write_root; /* --root DIR, also for written files */

struct cli_universal_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_universal_options how; /* how to judge */
    struct bt_universal_checker *universal;
    struct bt_universal_write_dirs roots; /* every --root, or the defaults */
};

/* Begin a run. False after an error message; else call universal_run_end(). */
bool universal_run_begin(struct cli_universal_run *run, const struct cli_options *options);
void universal_run_end(struct cli_universal_run *run);

/* Read a document: a file, or standard input for "-". False after an error message. */
bool universal_run_read(struct cli_universal_run *run, const char *operand, struct cli_input *out);

/* Log that the document was created, if it was, and print the result. Returns the exit code. */
int universal_run_written(struct cli_universal_run *run, bool dry_run,
                          struct bt_universal_result *result);

/* Print the error for a status with its reason. Returns CLI_FAILED. */
int universal_run_fail(bt_str path, enum bt_status status, const struct bt_error *error);

#endif
