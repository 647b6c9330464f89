/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - copy a whole store, row by row, into another. */
#include <assert.h>
#include <unistd.h>

#include "store/name_index.h"
#include "store/rows.h"
#include "store/store_internal.h"

/* No one waits for a store that is being created; its only commit may be large. */
enum { COPY_MS = 3600000 };

struct store_copy_state {
    struct bt_store *to;
    enum bt_store_table_id table;
    enum bt_status status;
    struct bt_error *error;
};

static bool copy_row(void *context, const struct bt_store_cell *cells)
{
    struct store_copy_state *copying = context;
    /* The new store already has its version, and its documents get other numbers. */
    if ((copying->table == BT_TABLE_META && bt_str_eq(cells[0].text, BT_STR("schema"))) ||
        (copying->table == BT_TABLE_MARK &&
         bt_store_cell_u64(&cells[0]) >= BT_MARKS_DOCUMENT_LEVEL)) {
        return true;
    }
    copying->status = bt_store_row_put(copying->to, copying->table, cells, copying->error);
    return copying->status == BT_OK;
}

static enum bt_status copy_tables(struct bt_store *from, struct bt_store *to,
                                  struct bt_error *error)
{
    struct store_copy_state copying = {.to = to, .status = BT_OK, .error = error};
    bt_store_defer(to);
    for (size_t i = 0; i < BT_TABLE__MAX; i++) {
        const struct bt_store_row_range all = {.table = (enum bt_store_table_id)i};
        copying.table = all.table;
        BT_TRY(bt_store_row_scan(from, &all, copy_row, &copying, error));
        BT_TRY(copying.status);
    }
    if (!bt_store_is_remote(to)) {
        BT_TRY(bt_store_name_index_rebuild(to, BT_STORE_INDEXED_TABLE_DOCUMENTS, error));
    }
    return bt_store_commit(to, error);
}

enum bt_status bt_store_copy(struct bt_store *from, const struct bt_store_location *place,
                             struct bt_error *error)
{
    assert(from);
    assert(place);
    const struct bt_store_options options = {.deadline_ms = COPY_MS};
    struct bt_store *to = NULL;
    BT_TRY(bt_store_create(place, &options, &to, error));
    enum bt_status status = bt_store_begin_read(from, error);
    if (status == BT_OK) {
        status = copy_tables(from, to, error);
        bt_store_rollback(from);
    }
    bt_store_close(to);
    return status;
}
