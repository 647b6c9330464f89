/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - a submission that a thread waits for, shared by that thread and the writer.
 *
 * It is a copy, so the submitting thread can leave at the deadline while the store hangs; it then
 * belongs to the writer, which frees it. What the act points at is not copied but borrowed: between
 * bt_ledger_pending_begin() or bt_ledger_pending_hold() and bt_ledger_pending_let_go() the
 * submitting thread stays. The writer borrows it to decide and to notify, and not while it commits.
 */
#ifndef BATON_SRC_LEDGER_PENDING_H
#define BATON_SRC_LEDGER_PENDING_H

#include <pthread.h>

#include "base/broadcast.h"
#include "ledger/ledger_internal.h"

struct bt_ledger_pending {
    struct bt_arena arena; /* holds the request itself */
    struct bt_ledger_pending *next;
    struct bt_submission item;
    struct bt_judgement judged;
    uint64_t until_ms;    /* of bt_clock_monotonic_ms() */
    bool caller_has_left; /* the submitting thread has left, and all that the act points at is
                           * gone; used by the writer */
    bool is_unknown;
    enum bt_status status;
    struct bt_error error;
    struct bt_ledger_completion wait; /* without `told` ... */
    struct bt_broadcast *done;        /* ... the thread waits for this, with others */
    pthread_mutex_t lock; /* of what follows; separate, so that threads that are notified at once
                           * do not queue up */
    bool has_begun;       /* the writer has begun to process it */
    bool is_locked;
    bool is_done;
    bool is_abandoned; /* no thread waits for it any more */
};

BT_MUST_USE enum bt_status bt_ledger_pending_create(const struct bt_submission *item,
                                                    const struct bt_ledger_completion *wait,
                                                    struct bt_ledger_pending **out);
void bt_ledger_pending_free(struct bt_ledger_pending *request);

/* Put a request into the queue of a writer. Without a callback its broadcast is signalled when
 * it is done. */
BT_MUST_USE enum bt_status bt_ledger_pending_queue(struct bt_ledger_writer *writer,
                                                   const struct bt_submission *item,
                                                   const struct bt_ledger_completion *wait,
                                                   struct bt_ledger_pending **out);

/* The error for a submission that was too late and was not recorded. */
extern const struct bt_error bt_request_too_late;

/* ---- The writer ------------------------------------------------------------------------------ */

/* Begin to process it. False: no thread waits for its act, which must not be touched. */
BT_MUST_USE bool bt_ledger_pending_begin(struct bt_ledger_pending *request);
/* Borrow it again, unless the submitting thread has left; then is_left is set. */
void bt_ledger_pending_hold(struct bt_ledger_pending *request);
void bt_ledger_pending_let_go(struct bt_ledger_pending *request);
/* What was recorded lies in the transaction's memory; the request copies its own part. */
BT_MUST_USE enum bt_status bt_ledger_pending_keep(struct bt_ledger_pending *request);
/* Notify the submitting thread, which owns it from then on. Not NULL: the caller must signal
 * this broadcast. */
BT_MUST_USE struct bt_broadcast *bt_ledger_pending_notify(struct bt_ledger_pending *request);

#endif
