/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp.h - export spans to a collector: OTLP over HTTP, as JSON.
 *
 * event loop -> bounded queue -> one thread -> POST ENDPOINT/v1/traces
 *
 * Putting a span never blocks: only the thread resolves names, waits for sockets and retries. Spans
 * that find the queue full, or cannot be sent, are dropped and counted.
 */
#ifndef BATON_APP_SERVE_OTLP_H
#define BATON_APP_SERVE_OTLP_H

#include "config/config.h"
#include "http/http.h"
#include "net/http_client.h"

enum { SPAN_CODES_MAX = 16, SPAN_TEXT_BYTES = 160 };

/* Values of OTLP. */
enum serve_span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2, SPAN_CLIENT = 3 };

/* One span. Its pointers lead to texts that live as long as the process. */
struct serve_span {
    char trace_id[33];
    char id[17];
    char parent_id[17]; /* "": the trace begins here */
    enum serve_span_kind kind;
    const char *name;  /* of a server span: its method */
    const char *route; /* NULL: none */
    uint64_t begun_ns; /* since 1970 */
    uint64_t ended_ns;
    unsigned status; /* of the response; 0: the span is not a request */
    bt_str dialect;  /* texts are "" when absent */
    bt_str verdict;
    bt_str codes[SPAN_CODES_MAX];
    size_t code_count;
    char ref[SPAN_TEXT_BYTES];
    char agent[SPAN_TEXT_BYTES];
    char conversation[SPAN_TEXT_BYTES];
};

/* Copy a text into a span; one that is too long is truncated at a character boundary. */
void span_set(char out[SPAN_TEXT_BYTES], bt_str text);
/* Put spans as the body of an export request. Failures stick to the buffer. */
void serve_spans_put(struct bt_buf *buf, const struct serve_span *spans, size_t count);

/* ---- Collector ------------------------------------------------------------------------------- */

/* The configured collector. */
struct serve_otlp_collector {
    struct http_url where;
    bt_str fields; /* header fields of a POST */
};

/*
 * Read `otlp.*`; out->where.host is "" when there is no endpoint. BT_EINVAL: a name that is not a
 * valid header field, or a variable that is not set or cannot be sent; `error` says which.
 */
BT_MUST_USE enum bt_status collector_read(struct bt_arena *arena, const struct bt_config *config,
                                          struct serve_otlp_collector *out, struct bt_error *error);
/*
 * Send a body and wait for the response until `until_ms` of the monotonic clock or, if that is
 * sooner, *end_ms. Returns the status of the response; 0: none.
 */
unsigned collector_post(const struct serve_otlp_collector *collector, bt_str body,
                        uint64_t until_ms, const _Atomic uint64_t *end_ms);

/* ---- Exporter -------------------------------------------------------------------------------- */

struct serve_otlp;

/*
 * Make an exporter that exports nothing yet. NULL when memory runs out. Destroy it with
 * otlp_destroy().
 */
struct serve_otlp *otlp_create(void);
/*
 * Send waiting spans for a short time, at most until `until_ms`, and destroy the exporter. NULL is
 * allowed.
 */
void otlp_destroy(struct serve_otlp *otlp, uint64_t until_ms);
/*
 * Use a new configuration, after the export in progress. False: it cannot be used; `error` says
 * why.
 */
BT_MUST_USE bool otlp_change(struct serve_otlp *otlp, const struct bt_config *config,
                             struct bt_error *error);
/* True when spans are exported. */
bool otlp_is_on(struct serve_otlp *otlp);
/* Put a span in the queue, or drop it. */
void otlp_put(struct serve_otlp *otlp, const struct serve_span *span);
/* The number of dropped spans. */
uint64_t otlp_dropped(const struct serve_otlp *otlp);

#endif
