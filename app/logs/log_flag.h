/* SPDX-License-Identifier: Apache-2.0 */
/* log_flag.h - the store that --log or logs.default means. */
#ifndef BATON_APP_LOGS_LOG_FLAG_H
#define BATON_APP_LOGS_LOG_FLAG_H

#include "cli/cli.h"
#include "config/logs.h"

/* The logs of the configuration. False after an error message: logs.root is not set. */
bool logs_find(const struct cli_options *options, struct bt_arena *arena, struct bt_logs *out);

/*
 * Put --store in the place of --log, if it was given, with the store of that log. False after an
 * error message: the log does not exist, or both flags were given.
 */
bool logs_resolve_flag(struct cli_options *options, struct bt_arena *arena);

/*
 * The store of the log that logs.default names; "" without that key. False after an error message.
 */
bool logs_find_default(const struct cli_options *options, struct bt_arena *arena, bt_str *out);

#endif
