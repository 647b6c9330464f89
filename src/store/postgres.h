/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres.h - what the files of the PostgreSQL back end share.
 */
#ifndef BATON_SRC_STORE_POSTGRES_H
#define BATON_SRC_STORE_POSTGRES_H

#include "store/driver.h"
#include "store/libpq.h"
#include "store/postgres_resolve.h"

/* One of the hosts of a URL; NULL: as libpq does it by itself. */
struct bt_postgres_host {
    const char *name;
    const char *address;
    const char *port;
};

struct bt_postgres {
    struct bt_libpq pq;
    PGconn *db;         /* NULL: lost */
    const char **words; /* of the connection, for connecting again; NULL ends them */
    const char **values;
    size_t host_word; /* where those of a host stand among them, behind all others */
    const struct bt_postgres_host *hosts;
    size_t host_count;
    size_t host;                        /* that answered last */
    struct bt_postgres_addresses found; /* of the name that was looked up last */
    const char *schema;
    bool *prepared;  /* by number, on this connection; then those that nobody waits for */
    int64_t lock;    /* the append lock */
    bool has_origin; /* and it is that of the ledger */
    uint64_t deadline_ms;
    uint64_t patience_ms; /* with one exchange, for which no end is set */
    uint64_t end_ms;      /* of a transaction that writes, with all that belongs to it */
    uint64_t limit_ms;    /* that nothing goes beyond; BT_STORE_NONE: there is none */
    size_t cursors;       /* open ones, each inside the one before */
    bool has_end;         /* end_ms counts, not the patience */
    bool is_open;         /* a transaction is */
    bool is_lenient;
    const struct bt_store_query *lock_queries; /* to be asked when the append lock is taken next */
    size_t lock_query_count;
    bool is_deferring; /* nobody waits for what only adds, in this transaction */
    bool is_piping;    /* libpq is in its pipeline mode ... */
    size_t waiting;    /* ... for so many answers */
    bool is_committed; /* a COMMIT was answered so */
    bool is_warned;    /* the server had a warning, since this was last cleared */
};

/* ---- postgres_connect.c ---------------------------------------------------------------------- */

/* Read the URL and connect. */
BT_MUST_USE enum bt_status bt_postgres_open(struct bt_arena *arena,
                                            const struct bt_store_location *place,
                                            const struct bt_store_options *options,
                                            void **out_connection, struct bt_error *error);
void bt_postgres_close(void *connection);
/* Connect again when the connection was lost, over all hosts, as long as there is time; fail at
 * once when what answers is not to be trusted. */
BT_MUST_USE enum bt_status bt_postgres_reconnect(struct bt_postgres *postgres,
                                                 struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_settings(void *connection, bt_setting_fn *each,
                                                void *context, struct bt_error *error);

/* ---- postgres_talk.c ------------------------------------------------------------------------- */

enum { BT_POSTGRES_CELLS_MAX = 16 };

/* Whether there is no connection any more. */
bool bt_postgres_is_lost(const struct bt_postgres *postgres);
/* Give the connection up; what was open ends without effect, except a commit under way. */
void bt_postgres_disconnect(struct bt_postgres *postgres);
/* When whatever is done now must be over. */
uint64_t bt_postgres_deadline(const struct bt_postgres *postgres);
/* Let all that is done from now on be over when the first of it must be, unless it is so already:
 * then false. True: the caller ends it, by clearing has_end. */
bool bt_postgres_set_end(struct bt_postgres *postgres);
/* How long it is until then, in milliseconds; at least 1. */
uint64_t bt_postgres_ms_left(uint64_t until_ms);
/* Wait for the socket; false: not before `until_ms`. */
bool bt_postgres_wait(struct bt_postgres *postgres, short events, uint64_t until_ms);

/* Run statements without parameters, without an interest in what they give. */
BT_MUST_USE enum bt_status bt_postgres_exec(struct bt_postgres *postgres, const char *sql,
                                            struct bt_error *error);
/* Run one statement with parameters. */
BT_MUST_USE enum bt_status bt_postgres_query_one(struct bt_postgres *postgres, const char *sql,
                                                 const struct bt_store_cell *cells, size_t count,
                                                 PGresult **out, struct bt_error *error);
/* Run a statement by its number, prepared when it is new on this connection. */
BT_MUST_USE enum bt_status bt_postgres_query_prepared(struct bt_postgres *postgres, const char *sql,
                                                      const struct bt_store_query *query,
                                                      PGresult **out, struct bt_error *error);
/* Prepare a statement that is new on this connection. */
BT_MUST_USE enum bt_status bt_postgres_prepare(struct bt_postgres *postgres, const char *sql,
                                               size_t statement, struct bt_error *error);
/* Send a statement that only adds a row; what it comes to is told by a later call. */
BT_MUST_USE enum bt_status bt_postgres_defer(struct bt_postgres *postgres, const char *sql,
                                             const struct bt_store_query *query,
                                             struct bt_error *error);
/* Commit, with whatever was sent so before it; is_committed tells whether the server did. */
BT_MUST_USE enum bt_status bt_postgres_commit(struct bt_postgres *postgres, struct bt_error *error);
/* Wait for all that was sent so. The first failure counts; the transaction is then of no use. */
BT_MUST_USE enum bt_status bt_postgres_drain(struct bt_postgres *postgres, struct bt_error *error);
/* Send prepared questions behind whatever was sent so, and take all answers. */
BT_MUST_USE enum bt_status bt_postgres_query_many(struct bt_postgres *postgres,
                                                  const struct bt_store_query *queries,
                                                  size_t count, struct bt_error *error);
/* Send statements without parameters, up to a NULL, then prepared questions, in one exchange. */
BT_MUST_USE enum bt_status bt_postgres_exec_and_query(struct bt_postgres *postgres,
                                                      const char *const *statements,
                                                      const struct bt_store_query *queries,
                                                      size_t count, struct bt_error *error);
/* Pass the rows of a result to the query's callback; false when it wants no more. */
bool bt_postgres_each_row(const struct bt_postgres *postgres, const PGresult *result,
                          const struct bt_store_query *query);
/* Whether a row was there already, and nothing was added; and the failure that says so. */
bool bt_postgres_added_none(const struct bt_postgres *postgres, PGresult *result);
enum bt_status bt_postgres_error(struct bt_error *error);
/* A cell of a result, which lives as long as it. */
struct bt_store_cell bt_postgres_cell(const struct bt_postgres *postgres, const PGresult *result,
                                      int row, int column);

/* ---- postgres_schema.c ----------------------------------------------------------------------- */

BT_MUST_USE enum bt_status bt_postgres_make_schema(void *connection, struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_guard(void *connection, const struct bt_store_table *table,
                                             struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_has_table(void *connection,
                                                 const struct bt_store_table *table, bool *out_has,
                                                 struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_make_table(void *connection,
                                                  const struct bt_store_table *table,
                                                  struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_has_index(void *connection,
                                                 const struct bt_store_table *table,
                                                 const char *column, bool *out_has,
                                                 struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_index(void *connection, const struct bt_store_table *table,
                                             const char *column, struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_probe(void *connection, enum bt_store_database_kind *out,
                                             struct bt_error *error);
BT_MUST_USE enum bt_status
bt_postgres_check(void *connection, const struct bt_store_checker *checker, struct bt_error *error);

#endif
