/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - baton.yaml, found and read before a command runs.
 */
#ifndef BATON_APP_CLI_SETTINGS_H
#define BATON_APP_CLI_SETTINGS_H

#include "cli.h"

/*
 * Read the configuration of a command that takes --config, and let it fill in what no flag says:
 * limits, fail level. False after a complaint: a configuration that is off is used by nobody.
 */
bool cli_settle(struct cli_options *options, struct bt_arena *arena);

/* Read the file at `path`, whose absence is no fault unless it was asked for (*out is then that of
 * an empty file). BT_EINVAL after a complaint. */
BT_MUST_USE enum bt_status cli_config_load(struct bt_arena *arena, const char *path, bool asked,
                                           const struct bt_config **out);

#endif
