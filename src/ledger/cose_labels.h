/* SPDX-License-Identifier: Apache-2.0 */
/* cose_labels.h - the numbers in COSE receipts and keys, for reading and writing. */
#ifndef BATON_SRC_LEDGER_COSE_LABELS_H
#define BATON_SRC_LEDGER_COSE_LABELS_H

#include <baton/base.h>

#define BT_COSE_RECEIPT_TYPE "application/vnd.baton.receipt+cose"
#define BT_COSE_STATEMENT_RECEIPT_TYPE "application/scitt-receipt+cose"

enum {
    /* headers: RFC 9052, RFC 9597, RFC 9596, RFC 9942, ours */
    BT_COSE_ALG = 1,
    BT_COSE_CRIT = 2,
    BT_COSE_CONTENT_TYPE = 3,
    BT_COSE_KID = 4,
    BT_COSE_CLAIMS = 15,
    BT_COSE_TYP = 16,
    BT_COSE_VDS = 395,
    BT_COSE_VDP = 396,
    BT_COSE_ENTRY = -70001,
    BT_COSE_CHECKPOINT = -70002,
    /* values */
    BT_COSE_ES256 = -7,
    BT_COSE_EDDSA = -8,
    BT_COSE_ED25519 = -19, /* RFC 9864 */
    BT_COSE_RFC9162_SHA256 = 1,
    BT_COSE_INCLUSION = -1,
    BT_COSE_ISSUER = 1,
    BT_COSE_SUBJECT = 2,
    BT_COSE_SIGN1_TAG = 18,
};

/* Put the bytes that get signed. */
void bt_cose_put_signed(struct bt_buf *buf, bt_str headers, bt_str payload);

#endif
