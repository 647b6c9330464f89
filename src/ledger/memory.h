/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - the state file: a log's last checkpoint, away from its store. */
#ifndef BATON_SRC_LEDGER_MEMORY_H
#define BATON_SRC_LEDGER_MEMORY_H

#include "ledger/ledger_internal.h"

/* The path of the state file of an origin; "": there is none. */
BT_MUST_USE enum bt_status bt_ledger_memory_path(struct bt_arena *arena,
                                                 const struct bt_ledger_memory *memory,
                                                 bt_str origin, bool is_test_key, bt_str *out);
/* Replace the state file after a commit. A failure is kept, and ends this memory. Any thread. */
void bt_ledger_write_memory(struct bt_ledger *ledger, bt_str note);
/* BT_EDENIED: the state file at `path` ("": none) is of a ledger of this origin with entries. */
BT_MUST_USE enum bt_status bt_ledger_memory_check_origin(struct bt_arena *arena, bt_str path,
                                                         struct bt_error *error);

#endif
