/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the server: settings, shared state, and what every request passes before and after its
 * handler.
 */
#ifndef BATON_APP_SERVE_SERVER_H
#define BATON_APP_SERVE_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "net/tls.h"
#include "operation/problem.h"
#include "serve/call.h"
#include "serve/credentials.h"
#include "serve/log.h"
#include "serve/logs.h"

/* ---- Settings -------------------------------------------------------------------------------- */

/* The command line. It holds for the life of the process and takes precedence over baton.yaml. */
struct serve_flags {
    const char *const *listen;
    size_t listen_count;
    const char *config;  /* NULL: no file was named */
    bool without_config; /* read no file */
    bool is_activated;   /* `listen` are inherited sockets; see activation.h */
    bool has_no_store;
    struct bt_ledger_options store;
    const char *root;
    const char *tokens;
    const char *tls_cert;
    const char *tls_key;
    const char *client_ca;
    bool plain_http;
    const char *witness;
    const char *organism;
    bool is_read_only;
    bool allows_test_key;
    bool has_fixtures;
    size_t workers; /* 0: the number of cores */
    bool is_json;
};

/*
 * One complete configuration: the file, the credentials, the certificates. A request keeps the one
 * it began under, and a wrapped server the one it was started under.
 */
struct serve_settings {
    struct bt_arena arena;
    atomic_size_t users; /* requests, wrapped servers, and the server itself */
    const struct bt_config *config;
    struct bt_worker_settings keys;     /* of `config`, and ... */
    struct bt_worker_settings log_keys; /* ... for logs that are not the default one */
    struct serve_log_settings logs;
    struct serve_credentials tokens;
    bool has_tokens;
    bool has_tls;
    bool has_client_ca;
    const char *key_path;
    struct bt_tls_options tls_options;
    struct bt_tls_context *tls; /* NULL: no TLS */
    struct http_limits limits;
    struct bt_policy policy; /* the settings that affect judgements */
    bt_str root;             /* the directory of the governed root `default` */
    bt_str organism;         /* path of the pump's organism; "": none */
    struct bt_limits reading;
    unsigned anonymous; /* scopes of anonymous callers */
    bool may_wrap;      /* the operator named the file, so that it may start programs */
};

/*
 * Load everything again. Errors in the configuration are added to `findings`; other reasons are in
 * `error`. On BT_OK *out has one user.
 */
BT_MUST_USE enum bt_status settings_load(struct bt_env *env, const struct serve_flags *flags,
                                         struct bt_findings *findings, struct serve_settings **out,
                                         struct bt_error *error);
/*
 * True when a new configuration changes a key that needs a restart; *out_key is the first such key.
 */
bool serve_settings_need_restart(const struct serve_settings *before,
                                 const struct serve_settings *after, const char **out_key);
/* The number of listen addresses, from the flags or else the file, and each of them. */
size_t settings_listen_count(const struct serve_flags *flags, const struct bt_config *config);
bt_str settings_listen_at(const struct serve_flags *flags, const struct bt_config *config,
                          size_t index);
/* Somebody who used them has ended; on any thread. */
void serve_settings_release(struct serve_settings *settings);

/* ---- Server ---------------------------------------------------------------------------------- */

enum { ROUTES_MAX = 128 };

/* All routes, and for each the first route with its path, which represents the path in metrics. */
struct serve_route_table {
    struct serve_route rows[ROUTES_MAX];
    size_t first[ROUTES_MAX];
    size_t plain[ROUTES_MAX]; /* bytes of the path before its first parameter */
    size_t count;
};

/* A listener as callers see it. */
struct serve_listener {
    struct bt_listen_address at;
    bt_str name;   /* its address as the host of a URL; "localhost" for a Unix socket */
    uint16_t port; /* the actual port; 0 for a Unix socket */
    bt_str url;    /* http://127.0.0.1:8420, or unix:PATH */
};

struct serve_listeners {
    struct serve_listener items[HTTP_LISTENERS_MAX];
    size_t count;
};

/* The token with which a local page reaches the server. */
struct serve_console_access {
    bool has_token;
    char token[TOKEN_TEXT_BYTES + 1];
    uint8_t digest[BT_SHA256_BYTES];
};

/* What is told about requests and commits. */
struct serve_observers {
    struct serve_metrics *metrics;
    struct serve_otlp *otlp;           /* exports spans; see otlp.h */
    struct serve_webhooks *webhooks;   /* sends handoffs to webhooks; see webhooks.h */
    struct serve_heartbeat *heartbeat; /* records that the server runs; see heartbeat.h */
    struct serve_peers *peers;         /* lets other servers cosign the log; see peers.h */
    struct serve_log log;
};

struct serve_store {
    struct bt_ledger *ledger;        /* of the writer; NULL: nothing is recorded */
    bt_str origin;                   /* of the ledger */
    struct bt_ledger_writer *writer; /* shared by all workers */
    const atomic_bool *has_failed;   /* of the writer; NULL: there is none */
    bool is_failing;                 /* the last commit failed; guarded by the lock */
    atomic_bool is_contradicted;     /* a receipt proves entries that the store does not have */
    struct serve_logs *logs;         /* besides the default one */
};

/* How far the server is stopped; guarded by the lock. */
struct serve_stop_state {
    uint64_t drain_ms; /* when to stop listening; 0: not stopping */
    uint64_t stop_ms;  /* when to be stopped; 0: not stopping */
    bool is_draining;  /* stopping: no longer ready */
    bool is_stopped;   /* no longer listening */
};

/* The threads that run calls. */
struct serve_worker_threads {
    struct serve_worker *items; /* see worker.c */
    size_t count;
};

/* What requests that belong together share. */
struct serve_conversations {
    struct serve_protocol_state *protocols; /* of MCP and A2A; see protocol_state.h */
    struct serve_wrap *wrap;                /* the wrapped servers; see wrap_channels.h */
};

struct serve_server {
    const struct serve_flags *flags;
    struct bt_arena arena; /* lives as long as the process */
    struct bt_env env;     /* not changed once workers run, because they copy it */
    struct bt_env ids;     /* a copy for the event loop: making an id changes it */
    bt_instant started;
    struct serve_settings *settings;
    struct http_server *server;
    struct serve_worker_threads workers;
    struct serve_listeners listening;
    struct serve_console_access console;
    struct serve_rates *rates;
    /* when no handler ran that could pose as a local caller; 0: unknown */
    uint64_t handlers_checked_ms;
    struct serve_conversations conversations;
    struct serve_observers observers;
    struct serve_route_table routes;
    bt_str openapi; /* the content of /openapi.json */
    struct serve_store store;
    pthread_mutex_t lock;        /* guards what workers and the event loop share */
    struct serve_settings *next; /* loaded but not yet in force; NULL: none; guarded by the lock */
    struct serve_stop_state stop;
};

/* ---- Admission (admit.c) --------------------------------------------------------------------- */

/* Admit a request, refuse one that cannot be parsed, finish one: for the events of the loop. */
bool serve_admit(struct serve_server *gateway, struct http_exchange *call);
void serve_reject(struct serve_server *gateway, struct http_exchange *call, enum http_error error);
void serve_finish(struct serve_server *gateway, struct http_exchange *call);
/* Add the header fields that every response has. The response is complete then. */
void exchange_end(struct serve_call *x);
/* Take the position in a trace from a request, or begin a trace. False: no randomness. */
bool serve_call_trace_begin(struct bt_env *env, const struct http_request *request,
                            struct serve_call_trace *out);
/* On the event loop: export the spans of a finished request. */
void serve_call_trace_export(struct serve_server *gateway, const struct serve_call *x);
/* Begin a call: ids, trace, settings. NULL when memory runs out. */
struct serve_call *exchange_begin(struct serve_server *gateway, struct http_exchange *call);

/* ---- Workers (worker.c) ---------------------------------------------------------------------- */

/* Start the threads of all lanes. */
BT_MUST_USE enum bt_status serve_workers_start(struct serve_server *gateway,
                                               const size_t counts[HTTP_LANES],
                                               struct bt_error *error);
/* After the event loop has ended: end the threads and wait for them. */
void serve_workers_stop(struct serve_server *gateway);
/*
 * Open the store for one thread in addition to the writer, unless *ledger is open. False: it
 * failed.
 */
bool gateway_open_store(struct serve_server *gateway, struct bt_ledger **ledger);

/* ---- Reload (reload.c) ----------------------------------------------------------------------- */

/*
 * On any thread: load configuration, credentials and certificates again, to be applied by the event
 * loop. Any status other than BT_OK: they cannot be used, and the old ones stay.
 */
BT_MUST_USE enum bt_status serve_reload(struct serve_server *gateway, struct bt_findings *findings,
                                        struct bt_error *error);
/* True when a loaded configuration waits to be applied. */
bool serve_reload_is_pending(struct serve_server *gateway);
/* On the event loop: apply what was loaded. */
void serve_reload_apply(struct serve_server *gateway);

/* ---- State of the store ---------------------------------------------------------------------- */

/* A commit succeeded or failed; `reason` is a label of the metrics, NULL for success. */
void serve_note_commit(struct serve_server *gateway, const char *reason);
/* True when the last commit failed. */
bool serve_store_is_failing(struct serve_server *gateway);
/* Called by a ledger when an event is durable, to count it. `context` is the server. */
void serve_count_ledger_event(void *context, bt_str kind, bt_str event);
/* True when nothing may be recorded: the operator said so, or the store was contradicted. */
bool serve_is_read_only(const struct serve_server *gateway);
/* True when the outcome of a commit is unknown, so that nothing more is recorded. */
bool serve_store_has_failed(struct serve_server *gateway);

/* ---- Process (serve.c) ----------------------------------------------------------------------- */

/* The output of the command that runs the server. */
struct serve_console_output {
    void *context;
    void (*complain)(const char *text);
    bool (*print)(bt_str text); /* writes to standard output at once */
    /* returns an exit code; prints an error if it is not 0 */
    int (*test_store)(void *context, const struct bt_config *config);
};

/* Test the store, listen, and serve until stopped. Returns the exit code. */
int serve_main(const struct serve_flags *flags, const struct serve_console_output *console);

/* ---- Routes (routes.c) ----------------------------------------------------------------------- */

/* Result of searching a route. */
enum serve_route_match {
    ROUTE_UNKNOWN = 1,
    ROUTE_OTHER_METHOD, /* the path exists, but not for this method */
    ROUTE_FOUND,
};

/* The path of the row at `index`; "" after the last. */
bt_str serve_route_path_at(size_t index);
/* Build the table of all routes. */
void serve_routes_build(struct serve_route_table *out);
/* Find the route of a request, and the parameters in its path. */
enum serve_route_match serve_route_find(const struct serve_route_table *table,
                                        struct serve_call *x);
/* The methods of the path, for Allow. */
void serve_route_put_methods(const struct serve_route_table *table, const struct serve_call *x,
                             struct bt_buf *buf);

#endif
