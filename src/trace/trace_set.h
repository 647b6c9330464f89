/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_set.h - the events of some logs, and the traces they are grouped into.
 */
#ifndef BATON_SRC_TRACE_TRACE_SET_H
#define BATON_SRC_TRACE_TRACE_SET_H

#include "base/vec.h"
#include "trace/trace.h"

struct bt_trace_log {
    struct bt_judgement judged;    /* path, text and findings */
    struct bt_trace_event *events; /* in the order of their lines */
    size_t event_count;
};

struct bt_trace_set {
    const struct bt_env *env;
    struct bt_arena *arena;
    BT_VEC(struct bt_trace_log) logs;
    size_t line_count;
    size_t event_count;
    struct bt_trace *items; /* in the order in which they are shown */
    size_t count;
};

#endif
