/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - what a thread needs to answer: its own world, checker and door to the store.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "gateway/gateway.h"
#include "gateway/webhooks.h"
#include "mcp/mcp.h"

struct worker {
    struct gateway *gateway;
    enum http_lane lane;
    struct bt_env env;
    struct service service;
    struct tile_memory tiles;
    struct bt_arena scratch; /* the same for every request, so that it is near the processor */
};

enum { SCRATCH_BYTES_MAX = 1 << 30, SCRATCH_KEPT_MAX = 256 << 10, STORE_CACHE_KIB = 1024 };

/* ---- What was judged ------------------------------------------------------------------------- */

static double seconds_since(uint64_t begun_ns)
{
    return (double)(bt_clock_monotonic_ns() - begun_ns) / 1e9;
}

/* A document is in the answer: count it, and keep its codes for the log. */
static void on_judged(void *context, const struct bt_judged *judged)
{
    struct exchange *x = context;
    struct metrics *metrics = x->gateway->metrics;
    const bt_str document[METRIC_LABELS_MAX] = {judged->dialect, bt_verdict_name(judged->verdict),
                                                BT_STR_INIT("")};
    metrics_count(metrics, METRIC_DOCUMENTS, document);
    x->deeds.dialect = document[0];
    x->deeds.verdict = document[1];
    x->deeds.check_ns[0] = x->run_ns;
    x->deeds.check_ns[1] = bt_clock_monotonic_ns();
    if (!(x->route->flags & ROUTE_RECORDS)) {
        metrics_observe(metrics, METRIC_CHECK_SECONDS, document, seconds_since(x->run_ns));
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        const bt_str labels[METRIC_LABELS_MAX] = {
            finding->rule->code, bt_severity_name(finding->severity), BT_STR_INIT("")};
        metrics_count(metrics, METRIC_FINDINGS, labels);
        if (x->code_count < EXCHANGE_CODES_MAX) {
            x->codes[x->code_count++] = finding->rule->code;
        }
    }
}

/* A submission is in the ledger. What is judged within a commit has no time of its own. */
static void on_filed(void *context, const struct filed *filed)
{
    struct exchange *x = context;
    struct exchange_deeds *deeds = &x->deeds;
    deeds->check_ns[0] = x->run_ns;
    deeds->check_ns[1] = filed->is_judged ? filed->begun_ns : 0;
    deeds->record_ns[0] = filed->begun_ns;
    deeds->record_ns[1] = bt_clock_monotonic_ns();
    deeds->is_delivered = filed->is_queued;
    deeds->is_accepted = filed->is_accepted;
    deeds->seq = filed->seq;
    deeds->target = filed->target;
    deeds->trace = filed->trace;
    if (filed->is_queued) {
        webhooks_tell(x->gateway->webhooks, filed->target);
    }
}

void gateway_count_event(void *context, bt_str kind, bt_str event)
{
    const struct gateway *gateway = context;
    const bt_str labels[METRIC_LABELS_MAX] = {event, BT_STR_INIT(""), BT_STR_INIT("")};
    if (bt_str_eq(kind, BT_STR("delivery"))) {
        metrics_count(gateway->metrics, METRIC_DELIVERIES, labels);
    } else if (bt_str_eq(kind, BT_STR("approval"))) {
        metrics_count(gateway->metrics, METRIC_APPROVALS, labels);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

void *gateway_worker_begin(void *context, enum http_lane lane)
{
    struct gateway *gateway = context;
    struct worker *worker = calloc(1, sizeof(*worker));
    if (!worker) {
        return NULL;
    }
    worker->gateway = gateway;
    worker->lane = lane;
    bt_arena_init(&worker->scratch, SCRATCH_BYTES_MAX);
    worker->env = gateway->env; /* the seed of hashes is that of the process */
    worker->service = (struct service){.env = &worker->env,
                                       .checker = bt_checker_create(&worker->env),
                                       .root = BT_STR(""),
                                       .input = BT_STR(""),
                                       .policy = BT_STR(""),
                                       .organism = BT_STR(""),
                                       .writer = gateway->writer,
                                       .tiles = &worker->tiles,
                                       .scratch = &worker->scratch,
                                       .judged = on_judged,
                                       .filed = on_filed};
    if (!worker->service.checker) {
        free(worker);
        return NULL;
    }
    return worker;
}

void gateway_worker_end(void *context, void *own)
{
    struct worker *worker = own;
    (void)context;
    if (worker) {
        bt_ledger_close(worker->service.ledger);
        mcp_schemas_destroy(worker->service.schemas);
        bt_checker_destroy(worker->service.checker);
        tiles_free(&worker->tiles);
        bt_arena_free(&worker->scratch);
        free(worker);
    }
}

/* Only the writer needs a large cache: each commit empties those of the other connections, and with
 * large ones every thread would keep the whole store in memory. */
bool gateway_open_store(struct gateway *gateway, struct bt_ledger **ledger)
{
    const struct serve_flags *flags = gateway->flags;
    struct bt_ledger_options store = flags->store;
    struct bt_error error;
    if (*ledger) {
        return true;
    }
    store.cache_kib = STORE_CACHE_KIB;
    if (bt_ledger_open(&store, !flags->is_read_only, ledger, &error) != BT_OK) {
        return false;
    }
    bt_ledger_watch(*ledger, gateway_count_event, gateway);
    return true;
}

/* The worker as the handlers of this request see it. */
static void dress(struct worker *worker, struct exchange *x)
{
    worker->env.limits = x->settings->reading;
    worker->service.config = x->config;
    worker->service.keys = x->settings->keys;
    worker->service.root = x->settings->root;
    worker->service.policy = x->settings->policy;
    worker->service.organism = x->settings->organism;
    worker->service.judged_context = x;
    x->service = &worker->service;
    if (!x->parked) {
        x->run_ns = bt_clock_monotonic_ns();
        x->is_run = true;
    }
}

/* What an answer of a path that records tells about the store. */
static void note_store(struct worker *worker, const struct exchange *x)
{
    static const bt_str labels[METRIC_LABELS_MAX] = {BT_STR_INIT(""), BT_STR_INIT(""),
                                                     BT_STR_INIT("")};
    const bool is_unknown = bt_str_eq(x->code, BT_STR("OUTCOME_UNKNOWN"));
    if (x->has_seq) {
        gateway_committed(worker->gateway, NULL);
        metrics_observe(worker->gateway->metrics, METRIC_COMMIT_SECONDS, labels,
                        seconds_since(x->run_ns));
    } else if (!x->is_elsewhere &&
               (is_unknown || bt_str_eq(x->code, BT_STR("STORE_UNAVAILABLE")))) {
        gateway_committed(worker->gateway, is_unknown ? "unknown" : "io");
        http_server_wake(worker->gateway->server); /* the loop looks whether the store is lost */
        bt_ledger_close(worker->service.ledger);   /* whatever it held, the next one opens anew */
        worker->service.ledger = NULL;
    }
}

/* Whether there is the store that a route needs; one that may use it gets it when it is there. To
 * open it may take a while, for which there is a lane; but a store that hangs keeps no worker for
 * longer than a client may that takes no answer. */
static bool find_store(struct worker *worker, const struct exchange *x)
{
    const struct route *route = x->route;
    if ((route->flags & ROUTE_LATER) && x->call->lane == HTTP_QUICK) {
        return true;
    }
    if ((route->flags & ROUTE_MAY_STORE) && !worker->gateway->flags->has_no_store) {
        (void)gateway_open_store(worker->gateway, &worker->service.ledger);
    }
    if ((route->flags & (ROUTE_STORE | ROUTE_RECORDS)) &&
        !gateway_open_store(worker->gateway, &worker->service.ledger)) {
        return false;
    }
    if (worker->service.ledger) {
        bt_ledger_limit(worker->service.ledger,
                        bt_clock_monotonic_ms() + x->settings->limits.write_ms);
        bt_ledger_withhold(worker->service.ledger, worker->service.keys.withheld);
    }
    return true;
}

struct service *exchange_lend(struct exchange *x, void *own)
{
    struct worker *worker = own;
    if (!worker) {
        return NULL;
    }
    dress(worker, x);
    x->service = NULL;
    return find_store(worker, x) ? &worker->service : NULL;
}

static void clean(struct worker *worker)
{
    if (worker->scratch.taken > SCRATCH_KEPT_MAX) {
        bt_arena_free(&worker->scratch);
    } else {
        bt_arena_reset(&worker->scratch);
    }
}

void gateway_run(void *context, struct http_call *call, void *own)
{
    struct exchange *x = call->data;
    struct worker *worker = own;
    (void)context;
    if (!worker) {
        (void)exchange_problem(x, "OVERLOADED");
        exchange_end(x);
        return;
    }
    dress(worker, x);
    const bool has_store = find_store(worker, x);
    worker->service.spent_ms = (bt_clock_monotonic_ns() - x->run_ns) / 1000000;
    if (!has_store) {
        (void)exchange_problem(x, "STORE_UNAVAILABLE");
    } else if (x->route->run(x) != BT_OK) {
        bt_buf_clear(&x->answer->fields);
        (void)exchange_problem(x, "INTERNAL");
    }
    clean(worker);
    if (x->call->late_ms > 0 || x->call->lane != worker->lane) {
        return; /* it is run again */
    }
    if (x->route->flags & ROUTE_RECORDS) {
        note_store(worker, x);
    }
    if (x->answer->again_ms == 0) {
        exchange_end(x);
    }
}
