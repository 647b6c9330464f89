/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_json.h - what the ledger says, written for programs. No object ends in a line feed.
 */
#ifndef BATON_APP_SERVICE_LEDGER_JSON_H
#define BATON_APP_SERVICE_LEDGER_JSON_H

#include <baton/json.h>
#include <baton/ledger_care.h>
#include <baton/ledger_proof.h>

void checkpoint_put(struct bt_buf *buf, const struct bt_ledger_head *head,
                    const struct bt_ledger_checkpoint *checkpoint);
void growth_put(struct bt_buf *buf, bt_str origin, const struct bt_ledger_growth *growth);
/* `{"seq","leaf_hash","entry"}`. */
void entry_emit(struct bt_emit *emit, const struct bt_ledger_entry *entry);
void entries_put(struct bt_buf *buf, const struct bt_ledger_head *head,
                 const struct bt_ledger_entries *entries);
void redacted_put(struct bt_buf *buf, const struct bt_ledger_redacted *redacted);

#endif
