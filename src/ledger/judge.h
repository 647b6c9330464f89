/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - who decides: the program and the policy that entries of version 2 name. */
#ifndef BATON_SRC_LEDGER_JUDGE_H
#define BATON_SRC_LEDGER_JUDGE_H

#include "ledger/transaction.h"

/* This program, as the handoffs of a ledger name it. Computed once for a ledger, which holds it. */
BT_MUST_USE enum bt_status bt_ledger_judge(struct bt_ledger *ledger, struct bt_entry_judge *out,
                                           struct bt_error *error);
/* The transaction is durable: the policy that it recorded, or found, need not be looked up
 * again. */
void bt_ledger_remember_policy(const struct bt_ledger_transaction *recording);

#endif
