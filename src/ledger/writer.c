/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - group commit: one thread writes what many ask for. Whatever comes before the commit
 * joins it: those who were answered last would otherwise always be one transaction late, and each
 * transaction would carry half of what it could.
 *
 * The head file is replaced by a second thread while other transactions run, always with the newest
 * checkpoint: it may lag, and never leads. It rests between two replacements, which cost the disk
 * more than a commit does and say hardly more than each other. When the disk is full it waits for
 * room, and nothing is recorded meanwhile.
 *
 * A request is a copy of its own, so that whoever asked can give up at the deadline while the disk
 * still hangs: then the request belongs to the writer, which forgets it when it is done. An act
 * points at what is the asker's: one that nobody waits for is not begun, and one that has begun is
 * waited for.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/ticks.h"
#include "ledger/inside.h"

enum {
    BATCH_MAX = 256,
    HEAD_BYTES_MAX = 1024, /* of a checkpoint that we sign */
    HEAD_REST_MS = 50,
    WRITER_BYTES_MAX = 1 << 20,
    REQUEST_BYTES_MAX = 256 << 20,
};

struct request {
    struct bt_arena arena; /* holds the request itself */
    struct request *next;
    struct bt_ledger_item item;
    struct bt_judged judged;
    bool is_taken; /* it is being recorded; by the writer's lock */
    bool is_unknown;
    enum bt_status status;
    struct bt_error error;
    pthread_mutex_t lock; /* of its own, so that those who are told at once do not queue up */
    pthread_cond_t done;
    bool is_done;
    bool is_abandoned; /* nobody waits any more; set with both locks held */
};

struct bt_ledger_writer {
    struct bt_arena arena; /* holds the writer itself */
    struct bt_arena work;  /* of a transaction */
    struct bt_ledger *ledger;
    struct bt_env env;
    pthread_t thread;
    pthread_t head_thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_cond_t head_wake;
    char head[HEAD_BYTES_MAX]; /* the newest checkpoint that the head file does not have yet */
    size_t head_size;
    bool is_head_broken;   /* it could not be replaced: nothing more is recorded */
    bool is_head_late;     /* there was no room for it: nothing is recorded until there is */
    bool is_lost;          /* a commit failed, and its outcome is open */
    bool is_over;          /* the writing thread has ended */
    struct request *first; /* waiting, in order */
    struct request **last;
    bool is_closing;
    bt_ledger_batch_fn *told; /* of commits; NULL: nobody wants to know */
    void *told_context;
};

/* ---- Requests -------------------------------------------------------------------------------- */

static enum bt_status copy_findings(struct bt_arena *arena, const struct bt_findings *from,
                                    bt_str source, const struct bt_findings **out)
{
    struct bt_findings *copy = bt_findings_new(arena);
    if (!copy) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(from); i++) {
        BT_TRY(bt_findings_add(copy, bt_findings_at(from, i)));
    }
    BT_TRY(bt_findings_finish(copy, source));
    *out = copy;
    return BT_OK;
}

static enum bt_status copy_refs(struct bt_arena *arena, struct bt_ledger_item *item)
{
    struct bt_ledger_ref *refs = BT_NEW_ARRAY(arena, struct bt_ledger_ref, item->ref_count + 1);
    if (!refs) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < item->ref_count; i++) {
        BT_TRY(bt_arena_copy(arena, item->refs[i].name, &refs[i].name));
        BT_TRY(bt_arena_copy(arena, item->refs[i].value, &refs[i].value));
    }
    item->refs = refs;
    return BT_OK;
}

/* Everything that the item points at, so that the request stands on its own. */
static enum bt_status copy_item(struct request *request, const struct bt_ledger_item *item)
{
    struct bt_arena *arena = &request->arena;
    struct bt_ledger_item *copy = &request->item;
    *copy = *item;
    request->judged = *item->judged;
    copy->judged = &request->judged;
    bt_str *const texts[] = {&copy->kind,          &copy->actor,
                             &copy->bytes,         &copy->trace_id,
                             &copy->handoff_id,    &copy->id_pointer,
                             &copy->source,        &copy->target,
                             &copy->dialect,       &request->judged.dialect,
                             &request->judged.path};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        BT_TRY(bt_arena_copy(arena, *texts[i], texts[i]));
    }
    request->judged.source = copy->bytes; /* where findings have their places */
    BT_TRY(copy_refs(arena, copy));
    return copy_findings(arena, item->judged->findings, copy->bytes, &request->judged.findings);
}

static void request_free(struct request *request)
{
    (void)pthread_cond_destroy(&request->done);
    (void)pthread_mutex_destroy(&request->lock);
    struct bt_arena arena = request->arena; /* which holds the request */
    bt_arena_free(&arena);
}

/* One that is waited for until a moment of CLOCK_MONOTONIC. */
static bool cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) {
        return false;
    }
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(cond, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    return made;
}

static enum bt_status request_make(const struct bt_ledger_item *item, struct request **out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, REQUEST_BYTES_MAX);
    struct request *request = BT_NEW(&arena, struct request);
    if (!request || pthread_mutex_init(&request->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return BT_ENOMEM;
    }
    if (!cond_init(&request->done)) {
        (void)pthread_mutex_destroy(&request->lock);
        bt_arena_free(&arena);
        return BT_ENOMEM;
    }
    request->arena = arena;
    const enum bt_status status = copy_item(request, item);
    if (status != BT_OK) {
        request_free(request);
        return status;
    }
    *out = request;
    return BT_OK;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Requests that are recorded together. */
struct together {
    struct bt_ledger_writer *writer;
    bool is_alone; /* nothing may join */
    size_t count;
    struct request *requests[BATCH_MAX];
};

/* Take what is waiting, as far as there is room; with the lock held. */
static void take_waiting(struct bt_ledger_writer *writer, struct together *together)
{
    while (writer->first && together->count < BATCH_MAX) {
        struct request *request = writer->first;
        writer->first = request->next;
        if (request->is_abandoned && request->item.act) {
            request_free(request);
            continue;
        }
        request->is_taken = true;
        together->requests[together->count++] = request;
    }
    if (!writer->first) {
        writer->last = &writer->first;
    }
}

/* What came while the others were added. */
static void take_more(void *context, struct bt_ledger_batch *batch)
{
    struct together *together = context;
    (void)pthread_mutex_lock(&together->writer->lock);
    take_waiting(together->writer, together);
    (void)pthread_mutex_unlock(&together->writer->lock);
    for (; batch->count < together->count; batch->count++) {
        batch->items[batch->count] = together->requests[batch->count]->item;
    }
}

/* Record them in one transaction. */
static enum bt_status record(struct together *together, bool *out_unknown, struct bt_error *error)
{
    struct bt_ledger_writer *writer = together->writer;
    struct bt_findings *alarms = bt_findings_new(&writer->work);
    struct bt_ledger_item *items = BT_NEW_ARRAY(&writer->work, struct bt_ledger_item, BATCH_MAX);
    if (!alarms || !items) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (size_t i = 0; i < together->count; i++) {
        items[i] = together->requests[i]->item;
    }
    struct bt_ledger_growing growing = {.batch = {.items = items, .count = together->count},
                                        .room = BATCH_MAX,
                                        .more = together->is_alone ? NULL : take_more,
                                        .context = together};
    writer->ledger->deferred = BT_STR("");
    const enum bt_status status = bt_ledger_append_growing(writer->ledger, &writer->env,
                                                           &writer->work, &growing, alarms, error);
    *out_unknown = growing.batch.is_unknown;
    if (bt_findings_count(alarms) > 0) {
        return bt_fail(error, BT_ECORRUPT, "%s: run baton ledger verify",
                       bt_findings_at(alarms, 0)->message.ptr);
    }
    for (size_t i = 0; i < together->count && status == BT_OK; i++) {
        together->requests[i]->item.seq = items[i].seq;
        together->requests[i]->item.is_skipped = items[i].is_skipped;
        together->requests[i]->item.receipt = items[i].receipt;
    }
    return status;
}

/* What was recorded lies in the transaction's memory; each request keeps its own part. */
static enum bt_status keep_result(struct request *request)
{
    struct bt_judged *judged = &request->judged;
    BT_TRY(bt_arena_copy(&request->arena, judged->members, &judged->members));
    BT_TRY(bt_arena_copy(&request->arena, request->item.receipt, &request->item.receipt));
    return copy_findings(&request->arena, judged->findings, judged->source, &judged->findings);
}

/* Write down what came out for each. Nobody else looks at it before it is done, so the lock stays
 * free for those who ask meanwhile. */
static void keep_results(const struct together *together, enum bt_status status, bool is_unknown,
                         const struct bt_error *error)
{
    for (size_t i = 0; i < together->count; i++) {
        struct request *request = together->requests[i];
        request->status = status == BT_OK ? keep_result(request) : status;
        request->is_unknown = is_unknown;
        request->error = *error;
    }
}

/* Tell whoever waits, to whom the request belongs from then on. */
static void answer(struct request *request)
{
    (void)pthread_mutex_lock(&request->lock);
    const bool is_abandoned = request->is_abandoned;
    request->is_done = true;
    (void)pthread_cond_signal(&request->done);
    (void)pthread_mutex_unlock(&request->lock);
    if (is_abandoned) {
        request_free(request);
    }
}

/* Leave the newest checkpoint to the other thread; with the lock held. */
static void defer_head(struct bt_ledger_writer *writer)
{
    const bt_str note = writer->ledger->deferred;
    assert(note.len <= HEAD_BYTES_MAX);
    const bool is_first = writer->head_size == 0; /* else the thread rests, and knows */
    memcpy(writer->head, note.ptr, note.len);
    writer->head_size = note.len;
    if (is_first) {
        (void)pthread_cond_signal(&writer->head_wake);
    }
}

/* Wait for a checkpoint, and for the end of the rest; with the lock held. */
static void await_head(struct bt_ledger_writer *writer, const struct timespec *rested)
{
    int code = 0;
    while (writer->head_size == 0 && !writer->is_over) {
        (void)pthread_cond_wait(&writer->head_wake, &writer->lock);
    }
    while (!writer->is_over && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&writer->head_wake, &writer->lock, rested);
    }
}

static struct timespec rest_from_now(void)
{
    const uint64_t until_ms = bt_ticks_ms() + HEAD_REST_MS;
    return (struct timespec){(time_t)(until_ms / 1000), (long)(until_ms % 1000) * 1000000};
}

static void *replace_heads(void *context)
{
    struct bt_ledger_writer *writer = context;
    struct timespec rested = {0};
    (void)pthread_mutex_lock(&writer->lock);
    while (writer->head_size > 0 || !writer->is_over) {
        await_head(writer, &rested);
        if (writer->head_size == 0) {
            continue;
        }
        char note[HEAD_BYTES_MAX];
        const bt_str text = {note, writer->head_size};
        memcpy(note, writer->head, writer->head_size);
        writer->head_size = 0;
        (void)pthread_mutex_unlock(&writer->lock);
        const enum bt_status status = bt_ledger_put_head(writer->ledger, text, NULL);
        rested = rest_from_now();
        (void)pthread_mutex_lock(&writer->lock);
        writer->is_head_late = status == BT_ELIMIT && !writer->is_over;
        writer->is_head_broken =
            writer->is_head_broken || (status != BT_OK && !writer->is_head_late);
        if (writer->is_head_late && writer->head_size == 0) {
            memcpy(writer->head, text.ptr, text.len); /* once more, after the rest */
            writer->head_size = text.len;
        }
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Record them and tell whoever waits. False: one of several could not be recorded, for a reason
 * that need not be that of the others; nothing was, and nobody was told. */
static bool settle(struct together *together, bool is_broken)
{
    struct bt_ledger_writer *writer = together->writer;
    struct bt_error error = {.text = "the head file could not be replaced"};
    bool is_unknown = false;
    bt_arena_reset(&writer->work);
    const enum bt_status status = is_broken ? BT_EIO : record(together, &is_unknown, &error);
    if (together->count > 1 && !is_unknown && status != BT_OK && status != BT_EIO &&
        status != BT_ECORRUPT) {
        return false;
    }
    keep_results(together, status, is_unknown, &error);
    (void)pthread_mutex_lock(&writer->lock);
    writer->is_lost = writer->is_lost || is_unknown;
    if (status == BT_OK && writer->told) {
        writer->told(writer->told_context, together->count);
    }
    if (status == BT_OK && writer->ledger->deferred.len > 0) {
        defer_head(writer);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    for (size_t i = 0; i < together->count; i++) {
        answer(together->requests[i]);
    }
    return true;
}

static void settle_each(const struct together *together, bool is_broken)
{
    struct together alone = {.writer = together->writer, .is_alone = true, .count = 1};
    for (size_t i = 0; i < together->count; i++) {
        alone.requests[0] = together->requests[i];
        (void)settle(&alone, is_broken);
    }
}

static void *write_all(void *context)
{
    struct bt_ledger_writer *writer = context;
    struct together together = {.writer = writer};
    (void)pthread_mutex_lock(&writer->lock);
    while (writer->first || !writer->is_closing) {
        if (!writer->first) {
            (void)pthread_cond_wait(&writer->wake, &writer->lock);
            continue;
        }
        together.count = 0;
        take_waiting(writer, &together);
        if (together.count == 0) {
            continue; /* nobody waited for what there was */
        }
        const bool is_broken = writer->is_head_broken || writer->is_head_late;
        (void)pthread_mutex_unlock(&writer->lock);
        if (!settle(&together, is_broken)) {
            settle_each(&together, is_broken);
        }
        (void)pthread_mutex_lock(&writer->lock);
    }
    writer->is_over = true;
    (void)pthread_cond_signal(&writer->head_wake);
    (void)pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The second thread first: it has nothing to do before the other one has. */
static bool start_threads(struct bt_ledger_writer *writer)
{
    if (pthread_mutex_init(&writer->lock, NULL) != 0 ||
        pthread_cond_init(&writer->wake, NULL) != 0 || !cond_init(&writer->head_wake) ||
        pthread_create(&writer->head_thread, NULL, replace_heads, writer) != 0) {
        return false;
    }
    if (pthread_create(&writer->thread, NULL, write_all, writer) == 0) {
        return true;
    }
    (void)pthread_mutex_lock(&writer->lock);
    writer->is_over = true;
    (void)pthread_cond_signal(&writer->head_wake);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->head_thread, NULL);
    return false;
}

enum bt_status bt_ledger_writer_open(struct bt_ledger *ledger, const struct bt_env *env,
                                     struct bt_ledger_writer **out, struct bt_error *error)
{
    assert(ledger);
    assert(ledger->is_writing);
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, WRITER_BYTES_MAX);
    struct bt_ledger_writer *writer = BT_NEW(&arena, struct bt_ledger_writer);
    if (!writer) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    writer->arena = arena;
    writer->ledger = ledger;
    writer->env = *env;
    writer->last = &writer->first;
    bt_arena_init(&writer->work, (size_t)1 << 30);
    ledger->defers_head = true;
    if (!start_threads(writer)) {
        ledger->defers_head = false;
        bt_arena_free(&arena);
        return bt_fail(error, BT_ENOMEM, "cannot start a thread");
    }
    *out = writer;
    return BT_OK;
}

void bt_ledger_writer_watch(struct bt_ledger_writer *writer, bt_ledger_batch_fn *told,
                            void *context)
{
    assert(writer);
    (void)pthread_mutex_lock(&writer->lock);
    writer->told = told;
    writer->told_context = context;
    (void)pthread_mutex_unlock(&writer->lock);
}

bool bt_ledger_writer_is_lost(struct bt_ledger_writer *writer)
{
    assert(writer);
    (void)pthread_mutex_lock(&writer->lock);
    const bool is_lost = writer->is_lost || writer->is_head_broken;
    (void)pthread_mutex_unlock(&writer->lock);
    return is_lost;
}

void bt_ledger_writer_close(struct bt_ledger_writer *writer)
{
    if (!writer) {
        return;
    }
    (void)pthread_mutex_lock(&writer->lock);
    writer->is_closing = true;
    (void)pthread_cond_signal(&writer->wake);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->thread, NULL);
    (void)pthread_join(writer->head_thread, NULL);
    writer->ledger->defers_head = false;
    (void)pthread_cond_destroy(&writer->head_wake);
    (void)pthread_cond_destroy(&writer->wake);
    (void)pthread_mutex_destroy(&writer->lock);
    bt_arena_free(&writer->work);
    struct bt_arena arena = writer->arena; /* which holds the writer */
    bt_arena_free(&arena);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Wait until it is done, or until the deadline unless that is NULL. */
static bool wait_until(struct request *request, const struct timespec *deadline)
{
    int code = 0;
    (void)pthread_mutex_lock(&request->lock);
    while (!request->is_done && code != ETIMEDOUT) {
        code = deadline ? pthread_cond_timedwait(&request->done, &request->lock, deadline)
                        : pthread_cond_wait(&request->done, &request->lock);
    }
    const bool is_done = request->is_done;
    (void)pthread_mutex_unlock(&request->lock);
    return is_done;
}

/* The time is over. Leave the request to the writer, unless it has an act that has begun. */
static bool give_up(struct bt_ledger_writer *writer, struct request *request)
{
    (void)pthread_mutex_lock(&writer->lock);
    const bool has_begun = request->is_taken && request->item.act;
    (void)pthread_mutex_lock(&request->lock);
    const bool is_done = request->is_done;
    request->is_abandoned = !is_done && !has_begun;
    (void)pthread_mutex_unlock(&request->lock);
    (void)pthread_mutex_unlock(&writer->lock);
    return is_done || (has_begun && wait_until(request, NULL)); /* the store has a deadline too */
}

/* Bring the result to whoever asked. */
static enum bt_status take_result(struct request *request, struct bt_arena *arena,
                                  struct bt_ledger_item *item)
{
    struct bt_judged *judged = item->judged;
    judged->verdict = request->judged.verdict;
    judged->facts = request->judged.facts; /* the asker's own, also when an act made them */
    item->seq = request->item.seq;
    item->is_skipped = request->item.is_skipped;
    BT_TRY(bt_arena_copy(arena, request->judged.members, &judged->members));
    BT_TRY(bt_arena_copy(arena, request->item.receipt, &item->receipt));
    return copy_findings(arena, request->judged.findings, judged->source, &judged->findings);
}

enum bt_status bt_ledger_writer_append(struct bt_ledger_writer *writer, struct bt_arena *arena,
                                       struct bt_ledger_item *item, const struct timespec *until,
                                       bool *out_unknown, struct bt_error *error)
{
    assert(writer);
    assert(item);
    assert(until);
    assert(out_unknown);
    struct request *request = NULL;
    *out_unknown = false;
    if (request_make(item, &request) != BT_OK) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    assert(request);
    (void)pthread_mutex_lock(&writer->lock);
    *writer->last = request;
    writer->last = &request->next;
    (void)pthread_cond_signal(&writer->wake);
    (void)pthread_mutex_unlock(&writer->lock);
    const bool has_act = item->act != NULL;
    const bool is_done = wait_until(request, until) || give_up(writer, request);
    if (!is_done && has_act) {
        return bt_fail(error, BT_EIO, "the store did not answer in time; nothing was recorded");
    }
    if (!is_done) {
        *out_unknown = true;
        return bt_fail(error, BT_EIO, "the store did not answer in time; the outcome is unknown");
    }
    enum bt_status status = request->status;
    *out_unknown = request->is_unknown;
    if (status == BT_OK) {
        status = take_result(request, arena, item);
    } else {
        (void)bt_fail(error, status, "%s", request->error.text);
    }
    request_free(request);
    return status;
}
