/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - items that several OS threads work on, taken back in the order in which they were
 * added.
 *
 * `items` grows under the lock and is never moved: it is an array of blocks. Threads claim a few
 * items at a time, so that short work does not contend for the lock. An item is done when its flag
 * is set, which releases what the thread wrote to it.
 */
#include "base/build_options.h"
#if !BT_POSIX_ONLY
#define _GNU_SOURCE /* sched_getaffinity() */
#endif

#include "queue.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    BLOCK_ITEMS = 1024,
    BLOCKS_MAX = 65536,
    CLAIM_ITEMS = 8,         /* at a time */
    WAITING_PER_THREAD = 32, /* items that must wait before another thread is started */
};

struct check_queue_item {
    void *item;
    _Atomic bool is_done;
};

struct check_queue_thread {
    struct check_queue *queue;
    size_t worker;
    pthread_t id;
};

struct check_queue {
    check_queue_work_fn *work;
    void *context;
    size_t thread_max; /* without the owner */
    size_t thread_count;
    struct check_queue_thread threads[CHECK_QUEUE_THREADS_MAX];
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t has_items;
    pthread_cond_t has_results; /* the owner waits for it */
    bool is_closed;
    bool owner_waits;
    size_t idle_count; /* threads that wait for items */
    size_t added;
    size_t claimed;
    size_t taken; /* the owner's alone */
    struct check_queue_item *blocks[BLOCKS_MAX];
};

struct check_queue *check_queue_create(size_t threads, check_queue_work_fn *work, void *context)
{
    assert(threads > 0 && threads <= CHECK_QUEUE_THREADS_MAX);
    assert(work);
    struct check_queue *queue = calloc(1, sizeof(*queue));
    if (!queue) {
        return NULL;
    }
    queue->work = work;
    queue->context = context;
    queue->thread_max = threads - 1;
    if (pthread_mutex_init(&queue->lock, NULL) != 0) {
        goto no_lock;
    }
    if (pthread_cond_init(&queue->has_items, NULL) != 0) {
        goto no_items;
    }
    if (!bt_clock_cond_init(&queue->has_results)) {
        goto no_results;
    }
    return queue;
no_results:
    (void)pthread_cond_destroy(&queue->has_items);
no_items:
    (void)pthread_mutex_destroy(&queue->lock);
no_lock:
    free(queue);
    return NULL;
}

static struct check_queue_item *item_at(struct check_queue *queue, size_t index)
{
    return &queue->blocks[index / BLOCK_ITEMS][index % BLOCK_ITEMS];
}

/* Claim some items, under the lock. Returns the number. */
static size_t claim_items(struct check_queue *queue, size_t *out_first)
{
    const size_t left = queue->added - queue->claimed;
    const size_t count = left < CLAIM_ITEMS ? left : CLAIM_ITEMS;
    *out_first = queue->claimed;
    queue->claimed += count;
    return count;
}

/* Work on items that this thread has claimed. Blocks do not move, so no lock is needed. */
static void work_on(struct check_queue *queue, size_t worker, struct check_queue_item *const *items,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        queue->work(queue->context, worker, items[i]->item);
        atomic_store_explicit(&items[i]->is_done, true, memory_order_release);
    }
}

/* Claim items, under the lock, and get their places. */
static size_t claim_places(struct check_queue *queue, struct check_queue_item *out[CLAIM_ITEMS])
{
    size_t first = 0;
    const size_t count = claim_items(queue, &first);
    for (size_t i = 0; i < count; i++) {
        out[i] = item_at(queue, first + i);
    }
    return count;
}

static void *run_thread(void *argument)
{
    struct check_queue_thread *thread = argument;
    struct check_queue *queue = thread->queue;
    (void)pthread_mutex_lock(&queue->lock);
    for (;;) { /* ends when the queue is closed */
        struct check_queue_item *items[CLAIM_ITEMS];
        const size_t count = queue->is_closed ? 0 : claim_places(queue, items);
        if (queue->is_closed) {
            break;
        }
        if (count == 0) {
            queue->idle_count++;
            (void)pthread_cond_wait(&queue->has_items, &queue->lock);
            queue->idle_count--;
            continue;
        }
        (void)pthread_mutex_unlock(&queue->lock);
        work_on(queue, thread->worker, items, count);
        (void)pthread_mutex_lock(&queue->lock);
        if (queue->owner_waits) {
            (void)pthread_cond_signal(&queue->has_results);
        }
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* Start another thread. If the system refuses, those that run do the work. */
static void start_thread(struct check_queue *queue)
{
    struct check_queue_thread *thread = &queue->threads[queue->thread_count];
    *thread = (struct check_queue_thread){.queue = queue, .worker = queue->thread_count + 1};
    if (pthread_create(&thread->id, NULL, run_thread, thread) == 0) {
        queue->thread_count++;
    } else {
        queue->thread_max = queue->thread_count;
    }
}

enum bt_status check_queue_add(struct check_queue *queue, void *item)
{
    assert(queue);
    const size_t block = queue->added / BLOCK_ITEMS; /* only the owner changes `added` */
    if (block == BLOCKS_MAX) {
        return BT_ENOMEM;
    }
    if (queue->added % BLOCK_ITEMS == 0) {
        queue->blocks[block] = calloc(BLOCK_ITEMS, sizeof(*queue->blocks[block]));
        if (!queue->blocks[block]) {
            return BT_ENOMEM;
        }
    }
    item_at(queue, queue->added)->item = item;
    (void)pthread_mutex_lock(&queue->lock);
    queue->added++;
    const size_t waiting = queue->added - queue->claimed;
    const bool wakes = queue->idle_count > 0;
    (void)pthread_mutex_unlock(&queue->lock);
    if (wakes) {
        (void)pthread_cond_signal(&queue->has_items);
    } else if (queue->thread_count < queue->thread_max && waiting > WAITING_PER_THREAD) {
        start_thread(queue);
    }
    return BT_OK;
}

size_t check_queue_count(const struct check_queue *queue)
{
    return queue->added;
}

static bool is_done(struct check_queue *queue, size_t index)
{
    return atomic_load_explicit(&item_at(queue, index)->is_done, memory_order_acquire);
}

/* Wait until a thread ends some work, at most until the deadline; under the lock. */
static void wait_for_results(struct check_queue *queue, uint64_t deadline_ms)
{
    const struct timespec until = bt_clock_deadline(deadline_ms);
    queue->owner_waits = true;
    while (!is_done(queue, queue->taken) &&
           pthread_cond_timedwait(&queue->has_results, &queue->lock, &until) == 0) {
    }
    queue->owner_waits = false;
}

void *check_queue_take(struct check_queue *queue, uint64_t deadline_ms)
{
    assert(queue);
    while (queue->taken < queue->added && !is_done(queue, queue->taken)) {
        struct check_queue_item *items[CLAIM_ITEMS];
        if (bt_clock_monotonic_ms() >= deadline_ms) {
            return NULL;
        }
        (void)pthread_mutex_lock(&queue->lock);
        const size_t count = claim_places(queue, items);
        if (count == 0) {
            wait_for_results(queue, deadline_ms);
        }
        (void)pthread_mutex_unlock(&queue->lock);
        work_on(queue, 0, items, count);
    }
    return queue->taken < queue->added ? item_at(queue, queue->taken++)->item : NULL;
}

void check_queue_destroy(struct check_queue *queue)
{
    if (!queue) {
        return;
    }
    (void)pthread_mutex_lock(&queue->lock);
    queue->is_closed = true;
    (void)pthread_cond_broadcast(&queue->has_items);
    (void)pthread_mutex_unlock(&queue->lock);
    for (size_t i = 0; i < queue->thread_count; i++) {
        (void)pthread_join(queue->threads[i].id, NULL);
    }
    (void)pthread_cond_destroy(&queue->has_results);
    (void)pthread_cond_destroy(&queue->has_items);
    (void)pthread_mutex_destroy(&queue->lock);
    for (size_t i = 0; i < BLOCKS_MAX && queue->blocks[i]; i++) {
        free(queue->blocks[i]);
    }
    free(queue);
}

size_t check_queue_cores(void)
{
#if BT_POSIX_ONLY
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
#else
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
#endif
    if (count < 1) {
        return 1;
    }
    return count < CHECK_QUEUE_THREADS_MAX ? (size_t)count : CHECK_QUEUE_THREADS_MAX;
}
