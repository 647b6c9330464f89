/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migrate.c - take a store of an earlier version to this one, and restore triggers and indexes that
 * were removed or altered.
 */
#include <assert.h>
#include <inttypes.h>

#include "store/name_index.h"
#include "store/store_internal.h"

struct store_migrate_state {
    struct bt_store *store;
    bool is_open[BT_TABLE__MAX]; /* a trigger of this table is missing */
    bool is_damaged;
    bt_store_missing_part_fn *each;
    void *context;
};

static void note_damage(void *context, bt_str detail)
{
    struct store_migrate_state *migration = context;
    (void)detail;
    migration->is_damaged = true;
}

static void note_guard(void *context, bt_str table, const char *operation)
{
    struct store_migrate_state *migration = context;
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        migration->is_open[i] =
            migration->is_open[i] || bt_str_eq(table, bt_str_of(bt_tables[i].name));
    }
    migration->each(migration->context,
                    &(struct bt_store_missing_part){.table = table, .operation = operation});
}

static void ignore_privilege(void *context, bt_str table, const char *privilege)
{
    (void)context;
    (void)table;
    (void)privilege;
}

static enum bt_status add_indexes(const struct store_migrate_state *migration,
                                  const struct bt_store_table *table, struct bt_error *error)
{
    struct bt_store *store = migration->store;
    for (const struct bt_store_index *index = table->indexes; index && index->name; index++) {
        bool has = false;
        BT_TRY(store->driver->has_index(store->connection, table, index, &has, error));
        if (!has) {
            migration->each(migration->context,
                            &(struct bt_store_missing_part){.table = bt_str_of(table->name),
                                                            .column = index->columns});
            BT_TRY(store->driver->index(store->connection, table, index, error));
        }
    }
    return BT_OK;
}

/* Make a table, or make it again with the columns it has now. *out_made: there was something to
 * do. */
static enum bt_status make_table(const struct store_migrate_state *migration,
                                 const struct bt_store_table *table, bool *out_made,
                                 struct bt_error *error)
{
    const struct bt_store *store = migration->store;
    bool has_table = false;
    bool has_key = false;
    BT_TRY(store->driver->has_table(store->connection, table, &has_table, error));
    if (table->change == BT_STORE_TABLE_POLICY_REDACTION && store->driver->has_key) {
        /* The documents of a file are found through the name index, not by a key. */
        BT_TRY(store->driver->has_key(store->connection, table, &has_key, error));
    }
    *out_made = !has_table || has_key || bt_store_table_is_widened(table);
    if (!*out_made) {
        return BT_OK;
    }
    migration->each(
        migration->context,
        &(struct bt_store_missing_part){.table = bt_str_of(table->name), .is_rebuilt = has_table});
    return has_table ? store->driver->rebuild_table(store->connection, table, error)
                     : store->driver->make_table(store->connection, table, error);
}

/* From schema version 1 to 2. Some stores of version 1 have no name index either; it is computed
 * from the entries and documents. */
static enum bt_status migrate_from_1(const struct store_migrate_state *migration,
                                     struct bt_error *error)
{
    struct bt_store *store = migration->store;
    bool is_made[BT_TABLE__MAX] = {false};
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        BT_TRY(make_table(migration, &bt_tables[i], &is_made[i], error));
    }
    if (is_made[BT_TABLE_MARK]) {
        BT_TRY(bt_store_name_index_rebuild(store, BT_STORE_INDEXED_TABLE_ENTRIES, error));
    }
    if ((is_made[BT_TABLE_MARK] || is_made[BT_TABLE_DOCUMENT]) && store->driver->has_key) {
        BT_TRY(bt_store_name_index_rebuild(store, BT_STORE_INDEXED_TABLE_DOCUMENTS, error));
    }
    const struct bt_store_cell schema[] = {bt_store_cell_text(BT_STR("2")),
                                           bt_store_cell_text(BT_STR("schema"))};
    BT_TRY(bt_store_put(store, BT_SQL_META_SET, schema, 2, error));
    return bt_store_meta_put(store, BT_STR("entries"), BT_STR("1"), error);
}

/* Make the hashes again, if an earlier version has left them in the order in which they came. */
static enum bt_status order_hashes(const struct store_migrate_state *migration,
                                   struct bt_error *error)
{
    const struct bt_store *store = migration->store;
    const struct bt_store_table *table = &bt_tables[BT_TABLE_HASH];
    bool has_key = false; /* beside the table */
    if (store->driver->has_key) {
        BT_TRY(store->driver->has_key(store->connection, table, &has_key, error));
    }
    if (!has_key) {
        return BT_OK;
    }
    migration->each(migration->context, &(struct bt_store_missing_part){
                                            .table = bt_str_of(table->name), .is_rebuilt = true});
    return store->driver->rebuild_table(store->connection, table, error);
}

/* Merge the rows of the name index that a version without higher levels has left. */
static enum bt_status complete_name_index(const struct store_migrate_state *migration,
                                          struct bt_error *error)
{
    struct bt_store *store = migration->store;
    bool is_changed[BT_STORE_INDEXED_TABLE__MAX] = {false};
    BT_TRY(bt_store_name_index_complete(store, BT_STORE_INDEXED_TABLE_ENTRIES,
                                        &is_changed[BT_STORE_INDEXED_TABLE_ENTRIES], error));
    if (!bt_store_is_remote(store)) {
        BT_TRY(bt_store_name_index_complete(store, BT_STORE_INDEXED_TABLE_DOCUMENTS,
                                            &is_changed[BT_STORE_INDEXED_TABLE_DOCUMENTS], error));
    }
    if (is_changed[BT_STORE_INDEXED_TABLE_ENTRIES] ||
        is_changed[BT_STORE_INDEXED_TABLE_DOCUMENTS]) {
        migration->each(migration->context, &(struct bt_store_missing_part){
                                                .table = bt_str_of(bt_tables[BT_TABLE_MARK].name),
                                                .is_completed = true});
    }
    return BT_OK;
}

enum bt_status bt_store_set_entries(struct bt_store *store, bt_str version, struct bt_error *error)
{
    assert(store);
    const struct bt_store_cell cells[] = {bt_store_cell_text(version),
                                          bt_store_cell_text(BT_STR("entries"))};
    store->has_newest = false;
    return bt_store_put(store, BT_SQL_META_SET, cells, 2, error);
}

enum bt_status bt_store_migrate(struct bt_store *store, bt_store_missing_part_fn *each,
                                void *context, struct bt_error *error)
{
    assert(store);
    assert(store->writing);
    assert(each);
    struct store_migrate_state migration = {.store = store, .each = each, .context = context};
    const struct bt_store_checker checker = {&migration, note_damage, note_guard, ignore_privilege};
    uint64_t schema = 0;
    BT_TRY(bt_store_schema(store, &schema, error));
    if (schema < BT_STORE_SCHEMA) {
        BT_TRY(migrate_from_1(&migration, error));
    }
    BT_TRY(store->driver->check(store->connection, &checker, error));
    if (migration.is_damaged) {
        return bt_error_set(error, BT_ECORRUPT, "the database is damaged; restore it");
    }
    BT_TRY(order_hashes(&migration, error));
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        if (migration.is_open[i]) {
            BT_TRY(store->driver->guard(store->connection, &bt_tables[i], error));
        }
        BT_TRY(add_indexes(&migration, &bt_tables[i], error));
    }
    return complete_name_index(&migration, error);
}
