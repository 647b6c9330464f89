/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - a decision that somebody waits for, between the thread that asks and the writer.
 *
 * It is a copy of its own, so that whoever asked can leave at the deadline while the store hangs:
 * then it belongs to the writer, which frees it. What an act points at is not copied. It is lent:
 * from bt_ledger_pending_begin() or bt_ledger_pending_hold() until bt_ledger_pending_let_go()
 * whoever asked stays. The writer borrows it to decide and to tell, and not while it commits.
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
    bool caller_has_left; /* who asked is gone, with all that the act points at; for the writer */
    bool is_unknown;
    enum bt_status status;
    struct bt_error error;
    struct bt_ledger_completion wait; /* without `told` ... */
    struct bt_broadcast *done;        /* ... it is waited for here, with others */
    pthread_mutex_t lock; /* of what follows; its own, lest those who are told at once queue up */
    bool has_begun;       /* the writer has begun with it */
    bool is_locked;
    bool is_done;
    bool is_abandoned; /* nobody waits any more */
};

BT_MUST_USE enum bt_status bt_ledger_pending_create(const struct bt_submission *item,
                                                    const struct bt_ledger_completion *wait,
                                                    struct bt_ledger_pending **out);
void bt_ledger_pending_free(struct bt_ledger_pending *request);

/* Put one into the queue of a writer. Without `told` its gong is struck when it is done. */
BT_MUST_USE enum bt_status bt_ledger_pending_queue(struct bt_ledger_writer *writer,
                                                   const struct bt_submission *item,
                                                   const struct bt_ledger_completion *wait,
                                                   struct bt_ledger_pending **out);

/* What is said to whoever is late, and not recorded. */
extern const struct bt_error bt_request_too_late;

/* ---- The writer ------------------------------------------------------------------------------ */

/* Begin with it. False: nobody waits for its act, which must not be touched. */
BT_MUST_USE bool bt_ledger_pending_begin(struct bt_ledger_pending *request);
/* Borrow it again, unless whoever asked has left; then is_left is set. */
void bt_ledger_pending_hold(struct bt_ledger_pending *request);
void bt_ledger_pending_let_go(struct bt_ledger_pending *request);
/* What was recorded lies in the transaction's memory; the request keeps its own part. */
BT_MUST_USE enum bt_status bt_ledger_pending_keep(struct bt_ledger_pending *request);
/* Tell whoever asked, to whom it belongs from then on. Not NULL: once this gong is struck. */
BT_MUST_USE struct bt_broadcast *bt_ledger_pending_notify(struct bt_ledger_pending *request);

#endif
