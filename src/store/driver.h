/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - the interface of a back end for store.c: connections, transactions, statements.
 *
 * Statements are identified by number (statements.h) so that a back end prepares each once. Their
 * parameters are $1, $2 ... in the order in which they first appear.
 */
#ifndef BATON_SRC_STORE_DRIVER_H
#define BATON_SRC_STORE_DRIVER_H

#include "store/store.h"
#include "store/tables.h"

/* Called for each row of a result; the cells are valid until it returns. False ends the run
 * early. */
typedef bool bt_store_query_row_fn(void *context, const struct bt_store_cell *cells);

/* A statement to run, its parameters, and the callback for its rows. */
struct bt_store_query {
    size_t statement;
    const struct bt_store_cell *cells;
    size_t count;
    bt_store_query_row_fn *row; /* NULL: rows are not expected */
    void *context;
};

/* The purpose of a transaction. */
enum bt_store_transaction_kind {
    BT_STORE_TRANSACTION_KIND_READ = 1,   /* reads only, from one snapshot */
    BT_STORE_TRANSACTION_KIND_CONCURRENT, /* writes something that is not a decision */
    BT_STORE_TRANSACTION_KIND_APPEND,     /* writes, with the append lock */
};

/* `connection` is the result of open() or create(). All failures fill `error`. */
struct bt_store_driver {
    bt_str name; /* "sqlite" */
    /* Open an existing database; with options->create make it first. It need not contain a
     * store. */
    enum bt_status (*open)(struct bt_arena *arena, const struct bt_store_location *place,
                           const struct bt_store_options *options, void **out_connection,
                           struct bt_error *error);
    void (*close)(void *connection);
    /* Find out whether the database holds a store, something else, or nothing. */
    enum bt_status (*probe)(void *connection, enum bt_store_database_kind *out,
                            struct bt_error *error);
    /* Make all tables and triggers, within a transaction. */
    enum bt_status (*make_schema)(void *connection, struct bt_error *error);
    /* Check whether a table exists; make it with its triggers, within a transaction. */
    enum bt_status (*has_table)(void *connection, const struct bt_store_table *table, bool *out_has,
                                struct bt_error *error);
    enum bt_status (*make_table)(void *connection, const struct bt_store_table *table,
                                 struct bt_error *error);
    /* Make an existing table again as it is defined now, with its rows in their order; within a
     * transaction. */
    enum bt_status (*rebuild_table)(void *connection, const struct bt_store_table *table,
                                    struct bt_error *error);
    /* Check whether a table still has its key, which the name index has replaced. NULL: all tables
     * have their keys. */
    enum bt_status (*has_key)(void *connection, const struct bt_store_table *table, bool *out_has,
                              struct bt_error *error);
    /* Create the triggers of a table, replacing existing ones; within a transaction. */
    enum bt_status (*guard)(void *connection, const struct bt_store_table *table,
                            struct bt_error *error);
    /* Check whether a table has its index on a column; make it, within a transaction. */
    enum bt_status (*has_index)(void *connection, const struct bt_store_table *table,
                                const struct bt_store_index *index, bool *out_has,
                                struct bt_error *error);
    enum bt_status (*index)(void *connection, const struct bt_store_table *table,
                            const struct bt_store_index *index, struct bt_error *error);
    /* Nothing continues beyond this time of bt_clock_monotonic_ms(), until another is set;
     * BT_STORE_NONE: only its own deadline counts. */
    void (*limit)(void *connection, uint64_t until_ms);
    /* The time of the database server, in milliseconds since 1970. NULL: it is our own clock. */
    enum bt_status (*clock)(void *connection, int64_t *out_ms, struct bt_error *error);
    /* Wait for the append lock, when it is needed, until the deadline. */
    enum bt_status (*begin)(void *connection, enum bt_store_transaction_kind how,
                            struct bt_error *error);
    /*
     * Begin a write transaction again, within the rest of the deadline of the previous one, whose
     * commit failed: it has ended by now, either way. NULL: the outcome of a commit cannot be found
     * out without starting again.
     */
    enum bt_status (*resume)(void *connection, struct bt_error *error);
    /* *out_unknown: it failed, but may have taken effect. */
    enum bt_status (*commit)(void *connection, bool *out_unknown, struct bt_error *error);
    void (*rollback)(void *connection);
    /* BT_EDENIED: a key or a trigger refused it. */
    enum bt_status (*run)(void *connection, const struct bt_store_query *query,
                          struct bt_error *error);
    /* Queries to be run in the exchange that takes the append lock next; they are valid until
     * then. NULL: running them one by one is as fast. */
    void (*set_lock_queries)(void *connection, const struct bt_store_query *queries, size_t count);
    /* Run queries within a transaction and in one exchange. NULL as above. */
    enum bt_status (*run_queries)(void *connection, const struct bt_store_query *queries,
                                  size_t count, struct bt_error *error);
    /* Until the transaction ends, results of statements that only insert may be reported later.
     * NULL: they are reported at once. */
    void (*defer)(void *connection);
    enum bt_status (*settings)(void *connection, bt_setting_fn *each, void *context,
                               struct bt_error *error);
    enum bt_status (*check)(void *connection, const struct bt_store_checker *checker,
                            struct bt_error *error);
    /* Copy everything, from one snapshot, into a new SQLite file. NULL: use a copy row by row. */
    enum bt_status (*backup)(void *connection, bt_str path, struct bt_error *error);
    /* Overwrite deleted bytes in the files. */
    enum bt_status (*scrub)(void *connection, struct bt_error *error);
};

extern const struct bt_store_driver bt_driver_sqlite;
extern const struct bt_store_driver bt_driver_postgres;

#endif
