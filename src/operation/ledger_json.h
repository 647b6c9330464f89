/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_json.h - results of the ledger as JSON. No object ends in a line feed. */
#ifndef BATON_SRC_OPERATION_LEDGER_JSON_H
#define BATON_SRC_OPERATION_LEDGER_JSON_H

#include <baton/json.h>

#include "ledger/admin.h"
#include "ledger/proof_api.h"

void bt_emit_checkpoint(struct bt_buf *buf, const struct bt_ledger_head *head,
                        const struct bt_ledger_checkpoint *checkpoint);
void bt_emit_consistency(struct bt_buf *buf, bt_str origin,
                         const struct bt_consistency_result *growth);
/* The holds in force; `done`: what was changed, or NULL. */
void bt_emit_holds(struct bt_buf *buf, const struct bt_ledger_holds *holds,
                   const struct bt_ledger_hold_options *done);
/* `{"seq","leaf_hash","entry"}`. */
void bt_entry_fields_emit(struct bt_emit *emit, const struct bt_ledger_entry *entry);
void bt_emit_entries(struct bt_buf *buf, const struct bt_ledger_head *head,
                     const struct bt_ledger_entries *entries);
void bt_emit_redaction(struct bt_buf *buf, const struct bt_ledger_redact_result *redacted);

#endif
