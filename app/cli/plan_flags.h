/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_flags.h - how to judge plans: the flags that check and the commands of `baton plan` share.
 */
#ifndef BATON_APP_CLI_PLAN_FLAGS_H
#define BATON_APP_CLI_PLAN_FLAGS_H

#include <baton/plan.h>

#include "cli.h"

extern const struct cli_flag flag_edges;

/* What these flags and the day say; the root is left to the caller. False after a complaint. */
bool cli_plan_options(const struct cli_options *options, struct bt_plan_options *out);

/* Open the folder of --root before anything is judged; NULL gives NULL. False after a complaint. */
bool cli_dir_open(const char *path, struct bt_dir **out);
/* Whether that folder, if one is given, can be opened. False after a complaint. */
bool cli_dir_exists(const char *path);

#endif
