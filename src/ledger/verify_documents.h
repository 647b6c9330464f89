/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_documents.h - the documents of a store.
 */
#ifndef BATON_SRC_LEDGER_VERIFY_DOCUMENTS_H
#define BATON_SRC_LEDGER_VERIFY_DOCUMENTS_H

#include "ledger/verify.h"

/* Check all documents, and report missing ones. */
BT_MUST_USE enum bt_status bt_verify_documents(struct bt_verify *verify);

#endif
