/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_store_load.c - the core as the store knows it: counters, roots, threads from the top down,
 * messages.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ledger/ledger_internal.h"
#include "pump/message_rows.h"
#include "pump/pump_store.h"
#include "store/rows.h"

struct pump_load_thread_row {
    uint64_t depth;
    struct bt_pump_core_row row;
};

struct pump_store_load_state {
    struct bt_pump_store *rows;
    struct bt_arena *arena; /* of what is read */
    enum bt_status status;
    uint64_t passed;
    uint64_t oldest;
    uint8_t
        *over; /* one bit per message from the oldest on: it caused another one, so it is over */
    uint64_t numbers; /* bits in `over` */
    struct bt_pump_store_delivery **fresh_end;
    BT_VEC(struct pump_load_thread_row) threads;
};

static bt_str skip_prefix(bt_str text, const char *prefix)
{
    return bt_str_slice(text, strlen(prefix), text.len);
}

static void take_counter(struct pump_store_load_state *loading, bt_str owner, uint64_t next)
{
    struct bt_pump_core *core = loading->rows->core;
    if (bt_str_starts_with(owner, BT_STR(BT_COUNTER_CALL))) {
        const uint32_t listener =
            bt_pump_core_find_listener(core, skip_prefix(owner, BT_COUNTER_CALL));
        if (listener != BT_NOBODY) {
            core->listeners[listener].next_call = next;
        }
    } else if (bt_str_starts_with(owner, BT_STR(BT_COUNTER_DELIVERY))) {
        const uint32_t client =
            bt_pump_core_find_client(core, skip_prefix(owner, BT_COUNTER_DELIVERY));
        if (client != BT_NOBODY) {
            core->clients[client].next_delivery = next;
        }
    } else if (bt_str_starts_with(owner, BT_STR(BT_COUNTER_FILED))) {
        const uint32_t client =
            bt_pump_core_find_client(core, skip_prefix(owner, BT_COUNTER_FILED));
        if (client != BT_NOBODY) {
            loading->rows->stored.filed[client] = next;
        }
    } else if (bt_str_eq(owner, BT_STR(BT_COUNTER_NUMBER))) {
        core->next.number = next;
    } else if (bt_str_eq(owner, BT_STR(BT_COUNTER_OLDEST))) {
        loading->oldest = next;
    } else if (bt_str_eq(owner, BT_STR(BT_COUNTER_DONE))) {
        core->counts.done = loading->rows->stored.done = next;
    } else if (bt_str_eq(owner, BT_STR(BT_COUNTER_DEAD))) {
        core->counts.dead = loading->rows->stored.dead = next;
    }
}

static bool each_counter(void *context, const struct bt_store_cell *cells)
{
    take_counter(context, cells[0].text, (uint64_t)cells[1].number);
    return true;
}

/* "replied 17": whether it has, and which request it serves; of a root "spent 17": whether it is,
 * and its place in the ring. */
static bool take_state(bt_str state, struct bt_pump_core_row *row)
{
    const size_t blank = bt_str_find_byte(state, ' ', 0);
    const bt_str word = bt_str_slice(state, 0, blank);
    row->has_replied = bt_str_eq(word, BT_STR("replied"));
    row->is_spent = bt_str_eq(word, BT_STR("spent"));
    return blank < state.len &&
           bt_str_to_u64(bt_str_slice(state, blank + 1, state.len), &row->number) == BT_OK;
}

static enum bt_status note_thread(struct pump_store_load_state *loading,
                                  const struct bt_store_cell *cells)
{
    const struct bt_pump_core *core = loading->rows->core;
    struct bt_pump_core_row row = {.tokens = (uint64_t)cells[BT_THREAD_TOKENS].number};
    BT_TRY(bt_vec_reserve(loading->arena, &loading->threads, 1));
    BT_TRY(bt_arena_copy(loading->arena, cells[BT_THREAD_ID].text, &row.id));
    BT_TRY(bt_arena_copy(loading->arena, cells[BT_THREAD_UUID].text, &row.uuid));
    BT_TRY(bt_arena_copy(loading->arena, cells[BT_THREAD_PARENT].text, &row.parent));
    row.client = bt_pump_core_find_client(core, cells[BT_THREAD_CLIENT].text);
    row.owner = bt_pump_core_find_listener(core, cells[BT_THREAD_LISTENER].text);
    if (!take_state(cells[BT_THREAD_STATE].text, &row)) {
        return BT_ECORRUPT;
    }
    loading->threads.items[loading->threads.count++] =
        (struct pump_load_thread_row){(uint64_t)cells[BT_THREAD_DEPTH].number, row};
    return BT_OK;
}

static bool each_thread(void *context, const struct bt_store_cell *cells)
{
    struct pump_store_load_state *loading = context;
    loading->status = note_thread(loading, cells);
    return loading->status == BT_OK;
}

static int by_depth(const void *left, const void *right)
{
    const uint64_t a = ((const struct pump_load_thread_row *)left)->depth;
    const uint64_t b = ((const struct pump_load_thread_row *)right)->depth;
    return a < b ? -1 : a > b;
}

/* Load from the top down; threads whose parent or listener no longer exists are skipped. */
static enum bt_status load_threads(struct pump_store_load_state *loading)
{
    struct bt_pump_core *core = loading->rows->core;
    if (loading->threads.count > 0) {
        qsort(loading->threads.items, loading->threads.count, sizeof(loading->threads.items[0]),
              by_depth);
    }
    for (size_t i = 0; i < loading->threads.count; i++) {
        const struct bt_pump_core_row *row = &loading->threads.items[i].row;
        const enum bt_status status = loading->threads.items[i].depth == 0
                                          ? bt_pump_core_load_root(core, row)
                                          : bt_pump_core_load_thread(core, row);
        loading->passed += status == BT_ECORRUPT;
        if (status != BT_OK && status != BT_ECORRUPT) {
            return status;
        }
    }
    return BT_OK;
}

static uint32_t sender_of(const struct bt_pump_core *core, enum bt_pump_message_kind kind,
                          bt_str name)
{
    if (kind == BT_PUMP_MESSAGE_KIND_INGRESS) {
        return BT_FROM_CLIENT;
    }
    const uint32_t listener = bt_pump_core_find_listener(core, name);
    return listener == BT_NOBODY ? BT_FROM_CORE : listener;
}

static bool is_over(const struct pump_store_load_state *loading, uint64_t number)
{
    const uint64_t at = number - loading->oldest;
    return at < loading->numbers && (loading->over[at / 8] & 1U << at % 8) != 0;
}

static bool each_cause(void *context, const struct bt_store_cell *cells)
{
    struct pump_store_load_state *loading = context;
    const struct bt_store_cell *cause = &cells[BT_PUMP_MESSAGE_CAUSE];
    const uint64_t at = (uint64_t)cause->number - loading->oldest;
    if (cause->type == BT_STORE_CELL_NUMBER && at < loading->numbers &&
        !bt_str_eq(cells[BT_PUMP_MESSAGE_KIND].text, BT_STR("ingress"))) {
        loading->over[at / 8] |= (uint8_t)(1U << at % 8);
    }
    return true;
}

/* Add a delivery that the last commit made. */
static enum bt_status note_fresh(struct pump_store_load_state *loading,
                                 const struct bt_store_cell *cells)
{
    struct bt_pump_store *rows = loading->rows;
    struct bt_pump_store_delivery made = {
        .client = bt_pump_core_find_client(rows->core, cells[BT_PUMP_MESSAGE_TARGET].text),
        .number = (uint64_t)cells[BT_PUMP_MESSAGE_N].number};
    BT_TRY(bt_str_to_u64(cells[BT_PUMP_MESSAGE_CALL].text, &made.delivery));
    if (made.client == BT_NOBODY || made.delivery < rows->stored.filed[made.client]) {
        return BT_OK;
    }
    struct bt_pump_store_delivery *store_delivery =
        BT_NEW(&rows->arena, struct bt_pump_store_delivery);
    if (!store_delivery) {
        return BT_ENOMEM;
    }
    *store_delivery = made;
    *loading->fresh_end = store_delivery;
    loading->fresh_end = &store_delivery->next;
    return BT_OK;
}

static bool each_message(void *context, const struct bt_store_cell *cells)
{
    struct pump_store_load_state *loading = context;
    struct bt_pump_core *core = loading->rows->core;
    struct bt_pump_core_row row = {.id = cells[BT_PUMP_MESSAGE_THREAD].text,
                                   .number = (uint64_t)cells[BT_PUMP_MESSAGE_N].number,
                                   .kind =
                                       bt_pump_message_kind_parse(cells[BT_PUMP_MESSAGE_KIND].text),
                                   .tag = cells[BT_PUMP_MESSAGE_TAG].text,
                                   .payload = cells[BT_PUMP_MESSAGE_PAYLOAD].text};
    if (row.kind == BT_PUMP_MESSAGE_KIND_EGRESS) {
        loading->status = note_fresh(loading, cells);
        return loading->status == BT_OK;
    }
    if (is_over(loading, row.number) ||
        !bt_str_eq(cells[BT_PUMP_MESSAGE_STATE].text, BT_STR("queued"))) {
        return true;
    }
    row.sender = sender_of(core, row.kind, cells[BT_PUMP_MESSAGE_SENDER].text);
    if (row.kind == BT_PUMP_MESSAGE_KIND_NONE ||
        bt_str_to_u64(cells[BT_PUMP_MESSAGE_CALL].text, &row.call) != BT_OK) {
        loading->status = BT_ECORRUPT;
        return false;
    }
    const enum bt_status status = bt_pump_core_load_message(core, &row);
    loading->passed += status == BT_ECORRUPT;
    loading->status = status == BT_ECORRUPT ? BT_OK : status;
    return loading->status == BT_OK;
}

static enum bt_status load_messages(struct pump_store_load_state *loading, struct bt_error *error)
{
    struct bt_store *store = loading->rows->ledger->store;
    const uint64_t next = loading->rows->core->next.number;
    const struct bt_store_cell from = bt_store_cell_number(loading->oldest);
    loading->numbers = next > loading->oldest ? next - loading->oldest : 0;
    loading->over = BT_NEW_ARRAY(loading->arena, uint8_t, loading->numbers / 8 + 1);
    if (!loading->over) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_store_row_scan_from(store, BT_TABLE_PUMP_MESSAGE, &from, each_cause, loading, error));
    BT_TRY(
        bt_store_row_scan_from(store, BT_TABLE_PUMP_MESSAGE, &from, each_message, loading, error));
    return loading->status;
}

/* In a store of an earlier version every pending delivery has a row. */
static void begin_filing(struct bt_pump_store *rows)
{
    for (uint32_t i = 0; i < rows->core->clients_count; i++) {
        rows->stored.deliveries[i] = rows->core->clients[i].next_delivery;
        if (rows->stored.filed[i] == 0) {
            rows->stored.filed[i] = rows->stored.deliveries[i];
        }
    }
}

static enum bt_status load_state(struct pump_store_load_state *loading, struct bt_error *error)
{
    struct bt_store *store = loading->rows->ledger->store;
    struct bt_pump_core *core = loading->rows->core;
    const struct bt_store_row_range counters = {.table = BT_TABLE_PUMP_COUNTER};
    const struct bt_store_row_range threads = {.table = BT_TABLE_THREAD};
    BT_TRY(bt_store_row_scan(store, &counters, each_counter, loading, error));
    begin_filing(loading->rows);
    BT_TRY(bt_store_row_scan(store, &threads, each_thread, loading, error));
    BT_TRY(loading->status);
    BT_TRY(load_threads(loading));
    const uint64_t number = core->next.number;
    BT_TRY(load_messages(loading, error));
    core->next.number = core->next.number > number ? core->next.number : number;
    bt_pump_core_forget_finished(core); /* all of this is stored */
    return BT_OK;
}

enum bt_status bt_pump_store_load(struct bt_pump_store *rows, uint64_t *out_passed,
                                  struct bt_error *error)
{
    assert(rows);
    assert(out_passed);
    struct bt_arena *arena = &rows->core->work;
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    struct pump_store_load_state loading = {
        .rows = rows, .arena = arena, .status = BT_OK, .fresh_end = &rows->new_deliveries};
    const enum bt_status status = load_state(&loading, error);
    bt_arena_rewind(arena, mark);
    BT_TRY(status);
    *out_passed = loading.passed;
    return BT_OK;
}

struct pump_store_pending {
    uint32_t client;
    uint64_t id;
    uint64_t number;
};

struct pump_store_delivery_scan {
    struct bt_pump_store *rows;
    struct pump_store_pending *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static enum bt_status note_waiting(struct pump_store_delivery_scan *delivering,
                                   const struct bt_store_cell *cells)
{
    struct bt_arena *arena = &delivering->rows->core->work;
    struct pump_store_pending waiting = {
        .client = bt_pump_core_find_client(delivering->rows->core, cells[0].text),
        .number = (uint64_t)cells[2].number};
    if (waiting.client == BT_NOBODY) {
        return BT_OK; /* the client may be declared again */
    }
    BT_TRY(bt_str_to_u64(cells[1].text, &waiting.id));
    return bt_vec_push(arena, delivering, waiting);
}

static bool each_delivery(void *context, const struct bt_store_cell *cells)
{
    struct pump_store_delivery_scan *delivering = context;
    delivering->status = note_waiting(delivering, cells);
    return delivering->status == BT_OK;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = ((const struct pump_store_pending *)left)->number;
    const uint64_t b = ((const struct pump_store_pending *)right)->number;
    return a < b ? -1 : a > b;
}

static enum bt_status hand_over(struct bt_pump_store *rows,
                                const struct pump_store_pending *waiting,
                                bt_pump_pending_delivery_fn *each, void *context, bool *out_more)
{
    const struct bt_store_cell *message = NULL;
    BT_TRY(bt_pump_store_find_message(rows, waiting->number, &rows->core->work, &message));
    const struct bt_pump_pending_delivery delivery = {
        .id = waiting->id,
        .number = waiting->number,
        .client = waiting->client,
        .sender = message[BT_PUMP_MESSAGE_SENDER].text,
        .thread = message[BT_PUMP_MESSAGE_THREAD].text,
        .tag = message[BT_PUMP_MESSAGE_TAG].text,
        .payload = message[BT_PUMP_MESSAGE_PAYLOAD].text};
    *out_more = each(context, &delivery);
    return BT_OK;
}

static enum bt_status deliver_pending(struct pump_store_delivery_scan *delivering,
                                      bt_pump_pending_delivery_fn *each, void *context,
                                      struct bt_error *error)
{
    struct bt_pump_store *rows = delivering->rows;
    const struct bt_store_row_range all = {.table = BT_TABLE_PUMP_DELIVERY};
    bool more = true;
    BT_TRY(bt_store_row_scan(rows->ledger->store, &all, each_delivery, delivering, error));
    BT_TRY(delivering->status);
    if (delivering->count > 0) {
        qsort(delivering->items, delivering->count, sizeof(delivering->items[0]), by_number);
    }
    for (size_t i = 0; more && i < delivering->count; i++) {
        const struct bt_arena_mark mark = bt_arena_mark(&rows->core->work);
        const enum bt_status status = hand_over(rows, &delivering->items[i], each, context, &more);
        bt_arena_rewind(&rows->core->work, mark);
        BT_TRY(status);
    }
    return BT_OK;
}

enum bt_status bt_pump_store_each_delivery(struct bt_pump_store *rows,
                                           bt_pump_pending_delivery_fn *each, void *context,
                                           struct bt_error *error)
{
    assert(!rows->new_deliveries);
    const struct bt_arena_mark mark = bt_arena_mark(&rows->core->work);
    struct pump_store_delivery_scan delivering = {.rows = rows, .status = BT_OK};
    const enum bt_status status = deliver_pending(&delivering, each, context, error);
    bt_arena_rewind(&rows->core->work, mark);
    return status;
}
