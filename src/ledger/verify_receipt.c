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

#include "ledger/dsse.h"
#include "ledger/entry.h"
#include "ledger/ledger_internal.h"
#include "ledger/receipt.h"
#include "report/json_rules.h"

/* A receipt while it is checked. */
struct verify_receipt_state {
    struct bt_arena *arena;
    const struct bt_receipt_verify_options *options;
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
    bt_str subject; /* the digest that an envelope is about; "" for other forms */
};

/* The key ids that an envelope gives, as a params object. */
static enum bt_status put_key_ids(struct verify_receipt_state *in, const struct bt_dsse *envelope,
                                  bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "keys");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < envelope->count; i++) {
        bt_emit_string(&emit, envelope->signatures[i].key_id);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, in->arena, out);
    bt_buf_free(&buf);
    return status;
}

/* Check one signature of an envelope: NULL for an unknown key. */
static enum bt_status judge_signature(const struct verify_receipt_state *in,
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
static enum bt_status trust_envelope(struct verify_receipt_state *in,
                                     const struct bt_dsse *envelope, bool *out_go_on)
{
    bt_str params;
    *out_go_on = false;
    for (size_t i = 0; i < envelope->count; i++) {
        const struct bt_vkey *key = NULL;
        bool is_valid = false;
        BT_TRY(judge_signature(in, envelope, i, &key, &is_valid));
        if (key && !is_valid) {
            *out_go_on = false;
            BT_TRY(bt_ledger_key_params(in->arena, key, &params));
            return bt_ledger_add_finding(in->findings, "LEDGER_SIGNATURE_INVALID", BT_STR(""),
                                         params,
                                         "the signature of the envelope does not fit its payload");
        }
        *out_go_on = *out_go_on || key;
    }
    if (*out_go_on) {
        return BT_OK;
    }
    BT_TRY(put_key_ids(in, envelope, &params));
    return bt_ledger_add_finding(in->findings, "LEDGER_KEY_UNKNOWN", BT_STR(""), params,
                                 "no key that is trusted here signed this envelope");
}

static enum bt_status add_syntax_finding(struct verify_receipt_state *in, uint32_t line,
                                         const char *reason)
{
    bt_str params = BT_STR("{\"line\":null}"); /* JSON errors have no line here */
    if (line > 0) {
        BT_TRY(bt_arena_printf(in->arena, &params, "{\"line\":%u}", line));
    }
    return bt_ledger_add_finding(in->findings, "RECEIPT_SYNTAX", BT_STR(""), params,
                                 "this is not a receipt: %s", reason);
}

static enum bt_status open_envelope(struct verify_receipt_state *in,
                                    const struct bt_json_doc *document, bool *out_go_on)
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
        reason = fault.reason;
    }
    *out_go_on = reason == NULL;
    return reason ? add_syntax_finding(in, 0, reason) : BT_OK;
}

static enum bt_status read_receipt(struct verify_receipt_state *in, bt_str bytes, bool *out_go_on)
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

static enum bt_status check_trust(struct verify_receipt_state *in, bool *out_go_on)
{
    const struct bt_checkpoint_input shown = {in->receipt.checkpoint, BT_STR("/checkpoint"),
                                              &in->options->keys->keys, BT_STR("")};
    BT_TRY(bt_ledger_check_checkpoint(&shown, in->findings, &in->checkpoint, &in->is_trusted));
    *out_go_on = in->is_trusted;
    if (!in->is_trusted) {
        return BT_OK;
    }
    if (in->options->keys_are_local) {
        BT_TRY(bt_ledger_add_finding(in->findings, "LEDGER_KEY_LOCAL", BT_STR("/checkpoint"),
                                     BT_STR("{\"key_source\":\"file\"}"),
                                     "the key came from beside a store, not from elsewhere"));
    }
    BT_TRY(bt_ledger_check_witnesses(&in->checkpoint, in->options->witnesses, in->findings,
                                     &in->witnessed));
    *out_go_on = in->witnessed.fine;
    return BT_OK;
}

static enum bt_status check_inclusion(struct verify_receipt_state *in, bool *out_go_on)
{
    bt_str params;
    const struct bt_receipt *receipt = &in->receipt;
    if (in->options->has_entry) {
        in->receipt.entry = in->options->entry;
        in->receipt.has_entry = true;
    }
    *out_go_on = false;
    if (!receipt->has_entry) {
        return bt_ledger_add_finding(in->findings, "RECEIPT_ENTRY_MISSING", BT_STR(""), BT_STR(""),
                                     "the receipt does not carry its entry");
    }
    bt_merkle_hash_leaf(receipt->entry, &in->leaf);
    const struct bt_inclusion_proof claim = {receipt->index, in->checkpoint.size, in->leaf,
                                             in->checkpoint.root};
    *out_go_on = bt_inclusion_proof_verify(&claim, &receipt->proof);
    if (*out_go_on) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(in->arena, &params, "{\"index\":%" PRIu64 ",\"size\":%" PRIu64 "}",
                           receipt->index, in->checkpoint.size));
    return bt_ledger_add_finding(in->findings, "RECEIPT_PROOF_INVALID", BT_STR(""), params,
                                 "the proof does not show the entry as number %" PRIu64
                                 " of %" PRIu64,
                                 receipt->index, in->checkpoint.size);
}

static enum bt_status judge_entry(struct verify_receipt_state *in, bool *out_go_on)
{
    struct bt_entry_check_result judged;
    bt_str params;
    BT_TRY(bt_entry_check(in->arena, in->receipt.entry, &in->entry, &judged));
    in->is_newer = judged.judgement == BT_ENTRY_NEWER;
    if (judged.judgement != BT_ENTRY_FINE) {
        *out_go_on = false;
        in->is_proven = in->is_newer;
        return bt_ledger_add_entry_finding(in->findings, BT_STR("/entry"), &judged);
    }
    *out_go_on = in->entry.seq == in->receipt.index;
    in->is_proven = *out_go_on;
    if (*out_go_on) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(in->arena, &params, "{\"expected\":%" PRIu64 ",\"actual\":%" PRIu64 "}",
                           in->receipt.index, in->entry.seq));
    return bt_ledger_add_finding(in->findings, "LEDGER_SEQ_MISMATCH", BT_STR("/entry"), params,
                                 "the entry at %" PRIu64 " says that it is number %" PRIu64,
                                 in->receipt.index, in->entry.seq);
}

static enum bt_status judge_verdict(struct verify_receipt_state *in)
{
    const bool is_refusal = in->is_newer || bt_str_eq(in->entry.verdict, BT_STR("rejected"));
    if (!is_refusal || in->options->any_verdict) {
        return BT_OK;
    }
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str params;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "codes");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < in->entry.codes.count; i++) {
        bt_emit_string(&emit, in->entry.codes.items[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, in->arena, &params);
    bt_buf_free(&buf);
    BT_TRY(status);
    return bt_ledger_add_finding(in->findings, "RECEIPT_VERDICT", BT_STR("/entry/verdict"), params,
                                 "%s",
                                 in->is_newer ? "the verdict of this entry cannot be read"
                                              : "it proves that the document was refused");
}

/* The digest that the entry has, null where it has no document, and the one that was found. */
static enum bt_status put_digests(struct verify_receipt_state *in, bt_str actual, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    const bt_str expected = in->entry.document.sha256;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "expected");
    if (expected.len > 0) {
        bt_emit_string(&emit, expected);
    } else {
        bt_emit_null(&emit);
    }
    bt_emit_member_string(&emit, "actual", actual);
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, in->arena, out);
    bt_buf_free(&buf);
    return status;
}

/* Digest and size of the given document; false when there is none. */
static bool find_digest(const struct bt_receipt_verify_options *options, struct bt_merkle_hash *out,
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

static enum bt_status judge_document(struct verify_receipt_state *in)
{
    struct bt_merkle_hash hash;
    uint64_t size = 0;
    char digest[BT_HASH_HEX_BYTES];
    bt_str params;
    const struct bt_entry_document *expected = &in->entry.document;
    in->document = "not_given";
    if (in->receipt.form == BT_RECEIPT_DSSE && !bt_str_eq(in->subject, expected->sha256)) {
        BT_TRY(put_digests(in, in->subject, &params));
        BT_TRY(bt_ledger_add_finding(in->findings, "RECEIPT_DOCUMENT_MISMATCH",
                                     BT_STR("/entry/document"), params,
                                     "the statement is about another document than the entry"));
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
    BT_TRY(put_digests(in, bt_str_of(digest), &params));
    return bt_ledger_add_finding(in->findings, "RECEIPT_DOCUMENT_MISMATCH",
                                 BT_STR("/entry/document"), params,
                                 "the document that was given is not the one that was recorded");
}

static void put_entry_facts(struct bt_emit *emit, const struct verify_receipt_state *in)
{
    char leaf[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(&in->leaf, leaf);
    bt_emit_member_u64(emit, "index", in->receipt.index);
    bt_emit_member_string(emit, "leaf_hash", bt_str_of(leaf));
    bt_emit_name(emit, "ref");
    bt_emit_raw(emit, BT_STR("\""));
    bt_buf_put(emit->buf, in->checkpoint.origin); /* a key's name, so without escapes */
    bt_buf_printf(emit->buf, "#%" PRIu64 "\"", in->receipt.index);
    bt_emit_name(emit, "entry");
    bt_emit_raw(emit, in->receipt.entry);
    if (in->document) {
        bt_emit_member_string(emit, "document", bt_str_of(in->document));
    }
}

static enum bt_status put_facts(const struct verify_receipt_state *in, bt_str *out)
{
    static const char *const forms[] = {
        [BT_RECEIPT_TEXT] = "text", [BT_RECEIPT_JSON] = "json", [BT_RECEIPT_DSSE] = "dsse"};
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "form", bt_str_of(forms[in->receipt.form]));
    if (in->is_trusted) {
        char root[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&in->checkpoint.root, root);
        bt_emit_member_string(&emit, "origin", in->checkpoint.origin);
        bt_emit_member_u64(&emit, "size", in->checkpoint.size);
        bt_emit_member_string(&emit, "root", bt_str_of(root));
    }
    if (in->is_proven) {
        put_entry_facts(&emit, in);
    }
    if (in->is_trusted) {
        bt_emit_name(&emit, "witnesses");
        bt_emit_raw(&emit, in->witnessed.list.len > 0 ? in->witnessed.list : BT_STR("[]"));
    }
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, in->arena, out);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status check_receipt(struct verify_receipt_state *in, bt_str bytes)
{
    bool go_on = false;
    BT_TRY(read_receipt(in, bytes, &go_on));
    if (go_on) {
        BT_TRY(check_trust(in, &go_on));
    }
    if (go_on) {
        BT_TRY(check_inclusion(in, &go_on));
    }
    if (go_on) {
        BT_TRY(judge_entry(in, &go_on));
    }
    if (!in->is_proven) {
        return BT_OK;
    }
    BT_TRY(judge_verdict(in));
    BT_TRY(judge_document(in));
    return in->witnessed.count < in->options->witnesses_required
               ? bt_ledger_add_witness_finding(in->findings, in->options->witnesses_required,
                                               in->witnessed.count)
               : BT_OK;
}

enum bt_status bt_receipt_verify(struct bt_arena *arena, bt_str path, bt_str receipt,
                                 const struct bt_receipt_verify_options *options,
                                 struct bt_judgement *out)
{
    assert(arena);
    assert(options);
    assert(options->keys);
    assert(out);
    struct verify_receipt_state *in = BT_NEW(arena, struct verify_receipt_state);
    if (!in) {
        return BT_ENOMEM;
    }
    in->arena = arena;
    in->options = options;
    in->findings = bt_findings_new(arena);
    bt_entry_init(&in->entry);
    if (!in->findings) {
        return BT_ENOMEM;
    }
    bt_str facts;
    BT_TRY(check_receipt(in, receipt));
    BT_TRY(put_facts(in, &facts));
    BT_TRY(bt_findings_finish(in->findings, receipt));
    *out = (struct bt_judgement){
        .path = path,
        .dialect = BT_DIALECT_RECEIPT,
        .source = receipt,
        .verdict = bt_verdict_of(in->findings, BT_SEVERITY_HARD),
        .findings = in->findings,
        .facts = facts,
    };
    return BT_OK;
}
