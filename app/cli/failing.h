/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing.h - report what could not be judged: one line on standard error, and a failure in the
 * report.
 */
#ifndef BATON_APP_CLI_FAILING_H
#define BATON_APP_CLI_FAILING_H

#include "cli.h"

/* Add a failure to the report of the run; the caller has already printed the error. */
void cli_note_failure(const struct cli_options *options, bt_str path, enum bt_failure_reason reason,
                      const char *message);
/* Print "baton: cannot VERB PATH: MESSAGE", and add the failure to the report of the run. */
void cli_fail(const struct cli_options *options, const char *verb,
              const struct bt_failure *failure);

/* The reason for an errno of open(), stat() or readdir(). */
enum bt_failure_reason cli_reason_of_errno(int number);
/* The reason why a path could not be read with this status. */
enum bt_failure_reason cli_reason_of_path(const char *path, enum bt_status status);

#endif
