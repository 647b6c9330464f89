/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - what the server says about itself: one line for an event, on standard error.
 *
 * Never a token, a value of a field or of a query, a document or an address (unless the operator
 * wants addresses). For the loop alone.
 */
#ifndef BATON_APP_SERVE_LOG_H
#define BATON_APP_SERVE_LOG_H

#include "serve/call.h"

enum serve_log_level { LOG_DEBUG = 1, LOG_INFO, LOG_WARN, LOG_ERROR };

/* How the operator wants it. */
struct serve_log_style {
    enum serve_log_level level;
    bool is_json;
    bool has_addresses;
};

struct serve_log_style log_style_of(const struct bt_config *config);

/* Lines on their way: who does not read them keeps nobody waiting. */
struct serve_log {
    struct serve_log_style style;
    struct bt_buf lines;
    uint64_t dropped;
};

void log_init(struct serve_log *log, const struct bt_config *config);
void log_free(struct serve_log *log);
/* Write what can be written now; `all` waits for the rest a little. */
void log_flush(struct serve_log *log, bool all);

/* Absent texts are "" or NULL. */
struct serve_log_line {
    enum serve_log_level level;
    const char *event;
    const struct serve_call *exchange;
    uint64_t ms;
    const char *address; /* shown only if the operator wants addresses */
    const char *detail;  /* for operators; of our own making */
};

void log_put(struct serve_log *log, bt_instant now, const struct serve_log_line *line);

#endif
