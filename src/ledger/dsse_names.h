/* SPDX-License-Identifier: Apache-2.0 */
/* dsse_names.h - the names in envelopes and statements, for reading and writing. */
#ifndef BATON_SRC_LEDGER_DSSE_NAMES_H
#define BATON_SRC_LEDGER_DSSE_NAMES_H

#include <baton/base.h>

#define BT_DSSE_PAYLOAD_TYPE "application/vnd.in-toto+json"
#define BT_DSSE_STATEMENT_TYPE "https://in-toto.io/Statement/v1"
#define BT_DSSE_RECEIPT_TYPE "urn:baton:handoff-receipt:v1"
#define BT_DSSE_SVR_TYPE "https://in-toto.io/attestation/svr/v0.2"

/* Put the pre-authentication encoding: the bytes that get signed. */
void bt_dsse_put_signed(struct bt_buf *buf, bt_str payload);

#endif
