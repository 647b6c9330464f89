/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_receipt.c - check whether a receipt is valid, and whether it proves what its bearer
 * claims.
 *
 * Syntax, checkpoint, entry, inclusion, entry rules: the first that fails ends the run, and nothing
 * is reported about an entry that was not proven. Then verdict, document and witnesses, all of
 * them.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/cose.h"
#include "ledger/dsse.h"
#include "ledger/entry.h"
#include "ledger/verify_receipt.h"
#include "report/json_rules.h"

static enum bt_status add_unknown_key_finding(const struct bt_receipt_check *in,
                                              const struct bt_dsse *envelope)
{
    bt_str *ids = BT_NEW_ARRAY(in->arena, bt_str, envelope->count + 1);
    if (!ids) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < envelope->count; i++) {
        ids[i] = envelope->signatures[i].key_id;
    }
    return bt_add_ledger_key_unknown(in->findings, bt_location_whole(),
                                     (struct bt_str_list){ids, envelope->count},
                                     BT_LEDGER_KEY_UNKNOWN_SUBJECT_ENVELOPE);
}

/* Check one signature of an envelope: NULL for an unknown key. */
static enum bt_status judge_signature(const struct bt_receipt_check *in,
                                      const struct bt_dsse *envelope, size_t index,
                                      const struct bt_vkey **out_key, bool *out_valid)
{
    const struct bt_vkey_list *keys = &in->options->keys->keys;
    *out_key = NULL;
    *out_valid = false;
    for (size_t i = 0; i < keys->count && !*out_valid; i++) {
        char id[2 * BT_KEY_ID_BYTES + 1];
        bt_vkey_id_hex(&keys->items[i], id);
        if (bt_str_eq(envelope->signatures[index].key_id, bt_str_of(id))) {
            *out_key = &keys->items[i];
            BT_TRY(bt_dsse_verify(envelope, index, &keys->items[i], out_valid));
        }
    }
    return BT_OK;
}

/* An envelope is trusted before its payload is read: when a known key signed it and no known
 * key's signature fails. Signatures of other keys are ignored. */
static enum bt_status trust_envelope(struct bt_receipt_check *in, const struct bt_dsse *envelope,
                                     bool *out_go_on)
{
    *out_go_on = false;
    for (size_t i = 0; i < envelope->count; i++) {
        const struct bt_vkey *key = NULL;
        bool is_valid = false;
        BT_TRY(judge_signature(in, envelope, i, &key, &is_valid));
        if (key && !is_valid) {
            *out_go_on = false;
            return bt_ledger_add_signature_finding(in->findings, BT_STR(""), key,
                                                   BT_LEDGER_SIGNATURE_INVALID_SUBJECT_ENVELOPE);
        }
        *out_go_on = *out_go_on || key;
    }
    return *out_go_on ? BT_OK : add_unknown_key_finding(in, envelope);
}

static enum bt_status add_syntax_finding(struct bt_receipt_check *in, uint32_t line,
                                         const char *reason)
{
    const uint64_t number = line; /* JSON errors have none here */
    return bt_add_receipt_syntax(in->findings, bt_location_whole(), line > 0 ? &number : NULL,
                                 bt_str_of(reason));
}

static enum bt_status open_envelope(struct bt_receipt_check *in, const struct bt_json_doc *document,
                                    bool *out_go_on)
{
    struct bt_dsse envelope;
    struct bt_dsse_statement statement;
    struct bt_receipt_error fault;
    const char *reason = NULL;
    in->receipt.form = BT_RECEIPT_DSSE;
    *out_go_on = false;
    BT_TRY(bt_dsse_read(in->arena, document, &envelope, &reason));
    if (reason) {
        return add_syntax_finding(in, 0, reason);
    }
    BT_TRY(trust_envelope(in, &envelope, out_go_on));
    if (!*out_go_on) {
        return BT_OK;
    }
    BT_TRY(bt_dsse_read_statement(in->arena, envelope.payload, &statement, &reason));
    if (!reason) {
        BT_TRY(bt_receipt_read(in->arena, statement.receipt, &in->receipt, &fault));
        in->receipt.form = BT_RECEIPT_DSSE;
        in->subject = statement.sha256;
        in->predicate = statement.predicate;
        in->statement = envelope.payload;
        reason = fault.reason;
    }
    *out_go_on = reason == NULL;
    return reason ? add_syntax_finding(in, 0, reason) : BT_OK;
}

static enum bt_status read_receipt(struct bt_receipt_check *in, bt_str bytes, bool *out_go_on)
{
    struct bt_receipt_error fault;
    BT_TRY(bt_receipt_read(in->arena, bytes, &in->receipt, &fault));
    *out_go_on = fault.reason == NULL;
    if (*out_go_on) {
        return BT_OK;
    }
    if (fault.json.code != BT_JSON_ERROR_NONE) {
        return bt_findings_add_json(in->findings, &fault.json, bytes);
    }
    if (fault.json.document && bt_dsse_recognise(fault.json.document)) {
        return open_envelope(in, fault.json.document, out_go_on);
    }
    return add_syntax_finding(in, fault.line, fault.reason);
}

enum bt_status bt_receipt_check_key_source(struct bt_receipt_check *in)
{
    return in->options->keys_are_local
               ? bt_add_ledger_key_local(in->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                         BT_LEDGER_KEY_LOCAL_KEY_SOURCE_FILE,
                                         BT_LEDGER_KEY_LOCAL_SUBJECT_RECEIPT)
               : BT_OK;
}

enum bt_status bt_receipt_check_checkpoint(struct bt_receipt_check *in, bt_str origin,
                                           bool *out_go_on)
{
    const struct bt_checkpoint_input shown = {in->receipt.checkpoint, BT_STR("/checkpoint"),
                                              &in->options->keys->keys, origin};
    BT_TRY(bt_ledger_check_checkpoint(&shown, in->findings, &in->checkpoint, &in->is_trusted));
    *out_go_on = in->is_trusted;
    if (!in->is_trusted) {
        return BT_OK;
    }
    BT_TRY(bt_receipt_check_key_source(in));
    BT_TRY(bt_ledger_check_witnesses(&in->checkpoint, in->options->witnesses, in->findings,
                                     &in->witnessed));
    *out_go_on = in->witnessed.fine;
    return BT_OK;
}

enum bt_status bt_receipt_check_entry_given(struct bt_receipt_check *in, bool *out_go_on)
{
    if (in->options->has_entry) {
        in->receipt.entry = in->options->entry;
        in->receipt.has_entry = true;
    }
    *out_go_on = in->receipt.has_entry;
    if (!in->receipt.has_entry) {
        return bt_add_receipt_entry_missing(in->findings, bt_location_whole());
    }
    bt_merkle_hash_leaf(in->receipt.entry, &in->leaf);
    return BT_OK;
}

static enum bt_status check_inclusion(struct bt_receipt_check *in, bool *out_go_on)
{
    const struct bt_receipt *receipt = &in->receipt;
    BT_TRY(bt_receipt_check_entry_given(in, out_go_on));
    if (!*out_go_on) {
        return BT_OK;
    }
    const struct bt_inclusion_proof claim = {receipt->index, in->checkpoint.size, in->leaf,
                                             in->checkpoint.root};
    *out_go_on = bt_inclusion_proof_verify(&claim, &receipt->proof);
    return *out_go_on ? BT_OK
                      : bt_add_receipt_proof_invalid(in->findings, bt_location_whole(),
                                                     receipt->index, in->checkpoint.size);
}

/* Check what proves the entry: syntax, checkpoint or signature, proof. */
static enum bt_status check_proof(struct bt_receipt_check *in, bt_str bytes, bool *out_go_on)
{
    if (bt_cose_recognise(bytes)) {
        return bt_receipt_check_cose(in, bytes, out_go_on);
    }
    BT_TRY(read_receipt(in, bytes, out_go_on));
    if (*out_go_on) {
        BT_TRY(bt_receipt_check_checkpoint(in, BT_STR(""), out_go_on));
    }
    return *out_go_on ? check_inclusion(in, out_go_on) : BT_OK;
}

static enum bt_status judge_entry(struct bt_receipt_check *in, bool *out_go_on)
{
    struct bt_entry_check_result judged;
    const struct bt_location at = bt_ledger_part(BT_STR("/entry"));
    if (in->registered) { /* which has no entry, and so no rules of entries */
        in->is_proven = true;
        return BT_OK;
    }
    BT_TRY(bt_entry_check(in->arena, in->receipt.entry, &in->entry, &judged));
    in->is_newer = judged.judgement == BT_ENTRY_NEWER;
    if (judged.judgement != BT_ENTRY_FINE) {
        *out_go_on = false;
        in->is_proven = in->is_newer;
        return bt_ledger_add_entry_finding(in->findings, at, &judged);
    }
    *out_go_on = in->entry.seq == in->receipt.index;
    in->is_proven = *out_go_on;
    return *out_go_on
               ? BT_OK
               : bt_add_ledger_seq_mismatch(in->findings, at, in->receipt.index, in->entry.seq);
}

static enum bt_status judge_verdict(struct bt_receipt_check *in)
{
    const bool is_refusal = in->is_newer || bt_str_eq(in->entry.verdict, BT_STR("rejected"));
    if (!is_refusal || in->options->any_verdict) {
        return BT_OK;
    }
    return bt_add_receipt_verdict(
        in->findings, bt_ledger_part(BT_STR("/entry/verdict")),
        (struct bt_str_list){in->entry.codes.items, in->entry.codes.count}, in->is_newer);
}

/* `actual` is the digest that was found in place of the entry's. */
static enum bt_status add_document_finding(struct bt_receipt_check *in, bt_str actual,
                                           enum bt_receipt_document_mismatch_subject subject)
{
    const bt_str expected = in->entry.document.sha256;
    return bt_add_receipt_document_mismatch(in->findings, bt_ledger_part(BT_STR("/entry/document")),
                                            expected.len > 0 ? expected : BT_STR_ABSENT, actual,
                                            subject);
}

/* Digest and size of the given document; false when there is none. */
static bool find_digest(const struct bt_receipt_judge_options *options, struct bt_merkle_hash *out,
                        uint64_t *out_size)
{
    if (options->digest) {
        memcpy(out->bytes, options->digest->sha256, BT_HASH_BYTES);
        *out_size = options->digest->size;
    } else if (options->has_document) {
        bt_merkle_hash_plain(options->document, out);
        *out_size = options->document.len;
    }
    return options->digest || options->has_document;
}

static enum bt_status judge_document(struct bt_receipt_check *in)
{
    struct bt_merkle_hash hash;
    uint64_t size = 0;
    char digest[BT_HASH_HEX_BYTES];
    const struct bt_entry_document *expected = &in->entry.document;
    in->document = "not_given";
    if (in->receipt.form == BT_RECEIPT_DSSE && in->predicate == BT_PREDICATE_RECEIPT &&
        !bt_str_eq(in->subject, expected->sha256)) {
        BT_TRY(
            add_document_finding(in, in->subject, BT_RECEIPT_DOCUMENT_MISMATCH_SUBJECT_STATEMENT));
    }
    if (!find_digest(in->options, &hash, &size)) {
        return BT_OK;
    }
    bt_merkle_hash_hex(&hash, digest);
    const bool matches = bt_str_eq(expected->sha256, bt_str_of(digest)) && expected->size == size &&
                         expected->truncated == BT_ABSENT;
    in->document = matches ? "matched" : "mismatched";
    if (matches) {
        return BT_OK;
    }
    return add_document_finding(in, bt_str_of(digest),
                                BT_RECEIPT_DOCUMENT_MISMATCH_SUBJECT_DOCUMENT);
}

#ifndef BT_PROFILE_CORE
/* Compare the document with that of the receipts before this one. */
static enum bt_status judge_same(struct bt_receipt_check *in)
{
    struct bt_receipt_document *same = in->options->same;
    const struct bt_entry_document *document = &in->entry.document;
    if (!same || same->is_other) {
        return BT_OK;
    }
    if (same->sha256.len == 0) {
        same->sha256 = document->sha256;
        same->size = document->size;
    }
    same->is_other = document->sha256.len == 0 || !bt_str_eq(document->sha256, same->sha256) ||
                     document->size != same->size;
    return same->is_other ? add_document_finding(in, same->sha256,
                                                 BT_RECEIPT_DOCUMENT_MISMATCH_SUBJECT_RECEIPTS)
                          : BT_OK;
}

/* Tell the caller which state of the log is proven. */
static void give_state(const struct bt_receipt_check *in)
{
    struct bt_receipt_state *state = in->options->state;
    if (state) {
        *state = (struct bt_receipt_state){.is_proven = true,
                                           .origin = in->checkpoint.origin,
                                           .size = in->checkpoint.size,
                                           .checkpoint = in->receipt.checkpoint};
        memcpy(state->root, in->checkpoint.root.bytes, BT_HASH_BYTES);
    }
}
#endif

static void put_entry_facts(struct bt_emit *emit, const struct bt_receipt_check *in)
{
    char leaf[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(&in->leaf, leaf);
    bt_emit_member_u64(emit, "index", in->receipt.index);
    bt_emit_member_string(emit, "leaf_hash", bt_str_of(leaf));
    bt_emit_name(emit, "ref");
    bt_emit_raw(emit, BT_STR("\""));
    bt_buf_put(emit->buf, in->checkpoint.origin); /* a key's name, so without escapes */
    bt_buf_printf(emit->buf, "#%" PRIu64 "\"", in->receipt.index);
    if (in->registered) {
        bt_receipt_put_registered(emit, in);
    } else {
        bt_emit_name(emit, "entry");
        bt_emit_raw(emit, in->receipt.entry);
    }
    if (in->document) {
        bt_emit_member_string(emit, "document", bt_str_of(in->document));
    }
}

static enum bt_status put_facts(const struct bt_receipt_check *in, bt_str *out)
{
    static const char *const forms[] = {[BT_RECEIPT_TEXT] = "text",
                                        [BT_RECEIPT_JSON] = "json",
                                        [BT_RECEIPT_DSSE] = "dsse",
                                        [BT_RECEIPT_COSE] = "cose",
                                        [BT_RECEIPT_REDACTION] = "redaction"};
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "form", bt_str_of(forms[in->receipt.form]));
    if (in->statement.len > 0) {
        bt_emit_member_string(&emit, "predicate",
                              in->predicate == BT_PREDICATE_SVR ? BT_STR("svr")
                                                                : BT_STR("receipt"));
    }
    if (in->is_trusted) {
        char root[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&in->checkpoint.root, root);
        bt_emit_member_string(&emit, "origin", in->checkpoint.origin);
        bt_emit_member_u64(&emit, "size", in->checkpoint.size);
        bt_emit_member_string(&emit, "root", bt_str_of(root));
        if (in->kid.len > 0) {
            bt_emit_member_string(&emit, "kid", in->kid);
        }
    }
    if (in->is_proven) {
        put_entry_facts(&emit, in);
    }
    if (in->is_trusted) {
        bt_emit_name(&emit, "witnesses");
        bt_emit_raw(&emit, in->witnessed.list.len > 0 ? in->witnessed.list : BT_STR("[]"));
    }
    if (in->policy_facts.len > 0) {
        bt_emit_name(&emit, "policy");
        bt_emit_raw(&emit, in->policy_facts);
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, in->arena, out);
}

enum bt_status bt_receipt_check_bytes(struct bt_receipt_check *in, bt_str bytes)
{
    bool go_on = false;
    BT_TRY(check_proof(in, bytes, &go_on));
    if (go_on) {
        BT_TRY(judge_entry(in, &go_on));
    }
    if (!in->is_proven) {
        return BT_OK;
    }
    BT_TRY(judge_verdict(in));
    BT_TRY(bt_receipt_check_statement(in));
    BT_TRY(judge_document(in));
#ifndef BT_PROFILE_CORE
    give_state(in);
    BT_TRY(judge_same(in));
#endif
    if (in->options->policy) {
        return bt_receipt_check_policy(in);
    }
    return in->witnessed.count < in->options->witnesses_required
               ? bt_add_ledger_witness_missing(in->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                               in->options->witnesses_required, in->witnessed.count)
               : BT_OK;
}

enum bt_status bt_receipt_check_new(struct bt_arena *arena,
                                    const struct bt_receipt_judge_options *options,
                                    struct bt_receipt_check **out)
{
    struct bt_receipt_check *in = BT_NEW(arena, struct bt_receipt_check);
    if (!in) {
        return BT_ENOMEM;
    }
    in->arena = arena;
    in->options = options;
    in->findings = bt_findings_new(arena);
    bt_entry_init(&in->entry);
    *out = in;
    return in->findings ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_receipt_judge(struct bt_arena *arena, bt_str path, bt_str receipt,
                                const struct bt_receipt_judge_options *options,
                                struct bt_judgement *out)
{
    assert(arena);
    assert(options);
    assert(options->keys);
    assert(out);
    struct bt_receipt_check *in = NULL;
    bt_str facts;
    BT_TRY(bt_receipt_check_new(arena, options, &in));
    BT_TRY(bt_certificate_recognise(receipt) ? bt_receipt_check_certificate(in, receipt)
                                             : bt_receipt_check_bytes(in, receipt));
    BT_TRY(put_facts(in, &facts));
    return bt_judgement_make(path, BT_DIALECT_RECEIPT, receipt, in->findings, facts, out);
}
