/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipt.h - an entry, the proof that it is in the log, and the checkpoint that the proof leads
 * to: C2SP tlog-proof as text, and a JSON object with the same content.
 */
#ifndef BATON_SRC_LEDGER_RECEIPT_H
#define BATON_SRC_LEDGER_RECEIPT_H

#include <baton/json.h>

#include "ledger/proof.h"

enum { BT_RECEIPT_BYTES_MAX = 256 * 1024 };

enum bt_receipt_kind {
    BT_RECEIPT_TEXT = 1,
    BT_RECEIPT_JSON,
    BT_RECEIPT_DSSE,
    BT_RECEIPT_COSE,
    BT_RECEIPT_REDACTION
};

struct bt_receipt {
    enum bt_receipt_kind form;
    uint64_t index;
    bool has_entry;
    bt_str entry;
    struct bt_merkle_proof proof;
    bt_str checkpoint; /* the note, unread */
    bt_str subject;    /* of a statement that is to be proven; "": an entry */
};

/* Why a receipt was not read. */
struct bt_receipt_error {
    const char *reason;              /* NULL: it was read */
    uint32_t line;                   /* of the text, from 1; 0 when it would not help */
    struct bt_json_read_result json; /* its code is set when the text is not valid JSON */
};

/* Read a receipt of either form into the arena. BT_OK: read, or out_fault says why not. */
BT_MUST_USE enum bt_status bt_receipt_read(struct bt_arena *arena, bt_str bytes,
                                           struct bt_receipt *out,
                                           struct bt_receipt_error *out_fault);

void bt_receipt_put_text(struct bt_buf *buf, const struct bt_receipt *receipt);
/* Compact, without a line feed; members in canonical order when `canonical`, else in a readable
 * order. */
void bt_receipt_put_json(struct bt_buf *buf, const struct bt_receipt *receipt, bool canonical);

/* The compact JSON of a receipt, in the arena. */
BT_MUST_USE enum bt_status bt_receipt_write(struct bt_arena *arena,
                                            const struct bt_receipt *receipt, bt_str *out);
/* Copy all of it into another arena. */
BT_MUST_USE enum bt_status bt_receipt_copy(struct bt_arena *arena, const struct bt_receipt *receipt,
                                           const struct bt_receipt **out);

/* ---- Parts that witness requests have too ---------------------------------------------------- */

/* A text that is read line by line. */
struct bt_receipt_lines {
    bt_str rest;
    uint32_t line; /* number of the last one taken */
};

/* Take the next line, which must have its line feed; false at the end. */
bool bt_receipt_lines_next(struct bt_receipt_lines *lines, bt_str *out);
/* What follows `prefix` in `line`, as a decimal number of at most 2^63-1 in its one spelling. */
bool bt_receipt_line_number(bt_str line, bt_str prefix, uint64_t *out);
/* Take hashes up to and with the empty line that ends them. NULL, or what is wrong. */
BT_MUST_USE const char *bt_receipt_lines_take_proof(struct bt_receipt_lines *lines,
                                                    struct bt_merkle_proof *out);
/* Put each hash on a line of its own. */
void bt_merkle_proof_put_lines(struct bt_buf *buf, const struct bt_merkle_proof *proof);

#endif
