/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idempotency.h - a request that was answered before, and the answer that is kept for its repeat.
 */
#ifndef BATON_SRC_LEDGER_IDEMPOTENCY_H
#define BATON_SRC_LEDGER_IDEMPOTENCY_H

#include "ledger/transaction.h"

/* Look for an answer that was given before; once->outcome is set when there is one. */
BT_MUST_USE enum bt_status bt_idempotency_find(const struct bt_ledger_transaction *recording,
                                               struct bt_idempotency *once, struct bt_error *error);
/* Compose the answer and keep it, as that of entry `seq`. */
BT_MUST_USE enum bt_status bt_idempotency_store(const struct bt_ledger_transaction *recording,
                                                struct bt_idempotency *once, uint64_t seq,
                                                struct bt_error *error);

#endif
