/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forms_absent.c - the forms of receipts for which the core profile has no room, COSE, the
 * Simple Verification Result and certificates: they are refused. No caller can give a policy.
 */
#include "ledger/cose.h"
#include "ledger/verify_receipt.h"

enum { FIRST_BYTE = 0xd2 };

bool bt_cose_recognise(bt_str bytes)
{
    return bytes.len > 0 && (unsigned char)bytes.ptr[0] == FIRST_BYTE;
}

static enum bt_status refuse_form(struct bt_receipt_check *in)
{
    return bt_add_receipt_syntax(in->findings, bt_location_whole(), NULL,
                                 BT_STR("this build does not read receipts of this form"));
}

enum bt_status bt_receipt_check_cose(struct bt_receipt_check *in, bt_str bytes, bool *out_go_on)
{
    (void)bytes;
    in->receipt.form = BT_RECEIPT_COSE;
    *out_go_on = false;
    return refuse_form(in);
}

void bt_receipt_put_registered(struct bt_emit *emit, const struct bt_receipt_check *in)
{
    (void)emit;
    (void)in; /* no receipt leads here */
}

enum bt_status bt_receipt_check_statement(struct bt_receipt_check *in)
{
    return in->receipt.form == BT_RECEIPT_DSSE && in->predicate == BT_PREDICATE_SVR
               ? refuse_form(in)
               : BT_OK;
}

enum bt_status bt_receipt_check_policy(struct bt_receipt_check *in)
{
    return refuse_form(in);
}

bool bt_certificate_recognise(bt_str bytes)
{
    (void)bytes;
    return false; /* so that it is refused as a JSON receipt with other members */
}

enum bt_status bt_receipt_check_certificate(struct bt_receipt_check *in, bt_str bytes)
{
    (void)bytes;
    return refuse_form(in);
}
