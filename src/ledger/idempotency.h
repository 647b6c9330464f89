/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.h - find and store the response to a request that may be repeated. */
#ifndef BATON_SRC_LEDGER_IDEMPOTENCY_H
#define BATON_SRC_LEDGER_IDEMPOTENCY_H

#include "ledger/transaction.h"

/* Find the response of an earlier request; once->outcome is set when there is one. */
BT_MUST_USE enum bt_status bt_idempotency_find(const struct bt_ledger_transaction *recording,
                                               struct bt_idempotency *once, struct bt_error *error);
/* Write the response and store it with entry `seq`. */
BT_MUST_USE enum bt_status bt_idempotency_store(const struct bt_ledger_transaction *recording,
                                                struct bt_idempotency *once, uint64_t seq,
                                                struct bt_error *error);

#endif
