/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - a path of the server as one row, and what its handler works with.
 *
 *     request -> admission (origin, host, who, scope, rate, media types) -> handler -> answer
 *
 * A handler runs in a worker. It fills in the answer by exchange_json(), exchange_problem() and
 * their kin, and never waits for a client: what has no answer yet asks to be run again
 * (http_answer.again_ms, http_call.late_ms), and what goes on is a stream (http_answer.stream).
 */
#ifndef BATON_APP_SERVE_CALL_H
#define BATON_APP_SERVE_CALL_H

#include "http/http.h"
#include "operation/operation.h"
#include "serve/metrics.h"

/* ---- Who and what ---------------------------------------------------------------------------- */

/* Who calls. */
struct serve_principal {
    bt_str name;
    unsigned scopes;
    const bt_str *agents; /* that it speaks for; none: for anybody */
    size_t agent_count;
    bt_str pump_client; /* "" for none */
    bool is_anonymous;
};

struct serve_query_item;
struct serve_rate_bucket;
struct serve_server;   /* the server: see gateway.h */
struct serve_settings; /* one configuration, with its tokens: see gateway.h */
struct serve_route;
struct serve_rest; /* see rest.h */

enum { ROUTE_PARAMS_MAX = 2, REQUEST_ID_BYTES = 65, EXCHANGE_CODES_MAX = 16 };

/* Where a request stands in a trace (W3C Trace Context). */
struct serve_call_trace {
    char text[56]; /* as a traceparent: this request as a parent of others */
    char trace_id[33];
    char span_id[17];   /* of this request */
    char parent_id[17]; /* "" when the trace begins here */
    unsigned flags;
    bt_str state; /* tracestate; "" for none */
};

/* What a request did, and from when to when, for its spans. Moments are of the monotonic clock; an
 * end of 0: it did not. */
struct serve_call_timing {
    uint64_t check_ns[2];
    uint64_t record_ns[2];
    bool is_delivered; /* with the record, in one commit */
    bool is_accepted;
    bt_str dialect; /* these live as long as the process ... */
    bt_str verdict;
    uint64_t seq;
    bt_str target; /* ... and these as long as the request */
    bt_str trace;
};

/* One request and what becomes of it. */
struct serve_call {
    struct http_exchange *call;
    const struct http_request *request;
    struct http_response *answer;
    struct bt_arena *arena; /* lives as long as the request, streams included */
    struct serve_server *gateway;
    struct serve_settings *settings;      /* in force when the request began */
    const struct bt_config *config;       /* of the settings */
    struct bt_worker *service;            /* of this worker; only in a handler */
    const struct serve_route *route;      /* NULL: there is none */
    bt_str params[ROUTE_PARAMS_MAX];      /* {names} of the path, decoded */
    const struct serve_query_item *query; /* decoded; NULL: not yet */
    size_t query_count;
    const struct serve_principal *principal; /* NULL: nobody */
    struct bt_caller caller;                 /* the same, as operations know it */
    char request_id[REQUEST_ID_BYTES];
    struct serve_call_trace trace;
    bt_str origin;                    /* that may read the answer (CORS); "" for none */
    bt_str codes[EXCHANGE_CODES_MAX]; /* of findings, for the log */
    size_t code_count;
    size_t route_index; /* among all rows */
    uint64_t run_ns;    /* when the handler began, of the monotonic clock */
    bool is_run;        /* it reached its handler */
    struct serve_call_timing timing;
    void *suspended; /* what the handler goes on with when it is run again; NULL: nothing */
    void (*release)(void *held); /* see exchange_hold(); NULL: nothing is held */
    void *held;
    bt_str code;                      /* of the problem that is the answer; "" for none */
    struct serve_rate_bucket *bucket; /* that counts a stream of this principal; NULL: none */
    const char *cache;                /* Cache-Control; NULL: no-store */
    bool has_retry;                   /* Retry-After is set */
    bool is_pump_failure;             /* what failed is not the store */
    bool has_seq;
    uint64_t seq; /* of what was recorded, for the log */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

enum serve_route_flag {
    ROUTE_PUBLIC = 1,            /* needs no principal */
    ROUTE_STORE = 2,             /* without a store: 503 STORE_UNAVAILABLE */
    ROUTE_RECORDS = 4,           /* writes to the store: 503 with --read-only; waits for the disk */
    ROUTE_SUBMITS = 8,           /* counts for rate.submit, else for rate.check */
    ROUTE_STREAM = 16,           /* counts for limits.streams_per_principal */
    ROUTE_ANY_QUERY = 32,        /* the handler looks at the query itself */
    ROUTE_ANY_ACCEPT = 64,       /* the handler looks at Accept itself */
    ROUTE_OWN_ERRORS = 128,      /* a protocol of its own: no 406, no 415 by the table */
    ROUTE_MAY_STORE = 256,       /* uses the store when there is one; service->ledger may be NULL */
    ROUTE_WAITS = 512,           /* may wait for the disk */
    ROUTE_PUBLIC_METRICS = 1024, /* public with metrics.public */
    ROUTE_PUBLIC_LEDGER = 2048,  /* public with ledger.public */
    ROUTE_BRIEF = 4096,          /* unless it waits, it asks nobody and is done in no time */
    ROUTE_LATER = 8192,          /* what it records need not wait in a thread: see struct later */
};

/* Fill in the answer. Any status other than BT_OK is answered with 500 INTERNAL. */
typedef enum bt_status route_fn(struct serve_call *x);

struct serve_route {
    enum http_method method; /* a GET is a HEAD, too */
    const char *path;        /* "/v1/handoffs/{id}"; {name...} at the end takes what is left */
    const char *operation;   /* operationId */
    unsigned scopes;         /* any one of these will do; 0: a principal is enough */
    unsigned flags;          /* of enum route_flag */
    route_fn *run;
    const char *takes;   /* media types of the body, by blanks; NULL: whatever comes is ignored */
    const char *gives;   /* media types that it can answer with; NULL: application/json */
    const char *key;     /* of the configuration: without it there is no such path; NULL: always */
    const char *query;   /* names that the query may have, by blanks; NULL: none */
    const char *summary; /* one line without a full stop */
    /* With ROUTE_WAITS: whether this request may wait for the disk; NULL: any may. */
    bool (*may_wait)(const struct http_request *request);
    const void *more; /* for the OpenAPI document */
};

/* Whether a list by blanks has this word. */
bool serve_list_has_word(const char *list, bt_str word);

/* A table ends with a row without a path. */
extern const struct serve_route health_routes[];
extern const struct serve_route mcp_routes[];
extern const struct serve_route a2a_routes[];
extern const struct serve_route console_routes[];

/* ---- Asking ---------------------------------------------------------------------------------- */

/* The value of a name of the query, decoded; false when it is not there. Repeated names were
 * refused before the handler ran, unless ROUTE_ANY_QUERY. */
BT_MUST_USE bool exchange_query(struct serve_call *x, const char *name, bt_str *out);

struct serve_query_item {
    bt_str name;
    bt_str value;
};

/* The whole query, decoded, in its order. BT_EINVAL: a bad escape. */
BT_MUST_USE enum bt_status
exchange_query_items(struct serve_call *x, const struct serve_query_item **out, size_t *out_count);

/* The media type of the body without parameters, in small letters; "" when none is named. */
bt_str exchange_media_type(const struct serve_call *x);
/* How much Accept wants a media type, in thousandths: 0 not at all. */
unsigned serve_call_accept_weight(const struct serve_call *x, const char *type);
/* Whether Accept allows a media type. */
bool exchange_accepts(const struct serve_call *x, const char *type);
/* Whether the principal holds a scope. */
bool serve_call_has_scope(const struct serve_call *x, unsigned scope);
/* Whether answers may tell the topology (auth.disclose_topology) to one who speaks as `agent`. */
bool exchange_may_see_topology(const struct serve_call *x, bt_str agent);
/* For a stream: the service of the worker that pulls, with its store when the route uses one. */
struct bt_worker *serve_call_worker_for_stream(struct serve_call *x, void *worker);
/* For an operation of the service; the answer is made in the arena of the exchange. */
struct bt_call serve_call_begin_operation(struct serve_call *x, struct bt_result *answer);
/* For a submission: the writer runs the handler again, so that no thread waits. */
struct bt_call_completion serve_call_completion(struct serve_call *x);
/* Release something when the request is over, however it ends: answered, refused or cut. This is
 * the only end that every request has, so whatever outlives the handler and lies outside the arena
 * is held here, from the moment it is acquired. One thing at a time. */
void exchange_hold(struct serve_call *x, void (*release)(void *held), void *held);
/* Release it now, if something is held. */
void exchange_release(struct serve_call *x);
/* Let the call rest until that, or until it is late; the handler finds `parked` then. */
void serve_call_suspend(struct serve_call *x, const struct bt_call_completion *later, void *parked);

/* ---- Answering ------------------------------------------------------------------------------- */

/* A JSON answer: `json` is compact, and gets its final line feed. */
enum bt_status serve_call_respond_json(struct serve_call *x, unsigned status, bt_str json);
/* The body is in x->answer: say what it is. */
enum bt_status serve_call_set_body_type(struct serve_call *x, unsigned status, const char *type);
/* Any other body. */
enum bt_status serve_call_respond_body(struct serve_call *x, unsigned status, const char *type,
                                       bt_str body);
/* A line of the answer's head. */
void serve_call_add_header(struct serve_call *x, const char *name, bt_str value);
/* Cache-Control instead of no-store. */
void serve_call_set_cache_control(struct serve_call *x, const char *control);
/* ETag of the body that is set, and 304 when If-None-Match has it. */
enum bt_status serve_call_set_etag(struct serve_call *x);
/* An RFC 9457 problem. The code is one of problems.c; status and sentences are there. */
enum bt_status serve_call_respond_problem(struct serve_call *x, const char *code);
/* The same with further members: `"findings":[...]`, without a comma at either end. */
enum bt_status serve_call_respond_problem_with(struct serve_call *x, const char *code,
                                               bt_str members);
/* A problem at a parameter: 400 PARAMETER_INVALID whose finding points at /NAME. */
enum bt_status serve_call_respond_bad_parameter(struct serve_call *x, bt_str name,
                                                const char *message);
/* The same with params of the finding: a JSON object, or "". */
enum bt_status exchange_bad_parameter_with(struct serve_call *x, bt_str name, const char *message,
                                           bt_str params);
/* Count something that happened; labels by their values, see metrics.h. */
void serve_call_count_metric(struct serve_call *x, enum serve_metric metric, const char *first,
                             const char *second, const char *third);
/* Note what was recorded, for the log and the metrics. */
void serve_call_set_seq(struct serve_call *x, uint64_t seq);
/* Something was committed that streams and waiting calls may want to tell. */
void serve_call_notify_commit(struct serve_call *x);

#endif
