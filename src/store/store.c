/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - open and close, transactions, and the rules that hold for every back end.
 */
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>

#include "base/build_options.h"
#include "base/clock.h"
#include "base/str.h"
#include "store/store_internal.h"

enum {
    STORE_BYTES_MAX = 1 << 20,
    BACKUP_BYTES_MAX = 1 << 16,
    CHECKPOINT_BYTES_MAX = 1 << 20,
    SETTLES_MAX = 64,
    EXPECT_BYTES_MAX = 64 << 20,
};

struct bt_store_cell bt_store_cell_null(void)
{
    return (struct bt_store_cell){.type = BT_STORE_CELL_NULL};
}

struct bt_store_cell bt_store_cell_number(uint64_t number)
{
    if (number == BT_STORE_NONE) {
        return bt_store_cell_null();
    }
    assert(number <= INT64_MAX);
    return (struct bt_store_cell){.type = BT_STORE_CELL_NUMBER, .number = (int64_t)number};
}

struct bt_store_cell bt_store_cell_bytes(bt_str bytes)
{
    return bytes.ptr ? (struct bt_store_cell){.type = BT_STORE_CELL_BYTES, .text = bytes}
                     : bt_store_cell_null();
}

struct bt_store_cell bt_store_cell_text(bt_str text)
{
    return text.ptr ? (struct bt_store_cell){.type = BT_STORE_CELL_TEXT, .text = text}
                    : bt_store_cell_null();
}

uint64_t bt_store_cell_u64(const struct bt_store_cell *cell)
{
    return cell->type == BT_STORE_CELL_NUMBER && cell->number >= 0 ? (uint64_t)cell->number
                                                                   : BT_STORE_NONE;
}

static const struct bt_store_driver *driver_of(enum bt_store_backend backend)
{
#if BT_HAS_POSTGRES
    return backend == BT_STORE_SQLITE ? &bt_driver_sqlite : &bt_driver_postgres;
#else
    assert(backend == BT_STORE_SQLITE); /* bt_store_location_of() gives nothing else */
    return &bt_driver_sqlite;
#endif
}

static enum bt_status copy_place(struct bt_arena *arena, const struct bt_store_location *place,
                                 struct bt_store_location *out)
{
    out->backend = place->backend;
    BT_TRY(bt_arena_copy(arena, place->url, &out->url));
    BT_TRY(bt_arena_copy(arena, place->path, &out->path));
    BT_TRY(bt_arena_copy(arena, place->folder, &out->folder));
    return bt_arena_copy(arena, place->base, &out->base);
}

/* Connect to the database, whatever it holds. The store is in its own arena. */
static enum bt_status connect_store(const struct bt_store_location *place,
                                    const struct bt_store_options *options, struct bt_store **out,
                                    struct bt_error *error)
{
    struct bt_arena arena;
    bt_arena_init(&arena, STORE_BYTES_MAX);
    struct bt_store *store = BT_NEW(&arena, struct bt_store);
    enum bt_status status = store ? copy_place(&arena, place, &store->place) : BT_ENOMEM;
    if (status != BT_OK) {
        bt_arena_free(&arena);
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    store->driver = driver_of(place->backend);
    status = store->driver->open(&arena, &store->place, options, &store->connection, error);
    if (status != BT_OK) {
        bt_arena_free(&arena);
        return status;
    }
    store->arena = arena;
    bt_store_transaction_cache_init(&store->documents);
    bt_store_transaction_cache_init(&store->ids);
    bt_store_transaction_cache_init(&store->counts);
    bt_store_queue_changes_init(&store->queue_changes);
    bt_store_document_index_init(&store->document_index, options->cache_kib);
    for (size_t i = 0; i < BT_STORE_INDEXED_TABLE__MAX; i++) {
        bt_store_name_index_tail_init(&store->fresh[i]);
    }
    bt_arena_init(&store->expecting, EXPECT_BYTES_MAX);
    *out = store;
    return BT_OK;
}

static bool note_unsafe(void *context, const char *name, bt_str value, const char *expected)
{
    struct bt_error *error = context;
    if (expected[0] != '\0') {
        (void)bt_error_set(error, BT_EIO, "unsafe: %s is %.*s, not %s", name, BT_STR_ARG(value),
                           expected);
        return false;
    }
    return true;
}

static enum bt_status check_settings(struct bt_store *store, struct bt_error *error)
{
    struct bt_error unsafe = {.status = BT_OK};
    BT_TRY(store->driver->settings(store->connection, note_unsafe, &unsafe, error));
    return unsafe.status == BT_OK ? BT_OK : bt_error_set(error, unsafe.status, "%s", unsafe.text);
}

enum bt_status bt_store_schema(struct bt_store *store, uint64_t *out, struct bt_error *error)
{
    assert(out);
    struct bt_arena arena;
    bt_str version = BT_STR("");
    bt_arena_init(&arena, 4096);
    enum bt_status status = bt_store_meta_get(store, &arena, BT_STR("schema"), &version, error);
    if (status == BT_OK && bt_str_to_u64(version, out) != BT_OK) {
        status = bt_error_set(error, BT_ECORRUPT, "its schema version is not a number");
    } else if (status == BT_ENOENT) {
        status = bt_error_set(error, BT_EINVAL, "it holds no ledger");
    }
    bt_arena_free(&arena);
    return status;
}

static enum bt_status check_version(struct bt_store *store, bool accepts_old,
                                    struct bt_error *error)
{
    uint64_t schema = 0;
    BT_TRY(bt_store_schema(store, &schema, error));
    if (schema > BT_STORE_SCHEMA) {
        return bt_error_set(error, BT_EINVAL,
                            "its schema version is %" PRIu64
                            "; this program knows %d: use a newer one",
                            schema, BT_STORE_SCHEMA);
    }
    return schema == BT_STORE_SCHEMA || accepts_old
               ? BT_OK
               : bt_error_set(error, BT_EINVAL,
                              "its schema version is %" PRIu64 "; run baton store migrate", schema);
}

static enum bt_status check_content(struct bt_store *store, const struct bt_store_options *options,
                                    struct bt_error *error)
{
    enum bt_store_database_kind content = BT_STORE_EMPTY;
    BT_TRY(store->driver->probe(store->connection, &content, error));
    if (content != BT_STORE_OURS) {
        return bt_error_set(error, BT_EINVAL, "%s",
                            content == BT_STORE_EMPTY ? "it holds no ledger"
                                                      : "it is not a store of Baton");
    }
    BT_TRY(check_version(store, options->accepts_old_schema, error));
    return options->is_lenient ? BT_OK : check_settings(store, error);
}

uint64_t bt_store_set_open_deadline(const struct bt_store_options *options)
{
    return options->opening_ms    ? options->opening_ms
           : options->deadline_ms ? options->deadline_ms
                                  : BT_STORE_DEADLINE_MS;
}

uint64_t bt_store_deadline(const struct bt_store_options *options)
{
    return bt_clock_monotonic_ms() + bt_store_set_open_deadline(options);
}

enum bt_status bt_store_open(const struct bt_store_location *place,
                             const struct bt_store_options *options, struct bt_store **out,
                             struct bt_error *error)
{
    assert(place);
    assert(options);
    assert(!options->create);
    struct bt_store *store = NULL;
    const uint64_t until = bt_store_deadline(options);
    BT_TRY(connect_store(place, options, &store, error));
    assert(store);
    bt_store_set_deadline(store, until);
    const enum bt_status status = check_content(store, options, error);
    bt_store_set_deadline(store, BT_STORE_NONE);
    if (status != BT_OK) {
        bt_store_close(store);
        return status;
    }
    *out = store;
    return BT_OK;
}

/* Create a new store, in the one transaction that the caller will commit. */
static enum bt_status make_schema(struct bt_store *store, struct bt_error *error)
{
    enum bt_store_database_kind content = BT_STORE_EMPTY;
    BT_TRY(check_settings(store, error));
    BT_TRY(bt_store_begin(store, error));
    BT_TRY(store->driver->probe(store->connection, &content, error));
    if (content != BT_STORE_EMPTY) {
        return bt_error_set(error, BT_EDENIED, "%s",
                            content == BT_STORE_OURS ? "it holds a ledger already"
                                                     : "it is not a store of Baton");
    }
    BT_TRY(store->driver->make_schema(store->connection, error));
    bt_str version;
    BT_TRY(bt_arena_printf(&store->arena, &version, "%d", BT_STORE_SCHEMA));
    return bt_store_meta_put(store, BT_STR("schema"), version, error);
}

enum bt_status bt_store_create(const struct bt_store_location *place,
                               const struct bt_store_options *options, struct bt_store **out,
                               struct bt_error *error)
{
    assert(place);
    assert(options);
    struct bt_store_options making = *options;
    making.create = true;
    struct bt_store *store = NULL;
    BT_TRY(connect_store(place, &making, &store, error));
    assert(store);
    const enum bt_status status = make_schema(store, error);
    if (status != BT_OK) {
        bt_store_close(store);
        return status;
    }
    *out = store;
    return BT_OK;
}

void bt_store_close(struct bt_store *store)
{
    if (!store) {
        return;
    }
    bt_store_rollback(store);
    store->driver->close(store->connection);
    bt_store_transaction_cache_free(&store->documents);
    bt_store_transaction_cache_free(&store->ids);
    bt_store_transaction_cache_free(&store->counts);
    bt_store_queue_changes_free(&store->queue_changes);
    bt_store_document_index_free(&store->document_index);
    for (size_t i = 0; i < BT_STORE_INDEXED_TABLE__MAX; i++) {
        bt_store_name_index_tail_free(&store->fresh[i]);
    }
    bt_arena_free(&store->expecting);
    bt_store_free_packer(store);
    struct bt_arena arena = store->arena; /* holds the store */
    bt_arena_free(&arena);
}

const struct bt_store_location *bt_store_url(const struct bt_store *store)
{
    assert(store);
    return &store->place;
}

bt_str bt_store_backend(const struct bt_store *store)
{
    assert(store);
    return store->driver->name;
}

enum bt_status bt_store_clock(struct bt_store *store, int64_t *out_ms, struct bt_error *error)
{
    assert(store);
    assert(out_ms);
    return store->driver->clock
               ? store->driver->clock(store->connection, out_ms, error)
               : bt_error_set(error, BT_ENOENT, "the store has no clock of its own");
}

void bt_store_set_deadline(struct bt_store *store, uint64_t until_ms)
{
    assert(store);
    store->driver->limit(store->connection, until_ms);
}

/* Begin a write transaction; `again` after a commit that was lost. */
static enum bt_status begin_write(struct bt_store *store, enum bt_store_transaction_kind how,
                                  bool again, struct bt_error *error)
{
    assert(store);
    assert(!store->writing);
    assert(!store->reading);
    const bool can_resume = store->driver->resume != NULL;
    if (store->is_unknown && !can_resume) {
        return bt_error_set(error, BT_EIO,
                            "an earlier commit failed; start again and look at the store");
    }
    const enum bt_status status = again && can_resume
                                      ? store->driver->resume(store->connection, error)
                                      : store->driver->begin(store->connection, how, error);
    if (status != BT_OK) {
        bt_store_drop_caches(store);
        return status;
    }
    store->writing = true;
    store->is_unknown = false;
    return BT_OK;
}

enum bt_status bt_store_begin(struct bt_store *store, struct bt_error *error)
{
    return begin_write(store, BT_STORE_TRANSACTION_KIND_APPEND, false, error);
}

enum bt_status bt_store_begin_concurrent(struct bt_store *store, struct bt_error *error)
{
    return begin_write(store, BT_STORE_TRANSACTION_KIND_CONCURRENT, false, error);
}

enum bt_status bt_store_begin_retry(struct bt_store *store, struct bt_error *error)
{
    return begin_write(store, BT_STORE_TRANSACTION_KIND_APPEND, true, error);
}

enum bt_status bt_store_begin_read(struct bt_store *store, struct bt_error *error)
{
    assert(store);
    assert(!store->writing);
    assert(!store->reading);
    BT_TRY(store->driver->begin(store->connection, BT_STORE_TRANSACTION_KIND_READ, error));
    store->reading = true;
    return BT_OK;
}

/* Cached facts about added rows are valid only if the rows stay. */
static void end_transaction(struct bt_store *store, bool is_committed)
{
    bt_store_queue_changes_clear(&store->queue_changes);
    bt_store_document_index_end(&store->document_index, is_committed);
    for (size_t i = 0; i < BT_STORE_INDEXED_TABLE__MAX && !is_committed; i++) {
        store->fresh[i].next = BT_STORE_NONE;
    }
}

enum bt_status bt_store_commit(struct bt_store *store, struct bt_error *error)
{
    assert(store);
    assert(store->writing);
    const enum bt_status written = bt_store_queue_write_changes(store, error);
    if (written != BT_OK) {
        bt_store_rollback(store);
        return written;
    }
    store->writing = false;
    bt_store_drop_caches(store);
    const enum bt_status status =
        store->driver->commit(store->connection, &store->is_unknown, error);
    end_transaction(store, status == BT_OK);
    return status;
}

void bt_store_rollback(struct bt_store *store)
{
    assert(store);
    if (store->writing || store->reading) {
        store->driver->rollback(store->connection);
    }
    store->writing = false;
    store->reading = false;
    end_transaction(store, false);
    bt_store_drop_caches(store);
}

void bt_store_defer(struct bt_store *store)
{
    assert(store);
    assert(store->writing);
    if (store->driver->defer) {
        store->driver->defer(store->connection);
    }
}

/* Check whether the checkpoint is there. */
static enum bt_status find_batch(struct bt_store *store, uint64_t size, bt_str batch,
                                 bool *out_is_there, struct bt_error *error)
{
    struct bt_arena arena;
    struct bt_store_checkpoint found = {0};
    bt_arena_init(&arena, CHECKPOINT_BYTES_MAX);
    enum bt_status status = bt_store_checkpoint_get(store, &arena, size, &found, error);
    *out_is_there = status == BT_OK && bt_str_eq(found.batch, batch);
    bt_arena_free(&arena);
    return status == BT_ENOENT ? BT_OK : status;
}

enum bt_status bt_store_resolve_commit(struct bt_store *store, uint64_t size, bt_str batch,
                                       bool *out_is_there, struct bt_error *error)
{
    assert(store);
    assert(store->is_unknown);
    bool is_there = false;
    /* This connection may be lost as well; the deadline ends the loop. */
    for (size_t i = 0; i < SETTLES_MAX && store->is_unknown; i++) {
        BT_TRY(begin_write(store, BT_STORE_TRANSACTION_KIND_APPEND, true, error));
        enum bt_status status = find_batch(store, size, batch, &is_there, error);
        if (status == BT_OK && is_there) {
            status = bt_store_commit(store, error); /* this also confirms what it saw */
        } else {
            bt_store_rollback(store);
        }
        store->is_unknown = status != BT_OK;
    }
    if (store->is_unknown) {
        return BT_EIO;
    }
    *out_is_there = is_there;
    return BT_OK;
}

bool bt_store_is_unknown(const struct bt_store *store)
{
    assert(store);
    return store->is_unknown;
}

enum bt_status bt_store_run(struct bt_store *store, const struct bt_store_query *query,
                            struct bt_error *error)
{
    assert(store);
    return store->driver->run(store->connection, query, error);
}

enum bt_status bt_store_write(struct bt_store *store, const struct bt_store_query *query,
                              struct bt_error *error)
{
    assert(store);
    assert(store->writing);
    return store->driver->run(store->connection, query, error);
}

enum bt_status bt_store_put(struct bt_store *store, size_t statement,
                            const struct bt_store_cell *cells, size_t count, struct bt_error *error)
{
    return bt_store_write(store, &(struct bt_store_query){statement, cells, count, NULL, NULL},
                          error);
}

/* A text of the one row of a result, copied. */
struct store_one_text {
    struct bt_arena *arena;
    bt_str text;
    enum bt_status status; /* BT_ENOENT until a row came */
};

static bool take_text(void *context, const struct bt_store_cell *cells)
{
    struct store_one_text *one = context;
    one->status = bt_arena_copy(one->arena, cells[0].text, &one->text);
    return false;
}

enum bt_status bt_store_meta_get(struct bt_store *store, struct bt_arena *arena, bt_str name,
                                 bt_str *out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct store_one_text one = {.arena = arena, .status = BT_ENOENT};
    const struct bt_store_cell key = bt_store_cell_text(name);
    const struct bt_store_query query = {BT_SQL_META_GET, &key, 1, take_text, &one};
    BT_TRY(bt_store_run(store, &query, error));
    if (one.status != BT_OK) {
        return bt_error_set(error, one.status, "meta has no %.*s", BT_STR_ARG(name));
    }
    *out = one.text;
    return BT_OK;
}

enum bt_status bt_store_meta_put(struct bt_store *store, bt_str name, bt_str value,
                                 struct bt_error *error)
{
    const struct bt_store_cell cells[] = {bt_store_cell_text(name), bt_store_cell_text(value)};
    return bt_store_put(store, BT_SQL_META_PUT, cells, 2, error);
}

static bool take_counts(void *context, const struct bt_store_cell *cells)
{
    struct bt_store_counts *counts = context;
    *counts = (struct bt_store_counts){
        .documents_kept = bt_store_cell_u64(&cells[0]),
        .documents_redacted = bt_store_cell_u64(&cells[1]),
        .document_bytes = bt_store_cell_u64(&cells[2]),
        .seen = bt_store_cell_u64(&cells[3]),
        .agents = bt_store_cell_u64(&cells[4]),
        .approvals = bt_store_cell_u64(&cells[5]),
        .blocked = bt_store_cell_u64(&cells[6]),
        .contexts = bt_store_cell_u64(&cells[7]),
        .threads = bt_store_cell_u64(&cells[8]),
        .queue = bt_store_cell_u64(&cells[9]),
    };
    return false;
}

enum bt_status bt_store_counts(struct bt_store *store, struct bt_store_counts *out,
                               struct bt_error *error)
{
    assert(out);
    const struct bt_store_query query = {BT_SQL_COUNTS, NULL, 0, take_counts, out};
    return bt_store_run(store, &query, error);
}

static bool take_waiting(void *context, const struct bt_store_cell *cells)
{
    struct bt_store_queue_counts *waiting = context;
    *waiting = (struct bt_store_queue_counts){
        bt_store_cell_u64(&cells[0]), bt_store_cell_u64(&cells[1]), bt_store_cell_u64(&cells[2])};
    return false;
}

enum bt_status bt_store_count_queue(struct bt_store *store, uint64_t now_ms,
                                    struct bt_store_queue_counts *out, struct bt_error *error)
{
    assert(out);
    const struct bt_store_cell now = bt_store_cell_number(now_ms);
    const struct bt_store_query query = {BT_SQL_WAITING, &now, 1, take_waiting, out};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_settings(struct bt_store *store, bt_setting_fn *each, void *context,
                                 struct bt_error *error)
{
    assert(store);
    return store->driver->settings(store->connection, each, context, error);
}

enum bt_status bt_store_check(struct bt_store *store, const struct bt_store_checker *checker,
                              struct bt_error *error)
{
    assert(store);
    return store->driver->check(store->connection, checker, error);
}

enum bt_status bt_store_backup(struct bt_store *store, bt_str path, struct bt_error *error)
{
    assert(store);
    if (store->driver->backup) {
        return store->driver->backup(store->connection, path, error);
    }
    struct bt_arena arena;
    struct bt_store_location place;
    bt_arena_init(&arena, BACKUP_BYTES_MAX);
    enum bt_status status = bt_store_get_location(&arena, path, &place, error);
    if (status == BT_OK) {
        status = bt_store_copy(store, &place, error);
    }
    bt_arena_free(&arena);
    return status;
}

enum bt_status bt_store_clear_document_copies(struct bt_store *store, struct bt_error *error)
{
    assert(store);
    assert(!store->writing);
    assert(!store->reading);
    return store->driver->scrub(store->connection, error);
}
