/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorded.c - the handoffs of a log with their documents.
 *
 * Entries are read first, because a scan gives them in no particular order; documents are then read
 * in the order of the entries, in which most of them were stored. The documents of a batch are read
 * and hashed before the first of them is passed on: each step is faster when it is done many times
 * in a row, and two texts are hashed in less than twice the time of one.
 */
#include "ledger/recorded.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "ledger/entry.h"
#include "ledger/ledger_internal.h"

/* A batch ends when its documents have so many bytes. */
enum { BATCH_BYTES = 256 << 10 };

/* A handoff of the batch, and what its document must hash to. */
struct ledger_recorded_item {
    struct bt_recorded_handoff handoff;
    struct bt_merkle_hash digest;
};

struct ledger_recorded_read {
    struct bt_ledger *ledger;
    struct bt_recorded_memory *memory;
    const struct bt_recorded_options *options;
    size_t count;                 /* of the entries of the range */
    struct bt_sha256_text *texts; /* of the entries, with the prefix of a leaf; size 0: not there */
    struct bt_merkle_hash *leaves;      /* as the store has them */
    struct ledger_recorded_item *items; /* the batch, ... */
    size_t item_count;
    struct bt_sha256_text *documents; /* ... and those of its documents that were read */
    size_t document_count;
    size_t document_bytes;
    struct bt_merkle_hash *hashes; /* of the entries, then of the documents */
    struct bt_entry *entry;
    struct bt_error *error;
    enum bt_status status; /* of the scan */
};

/* ---- Entries --------------------------------------------------------------------------------- */

static enum bt_status refuse_leaf(const struct ledger_recorded_read *read, size_t index)
{
    return bt_error_set(read->error, BT_ECORRUPT, "entry %" PRIu64 " does not hash to its leaf",
                        read->options->first + index);
}

static enum bt_status keep_row(struct ledger_recorded_read *read, const struct bt_store_entry *row)
{
    const size_t index = (size_t)(row->seq - read->options->first);
    const size_t size = 1 + row->entry.len;
    uint8_t *text = bt_arena_alloc(&read->memory->entries, bt_sha256_padded_size(size));
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    if (row->leaf.len != BT_HASH_BYTES) {
        return refuse_leaf(read, index);
    }
    text[0] = BT_HASH_LEAF_PREFIX;
    memcpy(text + 1, row->entry.ptr, row->entry.len);
    bt_sha256_pad(text, size);
    read->texts[index] = (struct bt_sha256_text){text, size};
    memcpy(read->leaves[index].bytes, row->leaf.ptr, BT_HASH_BYTES);
    return BT_OK;
}

static bool take_row(void *context, const struct bt_store_entry *row)
{
    struct ledger_recorded_read *read = context;
    read->status = keep_row(read, row);
    return read->status == BT_OK;
}

static enum bt_status refuse_entry(const struct ledger_recorded_read *read, size_t index)
{
    return bt_error_set(read->error, BT_ECORRUPT,
                        "entry %" PRIu64 " is missing or not one that this program reads",
                        read->options->first + index);
}

static enum bt_status read_texts(struct ledger_recorded_read *read)
{
    const uint64_t range[2] = {read->options->first, read->options->end};
    BT_TRY(bt_store_text_scan(read->ledger->store, range, take_row, read, read->error));
    BT_TRY(read->status);
    for (size_t i = 0; i < read->count; i++) {
        BT_TRY(read->texts[i].size > 0 ? BT_OK : refuse_entry(read, i));
    }
    bt_sha256_pair_hash(read->texts, read->count, read->memory->in_pairs, read->hashes);
    for (size_t i = 0; i < read->count; i++) {
        BT_TRY(bt_merkle_hash_eq(&read->hashes[i], &read->leaves[i]) ? BT_OK
                                                                     : refuse_leaf(read, i));
    }
    return BT_OK;
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

static enum bt_status refuse_document(const struct ledger_recorded_read *read, uint64_t seq,
                                      const char *why)
{
    return bt_error_set(read->error, BT_ECORRUPT, "the document of entry %" PRIu64 " %s", seq, why);
}

/* The digest of the document is in `item`. */
static enum bt_status read_bytes(struct ledger_recorded_read *read,
                                 struct ledger_recorded_item *item)
{
    struct bt_recorded_handoff *handoff = &item->handoff;
    struct bt_store_document stored;
    const bt_str key = {(const char *)item->digest.bytes, BT_HASH_BYTES};
    const enum bt_status status = bt_store_document_get(read->ledger->store, &read->memory->entries,
                                                        key, &stored, read->error);
    if (status == BT_ENOENT || status == BT_ECORRUPT) {
        return refuse_document(read, handoff->seq,
                               status == BT_ENOENT ? "is missing" : "was changed");
    }
    BT_TRY(status);
    if (stored.redacted_seq != BT_STORE_NONE) {
        handoff->document = BT_RECORDED_REDACTED;
        return BT_OK;
    }
    if (!stored.has_bytes) {
        return refuse_document(read, handoff->seq, "is missing");
    }
    if (stored.bytes.len != read->entry->document.size) {
        return refuse_document(read, handoff->seq, "was changed");
    }
    uint8_t *bytes = (uint8_t *)(uintptr_t)stored.bytes.ptr; /* our own, with room behind them */
    bt_sha256_pad(bytes, stored.bytes.len);
    handoff->document = BT_RECORDED_READ;
    handoff->bytes = stored.bytes;
    read->documents[read->document_count++] = (struct bt_sha256_text){bytes, stored.bytes.len};
    read->document_bytes += stored.bytes.len;
    return BT_OK;
}

static enum bt_status read_document(struct ledger_recorded_read *read,
                                    struct ledger_recorded_item *item)
{
    const struct bt_entry_document *document = &read->entry->document;
    if (document->truncated == BT_TRUE) {
        item->handoff.document = BT_RECORDED_TRUNCATED;
        return BT_OK;
    }
    if (document->kept != BT_TRUE) {
        item->handoff.document = BT_RECORDED_NOT_KEPT;
        return BT_OK;
    }
    return bt_merkle_hash_from_hex(document->sha256, &item->digest)
               ? read_bytes(read, item)
               : refuse_document(read, item->handoff.seq, "has no digest");
}

/* Compare the documents of the batch with the digests in their entries. */
static enum bt_status check_documents(const struct ledger_recorded_read *read)
{
    size_t next = 0;
    bt_sha256_pair_hash(read->documents, read->document_count, read->memory->in_pairs,
                        read->hashes);
    for (size_t i = 0; next < read->document_count; i++) {
        const struct ledger_recorded_item *item = &read->items[i];
        if (item->handoff.document == BT_RECORDED_READ &&
            !bt_merkle_hash_eq(&read->hashes[next++], &item->digest)) {
            return refuse_document(read, item->handoff.seq, "was changed");
        }
    }
    return BT_OK;
}

/* ---- Handoffs -------------------------------------------------------------------------------- */

/* Copy the list of codes, whose place in the entry is used for the next one. */
static enum bt_status keep_codes(struct ledger_recorded_read *read,
                                 struct bt_recorded_handoff *handoff)
{
    const struct bt_entry_words *codes = &read->entry->codes;
    bt_str *copy =
        codes->count > 0 ? BT_NEW_ARRAY(&read->memory->entries, bt_str, codes->count) : NULL;
    for (size_t i = 0; i < codes->count && copy; i++) {
        copy[i] = codes->items[i];
    }
    handoff->codes = copy;
    handoff->code_count = codes->count;
    return copy || codes->count == 0 ? BT_OK : BT_ENOMEM;
}

static enum bt_status add_handoff(struct ledger_recorded_read *read)
{
    const struct bt_entry *entry = read->entry;
    struct ledger_recorded_item *item = &read->items[read->item_count];
    item->handoff = (struct bt_recorded_handoff){
        .seq = entry->seq,
        .dialect = entry->dialect,
        .handoff_id = entry->handoff_id,
        .is_rejected = bt_str_eq(entry->verdict, BT_STR("rejected")),
        .is_pinned = entry->refs.pinned.len > 0,
        .manifest = entry->refs.manifest,
        .lock = entry->refs.lock,
        .is_attested = entry->attest.boundaries_respected != BT_ABSENT,
        .bytes = BT_STR(""),
    };
    if (bt_instant_parse(item->handoff.is_pinned ? entry->refs.pinned : entry->time,
                         &item->handoff.time) != BT_OK) {
        return bt_error_set(read->error, BT_ECORRUPT, "entry %" PRIu64 " has no valid time",
                            entry->seq);
    }
    BT_TRY(keep_codes(read, &item->handoff));
    BT_TRY(read_document(read, item));
    read->item_count++;
    return BT_OK;
}

static enum bt_status add_entry(struct ledger_recorded_read *read, size_t index)
{
    const struct bt_sha256_text *text = &read->texts[index];
    if (!bt_entry_read((bt_str){(const char *)text->bytes + 1, text->size - 1}, read->entry) ||
        read->entry->seq != read->options->first + index) {
        return refuse_entry(read, index);
    }
    return is_wanted(read) ? add_handoff(read) : BT_OK;
}

/* Read handoffs from an entry on until the batch is full; *at becomes the first one after it. */
static enum bt_status fill_batch(struct ledger_recorded_read *read, size_t *at)
{
    enum bt_status status = BT_OK;
    read->item_count = 0;
    read->document_count = 0;
    read->document_bytes = 0;
    while (*at < read->count && read->document_bytes < BATCH_BYTES && status == BT_OK) {
        status = add_entry(read, (*at)++);
    }
    /* An error of a document before it comes first. */
    BT_TRY(check_documents(read));
    return status;
}

static enum bt_status pass_batch(const struct ledger_recorded_read *read, bt_recorded_fn *each,
                                 void *context)
{
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < read->item_count && status == BT_OK; i++) {
        status = each(context, &read->items[i].handoff);
        bt_arena_reset(&read->memory->work); /* which keeps a chunk for the next one */
    }
    return status;
}

static enum bt_status make_read(struct ledger_recorded_read *read)
{
    struct bt_arena *arena = &read->memory->entries;
    read->texts = BT_NEW_ARRAY(arena, struct bt_sha256_text, read->count);
    read->leaves = BT_NEW_ARRAY(arena, struct bt_merkle_hash, read->count);
    read->hashes = BT_NEW_ARRAY(arena, struct bt_merkle_hash, read->count);
    read->items = BT_NEW_ARRAY(arena, struct ledger_recorded_item, read->count);
    read->documents = BT_NEW_ARRAY(arena, struct bt_sha256_text, read->count);
    read->entry = BT_NEW(arena, struct bt_entry);
    return read->texts && read->leaves && read->hashes && read->items && read->documents &&
                   read->entry
               ? BT_OK
               : BT_ENOMEM;
}

static enum bt_status read_range(struct ledger_recorded_read *read, bt_recorded_fn *each,
                                 void *context)
{
    BT_TRY(make_read(read));
    BT_TRY(read_texts(read));
    const struct bt_arena_mark before = bt_arena_mark(&read->memory->entries);
    for (size_t at = 0; at < read->count;) {
        BT_TRY(fill_batch(read, &at));
        BT_TRY(pass_batch(read, each, context));
        bt_arena_rewind(&read->memory->entries, before);
    }
    return BT_OK;
}

void bt_recorded_memory_init(struct bt_recorded_memory *memory, size_t limit)
{
    assert(memory);
    bt_arena_init(&memory->entries, limit);
    bt_arena_init(&memory->work, limit);
    memory->in_pairs = bt_sha256_pair_is_supported();
}

void bt_recorded_memory_free(struct bt_recorded_memory *memory)
{
    assert(memory);
    bt_arena_free(&memory->entries);
    bt_arena_free(&memory->work);
}

enum bt_status bt_ledger_read_handoffs(struct bt_ledger *ledger, struct bt_recorded_memory *memory,
                                       const struct bt_recorded_options *options,
                                       bt_recorded_fn *each, void *context, struct bt_error *error)
{
    assert(ledger);
    assert(memory);
    assert(options);
    assert(options->first <= options->end);
    assert(each);
    struct ledger_recorded_read read = {
        .ledger = ledger,
        .memory = memory,
        .options = options,
        .count = (size_t)(options->end - options->first),
        .error = error,
        .status = BT_OK,
    };
    if (read.count == 0) {
        return BT_OK;
    }
    BT_TRY(bt_store_begin_read(ledger->store, error));
    const enum bt_status status = read_range(&read, each, context);
    bt_store_rollback(ledger->store);
    bt_arena_reset(&memory->entries);
    bt_arena_reset(&memory->work);
    return status;
}
