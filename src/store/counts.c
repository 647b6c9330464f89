/* SPDX-License-Identifier: Apache-2.0 */
/* counts.c - the counters of the table ledger_count. */
#include <assert.h>

#include "store/store_internal.h"

enum bt_status bt_store_count_add(struct bt_store *store, const bt_str key[2], uint64_t count,
                                  uint64_t seq, struct bt_error *error)
{
    assert(key);
    const struct bt_store_cell cells[] = {bt_store_cell_text(key[0]), bt_store_cell_text(key[1]),
                                          bt_store_cell_number(count), bt_store_cell_number(seq)};
    return bt_store_put(store, BT_SQL_COUNT_ADD, cells, 4, error);
}

struct store_counts_scan {
    bt_store_count_fn *each;
    void *context;
};

static bool take_count(void *context, const struct bt_store_cell *cells)
{
    const struct store_counts_scan *scan = context;
    return scan->each(scan->context, cells[0].text, cells[1].text, bt_store_cell_u64(&cells[2]));
}

enum bt_status bt_store_count_scan(struct bt_store *store, const bt_str range[2], uint64_t max,
                                   bt_store_count_fn *each, void *context, struct bt_error *error)
{
    assert(range);
    assert(each);
    struct store_counts_scan scan = {each, context};
    const struct bt_store_cell cells[] = {bt_store_cell_text(range[0]),
                                          bt_store_cell_text(range[1]), bt_store_cell_number(max)};
    const struct bt_store_query query = {BT_SQL_COUNT_SCAN, cells, 3, take_count, &scan};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_count_delete(struct bt_store *store, const bt_str range[2],
                                     struct bt_error *error)
{
    assert(range);
    const struct bt_store_cell cells[] = {bt_store_cell_text(range[0]),
                                          bt_store_cell_text(range[1])};
    return bt_store_put(store, BT_SQL_COUNT_DELETE, cells, 2, error);
}
