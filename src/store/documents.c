/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.c - document bytes by their digest, compressed with zstd where that saves a tenth.
 *
 * The size is known before anything is decompressed, so no row can grow beyond what was recorded.
 */
#include <assert.h>
#include <string.h>

#include <zstd.h>

#include "store/store_internal.h"

enum {
    PACK_LEVEL = 3,
    PACK_BYTES_MIN = 1024, /* of fewer bytes packing saves too little for its time */
    DOCUMENT_BYTES_MAX = 1 << 30,
};

/* Compress into `buf`; false when it would not save a tenth, or failed. */
static bool compress_bytes(struct bt_store *store, struct bt_buf *buf, bt_str bytes)
{
    const size_t worth = bytes.len - bytes.len / 10;
    const size_t room = bytes.len < PACK_BYTES_MIN ? 0 : ZSTD_compressBound(bytes.len);
    char *out = room > 0 ? bt_buf_reserve(buf, room) : NULL;
    store->packer = store->packer ? store->packer : ZSTD_createCCtx();
    if (!out || !store->packer) {
        return false;
    }
    const size_t size =
        ZSTD_compressCCtx(store->packer, out, room, bytes.ptr, bytes.len, PACK_LEVEL);
    if (ZSTD_isError(size) || size > worth) {
        return false;
    }
    buf->len += size;
    return true;
}

static enum bt_status decompress_bytes(struct bt_store *store, struct bt_arena *arena,
                                       bt_str packed, uint64_t size, bt_str *out)
{
    if (size > DOCUMENT_BYTES_MAX) {
        return BT_ECORRUPT;
    }
    char *bytes = bt_arena_alloc(arena, (size_t)size + BT_STORE_DOCUMENT_ROOM);
    if (!bytes) {
        return BT_ENOMEM;
    }
    store->unpacker = store->unpacker ? store->unpacker : ZSTD_createDCtx();
    if (!store->unpacker) {
        return BT_ENOMEM;
    }
    const size_t unpacked =
        ZSTD_decompressDCtx(store->unpacker, bytes, (size_t)size, packed.ptr, packed.len);
    if (ZSTD_isError(unpacked) || unpacked != size) {
        return BT_ECORRUPT;
    }
    *out = (bt_str){bytes, (size_t)size};
    return BT_OK;
}

static enum bt_status copy_bytes(struct bt_arena *arena, bt_str bytes, bt_str *out)
{
    char *copy = bt_arena_alloc(arena, bytes.len + BT_STORE_DOCUMENT_ROOM);
    if (!copy) {
        return BT_ENOMEM;
    }
    memcpy(copy, bytes.ptr, bytes.len);
    *out = (bt_str){copy, bytes.len};
    return BT_OK;
}

void bt_store_free_packer(struct bt_store *store)
{
    (void)ZSTD_freeCCtx(store->packer); /* NULL is allowed */
    (void)ZSTD_freeDCtx(store->unpacker);
    store->packer = NULL;
    store->unpacker = NULL;
}

static enum bt_status insert_document(struct bt_store *store, bt_str sha256, bt_str bytes,
                                      struct bt_error *error)
{
    struct bt_buf packed;
    bt_buf_init(&packed, DOCUMENT_BYTES_MAX);
    const bool is_packed = compress_bytes(store, &packed, bytes);
    const struct bt_store_cell cells[] = {
        bt_store_cell_bytes(sha256), bt_store_cell_number(bytes.len),
        bt_store_cell_text(is_packed ? BT_STR("zstd") : BT_STR("raw")),
        bt_store_cell_bytes(is_packed       ? bt_buf_str(&packed)
                            : bytes.len > 0 ? bytes
                                            : BT_STR(""))};
    const struct bt_store_query put = {BT_SQL_DOCUMENT_PUT, cells, 4, NULL, NULL};
    const enum bt_status status = bt_store_write(store, &put, error);
    bt_buf_free(&packed);
    return status;
}

/* The state of a document, from the cache or from the store. */
static enum bt_status find_state(struct bt_store *store,
                                 const struct bt_store_transaction_cache_row *known, bt_str sha256,
                                 struct bt_store_document_location *out, struct bt_error *error)
{
    const struct bt_store_cell key = bt_store_cell_bytes(sha256);
    const struct bt_store_query query = {BT_SQL_DOCUMENT_STATE, &key, 1,
                                         bt_store_take_document_state, out};
    if (known) {
        *out = (struct bt_store_document_location){known->exists, known->is_redacted, 0};
        return BT_OK;
    }
    return bt_store_is_remote(store) ? bt_store_run(store, &query, error)
                                     : bt_store_document_index_find_new(store, sha256, out, error);
}

enum bt_status bt_store_document_put(struct bt_store *store, bt_str sha256, bt_str bytes,
                                     bool *out_kept, struct bt_error *error)
{
    assert(out_kept);
    struct bt_store_document_location state = {0};
    struct bt_store_transaction_cache_row *known =
        bt_store_transaction_cache_find(&store->documents, sha256);
    BT_TRY(find_state(store, known, sha256, &state, error));
    if (!state.exists) {
        BT_TRY(insert_document(store, sha256, bytes, error));
    }
    if (!state.exists && !bt_store_is_remote(store)) {
        BT_TRY(bt_store_document_index_add(store, sha256, error));
    }
    if (known) {
        known->exists = true;
    }
    *out_kept = !state.is_redacted;
    return BT_OK;
}

enum bt_status bt_store_document_is_kept(struct bt_store *store, bt_str sha256, bool *out,
                                         struct bt_error *error)
{
    assert(out);
    struct bt_store_document_location state = {0};
    BT_TRY(find_state(store, bt_store_transaction_cache_find(&store->documents, sha256), sha256,
                      &state, error));
    *out = state.exists && !state.is_redacted;
    return BT_OK;
}

/* The key of a document: its digest, or its number in a file. */
struct store_documents_document_key {
    struct bt_store_cell cell;
    bool is_number;
    bool exists; /* false: it certainly does not exist */
};

static enum bt_status find_key(struct bt_store *store, bt_str sha256,
                               struct store_documents_document_key *out, struct bt_error *error)
{
    struct bt_store_document_location location;
    if (bt_store_is_remote(store)) {
        *out = (struct store_documents_document_key){.cell = bt_store_cell_bytes(sha256),
                                                     .exists = true};
        return BT_OK;
    }
    BT_TRY(bt_store_document_index_find(store, sha256, &location, error));
    *out = (struct store_documents_document_key){bt_store_cell_number(location.number), true,
                                                 location.exists};
    return BT_OK;
}

struct store_documents_one_document {
    struct bt_store *store;
    struct bt_arena *arena;
    struct bt_store_document document;
    enum bt_status status; /* BT_ENOENT until a row came */
};

static enum bt_status take_bytes(struct store_documents_one_document *one,
                                 const struct bt_store_cell *cells)
{
    one->document.size = bt_store_cell_u64(&cells[0]);
    one->document.redacted_seq = bt_store_cell_u64(&cells[3]);
    one->document.has_bytes = cells[2].type == BT_STORE_CELL_BYTES;
    if (!one->document.has_bytes) {
        return BT_OK;
    }
    if (bt_str_eq(cells[1].text, BT_STR("zstd"))) {
        return decompress_bytes(one->store, one->arena, cells[2].text, one->document.size,
                                &one->document.bytes);
    }
    return copy_bytes(one->arena, cells[2].text, &one->document.bytes);
}

static bool take_document(void *context, const struct bt_store_cell *cells)
{
    struct store_documents_one_document *one = context;
    one->status = take_bytes(one, cells);
    return false;
}

/* Read a document of a file if it has this number. */
static enum bt_status read_row(struct store_documents_one_document *one, uint64_t number,
                               bt_str sha256, struct bt_error *error)
{
    const struct bt_store_cell cells[] = {bt_store_cell_number(number),
                                          bt_store_cell_bytes(sha256)};
    const struct bt_store_query query = {BT_SQL_DOCUMENT_ROW_GET, cells, 2, take_document, one};
    BT_TRY(bt_store_run(one->store, &query, error));
    if (one->status == BT_OK) {
        /* who reads documents in the order of their entries needs the one after it next */
        one->store->document_index.guess = number + 1;
    }
    return BT_OK;
}

/* Read a document of a file: most are at the probable location, which needs one statement. */
static enum bt_status read_from_file(struct store_documents_one_document *one, bt_str sha256,
                                     struct bt_error *error)
{
    struct bt_store_document_location location;
    BT_TRY(read_row(one, one->store->document_index.guess, sha256, error));
    if (one->status != BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(bt_store_document_index_find(one->store, sha256, &location, error));
    return location.exists ? read_row(one, location.number, sha256, error) : BT_OK;
}

enum bt_status bt_store_document_get(struct bt_store *store, struct bt_arena *arena, bt_str sha256,
                                     struct bt_store_document *out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct store_documents_one_document one = {.store = store, .arena = arena, .status = BT_ENOENT};
    const struct bt_store_cell key = bt_store_cell_bytes(sha256);
    const struct bt_store_query query = {BT_SQL_DOCUMENT_GET, &key, 1, take_document, &one};
    BT_TRY(bt_store_is_remote(store) ? bt_store_run(store, &query, error)
                                     : read_from_file(&one, sha256, error));
    if (one.status != BT_OK) {
        return bt_error_set(error, one.status, "%s",
                            one.status == BT_ENOENT ? "the document does not exist"
                                                    : "the document cannot be unpacked");
    }
    BT_TRY(bt_arena_copy(arena, sha256, &one.document.sha256));
    *out = one.document;
    return BT_OK;
}

/* An item that the redaction makes dead. */
struct store_dying_items {
    struct bt_store *store;
    uint64_t seq;
    enum bt_status status;
    struct bt_error *error;
};

static bool note_death(void *context, const struct bt_queue_item *item)
{
    struct store_dying_items *dying = context;
    struct bt_queue_item dead = *item;
    dead.updated_seq = dying->seq;
    dying->status =
        bt_store_queue_note_change(dying->store, &dead, item->state, BT_QUEUE_DEAD, dying->error);
    return dying->status == BT_OK;
}

enum bt_status bt_store_copies_redact(struct bt_store *store, bt_str sha256, uint64_t seq,
                                      struct bt_error *error)
{
    uint64_t range[2];
    BT_TRY(bt_store_entries_of(store, sha256, range, error));
    const struct bt_store_cell cells[] = {bt_store_cell_number(seq), bt_store_cell_bytes(sha256),
                                          bt_store_cell_number(range[0]),
                                          bt_store_cell_number(range[1])};
    const struct bt_store_query queries[] = {
        {BT_SQL_REDACT_QUEUE, cells, 4, NULL, NULL},
        {BT_SQL_REDACT_MESSAGE, cells, 4, NULL, NULL},
        {BT_SQL_REDACT_ANSWER, cells, 4, NULL, NULL},
        {BT_SQL_REDACT_TASK, cells, 4, NULL, NULL},
    };
    struct store_dying_items dying = {store, seq, BT_OK, error};
    BT_TRY(bt_queue_each_with_document(store, sha256, note_death, &dying, error));
    BT_TRY(dying.status);
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        BT_TRY(bt_store_write(store, &queries[i], error));
    }
    return BT_OK;
}

enum bt_status bt_store_document_redact(struct bt_store *store, bt_str sha256, uint64_t seq,
                                        struct bt_error *error)
{
    struct store_documents_document_key key;
    BT_TRY(find_key(store, sha256, &key, error));
    const struct bt_store_cell cells[] = {bt_store_cell_number(seq), key.cell};
    const struct bt_store_query redact = {
        key.is_number ? BT_SQL_DOCUMENT_ROW_REDACT : BT_SQL_DOCUMENT_REDACT, cells, 2, NULL, NULL};
    bt_store_transaction_cache_clear(&store->documents);
    if (key.exists) {
        BT_TRY(bt_store_write(store, &redact, error));
    }
    return bt_store_copies_redact(store, sha256, seq, error);
}

static bool take_count(void *context, const struct bt_store_cell *cells)
{
    uint64_t *count = context;
    *count = bt_store_cell_u64(&cells[0]);
    return false;
}

enum bt_status bt_store_document_has_copies(struct bt_store *store, bt_str sha256, bool *out,
                                            struct bt_error *error)
{
    assert(out);
    uint64_t range[2];
    uint64_t count = 0;
    BT_TRY(bt_store_entries_of(store, sha256, range, error));
    const struct bt_store_cell cells[] = {bt_store_cell_bytes(sha256),
                                          bt_store_cell_number(range[0]),
                                          bt_store_cell_number(range[1])};
    const struct bt_store_query query = {BT_SQL_DOCUMENT_COPIES, cells, 3, take_count, &count};
    BT_TRY(bt_store_run(store, &query, error));
    *out = count > 0;
    return BT_OK;
}

struct store_documents_digest_scan {
    struct bt_store *store;
    bt_store_digest_fn *each;
    void *context;
};

static bool pass_digest(void *context, const struct bt_store_cell *cells)
{
    const struct store_documents_digest_scan *scan = context;
    return scan->each(scan->context, cells[0].text);
}

/* Most callers that find a digest need its document next. */
static bool pass_number(void *context, const struct bt_store_cell *cells)
{
    const struct store_documents_digest_scan *scan = context;
    scan->store->document_index.guess = bt_store_cell_u64(&cells[1]);
    return scan->each(scan->context, cells[0].text);
}

enum bt_status bt_store_document_scan(struct bt_store *store, bt_store_digest_fn *each,
                                      void *context, struct bt_error *error)
{
    assert(each);
    struct store_documents_digest_scan rows = {store, each, context};
    const struct bt_store_query digests = {BT_SQL_DOCUMENT_SCAN, NULL, 0, pass_digest, &rows};
    const struct bt_store_query numbers = {BT_SQL_DOCUMENT_ROW_SCAN, NULL, 0, pass_number, &rows};
    return bt_store_run(store, bt_store_is_remote(store) ? &digests : &numbers, error);
}
