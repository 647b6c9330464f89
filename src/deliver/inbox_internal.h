/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox_internal.h - what the files of this folder share.
 */
#ifndef BATON_SRC_DELIVER_INBOX_INTERNAL_H
#define BATON_SRC_DELIVER_INBOX_INTERNAL_H

#include <baton/deliver.h>

#include "ledger/transaction.h"

/* Put an accepted handoff, which is recorded, into the inbox of its target and, if the target
 * has a webhook, into the queue of that. */
BT_MUST_USE enum bt_status bt_inbox_queue_handoff(struct bt_store *store,
                                                  const struct bt_deliver_submission *submission,
                                                  const struct bt_submission *item,
                                                  struct bt_error *error);

#endif
