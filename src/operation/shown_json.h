/* SPDX-License-Identifier: Apache-2.0 */
/* shown_json.h - an entry of the ledger as JSON. */
#ifndef BATON_SRC_OPERATION_SHOWN_JSON_H
#define BATON_SRC_OPERATION_SHOWN_JSON_H

#include "ledger/ledger.h"

/* "kept", "redacted" ... */
const char *bt_entry_view_state(enum bt_document_state state);
/* Put the object of `ledger show`. */
void bt_emit_entry_view(struct bt_buf *buf, bt_str origin,
                        const struct bt_ledger_entry_view *shown);

#endif
