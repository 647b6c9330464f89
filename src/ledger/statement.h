/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement.h - a signed statement of somebody else (RFC 9943): a COSE_Sign1, read strictly.
 *
 *     18([<< {1: ALG, 4: kid, 15: {1: ISSUER, 2: SUBJECT}} >>, {}, PAYLOAD, SIGNATURE])
 *
 * A log of statements has these bytes as its leaf, with an empty unprotected header: nobody has
 * signed what a statement came with there. The bytes begin with 0xd2 and those of an entry with {,
 * so neither can be mistaken for the other.
 */
#ifndef BATON_SRC_LEDGER_STATEMENT_H
#define BATON_SRC_LEDGER_STATEMENT_H

#include "ledger/hash.h"

enum {
    BT_STATEMENT_BYTES_MAX = 65535,        /* of the leaf: bundles of tlog-tiles count in 16 bits */
    BT_STATEMENT_RECEIVED_MAX = 256 << 10, /* with what the unprotected header holds */
    BT_STATEMENT_CLAIM_MAX = 1024,         /* of issuer and subject */
};

/* Why a statement is refused; the names are those of the SCITT reference API. */
enum bt_statement_refusal {
    BT_STATEMENT_FINE = 0,
    BT_STATEMENT_BAD_ALGORITHM,
    BT_STATEMENT_NO_PAYLOAD,
    BT_STATEMENT_REJECTED,
};

struct bt_statement_fault {
    enum bt_statement_refusal refusal;
    const char *why; /* a sentence without a full stop; "" without a refusal */
};

/* Everything points into the bytes that were read. */
struct bt_signed_statement {
    bt_str headers; /* the protected header, an encoded map */
    int64_t alg;
    bt_str kid; /* 32 bytes */
    bt_str issuer;
    bt_str subject;
    bt_str payload;
    bt_str signature; /* 64 bytes */
};

/* Read a statement, of which only the one encoding is accepted. Its signature is not verified. */
struct bt_statement_fault bt_statement_read(bt_str bytes, struct bt_signed_statement *out);
/* Read a leaf of a log of statements: as above, with an empty unprotected header. */
struct bt_statement_fault bt_statement_read_leaf(bt_str leaf, struct bt_signed_statement *out);
/* Put the leaf: the statement with an empty unprotected header. */
void bt_statement_put_leaf(struct bt_buf *buf, const struct bt_signed_statement *statement);
/* The leaf in the arena. */
BT_MUST_USE enum bt_status
bt_statement_leaf(struct bt_arena *arena, const struct bt_signed_statement *statement, bt_str *out);
/* Put the bytes that are signed. */
void bt_statement_put_signed(struct bt_buf *buf, const struct bt_signed_statement *statement);
/* The SHA-256 of these bytes: what is registered once, with whatever signature. */
BT_MUST_USE enum bt_status bt_statement_digest(const struct bt_signed_statement *statement,
                                               struct bt_merkle_hash *out);

#endif
