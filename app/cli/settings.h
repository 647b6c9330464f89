/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - find and load the configuration before a command runs. */
#ifndef BATON_APP_CLI_SETTINGS_H
#define BATON_APP_CLI_SETTINGS_H

#include "cli.h"

/*
 * Load the configuration of a command that has --config, and use it for limits and the fail level
 * where no flag is given. False after an error message: an invalid configuration is not used at
 * all.
 */
bool cli_resolve_settings(struct cli_options *options, struct bt_arena *arena);

/*
 * Load a configuration; *out is unchanged when it cannot be used. False after an error message;
 * `error` is set when a file could not be read.
 */
bool cli_config_load(struct bt_arena *arena, const struct config_load_options *load_options,
                     struct config_load_loaded *loaded, const struct bt_config **out,
                     struct bt_error *error);

#endif
