/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate.c - the certificate of a redaction: receipts of the redaction and of the entries that
 * lost their bytes, all at one size. It proves that the deletion is on record, not that no copy
 * exists.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/vec.h"
#include "json/emit.h"
#include "ledger/ledger_internal.h"

/* What is found about a digest. */
struct ledger_certificate {
    struct bt_ledger *ledger;
    struct bt_arena *arena;
    uint64_t wanted; /* the number of the redaction, or BT_LEDGER_SEQ_NONE for the first */
    bool is_found;
    bt_str redaction; /* the entry */
    uint64_t *items;  /* entries with the digest, redactions and holds left out */
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_certificate *in = context;
    struct bt_entry entry;
    if (!bt_entry_read(row->entry, &entry)) {
        return true;
    }
    if (bt_str_eq(entry.kind, BT_STR("redaction"))) {
        if (!in->is_found && (in->wanted == BT_LEDGER_SEQ_NONE || in->wanted == row->seq)) {
            in->is_found = true;
            in->wanted = row->seq;
            in->status = bt_arena_copy(in->arena, row->entry, &in->redaction);
        }
    } else if (!bt_str_eq(entry.kind, BT_STR("hold")) && !in->is_found) {
        in->status = bt_vec_push_max(in->arena, in, BT_CERTIFICATE_ENTRIES_MAX, row->seq);
    }
    return in->status == BT_OK;
}

/* The digest that the operand means. A redaction that is named by its number is the wanted one. */
static enum bt_status find_digest(struct ledger_certificate *in,
                                  const struct bt_certificate_request *request, bt_str *out,
                                  struct bt_error *error)
{
    struct bt_findings *alarms = bt_findings_new(in->arena);
    struct bt_ledger_entry_view shown;
    struct bt_entry entry;
    *out = request->sha256;
    if (!request->by_seq) {
        return BT_OK;
    }
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_get_entry(in->ledger, in->arena, request->seq, alarms, &shown, error));
    if (bt_findings_count(alarms) > 0) {
        return bt_error_set(error, BT_ECORRUPT, "the log is damaged; run baton ledger verify");
    }
    if (!bt_entry_read(shown.entry.text, &entry) || entry.document.sha256.len == 0) {
        return bt_error_set(error, BT_ENOENT, "entry %" PRIu64 " has no document", request->seq);
    }
    if (bt_str_eq(entry.kind, BT_STR("redaction"))) {
        in->wanted = request->seq;
    }
    return bt_arena_copy(in->arena, entry.document.sha256, out);
}

static enum bt_status find_entries(struct ledger_certificate *in, bt_str sha256,
                                   struct bt_error *error)
{
    struct bt_merkle_hash digest;
    if (!bt_merkle_hash_from_hex(sha256, &digest)) {
        return bt_error_set(error, BT_EINVAL, "a digest is 64 lower-case hexadecimal digits");
    }
    const struct bt_store_scan scan = {.order = BT_STORE_BY_DOCUMENT,
                                       .key = {(const char *)digest.bytes, BT_HASH_BYTES}};
    BT_TRY(bt_store_entry_scan(in->ledger->store, &scan, take_entry, in, error));
    if (in->status != BT_OK) {
        return bt_error_set(error, in->status, "the document has more than 10,000 entries");
    }
    return in->is_found ? BT_OK : bt_error_set(error, BT_ENOENT, "the document was not redacted");
}

/* Put the receipt of an entry at this size, which is set by the first. */
static enum bt_status put_receipt(struct bt_emit *emit, const struct ledger_certificate *in,
                                  uint64_t seq, uint64_t *size, struct bt_error *error)
{
    const struct bt_receipt_request request = {
        .seq = seq, .size = *size, .format = BT_RECEIPT_FORMAT_JSON};
    struct bt_arena arena;
    struct bt_receipt_result made;
    bt_arena_init(&arena, (size_t)64 << 20);
    const enum bt_status status =
        bt_ledger_make_receipt(in->ledger, &arena, &request, &made, error);
    if (status == BT_OK) {
        *size = made.size;
        bt_emit_raw(emit, bt_str_slice(made.receipt, 0, made.receipt.len - 1));
    }
    bt_arena_free(&arena);
    return status;
}

static enum bt_status put_certificate(struct bt_buf *buf, const struct ledger_certificate *in,
                                      struct bt_error *error)
{
    uint64_t size = BT_LEDGER_SEQ_NONE;
    struct bt_entry entry;
    struct bt_emit emit;
    if (!bt_entry_read(in->redaction, &entry)) {
        return bt_error_set(error, BT_ECORRUPT, "the log is damaged; run baton ledger verify");
    }
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton_redaction", 1);
    bt_emit_member_string(&emit, "sha256", entry.document.sha256);
    bt_emit_member_u64(&emit, "size", entry.document.size);
    bt_emit_member_string(&emit, "time", entry.time);
    bt_emit_member_string(&emit, "reason", entry.refs.reason);
    bt_emit_name(&emit, "early");
    bt_emit_bool(&emit, bt_str_eq(entry.refs.event, BT_STR("early")));
    bt_emit_name(&emit, "receipt");
    BT_TRY(put_receipt(&emit, in, in->wanted, &size, error));
    bt_emit_name(&emit, "entries");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < in->count; i++) {
        BT_TRY(put_receipt(&emit, in, in->items[i], &size, error));
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    return buf->status == BT_OK
               ? BT_OK
               : bt_error_set(error, buf->status, "the certificate would be longer than 16 MiB");
}

enum bt_status bt_ledger_put_certificate(struct bt_ledger *ledger, struct bt_arena *arena,
                                         const struct bt_certificate_request *request,
                                         struct bt_buf *buf, struct bt_error *error)
{
    assert(ledger);
    assert(request);
    struct ledger_certificate in = {
        .ledger = ledger, .arena = arena, .wanted = BT_LEDGER_SEQ_NONE, .redaction = BT_STR("")};
    bt_str sha256;
    BT_TRY(find_digest(&in, request, &sha256, error));
    BT_TRY(find_entries(&in, sha256, error));
    return put_certificate(buf, &in, error);
}
