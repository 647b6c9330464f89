/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dsse.h - a receipt as an in-toto statement in a DSSE envelope, for tools that know those.
 *
 *     {"payload":B64,"payloadType":"application/vnd.in-toto+json","signatures":[{"keyid","sig"}]}
 */
#ifndef BATON_SRC_LEDGER_DSSE_H
#define BATON_SRC_LEDGER_DSSE_H

#include "ledger/entry.h"
#include "ledger/proof_api.h"
#include "ledger/receipt.h"
#include "ledger/signing_key.h"

/* What a statement is made from. */
struct bt_dsse_content {
    enum bt_receipt_predicate predicate;
    const struct bt_receipt *receipt;
    const struct bt_entry *entry; /* of the receipt, with a document */
    bt_str origin;                /* of the log */
};

/* True when a Simple Verification Result can be made of the entry: an accepted handoff. */
bool bt_dsse_can_be_svr(const struct bt_entry *entry);
/* Put the statement in canonical form. */
void bt_dsse_put_statement(struct bt_buf *buf, const struct bt_dsse_content *content);
/* Put the envelope of the statement, signed by the log's key. */
BT_MUST_USE enum bt_status bt_dsse_put(struct bt_buf *buf, const struct bt_signing_key *key,
                                       const struct bt_dsse_content *content,
                                       struct bt_error *error);

enum { BT_DSSE_SIGNATURES_MAX = 64 };

struct bt_dsse_signature {
    bt_str key_id;   /* for our keys: 8 hexadecimal digits */
    bool is_ed25519; /* it has the length of an Ed25519 signature */
    uint8_t bytes[BT_SIGNATURE_BYTES];
};

/* A parsed envelope; nothing in it is trusted yet. */
struct bt_dsse {
    bt_str payload;
    size_t count;
    struct bt_dsse_signature signatures[BT_DSSE_SIGNATURES_MAX];
};

/* True when a JSON document is an envelope. */
bool bt_dsse_recognise(const struct bt_json_doc *document);
/* Parse it. *out_reason is NULL, or what is wrong with it. */
BT_MUST_USE enum bt_status bt_dsse_read(struct bt_arena *arena, const struct bt_json_doc *document,
                                        struct bt_dsse *out, const char **out_reason);
/* Check whether the key made the signature of that index. */
BT_MUST_USE enum bt_status bt_dsse_verify(const struct bt_dsse *envelope, size_t index,
                                          const struct bt_vkey *vkey, bool *out_valid);

/* The content of a statement: the text of the receipt and the digest it is about. */
struct bt_dsse_statement {
    enum bt_receipt_predicate predicate;
    bt_str receipt;
    bt_str sha256;
};

BT_MUST_USE enum bt_status bt_dsse_read_statement(struct bt_arena *arena, bt_str payload,
                                                  struct bt_dsse_statement *out,
                                                  const char **out_reason);

/* The checkpoint in a receipt of any form; *out is unchanged for anything else. Nothing is
 * verified: a checkpoint is judged by its own signatures. */
BT_MUST_USE enum bt_status bt_receipt_find_note(struct bt_arena *arena, bt_str bytes, bt_str *out);

#endif
