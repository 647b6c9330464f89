/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - what is copied, what is lent, and who waits for whom.
 */
#define _GNU_SOURCE /* sem_clockwait() */
#include "ledger/request.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

enum { REQUEST_BYTES_MAX = 256 << 20 };

/* ---- Copies ---------------------------------------------------------------------------------- */

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
static enum bt_status copy_item(struct bt_request *request, const struct bt_ledger_item *item)
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

void bt_request_free(struct bt_request *request)
{
    assert(request);
    (void)pthread_cond_destroy(&request->changed);
    (void)pthread_mutex_destroy(&request->lock);
    (void)sem_destroy(&request->told);
    struct bt_arena arena = request->arena; /* which holds the request */
    bt_arena_free(&arena);
}

static bool init_waiting(struct bt_request *request)
{
    if (sem_init(&request->told, 0, 0) != 0) {
        return false;
    }
    if (pthread_mutex_init(&request->lock, NULL) != 0) {
        (void)sem_destroy(&request->told);
        return false;
    }
    if (pthread_cond_init(&request->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&request->lock);
        (void)sem_destroy(&request->told);
        return false;
    }
    return true;
}

enum bt_status bt_request_make(const struct bt_ledger_item *item, const struct timespec *until,
                               struct bt_request **out)
{
    assert(item);
    assert(until);
    struct bt_arena arena;
    bt_arena_init(&arena, REQUEST_BYTES_MAX);
    struct bt_request *request = BT_NEW(&arena, struct bt_request);
    if (!request || !init_waiting(request)) {
        bt_arena_free(&arena);
        return BT_ENOMEM;
    }
    request->arena = arena;
    request->until_ms = (uint64_t)until->tv_sec * 1000 + (uint64_t)until->tv_nsec / 1000000;
    const enum bt_status status = copy_item(request, item);
    if (status != BT_OK) {
        bt_request_free(request);
        return status;
    }
    *out = request;
    return BT_OK;
}

/* ---- Who asks -------------------------------------------------------------------------------- */

/* Wait to be told, until the deadline unless that is NULL. */
static bool wait_until(struct bt_request *request, const struct timespec *until)
{
    int code = 0;
    do {
        code = until ? sem_clockwait(&request->told, CLOCK_MONOTONIC, until)
                     : sem_wait(&request->told);
    } while (code != 0 && errno == EINTR);
    return code == 0;
}

bool bt_request_await(struct bt_request *request, const struct timespec *until, bool *out_begun)
{
    assert(request);
    const bool is_told = wait_until(request, until);
    (void)pthread_mutex_lock(&request->lock);
    while (!request->is_done && request->is_lent) { /* the store has a deadline too */
        (void)pthread_cond_wait(&request->changed, &request->lock);
    }
    const bool is_done = request->is_done;
    request->is_abandoned = !is_done;
    *out_begun = request->is_taken;
    (void)pthread_mutex_unlock(&request->lock);
    if (is_done && !is_told) {
        (void)wait_until(request, NULL); /* the writer has still to let it go */
    }
    return is_done;
}

enum bt_status bt_request_result(const struct bt_request *request, struct bt_arena *arena,
                                 struct bt_ledger_item *item)
{
    assert(request);
    assert(request->is_done);
    struct bt_judged *judged = item->judged;
    judged->verdict = request->judged.verdict;
    judged->facts = request->judged.facts; /* the asker's own, also when an act made them */
    item->seq = request->item.seq;
    item->is_skipped = request->item.is_skipped;
    BT_TRY(bt_arena_copy(arena, request->judged.members, &judged->members));
    BT_TRY(bt_arena_copy(arena, request->item.receipt, &item->receipt));
    return copy_findings(arena, request->judged.findings, judged->source, &judged->findings);
}

/* ---- The writer ------------------------------------------------------------------------------ */

bool bt_request_take(struct bt_request *request)
{
    assert(request);
    const bool has_act = request->item.act != NULL;
    (void)pthread_mutex_lock(&request->lock);
    const bool is_wanted = !has_act || !request->is_abandoned;
    request->is_taken = is_wanted;
    request->is_lent = is_wanted && has_act;
    (void)pthread_mutex_unlock(&request->lock);
    return is_wanted;
}

void bt_request_hold(struct bt_request *request)
{
    assert(request);
    request->is_left = !bt_request_take(request);
}

void bt_request_let_go(struct bt_request *request)
{
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    request->is_lent = false;
    (void)pthread_cond_signal(&request->changed);
    (void)pthread_mutex_unlock(&request->lock);
}

enum bt_status bt_request_keep(struct bt_request *request)
{
    struct bt_judged *judged = &request->judged;
    BT_TRY(bt_arena_copy(&request->arena, judged->members, &judged->members));
    BT_TRY(bt_arena_copy(&request->arena, request->item.receipt, &request->item.receipt));
    return copy_findings(&request->arena, judged->findings, judged->source, &judged->findings);
}

void bt_request_answer(struct bt_request *request)
{
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    const bool is_abandoned = request->is_abandoned;
    request->is_done = true;
    (void)pthread_cond_signal(&request->changed);
    (void)pthread_mutex_unlock(&request->lock);
    if (is_abandoned) {
        bt_request_free(request);
    } else {
        (void)sem_post(&request->told);
    }
}
