/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_cose.c - check a COSE receipt: syntax, key, carried checkpoint, proof, signature.
 *
 * The root is computed from entry and proof and then verified by the signature, so a receipt needs
 * no checkpoint. One that carries a checkpoint must agree with it.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "json/emit.h"
#include "ledger/cose.h"
#include "ledger/verify_receipt.h"

/* Find the key with this thumbprint among those of the issuer. NULL after a finding. */
static enum bt_status find_key(struct bt_receipt_check *in, const struct bt_cose_receipt *cose,
                               const struct bt_vkey **out)
{
    const struct bt_vkey_list *keys = &in->options->keys->keys;
    bool is_known = false;
    *out = NULL;
    for (size_t i = 0; i < keys->count && !*out; i++) {
        struct bt_merkle_hash kid;
        if (!bt_str_eq(bt_vkey_name(&keys->items[i]), cose->issuer)) {
            continue;
        }
        is_known = true;
        bt_cose_thumbprint(&keys->items[i], &kid);
        *out = memcmp(kid.bytes, cose->kid.ptr, BT_HASH_BYTES) == 0 ? &keys->items[i] : NULL;
    }
    if (*out) {
        return BT_OK;
    }
    if (!is_known) {
        return bt_add_ledger_origin_mismatch(
            in->findings, bt_location_whole(),
            keys->count > 0 ? bt_vkey_name(keys->items) : BT_STR(""), cose->issuer);
    }
    return bt_add_ledger_key_unknown(in->findings, bt_location_whole(),
                                     (struct bt_str_list){&in->kid, 1},
                                     BT_LEDGER_KEY_UNKNOWN_SUBJECT_RECEIPT);
}

/* True when the subject is ORIGIN#SEQ, or that of the statement. */
static bool subject_fits(const struct bt_receipt_check *in, const struct bt_cose_receipt *cose)
{
    const uint64_t seq = in->receipt.index;
    char number[24];
    if (in->registered) {
        return bt_str_eq(cose->subject, in->registered->subject);
    }
    const int size = snprintf(number, sizeof(number), "#%" PRIu64, seq);
    return cose->subject.len == cose->issuer.len + (size_t)size &&
           bt_str_starts_with(cose->subject, cose->issuer) &&
           bt_str_ends_with(cose->subject, bt_str_of(number));
}

/* Take the statement that is at hand, as it was registered. */
static enum bt_status take_statement(struct bt_receipt_check *in, bool *out_go_on)
{
    struct bt_signed_statement *statement = BT_NEW(in->arena, struct bt_signed_statement);
    bt_str leaf;
    BT_TRY(statement ? BT_OK : BT_ENOMEM);
    const struct bt_statement_fault fault = bt_statement_read(in->receipt.entry, statement);
    *out_go_on = !fault.refusal;
    if (fault.refusal) {
        return bt_add_ledger_entry_invalid(in->findings, bt_ledger_part(BT_STR("/entry")),
                                           BT_STR("S1"), bt_str_of(fault.why));
    }
    BT_TRY(bt_statement_leaf(in->arena, statement, &leaf));
    bt_merkle_hash_leaf(leaf, &in->leaf);
    in->registered = statement;
    return BT_OK;
}

void bt_receipt_put_registered(struct bt_emit *emit, const struct bt_receipt_check *in)
{
    const struct bt_signed_statement *statement = in->registered;
    char kid[BT_HASH_HEX_BYTES];
    bt_hex_put((const uint8_t *)statement->kid.ptr, BT_HASH_BYTES, kid);
    kid[BT_HASH_HEX_BYTES - 1] = '\0';
    bt_emit_member_object(emit, "statement");
    bt_emit_member_string(emit, "iss", statement->issuer);
    bt_emit_member_string(emit, "sub", statement->subject);
    bt_emit_name(emit, "alg");
    bt_emit_i64(emit, statement->alg);
    bt_emit_member_string(emit, "kid", bt_str_of(kid));
    bt_emit_end(emit);
}

/* Compute the root, which a carried checkpoint must have too. */
static enum bt_status check_root(struct bt_receipt_check *in, const struct bt_cose_receipt *cose,
                                 struct bt_merkle_hash *out_root, bool *out_go_on)
{
    const struct bt_receipt *receipt = &in->receipt;
    BT_TRY(bt_receipt_check_entry_given(in, out_go_on));
    if (*out_go_on && cose->is_about_statement) {
        BT_TRY(take_statement(in, out_go_on));
    }
    if (!*out_go_on) {
        return BT_OK;
    }
    const struct bt_inclusion_proof claim = {
        .index = receipt->index, .size = cose->size, .leaf = in->leaf};
    *out_go_on =
        bt_inclusion_proof_root(&claim, &receipt->proof, out_root) && subject_fits(in, cose) &&
        (!receipt->checkpoint.ptr ||
         (in->checkpoint.size == cose->size && bt_merkle_hash_eq(&in->checkpoint.root, out_root)));
    return *out_go_on ? BT_OK
                      : bt_add_receipt_proof_invalid(in->findings, bt_location_whole(),
                                                     receipt->index, cose->size);
}

/* Read it and check who signed. */
static enum bt_status check_head(struct bt_receipt_check *in, bt_str bytes,
                                 struct bt_cose_receipt *cose, const struct bt_vkey **out_key)
{
    const struct bt_cose_fault fault = bt_cose_read(bytes, &in->receipt, cose);
    char kid[BT_HASH_HEX_BYTES];
    *out_key = NULL;
    if (fault.reason) {
        return bt_add_receipt_syntax_cose(in->findings, bt_location_whole(), fault.reason,
                                          bt_str_of(fault.why));
    }
    bt_hex_put((const uint8_t *)cose->kid.ptr, BT_HASH_BYTES, kid);
    kid[BT_HASH_HEX_BYTES - 1] = '\0';
    BT_TRY(bt_arena_copy(in->arena, bt_str_of(kid), &in->kid));
    return find_key(in, cose, out_key);
}

enum bt_status bt_receipt_check_cose(struct bt_receipt_check *in, bt_str bytes, bool *out_go_on)
{
    assert(in);
    struct bt_cose_receipt cose;
    struct bt_merkle_hash root;
    const struct bt_vkey *key = NULL;
    bool is_valid = false;
    BT_TRY(check_head(in, bytes, &cose, &key));
    *out_go_on = key != NULL;
    if (key && in->receipt.checkpoint.ptr) {
        BT_TRY(bt_receipt_check_checkpoint(in, cose.issuer, out_go_on));
        in->is_trusted = false; /* until the receipt's own signature is verified */
    } else if (key) {
        BT_TRY(bt_receipt_check_key_source(in));
    }
    if (*out_go_on) {
        BT_TRY(check_root(in, &cose, &root, out_go_on));
    }
    if (!*out_go_on) {
        return BT_OK;
    }
    BT_TRY(bt_cose_verify(&cose, &root, key, &is_valid));
    *out_go_on = is_valid;
    if (!is_valid) {
        return bt_ledger_add_signature_finding(in->findings, BT_STR(""), key,
                                               BT_LEDGER_SIGNATURE_INVALID_SUBJECT_RECEIPT);
    }
    in->is_trusted = true;
    in->checkpoint.origin = cose.issuer;
    in->checkpoint.size = cose.size;
    in->checkpoint.root = root;
    return BT_OK;
}
