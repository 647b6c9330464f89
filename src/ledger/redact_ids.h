/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_ids.h - the ids of the rows that a redaction empties.
 */
#ifndef BATON_SRC_LEDGER_REDACT_IDS_H
#define BATON_SRC_LEDGER_REDACT_IDS_H

#include "base/error.h"
#include "base/vec.h"

struct bt_redacted_ids {
    bt_str *items; /* in the arena */
    size_t count;
    size_t capacity;
};

/* Add a copy of `id`. */
BT_MUST_USE static inline enum bt_status bt_redacted_ids_add(struct bt_redacted_ids *list,
                                                             struct bt_arena *arena, bt_str id)
{
    bt_str copy;
    BT_TRY(bt_arena_copy(arena, id, &copy));
    return bt_vec_push(arena, list, copy);
}

#endif
