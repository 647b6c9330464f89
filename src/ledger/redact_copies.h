/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_copies.h - content of a document that lies in tables of states.
 */
#ifndef BATON_SRC_LEDGER_REDACT_COPIES_H
#define BATON_SRC_LEDGER_REDACT_COPIES_H

#include "ledger/inside.h"

/* The entries whose document goes, ascending, and the one that records it. */
struct bt_redacted_entries {
    const uint64_t *seqs;
    size_t count;
    uint64_t redaction;
};

/* Empty the copies that were made for these entries, within the transaction that is open. An item
 * that nobody has taken yet is dead then. */
BT_MUST_USE enum bt_status bt_redact_copies(struct bt_store *store, struct bt_arena *arena,
                                            const struct bt_redacted_entries *entries,
                                            struct bt_error *error);

#endif
