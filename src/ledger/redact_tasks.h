/* SPDX-License-Identifier: Apache-2.0 */
/* redact_tasks.h - A2A tasks whose messages or artifacts hold a redacted document. */
#ifndef BATON_SRC_LEDGER_REDACT_TASKS_H
#define BATON_SRC_LEDGER_REDACT_TASKS_H

#include "ledger/redact_ids.h"
#include "ledger/transaction.h"

/*
 * The tasks that hold the text of `document`. A row names the entry of its last message only, and
 * messages that were checked or repaired have no entry, so the texts themselves are compared.
 */
BT_MUST_USE enum bt_status bt_redacted_tasks_find(const struct bt_ledger_transaction *recording,
                                                  const struct bt_store_document *document,
                                                  struct bt_redacted_ids *out,
                                                  struct bt_error *error);
/* Delete their history and artifacts, as entry `redaction` says. */
BT_MUST_USE enum bt_status bt_redacted_tasks_empty(struct bt_ledger_transaction *recording,
                                                   const struct bt_redacted_ids *found,
                                                   uint64_t redaction, struct bt_error *error);

#endif
