/* SPDX-License-Identifier: Apache-2.0 */
/* new_receipts.h - receipts of entries just recorded, without reading the store. */
#ifndef BATON_SRC_LEDGER_NEW_RECEIPTS_H
#define BATON_SRC_LEDGER_NEW_RECEIPTS_H

#include "ledger/receipt.h"
#include "ledger/transaction.h"

/* A tree and the leaves that one transaction added to it. */
struct bt_ledger_new_leaves {
    const struct bt_merkle_tree *before;
    uint64_t size; /* after the transaction */
    const struct bt_merkle_hash
        *rows[BT_TREE_DEPTH_MAX]; /* by level, the subtrees that became complete */
};

/* `before` and `leaves` must outlive it. */
BT_MUST_USE enum bt_status bt_ledger_new_leaves_init(struct bt_ledger_new_leaves *fresh,
                                                     struct bt_arena *arena,
                                                     const struct bt_merkle_tree *before,
                                                     const struct bt_merkle_hash *leaves,
                                                     size_t count);
/* Make the receipt of one of the new entries, which shares their memory. */
BT_MUST_USE enum bt_status bt_ledger_new_leaves_prove(struct bt_ledger_new_leaves *fresh,
                                                      const struct bt_ledger_record *recorded,
                                                      bt_str note, struct bt_receipt *out);

#endif
