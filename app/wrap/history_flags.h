/* SPDX-License-Identifier: Apache-2.0 */
/* history_flags.h - which recorded calls a command is about. */
#ifndef BATON_APP_WRAP_HISTORY_FLAGS_H
#define BATON_APP_WRAP_HISTORY_FLAGS_H

#include "cli/run.h"
#include "wrap/history.h"

/* Read --server, --tool, --session, --event, --since and --until. False after an error message. */
bool wrap_take_history_filter(struct cli_run *run, struct bt_wrap_history_filter *out);

#endif
