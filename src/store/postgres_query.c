/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres_query.c - one exchange with the server: send, wait until the deadline, receive the
 * result.
 *
 * libpq is used in non-blocking mode, so that a server that hangs costs the deadline and no more.
 * Several statements may share an exchange, in libpq's pipeline mode: deferred ones, and queries
 * that are sent together. Values are in binary form: numbers as eight bytes, big-endian.
 */
#include "store/postgres.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/statements.h"

enum { NUMBER_BYTES = 8 };

/* The limits of statements whose results are pending, and of those not sent yet. */
enum { WAITING_MAX = 1000, UNSENT_MAX = 8 };

/* The types of pg_type that our tables use. */
enum { TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_INT4 = 23, TYPE_TEXT = 25 };

bool bt_postgres_is_lost(const struct bt_postgres *postgres)
{
    return !postgres->db || postgres->pq.status(postgres->db) != CONNECTION_OK;
}

void bt_postgres_disconnect(struct bt_postgres *postgres)
{
    if (postgres->db) {
        postgres->pq.finish(postgres->db);
    }
    postgres->db = NULL;
    postgres->is_piping = false;
    postgres->waiting = 0;
}

uint64_t bt_postgres_deadline(const struct bt_postgres *postgres)
{
    const uint64_t end = postgres->time.has_end
                             ? postgres->time.end_ms
                             : bt_clock_monotonic_ms() + postgres->time.patience_ms;
    return end < postgres->time.limit_ms ? end : postgres->time.limit_ms;
}

bool bt_postgres_set_end(struct bt_postgres *postgres)
{
    const bool is_new = !postgres->time.has_end;
    postgres->time.end_ms =
        is_new ? bt_clock_monotonic_ms() + postgres->time.patience_ms : postgres->time.end_ms;
    postgres->time.has_end = true;
    return is_new;
}

uint64_t bt_postgres_ms_left(uint64_t until_ms)
{
    const uint64_t now = bt_clock_monotonic_ms();
    return now < until_ms ? until_ms - now : 1;
}

bool bt_postgres_wait(struct bt_postgres *postgres, short events, uint64_t until_ms)
{
    const uint64_t now = bt_clock_monotonic_ms();
    const uint64_t left = now < until_ms ? until_ms - now : 0;
    struct pollfd socket = {.fd = postgres->pq.socket(postgres->db), .events = events};
    return socket.fd >= 0 && left > 0 &&
           (poll(&socket, 1, left < INT_MAX ? (int)left : INT_MAX) >= 0 || errno == EINTR);
}

struct store_postgres_talk_meaning {
    const char *state; /* the beginning of an SQLSTATE */
    enum bt_status status;
};

static const struct store_postgres_talk_meaning meanings[] = {
    {"23", BT_EDENIED},     /* a key or a trigger */
    {"53200", BT_ENOMEM},   /* out of memory */
    {"XX001", BT_ECORRUPT}, /* data_corrupted */
    {"XX002", BT_ECORRUPT}, /* index_corrupted */
    {"", BT_EIO},
};

static enum bt_status fail_result(const struct bt_postgres *postgres, const PGresult *result,
                                  struct bt_error *error)
{
    const char *state = postgres->pq.error_field(result, PG_DIAG_SQLSTATE);
    const char *text = postgres->pq.error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    state = state ? state : "";
    if (strcmp(state, "55P03") == 0) {
        return bt_error_set(error, BT_EIO, "the store is locked by another node");
    }
    const struct store_postgres_talk_meaning *meaning = meanings;
    while (strncmp(state, meaning->state, strlen(meaning->state)) != 0) {
        meaning++;
    }
    return bt_error_set(error, meaning->status, "the store: %.100s (%s)", text ? text : "no answer",
                        state);
}

static enum bt_status fail_lost(struct bt_postgres *postgres, struct bt_error *error)
{
    bt_postgres_disconnect(postgres);
    return bt_error_set(error, BT_EIO,
                        "the connection to the store was lost, or it did not answer");
}

/* Send all pending output; read in the meantime, so that the two sides do not wait for each
 * other. */
static bool flush_output(struct bt_postgres *postgres, uint64_t until_ms)
{
    int left = postgres->pq.flush(postgres->db);
    while (left == 1) {
        if (!bt_postgres_wait(postgres, POLLIN | POLLOUT, until_ms) ||
            postgres->pq.consume_input(postgres->db) != 1) {
            return false;
        }
        left = postgres->pq.flush(postgres->db);
    }
    return left == 0;
}

/* The next result, NULL after the last; false when none came in time. */
static bool next_result(struct bt_postgres *postgres, uint64_t until_ms, PGresult **out)
{
    while (postgres->pq.is_busy(postgres->db) == 1) {
        if (!bt_postgres_wait(postgres, POLLIN, until_ms) ||
            postgres->pq.consume_input(postgres->db) != 1) {
            return false;
        }
    }
    *out = postgres->pq.get_result(postgres->db);
    return true;
}

static bool is_good(const struct bt_postgres *postgres, const PGresult *result)
{
    const ExecStatusType status = postgres->pq.result_status(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* Receive the result of what was sent: its last one. */
static enum bt_status receive_last_result(struct bt_postgres *postgres, bool is_sent,
                                          PGresult **out, struct bt_error *error)
{
    const uint64_t until = bt_postgres_deadline(postgres);
    PGresult *last = NULL;
    PGresult *next = NULL;
    bool came = is_sent && flush_output(postgres, until);
    while (came && (came = next_result(postgres, until, &next)) && next) {
        postgres->pq.clear(last);
        last = next;
    }
    if (!came || !last ||
        (!is_good(postgres, last) && postgres->pq.status(postgres->db) != CONNECTION_OK)) {
        postgres->pq.clear(last);
        return fail_lost(postgres, error);
    }
    if (!is_good(postgres, last)) {
        const enum bt_status status = fail_result(postgres, last, error);
        postgres->pq.clear(last);
        return status;
    }
    *out = last;
    return BT_OK;
}

enum bt_status bt_postgres_exec(struct bt_postgres *postgres, const char *sql,
                                struct bt_error *error)
{
    PGresult *result = NULL;
    BT_TRY(bt_postgres_drain(postgres, error));
    if (!postgres->db) {
        return fail_lost(postgres, error);
    }
    const int sent = postgres->pq.send_query(postgres->db, sql);
    BT_TRY(receive_last_result(postgres, sent == 1, &result, error));
    postgres->pq.clear(result);
    return BT_OK;
}

struct store_postgres_talk_parameters {
    const char *values[BT_POSTGRES_CELLS_MAX];
    int lengths[BT_POSTGRES_CELLS_MAX];
    int formats[BT_POSTGRES_CELLS_MAX];
    Oid types[BT_POSTGRES_CELLS_MAX];
    char numbers[BT_POSTGRES_CELLS_MAX][NUMBER_BYTES];
};

static void put_number(int64_t number, char out[NUMBER_BYTES])
{
    for (size_t i = 0; i < NUMBER_BYTES; i++) {
        out[i] = (char)(uint8_t)((uint64_t)number >> (56 - 8 * i));
    }
}

static enum bt_status take_cells(const struct bt_store_cell *cells, size_t count,
                                 struct store_postgres_talk_parameters *out, struct bt_error *error)
{
    assert(count <= BT_POSTGRES_CELLS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct bt_store_cell *cell = &cells[i];
        const bool is_text = cell->type == BT_STORE_CELL_TEXT || cell->type == BT_STORE_CELL_BYTES;
        out->formats[i] = 1;
        out->types[i] = cell->type == BT_STORE_CELL_NUMBER  ? TYPE_INT8
                        : cell->type == BT_STORE_CELL_BYTES ? TYPE_BYTEA
                                                            : TYPE_TEXT;
        if (cell->type == BT_STORE_CELL_NUMBER) {
            put_number(cell->number, out->numbers[i]);
            out->values[i] = out->numbers[i];
            out->lengths[i] = NUMBER_BYTES;
        } else if (is_text && cell->text.len > INT_MAX) {
            return bt_error_set(error, BT_ELIMIT, "too large for one row");
        } else if (is_text) {
            out->values[i] = cell->text.len > 0 ? cell->text.ptr : "";
            out->lengths[i] = (int)cell->text.len;
        }
    }
    return BT_OK;
}

struct bt_store_cell bt_postgres_cell(const struct bt_postgres *postgres, const PGresult *result,
                                      int row, int column)
{
    struct bt_store_cell cell = {.type = BT_STORE_CELL_NULL};
    if (postgres->pq.is_null(result, row, column) == 1) {
        return cell;
    }
    const char *bytes = postgres->pq.value(result, row, column);
    const size_t size = (size_t)postgres->pq.length(result, row, column);
    const Oid type = postgres->pq.field_type(result, column);
    if (type == TYPE_INT8 || type == TYPE_INT4 || type == TYPE_BOOL) {
        uint64_t number = size > 0 && (uint8_t)bytes[0] >= 0x80 ? UINT64_MAX : 0;
        for (size_t i = 0; i < size; i++) {
            number = number << 8 | (uint8_t)bytes[i];
        }
        cell.type = BT_STORE_CELL_NUMBER;
        cell.number = (int64_t)number;
    } else {
        cell.type = type == TYPE_BYTEA ? BT_STORE_CELL_BYTES : BT_STORE_CELL_TEXT;
        cell.text = (bt_str){bytes, size};
    }
    return cell;
}

enum bt_status bt_postgres_query_one(struct bt_postgres *postgres, const char *sql,
                                     const struct bt_store_cell *cells, size_t count,
                                     PGresult **out, struct bt_error *error)
{
    struct store_postgres_talk_parameters with = {0};
    BT_TRY(bt_postgres_drain(postgres, error));
    if (!postgres->db) {
        return fail_lost(postgres, error);
    }
    BT_TRY(take_cells(cells, count, &with, error));
    const int sent = postgres->pq.send_params(postgres->db, sql, (int)count, with.types,
                                              with.values, with.lengths, with.formats, 1);
    return receive_last_result(postgres, sent == 1, out, error);
}

static void put_name(char name[24], size_t statement)
{
    (void)snprintf(name, 24, "b%zu", statement);
}

enum bt_status bt_postgres_prepare(struct bt_postgres *postgres, const char *sql, size_t statement,
                                   struct bt_error *error)
{
    char name[24];
    PGresult *made = NULL;
    if (postgres->db && postgres->prepared[statement]) {
        return BT_OK;
    }
    BT_TRY(bt_postgres_drain(postgres, error));
    if (!postgres->db) {
        return fail_lost(postgres, error);
    }
    put_name(name, statement);
    const int sent = postgres->pq.send_prepare(postgres->db, name, sql, 0, NULL);
    BT_TRY(receive_last_result(postgres, sent == 1, &made, error));
    postgres->pq.clear(made);
    postgres->prepared[statement] = true;
    return BT_OK;
}

static enum bt_status send_known(struct bt_postgres *postgres, size_t statement,
                                 const struct bt_store_query *query, bool *out_sent,
                                 struct bt_error *error)
{
    struct store_postgres_talk_parameters with = {0};
    char name[24];
    put_name(name, statement);
    BT_TRY(take_cells(query->cells, query->count, &with, error));
    *out_sent = postgres->pq.send_prepared(postgres->db, name, (int)query->count, with.values,
                                           with.lengths, with.formats, 1) == 1;
    return BT_OK;
}

enum bt_status bt_postgres_query_prepared(struct bt_postgres *postgres, const char *sql,
                                          const struct bt_store_query *query, PGresult **out,
                                          struct bt_error *error)
{
    bool is_sent = false;
    BT_TRY(bt_postgres_prepare(postgres, sql, query->statement, error));
    BT_TRY(bt_postgres_drain(postgres, error));
    BT_TRY(send_known(postgres, query->statement, query, &is_sent, error));
    return receive_last_result(postgres, is_sent, out, error);
}

bool bt_postgres_each_row(const struct bt_postgres *postgres, const PGresult *result,
                          const struct bt_store_query *query)
{
    struct bt_store_cell cells[BT_POSTGRES_CELLS_MAX];
    const int columns = postgres->pq.field_count(result);
    assert(columns <= BT_POSTGRES_CELLS_MAX);
    for (int row = 0; row < postgres->pq.row_count(result) && query->row; row++) {
        for (int i = 0; i < columns; i++) {
            cells[i] = bt_postgres_cell(postgres, result, row, i);
        }
        if (!query->row(query->context, cells)) {
            return false;
        }
    }
    return true;
}

enum bt_status bt_postgres_error(struct bt_error *error)
{
    return bt_error_set(error, BT_EDENIED, "the store has this row already");
}

bool bt_postgres_added_none(const struct bt_postgres *postgres, PGresult *result)
{
    return strcmp(postgres->pq.cmd_status(result), "INSERT 0 0") == 0;
}

/* Handle one result of many; `query` is NULL for a statement without rows. */
static enum bt_status handle_result(struct bt_postgres *postgres, PGresult *result,
                                    const struct bt_store_query *query, struct bt_error *error)
{
    if (postgres->pq.result_status(result) == PGRES_PIPELINE_ABORTED) {
        return BT_OK; /* an earlier one has failed, and has the reason */
    }
    if (!is_good(postgres, result)) {
        return fail_result(postgres, result, error);
    }
    if (query) {
        (void)bt_postgres_each_row(postgres, result, query);
    } else if (strcmp(postgres->pq.cmd_status(result), "COMMIT") == 0) {
        postgres->is_committed = true;
    }
    return BT_OK;
}

/* Receive all pending results; the first failure counts. */
static enum bt_status receive_results(struct bt_postgres *postgres,
                                      const struct bt_store_query *queries, size_t count,
                                      struct bt_error *error)
{
    const size_t first = postgres->waiting - count; /* queries are sent last */
    const uint64_t until = bt_postgres_deadline(postgres);
    enum bt_status status = BT_OK;
    bool came = postgres->pq.pipeline_sync(postgres->db) == 1 && flush_output(postgres, until);
    bool is_over = false;
    /* Each result is followed by a NULL, the last one by nothing. */
    for (size_t at = 0; came && !is_over && at <= postgres->waiting;) {
        PGresult *result = NULL;
        came = next_result(postgres, until, &result);
        is_over = result && postgres->pq.result_status(result) == PGRES_PIPELINE_SYNC;
        at += came && !result ? 1 : 0;
        if (result && !is_over && status == BT_OK) {
            status =
                handle_result(postgres, result, at >= first ? &queries[at - first] : NULL, error);
        }
        postgres->pq.clear(result);
    }
    postgres->waiting = 0;
    if (!is_over || postgres->pq.exit_pipeline(postgres->db) != 1) {
        return fail_lost(postgres, error);
    }
    postgres->is_piping = false;
    return status;
}

enum bt_status bt_postgres_drain(struct bt_postgres *postgres, struct bt_error *error)
{
    return postgres->is_piping ? receive_results(postgres, NULL, 0, error) : BT_OK;
}

static enum bt_status start_piping(struct bt_postgres *postgres, struct bt_error *error)
{
    if (!postgres->db || (!postgres->is_piping && postgres->pq.enter_pipeline(postgres->db) != 1)) {
        return fail_lost(postgres, error);
    }
    postgres->is_piping = true;
    return BT_OK;
}

/* Send a statement without waiting for its result. */
static enum bt_status send_pipelined(struct bt_postgres *postgres, size_t statement,
                                     const struct bt_store_query *query, struct bt_error *error)
{
    bool is_sent = false;
    BT_TRY(start_piping(postgres, error));
    BT_TRY(send_known(postgres, statement, query, &is_sent, error));
    postgres->waiting++;
    if (is_sent && postgres->waiting % UNSENT_MAX == 0) {
        is_sent = flush_output(postgres, bt_postgres_deadline(postgres));
    }
    return is_sent ? BT_OK : fail_lost(postgres, error);
}

enum bt_status bt_postgres_defer(struct bt_postgres *postgres, const char *sql,
                                 const struct bt_store_query *query, struct bt_error *error)
{
    /* Its text differs from that of the statement that is not deferred. */
    const size_t statement = bt_store_statements_count() + query->statement;
    BT_TRY(bt_postgres_prepare(postgres, sql, statement, error));
    BT_TRY(send_pipelined(postgres, statement, query, error));
    return postgres->waiting < WAITING_MAX ? BT_OK : bt_postgres_drain(postgres, error);
}

/* Send statements without parameters, up to a NULL. */
static enum bt_status send_all(struct bt_postgres *postgres, const char *const *statements,
                               struct bt_error *error)
{
    BT_TRY(start_piping(postgres, error));
    for (; *statements; statements++) {
        if (postgres->pq.send_params(postgres->db, *statements, 0, NULL, NULL, NULL, NULL, 1) !=
            1) {
            return fail_lost(postgres, error);
        }
        postgres->waiting++;
    }
    return BT_OK;
}

enum bt_status bt_postgres_query_many(struct bt_postgres *postgres,
                                      const struct bt_store_query *queries, size_t count,
                                      struct bt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        BT_TRY(send_pipelined(postgres, queries[i].statement, &queries[i], error));
    }
    return receive_results(postgres, queries, count, error);
}

enum bt_status bt_postgres_exec_and_query(struct bt_postgres *postgres,
                                          const char *const *statements,
                                          const struct bt_store_query *queries, size_t count,
                                          struct bt_error *error)
{
    BT_TRY(bt_postgres_drain(postgres, error));
    BT_TRY(send_all(postgres, statements, error));
    return bt_postgres_query_many(postgres, queries, count, error);
}

enum bt_status bt_postgres_commit(struct bt_postgres *postgres, struct bt_error *error)
{
    static const char *const statements[] = {"SET LOCAL statement_timeout = 0",
                                             "SELECT pg_catalog.pg_current_xact_id()", "COMMIT",
                                             NULL};
    postgres->is_committed = false;
    BT_TRY(send_all(postgres, statements, error));
    return receive_results(postgres, NULL, 0, error);
}
