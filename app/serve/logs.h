/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - the logs of a server besides the default one, opened when they are asked for.
 *
 * An open log has one writer, on a thread that the hash of its name chooses, and handles for
 * readers. Above logs.open the log that was used least recently is closed. A log that cannot be
 * opened or fails its checks is unavailable for a second, and the others go on.
 */
#ifndef BATON_APP_SERVE_LOGS_H
#define BATON_APP_SERVE_LOGS_H

#include "config/logs.h"
#include "ledger/issuers.h"
#include "serve/call.h"

struct serve_logs;

/* The keys logs.* of a configuration. */
struct serve_log_settings {
    struct bt_logs where; /* a root of "": there are none */
    size_t open_max;
    size_t writers;
    struct bt_issuers issuers; /* whose statements logs of statements take */
};

/* Read the keys, and the files of issuers. BT_EINVAL: a file has no usable key; `error` says
 * which. */
BT_MUST_USE enum bt_status serve_log_settings_read(struct bt_arena *arena,
                                                   const struct bt_config *config,
                                                   struct serve_log_settings *out,
                                                   struct bt_error *error);

/* Make the table of open logs, which is empty. NULL when memory runs out. */
struct serve_logs *serve_logs_create(struct serve_server *gateway);
/* Close all logs, which nobody uses any more. NULL is allowed. */
void serve_logs_destroy(struct serve_logs *logs);

/* ---- Admission, on the event loop ------------------------------------------------------------ */

/* Split /logs/NAME off the path of a request, where the server has logs. */
void serve_logs_take_prefix(struct serve_call *x);
/* True when the name of the request is that of the default log. */
bool serve_logs_is_default(struct serve_logs *logs, const struct serve_call *x);
/* True when the log of the request exists. */
bool serve_logs_exists(struct serve_logs *logs, struct serve_call *x);

/* ---- Use, on workers ------------------------------------------------------------------------- */

enum serve_log_result {
    SERVE_LOG_OPEN = 1,
    SERVE_LOG_UNKNOWN,     /* there is none of this name */
    SERVE_LOG_UNAVAILABLE, /* it cannot be used now, or too many others are in use */
};

/* True when the log of the request is open, so that it can be used without waiting for the disk. */
bool serve_log_is_open(struct serve_logs *logs, const struct serve_call *x);
/* Open the log of the request, unless it is held, and hold it until serve_log_release(). Before the
 * first request that records, the start of the log is recorded; before it is closed, its stop. */
enum serve_log_result serve_log_hold(struct serve_logs *logs, struct serve_call *x);
/* Give it back; it may be closed now. NULL is allowed. Never waits. */
void serve_log_release(struct serve_open_log *log);
/* True when it takes statements of others, and no decisions. */
bool serve_log_has_statements(const struct serve_open_log *log);
/* What its submissions go to; NULL: the server records no decisions there. */
struct bt_ledger_writer *serve_log_writer(struct serve_open_log *log);
/* Set when a receipt proves entries that the log does not have. */
atomic_bool *serve_log_contradiction(struct serve_open_log *log);
/* A handle for one thread; NULL: it cannot be opened. */
struct bt_ledger *serve_log_take_reader(struct serve_open_log *log);
/* Give a handle back; one that has failed is closed. NULL is allowed. */
void serve_log_return_reader(struct serve_open_log *log, struct bt_ledger *reader, bool has_failed);

/* Ask for a heartbeat of one open log that was quiet for the interval. Returns when to call
 * again. */
uint64_t serve_logs_beat(struct serve_logs *logs, uint64_t interval_s);

/* How many logs there are, and are open. False: the server has no other logs. */
bool serve_logs_count(struct serve_call *x, size_t *out_known, size_t *out_open);

#endif
