/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - the workers: complete requests in, answers out. No worker ever waits for a client.
 */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "http/inside.h"

enum {
    GIVEN_MAX = 8, /* more are not held back for the sake of others */
    UNTOLD_MAX = 4,
    BRIEF_BYTES_MAX = 16 << 10,
};

/* ---- Queues ---------------------------------------------------------------------------------- */

static void flush(struct http_lane_queue *lane)
{
    if (lane->given_count == 0) {
        return;
    }
    (void)pthread_mutex_lock(&lane->lock);
    *lane->end = lane->given;
    lane->end = lane->given_end;
    const size_t wanted = lane->sleepers < lane->given_count ? lane->sleepers : lane->given_count;
    (void)pthread_mutex_unlock(&lane->lock);
    for (size_t i = 0; i < wanted; i++) {
        (void)pthread_cond_signal(&lane->filled);
    }
    lane->given = NULL;
    lane->given_end = &lane->given;
    lane->given_count = 0;
}

void http_pool_give(struct http_server *server, struct http_job *job, enum http_task task)
{
    struct http_lane_queue *lane = &server->lanes[job->call.lane];
    job->task = task;
    job->next = NULL;
    *lane->given_end = job;
    lane->given_end = &job->next;
    if (++lane->given_count == GIVEN_MAX) {
        flush(lane);
    }
}

void http_pool_flush(struct http_server *server)
{
    for (size_t i = 0; i < HTTP_LANES; i++) {
        flush(&server->lanes[i]);
    }
}

/* The next job; NULL when there is none, which, with `waits`, means that there will be none. */
static struct http_job *take(struct http_lane_queue *lane, bool waits)
{
    (void)pthread_mutex_lock(&lane->lock);
    while (waits && !lane->first && !lane->is_closed) {
        lane->sleepers++;
        (void)pthread_cond_wait(&lane->filled, &lane->lock);
        lane->sleepers--;
    }
    struct http_job *job = lane->first;
    if (job) {
        lane->first = job->next;
        lane->end = lane->first ? lane->end : &lane->first;
    }
    (void)pthread_mutex_unlock(&lane->lock);
    return job;
}

static void ring(const struct http_server *server)
{
    const uint64_t one = 1;
    /* It can only fail when it has rung often enough. */
    (void)!write(server->bell, &one, sizeof(one));
}

/* From the exchange on the job is the loop's, which is still to be told. */
static void hand_back(struct http_worker *worker, struct http_job *job)
{
    struct http_server *server = worker->server;
    struct http_job *before = atomic_load_explicit(&server->done, memory_order_relaxed);
    do {
        job->next = before;
    } while (!atomic_compare_exchange_weak_explicit(&server->done, &before, job,
                                                    memory_order_release, memory_order_relaxed));
    worker->untold++;
}

/* Tell the loop, unless it has looked already. */
static void tell(struct http_worker *worker)
{
    worker->untold = 0;
    if (atomic_load(&worker->server->done)) {
        ring(worker->server);
    }
}

/* Whether the loop may be told after this job as well: to be woken for each answer costs it more
 * than to send one. */
static bool is_brief(const struct http_job *job)
{
    return job->task == HTTP_TASK_RUN && job->call.is_brief &&
           job->call.request.body.len <= BRIEF_BYTES_MAX;
}

/* The next job after what was done; NULL when there will be none. */
static struct http_job *go_on(struct http_worker *worker)
{
    struct http_lane_queue *lane = &worker->server->lanes[worker->lane];
    struct http_job *job = take(lane, worker->untold == 0);
    if (worker->untold > 0 && (!job || worker->untold >= UNTOLD_MAX || !is_brief(job))) {
        tell(worker);
        job = job ? job : take(lane, true);
    }
    return job;
}

struct http_job *http_pool_take_done(struct http_server *server)
{
    struct http_job *list = NULL;
    struct http_job *newest = atomic_load_explicit(&server->done, memory_order_relaxed);
    newest = newest ? atomic_exchange(&server->done, NULL) : NULL;
    while (newest) {
        struct http_job *job = newest;
        newest = job->next;
        job->next = list;
        list = job;
    }
    return list;
}

void http_server_wake(struct http_server *server)
{
    if (!atomic_exchange(&server->is_called, true)) {
        ring(server);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void work(const struct http_app *app, struct http_job *job, void *own)
{
    struct http_call *call = &job->call;
    switch (job->task) {
    case HTTP_TASK_RUN:
        app->run(app->context, call, own);
        break;
    case HTTP_TASK_PULL:
        job->pulled = call->answer.stream->pull(call, own, &call->answer.body);
        break;
    case HTTP_TASK_CLOSE:
        if (call->answer.stream->close) {
            call->answer.stream->close(call, own);
        }
        break;
    }
}

static void *run_worker(void *context)
{
    struct http_worker *worker = context;
    struct http_server *server = worker->server;
    const struct http_app *app = server->app;
    void *own = app->worker_begin(app->context, worker->lane);
    for (struct http_job *job = go_on(worker); job; job = go_on(worker)) {
        work(app, job, own);
        hand_back(worker, job);
    }
    app->worker_end(app->context, own);
    return NULL;
}

enum bt_status http_pool_start(struct http_server *server, const size_t counts[],
                               struct bt_error *error)
{
    size_t total = 0;
    for (size_t lane = 0; lane < HTTP_LANES; lane++) {
        struct http_lane_queue *queue = &server->lanes[lane];
        queue->end = &queue->first;
        queue->given_end = &queue->given;
        if (pthread_mutex_init(&queue->lock, NULL) != 0 ||
            pthread_cond_init(&queue->filled, NULL) != 0) {
            return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
        total += counts[lane];
    }
    server->workers = calloc(total, sizeof(*server->workers));
    if (!server->workers) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (enum http_lane lane = HTTP_QUICK; lane <= HTTP_SLOW; lane++) {
        for (size_t i = 0; i < counts[lane]; i++) {
            struct http_worker *worker = &server->workers[server->worker_count];
            *worker = (struct http_worker){.server = server, .lane = lane};
            if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0) {
                return bt_fail(error, BT_EIO, "the system gives no more threads");
            }
            server->worker_count++;
        }
    }
    return BT_OK;
}

void http_pool_stop(struct http_server *server)
{
    for (size_t lane = 0; lane < HTTP_LANES; lane++) {
        struct http_lane_queue *queue = &server->lanes[lane];
        if (!queue->end) {
            continue; /* it never began */
        }
        (void)pthread_mutex_lock(&queue->lock);
        queue->is_closed = true;
        (void)pthread_mutex_unlock(&queue->lock);
        (void)pthread_cond_broadcast(&queue->filled);
    }
    for (size_t i = 0; i < server->worker_count; i++) {
        (void)pthread_join(server->workers[i].thread, NULL);
    }
    server->worker_count = 0;
    free(server->workers);
    server->workers = NULL;
}
