/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - the state tables, which all work alike: put, get, scan, delete. */
#include "store/rows.h"

#include <assert.h>

#include "store/store_internal.h"

static bool may_delete(const struct bt_store_table *table)
{
    return table->change == BT_STORE_TABLE_POLICY_YES;
}

enum bt_status bt_store_row_put(struct bt_store *store, enum bt_store_table_id table,
                                const struct bt_store_cell *cells, struct bt_error *error)
{
    assert(cells);
    const struct bt_store_query query = {bt_store_row_statement_of(table, BT_ROW_PUT), cells,
                                         bt_store_table_columns(&bt_tables[table]), NULL, NULL};
    return bt_store_write(store, &query, error);
}

enum bt_status bt_store_row_delete(struct bt_store *store, enum bt_store_table_id table,
                                   const struct bt_store_cell *key, struct bt_error *error)
{
    assert(key);
    assert(may_delete(&bt_tables[table]));
    const struct bt_store_query query = {bt_store_row_statement_of(table, BT_ROW_DELETE), key,
                                         bt_store_table_keys(&bt_tables[table]), NULL, NULL};
    return bt_store_write(store, &query, error);
}

enum bt_status bt_store_message_state(struct bt_store *store, const struct bt_store_cell cells[3],
                                      struct bt_error *error)
{
    assert(cells);
    return bt_store_put(store, BT_SQL_MESSAGE_STATE, cells, 3, error);
}

enum bt_status bt_store_row_scan(struct bt_store *store, const struct bt_store_row_range *scan,
                                 bt_store_row_fn *each, void *context, struct bt_error *error)
{
    assert(scan);
    assert(scan->key_count <= bt_store_table_keys(&bt_tables[scan->table]));
    const struct bt_store_query query = {
        bt_store_row_statement_of(scan->table, BT_ROW_SCAN + scan->key_count), scan->key,
        scan->key_count, each, context};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_row_scan_from(struct bt_store *store, enum bt_store_table_id table,
                                      const struct bt_store_cell *from, bt_store_row_fn *each,
                                      void *context, struct bt_error *error)
{
    assert(from);
    const struct bt_store_query query = {bt_store_row_statement_of(table, BT_ROW_FROM), from, 1,
                                         each, context};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_row_find(struct bt_store *store, enum bt_store_table_id table, bt_str value,
                                 bt_store_row_fn *each, void *context, struct bt_error *error)
{
    assert(bt_tables[table].indexes);
    const struct bt_store_cell cell = bt_store_cell_text(value);
    const struct bt_store_query query = {bt_store_row_statement_of(table, BT_ROW_FIND), &cell, 1,
                                         each, context};
    return bt_store_run(store, &query, error);
}

struct store_rows_one_row {
    struct bt_arena *arena;
    size_t count;
    struct bt_store_cell *cells;
    enum bt_status status; /* BT_ENOENT until a row came */
};

static bool take_row(void *context, const struct bt_store_cell *cells)
{
    struct store_rows_one_row *one = context;
    one->cells = BT_NEW_ARRAY(one->arena, struct bt_store_cell, one->count);
    one->status = one->cells ? BT_OK : BT_ENOMEM;
    for (size_t i = 0; i < one->count && one->status == BT_OK; i++) {
        one->cells[i] = cells[i];
        if (cells[i].type == BT_STORE_CELL_TEXT || cells[i].type == BT_STORE_CELL_BYTES) {
            one->status = bt_arena_copy(one->arena, cells[i].text, &one->cells[i].text);
        }
    }
    return false;
}

enum bt_status bt_store_row_get(struct bt_store *store, struct bt_arena *arena,
                                const struct bt_store_row_range *key,
                                const struct bt_store_cell **out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    assert(key->key_count == bt_store_table_keys(&bt_tables[key->table]));
    struct store_rows_one_row one = {.arena = arena,
                                     .count = bt_store_table_columns(&bt_tables[key->table]),
                                     .status = BT_ENOENT};
    BT_TRY(bt_store_row_scan(store, key, take_row, &one, error));
    if (one.status != BT_OK) {
        return bt_error_set(error, one.status, "the row does not exist");
    }
    *out = one.cells;
    return BT_OK;
}

static bool take_count(void *context, const struct bt_store_cell *cells)
{
    *(uint64_t *)context = bt_store_cell_u64(&cells[0]);
    return false;
}

enum bt_status bt_store_each_bad_row(struct bt_store *store, uint64_t size,
                                     bt_store_bad_row_fn *each, void *context,
                                     struct bt_error *error)
{
    assert(each);
    for (size_t table = 0; table < BT_TABLE__MAX; table++) {
        uint64_t rows = 0;
        const struct bt_store_cell cell = bt_store_cell_number(size);
        const struct bt_store_query query = {bt_store_row_statement_of(table, BT_ROW_COUNT_BAD),
                                             &cell, 1, take_count, &rows};
        if (!bt_store_table_is_dated(&bt_tables[table])) {
            continue;
        }
        BT_TRY(bt_store_run(store, &query, error));
        if (rows > 0 && !each(context, bt_str_of(bt_tables[table].name), rows)) {
            break;
        }
    }
    return BT_OK;
}
