/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - rows of the inbox, and what the files of this folder share.
 */
#ifndef BATON_SRC_DELIVER_DELIVER_H
#define BATON_SRC_DELIVER_DELIVER_H

#include <baton/deliver.h>

#include "ledger/record.h"
#include "store/rows.h"

/* One item of an inbox as it is stored. */
struct bt_inbox_row {
    bt_str message;
    bt_str target;
    uint64_t seq;
    bt_str payload;
    uint64_t lease_until; /* milliseconds since 1970; 0: nobody has it */
    bt_str lease;
    uint64_t attempts;
    bt_str state; /* "queued", "taken", "delivered", "dead" */
};

/* Put an item, as entry `seq` records. */
BT_MUST_USE enum bt_status bt_inbox_put(struct bt_store *store, const struct bt_inbox_row *row,
                                        uint64_t seq, struct bt_error *error);

#endif
