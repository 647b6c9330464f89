/* SPDX-License-Identifier: Apache-2.0 */
/* hop_budget.h - the budget of a chain of handoffs, from hop to hop. */
#ifndef BATON_SRC_DECIDE_HOP_BUDGET_H
#define BATON_SRC_DECIDE_HOP_BUDGET_H

#include "ledger/ledger.h"

/* Compare an accepted universal handoff with the hop before, inside the transaction that records
 * it, when one of them has a budget. It is rejected when its budget grew or vanished. */
bt_record_fn bt_hop_budget_check;

#endif
