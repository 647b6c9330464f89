/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp.c - a bounded queue of spans, and the thread that sends them.
 */
#include "gateway/otlp.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "gateway/bell.h"

enum {
    BATCH_MAX = 256,
    BODY_BYTES_MAX = 4 << 20,
    ARENA_BYTES_MAX = 1 << 20,
    LINGER_MS = 500,  /* so that one export carries many spans */
    POST_MS = 5000,   /* for all of an export */
    FLUSH_MS = 5000,  /* for all that waits at the end */
    GRACE_MS = 500,   /* for the thread to notice the end */
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
    struct bell bell;        /* of what follows */
    struct outlet *outlet;   /* replaced by the thread, once it runs */
    struct outlet *next;     /* not yet in force; NULL: none */
    bool is_begun;           /* there is a thread */
    bool is_over;            /* which has ended */
    _Atomic uint64_t end_ms; /* when to give up what is left; UINT64_MAX: not told to end */
    _Atomic uint64_t dropped;
    pthread_t thread;
    struct span batch[BATCH_MAX]; /* of the thread */
};

static bool is_ending(const struct otlp *otlp)
{
    return otlp->end_ms != UINT64_MAX;
}

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
    bell_lock(&otlp->bell);
    const bool is_on = otlp->outlet->size > 0;
    bell_unlock(&otlp->bell);
    return is_on;
}

void otlp_put(struct otlp *otlp, const struct span *span)
{
    bell_lock(&otlp->bell);
    struct outlet *outlet = otlp->outlet;
    if (outlet->size > 0) {
        put(otlp, outlet, span);
        if (outlet->count == 1 || outlet->count == BATCH_MAX) {
            bell_ring(&otlp->bell);
        }
    }
    bell_unlock(&otlp->bell);
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
    bell_lock(&otlp->bell);
    adopt(otlp);
    while (otlp->outlet->count == 0 && !is_ending(otlp)) {
        bell_wait(&otlp->bell, UINT64_MAX);
        adopt(otlp);
    }
    const uint64_t until_ms = http_now_ms() + LINGER_MS;
    while (otlp->outlet->count < BATCH_MAX && !is_ending(otlp) && http_now_ms() < until_ms) {
        bell_wait(&otlp->bell, until_ms);
    }
    struct outlet *outlet = otlp->outlet;
    for (; count < BATCH_MAX && outlet->count > 0; count++) {
        otlp->batch[count] = outlet->ring[outlet->first];
        outlet->first = (outlet->first + 1) % outlet->size;
        outlet->count--;
    }
    bell_unlock(&otlp->bell);
    return count;
}

/* Wait after a failure. False: there will be no other attempt. */
static bool pause_after(struct otlp *otlp, unsigned attempt)
{
    const uint64_t until_ms = http_now_ms() + ((uint64_t)PAUSE_MS << attempt);
    bell_lock(&otlp->bell);
    while (!is_ending(otlp) && http_now_ms() < until_ms) {
        bell_wait(&otlp->bell, until_ms);
    }
    const bool goes_on = !is_ending(otlp);
    bell_unlock(&otlp->bell);
    return goes_on;
}

/* Whether a collector may say something else next time. */
static bool may_pass(unsigned status)
{
    return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
}

static bool send_batch(struct otlp *otlp, bt_str body)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS_MAX && http_now_ms() < otlp->end_ms; attempt++) {
        const unsigned status =
            collector_post(&otlp->outlet->collector, body, http_now_ms() + POST_MS, &otlp->end_ms);
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
    bell_lock(&otlp->bell);
    otlp->is_over = true;
    bell_ring(&otlp->bell);
    bell_unlock(&otlp->bell);
    return NULL;
}

/* ---- The life -------------------------------------------------------------------------------- */

struct otlp *otlp_create(void)
{
    struct otlp *otlp = calloc(1, sizeof(*otlp));
    struct outlet *outlet = calloc(1, sizeof(*outlet));
    if (!otlp || !outlet || !bell_init(&otlp->bell)) {
        free(otlp);
        free(outlet);
        return NULL;
    }
    otlp->outlet = outlet;
    otlp->end_ms = UINT64_MAX;
    return otlp;
}

bool otlp_change(struct otlp *otlp, const struct bt_config *config, struct bt_error *error)
{
    struct outlet *outlet = outlet_make(config, error);
    if (!outlet) {
        return false;
    }
    const bool is_wanted = outlet->size > 0;
    bell_lock(&otlp->bell);
    outlet_free(otlp->next);
    otlp->next = outlet;
    if (!otlp->is_begun) {
        adopt(otlp);
        otlp->is_begun = is_wanted && pthread_create(&otlp->thread, NULL, export_all, otlp) == 0;
    }
    const bool is_running = otlp->is_begun;
    bell_ring(&otlp->bell);
    bell_unlock(&otlp->bell);
    if (is_wanted && !is_running) {
        (void)bt_fail(error, BT_EIO, "no thread for otlp.endpoint");
    }
    return is_running || !is_wanted;
}

/* Tell the thread to end and wait for it. False: it is still looking for a name, which nothing can
 * hasten. */
static bool end_thread(struct otlp *otlp, uint64_t until_ms)
{
    const uint64_t now_ms = http_now_ms();
    const uint64_t end_ms = until_ms < now_ms + FLUSH_MS ? until_ms : now_ms + FLUSH_MS;
    const uint64_t wait_ms = (end_ms > now_ms ? end_ms : now_ms) + GRACE_MS;
    bell_lock(&otlp->bell);
    otlp->end_ms = end_ms;
    bell_ring(&otlp->bell);
    while (!otlp->is_over && http_now_ms() < wait_ms) {
        bell_wait(&otlp->bell, wait_ms);
    }
    const bool is_over = otlp->is_over;
    bell_unlock(&otlp->bell);
    return is_over;
}

void otlp_destroy(struct otlp *otlp, uint64_t until_ms)
{
    if (!otlp) {
        return;
    }
    if (otlp->is_begun && !end_thread(otlp, until_ms)) {
        (void)pthread_detach(otlp->thread); /* it keeps what it uses until the process ends */
        return;
    }
    if (otlp->is_begun) {
        (void)pthread_join(otlp->thread, NULL);
    }
    outlet_free(otlp->next);
    outlet_free(otlp->outlet);
    bell_free(&otlp->bell);
    free(otlp);
}
