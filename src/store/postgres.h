/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres.h - what the files of the PostgreSQL back end share.
 */
#ifndef BATON_SRC_STORE_POSTGRES_H
#define BATON_SRC_STORE_POSTGRES_H

#include "store/driver.h"
#include "store/libpq.h"
#include "store/postgres_resolve.h"

/* One of the hosts of a URL; NULL: the default of libpq. */
struct bt_postgres_host {
    const char *name;
    const char *address;
    const char *port;
};

/* Where to connect, also again. */
struct bt_postgres_target {
    const char **words; /* names of parameters; NULL ends them */
    const char **values;
    size_t host_word; /* the position of the host's parameters among them, after all others */
    const struct bt_postgres_host *hosts;
    size_t host_count;
    size_t host;                        /* the last one that answered */
    struct bt_postgres_addresses found; /* of the last name that was looked up */
};

struct bt_postgres_time {
    uint64_t deadline_ms;
    uint64_t patience_ms; /* for one exchange without a deadline of its own */
    uint64_t end_ms;      /* of a write transaction, with everything that belongs to it */
    bool has_end;         /* end_ms counts, not patience_ms */
    uint64_t limit_ms;    /* nothing continues beyond it; BT_STORE_NONE: there is none */
};

struct bt_postgres {
    struct bt_libpq pq;
    PGconn *db; /* NULL: lost */
    struct bt_postgres_target target;
    const char *schema;
    bool *prepared;  /* by number, on this connection; then the deferred variants */
    int64_t lock;    /* the append lock */
    bool has_origin; /* it is the lock of the ledger */
    struct bt_postgres_time time;
    size_t cursors; /* open ones, nested */
    bool is_open;   /* a transaction is open */
    bool is_lenient;
    const struct bt_store_query *lock_queries; /* run when the append lock is taken next */
    size_t lock_query_count;
    bool is_deferring; /* inserts are deferred in this transaction */
    bool is_piping;    /* libpq is in its pipeline mode ... */
    size_t waiting;    /* ... with so many results pending */
    bool is_committed; /* the server confirmed a COMMIT */
    bool is_warned;    /* the server sent a warning since this was last cleared */
};

/* ---- postgres_connect.c ---------------------------------------------------------------------- */

/* Read the URL and connect. */
BT_MUST_USE enum bt_status bt_postgres_open(struct bt_arena *arena,
                                            const struct bt_store_location *place,
                                            const struct bt_store_options *options,
                                            void **out_connection, struct bt_error *error);
void bt_postgres_close(void *connection);
/* Reconnect when the connection was lost, over all hosts, as long as there is time; fail at once
 * when the server cannot be trusted. */
BT_MUST_USE enum bt_status bt_postgres_reconnect(struct bt_postgres *postgres,
                                                 struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_settings(void *connection, bt_setting_fn *each,
                                                void *context, struct bt_error *error);

/* ---- postgres_query.c --------------------------------------------------------------------- */

enum { BT_POSTGRES_CELLS_MAX = 16 };

/* True when there is no connection any more. */
bool bt_postgres_is_lost(const struct bt_postgres *postgres);
/* Close the connection; an open transaction ends without effect, except a commit in progress. */
void bt_postgres_disconnect(struct bt_postgres *postgres);
/* The deadline of the current operation. */
uint64_t bt_postgres_deadline(const struct bt_postgres *postgres);
/* Set one deadline for everything that follows, unless there is one: then false. True: the
 * caller must clear has_end. */
bool bt_postgres_set_end(struct bt_postgres *postgres);
/* The time until then, in milliseconds; at least 1. */
uint64_t bt_postgres_ms_left(uint64_t until_ms);
/* Wait for the socket; false: not before `until_ms`. */
bool bt_postgres_wait(struct bt_postgres *postgres, short events, uint64_t until_ms);

/* Run statements without parameters and ignore their results. */
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
/* Send a statement that only inserts a row; a later call reports its result. */
BT_MUST_USE enum bt_status bt_postgres_defer(struct bt_postgres *postgres, const char *sql,
                                             const struct bt_store_query *query,
                                             struct bt_error *error);
/* Commit, together with everything deferred before it; is_committed: the server confirmed it. */
BT_MUST_USE enum bt_status bt_postgres_commit(struct bt_postgres *postgres, struct bt_error *error);
/* Wait for all deferred statements. The first failure counts; the transaction is then useless. */
BT_MUST_USE enum bt_status bt_postgres_drain(struct bt_postgres *postgres, struct bt_error *error);
/* Send prepared queries after all deferred statements, and receive all results. */
BT_MUST_USE enum bt_status bt_postgres_query_many(struct bt_postgres *postgres,
                                                  const struct bt_store_query *queries,
                                                  size_t count, struct bt_error *error);
/* Send statements without parameters, up to a NULL, then prepared queries, in one exchange. */
BT_MUST_USE enum bt_status bt_postgres_exec_and_query(struct bt_postgres *postgres,
                                                      const char *const *statements,
                                                      const struct bt_store_query *queries,
                                                      size_t count, struct bt_error *error);
/* Pass the rows of a result to the query's callback; false when it wants no more. */
bool bt_postgres_each_row(const struct bt_postgres *postgres, const PGresult *result,
                          const struct bt_store_query *query);
/* True when a row already existed, and nothing was inserted; and the error for that. */
bool bt_postgres_added_none(const struct bt_postgres *postgres, PGresult *result);
enum bt_status bt_postgres_error(struct bt_error *error);
/* A cell of a result, valid as long as the result. */
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
BT_MUST_USE enum bt_status bt_postgres_rebuild_table(void *connection,
                                                     const struct bt_store_table *table,
                                                     struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_has_index(void *connection,
                                                 const struct bt_store_table *table,
                                                 const struct bt_store_index *index, bool *out_has,
                                                 struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_index(void *connection, const struct bt_store_table *table,
                                             const struct bt_store_index *index,
                                             struct bt_error *error);
BT_MUST_USE enum bt_status bt_postgres_probe(void *connection, enum bt_store_database_kind *out,
                                             struct bt_error *error);
BT_MUST_USE enum bt_status
bt_postgres_check(void *connection, const struct bt_store_checker *checker, struct bt_error *error);

#endif
