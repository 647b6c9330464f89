/* SPDX-License-Identifier: Apache-2.0 */
/* peer_receipts.c - verify the receipts that a partner sends with a handoff. */
#include "operation/peer_receipts.h"

#include "engine/dialect.h"
#include "ledger/peer_receipt.h"
#include "operation/own_receipt.h"
#include "report/rules.h"

static const bt_str receipts_pointer = BT_STR_INIT("/receipts");

/* The receipts of one request. */
struct operation_peer_receipts {
    struct bt_op_filing *filing;
    struct bt_arena *arena;
    struct bt_verifier_keys *keys;
    struct bt_config_peer *peers;
    size_t peer_count;
    struct bt_peer_receipt *shown;
    size_t count;
    struct bt_findings *findings;
};

static enum bt_status read_peers(struct operation_peer_receipts *in)
{
    const struct bt_config *config = in->filing->work->service->config;
    in->peer_count = bt_config_count(config, "ledger.peers");
    in->peers = BT_NEW_ARRAY(in->arena, struct bt_config_peer, in->peer_count + 1);
    in->keys = bt_verifier_keys_new(in->arena, BT_VERIFIER_KEY_LOG);
    in->findings = bt_findings_new(in->arena);
    if (!in->peers || !in->keys || !in->findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < in->peer_count; i++) {
        BT_TRY(bt_config_peer(config, i, in->arena, &in->peers[i]));
        BT_TRY(bt_verifier_keys_add(in->keys, in->peers[i].log, NULL));
    }
    return BT_OK;
}

/* A receipt that contradicts our own ledger ends recording, and the answer says why: false in
 * *out_go_on. A peer cannot have our origin, so only receipts of others are compared. */
static enum bt_status compare_item(const struct operation_peer_receipts *in, bt_str receipt,
                                   bool *out_go_on)
{
    struct bt_call *work = in->filing->work;
    struct bt_judgement judged;
    bool is_other = false;
    BT_TRY(bt_op_compare_receipt(work, receipt, &judged, &is_other));
    *out_go_on = !is_other;
    if (!is_other) {
        return BT_OK;
    }
    BT_TRY(bt_result_set_failed(work, BT_PROBLEM_LEDGER_READ_ONLY,
                                "a receipt of this log proves what the store does not have"));
    work->answer->findings = judged.findings;
    return BT_OK;
}

/* Verify one item of the list: a JSON receipt, or the base64 of a COSE receipt. False in
 * *out_go_on: the result is set. */
static enum bt_status judge_item(const struct operation_peer_receipts *in, size_t index,
                                 struct bt_peer_receipt *out, bool *out_go_on)
{
    const struct bt_arg *list = &in->filing->request->record.receipts;
    const struct bt_arg item = {.document = list->document,
                                .json = &bt_json_items(list->json)[index]};
    struct bt_peer_receipt_input input = {.keys = in->keys,
                                          .document = in->filing->request->text,
                                          .bytes = bt_arg_source(&item),
                                          .is_cose = bt_json_type(item.json) == BT_JSON_STRING};
    bt_str pointer;
    if (input.is_cose &&
        !bt_argument_decode_base64(bt_json_text(item.json), in->arena, &input.bytes)) {
        input.bytes = BT_STR("");
    }
    BT_TRY(bt_arena_printf(in->arena, &pointer, "/receipts/%zu", index));
    BT_TRY(bt_peer_receipt_judge(in->arena, &input, pointer, in->findings, out));
    return out->is_trusted ? BT_OK : compare_item(in, input.bytes, out_go_on);
}

/* Verify all of them. False in *out_go_on: the result is set. */
static enum bt_status judge_all(struct operation_peer_receipts *in, bool *out_go_on)
{
    const struct bt_arg *list = &in->filing->request->record.receipts;
    in->count = list->document ? bt_json_count(list->json) : 0;
    in->shown = BT_NEW_ARRAY(in->arena, struct bt_peer_receipt, in->count + 1);
    if (!in->shown) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < in->count && *out_go_on; i++) {
        BT_TRY(judge_item(in, i, &in->shown[i], out_go_on));
    }
    return BT_OK;
}

/* True when one of the receipts is a valid one of this peer's log. */
static bool has_receipt_of(const struct operation_peer_receipts *in,
                           const struct bt_config_peer *peer)
{
    const bt_str origin = bt_str_slice(peer->log, 0, bt_str_find_byte(peer->log, '+', 0));
    for (size_t i = 0; i < in->count; i++) {
        if (in->shown[i].is_valid && bt_str_eq(in->shown[i].state.origin, origin)) {
            return true;
        }
    }
    return false;
}

static bool is_token_of(const struct bt_config_peer *peer, bt_str name)
{
    for (size_t i = 0; i < peer->tokens.count; i++) {
        if (bt_str_eq(peer->tokens.items[i], name)) {
            return true;
        }
    }
    return false;
}

/* Each peer that lists the caller's token is one whose receipt is needed. */
static enum bt_status check_tokens(const struct operation_peer_receipts *in)
{
    const bt_str name = in->filing->work->caller->name;
    for (size_t i = 0; i < in->peer_count; i++) {
        if (is_token_of(&in->peers[i], name) && !has_receipt_of(in, &in->peers[i])) {
            BT_TRY(bt_add_peer_receipt_missing(
                in->findings, bt_location_pointer(receipts_pointer, BT_OFFSET_NONE),
                in->peers[i].name));
        }
    }
    return BT_OK;
}

/* Keep what contradicts our witness, also when the submission is refused. */
static bool keep_evidence(const struct operation_peer_receipts *in)
{
    struct bt_call *work = in->filing->work;
    const char *folder = in->count > 0 ? bt_op_witness_folder(work) : NULL;
    struct bt_error error;
    for (size_t i = 0; folder && i < in->count; i++) {
        if (in->shown[i].is_trusted &&
            bt_peer_receipt_keep_evidence(in->arena, folder, &in->shown[i], &error) != BT_OK) {
            (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                       "the witness cannot be read or written");
            return false;
        }
    }
    return true;
}

/* Have the receipts recorded with the handoff. */
static enum bt_status set_receipts(const struct operation_peer_receipts *in)
{
    struct bt_submission_receipt *receipts =
        BT_NEW_ARRAY(in->arena, struct bt_submission_receipt, in->count + 1);
    if (!receipts) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < in->count; i++) {
        receipts[i] = (struct bt_submission_receipt){.document = in->shown[i].document,
                                                     .origin = in->shown[i].state.origin};
    }
    in->filing->partner.receipts = (struct bt_submission_receipts){receipts, in->count};
    return BT_OK;
}

enum bt_status bt_op_peer_receipts_check(struct bt_op_filing *filing, bool *out_go_on)
{
    struct operation_peer_receipts in = {.filing = filing, .arena = filing->work->arena};
    const bool has_receipts = filing->request->record.receipts.document != NULL;
    *out_go_on = true;
    if (!has_receipts && !filing->work->service->keys->has_peers) {
        return BT_OK;
    }
    if (has_receipts && filing->row->deliverable == BT_DELIVERABLE_PUMP) {
        *out_go_on = false;
        return bt_result_set_problem(filing->work, BT_PROBLEM_PARAMETER_INVALID, receipts_pointer,
                                     "the pump records its messages itself, without receipts");
    }
    BT_TRY(read_peers(&in));
    BT_TRY(judge_all(&in, out_go_on));
    if (!*out_go_on) {
        return BT_OK;
    }
    BT_TRY(check_tokens(&in));
    *out_go_on = keep_evidence(&in);
    if (bt_findings_count(in.findings) > 0) {
        filing->partner.refusal = in.findings;
        return BT_OK;
    }
    return set_receipts(&in);
}
