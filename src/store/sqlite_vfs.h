/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_vfs.h - the write-ahead log of a connection, written in long stretches.
 *
 * SQLite writes every page of a transaction by two calls, one for 24 bytes before it. Here adjacent
 * writes to the log are gathered and reach the file by one call. Nothing else is different: files
 * are those of the default VFS, whose methods are called for everything.
 *
 * Why nothing is lost, and nothing is seen too early:
 * - A sync, a read, a cut or a question for the size of the log comes after what was gathered: so
 *   it is written before the sync of its commit (synchronous=FULL), and before the commit is told
 *   to others through the memory that connections share.
 * - It is also written before any lock of that memory changes hands, so that nothing is ever
 *   written without the write lock.
 * - When it cannot be written, whatever asked for that fails, and so does every later write, read
 *   or sync until the write lock is given back: a transaction that lacks a page cannot commit.
 */
#ifndef BATON_SRC_STORE_SQLITE_VFS_H
#define BATON_SRC_STORE_SQLITE_VFS_H

#include <sqlite3.h>

#include <baton/base.h>

struct bt_sqlite_vfs;

/* Make a VFS for one connection, in the arena. NULL: out of memory. */
struct bt_sqlite_vfs *bt_sqlite_vfs_new(struct bt_arena *arena);
/* The name by which the connection is opened. */
const char *bt_sqlite_vfs_name(const struct bt_sqlite_vfs *log);
/* After the connection was closed. NULL is allowed. */
void bt_sqlite_vfs_end(struct bt_sqlite_vfs *log);

#endif
