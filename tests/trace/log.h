/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - logs written in a test, read and grouped.
 */
#ifndef BATON_TESTS_TRACE_LOG_H
#define BATON_TESTS_TRACE_LOG_H

#include "test.h"
#include "trace/trace.h"

struct log {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_trace_set *traces;
};

/* Read these texts as logs, in order, and group them. NULL ends the list. */
void log_read(struct log *log, const char *const *texts);
/* The same for one text of any length. */
void log_read_text(struct log *log, bt_str text);
void log_free(struct log *log);

/* The text of a view. Give it to free(). */
char *log_render(const struct log *log, enum bt_trace_view view, enum bt_trace_format form);

/* How many findings of all logs have this code. */
size_t log_count(const struct log *log, const char *code);

/* A line of a log: `{"trace_id":"t","timestamp":TIME,"event_type":TYPE,"workflow":NAME` and what
 * `more` adds, which begins with a comma or is "". */
#define LINE(time, type, workflow, more)                                                           \
    "{\"trace_id\":\"t\",\"timestamp\":\"" time "\",\"event_type\":\"" type                        \
    "\",\"workflow\":\"" workflow "\"" more "}\n"
#define AT(time) "2026-04-14T08:" time "Z"

#endif
