/* SPDX-License-Identifier: Apache-2.0 */
/* govern_run.h - shared by the commands of `baton govern`. */
#ifndef BATON_APP_CLI_GOVERN_RUN_H
#define BATON_APP_CLI_GOVERN_RUN_H

#include "govern_flags.h"
#include "input.h"

struct cli_govern_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_governed_checker *governed;
    struct cli_governed flags;
    struct bt_report *report;
};

/*
 * Begin a run: everything that a command needs besides a store. With `wants_root` there must be a
 * governed root. False after an error message; call govern_run_end() in either case.
 */
bool govern_run_begin(struct cli_govern_run *run, const struct cli_options *options,
                      bool wants_root);
/* Free everything and return `code`. */
int govern_run_end(struct cli_govern_run *run, int code);

/* Print the error for a status about the governed root. Returns CLI_FAILED. */
int govern_run_fail(struct cli_govern_run *run, enum bt_status status);
/*
 * Write the report, with more members in the JSON formats. Returns the exit code for its verdicts.
 */
int govern_run_report(struct cli_govern_run *run, bt_str members);
#endif
