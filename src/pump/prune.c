/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune.c - delete finished messages after some days.
 *
 * Messages have numbers and no time. So the first number of each day is recorded, and everything
 * below the first number of the oldest day to be kept is old.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ledger/ledger_internal.h"
#include "pump/message_rows.h"
#include "pump/pump_store.h"
#include "store/rows.h"

enum { AT_ONCE = 256, DAY_S = 86400, DAY_BYTES = 32 };

/* Rows that are to be deleted, and where the scan ended. */
struct pump_prune_state {
    struct bt_pump_store *rows;
    struct bt_arena *arena;
    uint64_t now_s;
    uint64_t since; /* the oldest day that is kept */
    uint64_t bound; /* the first message of that day, or of the first day after it */
    uint64_t next;  /* the message after the last that was scanned */
    uint64_t numbers[AT_ONCE];
    size_t count;
    bt_str days[AT_ONCE]; /* counters of days that are not kept */
    size_t days_count;
    struct bt_store_cell ids[AT_ONCE][2];
    size_t ids_count;
    enum bt_status status;
};

static bool each_counter(void *context, const struct bt_store_cell *cells)
{
    struct pump_prune_state *pruning = context;
    const bt_str prefix = BT_STR(BT_COUNTER_DAY);
    uint64_t day = 0;
    if (!bt_str_starts_with(cells[0].text, prefix) ||
        bt_str_to_u64(bt_str_slice(cells[0].text, prefix.len, cells[0].text.len), &day) != BT_OK) {
        return true;
    }
    if (day >= pruning->since) {
        const uint64_t first = (uint64_t)cells[1].number;
        pruning->bound = first < pruning->bound ? first : pruning->bound;
    } else if (pruning->days_count < AT_ONCE) {
        pruning->status =
            bt_arena_copy(pruning->arena, cells[0].text, &pruning->days[pruning->days_count++]);
    }
    return pruning->status == BT_OK;
}

static enum bt_status note_day(struct bt_pump_store *rows, uint64_t day, struct bt_error *error)
{
    char name[DAY_BYTES];
    const int size = snprintf(name, sizeof(name), BT_COUNTER_DAY "%" PRIu64, day);
    const bt_str owner = {name, (size_t)size};
    const struct bt_store_cell cells[] = {bt_store_cell_text(owner),
                                          bt_store_cell_number(rows->core->next.number),
                                          bt_store_cell_null()};
    const struct bt_store_cell *found = NULL;
    const struct bt_store_row_range scan = {BT_TABLE_PUMP_COUNTER, cells, 1};
    const enum bt_status status =
        bt_store_row_get(rows->ledger->store, &rows->arena, &scan, &found, error);
    return status != BT_ENOENT
               ? status
               : bt_store_row_put(rows->ledger->store, BT_TABLE_PUMP_COUNTER, cells, error);
}

/* True when a client has not taken the delivery. */
static bool is_awaited(const struct pump_prune_state *pruning, const struct bt_store_cell *cells)
{
    uint64_t id = 0;
    return bt_str_to_u64(cells[BT_PUMP_MESSAGE_CALL].text, &id) == BT_OK &&
           bt_pump_store_has_pending_delivery(pruning->rows, pruning->arena,
                                              cells[BT_PUMP_MESSAGE_TARGET].text, id);
}

static bool each_message(void *context, const struct bt_store_cell *cells)
{
    struct pump_prune_state *pruning = context;
    const uint64_t number = (uint64_t)cells[BT_PUMP_MESSAGE_N].number;
    if (number >= pruning->bound || pruning->count == AT_ONCE) {
        return false;
    }
    const bool is_egress = bt_str_eq(cells[BT_PUMP_MESSAGE_KIND].text, BT_STR("egress"));
    const bool waits = is_egress ? is_awaited(pruning, cells)
                                 : bt_pump_core_find_message(pruning->rows->core, number) != NULL;
    pruning->next = number + 1;
    if (!waits) {
        pruning->numbers[pruning->count++] = number;
    }
    return true;
}

static bool each_id(void *context, const struct bt_store_cell *cells)
{
    struct pump_prune_state *pruning = context;
    if ((uint64_t)cells[5].number > pruning->now_s) {
        return true;
    }
    bt_str client = BT_STR("");
    bt_str id = BT_STR("");
    pruning->status = bt_arena_copy(pruning->arena, cells[0].text, &client);
    if (pruning->status == BT_OK) {
        pruning->status = bt_arena_copy(pruning->arena, cells[1].text, &id);
    }
    pruning->ids[pruning->ids_count][0] = bt_store_cell_text(client);
    pruning->ids[pruning->ids_count++][1] = bt_store_cell_text(id);
    return pruning->status == BT_OK && pruning->ids_count < AT_ONCE;
}

static enum bt_status find_old_rows(struct pump_prune_state *pruning, struct bt_error *error)
{
    struct bt_store *store = pruning->rows->ledger->store;
    const struct bt_store_row_range counters = {.table = BT_TABLE_PUMP_COUNTER};
    const struct bt_store_row_range ids = {.table = BT_TABLE_PUMP_ID};
    const struct bt_store_cell from = bt_store_cell_number(pruning->rows->pruned);
    BT_TRY(bt_store_row_scan(store, &counters, each_counter, pruning, error));
    BT_TRY(pruning->status);
    BT_TRY(
        bt_store_row_scan_from(store, BT_TABLE_PUMP_MESSAGE, &from, each_message, pruning, error));
    BT_TRY(bt_store_row_scan(store, &ids, each_id, pruning, error));
    return pruning->status;
}

static enum bt_status delete_old_rows(struct pump_prune_state *pruning, uint64_t day,
                                      struct bt_error *error)
{
    struct bt_store *store = pruning->rows->ledger->store;
    BT_TRY(note_day(pruning->rows, day, error));
    for (size_t i = 0; i < pruning->count; i++) {
        const struct bt_store_cell key = bt_store_cell_number(pruning->numbers[i]);
        BT_TRY(bt_store_row_delete(store, BT_TABLE_PUMP_MESSAGE, &key, error));
    }
    for (size_t i = 0; i < pruning->ids_count; i++) {
        BT_TRY(bt_store_row_delete(store, BT_TABLE_PUMP_ID, pruning->ids[i], error));
    }
    for (size_t i = 0; i < pruning->days_count; i++) {
        const struct bt_store_cell key = bt_store_cell_text(pruning->days[i]);
        BT_TRY(bt_store_row_delete(store, BT_TABLE_PUMP_COUNTER, &key, error));
    }
    return BT_OK;
}

static enum bt_status prune_store(struct pump_prune_state *pruning, uint64_t day,
                                  struct bt_error *error)
{
    struct bt_store *store = pruning->rows->ledger->store;
    BT_TRY(find_old_rows(pruning, error));
    BT_TRY(bt_store_begin(store, error));
    const enum bt_status status = delete_old_rows(pruning, day, error);
    if (status != BT_OK) {
        bt_store_rollback(store);
        return status;
    }
    return bt_store_commit(store, error);
}

enum bt_status bt_pump_store_prune(struct bt_pump_store *rows, uint64_t days, bool *out_more,
                                   struct bt_error *error)
{
    assert(rows);
    const uint64_t now_s = (uint64_t)bt_env_now(rows->core->env).seconds;
    const uint64_t day = now_s / DAY_S;
    *out_more = false;
    if (rows->day == day) {
        return BT_OK;
    }
    struct bt_arena *arena = &rows->core->work;
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    struct pump_prune_state *pruning = BT_NEW(arena, struct pump_prune_state);
    if (!pruning) {
        return BT_ENOMEM;
    }
    *pruning = (struct pump_prune_state){.rows = rows,
                                         .arena = arena,
                                         .now_s = now_s,
                                         .since = day > days ? day - days : 0,
                                         .bound = rows->core->next.number,
                                         .next = rows->pruned,
                                         .status = BT_OK};
    const enum bt_status status = prune_store(pruning, day, error);
    *out_more = pruning->count == AT_ONCE || pruning->ids_count == AT_ONCE;
    rows->pruned = *out_more ? pruning->next : 0;
    rows->day = *out_more ? rows->day : day;
    bt_arena_rewind(arena, mark);
    return status;
}
