/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite.h - what the files of the SQLite back end share.
 */
#ifndef BATON_SRC_STORE_SQLITE_H
#define BATON_SRC_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/driver.h"
#include "store/sqlite_vfs.h"

/* The statements that begin and end a transaction. */
enum bt_sqlite_transaction_step {
    BT_SQLITE_READ,
    BT_SQLITE_WRITE,
    BT_SQLITE_COMMIT,
    BT_SQLITE_TRANSACTION_STEP__MAX
};

struct bt_sqlite {
    struct bt_sqlite_vfs *log; /* through which the database is opened */
    sqlite3 *db;
    sqlite3_stmt **statements;                            /* by number, prepared when first run */
    sqlite3_stmt *turns[BT_SQLITE_TRANSACTION_STEP__MAX]; /* prepared when first run */
    uint64_t deadline_ms;
    uint64_t limit_ms;                      /* an absolute limit for all waits */
    uint64_t waits_since;                   /* when the wait for the lock began */
    const struct bt_store_query *gathering; /* the query whose rows gather_row() passes on ... */
    bool is_enough;                         /* ... until it wants no more */
};

/* Run statements that give no rows. */
BT_MUST_USE enum bt_status bt_sqlite_exec(sqlite3 *db, const char *sql, struct bt_error *error);
/* Fill `error` from the connection and return the status that fits its last failure. */
enum bt_status bt_sqlite_fail(sqlite3 *db, const char *what, struct bt_error *error);
/* Make the tables, indexes and triggers. */
BT_MUST_USE enum bt_status bt_sqlite_guard(void *connection, const struct bt_store_table *table,
                                           struct bt_error *error);
BT_MUST_USE enum bt_status bt_sqlite_make_schema(void *connection, struct bt_error *error);
BT_MUST_USE enum bt_status bt_sqlite_has_table(void *connection, const struct bt_store_table *table,
                                               bool *out_has, struct bt_error *error);
BT_MUST_USE enum bt_status
bt_sqlite_make_table(void *connection, const struct bt_store_table *table, struct bt_error *error);
BT_MUST_USE enum bt_status bt_sqlite_rebuild_table(void *connection,
                                                   const struct bt_store_table *table,
                                                   struct bt_error *error);
/* Check whether a table has a key that makes an index. */
BT_MUST_USE enum bt_status bt_sqlite_has_key(void *connection, const struct bt_store_table *table,
                                             bool *out_has, struct bt_error *error);
/* Check whether an index is as it would be made; make it. */
BT_MUST_USE enum bt_status bt_sqlite_has_index(void *connection, const struct bt_store_table *table,
                                               const struct bt_store_index *index, bool *out_has,
                                               struct bt_error *error);
BT_MUST_USE enum bt_status bt_sqlite_index(void *connection, const struct bt_store_table *table,
                                           const struct bt_store_index *index,
                                           struct bt_error *error);
/* The integrity test, and whether the text of every trigger is unchanged. */
BT_MUST_USE enum bt_status bt_sqlite_check(void *connection, const struct bt_store_checker *checker,
                                           struct bt_error *error);

#endif
