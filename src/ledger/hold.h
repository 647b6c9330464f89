/* SPDX-License-Identifier: Apache-2.0 */
/* hold.h - whether a document may be deleted: holds, and the time that it is kept at least. */
#ifndef BATON_SRC_LEDGER_HOLD_H
#define BATON_SRC_LEDGER_HOLD_H

#include "ledger/admin.h"
#include "ledger/transaction.h"

/* Columns of the table. */
enum {
    BT_HOLD_BY = 0,
    BT_HOLD_VALUE,
    BT_HOLD_REASON,
    BT_HOLD_SINCE,
    BT_HOLD_RELEASED,
    BT_HOLD_COLUMNS,
};

/* What is asked before the bytes of a document are deleted. */
struct bt_ledger_retention {
    uint64_t min_s; /* how long bytes are kept after the youngest entry about them; 0: no time */
    bool is_early;  /* although they are younger */
};

/* Within a transaction: add RETENTION_HOLD or RETENTION_MINIMUM to `refusals` when the bytes of
 * this digest have to be kept. */
BT_MUST_USE enum bt_status bt_ledger_check_retention(struct bt_ledger_transaction *recording,
                                                     const struct bt_merkle_hash *digest,
                                                     const struct bt_ledger_retention *retention,
                                                     struct bt_findings *refusals,
                                                     struct bt_error *error);

#endif
