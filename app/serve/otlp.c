/* SPDX-License-Identifier: Apache-2.0 */
/* otlp.c - a bounded queue of spans, and the thread that exports them. */
#include "serve/otlp.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "operation/status.h"
#include "serve/background_threads.h"

enum {
    BATCH_MAX = 256,
    BODY_BYTES_MAX = 4 << 20,
    ARENA_BYTES_MAX = 1 << 20,
    LINGER_MS = 500,  /* so that one export has many spans */
    POST_MS = 5000,   /* for one export with all its attempts */
    ATTEMPTS_MAX = 3, /* of one export */
    PAUSE_MS = 1000,  /* after the first failure; doubled after each further one */
};

/* One configuration: the collector, and the queue. */
struct serve_otlp_queue {
    struct bt_arena arena;
    struct serve_otlp_collector collector;
    struct serve_span *ring;
    size_t size; /* 0: spans are not exported */
    size_t first;
    size_t count;
};

struct serve_otlp {
    struct serve_threads threads;   /* its lock guards what follows */
    struct serve_otlp_queue *queue; /* replaced by the thread once it runs */
    struct serve_otlp_queue *next;  /* not yet in force; NULL: none */
    _Atomic uint64_t dropped;
    struct serve_span batch[BATCH_MAX]; /* used by the thread */
};

/* ---- Queues ---------------------------------------------------------------------------------- */

static void destroy_queue(struct serve_otlp_queue *queue)
{
    if (queue) {
        bt_arena_free(&queue->arena);
        free(queue->ring);
        free(queue);
    }
}

/* Make a queue. NULL when it failed; `error` says why. */
static struct serve_otlp_queue *create_queue(const struct bt_config *config, struct bt_error *error)
{
    struct serve_otlp_queue *queue = calloc(1, sizeof(*queue));
    if (!queue) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    bt_arena_init(&queue->arena, ARENA_BYTES_MAX);
    enum bt_status status = collector_read(&queue->arena, config, &queue->collector, error);
    if (status == BT_OK && queue->collector.where.host.len > 0) {
        queue->size = (size_t)bt_config_u64(config, "otlp.queue");
        queue->ring = calloc(queue->size, sizeof(*queue->ring));
        status = queue->ring ? BT_OK : bt_error_set(error, BT_ENOMEM, "no memory for otlp.queue");
    }
    if (status != BT_OK) {
        destroy_queue(queue);
        return NULL;
    }
    return queue;
}

static void add_span(struct serve_otlp *otlp, struct serve_otlp_queue *queue,
                     const struct serve_span *span)
{
    if (queue->count >= queue->size) {
        otlp->dropped++;
        return;
    }
    queue->ring[(queue->first + queue->count++) % queue->size] = *span;
}

/* With the lock: use the newest configuration, also for waiting spans. */
static void apply_next_queue(struct serve_otlp *otlp)
{
    struct serve_otlp_queue *before = otlp->queue;
    if (!otlp->next) {
        return;
    }
    otlp->queue = otlp->next;
    otlp->next = NULL;
    for (size_t i = 0; i < before->count; i++) {
        add_span(otlp, otlp->queue, &before->ring[(before->first + i) % before->size]);
    }
    destroy_queue(before);
}

bool otlp_is_on(struct serve_otlp *otlp)
{
    serve_monitor_lock(&otlp->threads.monitor);
    const bool is_on = otlp->queue->size > 0;
    serve_monitor_unlock(&otlp->threads.monitor);
    return is_on;
}

void otlp_put(struct serve_otlp *otlp, const struct serve_span *span)
{
    serve_monitor_lock(&otlp->threads.monitor);
    struct serve_otlp_queue *queue = otlp->queue;
    if (queue->size > 0) {
        add_span(otlp, queue, span);
        if (queue->count == 1 || queue->count == BATCH_MAX) {
            serve_monitor_notify_all(&otlp->threads.monitor);
        }
    }
    serve_monitor_unlock(&otlp->threads.monitor);
}

uint64_t otlp_dropped(const struct serve_otlp *otlp)
{
    return otlp->dropped;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Wait for spans, and take as many as fit into one export. 0: the thread must end. */
static size_t wait_for_spans(struct serve_otlp *otlp)
{
    size_t count = 0;
    serve_monitor_lock(&otlp->threads.monitor);
    apply_next_queue(otlp);
    while (otlp->queue->count == 0 && !serve_threads_are_stopping(&otlp->threads)) {
        serve_monitor_wait(&otlp->threads.monitor, UINT64_MAX);
        apply_next_queue(otlp);
    }
    const uint64_t until_ms = bt_clock_monotonic_ms() + LINGER_MS;
    while (otlp->queue->count < BATCH_MAX && !serve_threads_are_stopping(&otlp->threads) &&
           bt_clock_monotonic_ms() < until_ms) {
        serve_monitor_wait(&otlp->threads.monitor, until_ms);
    }
    struct serve_otlp_queue *queue = otlp->queue;
    for (; count < BATCH_MAX && queue->count > 0; count++) {
        otlp->batch[count] = queue->ring[queue->first];
        queue->first = (queue->first + 1) % queue->size;
        queue->count--;
    }
    serve_monitor_unlock(&otlp->threads.monitor);
    return count;
}

/* Wait after a failure. False: do not try again. */
static bool pause_after(struct serve_otlp *otlp, unsigned attempt)
{
    const uint64_t until_ms = bt_clock_monotonic_ms() + ((uint64_t)PAUSE_MS << attempt);
    serve_monitor_lock(&otlp->threads.monitor);
    while (!serve_threads_are_stopping(&otlp->threads) && bt_clock_monotonic_ms() < until_ms) {
        serve_monitor_wait(&otlp->threads.monitor, until_ms);
    }
    const bool goes_on = !serve_threads_are_stopping(&otlp->threads);
    serve_monitor_unlock(&otlp->threads.monitor);
    return goes_on;
}

/* True when another attempt may succeed. */
static bool may_pass(unsigned status)
{
    return status == 0 || status == BT_HTTP_TOO_MANY_REQUESTS || status == BT_HTTP_BAD_GATEWAY ||
           status == BT_HTTP_UNAVAILABLE || status == BT_HTTP_GATEWAY_TIMEOUT;
}

static bool send_batch(struct serve_otlp *otlp, bt_str body)
{
    for (unsigned attempt = 0;
         attempt < ATTEMPTS_MAX && bt_clock_monotonic_ms() < otlp->threads.end_ms; attempt++) {
        const unsigned status =
            collector_post(&otlp->queue->collector, body, bt_clock_monotonic_ms() + POST_MS,
                           &otlp->threads.end_ms);
        if (bt_http_is_success(status)) {
            return true;
        }
        if (!may_pass(status) || attempt + 1 == ATTEMPTS_MAX || !pause_after(otlp, attempt)) {
            return false;
        }
    }
    return false;
}

static void *export_all(void *context)
{
    struct serve_otlp *otlp = context;
    size_t count = wait_for_spans(otlp);
    while (count > 0) {
        struct bt_buf body;
        bt_buf_init(&body, BODY_BYTES_MAX);
        serve_spans_put(&body, otlp->batch, count);
        if (body.status != BT_OK || !send_batch(otlp, bt_buf_str(&body))) {
            otlp->dropped += count;
        }
        bt_buf_free(&body);
        count = wait_for_spans(otlp);
    }
    return NULL;
}

/* ---- Lifecycle ------------------------------------------------------------------------------- */

struct serve_otlp *otlp_create(void)
{
    struct serve_otlp *otlp = calloc(1, sizeof(*otlp));
    struct serve_otlp_queue *queue = calloc(1, sizeof(*queue));
    if (!otlp || !queue || !serve_threads_init(&otlp->threads)) {
        free(otlp);
        free(queue);
        return NULL;
    }
    otlp->queue = queue;
    return otlp;
}

bool otlp_change(struct serve_otlp *otlp, const struct bt_config *config, struct bt_error *error)
{
    struct serve_otlp_queue *queue = create_queue(config, error);
    if (!queue) {
        return false;
    }
    const bool is_wanted = queue->size > 0;
    serve_monitor_lock(&otlp->threads.monitor);
    destroy_queue(otlp->next);
    otlp->next = queue;
    if (otlp->threads.count == 0) {
        apply_next_queue(otlp);
    }
    const bool is_running =
        serve_threads_start(&otlp->threads, is_wanted ? 1 : 0, export_all, otlp);
    serve_monitor_notify_all(&otlp->threads.monitor);
    serve_monitor_unlock(&otlp->threads.monitor);
    if (is_wanted && !is_running) {
        (void)bt_error_set(error, BT_EIO, "cannot start a thread for otlp.endpoint");
    }
    return is_running || !is_wanted;
}

void otlp_destroy(struct serve_otlp *otlp, uint64_t until_ms)
{
    if (!otlp) {
        return;
    }
    serve_threads_stop(&otlp->threads, until_ms);
    destroy_queue(otlp->next);
    destroy_queue(otlp->queue);
    free(otlp);
}
