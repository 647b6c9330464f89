/* SPDX-License-Identifier: Apache-2.0 */
/* verify_receipt.h - a receipt while it is checked, for the files that check its forms. */
#ifndef BATON_SRC_LEDGER_VERIFY_RECEIPT_H
#define BATON_SRC_LEDGER_VERIFY_RECEIPT_H

#include "ledger/ledger_internal.h"
#include "ledger/receipt.h"
#include "ledger/statement.h"

struct bt_receipt_check {
    struct bt_arena *arena;
    const struct bt_receipt_judge_options *options;
    struct bt_findings *findings;
    struct bt_receipt receipt;
    struct bt_checkpoint checkpoint;
    struct bt_entry entry;
    struct bt_merkle_hash leaf;
    struct bt_checkpoint_witnesses witnessed;
    bool is_trusted; /* its checkpoint is trusted */
    bool is_proven;  /* its entry is proven */
    bool is_newer;   /* its entry is of a later format */
    const char *document;
    enum bt_receipt_predicate predicate; /* of an envelope */
    bt_str subject;      /* the digest that an envelope is about; "" for other forms */
    bt_str statement;    /* the payload of an envelope */
    bt_str policy_facts; /* JSON object; "" without a policy */
    bt_str kid;          /* of a COSE receipt; "" for other forms */
    const struct bt_signed_statement
        *registered; /* what a receipt of a log of statements is about */
};

/* Begin to check a receipt; everything lives in the arena. */
BT_MUST_USE enum bt_status bt_receipt_check_new(struct bt_arena *arena,
                                                const struct bt_receipt_judge_options *options,
                                                struct bt_receipt_check **out);
/* Check a receipt of any form but a certificate. */
BT_MUST_USE enum bt_status bt_receipt_check_bytes(struct bt_receipt_check *in, bt_str bytes);

/* True when the bytes look like the certificate of a redaction. */
bool bt_certificate_recognise(bt_str bytes);
BT_MUST_USE enum bt_status bt_receipt_check_certificate(struct bt_receipt_check *in, bt_str bytes);

/* Add the findings of a receipt that is part of another document, below its pointer. */
BT_MUST_USE enum bt_status bt_receipt_add_below(struct bt_findings *to,
                                                const struct bt_findings *from, bt_str pointer);

/* Check the checkpoint that the receipt carries, and its cosignatures; `origin` is the log that it
 * must be of, or "". */
BT_MUST_USE enum bt_status bt_receipt_check_checkpoint(struct bt_receipt_check *in, bt_str origin,
                                                       bool *out_go_on);
/* LEDGER_KEY_LOCAL when the keys come from beside a store. */
BT_MUST_USE enum bt_status bt_receipt_check_key_source(struct bt_receipt_check *in);
/* Take the entry that is at hand, and compute its leaf hash. */
BT_MUST_USE enum bt_status bt_receipt_check_entry_given(struct bt_receipt_check *in,
                                                        bool *out_go_on);

/* Check whether a statement says what its entry says. */
BT_MUST_USE enum bt_status bt_receipt_check_statement(struct bt_receipt_check *in);
/* Check whether enough witnesses of the policy have cosigned. */
BT_MUST_USE enum bt_status bt_receipt_check_policy(struct bt_receipt_check *in);
struct bt_emit;

/* Put the facts about the statement that a receipt proves. */
void bt_receipt_put_registered(struct bt_emit *emit, const struct bt_receipt_check *in);
/* Check a COSE receipt up to its signature. */
BT_MUST_USE enum bt_status bt_receipt_check_cose(struct bt_receipt_check *in, bt_str bytes,
                                                 bool *out_go_on);

#endif
