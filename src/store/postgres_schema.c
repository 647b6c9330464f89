/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres_schema.c - the tables in PostgreSQL: owners, rights, triggers, and the test that they
 * are still in place.
 *
 * baton_owner owns everything; nodes are members of baton_app, which may add and read. Triggers
 * refuse everything else to the owner as well, and also fire when a replication log is replayed.
 */
#include <assert.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "store/postgres.h"
#include "store/tables.h"

enum { SQL_BYTES_MAX = 8192 };

struct store_postgres_schema_guard {
    const char *operation;
    const char *name;
    int64_t
        type; /* pg_trigger.tgtype: 2 before, 8 delete, 16 update, 32 truncate, 1 for each row */
};

static const struct store_postgres_schema_guard guards[] = {
    {"UPDATE", "update", 2 | 16}, {"DELETE", "delete", 2 | 8}, {"TRUNCATE", "truncate", 2 | 32}};
enum { GUARDS = sizeof(guards) / sizeof(guards[0]), EACH_ROW = 1 };

static const char refuse_body[] = "BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME "
                                  "USING ERRCODE = 'restrict_violation'; END";
static const char redact_body[] =
    "BEGIN IF OLD.bytes IS NOT NULL AND NEW.bytes IS NULL AND OLD.redacted_seq IS NULL "
    "AND NEW.redacted_seq IS NOT NULL AND NEW.sha256 = OLD.sha256 AND NEW.size = OLD.size "
    "AND NEW.encoding = OLD.encoding THEN RETURN NEW; END IF; "
    "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME "
    "USING ERRCODE = 'restrict_violation'; END";

/* A document may lose its bytes; only a check of each row can distinguish that from other
 * changes. */
static bool needs_row_check(const struct bt_store_table *table,
                            const struct store_postgres_schema_guard *guard)
{
    return table->change == BT_STORE_TABLE_POLICY_REDACTION && guard->operation[0] == 'U';
}

static void put_functions(struct bt_buf *buf)
{
    bt_buf_printf(
        buf,
        "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$%s$$;\n"
        "CREATE OR REPLACE FUNCTION redact_only() RETURNS trigger LANGUAGE plpgsql AS $$%s$$;\n",
        refuse_body, redact_body);
}

static void put_guards(struct bt_buf *buf, const struct bt_store_table *table)
{
    for (size_t i = 0; i < GUARDS; i++) {
        const bool rows = needs_row_check(table, &guards[i]);
        bt_buf_printf(buf,
                      "CREATE TRIGGER %s_%s BEFORE %s ON %s FOR EACH %s EXECUTE FUNCTION %s();\n"
                      "ALTER TABLE %s ENABLE ALWAYS TRIGGER %s_%s;\n",
                      table->name, guards[i].name, guards[i].operation, table->name,
                      rows ? "ROW" : "STATEMENT", rows ? "redact_only" : "append_only", table->name,
                      table->name, guards[i].name);
    }
}

static const char *const types[] = {[BT_STORE_COLUMN_NUMBER] = "BIGINT",
                                    [BT_STORE_COLUMN_BYTES] = "BYTEA",
                                    [BT_STORE_COLUMN_TEXT] = "TEXT COLLATE \"C\""};
static const struct bt_store_table_style style = {.types = types, .ending = "", .order = ""};

static const char *get_table_rights(const struct bt_store_table *table)
{
    switch (table->change) {
    case BT_STORE_TABLE_POLICY_MIGRATION:
        return "SELECT";
    case BT_STORE_TABLE_POLICY_REDACTION:
        return "SELECT, INSERT, UPDATE (bytes, redacted_seq)";
    case BT_STORE_TABLE_POLICY_YES:
        return "SELECT, INSERT, UPDATE, DELETE";
    case BT_STORE_TABLE_POLICY_NEVER:
        break;
    }
    return "SELECT, INSERT";
}

/* Roles belong to the whole server, so another schema may be creating them at the same time. */
static const char make_roles[] =
    "DO $$ DECLARE wanted TEXT; BEGIN"
    " FOREACH wanted IN ARRAY ARRAY['baton_owner', 'baton_app'] LOOP BEGIN"
    "  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN"
    "   EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', wanted); END IF;"
    "  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END; END LOOP;"
    " IF NOT pg_catalog.pg_has_role('baton_owner', 'MEMBER') THEN"
    "  GRANT baton_owner TO CURRENT_USER; END IF; END $$;\n";

static void put_rights(struct bt_buf *buf, const struct bt_store_table *table)
{
    bt_buf_printf(buf, "GRANT %s ON %s TO baton_app;\n", get_table_rights(table), table->name);
    if (bt_store_table_is_guarded(table)) {
        put_guards(buf, table);
    }
}

static void put_table(struct bt_buf *buf, const struct bt_store_table *table)
{
    bt_store_table_put_create(buf, table, &style);
    put_rights(buf, table);
}

static void put_schema(struct bt_buf *buf, const char *schema)
{
    bt_buf_put_text(buf, make_roles);
    bt_buf_printf(buf, "CREATE SCHEMA IF NOT EXISTS %s AUTHORIZATION baton_owner;\n", schema);
    bt_buf_put_text(buf, "SET LOCAL ROLE baton_owner;\n");
    bt_buf_printf(buf, "GRANT USAGE ON SCHEMA %s TO baton_app;\n", schema);
    put_functions(buf);
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        put_table(buf, &bt_tables[i]);
    }
    bt_buf_put_text(buf, "RESET ROLE");
}

/* Run the statements in the buffer, and free it. */
static enum bt_status exec_all(struct bt_postgres *postgres, struct bt_buf *sql,
                               struct bt_error *error)
{
    bt_buf_put_char(sql, '\0');
    const enum bt_status status =
        sql->status == BT_OK ? bt_postgres_exec(postgres, sql->ptr, error)
                             : bt_error_set(error, sql->status, "%s", bt_status_text(sql->status));
    bt_buf_free(sql);
    return status;
}

enum bt_status bt_postgres_make_schema(void *connection, struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, (size_t)SQL_BYTES_MAX * BT_TABLE__MAX);
    put_schema(&sql, postgres->schema);
    return exec_all(postgres, &sql, error);
}

enum bt_status bt_postgres_make_table(void *connection, const struct bt_store_table *table,
                                      struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_buf_put_text(&sql, "SET LOCAL ROLE baton_owner;\n");
    put_table(&sql, table);
    bt_buf_put_text(&sql, "RESET ROLE");
    return exec_all(postgres, &sql, error);
}

enum bt_status bt_postgres_rebuild_table(void *connection, const struct bt_store_table *table,
                                         struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_buf_put_text(&sql, "SET LOCAL ROLE baton_owner;\n");
    bt_store_table_put_rebuild(&sql, table, &style);
    bt_buf_printf(&sql, "ALTER INDEX %s_rebuilt_pkey RENAME TO %s_pkey;\n", table->name,
                  table->name);
    put_rights(&sql, table);
    bt_buf_put_text(&sql, "RESET ROLE");
    return exec_all(postgres, &sql, error);
}

enum bt_status bt_postgres_guard(void *connection, const struct bt_store_table *table,
                                 struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_buf_put_text(&sql, "SET LOCAL ROLE baton_owner;\n");
    put_functions(&sql);
    for (size_t i = 0; i < GUARDS; i++) {
        bt_buf_printf(&sql, "DROP TRIGGER IF EXISTS %s_%s ON %s;\n", table->name, guards[i].name,
                      table->name);
    }
    put_guards(&sql, table);
    bt_buf_put_text(&sql, "RESET ROLE");
    return exec_all(postgres, &sql, error);
}

enum bt_status bt_postgres_index(void *connection, const struct bt_store_table *table,
                                 const struct bt_store_index *index, struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    struct bt_buf sql;
    bt_buf_init(&sql, SQL_BYTES_MAX);
    bt_buf_put_text(&sql, "SET LOCAL ROLE baton_owner;\n");
    bt_store_table_put_index(&sql, table, index);
    bt_buf_put_text(&sql, ";\nRESET ROLE");
    return exec_all(postgres, &sql, error);
}

/* The numbers of the only row that a query returns. */
static enum bt_status query_numbers(struct bt_postgres *postgres, const char *sql,
                                    const struct bt_store_cell *cells, size_t count, int64_t out[2],
                                    struct bt_error *error)
{
    PGresult *result = NULL;
    BT_TRY(bt_postgres_query_one(postgres, sql, cells, count, &result, error));
    for (int i = 0; i < 2; i++) {
        const bool is_there =
            postgres->pq.row_count(result) == 1 && i < postgres->pq.field_count(result);
        out[i] = is_there ? bt_postgres_cell(postgres, result, 0, i).number : 0;
    }
    postgres->pq.clear(result);
    return BT_OK;
}

/* Check whether the schema has an object of a kind, 'r' a table and 'i' an index, with this
 * name. */
static enum bt_status is_there(struct bt_postgres *postgres, const char *name, const char *kind,
                               bool *out_has, struct bt_error *error)
{
    int64_t found[2];
    const struct bt_store_cell cells[] = {bt_store_cell_text(bt_str_of(postgres->schema)),
                                          bt_store_cell_text(bt_str_of(name)),
                                          bt_store_cell_text(bt_str_of(kind))};
    BT_TRY(query_numbers(postgres,
                         "SELECT COUNT(*), 0::bigint FROM pg_catalog.pg_class"
                         " JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace"
                         " WHERE nspname = $1 AND relname = $2 AND relkind::text = $3",
                         cells, 3, found, error));
    *out_has = found[0] > 0;
    return BT_OK;
}

enum bt_status bt_postgres_has_table(void *connection, const struct bt_store_table *table,
                                     bool *out_has, struct bt_error *error)
{
    return is_there(connection, table->name, "r", out_has, error);
}

enum bt_status bt_postgres_has_index(void *connection, const struct bt_store_table *table,
                                     const struct bt_store_index *index, bool *out_has,
                                     struct bt_error *error)
{
    char name[100];
    const int size = snprintf(name, sizeof(name), "%s_%s", table->name, index->name);
    assert(size > 0 && (size_t)size < sizeof(name));
    return is_there(connection, name, "i", out_has, error);
}

enum bt_status bt_postgres_probe(void *connection, enum bt_store_database_kind *out,
                                 struct bt_error *error)
{
    struct bt_postgres *postgres = connection;
    const struct bt_store_cell schema = bt_store_cell_text(bt_str_of(postgres->schema));
    int64_t found[2];
    BT_TRY(query_numbers(postgres,
                         "SELECT COUNT(*) FILTER (WHERE relname IN"
                         " ('meta', 'ledger_entry', 'ledger_checkpoint')), COUNT(*)"
                         " FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace"
                         " ON pg_namespace.oid = relnamespace WHERE nspname = $1"
                         " AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')",
                         &schema, 1, found, error));
    *out = found[1] == 0 ? BT_STORE_EMPTY : found[0] == 3 ? BT_STORE_OURS : BT_STORE_FOREIGN;
    return BT_OK;
}

/* Check whether the trigger is as it was made: always enabled, without a condition, and calling
 * our function. */
static enum bt_status has_guard(struct bt_postgres *postgres, const struct bt_store_table *table,
                                const struct store_postgres_schema_guard *guard, bool *out_has,
                                struct bt_error *error)
{
    const bool rows = needs_row_check(table, guard);
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(bt_str_of(postgres->schema)),
        bt_store_cell_text(bt_str_of(table->name)),
        bt_store_cell_number((uint64_t)(rows ? guard->type | EACH_ROW : guard->type)),
        bt_store_cell_text(bt_str_of(rows ? redact_body : refuse_body)),
    };
    int64_t found[2];
    BT_TRY(query_numbers(postgres,
                         "SELECT COUNT(*) FROM pg_catalog.pg_trigger"
                         " JOIN pg_catalog.pg_class ON pg_class.oid = tgrelid"
                         " JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace"
                         " JOIN pg_catalog.pg_proc ON pg_proc.oid = tgfoid"
                         " WHERE nspname = $1 AND relname = $2 AND tgtype = $3 AND prosrc = $4"
                         " AND tgenabled = 'A' AND tgqual IS NULL AND tgnargs = 0"
                         " AND pg_catalog.cardinality(tgattr) = 0",
                         cells, 4, found, error));
    *out_has = found[0] > 0;
    return BT_OK;
}

static enum bt_status check_rights(struct bt_postgres *postgres, const struct bt_store_table *table,
                                   const struct store_postgres_schema_guard *guard, bool *out_may,
                                   struct bt_error *error)
{
    const bool has_columns = guard->operation[0] == 'U';
    const struct bt_store_cell cells[] = {bt_store_cell_text(bt_str_of(table->name)),
                                          bt_store_cell_text(bt_str_of(guard->operation))};
    int64_t found[2];
    BT_TRY(query_numbers(postgres,
                         has_columns ? "SELECT pg_catalog.has_any_column_privilege($1, $2)"
                                     : "SELECT pg_catalog.has_table_privilege($1, $2)",
                         cells, 2, found, error));
    *out_may = found[0] != 0;
    return BT_OK;
}

static enum bt_status check_guards(struct bt_postgres *postgres, const struct bt_store_table *table,
                                   const struct bt_store_checker *checker, struct bt_error *error)
{
    for (size_t i = 0; i < GUARDS; i++) {
        bool has = false;
        bool may = false;
        BT_TRY(has_guard(postgres, table, &guards[i], &has, error));
        if (!has) {
            checker->trigger(checker->context, bt_str_of(table->name), guards[i].operation);
        }
        if (table->change == BT_STORE_TABLE_POLICY_NEVER) {
            BT_TRY(check_rights(postgres, table, &guards[i], &may, error));
        }
        if (may) {
            checker->privilege(checker->context, bt_str_of(table->name), guards[i].operation);
        }
    }
    return BT_OK;
}

/* Read every value of every row: damaged data on the disk cannot be converted to text. */
static enum bt_status check_content(struct bt_postgres *postgres,
                                    const struct bt_store_table *table,
                                    const struct bt_store_checker *checker, struct bt_error *error)
{
    char sql[160];
    int64_t found[2];
    (void)snprintf(sql, sizeof(sql), "SELECT COUNT(pg_catalog.length(%s::pg_catalog.text)) FROM %s",
                   table->name, table->name);
    const enum bt_status status = query_numbers(postgres, sql, NULL, 0, found, error);
    if (status != BT_ECORRUPT) {
        return status;
    }
    checker->damage(checker->context, bt_str_of(error->text));
    return BT_OK;
}

enum bt_status bt_postgres_check(void *connection, const struct bt_store_checker *checker,
                                 struct bt_error *error)
{
    assert(checker);
    struct bt_postgres *postgres = connection;
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        BT_TRY(check_content(postgres, &bt_tables[i], checker, error));
    }
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        if (bt_store_table_is_guarded(&bt_tables[i])) {
            BT_TRY(check_guards(postgres, &bt_tables[i], checker, error));
        }
    }
    return BT_OK;
}
