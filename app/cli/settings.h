/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - the configuration, found and read before a command runs.
 */
#ifndef BATON_APP_CLI_SETTINGS_H
#define BATON_APP_CLI_SETTINGS_H

#include "cli.h"

/*
 * Read the configuration of a command that takes --config, and let it fill in what no flag says:
 * limits, fail level. False after a complaint: a configuration that is off is used by nobody.
 */
bool cli_resolve_settings(struct cli_options *options, struct bt_arena *arena);

/* Read the configuration that `wish` asks for; *out is left alone when it cannot be used. False
 * after a complaint; `error` says more when a file could not be read. */
bool cli_config_load(struct bt_arena *arena, const struct config_load_options *load_options,
                     struct config_load_loaded *loaded, const struct bt_config **out,
                     struct bt_error *error);

#endif
