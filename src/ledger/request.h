/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - a decision that somebody waits for, between the thread that asks and the writer.
 *
 * It is a copy of its own, so that whoever asked can leave at the deadline while the store hangs:
 * then it belongs to the writer, which frees it. What an act points at is not copied. It is lent:
 * from bt_request_take() or bt_request_hold() until bt_request_let_go() whoever asked stays. The
 * writer borrows it to decide and to tell, and not while it commits.
 */
#ifndef BATON_SRC_LEDGER_REQUEST_H
#define BATON_SRC_LEDGER_REQUEST_H

#include <pthread.h>

#include "base/gong.h"
#include "ledger/inside.h"

struct bt_request {
    struct bt_arena arena; /* holds the request itself */
    struct bt_request *next;
    struct bt_ledger_item item;
    struct bt_judged judged;
    uint64_t until_ms; /* of bt_clock_monotonic_ms() */
    bool is_left;      /* who asked is gone, with all that the act points at; for the writer */
    bool is_unknown;
    enum bt_status status;
    struct bt_error error;
    struct bt_ledger_wait wait; /* without `told` ... */
    struct bt_gong *gong;       /* ... it is waited for here, with others */
    pthread_mutex_t lock; /* of what follows; its own, lest those who are told at once queue up */
    bool is_taken;        /* the writer has begun with it */
    bool is_lent;
    bool is_done;
    bool is_abandoned; /* nobody waits any more */
};

BT_MUST_USE enum bt_status bt_request_make(const struct bt_ledger_item *item,
                                           const struct bt_ledger_wait *wait,
                                           struct bt_request **out);
void bt_request_free(struct bt_request *request);

/* Put one into the queue of a writer. Without `told` its gong is struck when it is done. */
BT_MUST_USE enum bt_status bt_request_give(struct bt_ledger_writer *writer,
                                           const struct bt_ledger_item *item,
                                           const struct bt_ledger_wait *wait,
                                           struct bt_request **out);

/* What is said to whoever is late, and not recorded. */
extern const struct bt_error bt_request_too_late;

/* ---- The writer ------------------------------------------------------------------------------ */

/* Begin with it. False: nobody waits for its act, which must not be touched. */
BT_MUST_USE bool bt_request_take(struct bt_request *request);
/* Borrow it again, unless whoever asked has left; then is_left is set. */
void bt_request_hold(struct bt_request *request);
void bt_request_let_go(struct bt_request *request);
/* What was recorded lies in the transaction's memory; the request keeps its own part. */
BT_MUST_USE enum bt_status bt_request_keep(struct bt_request *request);
/* Tell whoever asked, to whom it belongs from then on. Not NULL: once this gong is struck. */
BT_MUST_USE struct bt_gong *bt_request_answer(struct bt_request *request);

#endif
