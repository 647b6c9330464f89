/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox.c - what waits for an agent: taken under a lease, finished, or dead.
 *
 * To take an item is no decision, so it has no entry; how a delivery ended has one.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "deliver/deliver.h"

/* Columns of the table queue. */
enum {
    QUEUE,
    MESSAGE,
    TARGET,
    SEQ,
    THREAD,
    PAYLOAD,
    NOT_BEFORE,
    LEASE_UNTIL,
    LEASE,
    ATTEMPTS,
    STATE,
    UPDATED,
    COLUMNS
};

#define INBOX BT_STR("inbox")

enum { LEASE_BYTES = 16 };

static uint64_t milliseconds(bt_instant instant)
{
    return instant.seconds > 0
               ? (uint64_t)instant.seconds * 1000 + (uint64_t)instant.nanos / 1000000
               : 0;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum bt_status bt_inbox_put(struct bt_store *store, const struct bt_inbox_row *row, uint64_t seq,
                            struct bt_error *error)
{
    struct bt_cell cells[COLUMNS];
    cells[QUEUE] = bt_cell_text(INBOX);
    cells[MESSAGE] = bt_cell_text(row->message);
    cells[TARGET] = bt_cell_text(row->target);
    cells[SEQ] = bt_cell_number(row->seq);
    cells[THREAD] = bt_cell_null();
    cells[PAYLOAD] = bt_cell_bytes(row->payload);
    cells[NOT_BEFORE] = bt_cell_number(0);
    cells[LEASE_UNTIL] = bt_cell_number(row->lease_until);
    cells[LEASE] = row->lease.len > 0 ? bt_cell_text(row->lease) : bt_cell_null();
    cells[ATTEMPTS] = bt_cell_number(row->attempts);
    cells[STATE] = bt_cell_text(row->state);
    cells[UPDATED] = bt_cell_number(seq);
    return bt_store_row_put(store, BT_TABLE_QUEUE, cells, error);
}

static enum bt_status copy_row(struct bt_arena *arena, const struct bt_cell *cells,
                               struct bt_inbox_row *out)
{
    *out = (struct bt_inbox_row){.seq = (uint64_t)cells[SEQ].number,
                                 .lease_until = (uint64_t)cells[LEASE_UNTIL].number,
                                 .attempts = (uint64_t)cells[ATTEMPTS].number};
    BT_TRY(bt_arena_copy(arena, cells[MESSAGE].text, &out->message));
    BT_TRY(bt_arena_copy(arena, cells[TARGET].text, &out->target));
    BT_TRY(bt_arena_copy(arena, cells[PAYLOAD].text, &out->payload));
    BT_TRY(bt_arena_copy(arena, cells[LEASE].text, &out->lease));
    return bt_arena_copy(arena, cells[STATE].text, &out->state);
}

/* ---- Waiting items --------------------------------------------------------------------------- */

struct waiting {
    struct bt_arena *arena;
    bt_str agent;
    uint64_t now_ms;
    struct bt_inbox_row *rows;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static bool waits(const struct waiting *waiting, const struct bt_cell *cells)
{
    const bool is_open = bt_str_eq(cells[STATE].text, BT_STR("queued")) ||
                         (bt_str_eq(cells[STATE].text, BT_STR("taken")) &&
                          (uint64_t)cells[LEASE_UNTIL].number <= waiting->now_ms);
    return is_open && bt_str_eq(cells[TARGET].text, waiting->agent);
}

static bool see(void *context, const struct bt_cell *cells)
{
    struct waiting *waiting = context;
    if (!waits(waiting, cells)) {
        return true;
    }
    if (waiting->count == waiting->capacity) {
        const size_t capacity = waiting->capacity > 0 ? waiting->capacity * 2 : 16;
        struct bt_inbox_row *rows = BT_NEW_ARRAY(waiting->arena, struct bt_inbox_row, capacity);
        if (!rows) {
            waiting->status = BT_ENOMEM;
            return false;
        }
        for (size_t i = 0; i < waiting->count; i++) {
            rows[i] = waiting->rows[i];
        }
        waiting->rows = rows;
        waiting->capacity = capacity;
    }
    waiting->status = copy_row(waiting->arena, cells, &waiting->rows[waiting->count]);
    waiting->count++;
    return waiting->status == BT_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const struct bt_inbox_row *first = a;
    const struct bt_inbox_row *second = b;
    return (first->seq > second->seq) - (first->seq < second->seq);
}

static enum bt_status find_waiting(const struct bt_deliver *deliver, struct waiting *waiting,
                                   struct bt_error *error)
{
    const struct bt_cell key = bt_cell_text(INBOX);
    const struct bt_row_scan scan = {BT_TABLE_QUEUE, &key, 1};
    BT_TRY(bt_store_row_scan(deliver->ledger->store, &scan, see, waiting, error));
    BT_TRY(waiting->status);
    if (waiting->count > 1) {
        qsort(waiting->rows, waiting->count, sizeof(struct bt_inbox_row), compare_rows);
    }
    return BT_OK;
}

/* ---- How it ended ---------------------------------------------------------------------------- */

static enum bt_status record_end(const struct bt_deliver *deliver, struct bt_recording *recording,
                                 const struct bt_inbox_row *row, const char *event,
                                 struct bt_error *error)
{
    struct bt_entry *entry = BT_NEW(deliver->arena, struct bt_entry);
    struct bt_recorded *recorded = BT_NEW(deliver->arena, struct bt_recorded);
    if (!entry || !recorded) {
        return BT_ENOMEM;
    }
    bt_entry_init(entry);
    entry->actor = deliver->actor;
    entry->kind = BT_STR("delivery");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->refs.message = row->message;
    entry->refs.event = bt_str_of(event);
    entry->refs.parent = row->seq;
    BT_TRY(bt_recording_add(recording, entry, NULL, recorded, error));
    return bt_inbox_put(deliver->ledger->store, row, recorded->entry.seq, error);
}

static enum bt_status bury(const struct bt_deliver *deliver, struct bt_recording *recording,
                           struct bt_inbox_row *row, struct bt_error *error)
{
    row->state = BT_STR("dead");
    row->lease = BT_STR("");
    row->lease_until = 0;
    return record_end(deliver, recording, row, "dead", error);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static enum bt_status make_lease(const struct bt_deliver *deliver, bt_str *out,
                                 struct bt_error *error)
{
    uint8_t secret[LEASE_BYTES];
    char text[2 * LEASE_BYTES + 1];
    const struct bt_env *env = deliver->env;
    if (!env->random(env->context, secret, sizeof(secret))) {
        return bt_fail(error, BT_EIO, "the system gave no randomness");
    }
    for (size_t i = 0; i < LEASE_BYTES; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", secret[i]);
    }
    return bt_arena_copy(deliver->arena, bt_str_of(text), out);
}

static enum bt_status lend(const struct bt_deliver *deliver, const struct bt_inbox_wish *wish,
                           struct bt_inbox_row *row, struct bt_inbox_item *out,
                           struct bt_error *error)
{
    char until[BT_INSTANT_TEXT_BYTES];
    bt_instant end = bt_env_now(deliver->env);
    end.seconds += (int64_t)wish->lease_seconds;
    end.nanos -= end.nanos % 1000000;
    (void)bt_instant_format(end, until);
    BT_TRY(make_lease(deliver, &row->lease, error));
    row->lease_until = milliseconds(end);
    row->attempts++;
    row->state = BT_STR("taken");
    *out = (struct bt_inbox_item){.message = row->message,
                                  .lease = row->lease,
                                  .attempt = row->attempts,
                                  .seq = row->seq,
                                  .bytes = row->payload};
    BT_TRY(bt_arena_copy(deliver->arena, bt_str_of(until), &out->lease_until));
    return bt_inbox_put(deliver->ledger->store, row, row->seq, error);
}

static enum bt_status take_rows(const struct bt_deliver *deliver, const struct bt_inbox_wish *wish,
                                struct bt_recording *recording, struct bt_inbox_items *out,
                                struct bt_error *error)
{
    struct waiting waiting = {.arena = deliver->arena,
                              .agent = wish->agent,
                              .now_ms = milliseconds(bt_env_now(deliver->env))};
    BT_TRY(find_waiting(deliver, &waiting, error));
    struct bt_inbox_item *items = BT_NEW_ARRAY(deliver->arena, struct bt_inbox_item, wish->max + 1);
    size_t count = 0;
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < waiting.count && count < wish->max; i++) {
        if (waiting.rows[i].attempts >= wish->attempts_max) {
            BT_TRY(bury(deliver, recording, &waiting.rows[i], error));
        } else {
            BT_TRY(lend(deliver, wish, &waiting.rows[i], &items[count++], error));
        }
    }
    *out = (struct bt_inbox_items){items, count};
    return BT_OK;
}

/* Commit what was done; without an entry there is nothing to sign. */
static enum bt_status end(struct bt_recording *recording, uint64_t size, enum bt_status status,
                          struct bt_error *error)
{
    if (status != BT_OK) {
        bt_store_rollback(recording->ledger->store);
        return status;
    }
    return recording->state.tree.size > size ? bt_recording_commit(recording, error)
                                             : bt_store_commit(recording->ledger->store, error);
}

enum bt_status bt_inbox_take(const struct bt_deliver *deliver, const struct bt_inbox_wish *wish,
                             struct bt_inbox_items *out, struct bt_error *error)
{
    assert(deliver);
    assert(wish->attempts_max > 0);
    struct bt_recording recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    struct bt_inbox_items taken = {NULL, 0};
    BT_TRY(bt_recording_begin(&recording, deliver->alarms, error));
    if (bt_findings_count(deliver->alarms) > 0) {
        return BT_OK;
    }
    const uint64_t size = recording.state.tree.size;
    BT_TRY(end(&recording, size, take_rows(deliver, wish, &recording, &taken, error), error));
    *out = taken;
    return BT_OK;
}

/* ---- Finishing ------------------------------------------------------------------------------- */

/* The cells of an item; BT_ENOENT when there is none. */
static enum bt_status get_cells(const struct bt_deliver *deliver, bt_str message,
                                const struct bt_cell **out, struct bt_error *error)
{
    const struct bt_cell key[] = {bt_cell_text(INBOX), bt_cell_text(message)};
    const struct bt_row_scan scan = {BT_TABLE_QUEUE, key, 2};
    return bt_store_row_get(deliver->ledger->store, deliver->arena, &scan, out, error);
}

static enum bt_status finish_row(const struct bt_deliver *deliver, struct bt_inbox_finish *finish,
                                 struct bt_recording *recording, struct bt_error *error)
{
    const struct bt_cell *cells = NULL;
    struct bt_inbox_row row;
    const enum bt_status status = get_cells(deliver, finish->message, &cells, error);
    finish->end = BT_INBOX_UNKNOWN;
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    BT_TRY(copy_row(deliver->arena, cells, &row));
    if (!bt_str_eq(row.target, finish->agent)) {
        return BT_OK;
    }
    const bool is_held = bt_str_eq(row.state, BT_STR("taken")) && row.lease.len > 0 &&
                         bt_str_eq(row.lease, finish->lease) &&
                         row.lease_until > milliseconds(bt_env_now(deliver->env));
    finish->end = is_held ? BT_INBOX_DONE : BT_INBOX_LEASE_LOST;
    if (!is_held) {
        return BT_OK;
    }
    row.lease = BT_STR("");
    row.lease_until = 0;
    row.state = finish->is_delivered ? BT_STR("delivered") : BT_STR("queued");
    BT_TRY(
        record_end(deliver, recording, &row, finish->is_delivered ? "delivered" : "failed", error));
    return !finish->is_delivered && row.attempts >= finish->attempts_max
               ? bury(deliver, recording, &row, error)
               : BT_OK;
}

enum bt_status bt_inbox_finish(const struct bt_deliver *deliver, struct bt_inbox_finish *finish,
                               struct bt_error *error)
{
    assert(deliver);
    assert(finish->attempts_max > 0);
    struct bt_recording recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    BT_TRY(bt_recording_begin(&recording, deliver->alarms, error));
    if (bt_findings_count(deliver->alarms) > 0) {
        return BT_OK;
    }
    const uint64_t size = recording.state.tree.size;
    return end(&recording, size, finish_row(deliver, finish, &recording, error), error);
}

/* ---- Looking and cancelling ------------------------------------------------------------------ */

enum bt_status bt_inbox_look(const struct bt_deliver *deliver, bt_str message,
                             struct bt_inbox_look *out, struct bt_error *error)
{
    assert(deliver);
    assert(out);
    const uint64_t now = milliseconds(bt_env_now(deliver->env));
    const struct bt_cell *cells = NULL;
    BT_TRY(get_cells(deliver, message, &cells, error));
    const bool is_back =
        bt_str_eq(cells[STATE].text, BT_STR("taken")) && (uint64_t)cells[LEASE_UNTIL].number <= now;
    *out = (struct bt_inbox_look){.state = is_back ? BT_STR("queued") : cells[STATE].text,
                                  .seq = (uint64_t)cells[UPDATED].number};
    return BT_OK;
}

static enum bt_status cancel_row(const struct bt_deliver *deliver, bt_str message,
                                 struct bt_recording *recording, bool *out_is_done,
                                 struct bt_error *error)
{
    const struct bt_cell *cells = NULL;
    struct bt_inbox_row row;
    const enum bt_status status = get_cells(deliver, message, &cells, error);
    *out_is_done = false;
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    BT_TRY(copy_row(deliver->arena, cells, &row));
    if (!bt_str_eq(row.state, BT_STR("queued")) || row.attempts > 0) {
        return BT_OK;
    }
    row.state = BT_STR("cancelled");
    *out_is_done = true;
    return record_end(deliver, recording, &row, "cancelled", error);
}

enum bt_status bt_inbox_cancel(const struct bt_deliver *deliver, bt_str message, bool *out_is_done,
                               struct bt_error *error)
{
    assert(deliver);
    assert(out_is_done);
    struct bt_recording recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    BT_TRY(bt_recording_begin(&recording, deliver->alarms, error));
    if (bt_findings_count(deliver->alarms) > 0) {
        return BT_OK;
    }
    const uint64_t size = recording.state.tree.size;
    bool is_done = false;
    const enum bt_status status = cancel_row(deliver, message, &recording, &is_done, error);
    BT_TRY(end(&recording, size, status, error));
    *out_is_done = is_done;
    return BT_OK;
}
