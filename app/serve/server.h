/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the server of Baton: what every request passes before and after its handler.
 */
#ifndef BATON_APP_SERVE_SERVER_H
#define BATON_APP_SERVE_SERVER_H

#include <pthread.h>

#include "http/tls.h"
#include "serve/call.h"
#include "serve/credentials.h"
#include "serve/log.h"
#include "serve/problem.h"

/* ---- Settings -------------------------------------------------------------------------------- */

/* What the command line says. It holds for the life of the process and beats baton.yaml. */
struct serve_flags {
    const char *const *listen;
    size_t listen_count;
    const char *config;  /* NULL: no file was named */
    bool without_config; /* read no file */
    bool is_activated;   /* `listen` are sockets that we were started with; see activation.h */
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

/* One configuration, complete: the file, the tokens, the certificates. Requests keep the one they
 * began under. Used and freed by the loop. */
struct serve_settings {
    struct bt_arena arena;
    size_t users; /* requests, and the gateway itself */
    const struct bt_config *config;
    struct bt_worker_settings keys; /* of `config` */
    struct serve_credentials tokens;
    bool has_tokens;
    bool has_tls;
    bool has_client_ca;
    const char *key_path;
    struct bt_tls_options tls_options;
    struct bt_tls_context *tls; /* NULL: in clear */
    struct http_limits limits;
    bt_str policy;   /* digest of the settings that judge */
    bt_str root;     /* the folder that is the root `default` */
    bt_str organism; /* the file of the pump's organism; "" for none */
    struct bt_limits reading;
    unsigned anonymous; /* scopes of callers without a name */
};

/* Read everything again. What is wrong with the configuration is added to `findings`; other
 * reasons are in `error`. On BT_OK *out has one user. */
BT_MUST_USE enum bt_status settings_load(struct bt_env *env, const struct serve_flags *flags,
                                         struct bt_findings *findings, struct serve_settings **out,
                                         struct bt_error *error);
/* Whether a new configuration changes what needs a restart; *out_key is the first such key. */
bool serve_settings_need_restart(const struct serve_settings *before,
                                 const struct serve_settings *after, const char **out_key);
/* Where to listen: the flags, or else the file. */
size_t settings_listen_count(const struct serve_flags *flags, const struct bt_config *config);
bt_str settings_listen_at(const struct serve_flags *flags, const struct bt_config *config,
                          size_t index);
/* A request that used them is over. */
void serve_settings_release(struct serve_settings *settings);

/* ---- The gateway ----------------------------------------------------------------------------- */

enum { ROUTES_MAX = 256 };

/* All rows, and for each the first row of its path, which stands for the path in metrics. */
struct serve_route_table {
    const struct serve_route *rows[ROUTES_MAX];
    size_t first[ROUTES_MAX];
    size_t plain[ROUTES_MAX]; /* bytes of the path before its first parameter */
    size_t count;
};

enum { RANDOM_BYTES = 4096 };

/* Randomness fetched in one go and used once; for the loop alone. */
struct serve_random_pool {
    bt_random_fn *random;
    void *context;
    size_t left;
    uint8_t bytes[RANDOM_BYTES];
};

/* A listener as it is known to callers. */
struct serve_listener {
    struct bt_listen_address at;
    bt_str name;   /* its address as a host of a URL; "localhost" for a Unix socket */
    uint16_t port; /* that was taken; 0 for a Unix socket */
    bt_str url;    /* http://127.0.0.1:8420, or unix:PATH */
};

struct serve_server {
    const struct serve_flags *flags;
    struct bt_arena arena; /* lives as long as the process */
    struct bt_env env;
    struct bt_env ids; /* the same with a pool, for ids of requests */
    struct serve_random_pool pool;
    bt_instant started;
    struct serve_settings *settings;
    struct http_server *server;
    struct serve_listener listeners[HTTP_LISTENERS_MAX];
    size_t listener_count;
    bool has_console_token;
    char console_token[TOKEN_TEXT_BYTES + 1];
    uint8_t console_digest[BT_SHA256_BYTES];
    struct serve_rates *rates;
    uint64_t handlers_checked_ms; /* when nobody ran who could pose as a local caller; 0: unknown */
    struct serve_protocol_state
        *protocols; /* what MCP and A2A share among requests; see protocols.h */
    struct serve_metrics *metrics;
    struct serve_otlp *otlp;         /* where spans go; see otlp.h */
    struct serve_webhooks *webhooks; /* where handoffs go as well; see webhooks.h */
    struct serve_log log;
    struct serve_route_table routes;
    bt_str openapi;                  /* the document of /openapi.json */
    struct bt_ledger *ledger;        /* of the writer; NULL: nothing is recorded */
    bt_str origin;                   /* of the same */
    struct bt_ledger_writer *writer; /* that all workers share */
    pthread_mutex_t lock;            /* of what follows, which workers and the loop share */
    struct serve_settings *next;     /* read again, and not yet in force; NULL: none */
    bool is_failing;                 /* a commit failed, and none has succeeded since */
    uint64_t drain_ms;               /* when to stop listening; 0: not yet told to */
    uint64_t stop_ms;                /* when to have stopped; 0: not yet told to */
    bool is_draining;                /* told to stop: no longer ready */
    bool is_stopped;                 /* and no longer listening */
};

/* ---- On the way in (admit.c) ----------------------------------------------------------------- */

bool serve_admit(void *context, struct http_exchange *call);
void serve_reject(void *context, struct http_exchange *call, struct http_error refusal);
void serve_finish(void *context, struct http_exchange *call);
/* The fields that every answer has. The answer is complete then. */
void exchange_end(struct serve_call *x);
/* Find out where a request stands in a trace, or begin one. False: there is no randomness. */
bool serve_call_trace_begin(struct bt_env *env, const struct http_request *request,
                            struct serve_call_trace *out);
/* In the loop: hand on the spans of a request that is over. */
void serve_call_trace_export(struct serve_server *gateway, const struct serve_call *x);
/* Begin an exchange for a call: ids, trace, settings. NULL when there is no memory. */
struct serve_call *exchange_begin(struct serve_server *gateway, struct http_exchange *call);

/* ---- Workers (worker.c) ---------------------------------------------------------------------- */

void *serve_worker_create(void *context, enum http_lane lane);
void serve_worker_destroy(void *context, void *worker);
void serve_run_call(void *context, struct http_exchange *call, void *worker);
/* Open the store for one thread beside the writer, unless *ledger is open. False: it cannot be. */
bool gateway_open_store(struct serve_server *gateway, struct bt_ledger **ledger);

/* ---- Reading again (reload.c) ---------------------------------------------------------------- */

/* In any thread: read configuration, tokens and certificates again, to be put in force by the loop.
 * BT_EINVAL and others: it was refused, and the old ones stay. */
BT_MUST_USE enum bt_status serve_reload(struct serve_server *gateway, struct bt_findings *findings,
                                        struct bt_error *error);
/* Whether what was read last waits to be put in force. */
bool serve_reload_is_pending(struct serve_server *gateway);
/* In the loop: put in force what was read. */
void serve_reload_apply(struct serve_server *gateway);

/* ---- The store as it is doing ---------------------------------------------------------------- */

/* A commit succeeded or failed; `reason` in the words of the metrics, NULL for success. */
void serve_note_commit(struct serve_server *gateway, const char *reason);
bool serve_store_is_failing(struct serve_server *gateway);
/* Told by a ledger: an event is durable, and counts. `context` is the gateway. */
void serve_count_ledger_event(void *context, bt_str kind, bt_str event);
/* Whether a commit of the store beside us failed when it had begun, so that no more is recorded. */
bool serve_store_has_failed(struct serve_server *gateway);

/* ---- The process (serve.c) ------------------------------------------------------------------- */

/* The command around the server. */
struct serve_console_output {
    void *context;
    void (*complain)(const char *text);
    bool (*print)(bt_str text);       /* to standard output, at once */
    int (*test_store)(void *context); /* an exit code; other than 0 after a complaint */
};

/* Test, listen, serve until told to stop. Returns the exit code. */
int serve_main(const struct serve_flags *flags, const struct serve_console_output *console);

/* ---- Routes (routes.c) ----------------------------------------------------------------------- */

/* What a path leads to. */
enum serve_route_match {
    ROUTE_UNKNOWN = 1,
    ROUTE_OTHER_METHOD, /* there is the path, but not for this method */
    ROUTE_FOUND,
};

void serve_routes_build(struct serve_route_table *out);
/* Find the row of a request, and the parameters in its path. */
enum serve_route_match serve_route_find(const struct serve_route_table *table,
                                        struct serve_call *x);
/* The methods that the path knows, for Allow. */
void serve_route_put_methods(const struct serve_route_table *table,
                             const struct http_request *request, struct bt_buf *buf);
/* All rows: the one at `index`, NULL after the last. */
const struct serve_route *route_at(size_t index);

#endif
