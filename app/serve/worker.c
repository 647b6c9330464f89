/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - the threads that run calls, each with its own environment, checker and store handle.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mcp/mcp.h"
#include "serve/auth.h"
#include "serve/logs.h"
#include "serve/peers.h"
#include "serve/rest.h"
#include "serve/server.h"
#include "serve/webhooks.h"

struct serve_worker {
    pthread_t thread;
    struct serve_server *gateway;
    struct http_worker taking;
    struct bt_env env;
    struct bt_worker service;
    struct bt_ledger *own_ledger; /* of the default log, while a call uses another one */
    /* reused for every request, so that it stays in the processor's cache */
    struct bt_arena scratch;
};

enum { SCRATCH_BYTES_MAX = 1 << 30, SCRATCH_KEPT_MAX = 256 << 10, STORE_CACHE_KIB = 1024 };

/* ---- Judgement ------------------------------------------------------------------------------- */

static double seconds_since(uint64_t begun_ns)
{
    return (double)(bt_clock_monotonic_ns() - begun_ns) / 1e9;
}

/* Count a judged document, and keep its codes for the log. */
static void count_document(struct serve_call *x, const struct bt_judged_document *judged)
{
    struct serve_metrics *metrics = x->gateway->observers.metrics;
    const bt_str document[METRIC_LABELS_MAX] = {judged->dialect, judged->verdict, BT_STR_INIT("")};
    metrics_count(metrics, SERVE_METRIC_DOCUMENTS, document);
    metrics_add(metrics, SERVE_METRIC_TOKENS, document, judged->tokens);
    x->timing.dialect = judged->dialect;
    x->timing.verdict = judged->verdict;
    x->timing.check_ns[0] = x->outcome.run_ns;
    x->timing.check_ns[1] = judged->judged_ns;
    if (!(x->route->flags & ROUTE_RECORDS)) {
        metrics_observe(metrics, SERVE_METRIC_CHECK_SECONDS, document,
                        (double)(judged->judged_ns - x->outcome.run_ns) / 1e9);
    }
    for (size_t i = 0; i < judged->finding_count; i++) {
        const struct bt_judged_finding *finding = &judged->findings[i];
        const bt_str labels[METRIC_LABELS_MAX] = {finding->code, finding->severity,
                                                  BT_STR_INIT("")};
        metrics_count(metrics, SERVE_METRIC_FINDINGS, labels);
        if (x->outcome.code_count < EXCHANGE_CODES_MAX) {
            x->outcome.codes[x->outcome.code_count++] = finding->code;
        }
    }
}

/* Keep the times of a submission. What is judged within a commit has no time of its own. */
static void keep_times(struct serve_call *x, const struct bt_submit_event *recorded)
{
    struct serve_call_timing *timing = &x->timing;
    timing->check_ns[0] = x->outcome.run_ns;
    timing->check_ns[1] = recorded->is_judged ? recorded->begun_ns : 0;
    timing->record_ns[0] = recorded->begun_ns;
    timing->record_ns[1] = recorded->ended_ns;
    timing->is_delivered = recorded->is_queued;
    timing->is_accepted = recorded->is_accepted;
    timing->seq = recorded->seq;
    timing->target = recorded->target;
    timing->trace = recorded->trace;
    if (recorded->is_queued) {
        serve_webhooks_notify(x->gateway->observers.webhooks, recorded->target);
    }
}

/* Take over what the operations of a call did. */
static void take_events(struct serve_call *x)
{
    struct bt_call_events *events = &x->events;
    for (const struct bt_judged_document *at = events->judged; at; at = at->next) {
        count_document(x, at);
    }
    if (events->recorded.ended_ns > 0) {
        keep_times(x, &events->recorded);
    }
    if (events->commit_count > 0) {
        static const bt_str labels[METRIC_LABELS_MAX] = {BT_STR_INIT(""), BT_STR_INIT(""),
                                                         BT_STR_INIT("")};
        metrics_observe(x->gateway->observers.metrics, SERVE_METRIC_BATCH_SIZE, labels,
                        (double)events->commit_count);
        serve_call_notify_commit(x);
    }
    *events = (struct bt_call_events){.arena = events->arena};
}

void serve_count_ledger_event(void *context, bt_str kind, bt_str event)
{
    const struct serve_server *gateway = context;
    const bt_str labels[METRIC_LABELS_MAX] = {event, BT_STR_INIT(""), BT_STR_INIT("")};
    if (bt_str_eq(kind, BT_STR("delivery"))) {
        metrics_count(gateway->observers.metrics, SERVE_METRIC_DELIVERIES, labels);
    } else if (bt_str_eq(kind, BT_STR("approval"))) {
        metrics_count(gateway->observers.metrics, SERVE_METRIC_APPROVALS, labels);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/*
 * Only the writer needs a large cache: each commit invalidates those of the other connections, and
 * with large ones every thread would keep the whole store in memory.
 */
bool gateway_open_store(struct serve_server *gateway, struct bt_ledger **ledger)
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
    bt_ledger_set_observer(*ledger, serve_count_ledger_event, gateway);
    return true;
}

/* Use the settings that were in force when the request began. */
static void bind_call(struct serve_worker *worker, struct serve_call *x)
{
    const bool is_other = x->target.name.len > 0;
    worker->env.limits = x->settings->reading;
    worker->service.config = x->config;
    worker->service.keys = is_other ? &x->settings->log_keys : &x->settings->keys;
    worker->service.writer = is_other ? NULL : worker->gateway->store.writer;
    worker->service.peers = is_other ? NULL : peers_reports(worker->gateway->observers.peers);
    worker->service.is_contradicted = &worker->gateway->store.is_contradicted;
    if (is_other) {
        worker->own_ledger = worker->service.ledger;
        worker->service.ledger = NULL;
    }
    worker->service.root = x->settings->root;
    worker->service.policy = x->settings->policy;
    worker->service.organism = is_other ? BT_STR("") : x->settings->organism;
    worker->service.events = &x->events;
    x->service = &worker->service;
    if (!x->suspended) {
        x->outcome.run_ns = bt_clock_monotonic_ns();
        x->outcome.is_run = true;
    }
}

/* Give back what a call of another log has used, unless it is run again. */
static void unbind_call(struct serve_worker *worker, struct serve_call *x)
{
    const bool is_run_again = x->suspended || x->call->resume_by_ms > 0;
    if (x->target.name.len == 0) {
        return;
    }
    if (x->target.held) {
        const bool has_failed = x->outcome.problem == BT_PROBLEM_STORE_UNAVAILABLE ||
                                x->outcome.problem == BT_PROBLEM_OUTCOME_UNKNOWN;
        serve_log_return_reader(x->target.held, worker->service.ledger, has_failed);
    }
    if (!is_run_again) {
        serve_log_release(x->target.held);
        x->target.held = NULL;
    }
    worker->service.ledger = worker->own_ledger;
    worker->own_ledger = NULL;
}

/* Count what the response says about another log; it fails for itself. */
static void note_log(struct serve_worker *worker, const struct serve_call *x)
{
    const bool has_failed = x->outcome.problem == BT_PROBLEM_OUTCOME_UNKNOWN ||
                            x->outcome.problem == BT_PROBLEM_STORE_UNAVAILABLE;
    const bt_str labels[METRIC_LABELS_MAX] = {has_failed ? BT_STR("io") : BT_STR(""),
                                              BT_STR_INIT(""), BT_STR_INIT("")};
    if (x->outcome.has_seq || has_failed) {
        metrics_count(worker->gateway->observers.metrics,
                      has_failed ? SERVE_METRIC_LEDGER_FAILURES : SERVE_METRIC_COMMITS, labels);
    }
}

/* Record what the response of a route that records says about the store. */
static void note_store(struct serve_worker *worker, const struct serve_call *x)
{
    static const bt_str labels[METRIC_LABELS_MAX] = {BT_STR_INIT(""), BT_STR_INIT(""),
                                                     BT_STR_INIT("")};
    const bool is_unknown = x->outcome.problem == BT_PROBLEM_OUTCOME_UNKNOWN;
    if (x->outcome.has_seq) {
        serve_note_commit(worker->gateway, NULL);
        metrics_observe(worker->gateway->observers.metrics, SERVE_METRIC_COMMIT_SECONDS, labels,
                        seconds_since(x->outcome.run_ns));
    } else if (!x->outcome.is_pump_failure &&
               (is_unknown || x->outcome.problem == BT_PROBLEM_STORE_UNAVAILABLE)) {
        serve_note_commit(worker->gateway, is_unknown ? "unknown" : "io");
        /* the event loop checks whether the store has failed */
        http_server_wake(worker->gateway->server);
        bt_ledger_close(worker->service.ledger); /* the next request opens it again */
        worker->service.ledger = NULL;
    }
}

static void limit_ledger(struct serve_worker *worker, const struct serve_call *x)
{
    bt_ledger_set_deadline(worker->service.ledger,
                           bt_clock_monotonic_ms() + x->settings->limits.write_ms);
    bt_ledger_set_withheld(worker->service.ledger, worker->service.keys->withheld);
}

/*
 * Make sure that there is the store that a route needs; a route that may use one gets it if it is
 * available. Opening may take a while, which is why there is a lane for it; a store that hangs
 * blocks a worker no longer than a client that reads no response.
 */
static bool find_store(struct serve_worker *worker, const struct serve_call *x)
{
    const struct serve_route *route = x->route;
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
        limit_ledger(worker, x);
    }
    return true;
}

/* True when a route reads or records what a log of statements does not have. */
static bool is_about_decisions(const struct serve_route *route)
{
    return (route->flags & (ROUTE_STORE | ROUTE_RECORDS | ROUTE_MAY_STORE)) &&
           !(route->flags & ROUTE_OF_STATEMENTS);
}

/* Use the log of the request. BT_PROBLEM_NONE: it can be used. */
static enum bt_problem find_log(struct serve_worker *worker, struct serve_call *x)
{
    const unsigned flags = x->route->flags;
    const enum serve_log_result result = serve_log_hold(worker->gateway->store.logs, x);
    if (result != SERVE_LOG_OPEN) {
        return result == SERVE_LOG_UNKNOWN ? BT_PROBLEM_NOT_FOUND : BT_PROBLEM_STORE_UNAVAILABLE;
    }
    if (serve_log_has_statements(x->target.held) ? is_about_decisions(x->route)
                                                 : (flags & ROUTE_STATEMENTS_ALONE) != 0) {
        return BT_PROBLEM_NOT_FOUND;
    }
    worker->service.writer = serve_log_writer(x->target.held);
    worker->service.is_contradicted = serve_log_contradiction(x->target.held);
    if ((flags & ROUTE_RECORDS) && atomic_load(worker->service.is_contradicted)) {
        return BT_PROBLEM_LEDGER_READ_ONLY;
    }
    if (((flags & ROUTE_LATER) && x->call->lane == HTTP_QUICK) ||
        !(flags & (ROUTE_STORE | ROUTE_RECORDS | ROUTE_MAY_STORE))) {
        return BT_PROBLEM_NONE;
    }
    worker->service.ledger = serve_log_take_reader(x->target.held);
    if (!worker->service.ledger) {
        return BT_PROBLEM_STORE_UNAVAILABLE;
    }
    limit_ledger(worker, x);
    return BT_PROBLEM_NONE;
}

/* Opening a log waits for the disk: leave it to a worker that may. */
static bool must_wait_for_log(struct serve_worker *worker, const struct serve_call *x)
{
    return x->target.name.len > 0 && worker->taking.lane == HTTP_QUICK &&
           !serve_log_is_open(worker->gateway->store.logs, x);
}

/* Find what the request needs. BT_PROBLEM_NONE: it is there. */
static enum bt_problem find_needed(struct serve_worker *worker, struct serve_call *x)
{
    if (x->target.name.len > 0) {
        return find_log(worker, x);
    }
    return find_store(worker, x) ? BT_PROBLEM_NONE : BT_PROBLEM_STORE_UNAVAILABLE;
}

struct bt_worker *serve_call_worker_for_stream(struct serve_call *x, void *own)
{
    struct serve_worker *worker = own;
    if (!worker) {
        return NULL;
    }
    bind_call(worker, x);
    x->service = NULL;
    return find_needed(worker, x) == BT_PROBLEM_NONE ? &worker->service : NULL;
}

static void reset_scratch(struct serve_worker *worker)
{
    if (worker->scratch.taken > SCRATCH_KEPT_MAX) {
        bt_arena_free(&worker->scratch);
    } else {
        bt_arena_reset(&worker->scratch);
    }
}

/* Fill in the response of a call; without a worker, memory has run out. */
static void run_call(struct serve_worker *worker, struct http_exchange *call)
{
    struct serve_call *x = call->data;
    if (!worker) {
        rest_drop_suspended(x);
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
        exchange_end(x);
        return;
    }
    if (must_wait_for_log(worker, x)) {
        x->call->lane = HTTP_SLOW;
        return;
    }
    bind_call(worker, x);
    const enum bt_problem problem = find_needed(worker, x);
    worker->service.opening_ms = (bt_clock_monotonic_ns() - x->outcome.run_ns) / 1000000;
    if (problem != BT_PROBLEM_NONE) {
        rest_drop_suspended(x);
        (void)serve_call_respond_problem(x, problem);
    } else if ((x->route->run ? x->route->run(x) : rest_handle(x)) != BT_OK) {
        bt_buf_clear(&x->answer->fields);
        (void)serve_call_respond_problem(x, BT_PROBLEM_INTERNAL);
    }
    reset_scratch(worker);
    unbind_call(worker, x);
    if (x->call->resume_by_ms > 0 || x->call->lane != worker->taking.lane) {
        return; /* it is run again */
    }
    take_events(x);
    if (x->route->flags & ROUTE_RECORDS) {
        if (x->target.name.len > 0) {
            note_log(worker, x);
        } else {
            note_store(worker, x);
        }
    }
    if (x->answer->retry_ms == 0) {
        exchange_end(x);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* After a part of a stream, which may have used another log. */
static void end_pull(struct serve_worker *worker, struct serve_call *x)
{
    if (x->target.held || worker->own_ledger) {
        unbind_call(worker, x);
    }
}

/* False: out of memory. */
static bool begin_worker(struct serve_worker *worker)
{
    bt_arena_init(&worker->scratch, SCRATCH_BYTES_MAX);
    worker->env = worker->gateway->env; /* the hash seed is that of the process */
    worker->service = (struct bt_worker){.env = &worker->env,
                                         .checker = bt_checker_create(&worker->env),
                                         .root = BT_STR(""),
                                         .input = BT_STR(""),
                                         .policy = {BT_STR(""), BT_STR("")},
                                         .organism = BT_STR(""),
                                         .witness = worker->gateway->flags->witness,
                                         .writer = worker->gateway->store.writer,
                                         .peers = peers_reports(worker->gateway->observers.peers),
                                         .is_contradicted = &worker->gateway->store.is_contradicted,
                                         .scratch = &worker->scratch};
    return worker->service.checker != NULL;
}

static void end_worker(struct serve_worker *worker)
{
    bt_ledger_close(worker->service.ledger);
    mcp_schemas_destroy(worker->service.schemas);
    bt_checker_destroy(worker->service.checker);
    bt_arena_free(&worker->scratch);
}

static void *run_worker(void *context)
{
    struct serve_worker *worker = context;
    struct serve_worker *ready = begin_worker(worker) ? worker : NULL;
    struct http_exchange *call = http_server_take(&worker->taking);
    for (; call; call = http_server_take(&worker->taking)) {
        if (call->needs_output) {
            const enum http_stream_result pulled =
                serve_auth_still_holds(call->data)
                    ? call->answer.stream->pull(call, ready, &call->answer.body)
                    : HTTP_STREAM_RESULT_ENDED;
            if (ready) {
                end_pull(ready, call->data);
            }
            take_events(call->data);
            http_exchange_continue(&worker->taking, call, pulled);
        } else {
            run_call(ready, call);
            http_exchange_respond(&worker->taking, call);
        }
    }
    end_worker(worker);
    return NULL;
}

enum bt_status serve_workers_start(struct serve_server *gateway, const size_t counts[HTTP_LANES],
                                   struct bt_error *error)
{
    struct serve_worker_threads *workers = &gateway->workers;
    workers->items = calloc(counts[HTTP_QUICK] + counts[HTTP_SLOW], sizeof(*workers->items));
    if (!workers->items) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (enum http_lane lane = HTTP_QUICK; lane <= HTTP_SLOW; lane++) {
        for (size_t i = 0; i < counts[lane]; i++) {
            struct serve_worker *worker = &workers->items[workers->count];
            worker->gateway = gateway;
            worker->taking = (struct http_worker){.server = gateway->server, .lane = lane};
            if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0) {
                return bt_error_set(error, BT_EIO, "cannot start another thread");
            }
            workers->count++;
        }
    }
    return BT_OK;
}

void serve_workers_stop(struct serve_server *gateway)
{
    http_server_close(gateway->server);
    for (size_t i = 0; i < gateway->workers.count; i++) {
        (void)pthread_join(gateway->workers.items[i].thread, NULL);
    }
    free(gateway->workers.items);
    gateway->workers = (struct serve_worker_threads){0};
}
