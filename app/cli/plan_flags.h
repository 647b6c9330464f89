/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_flags.h - how to judge plans: the flags that `check` and the commands of `baton plan` share.
 */
#ifndef BATON_APP_CLI_PLAN_FLAGS_H
#define BATON_APP_CLI_PLAN_FLAGS_H

#include <baton/plan.h>

#include "cli.h"

extern const struct cli_flag flag_edges;

/*
 * Set the options from these flags and the day; the caller sets the directory. False after an error
 * message.
 */
bool cli_plan_options(const struct cli_options *options, struct bt_plan_options *out);

/*
 * Open the directory of --root before anything is judged; the path NULL gives NULL. False after an
 * error message.
 */
bool cli_dir_open(const char *path, struct bt_dir **out);
/* Check that the directory, if it is not NULL, can be opened. False after an error message. */
bool cli_dir_exists(const char *path);

#endif
