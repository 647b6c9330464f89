/* SPDX-License-Identifier: Apache-2.0 */
/* history_json.h - recorded calls as the objects that commands and the server answer with. */
#ifndef BATON_SRC_WRAP_HISTORY_JSON_H
#define BATON_SRC_WRAP_HISTORY_JSON_H

#include "wrap/history.h"

/* Put the members `baton`, `origin` and `calls` of a list. */
void bt_wrap_past_calls_emit(struct bt_emit *emit, bt_str origin,
                             const struct bt_wrap_past_calls *calls);
/* Put the members `baton`, `seq`, `ref`, `entry` and `call` of one call. */
void bt_wrap_past_call_emit_whole(struct bt_emit *emit, bt_str origin,
                                  const struct bt_wrap_past_call *call);
/* Put the counts of tools, which are sorted by server, as one object. */
void bt_wrap_stats_emit(struct bt_emit *emit, const struct bt_wrap_tool_stats *tools, size_t count);

#endif
