/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorded.c - the handoffs of a log with their documents.
 *
 * Entries are read first, because a scan gives them in no particular order; documents are then read
 * in the order of the entries, in which most of them were stored.
 */
#include "ledger/recorded.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "ledger/entry.h"
#include "ledger/ledger_internal.h"

struct ledger_recorded_read {
    struct bt_ledger *ledger;
    struct bt_arena *entries; /* memory of the whole range */
    struct bt_arena *arena;   /* of one handoff */
    const struct bt_recorded_options *options;
    bt_str *texts; /* of the entries, from options->first on; "": not there */
    struct bt_entry *entry;
    bt_recorded_fn *each;
    void *context;
    struct bt_error *error;
    enum bt_status status; /* of the scan */
};

/* ---- Entries --------------------------------------------------------------------------------- */

static enum bt_status keep_row(struct ledger_recorded_read *read, const struct bt_store_entry *row)
{
    struct bt_merkle_hash leaf;
    bt_merkle_hash_leaf(row->entry, &leaf);
    if (!bt_str_eq(row->leaf, (bt_str){(const char *)leaf.bytes, BT_HASH_BYTES})) {
        return bt_error_set(read->error, BT_ECORRUPT, "entry %" PRIu64 " does not hash to its leaf",
                            row->seq);
    }
    return bt_arena_copy(read->entries, row->entry, &read->texts[row->seq - read->options->first]);
}

static bool take_row(void *context, const struct bt_store_entry *row)
{
    struct ledger_recorded_read *read = context;
    read->status = keep_row(read, row);
    return read->status == BT_OK;
}

static enum bt_status read_texts(struct ledger_recorded_read *read)
{
    const uint64_t range[2] = {read->options->first, read->options->end};
    read->texts = BT_NEW_ARRAY(read->entries, bt_str, range[1] - range[0]);
    read->entry = BT_NEW(read->entries, struct bt_entry);
    BT_TRY(read->texts && read->entry ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_store_text_scan(read->ledger->store, range, take_row, read, read->error));
    return read->status;
}

static bool is_wanted(const struct ledger_recorded_read *read)
{
    const struct bt_str_list *dialects = &read->options->dialects;
    bool is_listed = dialects->count == 0;
    for (size_t i = 0; i < dialects->count && !is_listed; i++) {
        is_listed = bt_str_eq(dialects->items[i], read->entry->dialect);
    }
    return is_listed && bt_str_eq(read->entry->kind, BT_STR("handoff"));
}

/* ---- Documents ------------------------------------------------------------------------------- */

static enum bt_status refuse_document(const struct ledger_recorded_read *read, const char *why)
{
    return bt_error_set(read->error, BT_ECORRUPT, "the document of entry %" PRIu64 " %s",
                        read->entry->seq, why);
}

static enum bt_status check_bytes(const struct ledger_recorded_read *read,
                                  const struct bt_merkle_hash *digest, bt_str bytes)
{
    uint8_t actual[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(bytes, actual));
    return bytes.len == read->entry->document.size &&
                   memcmp(actual, digest->bytes, BT_SHA256_BYTES) == 0
               ? BT_OK
               : refuse_document(read, "was changed");
}

static enum bt_status read_bytes(const struct ledger_recorded_read *read,
                                 struct bt_recorded_handoff *handoff)
{
    struct bt_merkle_hash digest;
    struct bt_store_document stored;
    if (!bt_merkle_hash_from_hex(read->entry->document.sha256, &digest)) {
        return refuse_document(read, "has no digest");
    }
    const bt_str key = {(const char *)digest.bytes, BT_HASH_BYTES};
    const enum bt_status status =
        bt_store_document_get(read->ledger->store, read->arena, key, &stored, read->error);
    if (status == BT_ENOENT || status == BT_ECORRUPT) {
        return refuse_document(read, status == BT_ENOENT ? "is missing" : "was changed");
    }
    BT_TRY(status);
    if (stored.redacted_seq != BT_STORE_NONE) {
        handoff->document = BT_RECORDED_REDACTED;
        return BT_OK;
    }
    if (!stored.has_bytes) {
        return refuse_document(read, "is missing");
    }
    handoff->document = BT_RECORDED_READ;
    handoff->bytes = stored.bytes;
    return check_bytes(read, &digest, stored.bytes);
}

static enum bt_status read_document(const struct ledger_recorded_read *read,
                                    struct bt_recorded_handoff *handoff)
{
    if (read->entry->document.truncated == BT_TRUE) {
        handoff->document = BT_RECORDED_TRUNCATED;
        return BT_OK;
    }
    if (read->entry->document.kept != BT_TRUE) {
        handoff->document = BT_RECORDED_NOT_KEPT;
        return BT_OK;
    }
    return read_bytes(read, handoff);
}

/* ---- Handoffs -------------------------------------------------------------------------------- */

static enum bt_status pass_handoff(struct ledger_recorded_read *read)
{
    const struct bt_entry *entry = read->entry;
    struct bt_recorded_handoff handoff = {
        .seq = entry->seq,
        .dialect = entry->dialect,
        .handoff_id = entry->handoff_id,
        .is_rejected = bt_str_eq(entry->verdict, BT_STR("rejected")),
        .codes = entry->codes.items,
        .code_count = entry->codes.count,
        .is_pinned = entry->refs.pinned.len > 0,
        .manifest = entry->refs.manifest,
        .lock = entry->refs.lock,
        .is_attested = entry->attest.boundaries_respected != BT_ABSENT,
        .bytes = BT_STR(""),
    };
    if (bt_instant_parse(handoff.is_pinned ? entry->refs.pinned : entry->time, &handoff.time) !=
        BT_OK) {
        return bt_error_set(read->error, BT_ECORRUPT, "entry %" PRIu64 " has no valid time",
                            entry->seq);
    }
    BT_TRY(read_document(read, &handoff));
    return read->each(read->context, &handoff);
}

static enum bt_status pass_entry(struct ledger_recorded_read *read, uint64_t seq)
{
    const bt_str text = read->texts[seq - read->options->first];
    if (text.len == 0 || !bt_entry_read(text, read->entry) || read->entry->seq != seq) {
        return bt_error_set(read->error, BT_ECORRUPT,
                            "entry %" PRIu64 " is missing or not one that this program reads", seq);
    }
    return is_wanted(read) ? pass_handoff(read) : BT_OK;
}

static enum bt_status read_range(struct ledger_recorded_read *read)
{
    BT_TRY(read_texts(read));
    enum bt_status status = BT_OK;
    for (uint64_t seq = read->options->first; seq < read->options->end && status == BT_OK; seq++) {
        status = pass_entry(read, seq);
        bt_arena_reset(read->arena); /* which keeps a chunk for the next one */
    }
    return status;
}

enum bt_status bt_ledger_read_handoffs(struct bt_ledger *ledger, struct bt_arena *entries,
                                       struct bt_arena *arena,
                                       const struct bt_recorded_options *options,
                                       bt_recorded_fn *each, void *context, struct bt_error *error)
{
    assert(ledger);
    assert(entries);
    assert(arena);
    assert(options);
    assert(options->first <= options->end);
    assert(each);
    struct ledger_recorded_read read = {
        .ledger = ledger,
        .entries = entries,
        .arena = arena,
        .options = options,
        .each = each,
        .context = context,
        .error = error,
        .status = BT_OK,
    };
    if (options->first == options->end) {
        return BT_OK;
    }
    BT_TRY(bt_store_begin_read(ledger->store, error));
    const enum bt_status status = read_range(&read);
    bt_store_rollback(ledger->store);
    bt_arena_reset(entries);
    return status;
}
