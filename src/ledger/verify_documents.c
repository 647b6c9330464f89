/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_documents.c - the documents of a store: bytes against digests, and deleted bytes.
 *
 * The required documents are those that the entries name; the store's own columns are not used.
 * Both lists are sorted, so one pass over each is enough.
 */
#include "ledger/verify_documents.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A pass over the documents of the store and the required digests. */
struct ledger_verify_documents {
    struct bt_verify *verify;
    const struct bt_merkle_hash *digests; /* of the required documents, sorted ... */
    size_t count;
    size_t next; /* ... and the first that was not reached yet */
    enum bt_status status;
};

static struct bt_location document_location(struct bt_verify *verify, bt_str digest)
{
    struct bt_merkle_hash hash = {{0}};
    char hex[BT_HASH_HEX_BYTES];
    memcpy(hash.bytes, digest.ptr, digest.len < BT_HASH_BYTES ? digest.len : BT_HASH_BYTES);
    bt_merkle_hash_hex(&hash, hex);
    return bt_ledger_location(&verify->work, "/documents/%s", hex);
}

static enum bt_status add_missing_document_finding(struct bt_verify *verify, bt_str digest)
{
    return bt_add_ledger_document_missing(verify->findings, document_location(verify, digest));
}

struct ledger_verify_documents_redaction {
    bt_str digest;
    bool is_one;
};

static bool take_redaction(void *context, const struct bt_store_entry *row)
{
    struct ledger_verify_documents_redaction *redaction = context;
    struct bt_entry entry;
    struct bt_merkle_hash digest;
    redaction->is_one =
        bt_entry_read(row->entry, &entry) && bt_str_eq(entry.kind, BT_STR("redaction")) &&
        bt_merkle_hash_from_hex(entry.document.sha256, &digest) &&
        bt_str_eq(redaction->digest, (bt_str){(const char *)digest.bytes, BT_HASH_BYTES});
    return false;
}

/* Was it deleted on purpose? The redaction entry must exist and name it. */
static enum bt_status check_redacted(struct bt_verify *verify,
                                     const struct bt_store_document *document)
{
    struct ledger_verify_documents_redaction redaction = {document->sha256, false};
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = document->redacted_seq};
    BT_TRY(bt_store_entry_scan(verify->ledger->store, &scan, take_redaction, &redaction,
                               verify->error));
    return redaction.is_one
               ? bt_add_ledger_document_redacted(verify->findings,
                                                 document_location(verify, document->sha256),
                                                 document->redacted_seq)
               : add_missing_document_finding(verify, document->sha256);
}

/* *out_is_there: its bytes are stored, or an entry says why not. */
static enum bt_status check_document(struct bt_verify *verify, bt_str key, bool *out_is_there)
{
    struct bt_store_document document;
    const enum bt_status status =
        bt_store_document_get(verify->ledger->store, &verify->work, key, &document, verify->error);
    *out_is_there = true;
    if (status == BT_ECORRUPT) {
        /* no bytes have this digest: a mismatch */
        return bt_verify_document(verify, key, BT_STR(""), 1);
    }
    BT_TRY(status);
    if (document.redacted_seq != BT_STORE_NONE) {
        return check_redacted(verify, &document);
    }
    *out_is_there = document.has_bytes;
    return document.has_bytes ? bt_verify_document(verify, key, document.bytes, document.size)
                              : BT_OK; /* an entry that claims them is found below */
}

/* Report all required documents before this one as missing. */
static enum bt_status skip_to(struct ledger_verify_documents *documents, const char *digest)
{
    while (documents->next < documents->count) {
        const struct bt_merkle_hash *next = &documents->digests[documents->next];
        if (digest && memcmp(next->bytes, digest, BT_HASH_BYTES) >= 0) {
            return BT_OK;
        }
        BT_TRY(add_missing_document_finding(documents->verify,
                                            (bt_str){(const char *)next->bytes, BT_HASH_BYTES}));
        documents->next++;
    }
    return BT_OK;
}

static enum bt_status check_next(struct ledger_verify_documents *documents, bt_str digest)
{
    bt_str key;
    bool is_there = false;
    struct bt_verify *verify = documents->verify;
    bt_arena_reset(&verify->work);
    BT_TRY(bt_arena_copy(&verify->work, digest, &key));
    if (key.len != BT_HASH_BYTES) {
        return add_missing_document_finding(verify, key);
    }
    BT_TRY(skip_to(documents, key.ptr));
    BT_TRY(check_document(verify, key, &is_there));
    if (is_there && documents->next < documents->count &&
        memcmp(documents->digests[documents->next].bytes, key.ptr, BT_HASH_BYTES) == 0) {
        documents->next++;
    }
    return BT_OK;
}

static bool take_digest(void *context, bt_str digest)
{
    struct ledger_verify_documents *documents = context;
    documents->status = check_next(documents, digest);
    return documents->status == BT_OK;
}

enum bt_status bt_verify_documents(struct bt_verify *verify)
{
    assert(verify);
    struct ledger_verify_documents documents = {.verify = verify, .status = BT_OK};
    documents.count = bt_verify_digests(verify, &documents.digests);
    BT_TRY(bt_store_document_scan(verify->ledger->store, take_digest, &documents, verify->error));
    BT_TRY(documents.status);
    bt_arena_reset(&verify->work);
    return skip_to(&documents, NULL);
}
