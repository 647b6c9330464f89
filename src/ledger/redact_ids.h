/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_ids.h - the ids of the rows that a redaction empties.
 */
#ifndef BATON_SRC_LEDGER_REDACT_IDS_H
#define BATON_SRC_LEDGER_REDACT_IDS_H

#include <baton/base.h>

struct bt_redacted_ids {
    bt_str *ids; /* in the arena */
    size_t count;
    size_t capacity;
};

/* Add a copy of `id`. */
BT_MUST_USE enum bt_status bt_redacted_ids_add(struct bt_redacted_ids *list, struct bt_arena *arena,
                                               bt_str id);

#endif
