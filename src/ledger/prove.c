/* SPDX-License-Identifier: Apache-2.0 */
/* prove.c - receipts and consistency proofs, from the hashes in the store. */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/dsse.h"
#include "ledger/ledger_internal.h"
#include "ledger/receipt.h"

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

/* A receipt, and the document it is about. */
struct ledger_prove_made_receipt {
    struct bt_receipt receipt;
    bt_str sha256; /* "" when there is none */
};

static enum bt_status make_receipt(struct bt_ledger *ledger, struct bt_arena *arena, uint64_t seq,
                                   uint64_t size, struct ledger_prove_made_receipt *out,
                                   struct bt_error *error)
{
    struct bt_ledger_checkpoint checkpoint;
    struct bt_ledger_entry_view shown = {.state = BT_DOCUMENT_ABSENT};
    struct bt_findings *alarms = bt_findings_new(arena);
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(find_checkpoint(ledger, arena, size, &checkpoint, error));
    if (seq >= checkpoint.size) {
        return bt_error_set(error, BT_ENOENT,
                            "entry %" PRIu64 " is not among the %" PRIu64 " of that checkpoint",
                            seq, checkpoint.size);
    }
    BT_TRY(bt_ledger_get_entry(ledger, arena, seq, alarms, &shown, error));
    if (bt_findings_count(alarms) > 0) {
        return bt_error_set(error, BT_ECORRUPT, "the log is damaged; run baton ledger verify");
    }
    const struct bt_merkle_subtrees log = bt_ledger_subtrees(ledger);
    out->receipt = (struct bt_receipt){.form = BT_RECEIPT_TEXT,
                                       .index = seq,
                                       .has_entry = true,
                                       .entry = shown.entry.text,
                                       .checkpoint = checkpoint.note};
    out->sha256 = shown.state == BT_DOCUMENT_ABSENT ? BT_STR("") : shown.sha256;
    return fail_proof(bt_inclusion_proof_make(&log, seq, checkpoint.size, &out->receipt.proof),
                      error);
}

static enum bt_status put_dsse(struct bt_ledger *ledger,
                               const struct ledger_prove_made_receipt *made, struct bt_buf *buf,
                               struct bt_error *error)
{
    assert(ledger->is_writing);
    if (made->sha256.len == 0) {
        return bt_error_set(error, BT_ENOENT,
                            "the entry has no document to make a statement about");
    }
    BT_TRY(bt_ledger_lock_keys(ledger, error));
    const enum bt_status status =
        bt_dsse_put(buf, &ledger->signing.key, &made->receipt, made->sha256);
    bt_ledger_unlock_keys(ledger);
    BT_TRY(status);
    bt_buf_put_char(buf, '\n');
    return BT_OK;
}

enum bt_status bt_ledger_prove_inclusion(struct bt_ledger *ledger, uint64_t seq, uint64_t size,
                                         enum bt_receipt_format format, struct bt_buf *buf,
                                         struct bt_error *error)
{
    assert(ledger);
    assert(buf);
    struct bt_arena arena;
    struct ledger_prove_made_receipt made = {.sha256 = BT_STR("")};
    bt_arena_init(&arena, (size_t)64 << 20);
    enum bt_status status = make_receipt(ledger, &arena, seq, size, &made, error);
    if (status == BT_OK && format == BT_RECEIPT_FORMAT_DSSE) {
        status = put_dsse(ledger, &made, buf, error);
    } else if (status == BT_OK && format == BT_RECEIPT_FORMAT_JSON) {
        bt_receipt_put_json(buf, &made.receipt, false);
        bt_buf_put_char(buf, '\n');
    } else if (status == BT_OK) {
        bt_receipt_put_text(buf, &made.receipt);
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
