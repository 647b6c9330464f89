/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - every table of schema version 2, as data, and what version 1 did not have.
 */
#ifndef BATON_SRC_STORE_TABLES_H
#define BATON_SRC_STORE_TABLES_H

#include <baton/base.h>

enum bt_store_column_type {
    BT_STORE_COLUMN_NUMBER = 1,
    BT_STORE_COLUMN_BYTES,
    BT_STORE_COLUMN_TEXT
};

struct bt_store_column {
    const char *name; /* NULL ends a list */
    enum bt_store_column_type type;
    bool is_key;
    bool may_be_null;
    const char *preset; /* SQL: its value in rows of schema version 1, which has no such column */
};

/* What may be done to existing rows. */
enum bt_store_table_policy {
    BT_STORE_TABLE_POLICY_NEVER = 1,
    BT_STORE_TABLE_POLICY_MIGRATION, /* by `store migrate` only */
    BT_STORE_TABLE_POLICY_REDACTION, /* bytes become NULL, once */
    BT_STORE_TABLE_POLICY_YES,
};

/* An index of a table. */
struct bt_store_index {
    const char *name;      /* behind that of the table */
    const char *columns;   /* as SQL lists them */
    const char *condition; /* which rows it has, as a query must say it too; NULL: all */
};

struct bt_store_table {
    const char *name;
    enum bt_store_table_policy change;
    const struct bt_store_column *columns; /* the key first */
    const struct bt_store_index *indexes;  /* the last has no name; NULL: there are none */
};

/* In this order; enums of the users may depend on it. */
enum bt_store_table_id {
    BT_TABLE_META = 0,
    BT_TABLE_ENTRY,
    BT_TABLE_HASH,
    BT_TABLE_MARK,
    BT_TABLE_CHECKPOINT,
    BT_TABLE_COSIGNATURE,
    BT_TABLE_DOCUMENT,
    BT_TABLE_SEEN,
    BT_TABLE_AGENT_STATE,
    BT_TABLE_APPROVAL,
    BT_TABLE_APPROVAL_GRANT,
    BT_TABLE_APPROVAL_EVENT,
    BT_TABLE_BLOCKED,
    BT_TABLE_CONTEXT,
    BT_TABLE_CONTEXT_HISTORY,
    BT_TABLE_GOVERNED_HANDOFF,
    BT_TABLE_THREAD,
    BT_TABLE_QUEUE,
    BT_TABLE_PUMP_MESSAGE,
    BT_TABLE_PUMP_DELIVERY,
    BT_TABLE_PUMP_ID,
    BT_TABLE_PUMP_COUNTER,
    BT_TABLE_IDEMPOTENCY,
    BT_TABLE_A2A_TASK,
    BT_TABLE_APPROVAL_USE,
    BT_TABLE_TRANSCRIPT,
    BT_TABLE_BUDGET,
    BT_TABLE_LEDGER_COUNT,
    BT_TABLE_HOLD,
    BT_TABLE__MAX,
};

extern const struct bt_store_table bt_tables[BT_TABLE__MAX];

size_t bt_store_table_columns(const struct bt_store_table *table);
size_t bt_store_table_keys(const struct bt_store_table *table);
/* True when schema version 1 has the table, but not all of its columns. */
bool bt_store_table_is_widened(const struct bt_store_table *table);
/* Whether the table has a column `updated_seq`. */
bool bt_store_table_is_dated(const struct bt_store_table *table);
/* True when triggers protect its rows. */
bool bt_store_table_is_guarded(const struct bt_store_table *table);
/* Put the statement that makes an index of a table. */
void bt_store_table_put_index(struct bt_buf *buf, const struct bt_store_table *table,
                              const struct bt_store_index *index);

/* How a back end writes the definition of a table. */
struct bt_store_table_style {
    const char *const *types; /* of columns, by number */
    const char *ending;       /* follows the closing bracket */
    bool has_no_key;          /* rows are found through the name index */
    const char *order;        /* of the rows when the table is made again: a clause, or "" */
};

/* Put the statements that make it and its indexes. */
void bt_store_table_put_create(struct bt_buf *buf, const struct bt_store_table *table,
                               const struct bt_store_table_style *style);

/* Put the statements that make it again as it is defined now, with the rows it has. */
void bt_store_table_put_rebuild(struct bt_buf *buf, const struct bt_store_table *table,
                                const struct bt_store_table_style *style);

#endif
