/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - the log of the server: one line per event, on standard error.
 *
 * It never contains a token, a value of a header field or of a query, a document or an address
 * (unless addresses are configured). Only the event loop may use it.
 */
#ifndef BATON_APP_SERVE_LOG_H
#define BATON_APP_SERVE_LOG_H

#include "serve/call.h"

enum serve_log_level { LOG_DEBUG = 1, LOG_INFO, LOG_WARN, LOG_ERROR };

/* The configured format. */
struct serve_log_style {
    enum serve_log_level level;
    bool is_json;
    bool has_addresses;
};

/* The format that a configuration sets. */
struct serve_log_style log_style_of(const struct bt_config *config);

/*
 * Lines to be written. A slow reader of standard error does not block the server: lines are dropped
 * and counted.
 */
struct serve_log {
    struct serve_log_style style;
    struct bt_buf lines;
    uint64_t dropped;
};

void log_init(struct serve_log *log, const struct bt_config *config);
void log_free(struct serve_log *log);
/* Write what can be written now; with `all`, wait a short time for the rest. */
void log_flush(struct serve_log *log, bool all);

/* One line. Absent texts are "" or NULL. */
struct serve_log_line {
    enum serve_log_level level;
    const char *event;
    const struct serve_call *exchange;
    uint64_t ms;
    const char *address; /* shown only if addresses are configured */
    const char *detail;  /* for operators; never from a request */
};

void log_put(struct serve_log *log, bt_instant now, const struct serve_log_line *line);

#endif
