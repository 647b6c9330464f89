/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_documents.c - the documents of a store: bytes against digests, and bytes that are gone.
 *
 * To find entries whose document vanished the whole log is asked once more, so that runs beside the
 * walk where there are threads.
 */
#include "ledger/verify_documents.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { WORTH_A_THREAD = 64 * BT_TILE_WIDTH };

/* ---- What is gone ---------------------------------------------------------------------------- */

/* A search for documents that entries call kept, and that the store does not have. */
struct bt_absent {
    struct bt_reader reader;
    struct bt_error error;
    uint64_t size; /* of the log */
    struct bt_buf digests;
    enum bt_status status;
    pthread_t thread;
    bool is_running;
};

static bool take_absent(void *context, const struct bt_store_entry *row)
{
    struct bt_absent *absent = context;
    struct bt_entry entry;
    struct bt_hash digest;
    if (row->seq < absent->size && bt_entry_read(row->entry, &entry) &&
        entry.document.kept == BT_TRUE && bt_hash_from_hex(entry.document.sha256, &digest)) {
        bt_buf_put(&absent->digests, (bt_str){(const char *)digest.bytes, BT_HASH_BYTES});
    }
    return absent->digests.status == BT_OK;
}

static void *search(void *context)
{
    struct bt_absent *absent = context;
    const struct bt_store_scan scan = {.order = BT_STORE_ABSENT};
    bt_buf_clear(&absent->digests);
    absent->status =
        bt_store_entry_scan(absent->reader.store, &scan, take_absent, absent, absent->reader.error);
    absent->status = absent->status == BT_OK ? absent->digests.status : absent->status;
    return NULL;
}

enum bt_status bt_verify_find_absent(struct bt_verify *verify)
{
    assert(verify);
    struct bt_absent *absent = BT_NEW(verify->arena, struct bt_absent);
    if (!absent) {
        return BT_ENOMEM;
    }
    verify->absent = absent;
    absent->size = verify->newest.size;
    bt_buf_init(&absent->digests, SIZE_MAX);
    if (verify->options->no_documents || verify->options->threads < 2 ||
        absent->size < WORTH_A_THREAD) {
        return BT_OK;
    }
    absent->reader.error = &absent->error;
    if (bt_verify_open_store(verify, &absent->reader) == BT_OK) {
        absent->is_running = pthread_create(&absent->thread, NULL, search, absent) == 0;
    }
    return BT_OK;
}

/* Wait for the thread; false when there is none, or it could not do it. */
static bool has_found(struct bt_absent *absent)
{
    if (!absent->is_running) {
        return false;
    }
    (void)pthread_join(absent->thread, NULL);
    absent->is_running = false;
    return absent->status == BT_OK;
}

void bt_verify_end_absent(struct bt_verify *verify)
{
    assert(verify);
    struct bt_absent *absent = verify->absent;
    if (!absent) {
        return;
    }
    (void)has_found(absent);
    bt_buf_free(&absent->digests);
    /* Without a thread the walk's own connection was used. */
    bt_store_close(absent->reader.store == verify->reader.store ? NULL : absent->reader.store);
}

/* ---- What is there --------------------------------------------------------------------------- */

struct documents {
    struct bt_verify *verify;
    enum bt_status status;
};

static enum bt_status put_document_pointer(struct bt_verify *verify, bt_str digest, bt_str *out)
{
    struct bt_hash hash = {{0}};
    char hex[BT_HASH_HEX_BYTES];
    memcpy(hash.bytes, digest.ptr, digest.len < BT_HASH_BYTES ? digest.len : BT_HASH_BYTES);
    bt_hash_hex(&hash, hex);
    return bt_arena_printf(&verify->work, out, "/documents/%s", hex);
}

static enum bt_status say_vanished(struct bt_verify *verify, bt_str digest)
{
    bt_str pointer;
    BT_TRY(put_document_pointer(verify, digest, &pointer));
    return bt_verify_say(verify, "LEDGER_DOCUMENT_MISSING", pointer, BT_STR(""),
                         "the bytes of this document are gone, and no entry says why");
}

struct redaction {
    bt_str digest;
    bool is_one;
};

static bool take_redaction(void *context, const struct bt_store_entry *row)
{
    struct redaction *redaction = context;
    struct bt_entry entry;
    struct bt_hash digest;
    redaction->is_one =
        bt_entry_read(row->entry, &entry) && bt_str_eq(entry.kind, BT_STR("redaction")) &&
        bt_hash_from_hex(entry.document.sha256, &digest) &&
        bt_str_eq(redaction->digest, (bt_str){(const char *)digest.bytes, BT_HASH_BYTES});
    return false;
}

/* Deleted on purpose? The entry that says so must be there and say so. */
static enum bt_status check_redacted(struct bt_verify *verify,
                                     const struct bt_store_document *document)
{
    bt_str pointer;
    bt_str params;
    struct redaction redaction = {document->sha256, false};
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = document->redacted_seq};
    BT_TRY(bt_store_entry_scan(verify->ledger->store, &scan, take_redaction, &redaction,
                               verify->error));
    if (!redaction.is_one) {
        return say_vanished(verify, document->sha256);
    }
    BT_TRY(put_document_pointer(verify, document->sha256, &pointer));
    BT_TRY(
        bt_arena_printf(&verify->work, &params, "{\"seq\":%" PRIu64 "}", document->redacted_seq));
    return bt_verify_say(verify, "LEDGER_DOCUMENT_REDACTED", pointer, params,
                         "the bytes were deleted, as entry %" PRIu64 " says",
                         document->redacted_seq);
}

static enum bt_status check_document(struct bt_verify *verify, bt_str digest)
{
    bt_str key;
    struct bt_store_document document;
    bt_arena_reset(&verify->work);
    BT_TRY(bt_arena_copy(&verify->work, digest, &key));
    if (key.len != BT_HASH_BYTES) {
        return say_vanished(verify, key);
    }
    const enum bt_status status =
        bt_store_document_get(verify->ledger->store, &verify->work, key, &document, verify->error);
    if (status == BT_ECORRUPT) {
        return bt_verify_document(verify, key, BT_STR(""), 1); /* no bytes can be had: mismatch */
    }
    BT_TRY(status);
    if (document.redacted_seq != BT_STORE_NONE) {
        return check_redacted(verify, &document);
    }
    return document.has_bytes ? bt_verify_document(verify, key, document.bytes, document.size)
                              : BT_OK; /* an entry that claims them is found below */
}

static bool take_digest(void *context, bt_str digest)
{
    struct documents *documents = context;
    documents->status = check_document(documents->verify, digest);
    return documents->status == BT_OK;
}

static enum bt_status say_absent(struct bt_verify *verify)
{
    struct bt_absent *absent = verify->absent;
    if (!has_found(absent)) {
        bt_store_close(absent->reader.store);
        absent->reader = verify->reader;
        (void)search(absent);
        BT_TRY(absent->status);
    }
    for (size_t at = 0; at < absent->digests.len; at += BT_HASH_BYTES) {
        BT_TRY(say_vanished(verify, (bt_str){absent->digests.ptr + at, BT_HASH_BYTES}));
    }
    return BT_OK;
}

enum bt_status bt_verify_documents(struct bt_verify *verify)
{
    assert(verify);
    struct documents documents = {verify, BT_OK};
    BT_TRY(bt_store_document_scan(verify->ledger->store, take_digest, &documents, verify->error));
    BT_TRY(documents.status);
    return say_absent(verify);
}
