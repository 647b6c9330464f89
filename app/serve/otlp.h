/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp.h - spans on their way to a collector: OTLP over HTTP, as JSON.
 *
 *     the loop -> a queue that is bounded -> one thread -> POST ENDPOINT/v1/traces
 *
 * Whoever has a span puts it and goes on: names are looked up, sockets waited for and failures
 * waited out in the thread alone. What finds the queue full, or cannot be sent, is dropped and
 * counted.
 */
#ifndef BATON_APP_SERVE_OTLP_H
#define BATON_APP_SERVE_OTLP_H

#include <baton/config.h>

#include "http/client.h"
#include "http/http.h"

enum { SPAN_CODES_MAX = 16, SPAN_TEXT_BYTES = 160 };

/* Of OTLP. */
enum serve_span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2, SPAN_CLIENT = 3 };

/* One span. It holds what it says: pointers lead to texts that live as long as the process. */
struct serve_span {
    char trace_id[33];
    char id[17];
    char parent_id[17]; /* "" when the trace begins here */
    enum serve_span_kind kind;
    const char *name;  /* of a server's span: its method */
    const char *route; /* NULL: it has none */
    uint64_t begun_ns; /* since 1970 */
    uint64_t ended_ns;
    unsigned status; /* of the answer; 0: it is no answer */
    bt_str dialect;  /* these are "" when there is nothing to say */
    bt_str verdict;
    bt_str codes[SPAN_CODES_MAX];
    size_t code_count;
    char ref[SPAN_TEXT_BYTES];
    char agent[SPAN_TEXT_BYTES];
    char conversation[SPAN_TEXT_BYTES];
};

/* Copy a text into a span; one that is too long is cut between characters. */
void span_set(char out[SPAN_TEXT_BYTES], bt_str text);
/* Put spans as the body of an export. */
void serve_spans_put(struct bt_buf *buf, const struct serve_span *spans, size_t count);

/* ---- Where to -------------------------------------------------------------------------------- */

/* A collector, as the configuration names it. */
struct serve_otlp_collector {
    struct http_url where;
    bt_str fields; /* of the head of a POST */
};

/* Read `otlp.*`; out->where.host is "" when there is no endpoint. BT_EINVAL, with a reason: a name
 * that is no field's, or a variable that is not set or cannot be sent. */
BT_MUST_USE enum bt_status collector_read(struct bt_arena *arena, const struct bt_config *config,
                                          struct serve_otlp_collector *out, struct bt_error *error);
/* Send a body and wait for the answer, until `until_ms` of the monotonic clock or, if that is
 * sooner, *end_ms. The status of the answer; 0: there was none. */
unsigned collector_post(const struct serve_otlp_collector *collector, bt_str body,
                        uint64_t until_ms, const _Atomic uint64_t *end_ms);

/* ---- The exporter ---------------------------------------------------------------------------- */

struct serve_otlp;

/* One that exports nothing yet. NULL when there is no memory. */
struct serve_otlp *otlp_create(void);
/* Send what waits, for a short while and not after `until_ms`, and end. NULL is allowed. */
void otlp_destroy(struct serve_otlp *otlp, uint64_t until_ms);
/* From now on, or when what is being sent is sent, this configuration holds. False, with a reason:
 * it cannot. */
BT_MUST_USE bool otlp_change(struct serve_otlp *otlp, const struct bt_config *config,
                             struct bt_error *error);
/* Whether anybody wants spans. */
bool otlp_is_on(struct serve_otlp *otlp);
/* Put a span in the queue, or drop it. */
void otlp_put(struct serve_otlp *otlp, const struct serve_span *span);
/* How many spans were dropped. */
uint64_t otlp_dropped(const struct serve_otlp *otlp);

#endif
