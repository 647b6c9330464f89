/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox_internal.h - deliver a submission within its transaction.
 */
#ifndef BATON_SRC_DELIVER_INBOX_INTERNAL_H
#define BATON_SRC_DELIVER_INBOX_INTERNAL_H

#include "deliver/inbox.h"
#include "ledger/transaction.h"

/* Milliseconds since 1970, as queues count time. */
uint64_t bt_inbox_ms(bt_instant instant);

/* Put a submission, which is recorded, into the inbox of its target if it was accepted and has
 * one, and into the queue of the target's webhook. */
BT_MUST_USE enum bt_status bt_deliver_accepted(struct bt_ledger_transaction *transaction,
                                               struct bt_submission *submission,
                                               struct bt_error *error);

#endif
