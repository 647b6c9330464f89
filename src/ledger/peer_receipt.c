/* SPDX-License-Identifier: Apache-2.0 */
/* peer_receipt.c - verify a partner's receipt, and keep what proves two histories. */
#include "ledger/peer_receipt.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "ledger/cose.h"
#include "ledger/verify_receipt.h"
#include "ledger/witness_internal.h"

static enum bt_status add_syntax(struct bt_receipt_check *in, const char *reason)
{
    return bt_add_receipt_syntax(in->findings, bt_location_whole(), NULL, bt_str_of(reason));
}

/* Only an acceptance counts: a recorded file was not judged. */
static enum bt_status check_acceptance(struct bt_receipt_check *in)
{
    return in->is_proven && !in->is_newer && bt_str_eq(in->entry.verdict, BT_STR("recorded"))
               ? bt_add_receipt_verdict(in->findings, bt_ledger_part(BT_STR("/entry/verdict")),
                                        (struct bt_str_list){NULL, 0}, false)
               : BT_OK;
}

static enum bt_status check_form(struct bt_receipt_check *in,
                                 const struct bt_peer_receipt_input *input)
{
    if (input->bytes.len > BT_RECEIPT_BYTES_MAX) {
        return add_syntax(in, "it is longer than 256 KiB");
    }
    if (bt_cose_recognise(input->bytes) != input->is_cose) {
        return add_syntax(in, input->is_cose ? "it is not the base64 of a COSE receipt"
                                             : "it is not a JSON receipt");
    }
    BT_TRY(bt_receipt_check_bytes(in, input->bytes));
    if (in->receipt.form == BT_RECEIPT_DSSE) {
        return add_syntax(in, "it is a DSSE envelope and not a JSON receipt");
    }
    return check_acceptance(in);
}

enum bt_status bt_peer_receipt_judge(struct bt_arena *arena,
                                     const struct bt_peer_receipt_input *input, bt_str pointer,
                                     struct bt_findings *findings, struct bt_peer_receipt *out)
{
    assert(input);
    assert(out);
    const struct bt_receipt_judge_options options = {
        .keys = input->keys, .has_document = true, .document = input->document};
    struct bt_receipt_check *in = NULL;
    BT_TRY(bt_receipt_check_new(arena, &options, &in));
    BT_TRY(check_form(in, input));
    BT_TRY(bt_receipt_add_below(findings, in->findings, pointer));
    *out = (struct bt_peer_receipt){.is_valid = bt_findings_count(in->findings) == 0,
                                    .is_trusted = in->is_trusted,
                                    .document = input->bytes};
    if (!in->is_trusted) {
        return BT_OK;
    }
    const bool has_note = in->receipt.checkpoint.len > 0;
    out->state =
        (struct bt_receipt_state){.is_proven = in->is_proven,
                                  .origin = in->checkpoint.origin,
                                  .size = in->checkpoint.size,
                                  .checkpoint = has_note ? in->receipt.checkpoint : input->bytes};
    memcpy(out->state.root, in->checkpoint.root.bytes, BT_HASH_BYTES);
    return out->is_valid && has_note ? bt_receipt_write(arena, &in->receipt, &out->document)
                                     : BT_OK;
}

enum bt_status bt_peer_receipt_keep_evidence(struct bt_arena *arena, const char *folder,
                                             const struct bt_peer_receipt *shown,
                                             struct bt_error *error)
{
    assert(folder);
    assert(shown);
    const struct bt_receipt_state *state = &shown->state;
    struct bt_witness_log *log = NULL;
    BT_TRY(bt_witness_log(arena, folder, state->origin, &log, error));
    if (!log->has_checkpoint || log->checkpoint.size != state->size ||
        memcmp(log->checkpoint.root.bytes, state->root, BT_HASH_BYTES) == 0) {
        return BT_OK;
    }
    const int lock = bt_witness_lock(arena, folder, error);
    if (lock < 0) {
        return BT_EIO;
    }
    const enum bt_status status =
        bt_witness_keep_evidence(arena, log->folder, state->checkpoint, error);
    (void)close(lock);
    return status;
}
