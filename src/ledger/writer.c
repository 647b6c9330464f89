/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - group commit: one thread writes what many threads submit. A submission that arrives
 * before the commit joins it: threads that were answered last would otherwise always be one
 * transaction late, and each transaction would hold half of what it could.
 *
 * The head file is replaced by a second thread while other transactions run, always with the newest
 * checkpoint: it may lag behind the store but is never ahead of it. The thread pauses between two
 * replacements, because each costs the disk more than a commit and adds little. When the disk is
 * full it waits for space, and nothing is recorded in the meantime.
 *
 * A transaction ends at the deadline of the first submission in it: what was not recorded by then
 * is tried again without the late ones. A commit that has begun continues, and its late submitters
 * are told that the outcome is unknown.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/plain.h"
#include "ledger/memory.h"
#include "ledger/pending.h"
#include "ledger/receipt.h"
#include "ledger/writer_internal.h"

enum {
    BATCH_MAX = 256,
    HEAD_REST_MS = 50,
    MEMORY_REST_MS = 1000, /* between two writes of the state file */
    WRITER_BYTES_MAX = 1 << 20,
};

static void lock_thread(const struct bt_ledger_writer *writer)
{
    (void)pthread_mutex_lock(&writer->thread->lock);
}

static void unlock_thread(const struct bt_ledger_writer *writer)
{
    (void)pthread_mutex_unlock(&writer->thread->lock);
}

/* Remove a writer from the queue of heads. */
static void remove_head(struct bt_ledger_writer *writer)
{
    struct writer_queue *heads = &writer->thread->heads;
    for (size_t i = heads->count; i > 0; i--) {
        struct bt_ledger_writer *other = take_from_queue(heads, HEADS);
        if (other != writer) {
            add_to_queue(heads, other, HEADS);
        }
    }
    writer->head.is_queued = false;
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Requests that are recorded in one transaction. */
struct bt_writer_batch {
    struct bt_ledger_writer *writer;
    bool is_closed;    /* no request may join */
    uint64_t first_ms; /* the earliest deadline, while they are being decided */
    size_t count;
    struct bt_ledger_pending *requests[BATCH_MAX];
};

/* Notify one request that it failed. */
static void fail_request(struct bt_ledger_pending *request, const struct bt_error *why)
{
    request->status = why->status;
    request->is_unknown = false;
    request->error = *why;
    struct bt_broadcast *broadcast = bt_ledger_pending_notify(request);
    if (broadcast) {
        bt_broadcast_signal(broadcast);
    }
}

static void limit_store(const struct bt_writer_batch *group, uint64_t until_ms)
{
    bt_store_set_deadline(group->writer->ledger->store, until_ms);
}

/* Limit the transaction to the earliest deadline of the requests from `from` on. */
static void set_limit(struct bt_writer_batch *group, size_t from)
{
    group->first_ms = from > 0 ? group->first_ms : BT_STORE_NONE;
    for (size_t i = from; i < group->count; i++) {
        const struct bt_ledger_pending *request = group->requests[i];
        if (!request->caller_has_left && request->until_ms < group->first_ms) {
            group->first_ms = request->until_ms;
        }
    }
    limit_store(group, group->first_ms);
}

/* Take waiting requests, as far as there is room; with the lock held. */
static void take_waiting(struct bt_ledger_writer *writer, struct bt_writer_batch *group)
{
    while (writer->first && group->count < BATCH_MAX) {
        struct bt_ledger_pending *request = writer->first;
        writer->first = request->next;
        if (!bt_ledger_pending_lock(request)) {
            bt_ledger_pending_free(request);
        } else if (request->until_ms <= bt_clock_monotonic_ms()) {
            fail_request(request, &bt_request_too_late);
        } else {
            group->requests[group->count++] = request;
        }
    }
    if (!writer->first) {
        writer->last = &writer->first;
    }
}

void bt_writer_batch_take_more(struct bt_writer_batch *group, struct bt_ledger_batch *batch)
{
    if (group->is_closed) {
        return;
    }
    const size_t from = group->count;
    lock_thread(group->writer);
    take_waiting(group->writer, group);
    unlock_thread(group->writer);
    set_limit(group, from);
    for (; batch->count < group->count; batch->count++) {
        batch->items[batch->count] = group->requests[batch->count]->item;
    }
}

void bt_writer_batch_lock(struct bt_writer_batch *group, struct bt_ledger_batch *batch)
{
    for (size_t i = 0; i < group->count; i++) {
        if (!bt_ledger_pending_lock(group->requests[i])) {
            batch->items[i] = NULL;
        }
    }
    set_limit(group, 0);
}

void bt_writer_batch_unlock(struct bt_writer_batch *group)
{
    for (size_t i = 0; i < group->count; i++) {
        bt_ledger_pending_unlock(group->requests[i]);
    }
    limit_store(group, BT_STORE_NONE);
    lock_thread(group->writer);
    group->writer->batch_done_index ^= 1; /* later submissions are recorded with the next batch */
    unlock_thread(group->writer);
}

/* Record them in one transaction. */
static enum bt_status record_batch(struct bt_writer_batch *group, bool *out_unknown,
                                   struct bt_error *error)
{
    struct bt_ledger_writer *writer = group->writer;
    struct bt_arena *work = &writer->thread->work;
    struct bt_findings *alarms = bt_findings_new(work);
    struct bt_submission **items = BT_NEW_ARRAY(work, struct bt_submission *, BATCH_MAX);
    if (!alarms || !items) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (size_t i = 0; i < group->count; i++) {
        items[i] = group->requests[i]->item;
    }
    struct bt_ledger_group_commit growing = {
        .batch = {.items = items, .count = group->count}, .room = BATCH_MAX, .group = group};
    writer->ledger->head_file.pending_note = BT_STR("");
    set_limit(group, 0);
    const enum bt_status status =
        bt_ledger_append_group(writer->ledger, &writer->env, work, &growing, alarms, error);
    *out_unknown = growing.batch.is_unknown;
    if (bt_findings_count(alarms) > 0) {
        return bt_error_set(error, BT_ECORRUPT, "%s: run baton ledger verify",
                            bt_findings_at(alarms, 0)->message.ptr);
    }
    return status;
}

/* Leave the newest checkpoint to the second thread; with the lock held. */
static void defer_head(struct bt_ledger_writer *writer)
{
    const bt_str note = writer->ledger->head_file.pending_note;
    struct writer_head *head = &writer->head;
    assert(note.len <= BT_WRITER_HEAD_BYTES_MAX);
    memcpy(head->note, note.ptr, note.len);
    head->size = note.len;
    if (!head->is_queued && !head->is_being_replaced) {
        head->is_queued = true;
        add_to_queue(&writer->thread->heads, writer, HEADS);
        (void)pthread_cond_signal(&writer->thread->head_wake);
    }
}

/* Record nothing more; with the lock held. */
static void set_head_broken(struct bt_ledger_writer *writer)
{
    writer->head.is_broken = true;
    atomic_store(&writer->has_failed, true);
}

/* Replace the head file within the commit (-Dplain=head_thread); with the lock held. */
static void write_head(struct bt_ledger_writer *writer)
{
    const bt_str note = writer->ledger->head_file.pending_note;
    const enum bt_status status = bt_ledger_write_head_file(writer->ledger, note, NULL);
    if (status != BT_OK) {
        set_head_broken(writer);
    } else {
        bt_ledger_write_memory(writer->ledger, note);
    }
}

/* Wait for a checkpoint, and for the end of the pause; with the lock held. */
static void await_heads(struct bt_ledger_writer_thread *thread, const struct timespec *rested)
{
    int code = 0;
    while (!thread->heads.first && !thread->has_exited) {
        (void)pthread_cond_wait(&thread->head_wake, &thread->lock);
    }
    while (!thread->has_exited && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&thread->head_wake, &thread->lock, rested);
    }
}

static struct timespec rest_from_now(void)
{
    return bt_clock_deadline(bt_clock_monotonic_ms() + HEAD_REST_MS);
}

/* Replace the state file, at most once a second unless the writer stops. */
static void write_memory(struct bt_ledger_writer *writer, bool is_stopping)
{
    struct writer_memory *memory = &writer->head.memory;
    const uint64_t now_ms = bt_clock_monotonic_ms();
    if (memory->size > 0 && (is_stopping || now_ms - memory->written_ms >= MEMORY_REST_MS)) {
        bt_ledger_write_memory(writer->ledger, (bt_str){memory->note, memory->size});
        memory->size = 0;
        memory->written_ms = now_ms;
    }
}

/*
 * Replace the head file with the newest checkpoint. The lock is held, and free while the disk
 * works. With `is_last` there is no second attempt.
 */
static void replace_head(struct bt_ledger_writer *writer, bool is_last)
{
    struct writer_head *head = &writer->head;
    const bt_str text = {head->memory.note, head->size};
    memcpy(head->memory.note, head->note, head->size);
    head->size = 0;
    head->is_being_replaced = true;
    unlock_thread(writer);
    const enum bt_status status = bt_ledger_write_head_file(writer->ledger, text, NULL);
    head->memory.size = status == BT_OK ? text.len : 0;
    write_memory(writer, is_last);
    lock_thread(writer);
    head->is_being_replaced = false;
    head->is_late = status == BT_ELIMIT && !is_last;
    if (status != BT_OK && !head->is_late) {
        set_head_broken(writer);
    }
    if (head->is_late && head->size == 0) {
        memcpy(head->note, text.ptr, text.len); /* again, after the pause */
        head->size = text.len;
    }
    if (head->size > 0 && !is_last) {
        head->is_queued = true;
        add_to_queue(&writer->thread->heads, writer, HEADS);
    }
}

static void *replace_heads(void *context)
{
    struct bt_ledger_writer_thread *thread = context;
    struct timespec rested = {0};
    (void)pthread_mutex_lock(&thread->lock);
    while (thread->heads.first || !thread->has_exited) {
        await_heads(thread, &rested);
        for (size_t left = thread->heads.count; left > 0 && thread->heads.first; left--) {
            struct bt_ledger_writer *writer = take_from_queue(&thread->heads, HEADS);
            writer->head.is_queued = false;
            replace_head(writer, false);
            (void)pthread_cond_broadcast(&thread->idle);
        }
        rested = rest_from_now();
    }
    (void)pthread_mutex_unlock(&thread->lock);
    return NULL;
}

/* Notify the late requests; the others stay. True when there were any, and others are left. */
static bool drop_late(struct bt_writer_batch *group)
{
    const uint64_t now = bt_clock_monotonic_ms();
    const size_t count = group->count;
    group->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct bt_ledger_pending *request = group->requests[i];
        if (request->caller_has_left || request->until_ms <= now) {
            fail_request(request, &bt_request_too_late);
        } else {
            group->requests[group->count++] = request;
        }
    }
    return group->count < count;
}

enum writer_commit_result {
    ANSWERED = 1,
    IN_PART, /* some were late and were notified; the others were not recorded yet */
    NOT_SO,  /* one of several could not be recorded, for a reason that need not apply to the
              * others; nothing was recorded, and no request was notified */
};

/* Copy the proof, which lies in the memory of the transaction. */
static enum bt_status keep_proof(struct bt_submission *item)
{
    return item->progress.proof
               ? bt_receipt_copy(item->arena, item->progress.proof, &item->progress.proof)
               : BT_OK;
}

/* Store the result of one request. No other thread reads it before it is answered, so the lock
 * stays free for threads that submit in the meantime. */
static void keep_result(struct bt_ledger_pending *request, enum bt_status status, bool is_unknown,
                        const struct bt_error *error)
{
    request->status =
        status == BT_OK && !request->caller_has_left ? keep_proof(request->item) : status;
    /* recorded, but memory ran out before the receipt */
    request->is_unknown = is_unknown || request->status != status;
    request->error = *error;
}

/* Notify each request as soon as possible, because other threads continue with it. Most wait for
 * the same broadcast, which is signalled once. */
static void answer_all(const struct bt_writer_batch *group, enum bt_status status, bool is_unknown,
                       const struct bt_error *error)
{
    struct bt_broadcast *last = NULL;
    for (size_t i = 0; i < group->count; i++) {
        keep_result(group->requests[i], status, is_unknown, error);
        struct bt_broadcast *broadcast = bt_ledger_pending_notify(group->requests[i]);
        if (last && broadcast && broadcast != last) {
            bt_broadcast_signal(last);
        }
        last = broadcast ? broadcast : last;
    }
    if (last) {
        bt_broadcast_signal(last);
    }
}

/* Report to one submitter how many submissions the commit has. */
static void report_count(const struct bt_writer_batch *group)
{
    for (size_t i = 0; i < group->count; i++) {
        if (!group->requests[i]->caller_has_left) {
            group->requests[i]->item->commit_count = group->count;
            return;
        }
    }
}

/* Record them and notify the waiting threads. */
static enum writer_commit_result commit_batch(struct bt_writer_batch *group, bool is_broken)
{
    struct bt_ledger_writer *writer = group->writer;
    struct bt_error error = {.text = "the head file could not be replaced"};
    bool is_unknown = false;
    bt_arena_reset(&writer->thread->work);
    const enum bt_status status = is_broken ? BT_EIO : record_batch(group, &is_unknown, &error);
    if (group->count > 1 && !is_unknown && status != BT_OK && status != BT_EIO &&
        status != BT_ECORRUPT) {
        return NOT_SO;
    }
    if (status == BT_EIO && !is_unknown && bt_clock_monotonic_ms() >= group->first_ms &&
        drop_late(group)) {
        return IN_PART;
    }
    lock_thread(writer);
    if (is_unknown) {
        atomic_store(&writer->has_failed, true);
    }
    if (status == BT_OK && writer->ledger->head_file.pending_note.len > 0) {
        if (BT_PLAIN_HEAD_THREAD) {
            write_head(writer);
        } else {
            defer_head(writer);
        }
    }
    unlock_thread(writer);
    if (status == BT_OK) {
        report_count(group);
    }
    answer_all(group, status, is_unknown, &error);
    return ANSWERED;
}

static void commit_each(const struct bt_writer_batch *group, bool is_broken)
{
    struct bt_writer_batch alone = {.writer = group->writer, .is_closed = true, .count = 1};
    for (size_t i = 0; i < group->count; i++) {
        if (group->requests[i]->caller_has_left) {
            fail_request(group->requests[i], &bt_request_too_late);
            continue;
        }
        alone.requests[0] = group->requests[i];
        alone.count = 1;
        (void)commit_batch(&alone, is_broken);
    }
}

/* Record one batch of a writer; the lock is held, and free meanwhile. */
static void write_batch(struct bt_ledger_writer *writer, struct bt_writer_batch *group)
{
    group->writer = writer;
    group->count = 0;
    take_waiting(writer, group);
    if (group->count == 0) {
        return; /* no thread waited for these requests */
    }
    const bool is_broken = writer->head.is_broken || writer->head.is_late;
    unlock_thread(writer);
    enum writer_commit_result commit_result = commit_batch(group, is_broken);
    while (commit_result == IN_PART && group->count > 0) {
        commit_result = commit_batch(group, is_broken);
    }
    if (commit_result == NOT_SO) {
        commit_each(group, is_broken);
    }
    lock_thread(writer);
}

static void *write_all(void *context)
{
    struct bt_ledger_writer_thread *thread = context;
    struct bt_writer_batch group = {0};
    (void)pthread_mutex_lock(&thread->lock);
    while (thread->ready.first || !thread->is_closing) {
        struct bt_ledger_writer *writer = take_from_queue(&thread->ready, READY);
        if (!writer) {
            (void)pthread_cond_wait(&thread->wake, &thread->lock);
            continue;
        }
        write_batch(writer, &group);
        if (writer->first) { /* after the others, so that a busy log does not delay them */
            add_to_queue(&thread->ready, writer, READY);
        } else {
            writer->is_scheduled = false;
            (void)pthread_cond_broadcast(&thread->idle);
        }
    }
    thread->has_exited = true;
    (void)pthread_cond_signal(&thread->head_wake);
    (void)pthread_mutex_unlock(&thread->lock);
    return NULL;
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Start the second thread first: it has nothing to do before the other one has. */
static bool start_threads(struct bt_ledger_writer_thread *thread)
{
    if (pthread_mutex_init(&thread->lock, NULL) != 0 ||
        pthread_cond_init(&thread->wake, NULL) != 0 ||
        pthread_cond_init(&thread->idle, NULL) != 0 || !bt_clock_cond_init(&thread->head_wake) ||
        pthread_create(&thread->head_thread, NULL, replace_heads, thread) != 0) {
        return false;
    }
    if (pthread_create(&thread->thread, NULL, write_all, thread) == 0) {
        return true;
    }
    (void)pthread_mutex_lock(&thread->lock);
    thread->has_exited = true;
    (void)pthread_cond_signal(&thread->head_wake);
    (void)pthread_mutex_unlock(&thread->lock);
    (void)pthread_join(thread->head_thread, NULL);
    return false;
}

enum bt_status bt_ledger_writer_thread_start(struct bt_ledger_writer_thread **out,
                                             struct bt_error *error)
{
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, WRITER_BYTES_MAX);
    struct bt_ledger_writer_thread *thread = BT_NEW(&arena, struct bt_ledger_writer_thread);
    if (!thread) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    thread->arena = arena;
    bt_arena_init(&thread->work, (size_t)1 << 30);
    if (!start_threads(thread)) {
        bt_arena_free(&arena);
        return bt_error_set(error, BT_ENOMEM, "cannot start a thread");
    }
    *out = thread;
    return BT_OK;
}

void bt_ledger_writer_thread_stop(struct bt_ledger_writer_thread *thread)
{
    if (!thread) {
        return;
    }
    (void)pthread_mutex_lock(&thread->lock);
    thread->is_closing = true;
    (void)pthread_cond_signal(&thread->wake);
    (void)pthread_mutex_unlock(&thread->lock);
    (void)pthread_join(thread->thread, NULL);
    (void)pthread_join(thread->head_thread, NULL);
    (void)pthread_cond_destroy(&thread->head_wake);
    (void)pthread_cond_destroy(&thread->idle);
    (void)pthread_cond_destroy(&thread->wake);
    (void)pthread_mutex_destroy(&thread->lock);
    bt_arena_free(&thread->work);
    struct bt_arena arena = thread->arena; /* holds the thread */
    bt_arena_free(&arena);
}

enum bt_status bt_ledger_writer_open_on(struct bt_ledger_writer_thread *thread,
                                        struct bt_ledger *ledger, const struct bt_env *env,
                                        struct bt_ledger_writer **out, struct bt_error *error)
{
    assert(thread);
    assert(ledger);
    assert(ledger->is_writing);
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, WRITER_BYTES_MAX);
    struct bt_ledger_writer *writer = BT_NEW(&arena, struct bt_ledger_writer);
    if (!writer) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    writer->arena = arena;
    writer->ledger = ledger;
    writer->env = *env;
    writer->thread = thread;
    writer->last = &writer->first;
    ledger->head_file.is_deferred = true;
    *out = writer;
    return BT_OK;
}

enum bt_status bt_ledger_writer_open(struct bt_ledger *ledger, const struct bt_env *env,
                                     struct bt_ledger_writer **out, struct bt_error *error)
{
    struct bt_ledger_writer_thread *thread = NULL;
    BT_TRY(bt_ledger_writer_thread_start(&thread, error));
    const enum bt_status status = bt_ledger_writer_open_on(thread, ledger, env, out, error);
    if (status != BT_OK) {
        bt_ledger_writer_thread_stop(thread);
        return status;
    }
    (*out)->owns_thread = true;
    return BT_OK;
}

const atomic_bool *bt_ledger_writer_failure(const struct bt_ledger_writer *writer)
{
    assert(writer);
    return &writer->has_failed;
}

/* Wait until everything is recorded, and write the newest checkpoint to the files. */
static void finish_writer(struct bt_ledger_writer *writer)
{
    lock_thread(writer);
    while (writer->is_scheduled || writer->head.is_being_replaced) {
        (void)pthread_cond_wait(&writer->thread->idle, &writer->thread->lock);
    }
    if (writer->head.is_queued) {
        remove_head(writer);
    }
    if (writer->head.size > 0) {
        replace_head(writer, true);
    }
    unlock_thread(writer);
    write_memory(writer, true);
}

void bt_ledger_writer_close(struct bt_ledger_writer *writer)
{
    if (!writer) {
        return;
    }
    finish_writer(writer);
    if (writer->owns_thread) {
        bt_ledger_writer_thread_stop(writer->thread);
    }
    writer->ledger->head_file.is_deferred = false;
    struct bt_arena arena = writer->arena; /* holds the writer */
    bt_arena_free(&arena);
}

enum bt_status bt_ledger_writer_submit(struct bt_ledger_writer *writer, struct bt_submission *item,
                                       const struct bt_ledger_completion *wait)
{
    assert(wait);
    assert(wait->notify);
    return bt_ledger_pending_queue(writer, item, wait);
}

enum bt_status bt_ledger_pending_queue(struct bt_ledger_writer *writer, struct bt_submission *item,
                                       const struct bt_ledger_completion *wait)
{
    assert(writer);
    struct bt_ledger_pending *request = NULL;
    BT_TRY(bt_ledger_pending_create(item, wait, &request));
    /* before the writer sees it, which may finish it before this thread continues */
    item->progress.pending = request;
    lock_thread(writer);
    request->done = &writer->batch_done[writer->batch_done_index];
    *writer->last = request;
    writer->last = &request->next;
    const bool must_wake = !writer->is_scheduled && !writer->thread->ready.first;
    if (!writer->is_scheduled) { /* else it is recording, or waits for its turn */
        writer->is_scheduled = true;
        add_to_queue(&writer->thread->ready, writer, READY);
    }
    unlock_thread(writer);
    if (must_wake) { /* else the thread is running, or has been woken */
        (void)pthread_cond_signal(&writer->thread->wake);
    }
    return BT_OK;
}
