/* SPDX-License-Identifier: Apache-2.0 */
/* counts.c - the counters of the table ledger_count. */
#include <assert.h>

#include "store/rows.h"
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

static bool take_key(void *context, const struct bt_store_cell *cells)
{
    const struct store_counts_scan *scan = context;
    return scan->each(scan->context, cells[0].text, cells[1].text, 0);
}

enum bt_status bt_store_count_scan_keys(struct bt_store *store, const bt_str range[2], uint64_t max,
                                        bt_store_count_fn *each, void *context,
                                        struct bt_error *error)
{
    assert(range);
    assert(each);
    struct store_counts_scan scan = {each, context};
    const struct bt_store_cell cells[] = {bt_store_cell_text(range[0]),
                                          bt_store_cell_text(range[1]), bt_store_cell_number(max)};
    const struct bt_store_query query = {BT_SQL_COUNT_SCAN_KEYS, cells, 3, take_key, &scan};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_count_scan_names(struct bt_store *store, bt_str space,
                                         const bt_str range[2], bt_store_count_fn *each,
                                         void *context, struct bt_error *error)
{
    assert(range);
    assert(each);
    struct store_counts_scan scan = {each, context};
    const struct bt_store_cell cells[] = {bt_store_cell_text(space), bt_store_cell_text(range[0]),
                                          bt_store_cell_text(range[1])};
    const struct bt_store_query query = {BT_SQL_COUNT_SCAN_NAMES, cells, 3, take_key, &scan};
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

/* ---- Entries by name ------------------------------------------------------------------------- */

static const bt_str space_names[] = {
    [BT_STORE_COUNT_ACTOR] = BT_STR_INIT("actor"),
    [BT_STORE_COUNT_SOURCE] = BT_STR_INIT("source"),
    [BT_STORE_COUNT_TRACE] = BT_STR_INIT("trace"),
    [BT_STORE_COUNT_KIND] = BT_STR_INIT("kind"),
    [BT_STORE_COUNT_BUDGET] = BT_STR_INIT("budget"),
};

bt_str bt_store_count_space_name(enum bt_store_count_space space)
{
    return space_names[space];
}

static bool take_one(void *context, const struct bt_store_cell *cells)
{
    struct bt_store_count *count = context;
    *count = (struct bt_store_count){bt_store_cell_u64(&cells[2]), bt_store_cell_u64(&cells[3])};
    return false;
}

enum bt_status bt_store_count_get(struct bt_store *store, enum bt_store_count_space space,
                                  bt_str name, struct bt_store_count *out, struct bt_error *error)
{
    assert(store);
    assert(out);
    const struct bt_store_cell key[] = {bt_store_cell_text(space_names[space]),
                                        bt_store_cell_text(name)};
    const struct bt_store_row_range row = {BT_TABLE_LEDGER_COUNT, key, 2};
    const struct bt_store_transaction_cache_row *known =
        bt_store_cached_count(store, space_names[space], name);
    struct bt_store_count count = {0, BT_STORE_NONE};
    if (known) {
        count.n = known->exists ? known->seen.seq : 0;
    } else {
        BT_TRY(bt_store_row_scan(store, &row, take_one, &count, error));
    }
    *out = count;
    return BT_OK;
}
