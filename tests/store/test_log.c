/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_log.c - what is gathered for the write-ahead log reaches it in time, under the write lock,
 * and in one piece or not at all.
 *
 * A spy is the default VFS meanwhile: it sees what is written to the log, whether the write lock is
 * held, and can fail one of the writes.
 */
#include "test.h"

#include <sqlite3.h>

#include "base/arena.h"
#include "store/sqlite_vfs.h"

/* ---- The spy --------------------------------------------------------------------------------- */

/* Tests alone may have such state. */
static struct spy {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    sqlite3_io_methods database;
    sqlite3_io_methods wal;
    const sqlite3_io_methods *plain;
    bool is_locked; /* for writing */
    uint64_t writes;
    uint64_t bytes;
    uint64_t unlocked; /* writes without the lock */
    int countdown;     /* writes until one fails; negative: none does */
    int code;
    bool struck;
} spy;

static int spy_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    spy.writes++;
    spy.bytes += (uint64_t)size;
    spy.unlocked += !spy.is_locked;
    if (spy.countdown >= 0 && spy.countdown-- == 0) {
        spy.struck = true;
        return spy.code;
    }
    return spy.plain->xWrite(file, bytes, size, at);
}

static int spy_lock(sqlite3_file *file, int first, int count, int flags)
{
    const int code = spy.plain->xShmLock(file, first, count, flags);
    if (code == SQLITE_OK && first == 0) {
        spy.is_locked = (flags & SQLITE_SHM_LOCK) != 0;
    }
    return code;
}

static int spy_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    const int code = spy.below->xOpen(spy.below, name, file, flags, out);
    if (code != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
        return code;
    }
    sqlite3_io_methods *methods = flags & SQLITE_OPEN_WAL ? &spy.wal : &spy.database;
    spy.plain = file->pMethods;
    *methods = *file->pMethods;
    file->pMethods = methods;
    spy.wal.xWrite = spy_write;
    spy.database.xShmLock = spy_lock;
    return SQLITE_OK;
}

static int spy_begin(void **state)
{
    (void)state;
    spy = (struct spy){.below = sqlite3_vfs_find(NULL), .countdown = -1};
    spy.vfs = *spy.below;
    spy.vfs.zName = "spy";
    spy.vfs.pNext = NULL;
    spy.vfs.xOpen = spy_open;
    return sqlite3_vfs_register(&spy.vfs, 1);
}

static int spy_end(void **state)
{
    (void)state;
    return sqlite3_vfs_unregister(&spy.vfs);
}

/* ---- A database ------------------------------------------------------------------------------ */

enum { PAGE_BYTES = 1024, ROWS = 20 };

struct base {
    struct bt_arena arena;
    char folder[128];
    char path[160];
    struct bt_sqlite_vfs *log;
    sqlite3 *db;    /* writes through the log that gathers */
    sqlite3 *plain; /* another connection, without it and without the spy */
};

static void run(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
}

static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int64_t number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return number;
}

static bool is_sound(sqlite3 *db)
{
    return ask(db, "SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") ==
           0;
}

/* With a cache so small that pages reach the log before the commit. */
static void base_open(struct base *base)
{
    *base = (struct base){.db = NULL};
    bt_arena_init(&base->arena, 1 << 20);
    (void)snprintf(base->folder, sizeof(base->folder), "%s/baton-log-XXXXXX", test_place());
    assert_non_null(mkdtemp(base->folder));
    (void)snprintf(base->path, sizeof(base->path), "%s/x.db", base->folder);
    base->log = bt_sqlite_vfs_new(&base->arena);
    assert_non_null(base->log);
    assert_int_equal(sqlite3_open_v2(base->path, &base->db,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                     bt_sqlite_vfs_name(base->log)),
                     SQLITE_OK);
    run(base->db, "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                  "PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5;"
                  "CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    assert_int_equal(sqlite3_open_v2(base->path, &base->plain, SQLITE_OPEN_READWRITE, "unix"),
                     SQLITE_OK);
    spy.writes = 0;
    spy.bytes = 0;
}

static void base_close(struct base *base)
{
    static const char *const names[] = {"", "-wal", "-shm"};
    char path[200];
    assert_int_equal(sqlite3_close(base->db), SQLITE_OK);
    assert_int_equal(sqlite3_close(base->plain), SQLITE_OK);
    bt_sqlite_vfs_end(base->log);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", base->path, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(base->folder), 0);
    bt_arena_free(&base->arena);
}

/* ROWS rows by one statement, which is undone alone when it fails. */
static const char insert[] =
    "INSERT INTO t SELECT NULL, randomblob(900) FROM (WITH RECURSIVE c(i) AS "
    "(SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) SELECT i FROM c)";

/* ---- Claims ---------------------------------------------------------------------------------- */

static void a_transaction_reaches_the_log_in_few_calls(void **state)
{
    (void)state;
    struct base base;
    base_open(&base);
    run(base.db, "PRAGMA cache_size = 1000; BEGIN IMMEDIATE");
    run(base.db, insert);
    run(base.db, "COMMIT");
    const uint64_t frames = spy.bytes / (PAGE_BYTES + 24);
    assert_true(frames >= ROWS);
    assert_true(spy.writes <= 2);
    assert_int_equal(ask(base.plain, "SELECT COUNT(*) FROM t"), ROWS);
    base_close(&base);
}

static void the_log_is_never_written_without_the_write_lock(void **state)
{
    (void)state;
    struct base base;
    base_open(&base);
    for (int i = 0; i < 5; i++) {
        /* With an empty log nothing is read from it, which would have it written in time. */
        run(base.db, "PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE");
        run(base.db, insert);
        run(base.db, "ROLLBACK");
        assert_true(spy.writes > 0); /* not all of it was in memory */
        assert_false(spy.is_locked);
        run(base.plain, "INSERT INTO t VALUES (NULL, randomblob(900))"); /* in the same place */
        assert_int_equal(ask(base.db, "SELECT COUNT(*) FROM t"), 1 + i * (1 + ROWS));
        run(base.db, insert);
        assert_true(is_sound(base.plain));
    }
    assert_int_equal(spy.unlocked, 0);
    base_close(&base);
}

static void a_write_without_the_lock_would_be_noticed(void **state)
{
    (void)state;
    struct base base;
    sqlite3_file *file = NULL;
    sqlite3_int64 end = 0;
    base_open(&base);
    run(base.db, insert);
    assert_int_equal(sqlite3_file_control(base.db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file),
                     SQLITE_OK);
    assert_int_equal(file->pMethods->xFileSize(file, &end), SQLITE_OK);
    assert_int_equal(file->pMethods->xWrite(file, "x", 1, end), SQLITE_OK);
    assert_int_equal(spy.unlocked, 0); /* it is only gathered ... */
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
    assert_int_equal(spy.unlocked, 1); /* ... until then */
    base_close(&base);
}

/* Statements that fail are passed over, as if nobody looked: what then is committed is whole. */
static void a_transaction_that_lacks_a_page_does_not_commit(void **state)
{
    (void)state;
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE};
    enum { STATEMENTS = 8 }; /* more than is gathered at once */
    size_t refused = 0;
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        bool struck = true;
        for (int countdown = 0; struck; countdown++) {
            struct base base;
            int64_t added = 0;
            base_open(&base);
            spy.code = codes[i];
            spy.countdown = countdown;
            spy.struck = false;
            run(base.db, "BEGIN IMMEDIATE");
            for (int j = 0; j < STATEMENTS && sqlite3_get_autocommit(base.db) == 0; j++) {
                const bool fine = sqlite3_exec(base.db, insert, NULL, NULL, NULL) == SQLITE_OK;
                added += fine ? ROWS : 0;
            }
            const bool committed = sqlite3_exec(base.db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
            if (sqlite3_get_autocommit(base.db) == 0) {
                run(base.db, "ROLLBACK");
            }
            struck = spy.struck;
            refused += !committed;
            assert_int_equal(ask(base.plain, "SELECT COUNT(*) FROM t"), committed ? added : 0);
            assert_true(is_sound(base.plain));
            spy.countdown = -1;
            run(base.db, insert); /* the next transaction knows nothing of it */
            assert_int_equal(ask(base.plain, "SELECT COUNT(*) FROM t"),
                             (committed ? added : 0) + ROWS);
            assert_true(is_sound(base.plain));
            base_close(&base);
        }
    }
    assert_true(refused > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_transaction_reaches_the_log_in_few_calls, spy_begin,
                                        spy_end),
        cmocka_unit_test_setup_teardown(the_log_is_never_written_without_the_write_lock, spy_begin,
                                        spy_end),
        cmocka_unit_test_setup_teardown(a_write_without_the_lock_would_be_noticed, spy_begin,
                                        spy_end),
        cmocka_unit_test_setup_teardown(a_transaction_that_lacks_a_page_does_not_commit, spy_begin,
                                        spy_end),
    };
    return RUN_TESTS(tests);
}
