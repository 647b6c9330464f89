/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres_talk.c - one exchange with the server: send, wait as long as allowed, take the answer.
 *
 * libpq is used without blocking, so that a server that hangs costs the deadline and no more.
 * Values travel in binary form: numbers as eight bytes, the highest first.
 */
#include "store/postgres.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "base/ticks.h"

/* What the server needs to notice its own timeout and say so. */
enum { GRACE_MS = 50, NUMBER_BYTES = 8 };

/* Types of pg_type that our tables are made of. */
enum { TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_INT4 = 23, TYPE_TEXT = 25 };

bool bt_postgres_is_lost(const struct bt_postgres *postgres)
{
    return !postgres->db || postgres->pq.status(postgres->db) != CONNECTION_OK;
}

void bt_postgres_drop(struct bt_postgres *postgres)
{
    if (postgres->db) {
        postgres->pq.finish(postgres->db);
    }
    postgres->db = NULL;
}

bool bt_postgres_wait(struct bt_postgres *postgres, short events, uint64_t until_ms)
{
    const uint64_t now = bt_ticks_ms();
    const uint64_t left = now < until_ms ? until_ms - now : 0;
    struct pollfd socket = {.fd = postgres->pq.socket(postgres->db), .events = events};
    return socket.fd >= 0 && left > 0 &&
           (poll(&socket, 1, left < INT_MAX ? (int)left : INT_MAX) >= 0 || errno == EINTR);
}

/* ---- Failures -------------------------------------------------------------------------------- */

struct meaning {
    const char *state; /* the beginning of an SQLSTATE */
    enum bt_status status;
};

static const struct meaning meanings[] = {
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
        return bt_fail(error, BT_EIO, "the store is locked by another node");
    }
    const struct meaning *meaning = meanings;
    while (strncmp(state, meaning->state, strlen(meaning->state)) != 0) {
        meaning++;
    }
    return bt_fail(error, meaning->status, "the store: %.100s (%s)", text ? text : "no answer",
                   state);
}

static enum bt_status fail_lost(struct bt_postgres *postgres, struct bt_error *error)
{
    bt_postgres_drop(postgres);
    return bt_fail(error, BT_EIO, "the connection to the store was lost, or it did not answer");
}

/* ---- Exchange -------------------------------------------------------------------------------- */

/* Send all that is waiting to be sent; reading meanwhile, lest both sides wait. */
static bool flush(struct bt_postgres *postgres, uint64_t until_ms)
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

/* Take the answer to what was sent: its last result. */
static enum bt_status answer(struct bt_postgres *postgres, bool is_sent, uint64_t wait_ms,
                             PGresult **out, struct bt_error *error)
{
    const uint64_t until = bt_ticks_ms() + wait_ms + GRACE_MS;
    PGresult *last = NULL;
    PGresult *next = NULL;
    bool came = is_sent && flush(postgres, until);
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

enum bt_status bt_postgres_say(struct bt_postgres *postgres, const char *sql, uint64_t wait_ms,
                               PGresult **out, struct bt_error *error)
{
    if (!postgres->db) {
        return fail_lost(postgres, error);
    }
    return answer(postgres, postgres->pq.send_query(postgres->db, sql) == 1, wait_ms, out, error);
}

enum bt_status bt_postgres_exec(struct bt_postgres *postgres, const char *sql,
                                struct bt_error *error)
{
    PGresult *result = NULL;
    BT_TRY(bt_postgres_say(postgres, sql, postgres->patience_ms, &result, error));
    postgres->pq.clear(result);
    return BT_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

struct parameters {
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

static enum bt_status take_cells(const struct bt_cell *cells, size_t count, struct parameters *out,
                                 struct bt_error *error)
{
    assert(count <= BT_POSTGRES_CELLS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct bt_cell *cell = &cells[i];
        const bool is_text = cell->type == BT_CELL_TEXT || cell->type == BT_CELL_BYTES;
        out->formats[i] = 1;
        out->types[i] = cell->type == BT_CELL_NUMBER  ? TYPE_INT8
                        : cell->type == BT_CELL_BYTES ? TYPE_BYTEA
                                                      : TYPE_TEXT;
        if (cell->type == BT_CELL_NUMBER) {
            put_number(cell->number, out->numbers[i]);
            out->values[i] = out->numbers[i];
            out->lengths[i] = NUMBER_BYTES;
        } else if (is_text && cell->text.len > INT_MAX) {
            return bt_fail(error, BT_ELIMIT, "too large for one row");
        } else if (is_text) {
            out->values[i] = cell->text.len > 0 ? cell->text.ptr : "";
            out->lengths[i] = (int)cell->text.len;
        }
    }
    return BT_OK;
}

struct bt_cell bt_postgres_cell(const struct bt_postgres *postgres, const PGresult *result, int row,
                                int column)
{
    struct bt_cell cell = {.type = BT_CELL_NULL};
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
        cell.type = BT_CELL_NUMBER;
        cell.number = (int64_t)number;
    } else {
        cell.type = type == TYPE_BYTEA ? BT_CELL_BYTES : BT_CELL_TEXT;
        cell.text = (bt_str){bytes, size};
    }
    return cell;
}

enum bt_status bt_postgres_ask(struct bt_postgres *postgres, const char *sql,
                               const struct bt_cell *cells, size_t count, PGresult **out,
                               struct bt_error *error)
{
    struct parameters with = {0};
    if (!postgres->db) {
        return fail_lost(postgres, error);
    }
    BT_TRY(take_cells(cells, count, &with, error));
    const int sent = postgres->pq.send_params(postgres->db, sql, (int)count, with.types,
                                              with.values, with.lengths, with.formats, 1);
    return answer(postgres, sent == 1, postgres->patience_ms, out, error);
}

enum bt_status bt_postgres_ask_known(struct bt_postgres *postgres, const char *sql,
                                     const struct bt_query *query, PGresult **out,
                                     struct bt_error *error)
{
    struct parameters with = {0};
    char name[24];
    if (!postgres->db) {
        return fail_lost(postgres, error);
    }
    BT_TRY(take_cells(query->cells, query->count, &with, error));
    (void)snprintf(name, sizeof(name), "b%zu", query->statement);
    if (!postgres->prepared[query->statement]) {
        PGresult *made = NULL;
        const int sent = postgres->pq.send_prepare(postgres->db, name, sql, 0, NULL);
        BT_TRY(answer(postgres, sent == 1, postgres->patience_ms, &made, error));
        postgres->pq.clear(made);
        postgres->prepared[query->statement] = true;
    }
    const int sent = postgres->pq.send_prepared(postgres->db, name, (int)query->count, with.values,
                                                with.lengths, with.formats, 1);
    return answer(postgres, sent == 1, postgres->patience_ms, out, error);
}
