/* SPDX-License-Identifier: Apache-2.0 */
/* receipt_note.c - the checkpoint in a receipt of any form. */
#include "base/error.h"
#include "ledger/cose.h"
#include "ledger/dsse.h"

enum bt_status bt_receipt_find_note(struct bt_arena *arena, bt_str bytes, bt_str *out)
{
    struct bt_receipt receipt;
    struct bt_receipt_error fault;
    struct bt_cose_receipt cose;
    struct bt_dsse envelope;
    struct bt_dsse_statement statement;
    const char *reason = NULL;
    *out = bytes;
    if (bt_cose_recognise(bytes)) {
        *out = bt_cose_read(bytes, &receipt, &cose).reason ? bytes : receipt.checkpoint;
        return BT_OK;
    }
    BT_TRY(bt_receipt_read(arena, bytes, &receipt, &fault));
    if (fault.reason && fault.json.document && bt_dsse_recognise(fault.json.document)) {
        BT_TRY(bt_dsse_read(arena, fault.json.document, &envelope, &reason));
        if (!reason) {
            BT_TRY(bt_dsse_read_statement(arena, envelope.payload, &statement, &reason));
        }
        if (!reason) {
            BT_TRY(bt_receipt_read(arena, statement.receipt, &receipt, &fault));
        }
    }
    if (!fault.reason) {
        *out = receipt.checkpoint;
    }
    return BT_OK;
}
