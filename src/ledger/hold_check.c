/* SPDX-License-Identifier: Apache-2.0 */
/* hold_check.c - the table of holds made again from the entries, and compared. */
#include "ledger/hold_check.h"

#include <assert.h>

#include "ledger/hold.h"
#include "store/rows.h"

/* A row of the table, as the entries have it. */
struct ledger_hold_row {
    bt_str reason;
    uint64_t since;
    uint64_t released; /* BT_STORE_NONE: in force */
    bool is_found;     /* in the table */
};

struct ledger_hold_comparison {
    const struct bt_ledger_hold_check *check;
    bt_str wrong;
    enum bt_status status;
};

enum bt_status bt_ledger_hold_check_init(struct bt_ledger_hold_check *check, struct bt_arena *arena)
{
    assert(check);
    uint64_t seed[2];
    BT_TRY(bt_env_make_seed(seed));
    check->arena = arena;
    bt_map_init(&check->rows, arena, seed);
    return BT_OK;
}

static enum bt_status make_key(struct bt_arena *arena, bt_str by, bt_str value, bt_str *out)
{
    return bt_arena_printf(arena, out, "%.*s %.*s", BT_STR_ARG(by), BT_STR_ARG(value));
}

enum bt_status bt_ledger_hold_check_add(struct bt_ledger_hold_check *check,
                                        const struct bt_entry *entry)
{
    assert(check);
    assert(entry);
    struct bt_map_entry *at = NULL;
    bt_str key;
    if (!bt_str_eq(entry->kind, BT_STR("hold"))) {
        return BT_OK;
    }
    const enum bt_ledger_hold_by by = entry->trace_id.len > 0     ? BT_LEDGER_HOLD_TRACE
                                      : entry->handoff_id.len > 0 ? BT_LEDGER_HOLD_HANDOFF
                                                                  : BT_LEDGER_HOLD_DOCUMENT;
    const bt_str value = by == BT_LEDGER_HOLD_TRACE     ? entry->trace_id
                         : by == BT_LEDGER_HOLD_HANDOFF ? entry->handoff_id
                                                        : entry->document.sha256;
    BT_TRY(make_key(check->arena, bt_ledger_hold_by_name(by), value, &key));
    BT_TRY(bt_map_add(&check->rows, bt_map_text(key), &at));
    struct ledger_hold_row *row = at->value.pointer;
    if (!row) {
        row = BT_NEW(check->arena, struct ledger_hold_row);
        at->value.pointer = row;
    }
    if (!row) {
        return BT_ENOMEM;
    }
    const bool is_released = bt_str_eq(entry->refs.event, BT_STR("released"));
    row->since = is_released ? row->since : entry->seq;
    row->released = is_released ? entry->seq : BT_STORE_NONE;
    return bt_arena_copy(check->arena, entry->refs.reason, &row->reason);
}

static bool is_same_row(const struct ledger_hold_row *row, const struct bt_store_cell *cells)
{
    const struct bt_store_cell *released = &cells[BT_HOLD_RELEASED];
    const bool is_in_force = released->type == BT_STORE_CELL_NULL;
    return bt_str_eq(row->reason, cells[BT_HOLD_REASON].text) &&
           row->since == (uint64_t)cells[BT_HOLD_SINCE].number &&
           row->released == (is_in_force ? BT_STORE_NONE : (uint64_t)released->number);
}

static enum bt_status compare_row(struct ledger_hold_comparison *comparing,
                                  const struct bt_store_cell *cells)
{
    bt_str key;
    BT_TRY(
        make_key(comparing->check->arena, cells[BT_HOLD_BY].text, cells[BT_HOLD_VALUE].text, &key));
    const struct bt_map_entry *at = bt_map_find(&comparing->check->rows, bt_map_text(key));
    struct ledger_hold_row *row = at ? at->value.pointer : NULL;
    if (row) {
        row->is_found = true;
    }
    if (!row || !is_same_row(row, cells)) {
        comparing->wrong = key;
    }
    return BT_OK;
}

static bool take_row(void *context, const struct bt_store_cell *cells)
{
    struct ledger_hold_comparison *comparing = context;
    comparing->status = compare_row(comparing, cells);
    return comparing->status == BT_OK && comparing->wrong.len == 0;
}

enum bt_status bt_ledger_hold_check_compare(const struct bt_ledger_hold_check *check,
                                            struct bt_ledger *ledger, bt_str *out_wrong,
                                            struct bt_error *error)
{
    assert(check);
    assert(out_wrong);
    struct ledger_hold_comparison comparing = {.check = check, .wrong = BT_STR_INIT("")};
    const struct bt_store_row_range all = {BT_TABLE_HOLD, NULL, 0};
    BT_TRY(bt_store_row_scan(ledger->store, &all, take_row, &comparing, error));
    BT_TRY(comparing.status);
    for (size_t i = 0; i < check->rows.count && comparing.wrong.len == 0; i++) {
        const struct ledger_hold_row *row = check->rows.entries[i].value.pointer;
        comparing.wrong = row->is_found ? BT_STR("") : check->rows.entries[i].key.text;
    }
    *out_wrong = comparing.wrong;
    return BT_OK;
}
