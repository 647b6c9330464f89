/* SPDX-License-Identifier: Apache-2.0 */
/* hold_check.h - whether the table of holds says what the entries say. */
#ifndef BATON_SRC_LEDGER_HOLD_CHECK_H
#define BATON_SRC_LEDGER_HOLD_CHECK_H

#include "base/map.h"
#include "ledger/admin.h"
#include "ledger/entry.h"

/* The rows that the entries read so far lead to. */
struct bt_ledger_hold_check {
    struct bt_arena *arena;
    struct bt_map rows; /* by "trace VALUE" and the like: struct ledger_hold_row */
};

/* Begin, with memory of the arena. BT_EIO: the system provided no randomness. */
BT_MUST_USE enum bt_status bt_ledger_hold_check_init(struct bt_ledger_hold_check *check,
                                                     struct bt_arena *arena);
/* Take the next entry of the log; only holds matter. */
BT_MUST_USE enum bt_status bt_ledger_hold_check_add(struct bt_ledger_hold_check *check,
                                                    const struct bt_entry *entry);
/* Compare the table after the last entry. *out_wrong is the key of a row that is missing, that no
 * entry made or that differs from its entries; "" when there is none. */
BT_MUST_USE enum bt_status bt_ledger_hold_check_compare(const struct bt_ledger_hold_check *check,
                                                        struct bt_ledger *ledger, bt_str *out_wrong,
                                                        struct bt_error *error);

#endif
