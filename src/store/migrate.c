/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migrate.c - restore triggers that were removed or altered, and add what a store made by an
 * earlier version does not have: indexes, and the name index, which is computed from the entries
 * and documents.
 */
#include <assert.h>
#include <string.h>

#include "store/name_index.h"
#include "store/store_internal.h"

struct store_migrate_state {
    bool is_open[BT_TABLE__MAX]; /* a trigger of this table is missing */
    bool is_damaged;
    bool marks_missing; /* and stays missing: this is a dry run */
    bool has_new_marks; /* of entries only, so far */
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
    if (migration->marks_missing && bt_str_eq(table, bt_str_of(bt_tables[BT_TABLE_MARK].name))) {
        return; /* there is nothing to protect yet */
    }
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        migration->is_open[i] =
            migration->is_open[i] || bt_str_eq(table, bt_str_of(bt_tables[i].name));
    }
    migration->each(migration->context, &(struct bt_store_missing_part){table, operation, NULL});
}

static void ignore_privilege(void *context, bt_str table, const char *privilege)
{
    (void)context;
    (void)table;
    (void)privilege;
}

static enum bt_status add_indexes(struct bt_store *store, const struct bt_store_table *table,
                                  bool is_dry, const struct store_migrate_state *migration,
                                  struct bt_error *error)
{
    for (const char *const *column = table->indexes; column && *column; column++) {
        bool has = false;
        BT_TRY(store->driver->has_index(store->connection, table, *column, &has, error));
        if (has) {
            continue;
        }
        const struct bt_store_missing_part missing_part = {bt_str_of(table->name), NULL, *column};
        migration->each(migration->context, &missing_part);
        if (!is_dry) {
            BT_TRY(store->driver->index(store->connection, table, *column, error));
        }
    }
    return BT_OK;
}

static enum bt_status add_marks(struct bt_store *store, bool is_dry,
                                struct store_migrate_state *migration, struct bt_error *error)
{
    const struct bt_store_table *table = &bt_tables[BT_TABLE_MARK];
    bool has = false;
    BT_TRY(store->driver->has_table(store->connection, table, &has, error));
    if (has) {
        return BT_OK;
    }
    migration->marks_missing = is_dry;
    migration->each(migration->context,
                    &(struct bt_store_missing_part){bt_str_of(table->name), NULL, NULL});
    if (is_dry) {
        return BT_OK;
    }
    BT_TRY(store->driver->make_table(store->connection, table, error));
    migration->has_new_marks = true;
    return bt_store_name_index_rebuild(store, BT_STORE_INDEXED_TABLE_ENTRIES, error);
}

/* The documents of a file are found through the name index, not by a key. */
static enum bt_status migrate_documents(struct bt_store *store, bool is_dry,
                                        const struct store_migrate_state *migration,
                                        struct bt_error *error)
{
    const struct bt_store_table *table = &bt_tables[BT_TABLE_DOCUMENT];
    bool has_key = false;
    if (!store->driver->has_key) {
        return BT_OK;
    }
    BT_TRY(store->driver->has_key(store->connection, table, &has_key, error));
    if (has_key) {
        const struct bt_store_missing_part missing_part = {bt_str_of(table->name), NULL, NULL};
        migration->each(migration->context, &missing_part);
    }
    if (is_dry) {
        return BT_OK;
    }
    if (has_key) {
        BT_TRY(store->driver->drop_key(store->connection, table, error));
    }
    return has_key || migration->has_new_marks
               ? bt_store_name_index_rebuild(store, BT_STORE_INDEXED_TABLE_DOCUMENTS, error)
               : BT_OK;
}

enum bt_status bt_store_migrate(struct bt_store *store, bool is_dry, bt_store_missing_part_fn *each,
                                void *context, struct bt_error *error)
{
    assert(store);
    assert(is_dry || store->writing);
    assert(each);
    struct store_migrate_state migration = {.each = each, .context = context};
    const struct bt_store_checker checker = {&migration, note_damage, note_guard, ignore_privilege};
    BT_TRY(add_marks(store, is_dry, &migration, error));
    BT_TRY(migrate_documents(store, is_dry, &migration, error));
    BT_TRY(store->driver->check(store->connection, &checker, error));
    if (migration.is_damaged) {
        return bt_error_set(error, BT_ECORRUPT, "the database is damaged; restore it");
    }
    for (size_t i = 0; i < BT_TABLE__MAX && !is_dry; i++) {
        if (migration.is_open[i]) {
            BT_TRY(store->driver->guard(store->connection, &bt_tables[i], error));
        }
    }
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        BT_TRY(add_indexes(store, &bt_tables[i], is_dry, &migration, error));
    }
    return BT_OK;
}
