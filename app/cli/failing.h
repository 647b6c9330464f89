/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing.h - what could not be judged: one line on standard error, and an item of the report.
 */
#ifndef BATON_APP_CLI_FAILING_H
#define BATON_APP_CLI_FAILING_H

#include "cli.h"

/* Add a failure to the report of the run, for a caller that has complained already. */
void cli_note_failure(const struct cli_options *options, bt_str path, enum bt_failure_reason reason,
                      const char *message);
/* "baton: cannot VERB PATH: MESSAGE", and the failure in the report of the run. */
void cli_fail(const struct cli_options *options, const char *verb,
              const struct bt_failure *failure);

/* The reason that an errno of open(), stat() or readdir() stands for. */
enum bt_failure_reason cli_reason_of_errno(int number);
/* The reason why a path could not be read with this status. */
enum bt_failure_reason cli_reason_of_path(const char *path, enum bt_status status);

#endif
