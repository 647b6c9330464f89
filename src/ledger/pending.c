/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - what is copied, what is borrowed, and who waits for whom. */
#include "ledger/pending.h"

#include <assert.h>
#include <time.h>

#include "base/clock.h"
#include "ledger/receipt.h"

enum { REQUEST_BYTES_MAX = 256 << 20 };

const struct bt_error bt_request_too_late = {
    BT_EIO, "the store did not answer in time; nothing was recorded"};

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

static enum bt_status copy_refs(struct bt_arena *arena, struct bt_submission *item)
{
    struct bt_entry_ref *refs = BT_NEW_ARRAY(arena, struct bt_entry_ref, item->ref_count + 1);
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

/* Copy everything that the item points at, so that the request is self-contained. */
static enum bt_status copy_item(struct bt_ledger_pending *request, const struct bt_submission *item)
{
    struct bt_arena *arena = &request->arena;
    struct bt_submission *copy = &request->item;
    *copy = *item;
    request->judged = *item->judged;
    request->judged.document = NULL; /* belongs to the submitting thread, as the identity does */
    request->judged.identity = (struct bt_identity){0};
    copy->judged = &request->judged;
    bt_str *const texts[] = {&copy->kind,     &copy->actor,      &copy->bytes,
                             &copy->trace_id, &copy->handoff_id, &copy->id_pointer,
                             &copy->source,   &copy->target,     &request->judged.path};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        BT_TRY(bt_arena_copy(arena, *texts[i], texts[i]));
    }
    request->judged.source = copy->bytes; /* the positions of findings refer to it */
    BT_TRY(copy_refs(arena, copy));
    return copy_findings(arena, item->judged->findings, copy->bytes, &request->judged.findings);
}

void bt_ledger_pending_free(struct bt_ledger_pending *request)
{
    assert(request);
    (void)pthread_mutex_destroy(&request->lock);
    struct bt_arena arena = request->arena; /* holds the request */
    bt_arena_free(&arena);
}

enum bt_status bt_ledger_pending_create(const struct bt_submission *item,
                                        const struct bt_ledger_completion *wait,
                                        struct bt_ledger_pending **out)
{
    assert(item);
    assert(wait);
    struct bt_arena arena;
    bt_arena_init(&arena, REQUEST_BYTES_MAX);
    struct bt_ledger_pending *request = BT_NEW(&arena, struct bt_ledger_pending);
    if (!request || pthread_mutex_init(&request->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return BT_ENOMEM;
    }
    request->arena = arena;
    request->wait = *wait;
    request->until_ms =
        (uint64_t)wait->deadline.tv_sec * 1000 + (uint64_t)wait->deadline.tv_nsec / 1000000;
    const enum bt_status status = copy_item(request, item);
    if (status != BT_OK) {
        bt_ledger_pending_free(request);
        return status;
    }
    *out = request;
    return BT_OK;
}

static enum bt_status copy_result(const struct bt_ledger_pending *request, struct bt_arena *arena,
                                  struct bt_submission *item)
{
    struct bt_judgement *judged = item->judged;
    judged->verdict = request->judged.verdict;
    judged->facts = request->judged.facts; /* owned by the submitting thread, even when an act
                                            * made them */
    item->seq = request->item.seq;
    item->is_skipped = request->item.is_skipped;
    BT_TRY(bt_arena_copy(arena, request->judged.extra_members, &judged->extra_members));
    item->receipt = BT_STR("");
    if (request->item.proven) {
        BT_TRY(bt_receipt_write(arena, request->item.proven, &item->receipt));
    }
    return copy_findings(arena, request->judged.findings, judged->source, &judged->findings);
}

enum bt_status bt_ledger_writer_finish(struct bt_ledger_pending *request, struct bt_arena *arena,
                                       struct bt_submission *item, bool *out_unknown,
                                       struct bt_error *error)
{
    assert(request);
    assert(item);
    assert(out_unknown);
    (void)pthread_mutex_lock(&request->lock);
    assert(request->is_done);
    (void)pthread_mutex_unlock(&request->lock);
    enum bt_status status = request->status;
    *out_unknown = request->is_unknown;
    if (status != BT_OK) {
        (void)bt_error_set(error, status, "%s", request->error.text);
    } else if (copy_result(request, arena, item) != BT_OK) {
        *out_unknown = true;
        status =
            bt_error_set(error, BT_ENOMEM, "it was recorded, and there is no memory to tell more");
    }
    bt_ledger_pending_free(request);
    return status;
}

enum bt_status bt_ledger_writer_abandon(struct bt_ledger_pending *request, bool *out_unknown,
                                        struct bt_error *error)
{
    assert(request);
    assert(out_unknown);
    const bool has_act = request->item.act != NULL;
    (void)pthread_mutex_lock(&request->lock);
    const bool is_left = !request->is_done && !request->is_locked;
    const bool has_begun = request->has_begun;
    request->is_abandoned = is_left; /* the writer frees it */
    (void)pthread_mutex_unlock(&request->lock);
    *out_unknown = is_left && (has_begun || !has_act);
    if (!is_left) {
        return BT_OK;
    }
    return *out_unknown
               ? bt_error_set(error, BT_EIO,
                              "the store did not answer in time; the outcome is unknown")
               : bt_error_set(error, bt_request_too_late.status, "%s", bt_request_too_late.text);
}

static bool is_done(struct bt_ledger_pending *request)
{
    (void)pthread_mutex_lock(&request->lock);
    const bool is_done = request->is_done;
    (void)pthread_mutex_unlock(&request->lock);
    return is_done;
}

/* True when it was finished before the deadline. */
static bool wait_until(struct bt_ledger_pending *request, uint64_t until_ms)
{
    const struct timespec until = bt_clock_deadline(until_ms);
    uint32_t generation = bt_broadcast_generation(request->done);
    while (!is_done(request)) {
        if (bt_clock_monotonic_ms() >= until_ms) {
            return false;
        }
        bt_broadcast_wait(request->done, generation, &until);
        generation = bt_broadcast_generation(request->done);
    }
    return true;
}

enum bt_status bt_ledger_writer_append(struct bt_ledger_writer *writer, struct bt_arena *arena,
                                       struct bt_submission *item, const struct timespec *until,
                                       bool *out_unknown, struct bt_error *error)
{
    assert(until);
    assert(out_unknown);
    struct bt_ledger_pending *request = NULL;
    const struct bt_ledger_completion wait = {.deadline = *until};
    *out_unknown = false;
    if (bt_ledger_pending_queue(writer, item, &wait, &request) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bool is_notified = wait_until(request, request->until_ms);
    while (!is_notified) {
        const uint64_t soon_ms = bt_clock_monotonic_ms() + BT_LEDGER_ABANDON_RETRY_MS;
        BT_TRY(bt_ledger_writer_abandon(request, out_unknown, error));
        is_notified = wait_until(request, soon_ms);
    }
    return bt_ledger_writer_finish(request, arena, item, out_unknown, error);
}

bool bt_ledger_pending_begin(struct bt_ledger_pending *request)
{
    assert(request);
    const bool has_act = request->item.act != NULL;
    (void)pthread_mutex_lock(&request->lock);
    const bool is_wanted = !has_act || !request->is_abandoned;
    request->has_begun = is_wanted;
    request->is_locked = is_wanted && has_act;
    (void)pthread_mutex_unlock(&request->lock);
    return is_wanted;
}

void bt_ledger_pending_hold(struct bt_ledger_pending *request)
{
    assert(request);
    request->caller_has_left = !bt_ledger_pending_begin(request);
}

void bt_ledger_pending_let_go(struct bt_ledger_pending *request)
{
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    request->is_locked = false;
    (void)pthread_mutex_unlock(&request->lock);
}

enum bt_status bt_ledger_pending_keep(struct bt_ledger_pending *request)
{
    struct bt_judgement *judged = &request->judged;
    BT_TRY(bt_arena_copy(&request->arena, judged->extra_members, &judged->extra_members));
    if (request->item.proven) {
        BT_TRY(bt_receipt_copy(&request->arena, request->item.proven, &request->item.proven));
    }
    return copy_findings(&request->arena, judged->findings, judged->source, &judged->findings);
}

struct bt_broadcast *bt_ledger_pending_notify(struct bt_ledger_pending *request)
{
    assert(request);
    /* the submitting thread may free it at any moment */
    const struct bt_ledger_completion wait = request->wait;
    struct bt_broadcast *broadcast = request->done;
    (void)pthread_mutex_lock(&request->lock);
    const bool is_abandoned = request->is_abandoned;
    request->is_done = true;
    (void)pthread_mutex_unlock(&request->lock);
    if (is_abandoned) {
        bt_ledger_pending_free(request);
        return NULL;
    }
    if (wait.notify) {
        wait.notify(wait.context);
        return NULL;
    }
    return broadcast;
}
