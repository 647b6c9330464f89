/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose.h - a receipt as a COSE_Sign1 (RFC 9052) with an inclusion proof of RFC 9942, and keys as
 * COSE_Key.
 *
 *     18([<< {1: -8, 4: kid, 15: {1: ORIGIN, 2: ORIGIN#SEQ}, 16: typ, 395: 1} >>,
 *         {396: {-1: [<< [SIZE, SEQ, [HASH...]] >>]}, -70001: ENTRY, -70002: CHECKPOINT},
 *         null, SIGNATURE])
 *
 * The signed payload is the root, which is detached: a verifier computes it from entry and proof.
 * The receipt of a statement has a typ of its own, the statement's subject, and no entry.
 * The signed bytes begin with 0x84, so they can never be mistaken for a note, a DSSE envelope or a
 * JWS.
 */
#ifndef BATON_SRC_LEDGER_COSE_H
#define BATON_SRC_LEDGER_COSE_H

#include "cbor/cbor.h"
#include "ledger/receipt.h"
#include "ledger/signing_key.h"
#include "report/rules.h"

/* What a COSE receipt has beside the parts of every receipt. All of it points into the bytes. */
struct bt_cose_receipt {
    uint64_t size;
    bt_str headers; /* the protected header, encoded */
    bt_str kid;     /* 32 bytes */
    bt_str issuer;
    bt_str subject;
    bt_str signature;        /* 64 bytes */
    bool is_about_statement; /* of somebody else, instead of an entry */
};

/* Why a COSE receipt was not read. */
struct bt_cose_fault {
    enum bt_receipt_syntax_cose_reason reason; /* 0: it was read */
    const char *why;
};

/* The four parts of a COSE_Sign1: the payload is an item, the strings are without their heads. */
struct bt_cose_parts {
    bt_str headers; /* the protected header, an encoded map */
    bt_str unprotected;
    bt_str payload;
    bt_str signature; /* 64 bytes */
};

/* Split a COSE_Sign1 with its tag, of which only the one encoding is accepted. */
struct bt_cose_fault bt_cose_split(bt_str bytes, struct bt_cose_parts *out);
/* Find a string in a map. False: there is none of this type. */
BT_MUST_USE bool bt_cose_find_string(bt_str map, int64_t label, enum bt_cbor_type type,
                                     bt_str *out);

/* True when the bytes begin like a COSE_Sign1 with its tag. */
bool bt_cose_recognise(bt_str bytes);
/* Read a receipt, of which only the one encoding is accepted. Nothing in it is trusted yet; its
 * checkpoint is "" when it has none. */
struct bt_cose_fault bt_cose_read(bt_str bytes, struct bt_receipt *out,
                                  struct bt_cose_receipt *out_cose);
/* Check whether the key signed this root. */
BT_MUST_USE enum bt_status bt_cose_verify(const struct bt_cose_receipt *cose,
                                          const struct bt_merkle_hash *root,
                                          const struct bt_vkey *vkey, bool *out_valid);
/* Sign a payload under a protected header, by the log's key. */
BT_MUST_USE enum bt_status bt_cose_sign(const struct bt_signing_key *key, bt_str headers,
                                        bt_str payload, uint8_t out[BT_SIGNATURE_BYTES],
                                        struct bt_error *error);
/* Put the receipt of an entry in a tree of this size and root, signed by the log's key. */
BT_MUST_USE enum bt_status bt_cose_put(struct bt_buf *buf, const struct bt_signing_key *key,
                                       const struct bt_receipt *receipt, uint64_t size,
                                       const struct bt_merkle_hash *root, struct bt_error *error);

/* The thumbprint of a key (RFC 9679), which is its kid. */
void bt_cose_thumbprint(const struct bt_vkey *vkey, struct bt_merkle_hash *out);
/* Put the key as COSE_Key. */
void bt_cose_put_key(struct bt_buf *buf, const struct bt_vkey *vkey);

#endif
