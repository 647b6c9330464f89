/* SPDX-License-Identifier: Apache-2.0 */
/* tracing.h - --trace LOG: append an event about a handoff to a trace log. */
#ifndef BATON_APP_CLI_TRACING_H
#define BATON_APP_CLI_TRACING_H

#include <baton/trace.h>

#include "cli.h"

extern const struct cli_flag flag_trace_log;

/*
 * Append the event if the flag was given and the document is a universal handoff. A failure to log
 * becomes a finding of the document, and its verdict is computed again.
 */
BT_MUST_USE enum bt_status cli_trace_judgement(const struct cli_options *options,
                                               struct bt_env *env, struct bt_arena *arena,
                                               enum bt_trace_event_type type,
                                               struct bt_judgement *judged);

#endif
