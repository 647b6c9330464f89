/* SPDX-License-Identifier: Apache-2.0 */
/* prove.c - receipts and consistency proofs, from the hashes in the store. */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/cose.h"
#include "ledger/dsse.h"
#include "ledger/ledger_internal.h"
#include "ledger/receipt.h"
#include "ledger/statement.h"

enum { RECEIPT_BUF_BYTES_MAX = 1 << 20 };

static enum bt_status fail_proof(enum bt_status status, struct bt_error *error)
{
    return status == BT_OK ? BT_OK
                           : bt_error_set(error, status, "%s",
                                          status == BT_ECORRUPT ? "hashes of the log are missing"
                                                                : bt_status_text(status));
}

/* The checkpoint to prove against, and its size. */
static enum bt_status find_checkpoint(struct bt_ledger *ledger, struct bt_arena *arena,
                                      uint64_t size, struct bt_ledger_checkpoint *out,
                                      struct bt_error *error)
{
    const enum bt_status status = bt_ledger_get_checkpoint(ledger, arena, size, out, error);
    return status == BT_ENOENT
               ? bt_error_set(error, BT_ENOENT, "no checkpoint was signed at size %" PRIu64, size)
               : status;
}

/* A receipt, and what it is about. */
struct ledger_prove_made_receipt {
    struct bt_receipt receipt;
    struct bt_entry entry;
    uint64_t size;
    struct bt_merkle_hash root;
};

static bool take_first(void *context, const struct bt_store_checkpoint *row)
{
    *(uint64_t *)context = row->size;
    return false;
}

/* The first checkpoint that has the entry, as its commit signed it. */
static enum bt_status find_first(struct bt_ledger *ledger, struct bt_arena *arena, uint64_t seq,
                                 struct bt_ledger_checkpoint *out, struct bt_error *error)
{
    uint64_t size = 0; /* no checkpoint with an entry has this size */
    struct bt_store_checkpoint row;
    BT_TRY(bt_store_checkpoint_scan(ledger->store, seq + 1, take_first, &size, error));
    BT_TRY(find_checkpoint(ledger, arena, size, out, error));
    BT_TRY(bt_store_checkpoint_get(ledger->store, arena, size, &row, error));
    out->note = row.note;
    return BT_OK;
}

/* Set what the receipt of a statement has in place of an entry. */
static enum bt_status describe_statement(const struct bt_receipt_request *request,
                                         struct bt_receipt *receipt, struct bt_error *error)
{
    struct bt_signed_statement statement;
    if (request->format != BT_RECEIPT_FORMAT_COSE) {
        return bt_error_set(error, BT_EINVAL, "receipts of statements are made in COSE alone");
    }
    if (bt_statement_read_leaf(receipt->entry, &statement).refusal) {
        return bt_error_set(error, BT_ECORRUPT, "the log is damaged; run baton ledger verify");
    }
    receipt->subject = statement.subject;
    return BT_OK;
}

static enum bt_status make_receipt(struct bt_ledger *ledger, struct bt_arena *arena,
                                   const struct bt_receipt_request *request,
                                   struct ledger_prove_made_receipt *out, struct bt_error *error)
{
    const uint64_t seq = request->seq;
    struct bt_ledger_checkpoint checkpoint;
    struct bt_ledger_entry entry;
    struct bt_findings *alarms = bt_findings_new(arena);
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(request->is_first ? find_first(ledger, arena, seq, &checkpoint, error)
                             : find_checkpoint(ledger, arena, request->size, &checkpoint, error));
    if (seq >= checkpoint.size) {
        return bt_error_set(error, BT_ENOENT,
                            "entry %" PRIu64 " is not among the %" PRIu64 " of that checkpoint",
                            seq, checkpoint.size);
    }
    BT_TRY(bt_ledger_read_entry(ledger, arena, seq, alarms, &entry, error));
    if (bt_findings_count(alarms) > 0 || !bt_merkle_hash_from_hex(checkpoint.root, &out->root)) {
        return bt_error_set(error, BT_ECORRUPT, "the log is damaged; run baton ledger verify");
    }
    const struct bt_merkle_subtrees log = bt_ledger_subtrees(ledger);
    out->receipt = (struct bt_receipt){.form = BT_RECEIPT_TEXT,
                                       .index = seq,
                                       .has_entry = true,
                                       .entry = entry.text,
                                       .checkpoint = checkpoint.note};
    out->size = checkpoint.size;
    if (bt_ledger_has_statements(ledger)) {
        BT_TRY(describe_statement(request, &out->receipt, error));
    }
    return fail_proof(bt_inclusion_proof_make(&log, seq, checkpoint.size, &out->receipt.proof),
                      error);
}

/* Whether a statement can be made about the entry. */
static enum bt_status check_statement(const struct ledger_prove_made_receipt *made,
                                      enum bt_receipt_predicate predicate, struct bt_error *error)
{
    if (made->entry.document.sha256.len == 0) {
        return bt_error_set(error, BT_ENOENT,
                            "the entry has no document to make a statement about");
    }
    return predicate == BT_PREDICATE_SVR && !bt_dsse_can_be_svr(&made->entry)
               ? bt_error_set(error, BT_ENOENT,
                              "the entry is not an accepted handoff, and a verification result "
                              "lists only what passed")
               : BT_OK;
}

/* Put a receipt that is signed by the key of the log; during a rotation by the old one. */
static enum bt_status put_signed(struct bt_ledger *ledger, const struct bt_receipt_request *request,
                                 struct ledger_prove_made_receipt *made, struct bt_buf *buf,
                                 struct bt_error *error)
{
    enum bt_status status = BT_OK;
    struct bt_error why = {.status = BT_OK};
    if (!ledger->is_writing) {
        return bt_error_set(error, BT_EDENIED, "a ledger that is open for reading cannot sign");
    }
    if (request->format == BT_RECEIPT_FORMAT_DSSE) {
        if (!bt_entry_read(made->receipt.entry, &made->entry)) {
            bt_entry_init(&made->entry); /* of a later format, with nothing to state */
        }
        BT_TRY(check_statement(made, request->predicate, error));
    }
    BT_TRY(bt_ledger_lock_keys(ledger, error));
    const struct bt_signing_key *key = &ledger->signing.key;
    if (request->format == BT_RECEIPT_FORMAT_COSE) {
        status = bt_cose_put(buf, key, &made->receipt, made->size, &made->root, &why);
    } else {
        const struct bt_dsse_content content = {request->predicate, &made->receipt, &made->entry,
                                                bt_vkey_name(&key->vkey)};
        status = bt_dsse_put(buf, key, &content, &why);
        bt_buf_put_char(buf, '\n');
    }
    bt_ledger_unlock_keys(ledger);
    return status == BT_OK ? BT_OK : bt_ledger_sign_error(status, &why, error);
}

static enum bt_status put_receipt(struct bt_ledger *ledger, struct bt_arena *arena,
                                  const struct bt_receipt_request *request,
                                  struct ledger_prove_made_receipt *made, struct bt_buf *buf,
                                  struct bt_error *error)
{
    BT_TRY(make_receipt(ledger, arena, request, made, error));
    if (request->format == BT_RECEIPT_FORMAT_JSON) {
        bt_receipt_put_json(buf, &made->receipt, false);
        bt_buf_put_char(buf, '\n');
    } else if (request->format == BT_RECEIPT_FORMAT_TEXT) {
        bt_receipt_put_text(buf, &made->receipt);
    } else {
        BT_TRY(put_signed(ledger, request, made, buf, error));
    }
    return buf->status == BT_OK
               ? BT_OK
               : bt_error_set(error, buf->status, "%s", bt_status_text(buf->status));
}

enum bt_status bt_ledger_make_receipt(struct bt_ledger *ledger, struct bt_arena *arena,
                                      const struct bt_receipt_request *request,
                                      struct bt_receipt_result *out, struct bt_error *error)
{
    assert(ledger);
    assert(request);
    assert(out);
    struct ledger_prove_made_receipt *made = BT_NEW(arena, struct ledger_prove_made_receipt);
    struct bt_buf buf;
    if (!made) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_buf_init(&buf, RECEIPT_BUF_BYTES_MAX);
    enum bt_status status = put_receipt(ledger, arena, request, made, &buf, error);
    if (status == BT_OK) {
        *out = (struct bt_receipt_result){.size = made->size, .entry = made->receipt.entry};
        status = bt_buf_copy(&buf, arena, &out->receipt);
        status =
            status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
    }
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_ledger_prove_inclusion(struct bt_ledger *ledger, uint64_t seq, uint64_t size,
                                         enum bt_receipt_format format, struct bt_buf *buf,
                                         struct bt_error *error)
{
    assert(ledger);
    assert(buf);
    struct bt_arena arena;
    const struct bt_receipt_request request = {.seq = seq, .size = size, .format = format};
    struct bt_receipt_result made;
    bt_arena_init(&arena, (size_t)64 << 20);
    const enum bt_status status = bt_ledger_make_receipt(ledger, &arena, &request, &made, error);
    if (status == BT_OK) {
        bt_buf_put(buf, made.receipt);
    }
    bt_arena_free(&arena);
    return status == BT_OK ? buf->status : status;
}

/* The hashes as a JSON array, and as the lines of a request to a witness. */
static enum bt_status put_proof(struct bt_arena *arena, const struct bt_merkle_proof *proof,
                                struct bt_consistency_result *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < proof->count; i++) {
        char hex[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&proof->hashes[i], hex);
        bt_emit_string(&emit, bt_str_of(hex));
    }
    bt_emit_end(&emit);
    enum bt_status status = bt_buf_copy(&buf, arena, &out->proof);
    bt_buf_clear(&buf);
    bt_buf_printf(&buf, "old %" PRIu64 "\n", out->old_size);
    bt_merkle_proof_put_lines(&buf, proof);
    bt_buf_put_char(&buf, '\n');
    bt_buf_put(&buf, out->checkpoint);
    if (status == BT_OK) {
        status = bt_buf_copy(&buf, arena, &out->request);
    }
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_ledger_prove_consistency(struct bt_ledger *ledger, struct bt_arena *arena,
                                           uint64_t old_size, uint64_t size,
                                           struct bt_consistency_result *out,
                                           struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct bt_ledger_checkpoint checkpoint;
    struct bt_merkle_proof proof;
    struct bt_merkle_hash old_root;
    BT_TRY(find_checkpoint(ledger, arena, size, &checkpoint, error));
    if (old_size > checkpoint.size) {
        return bt_error_set(error, BT_ENOENT,
                            "the checkpoint has %" PRIu64 " entries, which is less",
                            checkpoint.size);
    }
    const struct bt_merkle_subtrees log = bt_ledger_subtrees(ledger);
    struct bt_consistency_result growth = {.old_size = old_size,
                                           .new_size = checkpoint.size,
                                           .new_root = checkpoint.root,
                                           .checkpoint = checkpoint.note};
    BT_TRY(fail_proof(bt_consistency_proof_make(&log, old_size, checkpoint.size, &proof), error));
    BT_TRY(fail_proof(bt_merkle_subtrees_root(&log, old_size, &old_root), error));
    BT_TRY(bt_ledger_hex(arena, &old_root, &growth.old_root));
    BT_TRY(put_proof(arena, &proof, &growth));
    *out = growth;
    return BT_OK;
}
