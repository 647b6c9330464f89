/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - a route of the server as one row, and what its handler works with.
 *
 * request -> admission (origin, host, principal, scope, rate, media types) -> handler -> response
 *
 * A handler runs on a worker. It sets the response with serve_call_respond_json(),
 * serve_call_respond_problem() and similar functions, and never waits for a client: a handler
 * without a response yet requests another run (http_response.again_ms, http_exchange.late_ms), and
 * a response in parts is a stream (http_response.stream).
 */
#ifndef BATON_APP_SERVE_CALL_H
#define BATON_APP_SERVE_CALL_H

#include "http/http.h"
#include "operation/operation.h"
#include "operation/table.h"
#include "serve/metrics.h"

/* ---- Principals and calls -------------------------------------------------------------------- */

struct serve_credential; /* see credentials.h */

/* An authenticated caller. */
struct serve_principal {
    bt_str name;
    unsigned scopes;
    const bt_str *agents; /* that it may represent; none: any agent */
    size_t agent_count;
    bt_str pump_client; /* "": none */
    bool is_anonymous;
    const struct serve_credential *credential; /* NULL: anonymous, or the console's own token */
};

struct serve_query_item;
struct serve_rate_bucket;
struct serve_server;   /* the server: see server.h */
struct serve_settings; /* one configuration with its credentials: see server.h */
struct serve_route;

enum { ROUTE_PARAMS_MAX = 2, REQUEST_ID_BYTES = 65, EXCHANGE_CODES_MAX = 16 };

/* The position of a request in a trace (W3C Trace Context). */
struct serve_call_trace {
    char text[56]; /* traceparent with this request as the parent */
    char trace_id[33];
    char span_id[17];   /* of this request */
    char parent_id[17]; /* "": the trace begins here */
    unsigned flags;
    bt_str state; /* tracestate; "": none */
};

/*
 * What a request did and when, for its spans. Times are of the monotonic clock; an end of 0: it did
 * not happen.
 */
struct serve_call_timing {
    uint64_t check_ns[2];
    uint64_t record_ns[2];
    bool is_delivered; /* in the transaction of the record */
    bool is_accepted;
    bt_str dialect; /* these texts live as long as the process ... */
    bt_str verdict;
    uint64_t seq;
    bt_str target; /* ... and these as long as the request */
    bt_str trace;
};

/* Who calls. */
struct serve_call_identity {
    const struct serve_principal *principal; /* NULL: none */
    struct bt_caller caller;                 /* the principal as operations see it */
    struct serve_rate_bucket *bucket; /* that counts a stream of this principal; NULL: none */
    bt_str origin;                    /* allowed to read the response (CORS); "": none */
};

/* What became of a request, for its response, the log and the metrics. */
struct serve_call_outcome {
    enum bt_problem problem; /* in the response, or none */
    bt_str code;             /* of the problem or the finding in it; "": none */
    bt_str detail; /* what a problem in CBOR says instead of the text of its row; "": that text */
    bt_str codes[EXCHANGE_CODES_MAX]; /* of findings */
    size_t code_count;
    bool has_seq;
    uint64_t seq;         /* of the new entry */
    uint64_t run_ns;      /* when the handler began, on the monotonic clock */
    bool is_run;          /* its handler was called */
    bool is_pump_failure; /* the failure is not one of the store */
    bool has_retry;       /* Retry-After is set */
    const char *cache;    /* Cache-Control; NULL: no-store */
};

/* The decoded query; without items it is not decoded yet. */
struct serve_query {
    const struct serve_query_item *items;
    size_t count;
};

/* What is released when a request ends; see exchange_hold(). */
struct serve_call_hold {
    void (*release)(void *held); /* NULL: nothing is held */
    void *held;
};

struct serve_open_log; /* an open log; see logs.h */

/* The path and query of a request, and its log below /logs/NAME. */
struct serve_call_target {
    bt_str path;                 /* of the request, without the prefix and not decoded */
    bt_str prefix;               /* "/logs/NAME" as it was requested; "": none */
    bt_str name;                 /* "": the default log */
    struct serve_open_log *held; /* NULL: not open for this request */
    struct serve_query query;
};

/* One request and its response. */
struct serve_call {
    struct http_exchange *call;
    const struct http_request *request;
    struct http_response *answer;
    struct bt_arena *arena; /* lives as long as the request, streams included */
    struct serve_server *gateway;
    struct serve_settings *settings; /* in force when the request began */
    const struct bt_config *config;  /* of the settings */
    struct bt_worker *service;       /* of this worker; only in a handler */
    const struct serve_route *route; /* NULL: no such path */
    size_t route_index;              /* index in the table of all routes */
    struct serve_call_target target;
    bt_str params[ROUTE_PARAMS_MAX]; /* {names} of the path, decoded */
    struct serve_call_identity identity;
    char request_id[REQUEST_ID_BYTES];
    struct serve_call_trace trace;
    struct serve_call_timing timing;
    struct serve_call_outcome outcome;
    struct bt_call_events events; /* of its operations, until they are counted */
    void *suspended;              /* for the handler when it is run again; NULL: nothing */
    struct serve_call_hold hold;
};

/* ---- Routes ---------------------------------------------------------------------------------- */

enum serve_route_flag {
    ROUTE_PUBLIC = 1,            /* needs no principal */
    ROUTE_STORE = 2,             /* without a store: 503 STORE_UNAVAILABLE */
    ROUTE_RECORDS = 4,           /* writes to the store: 503 with --read-only; waits for the disk */
    ROUTE_SUBMITS = 8,           /* counts for rate.submit, else for rate.check */
    ROUTE_STREAM = 16,           /* counts for limits.streams_per_principal */
    ROUTE_ANY_QUERY = 32,        /* the handler checks the query itself */
    ROUTE_ANY_ACCEPT = 64,       /* the handler checks Accept itself */
    ROUTE_OWN_ERRORS = 128,      /* has its own error format: no 406 or 415 by the table */
    ROUTE_MAY_STORE = 256,       /* uses the store if there is one; worker->ledger may be NULL */
    ROUTE_WAITS = 512,           /* may wait for the disk */
    ROUTE_PUBLIC_METRICS = 1024, /* public with metrics.public */
    ROUTE_PUBLIC_LEDGER = 2048,  /* public with ledger.public */
    /* unless it waits for the disk, it is short and uses no other system */
    ROUTE_BRIEF = 4096,
    /* its submissions need no waiting thread: see struct bt_call_completion */
    ROUTE_LATER = 8192,
    ROUTE_OF_LOG = 16384,           /* it also exists below /logs/NAME */
    ROUTE_OF_STATEMENTS = 32768,    /* ... and there also of a log of statements */
    ROUTE_STATEMENTS_ALONE = 65536, /* it exists below a log of statements, and nowhere else */
};

/* Set the response. Any status other than BT_OK becomes 500 INTERNAL. */
typedef enum bt_status route_fn(struct serve_call *x);

struct serve_route {
    enum http_method method; /* GET includes HEAD */
    /* "/v1/handoffs/{id}"; {name...} at the end matches the rest of the path */
    const char *path;
    const char *operation;          /* operationId */
    const struct bt_operation *row; /* NULL: a path of the server itself */
    unsigned scopes;                /* any one of these is enough; 0: any principal */
    unsigned flags;                 /* set of enum serve_route_flag */
    route_fn *run;                  /* NULL: rest_handle() */
    /* media types of the body, separated by spaces; NULL: the body is ignored */
    const char *takes;
    const char *gives;   /* media types of the response; NULL: application/json */
    const char *key;     /* configuration key that enables the path; NULL: always enabled */
    const char *summary; /* one line without a full stop */
    /* With ROUTE_WAITS: true when this request may wait for the disk; NULL: every request may. */
    bool (*may_wait)(const struct http_request *request);
};

/* True when the list, separated by spaces, contains the word. */
bool serve_list_has_word(const char *list, bt_str word);

/* A table ends with a row without a path. */
extern const struct serve_route health_routes[];
extern const struct serve_route mcp_routes[];
extern const struct serve_route a2a_routes[];
extern const struct serve_route wrap_routes[];
extern const struct serve_route console_routes[];

/* ---- Request --------------------------------------------------------------------------------- */

/*
 * The value of the first header field of this name, which is in lower case; "" when there is none.
 * *out_count is how many there are; NULL is allowed.
 */
bt_str serve_field(const struct http_request *request, const char *name, size_t *out_count);

/*
 * The decoded value of a name in the query; false when it is absent. Repeated names are refused
 * before the handler runs, unless ROUTE_ANY_QUERY.
 */
BT_MUST_USE bool exchange_query(struct serve_call *x, const char *name, bt_str *out);

struct serve_query_item {
    bt_str name;
    bt_str value;
};

/* The whole decoded query in its order. BT_EINVAL: a malformed escape. */
BT_MUST_USE enum bt_status
exchange_query_items(struct serve_call *x, const struct serve_query_item **out, size_t *out_count);

/* The media type of the body without parameters, in lower case; "" when there is none. */
bt_str exchange_media_type(const struct serve_call *x);
/* The quality value of a media type in Accept, in thousandths; 0: not acceptable. */
unsigned serve_call_accept_weight(const struct serve_call *x, const char *type);
/* The weight of one item of Accept or Accept-Encoding by its parameters, in thousandths. */
unsigned serve_weight_of(bt_str parameters);
/* True when Accept allows the media type. */
bool exchange_accepts(const struct serve_call *x, const char *type);
/* True when the principal holds the scope. */
bool serve_call_has_scope(const struct serve_call *x, unsigned scope);
/* For a stream: the worker that is running now, with its store if the route uses one. */
struct bt_worker *serve_call_worker_for_stream(struct serve_call *x, void *worker);
/* The struct bt_call for an operation; its result is made in the arena of the request. */
struct bt_call serve_call_begin_operation(struct serve_call *x, struct bt_result *answer);
/* For a submission: the completion runs the handler again, so that no thread waits. */
struct bt_call_completion serve_call_completion(struct serve_call *x);
/*
 * Release something when the request ends, in whatever way: answered, refused or disconnected.
 * Every request passes this point, so whatever outlives the handler and lies outside the arena must
 * be held here from the moment it is acquired. One object at a time.
 */
void exchange_hold(struct serve_call *x, void (*release)(void *held), void *held);
/* Release it now, if something is held. */
void exchange_release(struct serve_call *x);
/*
 * Suspend the request until the completion is notified or its deadline has passed; the handler then
 * finds `parked` in x->suspended.
 */
void serve_call_suspend(struct serve_call *x, const struct bt_call_completion *later, void *parked);

/* ---- Response -------------------------------------------------------------------------------- */

/* Respond with compact JSON; a final line feed is added. */
enum bt_status serve_call_respond_json(struct serve_call *x, unsigned status, bt_str json);
/* The body is already in x->answer: set its status and media type. */
enum bt_status serve_call_set_body_type(struct serve_call *x, unsigned status, const char *type);
/* Respond with a body of any media type. */
enum bt_status serve_call_respond_body(struct serve_call *x, unsigned status, const char *type,
                                       bt_str body);
/* Add a header field. */
void serve_call_add_header(struct serve_call *x, const char *name, bt_str value);
/* Set Cache-Control; the default is no-store. */
void serve_call_set_cache_control(struct serve_call *x, const char *control);
/* Set the ETag of the body, and respond 304 when If-None-Match contains it. */
enum bt_status serve_call_set_etag(struct serve_call *x);
/* Respond with an RFC 9457 problem. */
enum bt_status serve_call_respond_problem(struct serve_call *x, enum bt_problem problem);
/*
 * Respond with an RFC 9457 problem that has more members, such as `"findings":[...]`, without a
 * comma at either end.
 */
enum bt_status serve_call_respond_problem_with(struct serve_call *x, enum bt_problem problem,
                                               bt_str members);
/* Respond with 400 PARAMETER_INVALID and a finding that points at /NAME. */
enum bt_status serve_call_respond_bad_parameter(struct serve_call *x, bt_str name,
                                                const char *message);
/* Count an event in a metric; labels by their values, see metrics.h. */
void serve_call_count_metric(struct serve_call *x, enum serve_metric metric, const char *first,
                             const char *second, const char *third);
/* Set the seq of the new entry, for the log and the metrics. */
void serve_call_set_seq(struct serve_call *x, uint64_t seq);
/* Notify streams and suspended requests that something was committed. */
void serve_call_notify_commit(struct serve_call *x);

#endif
