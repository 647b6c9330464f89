/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - rows of the state tables. Cells come in the order of the columns in tables.c. */
#ifndef BATON_SRC_STORE_ROWS_H
#define BATON_SRC_STORE_ROWS_H

#include "store/store.h"
#include "store/tables.h"

/* Put a row; one with the same key is replaced where rows may change, else it is BT_EDENIED. */
BT_MUST_USE enum bt_status bt_store_row_put(struct bt_store *store, enum bt_store_table_id table,
                                            const struct bt_store_cell *cells,
                                            struct bt_error *error);
/* Delete the row with this key, if there is one, from a table whose rows may change. */
BT_MUST_USE enum bt_status bt_store_row_delete(struct bt_store *store, enum bt_store_table_id table,
                                               const struct bt_store_cell *key,
                                               struct bt_error *error);

/* Change the state of a row of pump_message, without writing its payload again. The cells are the
 * state, updated_seq and its number. */
BT_MUST_USE enum bt_status bt_store_message_state(struct bt_store *store,
                                                  const struct bt_store_cell cells[3],
                                                  struct bt_error *error);

/* Which rows: those that begin with these columns of the key. */
struct bt_store_row_range {
    enum bt_store_table_id table;
    const struct bt_store_cell *key;
    size_t key_count;
};

/* Called for each, in the order of the key; the cells are valid until it returns. False ends it. */
typedef bool bt_store_row_fn(void *context, const struct bt_store_cell *cells);

BT_MUST_USE enum bt_status bt_store_row_scan(struct bt_store *store,
                                             const struct bt_store_row_range *scan,
                                             bt_store_row_fn *each, void *context,
                                             struct bt_error *error);
/* The rows whose indexed column is `value`, in the order of the key; of several indexed columns
 * the first is used. */
BT_MUST_USE enum bt_status bt_store_row_find(struct bt_store *store, enum bt_store_table_id table,
                                             bt_str value, bt_store_row_fn *each, void *context,
                                             struct bt_error *error);
/* The rows whose first key column is `from` or comes after it. */
BT_MUST_USE enum bt_status bt_store_row_scan_from(struct bt_store *store,
                                                  enum bt_store_table_id table,
                                                  const struct bt_store_cell *from,
                                                  bt_store_row_fn *each, void *context,
                                                  struct bt_error *error);
/* The row with the full key, in the arena. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_store_row_get(struct bt_store *store, struct bt_arena *arena,
                                            const struct bt_store_row_range *key,
                                            const struct bt_store_cell **out,
                                            struct bt_error *error);

#endif
