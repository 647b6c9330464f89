/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - an HTTP/1.1 server: bytes -> request -> application -> response.
 *
 * One thread owns the connections and reads; only complete requests reach the workers. Nothing here
 * depends on the meaning of a request, and nothing here calls the application: http_server_wait()
 * returns what it has to decide, and its threads take calls with http_server_take().
 */
#ifndef BATON_SRC_HTTP_HTTP_H
#define BATON_SRC_HTTP_HTTP_H

#include <pthread.h>

#include "base/env.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"

/* ---- Requests -------------------------------------------------------------------------------- */

/* Zero is none. */
enum http_method {
    HTTP_GET = 1,
    HTTP_HEAD,
    HTTP_POST,
    HTTP_PUT,
    HTTP_DELETE,
    HTTP_PATCH,
    HTTP_OPTIONS,
};

/* The name of the method, or "". */
bt_str http_method_name(enum http_method method);

/* A header field: the name in lower case, the value without surrounding white space. */
struct http_field {
    bt_str name;
    bt_str value;
};

enum { HTTP_ADDRESS_BYTES = 48 };

/* The peer, and the listener it connected to. */
struct http_peer {
    size_t listener; /* the number of the listener */
    bool is_local;   /* only this machine can reach it */
    bool is_tls;
    char address[HTTP_ADDRESS_BYTES]; /* without a port, NUL-terminated; "unix" for a Unix socket */
    bool has_key;                     /* a client certificate was presented and verified */
    uint8_t key_digest[BT_SHA256_BYTES]; /* SHA-256 of its public key */
};

struct http_request {
    enum http_method method;
    bool is_http_1_0; /* HTTP/1.0 */
    bt_str target;    /* as it came, without scheme and authority */
    bt_str path;      /* decoded; it begins with a slash and has no empty, `.` or `..` segment */
    bt_str raw_path;  /* the path, not decoded: a %2F in it is part of a segment */
    bt_str query;     /* as it came, without the question mark; "" for none */
    bt_str host;      /* value of Host */
    const struct http_field *fields;
    size_t field_count;
    bool has_body; /* the head announces a body */
    bt_str body;
    const struct http_peer *peer;
};

/* Decode %XX of a part of a target; with `plus` a + is a space, as in a query. BT_EINVAL: a bad
 * escape, or %00. */
BT_MUST_USE enum bt_status http_decode(struct bt_arena *arena, bt_str text, bool plus, bt_str *out);

/* ---- Answers --------------------------------------------------------------------------------- */

/* The result of a pull. Zero is not a result. */
enum http_stream_result {
    HTTP_STREAM_RESULT_IDLE =
        1, /* nothing now: pull again after a while, or when the server is woken */
    HTTP_STREAM_RESULT_MORE,  /* output was put, and there may be more at once */
    HTTP_STREAM_RESULT_ENDED, /* the output that was put is the last */
};

struct http_exchange;

/*
 * A streamed response. Its resources are released at HTTP_EVENT_END, which comes however the call
 * ends: a stream that was never begun, because the client has disconnected, has no other end.
 */
struct http_stream {
    /* Called by workers, one at a time for a stream: put available output; at most about 64 KiB
     * per call. */
    enum http_stream_result (*pull)(struct http_exchange *call, void *worker, struct bt_buf *out);
    const char *name;           /* of the kind, for metrics */
    uint64_t poll_ms;           /* the interval between pulls without a wake-up; 0: 1000 */
    const char *keepalive_text; /* sent after 15 s without output; NULL: nothing. Also optional: */
    const char *too_slow_text;  /* sent last to a reader that is more than 1 MiB behind */
    const char *closing_text;   /* sent last when the server stops */
    /* With HTTP_STREAM_RESULT_MORE: pull again when the peer has taken most of what was put. */
    bool waits_for_reader;
};

struct http_response {
    unsigned status;
    struct bt_buf fields;             /* lines of the head: see http_answer_field() */
    struct bt_buf body;               /* the beginning of the response, when there is a stream */
    bt_str static_body;               /* instead of `body`: bytes that outlive the server */
    const struct http_stream *stream; /* NULL: the body is the whole response */
    void *stream_state;               /* of the stream, in the arena of the call */
    uint64_t retry_ms; /* not 0: there is no response yet; run again after so long, or when woken */
    bool is_last;      /* the connection is closed after it */
};

/* Add a line to the head of a response. The value must not contain control characters. */
void http_answer_field(struct http_response *answer, const char *name, bt_str value);

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The workers that run a call. Workers that wait for the disk must not delay other work: a call
 * that turns out to wait sets another lane and no response, and is run again there. */
enum http_lane {
    HTTP_QUICK = 0,
    HTTP_SLOW,
};

enum { HTTP_LANES = 2 };

/* One request in progress. It belongs to one thread at a time; to none while it is suspended. */
struct http_exchange {
    struct http_request request;
    struct http_response answer;
    struct bt_arena arena;   /* lives as long as the call */
    bool is_admitted;        /* set at HTTP_EVENT_HEAD: it may continue; false: it is answered */
    enum http_lane lane;     /* set at HTTP_EVENT_HEAD */
    bool is_brief;           /* set at HTTP_EVENT_HEAD: with a short body it takes little time */
    bool is_authenticated;   /* set at HTTP_EVENT_HEAD: the caller has valid credentials */
    bool needs_output;       /* for a worker: pull output from its stream; else run it */
    uint64_t resume_by_ms;   /* set by a run: there is no response yet; see http_call_resume() */
    bool is_resumed;         /* it is run again because of http_call_resume() */
    void *data;              /* of the application */
    struct http_peer peer;   /* that request.peer points to */
    uint64_t begun_ms;       /* of the monotonic clock: its first byte */
    uint64_t begun_us;       /* of the monotonic clock: its first byte */
    uint64_t pending_ms;     /* since it was first run; see retry_ms */
    bool server_is_stopping; /* the server is stopping: do not ask to be run again */
    bool was_truncated;      /* at the end: the peer did not receive the whole response */
    uint64_t bytes_out;      /* of the response's body */
};

/* Why a request was rejected before it was routed. */
enum http_error {
    HTTP_ERROR_BAD_REQUEST = 1,
    HTTP_ERROR_TIMEOUT,
    HTTP_ERROR_BODY_TOO_LARGE,
    HTTP_ERROR_TARGET_TOO_LONG,
    HTTP_ERROR_EXPECTATION,
    HTTP_ERROR_HEAD_TOO_LARGE,
    HTTP_ERROR_NOT_IMPLEMENTED,
    HTTP_ERROR_OVERLOADED,
    HTTP_ERROR_VERSION,
};

/* The status of the response to it. */
unsigned http_error_status(enum http_error error);

/* What the application has to do before it waits again. Zero is not an event. */
enum http_event_kind {
    /* The head of `call` is complete, and its body is not requested yet: set is_admitted. When it
     * may not continue, set its response. request.body is still empty. */
    HTTP_EVENT_HEAD = 1,
    /* `call` cannot be served: set its response. request has what could be read. */
    HTTP_EVENT_ERROR,
    /* `call` is over, answered or not: release what belongs to it. Comes once for every call. */
    HTTP_EVENT_END,
    /* A turn of the loop has ended. */
    HTTP_EVENT_TURN,
};

enum { HTTP_SIGNALS_MAX = 8 };

struct http_event {
    enum http_event_kind kind;
    struct http_exchange *call;
    enum http_error error; /* of HTTP_EVENT_ERROR; the rest is of HTTP_EVENT_TURN */
    int signals[HTTP_SIGNALS_MAX];
    size_t signal_count;
    bool is_due;  /* about a quarter of a second has passed, or http_server_wake() was called */
    bool is_over; /* the server is stopped, and everything is answered */
};

/* ---- The server ------------------------------------------------------------------------------ */

struct http_limits {
    size_t target_bytes;
    size_t header_bytes;
    size_t header_count;
    uint64_t body_bytes;
    uint64_t header_ms; /* both from the first byte of a request */
    uint64_t body_ms;
    uint64_t write_ms;
    uint64_t idle_ms;
    uint64_t body_memory_bytes; /* of this and of in_flight one address, and all callers without */
    size_t in_flight;           /* credentials, may take three quarters */
    size_t connections;
    size_t connections_per_address;
};

enum { HTTP_LISTENERS_MAX = 64 };

/* A listening socket. */
struct http_listener {
    int fd;        /* bound and listening, non-blocking */
    bool is_local; /* only this machine can reach it */
    bool is_unix;
};

struct bt_tls_context; /* certificates; see net/tls.h */

struct http_options {
    const struct http_listener *listeners;
    size_t listener_count;
    struct http_limits limits;
    struct bt_tls_context *tls; /* NULL: without TLS */
};

struct http_server;

/* Block the signals that a server handles in every thread that is started after this. */
BT_MUST_USE bool http_signals_block(void);

/* Create a server; it owns the listeners from now on. NULL, with a reason, when the system lacks
 * resources. */
BT_MUST_USE struct http_server *http_server_create(const struct http_options *options,
                                                   struct bt_error *error);
/* The next event; in every turn of the loop it waits for a while, and serves. To be called until it
 * is over. */
BT_MUST_USE enum bt_status http_server_wait(struct http_server *server, struct http_event *out,
                                            struct bt_error *error);
/* After the last http_server_wait(), when no worker is running: close the connections, and return a
 * call that ends by that, as for HTTP_EVENT_END. NULL: all are over. NULL is allowed. */
struct http_exchange *http_server_end_call(struct http_server *server);
/* NULL is allowed. All calls must be over. */
void http_server_destroy(struct http_server *server);

/* On the loop: stop listening, answer requests that have begun, then end; connections left after
 * `timeout_ms` are closed. Calling it again with a shorter time shortens the wait. */
void http_server_stop(struct http_server *server, uint64_t timeout_ms);
/* On the loop: use these from now on. `tls` as for http_options. */
void http_server_change(struct http_server *server, const struct http_limits *limits,
                        struct bt_tls_context *tls);
/* From any thread: wake streams and waiting calls, because there may be new output. */
void http_server_wake(struct http_server *server);

/* ---- Workers --------------------------------------------------------------------------------- */

/* A thread of the application that runs calls of a lane. */
struct http_worker {
    struct http_server *server;
    enum http_lane lane;
    size_t unreported; /* 0; calls that were returned, but of which the loop is not notified yet */
};

/*
 * Wait for the next call of the lane: to fill in its response, or to pull output from its stream.
 * NULL: http_server_close() was called, and nothing is left to do.
 */
struct http_exchange *http_server_take(struct http_worker *worker);
/* Return a call after it was run. It is suspended when it set resume_by_ms, and run in another lane
 * when it set that; else it has a response. */
void http_exchange_respond(struct http_worker *worker, struct http_exchange *call);
/* Return a call after output was pulled from its stream. */
void http_exchange_continue(struct http_worker *worker, struct http_exchange *call,
                            enum http_stream_result pulled);
/* After the last http_server_wait(): end all workers. NULL is allowed. */
void http_server_close(struct http_server *server);

/* From any thread: run a call again (a struct http_exchange) that set resume_by_ms, the time of
 * bt_clock_monotonic_ms() at which it is run in any case. It need not be suspended yet. Once for
 * each time that it is set. */
void http_call_resume(void *call);

/* The state of a server; exact only on the loop. */
struct http_counts {
    size_t active; /* connections with a request in progress */
    size_t idle;
    size_t streams;
};

struct http_counts http_server_counts(const struct http_server *server);

#endif
