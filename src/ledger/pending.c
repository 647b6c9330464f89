/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - submitter and writer: queue, lock, notify, abandon. */
#include "ledger/pending.h"

#include <assert.h>
#include <time.h>

#include "base/clock.h"
#include "ledger/receipt.h"

const struct bt_error bt_request_too_late = {
    BT_EIO, "the store did not answer in time; nothing was recorded"};

void bt_ledger_pending_free(struct bt_ledger_pending *request)
{
    assert(request);
    (void)pthread_mutex_destroy(&request->lock);
    bt_handle_destroy(request);
}

enum bt_status bt_ledger_pending_create(struct bt_submission *item,
                                        const struct bt_ledger_completion *wait,
                                        struct bt_ledger_pending **out)
{
    assert(item);
    assert(wait);
    struct bt_ledger_pending *request = bt_handle_create(sizeof(*request));
    if (!request || pthread_mutex_init(&request->lock, NULL) != 0) {
        bt_handle_destroy(request);
        return BT_ENOMEM;
    }
    request->item = item;
    request->wait = *wait;
    request->until_ms =
        (uint64_t)wait->deadline.tv_sec * 1000 + (uint64_t)wait->deadline.tv_nsec / 1000000;
    *out = request;
    return BT_OK;
}

enum bt_status bt_ledger_writer_finish(struct bt_submission *item, struct bt_error *error)
{
    assert(item);
    struct bt_ledger_pending *request = item->progress.pending;
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    assert(request->is_done);
    (void)pthread_mutex_unlock(&request->lock);
    enum bt_status status = request->status;
    item->durability = request->is_unknown                    ? BT_DURABILITY_UNKNOWN
                       : status == BT_OK && !item->is_skipped ? BT_DURABILITY_DURABLE
                                                              : BT_DURABILITY_NONE;
    item->progress.pending = NULL;
    if (status != BT_OK) {
        (void)bt_error_set(error, status, "%s", request->error.text);
    } else if (item->progress.proof &&
               bt_receipt_write(item->arena, item->progress.proof, &item->receipt) != BT_OK) {
        status =
            bt_error_set(error, BT_ENOMEM, "it was recorded, but out of memory for the details");
    }
    bt_ledger_pending_free(request);
    return status;
}

enum bt_status bt_ledger_writer_abandon(struct bt_submission *item, struct bt_error *error)
{
    assert(item);
    struct bt_ledger_pending *request = item->progress.pending;
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    const bool is_left = !request->is_done && !request->is_locked;
    const bool has_begun = request->has_begun;
    request->is_abandoned = is_left; /* the writer frees it */
    (void)pthread_mutex_unlock(&request->lock);
    if (!is_left) {
        return BT_OK;
    }
    item->durability = has_begun ? BT_DURABILITY_UNKNOWN : BT_DURABILITY_NONE;
    item->progress.pending = NULL;
    return has_begun
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

enum bt_status bt_ledger_writer_append(struct bt_ledger_writer *writer, struct bt_submission *item,
                                       const struct timespec *until, struct bt_error *error)
{
    assert(item);
    assert(until);
    const struct bt_ledger_completion wait = {.deadline = *until};
    item->durability = BT_DURABILITY_NONE;
    if (bt_ledger_pending_queue(writer, item, &wait) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bool is_notified = wait_until(item->progress.pending, item->progress.pending->until_ms);
    while (!is_notified) {
        const uint64_t soon_ms = bt_clock_monotonic_ms() + BT_LEDGER_ABANDON_RETRY_MS;
        BT_TRY(bt_ledger_writer_abandon(item, error));
        is_notified = wait_until(item->progress.pending, soon_ms);
    }
    return bt_ledger_writer_finish(item, error);
}

bool bt_ledger_pending_lock(struct bt_ledger_pending *request)
{
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    request->caller_has_left = request->is_abandoned;
    request->has_begun = !request->is_abandoned;
    request->is_locked = !request->is_abandoned;
    (void)pthread_mutex_unlock(&request->lock);
    return !request->caller_has_left;
}

void bt_ledger_pending_unlock(struct bt_ledger_pending *request)
{
    assert(request);
    (void)pthread_mutex_lock(&request->lock);
    request->is_locked = false;
    (void)pthread_mutex_unlock(&request->lock);
}

struct bt_broadcast *bt_ledger_pending_notify(struct bt_ledger_pending *request)
{
    assert(request);
    /* the submitter may free it at any moment */
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
