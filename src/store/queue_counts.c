/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_counts.c - how many items each receiver has, counted with every decision.
 *
 * The counters are rows of ledger_count: "queue/inbox/open" counts the items that wait or are
 * leased, "queue/inbox/dead" those that were given up, and likewise for webhooks. A lease changes
 * none of them. What a transaction changes is summed up and written before its commit. The row
 * "queue/" says that the others are complete; a store without it is counted by the next decision.
 */
#include <assert.h>

#include "base/str.h"
#include "store/queue.h"
#include "store/store_internal.h"

enum { CHANGES_BYTES_MAX = 64 << 20, SPACES = 4 };

/* By queue, and whether the item is dead. */
static const bt_str spaces[SPACES] = {
    BT_STR_INIT("queue/inbox/open"), BT_STR_INIT("queue/inbox/dead"),
    BT_STR_INIT("queue/webhook/open"), BT_STR_INIT("queue/webhook/dead")};

void bt_store_queue_changes_init(struct bt_store_queue_changes *changes)
{
    assert(changes);
    /* Collisions are bounded by the number of items in a transaction. */
    static const uint64_t seed[2] = {0, 0};
    *changes = (struct bt_store_queue_changes){.is_complete = false};
    bt_arena_init(&changes->arena, CHANGES_BYTES_MAX);
    bt_map_init(&changes->sums, &changes->arena, seed);
}

void bt_store_queue_changes_clear(struct bt_store_queue_changes *changes)
{
    assert(changes);
    if (changes->sums.count > 0) {
        const bool is_complete = changes->is_complete;
        bt_arena_free(&changes->arena);
        bt_store_queue_changes_init(changes);
        changes->is_complete = is_complete;
    }
}

void bt_store_queue_changes_free(struct bt_store_queue_changes *changes)
{
    assert(changes);
    bt_arena_free(&changes->arena);
}

static enum bt_status add_change(struct bt_store_queue_changes *changes, size_t space,
                                 bt_str target, int64_t by)
{
    struct bt_map_key key = {target, space};
    struct bt_map_entry *found = bt_map_find(&changes->sums, key);
    if (!found) {
        BT_TRY(bt_arena_copy(&changes->arena, target, &key.text));
        BT_TRY(bt_map_add(&changes->sums, key, &found));
    }
    found->value.number += (uint64_t)by; /* modulo 2^64, so that it may be negative */
    return BT_OK;
}

static bool is_open(enum bt_queue_state state)
{
    return state == BT_QUEUE_QUEUED || state == BT_QUEUE_LEASED;
}

enum bt_status bt_store_queue_note_change(struct bt_store *store, const struct bt_queue_item *item,
                                          enum bt_queue_state from, enum bt_queue_state to,
                                          struct bt_error *error)
{
    assert(store);
    assert(item);
    struct bt_store_queue_changes *changes = &store->queue_changes;
    const bool is_webhook = bt_str_eq(item->queue, BT_STR("webhook"));
    const size_t first = is_webhook ? 2 : 0;
    const int open = is_open(to) - is_open(from);
    const int dead = (to == BT_QUEUE_DEAD) - (from == BT_QUEUE_DEAD);
    enum bt_status status = BT_OK;
    if (!is_webhook && !bt_str_eq(item->queue, BT_STR("inbox"))) {
        return BT_OK;
    }
    changes->seq = item->updated_seq;
    if (open != 0) {
        status = add_change(changes, first, item->target, open);
    }
    if (dead != 0 && status == BT_OK) {
        status = add_change(changes, first + 1, item->target, dead);
    }
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

static bool note_row(void *context, bt_str space, bt_str name, uint64_t count)
{
    (void)space;
    (void)name;
    *(bool *)context = count > 0;
    return false;
}

enum bt_status bt_queue_has_counts(struct bt_store *store, bool *out_has, struct bt_error *error)
{
    assert(store);
    assert(out_has);
    const bt_str range[2] = {BT_STR("queue/"), spaces[0]};
    bool has = false;
    BT_TRY(bt_store_count_scan(store, range, 1, note_row, &has, error));
    *out_has = has;
    return BT_OK;
}

enum bt_status bt_queue_count_again(struct bt_store *store, uint64_t seq, struct bt_error *error)
{
    assert(store);
    static const bt_str all[2] = {BT_STR_INIT("queue/"), BT_STR_INIT("queue0")};
    const struct bt_store_cell cell = bt_store_cell_number(seq);
    BT_TRY(bt_store_count_delete(store, all, error));
    return bt_store_put(store, BT_SQL_QUEUE_COUNT_ALL, &cell, 1, error);
}

static bool take_wrong(void *context, const struct bt_store_cell *cells)
{
    *(uint64_t *)context = bt_store_cell_u64(&cells[0]);
    return false;
}

enum bt_status bt_queue_counts_agree(struct bt_store *store, bool *out_agree,
                                     struct bt_error *error)
{
    assert(out_agree);
    uint64_t wrong = 0;
    const struct bt_store_query query = {BT_SQL_QUEUE_COUNTS_WRONG, NULL, 0, take_wrong, &wrong};
    BT_TRY(bt_store_run(store, &query, error));
    *out_agree = wrong == 0;
    return BT_OK;
}

static enum bt_status write_change(struct bt_store *store, const struct bt_map_entry *change,
                                   uint64_t seq, struct bt_error *error)
{
    const int64_t by = (int64_t)change->value.number;
    struct bt_store_cell cells[] = {bt_store_cell_text(spaces[change->key.number]),
                                    bt_store_cell_text(change->key.text), bt_store_cell_number(0),
                                    bt_store_cell_number(seq)};
    if (by == 0) {
        return BT_OK;
    }
    cells[2].number = by;
    BT_TRY(bt_store_put(store, BT_SQL_COUNT_ADD, cells, 4, error));
    return by < 0 ? bt_store_put(store, BT_SQL_COUNT_DROP, cells, 2, error) : BT_OK;
}

enum bt_status bt_store_queue_write_changes(struct bt_store *store, struct bt_error *error)
{
    assert(store);
    struct bt_store_queue_changes *changes = &store->queue_changes;
    if (changes->sums.count == 0) {
        return BT_OK;
    }
    if (!changes->is_complete) {
        BT_TRY(bt_queue_has_counts(store, &changes->is_complete, error));
    }
    if (!changes->is_complete) {
        return bt_queue_count_again(store, changes->seq, error);
    }
    for (size_t i = 0; i < changes->sums.count; i++) {
        BT_TRY(write_change(store, &changes->sums.entries[i], changes->seq, error));
    }
    return BT_OK;
}
