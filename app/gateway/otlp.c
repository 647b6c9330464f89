/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp.c - a bounded queue of spans, and the thread that sends them.
 */
#include "gateway/otlp.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "gateway/errand.h"

enum {
    BATCH_MAX = 256,
    BODY_BYTES_MAX = 4 << 20,
    ARENA_BYTES_MAX = 1 << 20,
    LINGER_MS = 500,  /* so that one export carries many spans */
    POST_MS = 5000,   /* for all of an export */
    ATTEMPTS_MAX = 3, /* of one export */
    PAUSE_MS = 1000,  /* after the first failure; then twice that */
};

/* One configuration: where to, and the queue. */
struct outlet {
    struct bt_arena arena;
    struct collector collector;
    struct span *ring;
    size_t size; /* 0: nobody wants spans */
    size_t first;
    size_t count;
};

struct otlp {
    struct errand errand;  /* whose lock is that of what follows */
    struct outlet *outlet; /* replaced by the thread, once it runs */
    struct outlet *next;   /* not yet in force; NULL: none */
    _Atomic uint64_t dropped;
    struct span batch[BATCH_MAX]; /* of the thread */
};

/* ---- Queues ---------------------------------------------------------------------------------- */

static void outlet_free(struct outlet *outlet)
{
    if (outlet) {
        bt_arena_free(&outlet->arena);
        free(outlet->ring);
        free(outlet);
    }
}

/* NULL, with a reason, when it cannot be made. */
static struct outlet *outlet_make(const struct bt_config *config, struct bt_error *error)
{
    struct outlet *outlet = calloc(1, sizeof(*outlet));
    if (!outlet) {
        (void)bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    bt_arena_init(&outlet->arena, ARENA_BYTES_MAX);
    enum bt_status status = collector_read(&outlet->arena, config, &outlet->collector, error);
    if (status == BT_OK && outlet->collector.where.host.len > 0) {
        outlet->size = (size_t)bt_config_number(config, "otlp.queue");
        outlet->ring = calloc(outlet->size, sizeof(*outlet->ring));
        status = outlet->ring ? BT_OK : bt_fail(error, BT_ENOMEM, "no memory for otlp.queue");
    }
    if (status != BT_OK) {
        outlet_free(outlet);
        return NULL;
    }
    return outlet;
}

static void put(struct otlp *otlp, struct outlet *outlet, const struct span *span)
{
    if (outlet->count >= outlet->size) {
        otlp->dropped++;
        return;
    }
    outlet->ring[(outlet->first + outlet->count++) % outlet->size] = *span;
}

/* With the lock: the newest configuration holds, for what waits, too. */
static void adopt(struct otlp *otlp)
{
    struct outlet *before = otlp->outlet;
    if (!otlp->next) {
        return;
    }
    otlp->outlet = otlp->next;
    otlp->next = NULL;
    for (size_t i = 0; i < before->count; i++) {
        put(otlp, otlp->outlet, &before->ring[(before->first + i) % before->size]);
    }
    outlet_free(before);
}

bool otlp_is_on(struct otlp *otlp)
{
    bell_lock(&otlp->errand.bell);
    const bool is_on = otlp->outlet->size > 0;
    bell_unlock(&otlp->errand.bell);
    return is_on;
}

void otlp_put(struct otlp *otlp, const struct span *span)
{
    bell_lock(&otlp->errand.bell);
    struct outlet *outlet = otlp->outlet;
    if (outlet->size > 0) {
        put(otlp, outlet, span);
        if (outlet->count == 1 || outlet->count == BATCH_MAX) {
            bell_ring(&otlp->errand.bell);
        }
    }
    bell_unlock(&otlp->errand.bell);
}

uint64_t otlp_dropped(const struct otlp *otlp)
{
    return otlp->dropped;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Wait for spans, and take as many as one export carries. 0: there are none, and it is the end. */
static size_t take(struct otlp *otlp)
{
    size_t count = 0;
    bell_lock(&otlp->errand.bell);
    adopt(otlp);
    while (otlp->outlet->count == 0 && !errand_is_ending(&otlp->errand)) {
        bell_wait(&otlp->errand.bell, UINT64_MAX);
        adopt(otlp);
    }
    const uint64_t until_ms = bt_clock_monotonic_ms() + LINGER_MS;
    while (otlp->outlet->count < BATCH_MAX && !errand_is_ending(&otlp->errand) &&
           bt_clock_monotonic_ms() < until_ms) {
        bell_wait(&otlp->errand.bell, until_ms);
    }
    struct outlet *outlet = otlp->outlet;
    for (; count < BATCH_MAX && outlet->count > 0; count++) {
        otlp->batch[count] = outlet->ring[outlet->first];
        outlet->first = (outlet->first + 1) % outlet->size;
        outlet->count--;
    }
    bell_unlock(&otlp->errand.bell);
    return count;
}

/* Wait after a failure. False: there will be no other attempt. */
static bool pause_after(struct otlp *otlp, unsigned attempt)
{
    const uint64_t until_ms = bt_clock_monotonic_ms() + ((uint64_t)PAUSE_MS << attempt);
    bell_lock(&otlp->errand.bell);
    while (!errand_is_ending(&otlp->errand) && bt_clock_monotonic_ms() < until_ms) {
        bell_wait(&otlp->errand.bell, until_ms);
    }
    const bool goes_on = !errand_is_ending(&otlp->errand);
    bell_unlock(&otlp->errand.bell);
    return goes_on;
}

/* Whether a collector may say something else next time. */
static bool may_pass(unsigned status)
{
    return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
}

static bool send_batch(struct otlp *otlp, bt_str body)
{
    for (unsigned attempt = 0;
         attempt < ATTEMPTS_MAX && bt_clock_monotonic_ms() < otlp->errand.end_ms; attempt++) {
        const unsigned status =
            collector_post(&otlp->outlet->collector, body, bt_clock_monotonic_ms() + POST_MS,
                           &otlp->errand.end_ms);
        if (status >= 200 && status < 300) {
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
    struct otlp *otlp = context;
    size_t count = take(otlp);
    while (count > 0) {
        struct bt_buf body;
        bt_buf_init(&body, BODY_BYTES_MAX);
        spans_put(&body, otlp->batch, count);
        if (body.status != BT_OK || !send_batch(otlp, bt_buf_str(&body))) {
            otlp->dropped += count;
        }
        bt_buf_free(&body);
        count = take(otlp);
    }
    return NULL;
}

/* ---- The life -------------------------------------------------------------------------------- */

struct otlp *otlp_create(void)
{
    struct otlp *otlp = calloc(1, sizeof(*otlp));
    struct outlet *outlet = calloc(1, sizeof(*outlet));
    if (!otlp || !outlet || !errand_init(&otlp->errand)) {
        free(otlp);
        free(outlet);
        return NULL;
    }
    otlp->outlet = outlet;
    return otlp;
}

bool otlp_change(struct otlp *otlp, const struct bt_config *config, struct bt_error *error)
{
    struct outlet *outlet = outlet_make(config, error);
    if (!outlet) {
        return false;
    }
    const bool is_wanted = outlet->size > 0;
    bell_lock(&otlp->errand.bell);
    outlet_free(otlp->next);
    otlp->next = outlet;
    if (otlp->errand.count == 0) {
        adopt(otlp);
    }
    const bool is_running = errand_begin(&otlp->errand, is_wanted ? 1 : 0, export_all, otlp);
    bell_ring(&otlp->errand.bell);
    bell_unlock(&otlp->errand.bell);
    if (is_wanted && !is_running) {
        (void)bt_fail(error, BT_EIO, "no thread for otlp.endpoint");
    }
    return is_running || !is_wanted;
}

void otlp_destroy(struct otlp *otlp, uint64_t until_ms)
{
    if (!otlp) {
        return;
    }
    errand_end(&otlp->errand, until_ms);
    outlet_free(otlp->next);
    outlet_free(otlp->outlet);
    free(otlp);
}
