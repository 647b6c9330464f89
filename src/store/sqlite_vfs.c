/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_vfs.c - a VFS that replaces the methods of two files: the log, where writes are combined,
 * and the database, whose methods lock what connections share.
 *
 * The files themselves are those of the underlying VFS. Its table of methods is copied, some
 * methods are replaced, and the file gets the copy, which also leads back to our state.
 */
#include "store/sqlite_vfs.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"

/* SQLite's own methods write less than 128 KiB in one call. WRITE_LOCK is the number of the write
 * lock, by the format of the shared memory. */
enum { STRETCH_BYTES_MAX = (128 << 10) - 1, WRITE_LOCK = 0 };

/* The methods of a file: ours, and those of the VFS below. */
struct store_sqlite_log_methods {
    sqlite3_io_methods ours; /* first, so that a file leads here */
    const sqlite3_io_methods *below;
    struct bt_sqlite_vfs *log;
};

struct bt_sqlite_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    char name[32];
    struct store_sqlite_log_methods database;
    struct store_sqlite_log_methods wal;
    sqlite3_file *file;     /* the log; NULL: it is not open */
    struct bt_buf gathered; /* the bytes that are not written yet ... */
    sqlite3_int64 at;       /* ... and their offset */
    int failure;            /* the write failed: SQLITE_OK, or why */
};

static const struct store_sqlite_log_methods *methods_of(const sqlite3_file *file)
{
    return (const struct store_sqlite_log_methods *)(const void *)file->pMethods;
}

/* Write the collected bytes. */
static int write_gathered(struct bt_sqlite_vfs *log)
{
    if (log->failure == SQLITE_OK && log->gathered.len > 0) {
        assert(log->file);
        log->failure =
            log->wal.below->xWrite(log->file, log->gathered.ptr, (int)log->gathered.len, log->at);
    }
    bt_buf_clear(&log->gathered);
    return log->failure;
}

static int write_log(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    struct bt_sqlite_vfs *log = methods_of(file)->log;
    const size_t gathered = log->gathered.len;
    if (at != log->at + (sqlite3_int64)gathered || (size_t)size > STRETCH_BYTES_MAX - gathered) {
        const int code = write_gathered(log);
        if (code != SQLITE_OK) {
            return code;
        }
        log->at = at;
    }
    bt_buf_put(&log->gathered, (bt_str){bytes, (size_t)size});
    if (log->gathered.status == BT_OK) {
        return log->failure;
    }
    const int code = write_gathered(log); /* and there is no memory for more */
    return code == SQLITE_OK ? log->wal.below->xWrite(file, bytes, size, at) : code;
}

static int read_log(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    const struct store_sqlite_log_methods *methods = methods_of(file);
    const int code = write_gathered(methods->log);
    return code == SQLITE_OK ? methods->below->xRead(file, bytes, size, at) : code;
}

static int cut_log(sqlite3_file *file, sqlite3_int64 size)
{
    const struct store_sqlite_log_methods *methods = methods_of(file);
    const int code = write_gathered(methods->log);
    return code == SQLITE_OK ? methods->below->xTruncate(file, size) : code;
}

static int sync_log(sqlite3_file *file, int flags)
{
    const struct store_sqlite_log_methods *methods = methods_of(file);
    const int code = write_gathered(methods->log);
    return code == SQLITE_OK ? methods->below->xSync(file, flags) : code;
}

static int measure_log(sqlite3_file *file, sqlite3_int64 *out_size)
{
    const struct store_sqlite_log_methods *methods = methods_of(file);
    const int code = write_gathered(methods->log);
    return code == SQLITE_OK ? methods->below->xFileSize(file, out_size) : code;
}

/* The lock has been released by now, and nothing can be left. */
static int close_log(sqlite3_file *file)
{
    const struct store_sqlite_log_methods *methods = methods_of(file);
    methods->log->file = NULL;
    bt_buf_clear(&methods->log->gathered);
    return methods->below->xClose(file);
}

/* A transaction ends with the write lock. Bytes of one that did not commit may be lost. */
static int lock_shared(sqlite3_file *file, int first, int count, int flags)
{
    const struct store_sqlite_log_methods *methods = methods_of(file);
    (void)write_gathered(methods->log);
    if ((flags & SQLITE_SHM_UNLOCK) && first == WRITE_LOCK) {
        methods->log->failure = SQLITE_OK;
    }
    return methods->below->xShmLock(file, first, count, flags);
}

/* Give a file our copy of its methods, of which the caller replaces some. */
static void take_over(sqlite3_file *file, struct store_sqlite_log_methods *methods)
{
    methods->below = file->pMethods;
    methods->ours = *file->pMethods;
    file->pMethods = &methods->ours;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    struct bt_sqlite_vfs *log = (struct bt_sqlite_vfs *)(void *)vfs;
    const int code = log->below->xOpen(log->below, name, file, flags, out_flags);
    if (code != SQLITE_OK) {
        return code;
    }
    if ((flags & SQLITE_OPEN_MAIN_DB) && !log->database.below && file->pMethods->iVersion >= 2) {
        take_over(file, &log->database);
        log->database.ours.xShmLock = lock_shared;
    } else if ((flags & SQLITE_OPEN_WAL) && !log->file && log->database.below) {
        take_over(file, &log->wal);
        log->wal.ours.xClose = close_log;
        log->wal.ours.xRead = read_log;
        log->wal.ours.xWrite = write_log;
        log->wal.ours.xTruncate = cut_log;
        log->wal.ours.xSync = sync_log;
        log->wal.ours.xFileSize = measure_log;
        log->file = file;
    }
    return SQLITE_OK;
}

struct bt_sqlite_vfs *bt_sqlite_vfs_new(struct bt_arena *arena)
{
    assert(arena);
    struct bt_sqlite_vfs *log = BT_NEW(arena, struct bt_sqlite_vfs);
    sqlite3_vfs *below = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (!log || !below) {
        return NULL;
    }
    (void)snprintf(log->name, sizeof(log->name), "baton-%p", (void *)log);
    log->below = below;
    log->vfs = *below;
    log->vfs.pNext = NULL;
    log->vfs.zName = log->name;
    log->vfs.xOpen = open_file;
    log->database.log = log;
    log->wal.log = log;
    bt_buf_init(&log->gathered, STRETCH_BYTES_MAX);
    return sqlite3_vfs_register(&log->vfs, 0) == SQLITE_OK ? log : NULL;
}

const char *bt_sqlite_vfs_name(const struct bt_sqlite_vfs *log)
{
    assert(log);
    return log->name;
}

void bt_sqlite_vfs_end(struct bt_sqlite_vfs *log)
{
    if (log) {
        (void)sqlite3_vfs_unregister(&log->vfs);
        bt_buf_free(&log->gathered);
    }
}
