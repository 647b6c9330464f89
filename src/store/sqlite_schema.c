/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_schema.c - the tables in SQLite, and the test that their triggers are unchanged.
 *
 * Tables are STRICT, so that a number cannot become a text. Two triggers protect each append-only
 * table; bt_sqlite_check() compares the text that made them.
 */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "store/sqlite.h"
#include "store/tables.h"

enum { SQL_BYTES_MAX = 4096, CHECK_LINES_MAX = 100 };

static const char *const operations[] = {"UPDATE", "DELETE"};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static const char *const types[] = {[BT_STORE_COLUMN_NUMBER] = "INTEGER",
                                    [BT_STORE_COLUMN_BYTES] = "BLOB",
                                    [BT_STORE_COLUMN_TEXT] = "TEXT"};

/* The text of a trigger, as sqlite_master has it. A document may lose its bytes, once. */
static void put_trigger(struct bt_buf *buf, const struct bt_store_table *table,
                        const char *operation)
{
    bt_buf_printf(buf, "CREATE TRIGGER %s_%s BEFORE %s ON %s", table->name,
                  operation[0] == 'U' ? "update" : "delete", operation, table->name);
    if (table->change == BT_STORE_TABLE_POLICY_REDACTION && operation[0] == 'U') {
        bt_buf_put_text(buf, " WHEN NOT (OLD.bytes IS NOT NULL AND NEW.bytes IS NULL"
                             " AND OLD.redacted_seq IS NULL AND NEW.redacted_seq IS NOT NULL"
                             " AND NEW.sha256 IS OLD.sha256 AND NEW.size IS OLD.size"
                             " AND NEW.encoding IS OLD.encoding)");
    }
    bt_buf_printf(buf, " BEGIN SELECT RAISE(ABORT, '%s is append-only'); END", table->name);
}

/* Run the statements in the buffer, and free it. */
static enum bt_status exec_all(const struct bt_sqlite *sqlite, struct bt_buf *sql,
                               struct bt_error *error)
{
    bt_buf_put_char(sql, '\0');
    const enum bt_status status =
        sql->status == BT_OK ? bt_sqlite_exec(sqlite->db, sql->ptr, error)
                             : bt_error_set(error, sql->status, "%s", bt_status_text(sql->status));
    bt_buf_free(sql);
    return status;
}

static struct bt_store_table_style get_style(const struct bt_store_table *table)
{
    /* The hashes of a span are read together, so they stand side by side. */
    if (table == &bt_tables[BT_TABLE_HASH]) {
        return (struct bt_store_table_style){types, " STRICT, WITHOUT ROWID", false, ""};
    }
    /* The name index replaces the key of documents; see document_index.h. */
    const bool has_no_key = table->change == BT_STORE_TABLE_POLICY_REDACTION;
    return (struct bt_store_table_style){types, " STRICT", has_no_key, " ORDER BY rowid"};
}

static void put_triggers(struct bt_buf *sql, const struct bt_store_table *table)
{
    for (size_t i = 0; i < OPERATIONS && bt_store_table_is_guarded(table); i++) {
        put_trigger(sql, table, operations[i]);
        bt_buf_put_text(sql, ";\n");
    }
}

static void put_table(struct bt_buf *sql, const struct bt_store_table *table)
{
    const struct bt_store_table_style style = get_style(table);
    bt_store_table_put_create(sql, table, &style);
    put_triggers(sql, table);
}

enum bt_status bt_sqlite_make_table(void *connection, const struct bt_store_table *table,
                                    struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    put_table(&sql, table);
    return exec_all(sqlite, &sql, error);
}

enum bt_status bt_sqlite_rebuild_table(void *connection, const struct bt_store_table *table,
                                       struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    const struct bt_store_table_style style = get_style(table);
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_store_table_put_rebuild(&sql, table, &style);
    put_triggers(&sql, table);
    return exec_all(sqlite, &sql, error);
}

enum bt_status bt_sqlite_make_schema(void *connection, struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, (size_t)SQL_BYTES_MAX * BT_TABLE__MAX);
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        put_table(&sql, &bt_tables[i]);
    }
    return exec_all(sqlite, &sql, error);
}

enum bt_status bt_sqlite_guard(void *connection, const struct bt_store_table *table,
                               struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    for (size_t i = 0; i < OPERATIONS; i++) {
        bt_buf_printf(&sql, "DROP TRIGGER IF EXISTS %s_%s;", table->name,
                      operations[i][0] == 'U' ? "update" : "delete");
        put_trigger(&sql, table, operations[i]);
        bt_buf_put_text(&sql, ";\n");
    }
    return exec_all(sqlite, &sql, error);
}

/* Check whether a query about the schema, with one text as parameter, returns a row. */
static enum bt_status is_there(sqlite3 *db, const char *question, bt_str wanted, bool *out_has,
                               struct bt_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, question, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_text(statement, 1, wanted.ptr, (int)wanted.len, SQLITE_STATIC) != SQLITE_OK) {
        (void)sqlite3_finalize(statement);
        return bt_sqlite_fail(db, "looking at its schema", error);
    }
    const int code = sqlite3_step(statement);
    *out_has = code == SQLITE_ROW;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? BT_OK
               : bt_sqlite_fail(db, "looking at its schema", error);
}

/* Check whether a trigger or an index is in the schema as it was made. */
static enum bt_status has_made(sqlite3 *db, bt_str wanted, bool *out_has, struct bt_error *error)
{
    return is_there(db, "SELECT 1 FROM sqlite_master WHERE sql = ?1", wanted, out_has, error);
}

enum bt_status bt_sqlite_has_table(void *connection, const struct bt_store_table *table,
                                   bool *out_has, struct bt_error *error)
{
    const struct bt_sqlite *sqlite = connection;
    return is_there(sqlite->db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1",
                    bt_str_of(table->name), out_has, error);
}

enum bt_status bt_sqlite_has_key(void *connection, const struct bt_store_table *table,
                                 bool *out_has, struct bt_error *error)
{
    const struct bt_sqlite *sqlite = connection;
    return is_there(sqlite->db,
                    "SELECT 1 FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1"
                    " AND sql IS NULL",
                    bt_str_of(table->name), out_has, error);
}

enum bt_status bt_sqlite_has_index(void *connection, const struct bt_store_table *table,
                                   const struct bt_store_index *index, bool *out_has,
                                   struct bt_error *error)
{
    const struct bt_sqlite *sqlite = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_store_table_put_index(&sql, table, index);
    const enum bt_status status =
        sql.status == BT_OK ? has_made(sqlite->db, bt_buf_str(&sql), out_has, error)
                            : bt_error_set(error, sql.status, "%s", bt_status_text(sql.status));
    bt_buf_free(&sql);
    return status;
}

enum bt_status bt_sqlite_index(void *connection, const struct bt_store_table *table,
                               const struct bt_store_index *index, struct bt_error *error)
{
    struct bt_sqlite *sqlite = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_buf_printf(&sql, "DROP INDEX IF EXISTS %s_%s;", table->name, index->name);
    bt_store_table_put_index(&sql, table, index);
    return exec_all(sqlite, &sql, error);
}

/* No key prevents a document from being stored twice; the code that puts one searches first, and
 * this check proves that it did. */
static enum bt_status check_documents(sqlite3 *db, const struct bt_store_checker *checker,
                                      struct bt_error *error)
{
    bool is_double = false;
    BT_TRY(is_there(db,
                    "SELECT 1 FROM document WHERE ?1 <> '' GROUP BY sha256 HAVING COUNT(*) > 1 "
                    "LIMIT 1",
                    BT_STR("any"), &is_double, error));
    if (is_double) {
        checker->damage(checker->context, BT_STR("a document is there twice"));
    }
    return BT_OK;
}

static enum bt_status check_triggers(sqlite3 *db, const struct bt_store_checker *checker,
                                     struct bt_error *error)
{
    struct bt_buf sql;
    enum bt_status status = BT_OK;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    for (size_t i = 0; i < (size_t)BT_TABLE__MAX * OPERATIONS && status == BT_OK; i++) {
        const struct bt_store_table *table = &bt_tables[i / OPERATIONS];
        bool has = true;
        if (bt_store_table_is_guarded(table)) {
            bt_buf_clear(&sql);
            put_trigger(&sql, table, operations[i % OPERATIONS]);
            status = sql.status == BT_OK ? has_made(db, bt_buf_str(&sql), &has, error)
                                         : bt_error_set(error, sql.status, "out of memory");
        }
        if (status == BT_OK && !has) {
            checker->trigger(checker->context, bt_str_of(table->name), operations[i % OPERATIONS]);
        }
    }
    bt_buf_free(&sql);
    return status;
}

enum bt_status bt_sqlite_check(void *connection, const struct bt_store_checker *checker,
                               struct bt_error *error)
{
    assert(checker);
    const struct bt_sqlite *sqlite = connection;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(sqlite->db, "PRAGMA integrity_check(100)", -1, &statement, NULL);
    if (code != SQLITE_OK) {
        return bt_sqlite_fail(sqlite->db, "the integrity test", error);
    }
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        if (line && strcmp(line, "ok") != 0) {
            checker->damage(checker->context, bt_str_of(line));
        }
    }
    (void)sqlite3_finalize(statement);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
        checker->damage(checker->context, bt_str_of(sqlite3_errmsg(sqlite->db)));
    } else if (code != SQLITE_DONE) {
        return bt_sqlite_fail(sqlite->db, "the integrity test", error);
    }
    if (code == SQLITE_DONE) {
        BT_TRY(check_documents(sqlite->db, checker, error));
    }
    return check_triggers(sqlite->db, checker, error);
}
