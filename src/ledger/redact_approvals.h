/* SPDX-License-Identifier: Apache-2.0 */
/* redact_approvals.h - approval requests that are emptied with the report that made them. */
#ifndef BATON_SRC_LEDGER_REDACT_APPROVALS_H
#define BATON_SRC_LEDGER_REDACT_APPROVALS_H

#include "ledger/redact_ids.h"
#include "ledger/transaction.h"

/* The requests with a payload that these entries made: those of `approval` entries REQUESTED whose
 * refs.parent is one of them. */
BT_MUST_USE enum bt_status bt_redacted_approvals_find(const struct bt_ledger_transaction *recording,
                                                      const uint64_t *seqs, size_t count,
                                                      struct bt_redacted_ids *out,
                                                      struct bt_error *error);
/* Keep those that still have a payload, and add up the bytes of these. */
BT_MUST_USE enum bt_status
bt_redacted_approvals_measure(const struct bt_ledger_transaction *recording,
                              struct bt_redacted_ids *found, uint64_t *out_bytes,
                              struct bt_error *error);
/* Delete their payloads, also in stored responses, after the redaction's entry. Pending requests
 * and active grants become revoked, which is recorded. */
BT_MUST_USE enum bt_status bt_redacted_approvals_empty(struct bt_ledger_transaction *recording,
                                                       const struct bt_redacted_ids *found,
                                                       bt_str actor, uint64_t redaction,
                                                       struct bt_error *error);

#endif
