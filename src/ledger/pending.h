/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - a submission that waits for the writer: who may use it, and who waits for whom.
 *
 * The submission stays in the memory of its submitter, which may give up at the deadline while the
 * store hangs. Between bt_ledger_pending_lock() and bt_ledger_pending_unlock() the submitter stays,
 * because the writer uses the submission: while it decides, and when it has committed. While it
 * commits it does not. A request that was abandoned belongs to the writer, which frees it.
 */
#ifndef BATON_SRC_LEDGER_PENDING_H
#define BATON_SRC_LEDGER_PENDING_H

#include <pthread.h>

#include "base/broadcast.h"
#include "ledger/ledger_internal.h"

struct bt_ledger_pending {
    struct bt_ledger_pending *next;
    struct bt_submission *item; /* used only while it is locked */
    uint64_t until_ms;          /* of bt_clock_monotonic_ms() */
    bool caller_has_left;       /* the submission is gone; used by the writer */
    bool is_unknown;
    enum bt_status status;
    struct bt_error error;
    struct bt_ledger_completion wait; /* without `notify` ... */
    struct bt_broadcast *done;        /* ... the thread waits for this, with others */
    pthread_mutex_t lock; /* of what follows; separate, so that threads that are notified at once
                           * do not queue up */
    bool has_begun;       /* the writer has begun to process it */
    bool is_locked;
    bool is_done;
    bool is_abandoned; /* no thread waits for it any more */
};

void bt_ledger_pending_free(struct bt_ledger_pending *request);

/* Put a submission into the queue of a writer. Without a callback its broadcast is signalled when
 * it is done. */
BT_MUST_USE enum bt_status bt_ledger_pending_queue(struct bt_ledger_writer *writer,
                                                   struct bt_submission *item,
                                                   const struct bt_ledger_completion *wait);
BT_MUST_USE enum bt_status bt_ledger_pending_create(struct bt_submission *item,
                                                    const struct bt_ledger_completion *wait,
                                                    struct bt_ledger_pending **out);

/* The error for a submission that was too late and was not recorded. */
extern const struct bt_error bt_request_too_late;

/* ---- A batch of the writer while it is appended ---------------------------------------------- */

/* Add requests that came while the others were added to the items, if there is room. */
void bt_writer_batch_take_more(struct bt_writer_batch *group, struct bt_ledger_batch *batch);
/* Lock the submissions whose submitters have not left; NULL replaces the others. Submissions may
 * go away while they are not locked, which is during the commit. */
void bt_writer_batch_lock(struct bt_writer_batch *group, struct bt_ledger_batch *batch);
/* All is decided. The commit uses the deadline of the store: no thread has to wait for it. */
void bt_writer_batch_unlock(struct bt_writer_batch *group);

/* ---- The writer ------------------------------------------------------------------------------ */

/* Lock the submission, unless its submitter has left. False: it has. */
BT_MUST_USE bool bt_ledger_pending_lock(struct bt_ledger_pending *request);
void bt_ledger_pending_unlock(struct bt_ledger_pending *request);
/* Notify the submitter, which owns the request from then on. Not NULL: the caller must signal
 * this broadcast. */
BT_MUST_USE struct bt_broadcast *bt_ledger_pending_notify(struct bt_ledger_pending *request);

#endif
