/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.c - what workers take and return: complete requests, and responses. No worker ever waits
 * for a client.
 */
#include <time.h>
#include <unistd.h>

#include "http/http_internal.h"

enum {
    GIVEN_MAX = 8, /* more are not held back to be reported together */
    UNREPORTED_MAX = 4,
    BRIEF_BYTES_MAX = 16 << 10,
};

static struct http_job *job_of(struct http_exchange *call)
{
    return (struct http_job *)(void *)call; /* whose first member it is */
}

/* True when a thread must be woken for the first job of a queue; it wakes the next one if there
 * are more jobs. With the lock held. */
static bool is_slept_in(const struct http_lane_queue *lane)
{
    return !lane->first && lane->idle_workers > 0;
}

static void flush_lane(struct http_lane_queue *lane)
{
    if (lane->given_count == 0) {
        return;
    }
    (void)pthread_mutex_lock(&lane->lock);
    const bool is_awaited = is_slept_in(lane);
    *lane->end = lane->queued;
    lane->end = lane->given_end;
    (void)pthread_mutex_unlock(&lane->lock);
    if (is_awaited) {
        (void)pthread_cond_signal(&lane->filled);
    }
    lane->queued = NULL;
    lane->given_end = &lane->queued;
    lane->given_count = 0;
}

void http_workers_submit(struct http_server *server, struct http_job *job, bool needs_output)
{
    struct http_lane_queue *lane = &server->lanes[job->call.lane];
    job->call.needs_output = needs_output;
    job->next = NULL;
    *lane->given_end = job;
    lane->given_end = &job->next;
    if (++lane->given_count == GIVEN_MAX) {
        flush_lane(lane);
    }
}

void http_workers_flush(struct http_server *server)
{
    for (size_t i = 0; i < HTTP_LANES; i++) {
        flush_lane(&server->lanes[i]);
    }
}

/* With the lock held. */
static void append_job(struct http_lane_queue *lane, struct http_job *job)
{
    job->next = NULL;
    *lane->end = job;
    lane->end = &job->next;
}

/* Put a job that no thread owns into a lane. */
static void queue_job(struct http_lane_queue *lane, struct http_job *job)
{
    (void)pthread_mutex_lock(&lane->lock);
    const bool is_awaited = is_slept_in(lane);
    append_job(lane, job);
    (void)pthread_mutex_unlock(&lane->lock);
    if (is_awaited) {
        (void)pthread_cond_signal(&lane->filled);
    }
}

/* Insert a job among the suspended ones, most of which come in the order of their deadlines. */
static void insert_suspended_job(struct http_lane_queue *lane, struct http_job *job)
{
    struct http_job *before = lane->parked_last;
    while (before && before->call.resume_by_ms > job->call.resume_by_ms) {
        before = before->before;
    }
    struct http_job **place = before ? &before->next : &lane->parked;
    struct http_job **back = *place ? &(*place)->before : &lane->parked_last;
    if (!before && *place) {
        (void)pthread_cond_signal(&lane->filled); /* the watching thread would otherwise sleep
                                                   * too long */
    }
    job->before = before;
    job->next = *place;
    *place = job;
    *back = job;
    job->is_parked = true;
}

static void requeue_suspended_job(struct http_lane_queue *lane, struct http_job *job)
{
    struct http_job **place = job->before ? &job->before->next : &lane->parked;
    struct http_job **back = job->next ? &job->next->before : &lane->parked_last;
    *place = job->next;
    *back = job->before;
    job->is_parked = false;
    append_job(lane, job);
}

/* Suspend a job that has no response yet until it is resumed, unless that has happened. */
static void suspend_job(struct http_lane_queue *lane, struct http_job *job)
{
    (void)pthread_mutex_lock(&lane->lock);
    if (job->is_called) {
        append_job(lane, job);
    } else {
        insert_suspended_job(lane, job);
    }
    (void)pthread_mutex_unlock(&lane->lock);
}

void http_call_resume(void *call)
{
    struct http_job *job = job_of(call);
    struct http_lane_queue *lane = &job->conn->server->lanes[job->call.lane];
    (void)pthread_mutex_lock(&lane->lock);
    const bool is_awaited = job->is_parked && is_slept_in(lane);
    job->is_called = true;
    if (job->is_parked) {
        requeue_suspended_job(lane, job);
    }
    (void)pthread_mutex_unlock(&lane->lock);
    if (is_awaited) {
        (void)pthread_cond_signal(&lane->filled);
    }
}

/* Sleep until there may be a job, or the deadline of a suspended one; with the lock held. */
static void sleep_in(struct http_lane_queue *lane)
{
    lane->idle_workers++;
    if (lane->parked) {
        const uint64_t late_ms = lane->parked->call.resume_by_ms;
        const struct timespec late = {.tv_sec = (time_t)(late_ms / 1000),
                                      .tv_nsec = (long)(late_ms % 1000) * 1000000};
        lane->watchers++;
        (void)pthread_cond_timedwait(&lane->filled, &lane->lock, &late);
        lane->watchers--;
    } else {
        (void)pthread_cond_wait(&lane->filled, &lane->lock);
    }
    lane->idle_workers--;
}

/* The first job of a queue, after an overdue suspended one was appended; the lock is held. */
static struct http_job *take_first(struct http_lane_queue *lane)
{
    if (lane->parked && lane->parked->call.resume_by_ms <= bt_clock_monotonic_ms()) {
        requeue_suspended_job(lane, lane->parked);
    }
    struct http_job *job = lane->first;
    if (job) {
        lane->first = job->next;
        lane->end = lane->first ? lane->end : &lane->first;
        job->call.is_resumed = job->is_called;
        job->call.resume_by_ms = 0;
        job->is_called = false;
    }
    return job;
}

/* The next job; NULL when there is none, which, with `waits`, means that the lane has ended. */
static struct http_job *pop_job(struct http_lane_queue *lane, bool waits)
{
    (void)pthread_mutex_lock(&lane->lock);
    struct http_job *job = take_first(lane);
    while (waits && !job && !(lane->is_closed && !lane->parked)) {
        sleep_in(lane);
        job = take_first(lane);
    }
    const bool is_over = waits && !job;
    const bool is_unwatched = lane->parked && lane->watchers == 0;
    const bool wakes = lane->idle_workers > 0 && (lane->first || is_unwatched);
    (void)pthread_mutex_unlock(&lane->lock);
    if (is_over) {
        (void)pthread_cond_broadcast(&lane->filled); /* for the other threads, too */
    } else if (wakes) {
        (void)pthread_cond_signal(&lane->filled);
    }
    return job;
}

static void write_wake_fd(const struct http_server *server)
{
    const uint64_t one = 1;
    /* It can only fail when the counter is full, and then the loop is awake. */
    (void)!write(server->wake_fd, &one, sizeof(one));
}

/* After the exchange the loop owns the job, but still has to be notified. */
static void hand_back(struct http_worker *worker, struct http_job *job)
{
    struct http_server *server = worker->server;
    struct http_job *before = atomic_load_explicit(&server->done, memory_order_relaxed);
    do {
        job->next = before;
    } while (!atomic_compare_exchange_weak(&server->done, &before, job));
    worker->unreported++;
}

/* Wake the loop if it sleeps; when it is awake, it checks before it sleeps. */
static void wake_loop(struct http_worker *worker)
{
    worker->unreported = 0;
    if (atomic_load(&worker->server->loop_is_waiting) &&
        atomic_exchange(&worker->server->loop_is_waiting, false)) {
        write_wake_fd(worker->server);
    }
}

bool http_workers_prepare_wait(struct http_server *server)
{
    atomic_store(&server->loop_is_waiting, true);
    return atomic_load(&server->done) == NULL;
}

void http_workers_wake_loop(struct http_server *server)
{
    atomic_store(&server->loop_is_waiting, false);
}

/* True when the loop may be notified after this job as well: a wake-up for each response costs
 * it more than sending one. */
static bool is_brief(const struct http_job *job)
{
    return !job->call.needs_output && job->call.is_brief &&
           job->call.request.body.len <= BRIEF_BYTES_MAX;
}

/* The next job; NULL when the lane has ended. */
static struct http_job *next_job(struct http_worker *worker)
{
    struct http_lane_queue *lane = &worker->server->lanes[worker->lane];
    struct http_job *job = pop_job(lane, worker->unreported == 0);
    if (worker->unreported > 0 &&
        (!job || worker->unreported >= UNREPORTED_MAX || !is_brief(job))) {
        wake_loop(worker);
        job = job ? job : pop_job(lane, true);
    }
    return job;
}

struct http_job *http_workers_take_done(struct http_server *server)
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
    if (!atomic_exchange(&server->wake_streams, true)) {
        write_wake_fd(server);
    }
}

struct http_exchange *http_server_take(struct http_worker *worker)
{
    struct http_job *job = next_job(worker);
    return job ? &job->call : NULL;
}

void http_exchange_respond(struct http_worker *worker, struct http_exchange *call)
{
    struct http_lane_queue *lane = &worker->server->lanes[call->lane];
    if (call->resume_by_ms > 0) {
        suspend_job(lane, job_of(call));
    } else if (call->lane != worker->lane) {
        call->is_brief = false;
        queue_job(lane, job_of(call));
    } else {
        hand_back(worker, job_of(call));
    }
}

void http_exchange_continue(struct http_worker *worker, struct http_exchange *call,
                            enum http_stream_result pulled)
{
    job_of(call)->pulled = pulled;
    http_exchange_respond(worker, call);
}

enum bt_status http_workers_open(struct http_server *server, struct bt_error *error)
{
    for (size_t lane = 0; lane < HTTP_LANES; lane++) {
        struct http_lane_queue *queue = &server->lanes[lane];
        queue->end = &queue->first;
        queue->given_end = &queue->queued;
        if (pthread_mutex_init(&queue->lock, NULL) != 0 || !bt_clock_cond_init(&queue->filled)) {
            return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
    }
    return BT_OK;
}

void http_server_close(struct http_server *server)
{
    for (size_t lane = 0; server && lane < HTTP_LANES; lane++) {
        struct http_lane_queue *queue = &server->lanes[lane];
        (void)pthread_mutex_lock(&queue->lock);
        queue->is_closed = true;
        (void)pthread_mutex_unlock(&queue->lock);
        (void)pthread_cond_broadcast(&queue->filled);
    }
}
