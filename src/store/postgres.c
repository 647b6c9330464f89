/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres.c - the back end for several nodes: transactions and statements.
 *
 * An appending transaction holds an advisory lock named by the ledger's origin until it ends, at
 * READ COMMITTED, so that the next statement sees the last commit. In PostgreSQL a statement that
 * fails ends its transaction; statements that a key or a trigger may refuse are therefore written
 * so that a refusal is a result and not an error.
 */
#include "store/postgres.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/statements.h"

enum { SQL_BYTES_MAX = 8192, FETCH_FIRST = 8, FETCH_MAX = 1024, READ_MS = 600000 };

/* The server times out before we do, so that it can report it and the connection stays usable.
 * It gets at least the time of a decision that is nearly late and need not wait for a lock. */
enum { GRACE_MS = 50, GRACE_SHARE = 4, LEFT_MS_MIN = 20 };

/* How a statement has to be run. */
enum store_postgres_shape {
    STORE_POSTGRES_SHAPE_PLAIN = 1,
    /* an existing row is a refusal, and does not end the transaction */
    STORE_POSTGRES_SHAPE_ADD,
    STORE_POSTGRES_SHAPE_GUARDED, /* a trigger may refuse it; the transaction continues without
                                   * it */
    STORE_POSTGRES_SHAPE_SCAN,    /* it may return many rows, which are fetched in parts */
};

static enum store_postgres_shape shape_of(const char *sql)
{
    if (strncmp(sql, "INSERT", 6) == 0) {
        return strstr(sql, " ON CONFLICT") ? STORE_POSTGRES_SHAPE_PLAIN : STORE_POSTGRES_SHAPE_ADD;
    }
    if (strncmp(sql, "UPDATE", 6) == 0) {
        return STORE_POSTGRES_SHAPE_GUARDED;
    }
    return strstr(sql, " ORDER BY ") && !strstr(sql, " LIMIT ") ? STORE_POSTGRES_SHAPE_SCAN
                                                                : STORE_POSTGRES_SHAPE_PLAIN;
}

/* True when a statement inserts a row, or replaces one. */
static bool only_adds(enum store_postgres_shape shape, const char *sql)
{
    return shape == STORE_POSTGRES_SHAPE_ADD || strstr(sql, " DO UPDATE SET ");
}

/* What a statement needs here besides the text that both back ends use. A deferred statement
 * that a key refuses must end the transaction, including the commit. */
static const char *ending_of(size_t number, enum store_postgres_shape shape, bool defers)
{
    return shape == STORE_POSTGRES_SHAPE_ADD && !defers ? " ON CONFLICT DO NOTHING"
           : number == BT_SQL_QUEUE_READY               ? " FOR UPDATE SKIP LOCKED"
           : number == BT_SQL_QUEUE_HOLD                ? " FOR UPDATE"
                                                        : "";
}

/* Ranges of at most some hundred small rows: all of them come in one exchange. */
static bool is_short(size_t number)
{
    return number == BT_SQL_ENTRY_NAMES || number == BT_SQL_LEAF_SCAN || number == BT_SQL_HASH_SCAN;
}

/* The text of a statement with its NUL byte, and how to run it. */
static enum store_postgres_shape put_sql(struct bt_buf *sql, size_t number, bool defers)
{
    bt_statement_put(sql, number);
    bt_buf_put_char(sql, '\0');
    const enum store_postgres_shape shape =
        sql->status == BT_OK && !is_short(number) ? shape_of(sql->ptr) : STORE_POSTGRES_SHAPE_PLAIN;
    sql->len -= sql->status == BT_OK ? 1 : 0;
    bt_buf_put_text(sql, ending_of(number, shape, defers));
    bt_buf_put_char(sql, '\0');
    return shape;
}

static enum bt_status prepare_one(struct bt_postgres *postgres, size_t statement,
                                  struct bt_error *error)
{
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    (void)put_sql(&sql, statement, false);
    const enum bt_status status =
        sql.status == BT_OK ? bt_postgres_prepare(postgres, sql.ptr, statement, error)
                            : bt_error_set(error, sql.status, "%s", bt_status_text(sql.status));
    bt_buf_free(&sql);
    return status;
}

/* The first 8 bytes of a digest, as the signed number that names a lock. */
static enum bt_status lock_number(const char *kind, bt_str name, int64_t *out)
{
    char text[400];
    uint8_t digest[BT_SHA256_BYTES];
    const int size = snprintf(text, sizeof(text), "baton/%s\n%.*s", kind, BT_STR_ARG(name));
    if (size < 0 || (size_t)size >= sizeof(text)) {
        return BT_ELIMIT;
    }
    BT_TRY(bt_sha256((bt_str){text, (size_t)size}, digest));
    uint64_t number = 0;
    for (size_t i = 0; i < 8; i++) {
        number = number << 8 | digest[i];
    }
    *out = (int64_t)number;
    return BT_OK;
}

/* The lock of the ledger, or of its schema while there is no ledger: only one node creates it. */
static enum bt_status find_lock(struct bt_postgres *postgres, int64_t *out, struct bt_error *error)
{
    enum bt_store_database_kind content = BT_STORE_EMPTY;
    PGresult *result = NULL;
    BT_TRY(bt_postgres_probe(postgres, &content, error));
    if (content == BT_STORE_OURS) {
        BT_TRY(bt_postgres_query_one(postgres, "SELECT value FROM meta WHERE name = 'origin'", NULL,
                                     0, &result, error));
    }
    const bool has_origin = result && postgres->pq.row_count(result) == 1;
    const enum bt_status status =
        has_origin ? lock_number("ledger", bt_postgres_cell(postgres, result, 0, 0).text, out)
                   : lock_number("schema", bt_str_of(postgres->schema), out);
    postgres->has_origin = has_origin && status == BT_OK;
    postgres->pq.clear(result);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "cannot name the lock");
}

static void rollback_transaction(void *connection)
{
    struct bt_postgres *postgres = connection;
    struct bt_error ignored;
    postgres->is_open = false;
    postgres->is_deferring = false;
    postgres->time.patience_ms = postgres->time.deadline_ms;
    (void)bt_postgres_set_end(postgres);
    /* The results of statements in flight do not matter any more. */
    const bool is_idle =
        bt_postgres_drain(postgres, &ignored) == BT_OK || !bt_postgres_is_lost(postgres);
    if (!is_idle || bt_postgres_exec(postgres, "ROLLBACK", &ignored) != BT_OK) {
        bt_postgres_disconnect(postgres);
    }
    postgres->time.has_end = false; /* and resume() knows when it was */
}

/* Prepare the queries that are new on this connection. */
static enum bt_status prepare_all(struct bt_postgres *postgres,
                                  const struct bt_store_query *queries, size_t count,
                                  struct bt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!postgres->db || !postgres->prepared[queries[i].statement]) {
            BT_TRY(prepare_one(postgres, queries[i].statement, error));
        }
    }
    return BT_OK;
}

/* How long the server may take for what must be finished in `left` milliseconds. */
static uint64_t share_of_server(uint64_t left)
{
    const uint64_t grace = left / GRACE_SHARE < GRACE_MS ? left / GRACE_SHARE : GRACE_MS;
    return left - grace > LEFT_MS_MIN ? left - grace : LEFT_MS_MIN;
}

/* One exchange takes the lock and runs the queries that are known to be needed next. */
static enum bt_status begin_writing(struct bt_postgres *postgres,
                                    enum bt_store_transaction_kind how, struct bt_error *error)
{
    char lock_timeout[60];
    char statement_timeout[60];
    char lock[80];
    const bool locks = how == BT_STORE_TRANSACTION_KIND_APPEND;
    const size_t count = locks ? postgres->lock_query_count : 0;
    const uint64_t left = share_of_server(bt_postgres_ms_left(bt_postgres_deadline(postgres)));
    (void)snprintf(lock_timeout, sizeof(lock_timeout), "SET LOCAL lock_timeout = %" PRIu64, left);
    (void)snprintf(statement_timeout, sizeof(statement_timeout),
                   "SET LOCAL statement_timeout = %" PRIu64, left + 1);
    (void)snprintf(lock, sizeof(lock), "SELECT pg_catalog.pg_advisory_xact_lock(%" PRId64 ")",
                   postgres->lock);
    const char *const statements[] = {"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                                      lock_timeout, statement_timeout, locks ? lock : NULL, NULL};
    BT_TRY(prepare_all(postgres, postgres->lock_queries, count, error));
    return bt_postgres_exec_and_query(postgres, statements, postgres->lock_queries, count, error);
}

static enum bt_status begin_once(struct bt_postgres *postgres, enum bt_store_transaction_kind how,
                                 struct bt_error *error)
{
    BT_TRY(bt_postgres_reconnect(postgres, error));
    if (how == BT_STORE_TRANSACTION_KIND_READ) {
        return bt_postgres_exec(postgres, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", error);
    }
    if (how == BT_STORE_TRANSACTION_KIND_APPEND && !postgres->has_origin) {
        BT_TRY(find_lock(postgres, &postgres->lock, error));
    }
    return begin_writing(postgres, how, error);
}

/* A connection that was lost while idle is noticed here, and replaced once. */
static enum bt_status begin_soon(struct bt_postgres *postgres, enum bt_store_transaction_kind how,
                                 struct bt_error *error)
{
    const bool was_alive = !bt_postgres_is_lost(postgres);
    assert(!postgres->is_open);
    postgres->time.has_end = true;
    enum bt_status status = begin_once(postgres, how, error);
    if (status != BT_OK && was_alive && bt_postgres_is_lost(postgres) &&
        bt_clock_monotonic_ms() < bt_postgres_deadline(postgres)) {
        status = begin_once(postgres, how, error);
    }
    if (how == BT_STORE_TRANSACTION_KIND_APPEND) {
        postgres->lock_query_count = 0;
    }
    if (status != BT_OK) {
        rollback_transaction(postgres);
        return status;
    }
    postgres->is_open = true;
    if (how == BT_STORE_TRANSACTION_KIND_READ) {
        postgres->time.has_end = false;
        postgres->time.patience_ms = READ_MS;
    }
    return BT_OK;
}

static enum bt_status begin_transaction(void *connection, enum bt_store_transaction_kind how,
                                        struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    postgres->time.end_ms = bt_clock_monotonic_ms() + postgres->time.deadline_ms;
    return begin_soon(postgres, how, error);
}

/* Once we hold the lock, the transaction whose commit was lost must have ended. */
static enum bt_status resume_transaction(void *connection, struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    const uint64_t limit_ms = postgres->time.limit_ms;
    return bt_clock_monotonic_ms() <
                   (postgres->time.end_ms < limit_ms ? postgres->time.end_ms : limit_ms)
               ? begin_soon(postgres, BT_STORE_TRANSACTION_KIND_APPEND, error)
               : bt_error_set(error, BT_EIO, "the deadline is over");
}

/*
 * A server-side timeout would cut short its wait for a standby and still report success, with a
 * warning; so there is none here, we stop waiting instead, and a warning means that the outcome is
 * unknown.
 *
 * A transaction with an id waits for the standby even when it wrote nothing, and so for everything
 * that it saw: what it read is as durable as what it would have written.
 */
static enum bt_status commit_transaction(void *connection, bool *out_unknown,
                                         struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    *out_unknown = false;
    postgres->is_warned = false;
    postgres->is_deferring = false;
    const enum bt_status status = bt_postgres_commit(postgres, error);
    if (status != BT_OK) {
        *out_unknown = bt_postgres_is_lost(postgres);
        rollback_transaction(postgres);
        return status;
    }
    const bool is_done = postgres->is_committed;
    postgres->is_open = false;
    postgres->time.has_end = false;
    *out_unknown = is_done && postgres->is_warned;
    return is_done && !postgres->is_warned ? BT_OK
                                           : bt_error_set(error, BT_EIO, "%s",
                                                          is_done ? "no standby has confirmed it"
                                                                  : "the transaction had failed");
}

/* Outside of a transaction a lost connection is replaced, and the query repeated once. */
static enum bt_status query_with_retry(struct bt_postgres *postgres, const char *sql,
                                       const struct bt_store_query *query, PGresult **out,
                                       struct bt_error *error)
{
    enum bt_status status = bt_postgres_query_prepared(postgres, sql, query, out, error);
    if (status == BT_OK || !bt_postgres_is_lost(postgres)) {
        return status;
    }
    BT_TRY(bt_postgres_reconnect(postgres, error));
    return bt_postgres_query_prepared(postgres, sql, query, out, error);
}

static enum bt_status run_known(struct bt_postgres *postgres, const char *sql,
                                const struct bt_store_query *query, bool is_add,
                                struct bt_error *error)
{
    PGresult *result = NULL;
    enum bt_status status = BT_OK;
    if (postgres->is_open) {
        status = bt_postgres_query_prepared(postgres, sql, query, &result, error);
    } else {
        const bool is_own = bt_postgres_set_end(postgres);
        status = query_with_retry(postgres, sql, query, &result, error);
        postgres->time.has_end = !is_own;
    }
    BT_TRY(status);
    const bool is_refused = is_add && bt_postgres_added_none(postgres, result);
    (void)bt_postgres_each_row(postgres, result, query);
    postgres->pq.clear(result);
    return is_refused ? bt_postgres_error(error) : BT_OK;
}

static enum bt_status run_guarded(struct bt_postgres *postgres, const char *sql,
                                  const struct bt_store_query *query, struct bt_error *error)
{
    struct bt_error ignored;
    BT_TRY(bt_postgres_exec(postgres, "SAVEPOINT guarded", error));
    const enum bt_status status = run_known(postgres, sql, query, false, error);
    const enum bt_status ended = bt_postgres_exec(
        postgres, status == BT_OK ? "RELEASE guarded" : "ROLLBACK TO guarded; RELEASE guarded",
        status == BT_OK ? error : &ignored);
    return status == BT_OK ? ended : status;
}

/* Fetch part after part, each larger: most scans need a few rows, some need all. */
static enum bt_status fetch_all(struct bt_postgres *postgres, const char *cursor,
                                const struct bt_store_query *query, struct bt_error *error)
{
    int fetch_count = FETCH_FIRST;
    bool go_on = true;
    while (go_on) {
        char sql[64];
        PGresult *result = NULL;
        (void)snprintf(sql, sizeof(sql), "FETCH %d FROM %s", fetch_count, cursor);
        BT_TRY(bt_postgres_query_one(postgres, sql, NULL, 0, &result, error));
        go_on = bt_postgres_each_row(postgres, result, query) &&
                postgres->pq.row_count(result) == fetch_count;
        postgres->pq.clear(result);
        fetch_count = fetch_count < FETCH_MAX ? fetch_count * 2 : FETCH_MAX;
    }
    return BT_OK;
}

/* Scans may be nested: each has its own cursor. */
static enum bt_status run_scan(struct bt_postgres *postgres, const char *sql,
                               const struct bt_store_query *query, struct bt_error *error)
{
    char cursor[24];
    char text[64];
    PGresult *result = NULL;
    struct bt_buf declare;
    (void)snprintf(cursor, sizeof(cursor), "scan%zu", postgres->cursors);
    bt_buf_init(&declare, SQL_BYTES_MAX);
    bt_buf_printf(&declare, "DECLARE %s NO SCROLL CURSOR FOR ", cursor);
    bt_buf_put_text(&declare, sql);
    bt_buf_put_char(&declare, '\0');
    enum bt_status status =
        declare.status == BT_OK
            ? bt_postgres_query_one(postgres, declare.ptr, query->cells, query->count, &result,
                                    error)
            : bt_error_set(error, declare.status, "%s", bt_status_text(declare.status));
    bt_buf_free(&declare);
    postgres->pq.clear(result);
    BT_TRY(status);
    postgres->cursors++;
    status = fetch_all(postgres, cursor, query, error);
    postgres->cursors--;
    BT_TRY(status);
    (void)snprintf(text, sizeof(text), "CLOSE %s", cursor);
    return bt_postgres_exec(postgres, text, error);
}

/* Cursors exist in transactions; without one this begins its own. */
static enum bt_status run_scan_within(struct bt_postgres *postgres, const char *sql,
                                      const struct bt_store_query *query, struct bt_error *error)
{
    const bool is_own = !postgres->is_open;
    if (is_own) {
        BT_TRY(begin_transaction(postgres, BT_STORE_TRANSACTION_KIND_READ, error));
    }
    const enum bt_status status = run_scan(postgres, sql, query, error);
    if (is_own) {
        rollback_transaction(postgres);
    }
    return status;
}

static enum bt_status run(void *connection, const struct bt_store_query *query,
                          struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    const enum store_postgres_shape shape = put_sql(&sql, query->statement, postgres->is_deferring);
    enum bt_status status = BT_OK;
    if (sql.status != BT_OK) {
        status = bt_error_set(error, sql.status, "%s", bt_status_text(sql.status));
    } else if (shape == STORE_POSTGRES_SHAPE_SCAN) {
        status = run_scan_within(postgres, sql.ptr, query, error);
    } else if (postgres->is_deferring && only_adds(shape, sql.ptr)) {
        status = bt_postgres_defer(postgres, sql.ptr, query, error);
    } else if (shape == STORE_POSTGRES_SHAPE_GUARDED) {
        status = run_guarded(postgres, sql.ptr, query, error);
    } else {
        status = run_known(postgres, sql.ptr, query, shape == STORE_POSTGRES_SHAPE_ADD, error);
    }
    bt_buf_free(&sql);
    return status;
}

static void set_lock_queries(void *connection, const struct bt_store_query *queries, size_t count)
{
    struct bt_postgres *postgres = connection;
    postgres->lock_queries = queries;
    postgres->lock_query_count = count;
}

static enum bt_status run_queries(void *connection, const struct bt_store_query *queries,
                                  size_t count, struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    BT_TRY(prepare_all(postgres, queries, count, error));
    return bt_postgres_query_many(postgres, queries, count, error);
}

static void set_deadline(void *connection, uint64_t until_ms)
{
    struct bt_postgres *postgres = connection;
    postgres->time.limit_ms = until_ms;
}

/* Outside of a transaction, because now() is constant in it. */
static enum bt_status read_clock(void *connection, int64_t *out_ms, struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    PGresult *result = NULL;
    BT_TRY(bt_postgres_reconnect(postgres, error));
    BT_TRY(bt_postgres_query_one(
        postgres,
        "SELECT CAST(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000 AS pg_catalog.int8)",
        NULL, 0, &result, error));
    *out_ms = bt_postgres_cell(postgres, result, 0, 0).number;
    postgres->pq.clear(result);
    return BT_OK;
}

static void defer_results(void *connection)
{
    struct bt_postgres *postgres = connection;
    postgres->is_deferring = true;
}

/* Old versions of rows are reclaimed by VACUUM, which only the owner of the table may run; the
 * server's autovacuum does it later. */
static enum bt_status vacuum_documents(void *connection, struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    postgres->time.patience_ms = READ_MS;
    const enum bt_status status = bt_postgres_exec(postgres, "VACUUM document", error);
    postgres->time.patience_ms = postgres->time.deadline_ms;
    return status;
}

const struct bt_store_driver bt_driver_postgres = {
    .name = BT_STR_INIT("postgresql"),
    .open = bt_postgres_open,
    .close = bt_postgres_close,
    .probe = bt_postgres_probe,
    .make_schema = bt_postgres_make_schema,
    .guard = bt_postgres_guard,
    .has_table = bt_postgres_has_table,
    .make_table = bt_postgres_make_table,
    .rebuild_table = bt_postgres_rebuild_table,
    .has_index = bt_postgres_has_index,
    .index = bt_postgres_index,
    .limit = set_deadline,
    .clock = read_clock,
    .begin = begin_transaction,
    .resume = resume_transaction,
    .commit = commit_transaction,
    .rollback = rollback_transaction,
    .run = run,
    .set_lock_queries = set_lock_queries,
    .run_queries = run_queries,
    .defer = defer_results,
    .settings = bt_postgres_settings,
    .check = bt_postgres_check,
    .backup = NULL,
    .scrub = vacuum_documents,
};
