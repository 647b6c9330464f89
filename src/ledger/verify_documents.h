/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_documents.h - the documents of a store.
 */
#ifndef BATON_SRC_LEDGER_VERIFY_DOCUMENTS_H
#define BATON_SRC_LEDGER_VERIFY_DOCUMENTS_H

#include "ledger/verify.h"

/* Another connection to the store that is verified; it begins a transaction that reads. */
BT_MUST_USE enum bt_status bt_verify_open_store(const struct bt_verify *verify,
                                                struct bt_reader *out);
/* Begin to look for documents that are gone, in a thread of its own where there may be several. */
BT_MUST_USE enum bt_status bt_verify_find_absent(struct bt_verify *verify);
/* Judge all documents, and say which are gone. */
BT_MUST_USE enum bt_status bt_verify_documents(struct bt_verify *verify);
/* Whatever happened: the thread ends, the connection closes. */
void bt_verify_end_absent(struct bt_verify *verify);

#endif
