/* SPDX-License-Identifier: Apache-2.0 */
/* own_receipt.h - compare receipts that callers show with the ledger that has signed them. */
#ifndef BATON_SRC_OPERATION_OWN_RECEIPT_H
#define BATON_SRC_OPERATION_OWN_RECEIPT_H

#include "operation/operation.h"

/*
 * Compare a receipt of any form with the ledger, when a key of this ledger has signed it; others
 * are ignored. True in *out_is_other: it proves entries that the ledger does not have, nothing more
 * is recorded from now on, and *out says so. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_op_compare_receipt(struct bt_call *work, bt_str receipt,
                                                 struct bt_judgement *out, bool *out_is_other);

#endif
