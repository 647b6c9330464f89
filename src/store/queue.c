/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - items of queues: put, lease, finish.
 */
#include "store/queue.h"

#include <assert.h>
#include <stdlib.h>

#include "store/rows.h"
#include "store/store_internal.h"

enum { LEASE_MAX = 1000, LEASE_BYTES_MAX = 1 << 28, ITEM_BYTES_MAX = 1 << 28 };

/* The words for states in the table. */
static const char *const words[] = {[BT_QUEUE_QUEUED] = "queued",
                                    [BT_QUEUE_LEASED] = "leased",
                                    [BT_QUEUE_DONE] = "done",
                                    [BT_QUEUE_DEAD] = "dead",
                                    [BT_QUEUE_CANCELLED] = "cancelled"};

/* In the order of the table's columns. */
enum { QUEUE_COLUMNS = 12, QUEUE_KEYS = 2 };

static void put_cells(const struct bt_queue_item *item, struct bt_store_cell out[QUEUE_COLUMNS])
{
    const struct bt_store_cell cells[QUEUE_COLUMNS] = {
        bt_store_cell_text(item->queue),
        bt_store_cell_text(item->message),
        bt_store_cell_text(item->target),
        bt_store_cell_number(item->seq),
        bt_store_cell_text(item->thread),
        bt_store_cell_bytes(item->payload),
        bt_store_cell_number(item->not_before_ms),
        bt_store_cell_number(item->lease_until_ms),
        bt_store_cell_text(item->lease),
        bt_store_cell_number(item->attempts),
        bt_store_cell_text(bt_str_of(words[item->state])),
        bt_store_cell_number(item->updated_seq),
    };
    for (size_t i = 0; i < QUEUE_COLUMNS; i++) {
        out[i] = cells[i];
    }
}

/* An unknown word counts as an end state, so the item is not touched. */
static enum bt_queue_state state_of(bt_str word)
{
    enum bt_queue_state state = BT_QUEUE_QUEUED;
    while (state < BT_QUEUE_CANCELLED && !bt_str_eq(word, bt_str_of(words[state]))) {
        state++;
    }
    return state;
}

static struct bt_queue_item item_of(const struct bt_store_cell *cells)
{
    return (struct bt_queue_item){
        .queue = cells[0].text,
        .message = cells[1].text,
        .target = cells[2].text,
        .seq = bt_store_cell_u64(&cells[3]),
        .thread = cells[4].text,
        .payload = cells[5].text,
        .not_before_ms = bt_store_cell_u64(&cells[6]),
        .lease_until_ms = bt_store_cell_u64(&cells[7]),
        .lease = cells[8].text,
        .attempts = bt_store_cell_u64(&cells[9]),
        .state = state_of(cells[10].text),
        .updated_seq = bt_store_cell_u64(&cells[11]),
    };
}

static enum bt_status put_item(struct bt_store *store, const struct bt_queue_item *item,
                               struct bt_error *error)
{
    struct bt_store_cell cells[QUEUE_COLUMNS];
    put_cells(item, cells);
    return bt_store_row_put(store, BT_TABLE_QUEUE, cells, error);
}

/* Items that were found, kept until they are written back. */
struct store_queue_found {
    struct bt_arena *arena;
    struct bt_store_cell (*rows)[QUEUE_COLUMNS];
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static bool keep_row(void *context, const struct bt_store_cell *cells)
{
    struct store_queue_found *found = context;
    assert(found->count < found->capacity);
    struct bt_store_cell *row = found->rows[found->count++];
    for (size_t i = 0; i < QUEUE_COLUMNS && found->status == BT_OK; i++) {
        row[i] = cells[i];
        if (cells[i].text.ptr) {
            found->status = bt_arena_copy(found->arena, cells[i].text, &row[i].text);
        }
    }
    return found->status == BT_OK;
}

enum bt_status bt_queue_put(struct bt_store *store, const struct bt_queue_item *item,
                            struct bt_error *error)
{
    assert(item);
    struct bt_store_cell cells[QUEUE_COLUMNS];
    struct bt_queue_item fresh = *item;
    fresh.state = BT_QUEUE_QUEUED;
    fresh.lease_until_ms = 0;
    fresh.lease = (bt_str){NULL, 0};
    fresh.attempts = 0;
    put_cells(&fresh, cells);
    BT_TRY(bt_store_put(store, BT_SQL_QUEUE_PUT, cells, QUEUE_COLUMNS, error));
    return bt_store_queue_note_change(store, &fresh, 0, BT_QUEUE_QUEUED, error);
}

enum bt_status bt_queue_get(struct bt_store *store, struct bt_arena *arena, const bt_str key[2],
                            struct bt_queue_item *out, struct bt_error *error)
{
    assert(out);
    const struct bt_store_cell cells[QUEUE_KEYS] = {bt_store_cell_text(key[0]),
                                                    bt_store_cell_text(key[1])};
    const struct bt_store_row_range scan = {BT_TABLE_QUEUE, cells, QUEUE_KEYS};
    const struct bt_store_cell *row = NULL;
    BT_TRY(bt_store_row_get(store, arena, &scan, &row, error));
    *out = item_of(row);
    return BT_OK;
}

/* Find an item; no other node can lease it until the transaction ends. */
static enum bt_status find_item(struct bt_store *store, struct bt_arena *arena, const bt_str key[2],
                                struct bt_queue_item *out, struct bt_error *error)
{
    struct bt_store_cell row[1][QUEUE_COLUMNS];
    struct store_queue_found found = {.arena = arena, .rows = row, .capacity = 1};
    const struct bt_store_cell cells[QUEUE_KEYS] = {bt_store_cell_text(key[0]),
                                                    bt_store_cell_text(key[1])};
    const struct bt_store_query query = {BT_SQL_QUEUE_HOLD, cells, QUEUE_KEYS, keep_row, &found};
    BT_TRY(bt_store_write(store, &query, error));
    if (found.status != BT_OK || found.count == 0) {
        return bt_error_set(error, found.status == BT_OK ? BT_ENOENT : found.status,
                            "the item does not exist");
    }
    *out = item_of(row[0]);
    return BT_OK;
}

/* The item, if this lease holds it. */
static enum bt_status find_held(struct bt_store *store, struct bt_arena *arena,
                                const struct bt_queue_end *held, struct bt_queue_item *out,
                                struct bt_error *error)
{
    const bt_str key[2] = {held->queue, held->message};
    BT_TRY(find_item(store, arena, key, out, error));
    if (out->state != BT_QUEUE_QUEUED && out->state != BT_QUEUE_LEASED) {
        return bt_error_set(error, BT_ENOENT, "the item has been ended");
    }
    const bool is_taken = out->state == BT_QUEUE_LEASED;
    const bool is_ours = held->lease.ptr ? is_taken && bt_str_eq(out->lease, held->lease)
                                         : !is_taken || out->lease_until_ms <= held->now_ms;
    return is_ours ? BT_OK
                   : bt_error_set(error, BT_EDENIED, "the lease of the item is not this one");
}

static enum bt_status finish_item(struct bt_store *store, struct bt_arena *arena,
                                  const struct bt_queue_end *end, struct bt_error *error)
{
    struct bt_queue_item item = {.attempts = 0};
    BT_TRY(find_held(store, arena, end, &item, error));
    const bool has_payload = end->state == BT_QUEUE_QUEUED || end->state == BT_QUEUE_DEAD;
    const enum bt_queue_state before = item.state;
    item.payload = has_payload ? item.payload : (bt_str){NULL, 0};
    item.state = end->state;
    item.lease = (bt_str){NULL, 0};
    item.lease_until_ms = 0;
    item.not_before_ms = end->state == BT_QUEUE_QUEUED ? end->not_before_ms : item.not_before_ms;
    item.updated_seq = end->seq;
    BT_TRY(put_item(store, &item, error));
    return bt_store_queue_note_change(store, &item, before, item.state, error);
}

enum bt_status bt_queue_finish(struct bt_store *store, const struct bt_queue_end *end,
                               struct bt_error *error)
{
    assert(end);
    assert(end->state != BT_QUEUE_LEASED);
    struct bt_arena arena;
    bt_arena_init(&arena, ITEM_BYTES_MAX);
    const enum bt_status status = finish_item(store, &arena, end, error);
    bt_arena_free(&arena);
    return status;
}

enum bt_status bt_queue_retry(struct bt_store *store, const bt_str key[2], uint64_t seq,
                              struct bt_error *error)
{
    assert(key);
    struct bt_arena arena;
    struct bt_queue_item item = {.attempts = 0};
    bt_arena_init(&arena, ITEM_BYTES_MAX);
    enum bt_status status = find_item(store, &arena, key, &item, error);
    if (status == BT_OK && (item.state != BT_QUEUE_DEAD || !item.payload.ptr)) {
        status = bt_error_set(error, BT_ENOENT, "the item is not dead, or its document is gone");
    }
    if (status == BT_OK) {
        item.state = BT_QUEUE_QUEUED;
        item.attempts = 0;
        item.not_before_ms = 0;
        item.updated_seq = seq;
        status = put_item(store, &item, error);
    }
    if (status == BT_OK) {
        status = bt_store_queue_note_change(store, &item, BT_QUEUE_DEAD, BT_QUEUE_QUEUED, error);
    }
    bt_arena_free(&arena);
    return status;
}

/* Find the oldest available items in a state. */
static enum bt_status find_ready(struct bt_store *store, const struct bt_queue_lease *lease,
                                 enum bt_queue_state state, uint64_t max,
                                 struct store_queue_found *found, struct bt_error *error)
{
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(bt_str_of(words[state])), bt_store_cell_text(lease->queue),
        bt_store_cell_text(lease->target),           bt_store_cell_number(lease->now_ms),
        bt_store_cell_number(lease->attempts_max),   bt_store_cell_number(max)};
    const struct bt_store_query ready = {BT_SQL_QUEUE_READY, cells, 6, keep_row, found};
    BT_TRY(bt_store_run(store, &ready, error));
    return found->status == BT_OK
               ? BT_OK
               : bt_error_set(error, found->status, "%s", bt_status_text(found->status));
}

static int compare_rows(const void *left, const void *right)
{
    const struct bt_queue_item a = item_of(left);
    const struct bt_queue_item b = item_of(right);
    return a.seq != b.seq ? (a.seq > b.seq) - (a.seq < b.seq)
                          : bt_str_compare(a.message, b.message);
}

/* Items that wait, and those whose lease has expired, each in the order of an index. */
static enum bt_status find_oldest(struct bt_store *store, const struct bt_queue_lease *lease,
                                  struct store_queue_found *found, struct bt_error *error)
{
    const size_t wanted = found->capacity / 2;
    BT_TRY(find_ready(store, lease, BT_QUEUE_LEASED, wanted, found, error));
    const bool has_expired = found->count > 0;
    BT_TRY(find_ready(store, lease, BT_QUEUE_QUEUED, wanted, found, error));
    if (has_expired) {
        qsort(found->rows, found->count, sizeof(*found->rows), compare_rows);
    }
    found->count = found->count < wanted ? found->count : wanted;
    return BT_OK;
}

static enum bt_status take_all(struct bt_store *store, const struct bt_queue_lease *lease,
                               struct store_queue_found *found, struct bt_error *error)
{
    BT_TRY(find_oldest(store, lease, found, error));
    bt_store_defer(store);
    for (size_t i = 0; i < found->count; i++) {
        struct bt_queue_item item = item_of(found->rows[i]);
        item.state = BT_QUEUE_LEASED;
        item.lease = lease->token;
        item.lease_until_ms = lease->until_ms;
        item.attempts++;
        put_cells(&item, found->rows[i]);
        BT_TRY(put_item(store, &item, error));
    }
    return BT_OK;
}

static enum bt_status lease_in(struct bt_store *store, struct bt_arena *arena,
                               const struct bt_queue_lease *lease, struct store_queue_found *found,
                               struct bt_error *error)
{
    const uint64_t wanted = lease->count_max < LEASE_MAX ? lease->count_max : LEASE_MAX;
    *found = (struct store_queue_found){.arena = arena, .capacity = 2 * (size_t)wanted};
    found->rows = bt_arena_calloc(arena, found->capacity + 1, sizeof(*found->rows));
    if (!found->rows) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_store_begin_concurrent(store, error));
    const enum bt_status status = take_all(store, lease, found, error);
    if (status != BT_OK) {
        bt_store_rollback(store);
        return status;
    }
    return bt_store_commit(store, error);
}

enum bt_status bt_queue_lease(struct bt_store *store, const struct bt_queue_lease *lease,
                              bt_queue_fn *each, void *context, struct bt_error *error)
{
    assert(lease);
    assert(lease->target.len > 0);
    assert(each);
    struct bt_arena arena;
    struct store_queue_found found;
    bt_arena_init(&arena, LEASE_BYTES_MAX);
    const enum bt_status status = lease_in(store, &arena, lease, &found, error);
    bool go_on = status == BT_OK;
    for (size_t i = 0; go_on && i < found.count; i++) {
        const struct bt_queue_item item = item_of(found.rows[i]);
        go_on = each(context, &item);
    }
    bt_arena_free(&arena);
    return status;
}

struct store_queue_scan {
    bt_queue_fn *each;
    void *context;
};

static bool pass_item(void *context, const struct bt_store_cell *cells)
{
    const struct store_queue_scan *passing = context;
    const struct bt_queue_item item = item_of(cells);
    return passing->each(passing->context, &item);
}

enum bt_status bt_queue_each(struct bt_store *store, bt_str queue, bt_queue_fn *each, void *context,
                             struct bt_error *error)
{
    assert(each);
    struct store_queue_scan passing = {each, context};
    const struct bt_store_cell key = bt_store_cell_text(queue);
    const struct bt_store_row_range range = {BT_TABLE_QUEUE, &key, 1};
    return bt_store_row_scan(store, &range, pass_item, &passing, error);
}

enum bt_status bt_queue_each_exhausted(struct bt_store *store, const struct bt_queue_limit *limit,
                                       bt_queue_fn *each, void *context, struct bt_error *error)
{
    assert(limit);
    assert(each);
    struct store_queue_scan passing = {each, context};
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(limit->queue), bt_store_cell_text(limit->target),
        bt_store_cell_number(limit->now_ms), bt_store_cell_number(limit->attempts)};
    const struct bt_store_query query = {BT_SQL_QUEUE_SPENT, cells, 4, pass_item, &passing};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_queue_each_with_document(struct bt_store *store, bt_str sha256, bt_queue_fn *each,
                                           void *context, struct bt_error *error)
{
    assert(each);
    struct store_queue_scan passing = {each, context};
    uint64_t range[2];
    BT_TRY(bt_store_entries_of(store, sha256, range, error));
    const struct bt_store_cell cells[] = {bt_store_cell_bytes(sha256),
                                          bt_store_cell_number(range[0]),
                                          bt_store_cell_number(range[1])};
    const struct bt_store_query query = {BT_SQL_QUEUE_OF_DOCUMENT, cells, 3, pass_item, &passing};
    return bt_store_run(store, &query, error);
}

struct store_queue_sizes {
    bt_queue_size_fn *each;
    void *context;
};

static bool take_size(void *context, const struct bt_store_cell *cells)
{
    const struct store_queue_sizes *sizes = context;
    const uint64_t open = bt_store_cell_u64(&cells[2]);
    const uint64_t leased = bt_store_cell_u64(&cells[3]);
    const uint64_t oldest[2] = {bt_store_cell_u64(&cells[5]), bt_store_cell_u64(&cells[6])};
    const struct bt_queue_size size = {
        .queue = cells[0].text,
        .target = cells[1].text,
        .queued = open > leased ? open - leased : 0,
        .leased = leased,
        .dead = bt_store_cell_u64(&cells[4]),
        .oldest = oldest[0] < oldest[1] ? oldest[0] : oldest[1],
        .attempts_max = bt_store_cell_u64(&cells[7]),
    };
    return sizes->each(sizes->context, &size);
}

enum bt_status bt_queue_each_size(struct bt_store *store, uint64_t now_ms, uint64_t max,
                                  bt_queue_size_fn *each, void *context, struct bt_error *error)
{
    assert(each);
    struct store_queue_sizes sizes = {each, context};
    const struct bt_store_cell cells[] = {bt_store_cell_number(now_ms), bt_store_cell_number(max)};
    bool has_counts = false;
    BT_TRY(bt_queue_has_counts(store, &has_counts, error));
    const struct bt_store_query query = {has_counts ? BT_SQL_QUEUE_SIZES : BT_SQL_QUEUE_SIZES_READ,
                                         cells, 2, take_size, &sizes};
    return bt_store_run(store, &query, error);
}
