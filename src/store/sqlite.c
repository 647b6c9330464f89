/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite.c - the embedded back end.
 *
 * WAL with synchronous=FULL: a commit appends to the log and syncs it before it returns, so that an
 * acknowledged transaction survives a power cut; readers never wait for the writer. The write lock
 * is taken at the beginning (BEGIN IMMEDIATE), so that nothing is read that another may change.
 */
#include "store/sqlite.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/plain.h"
#include "store/files.h"
#include "store/statements.h"

enum { WAIT_MS_MAX = 5, COLUMNS_MAX = 16, GATHERED_COLUMNS = 3, CACHE_KIB_DEFAULT = 32768 };

/* "BtLg" in the header of the file, for programs that identify files. */
static const char set_application[] = "PRAGMA application_id = 1115966567";

/* Pages of twice the default size hold some twenty entries: a log is read in half as many calls,
 * and a commit is not slower. */
static const char set_page_size[] = "PRAGMA page_size = 8192";

enum bt_status bt_sqlite_fail(sqlite3 *db, const char *what, struct bt_error *error)
{
    const int code = sqlite3_extended_errcode(db);
    switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
        return bt_error_set(error, BT_EDENIED, "%s: %s", what, sqlite3_errmsg(db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return bt_error_set(error, BT_EIO, "%s: the store is locked by another process", what);
    case SQLITE_NOMEM:
        return bt_error_set(error, BT_ENOMEM, "%s: %s", what, bt_status_text(BT_ENOMEM));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return bt_error_set(error, BT_ECORRUPT, "%s: %s", what, sqlite3_errmsg(db));
    default:
        return bt_error_set(error, BT_EIO, "%s: %s (%d)", what, sqlite3_errmsg(db), code);
    }
}

enum bt_status bt_sqlite_exec(sqlite3 *db, const char *sql, struct bt_error *error)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? BT_OK
               : bt_sqlite_fail(db, "the store", error);
}

/*
 * Scans of many rows get them from inside SQLite, as steps of an aggregate: that takes a quarter
 * less time than returning for each row. Rows come in storage order, and only numbers and
 * bytes are read.
 */
static const char *const gathering_sql[BT_SQL__MAX] = {
    [BT_SQL_ENTRY_TEXTS] = "SELECT gather(seq, leaf, entry) FROM ledger_entry "
                           "WHERE seq >= ?1 AND seq < ?2",
    [BT_SQL_LEAF_SCAN] = "SELECT gather(seq, leaf, NULL) FROM ledger_entry "
                         "WHERE seq >= ?1 AND seq < ?2",
    [BT_SQL_HASH_SCAN] = "SELECT gather(n, hash, NULL) FROM ledger_hash "
                         "WHERE level = ?1 AND n >= ?2 AND n < ?3",
};

/* NULL: the rows of this statement come one by one. */
static const char *find_gathering_sql(size_t number)
{
    return number < BT_SQL__MAX ? gathering_sql[number] : NULL;
}

/* Values are put where they belong: copying a cell would take longer than all the rest. False:
 * SQLite has no memory. */
static bool read_bytes(sqlite3_value *value, struct bt_store_cell *out)
{
    const char *bytes = sqlite3_value_blob(value);
    out->type = BT_STORE_CELL_BYTES;
    out->text.ptr = bytes ? bytes : "";
    out->text.len = (size_t)sqlite3_value_bytes(value);
    return bytes || out->text.len == 0;
}

static void gather_row(sqlite3_context *call, int count, sqlite3_value **values)
{
    struct bt_sqlite *sqlite = sqlite3_user_data(call);
    const struct bt_store_query *query = sqlite->gathering;
    struct bt_store_cell cells[GATHERED_COLUMNS];
    assert(count == GATHERED_COLUMNS);
    (void)count;
    if (!query || sqlite->is_enough) {
        return;
    }
    cells[0].type = BT_STORE_CELL_NUMBER;
    cells[0].number = sqlite3_value_int64(values[0]);
    if (!read_bytes(values[1], &cells[1]) || !read_bytes(values[2], &cells[2])) {
        sqlite3_result_error_nomem(call);
        return;
    }
    sqlite->is_enough = !query->row(query->context, cells);
}

static void end_gathering(sqlite3_context *call)
{
    sqlite3_result_null(call);
}

/* Create the file for its owner only, and make its name durable. */
static enum bt_status make_file(const struct bt_store_location *place, struct bt_error *error)
{
    const int fd = open(place->path.ptr, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return bt_error_errno(error, "cannot make", place->path.ptr);
    }
    (void)close(fd);
    return bt_store_sync_dir(place->folder.ptr, error);
}

/* Check that the file exists: a mistyped path must not look like an empty history. */
static enum bt_status find_file(const struct bt_store_location *place, struct bt_error *error)
{
    struct stat info;
    if (lstat(place->path.ptr, &info) != 0) {
        return bt_error_set(error, errno == ENOENT || errno == ENOTDIR ? BT_ENOENT : BT_EIO, "%s",
                            errno == ENOENT ? "the store does not exist" : strerror(errno));
    }
    return S_ISREG(info.st_mode) ? BT_OK
                                 : bt_error_set(error, BT_EINVAL, "it is not a regular file");
}

/*
 * Called while another connection holds the lock, for the `count`-th time. SQLite's own wait grows
 * to a tenth of a second, during which a store that many hooks share is idle; a lock is held for a
 * few milliseconds, so it is tried as often.
 */
static int wait_for_lock(void *context, int count)
{
    struct bt_sqlite *sqlite = context;
    const uint64_t now = bt_clock_monotonic_ms();
    if (count == 0) {
        sqlite->waits_since = now;
    }
    if (now - sqlite->waits_since >= sqlite->deadline_ms || now >= sqlite->limit_ms) {
        return 0;
    }
    (void)sqlite3_sleep(count < WAIT_MS_MAX ? count + 1 : WAIT_MS_MAX);
    return 1;
}

/*
 * Digests and UUIDs are spread over an index: with a cache that holds its leaves, and a log that is
 * written back once for many changes of a page, each costs one write and not three. But a growing
 * log costs more to sync than one that is reused, so it ends at 16 MiB.
 */
static enum bt_status set_cache_size(const struct bt_sqlite *sqlite, uint64_t cache_kib,
                                     struct bt_error *error)
{
    char sql[64];
    (void)snprintf(sql, sizeof(sql), "PRAGMA cache_size = -%" PRIu64,
                   cache_kib > 0 ? cache_kib : CACHE_KIB_DEFAULT);
    return bt_sqlite_exec(sqlite->db, sql, error);
}

static enum bt_status configure_connection(struct bt_sqlite *sqlite,
                                           const struct bt_store_options *options,
                                           struct bt_error *error)
{
    (void)sqlite3_extended_result_codes(sqlite->db, 1);
    (void)sqlite3_busy_handler(sqlite->db, wait_for_lock, sqlite);
    if (sqlite3_create_function_v2(sqlite->db, "gather", GATHERED_COLUMNS,
                                   SQLITE_UTF8 | SQLITE_DIRECTONLY, sqlite, NULL, gather_row,
                                   end_gathering, NULL) != SQLITE_OK) {
        return bt_sqlite_fail(sqlite->db, "the store", error);
    }
    if (options->create) {
        BT_TRY(bt_sqlite_exec(sqlite->db, set_page_size, error));
        BT_TRY(bt_sqlite_exec(sqlite->db, set_application, error));
        BT_TRY(bt_sqlite_exec(sqlite->db, "PRAGMA journal_mode = WAL", error));
    }
    BT_TRY(set_cache_size(sqlite, options->cache_kib, error));
    return bt_sqlite_exec(sqlite->db,
                          "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                          "PRAGMA wal_autocheckpoint = 2000;"
                          "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;"
                          "PRAGMA cell_size_check = ON",
                          error);
}

static void close_connection(void *connection)
{
    struct bt_sqlite *sqlite = connection;
    for (size_t i = 0; i < bt_store_statements_count(); i++) {
        (void)sqlite3_finalize(sqlite->statements[i]);
    }
    for (size_t i = 0; i < BT_SQLITE_TRANSACTION_STEP__MAX; i++) {
        (void)sqlite3_finalize(sqlite->turns[i]);
    }
    (void)sqlite3_close(sqlite->db);
    bt_sqlite_vfs_end(sqlite->log);
}

static enum bt_status open_connection(struct bt_arena *arena, const struct bt_store_location *place,
                                      const struct bt_store_options *options, void **out_connection,
                                      struct bt_error *error)
{
    struct bt_sqlite *sqlite = BT_NEW(arena, struct bt_sqlite);
    sqlite3_stmt **statements = BT_NEW_ARRAY(arena, sqlite3_stmt *, bt_store_statements_count());
    if (!sqlite || !statements) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    sqlite->statements = statements;
    sqlite->deadline_ms = options->deadline_ms ? options->deadline_ms : BT_STORE_DEADLINE_MS;
    sqlite->deadline_ms = sqlite->deadline_ms < INT_MAX ? sqlite->deadline_ms : INT_MAX;
    sqlite->limit_ms = BT_STORE_NONE;
    if (options->create) {
        BT_TRY(make_file(place, error));
    }
    BT_TRY(find_file(place, error));
    sqlite->log = bt_sqlite_vfs_new(arena);
    if (!sqlite->log) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    /* Without write permission the store can still be read and verified. */
    const int access_mode =
        access(place->path.ptr, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    enum bt_status status = BT_OK;
    if (sqlite3_open_v2(place->path.ptr, &sqlite->db, access_mode | SQLITE_OPEN_NOMUTEX,
                        BT_PLAIN_SQLITE_VFS ? NULL : bt_sqlite_vfs_name(sqlite->log)) !=
        SQLITE_OK) {
        status = sqlite->db ? bt_sqlite_fail(sqlite->db, "cannot open it", error)
                            : bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (status == BT_OK) {
        status = configure_connection(sqlite, options, error);
    }
    if (status != BT_OK) {
        close_connection(sqlite);
        return status;
    }
    *out_connection = sqlite;
    return BT_OK;
}

static enum bt_status prepare_statement(struct bt_sqlite *sqlite, size_t number, sqlite3_stmt **out,
                                        struct bt_error *error)
{
    if (!sqlite->statements[number]) {
        struct bt_buf sql;
        bt_buf_init(&sql, 8192);
        if (find_gathering_sql(number)) {
            bt_buf_put_text(&sql, find_gathering_sql(number));
        } else {
            bt_statement_put(&sql, number);
        }
        const int code = sql.status == BT_OK ? sqlite3_prepare_v3(sqlite->db, sql.ptr, (int)sql.len,
                                                                  SQLITE_PREPARE_PERSISTENT,
                                                                  &sqlite->statements[number], NULL)
                                             : SQLITE_NOMEM;
        bt_buf_free(&sql);
        if (code != SQLITE_OK) {
            return code == SQLITE_NOMEM
                       ? bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM))
                       : bt_sqlite_fail(sqlite->db, "a statement", error);
        }
    }
    *out = sqlite->statements[number];
    return BT_OK;
}

static int bind_cell(sqlite3_stmt *statement, int index, const struct bt_store_cell *cell)
{
    switch (cell->type) {
    case BT_STORE_CELL_NUMBER:
        return sqlite3_bind_int64(statement, index, cell->number);
    case BT_STORE_CELL_BYTES:
        return sqlite3_bind_blob64(statement, index, cell->text.len > 0 ? cell->text.ptr : "",
                                   cell->text.len, SQLITE_STATIC);
    case BT_STORE_CELL_TEXT:
        return sqlite3_bind_text64(statement, index, cell->text.len > 0 ? cell->text.ptr : "",
                                   cell->text.len, SQLITE_STATIC, SQLITE_UTF8);
    case BT_STORE_CELL_NULL:
        break;
    }
    return sqlite3_bind_null(statement, index);
}

static struct bt_store_cell read_column(sqlite3_stmt *statement, int index)
{
    struct bt_store_cell cell = {.type = BT_STORE_CELL_NULL};
    switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
        cell.type = BT_STORE_CELL_NUMBER;
        cell.number = sqlite3_column_int64(statement, index);
        break;
    case SQLITE_TEXT:
        cell.type = BT_STORE_CELL_TEXT;
        cell.text.ptr = (const char *)sqlite3_column_text(statement, index);
        break;
    case SQLITE_BLOB:
        cell.type = BT_STORE_CELL_BYTES;
        cell.text.ptr = sqlite3_column_blob(statement, index);
        break;
    default:
        break;
    }
    if (cell.type == BT_STORE_CELL_TEXT || cell.type == BT_STORE_CELL_BYTES) {
        cell.text.len = (size_t)sqlite3_column_bytes(statement, index);
        cell.text.ptr = cell.text.ptr ? cell.text.ptr : "";
    }
    return cell;
}

/* Step through the rows. Returns the code that ended it, SQLITE_DONE on success. */
static int step_all(sqlite3_stmt *statement, const struct bt_store_query *query)
{
    const int columns = sqlite3_column_count(statement);
    assert(columns <= COLUMNS_MAX);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct bt_store_cell cells[COLUMNS_MAX];
        for (int i = 0; i < columns; i++) {
            cells[i] = read_column(statement, i);
        }
        if (sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM) {
            return SQLITE_NOMEM; /* a cell could not be allocated, and would look empty */
        }
        if (query->row && !query->row(query->context, cells)) {
            return SQLITE_DONE;
        }
    }
    return code;
}

/* Step a statement whose rows gather_row() passes on; the one row of the aggregate is ignored. */
static int step_gathering(struct bt_sqlite *sqlite, sqlite3_stmt *statement,
                          const struct bt_store_query *query)
{
    assert(!sqlite->gathering);
    sqlite->gathering = query;
    sqlite->is_enough = false;
    const int code = sqlite3_step(statement);
    sqlite->gathering = NULL;
    return code == SQLITE_ROW ? SQLITE_DONE : code;
}

static enum bt_status run(void *connection, const struct bt_store_query *query,
                          struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    sqlite3_stmt *statement = NULL;
    BT_TRY(prepare_statement(sqlite, query->statement, &statement, error));
    int code = SQLITE_OK;
    for (size_t i = 0; i < query->count && code == SQLITE_OK; i++) {
        code = bind_cell(statement, (int)i + 1, &query->cells[i]);
    }
    if (code == SQLITE_OK) {
        code = find_gathering_sql(query->statement) ? step_gathering(sqlite, statement, query)
                                                    : step_all(statement, query);
    }
    /* The error must be read before the statement is reset. */
    const enum bt_status status =
        code == SQLITE_DONE ? BT_OK : bt_sqlite_fail(sqlite->db, "the store", error);
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return status;
}

/* Only waiting for a lock has a deadline; a disk that hangs cannot be interrupted. */
static void set_deadline(void *connection, uint64_t until_ms)
{
    struct bt_sqlite *sqlite = connection;
    sqlite->limit_ms = until_ms;
}

/* Begin or end a transaction. On failure the connection has the error. */
static bool take_turn(struct bt_sqlite *sqlite, enum bt_sqlite_transaction_step turn)
{
    static const char *const texts[] = {[BT_SQLITE_READ] = "BEGIN",
                                        [BT_SQLITE_WRITE] = "BEGIN IMMEDIATE",
                                        [BT_SQLITE_COMMIT] = "COMMIT"};
    if (!sqlite->turns[turn] &&
        sqlite3_prepare_v3(sqlite->db, texts[turn], -1, SQLITE_PREPARE_PERSISTENT,
                           &sqlite->turns[turn], NULL) != SQLITE_OK) {
        return false;
    }
    (void)sqlite3_step(sqlite->turns[turn]);
    return sqlite3_reset(sqlite->turns[turn]) == SQLITE_OK;
}

static enum bt_status begin_transaction(void *connection, enum bt_store_transaction_kind how,
                                        struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    return take_turn(sqlite,
                     how == BT_STORE_TRANSACTION_KIND_READ ? BT_SQLITE_READ : BT_SQLITE_WRITE)
               ? BT_OK
               : bt_sqlite_fail(sqlite->db, "the store", error);
}

static void rollback_transaction(void *connection)
{
    const struct bt_sqlite *sqlite = connection;
    if (sqlite3_get_autocommit(sqlite->db) == 0) {
        (void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
    }
}

/*
 * A full disk, a quota or a lock stop a commit before it takes effect. After any other failure of
 * the disk its content is unknown: a failed sync must not be repeated, because it may succeed
 * falsely.
 */
static enum bt_status commit_transaction(void *connection, bool *out_unknown,
                                         struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    *out_unknown = false;
    if (take_turn(sqlite, BT_SQLITE_COMMIT)) {
        return BT_OK;
    }
    *out_unknown = (sqlite3_extended_errcode(sqlite->db) & 0xff) == SQLITE_IOERR;
    const enum bt_status status = bt_sqlite_fail(sqlite->db, "cannot commit", error);
    rollback_transaction(connection);
    return status;
}

/* The first column of the first row, as a number; -1 when there is no row. */
static enum bt_status query_number(sqlite3 *db, const char *sql, int64_t *out,
                                   struct bt_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return bt_sqlite_fail(db, "the store", error);
    }
    const int code = sqlite3_step(statement);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    const bool answered = code == SQLITE_ROW || code == SQLITE_DONE;
    const enum bt_status status = answered ? BT_OK : bt_sqlite_fail(db, "the store", error);
    (void)sqlite3_finalize(statement);
    return status;
}

static enum bt_status probe_content(void *connection, enum bt_store_database_kind *out,
                                    struct bt_error *error)
{
    const struct bt_sqlite *sqlite = connection;
    int64_t ours = 0;
    int64_t all = 0;
    BT_TRY(query_number(sqlite->db,
                        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN "
                        "('meta', 'ledger_entry', 'ledger_checkpoint')",
                        &ours, error));
    BT_TRY(query_number(sqlite->db, "SELECT COUNT(*) FROM sqlite_master", &all, error));
    *out = all == 0 ? BT_STORE_EMPTY : ours == 3 ? BT_STORE_OURS : BT_STORE_FOREIGN;
    return BT_OK;
}

static enum bt_status list_settings(void *connection, bt_setting_fn *each, void *context,
                                    struct bt_error *error)
{
    static const char *const levels[] = {"off", "normal", "full", "extra"};
    const struct bt_sqlite *sqlite = connection;
    sqlite3_stmt *statement = NULL;
    int64_t level = 0;
    if (sqlite3_prepare_v2(sqlite->db, "PRAGMA journal_mode", -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        (void)sqlite3_finalize(statement);
        return bt_sqlite_fail(sqlite->db, "journal_mode", error);
    }
    const bt_str mode = bt_str_of((const char *)sqlite3_column_text(statement, 0));
    const bool go_on =
        each(context, "journal_mode", mode, bt_str_eq(mode, BT_STR("wal")) ? "" : "wal");
    (void)sqlite3_finalize(statement);
    BT_TRY(query_number(sqlite->db, "PRAGMA synchronous", &level, error));
    if (go_on) {
        const bool is_known = level >= 0 && level <= 3;
        (void)each(context, "synchronous", bt_str_of(is_known ? levels[level] : "unknown"),
                   level == 2 || level == 3 ? "" : "full");
    }
    return BT_OK;
}

/* Copy page by page from one snapshot; a copy without a writer needs no WAL. */
static enum bt_status copy_to(sqlite3 *db, const char *path, struct bt_error *error)
{
    sqlite3 *target = NULL;
    enum bt_status status = BT_OK;
    if (sqlite3_open_v2(path, &target, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        status = bt_error_set(error, BT_EIO, "cannot open the copy: %s", sqlite3_errmsg(target));
    }
    if (status == BT_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(target, "main", db, "main");
        const bool copied = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
        const bool finished = backup && sqlite3_backup_finish(backup) == SQLITE_OK;
        if (!copied || !finished) {
            status = bt_error_set(error, BT_EIO, "cannot copy: %s", sqlite3_errmsg(target));
        }
    }
    if (status == BT_OK) {
        status = bt_sqlite_exec(target, "PRAGMA journal_mode = WAL", error);
    }
    if (sqlite3_close(target) != SQLITE_OK && status == BT_OK) {
        status = bt_error_set(error, BT_EIO, "cannot close the copy");
    }
    return status;
}

static enum bt_status backup_database(void *connection, bt_str path, struct bt_error *error)
{
    const struct bt_sqlite *sqlite = connection;
    const int fd = open(path.ptr, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return bt_error_errno(error, "cannot make it", NULL);
    }
    (void)close(fd);
    const enum bt_status status = copy_to(sqlite->db, path.ptr, error);
    if (status != BT_OK) {
        (void)unlink(path.ptr);
    }
    return status;
}

static enum bt_status truncate_wal(void *connection, struct bt_error *error)
{
    const struct bt_sqlite *sqlite = connection;
    const int code =
        sqlite3_wal_checkpoint_v2(sqlite->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return code == SQLITE_OK ? BT_OK : bt_sqlite_fail(sqlite->db, "cannot empty its log", error);
}

const struct bt_store_driver bt_driver_sqlite = {
    .name = BT_STR_INIT("sqlite"),
    .open = open_connection,
    .close = close_connection,
    .probe = probe_content,
    .make_schema = bt_sqlite_make_schema,
    .has_table = bt_sqlite_has_table,
    .make_table = bt_sqlite_make_table,
    .rebuild_table = bt_sqlite_rebuild_table,
    .has_key = bt_sqlite_has_key,
    .guard = bt_sqlite_guard,
    .has_index = bt_sqlite_has_index,
    .index = bt_sqlite_index,
    .limit = set_deadline,
    .begin = begin_transaction,
    .commit = commit_transaction,
    .rollback = rollback_transaction,
    .run = run,
    .settings = list_settings,
    .check = bt_sqlite_check,
    .backup = backup_database,
    .scrub = truncate_wal,
};
