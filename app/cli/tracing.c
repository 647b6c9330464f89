/* SPDX-License-Identifier: Apache-2.0 */
/* tracing.c - --trace LOG: append an event about a handoff to a trace log. */
#include "tracing.h"

#include <assert.h>

/* clang-format off */
const struct cli_flag flag_trace_log = {"trace", 0, "LOG", CLI_FILE,
    "universal: append what happened to this trace log", NULL};
/* clang-format on */

enum bt_status cli_trace_judgement(const struct cli_options *options, struct bt_env *env,
                                   struct bt_arena *arena, enum bt_trace_event_type type,
                                   struct bt_judgement *judged)
{
    assert(judged);
    const char *log = cli_given(options, &flag_trace_log);
    if (!log || judged->dialect != BT_DIALECT_UNIVERSAL) {
        return BT_OK;
    }
    BT_TRY(bt_trace_log_judgement(env, arena, bt_str_of(log), type, judged));
    const enum bt_severity fail_level = options->fail_level;
    judged->verdict = bt_verdict_of(judged->findings, fail_level ? fail_level : BT_SEVERITY_HARD);
    return BT_OK;
}
