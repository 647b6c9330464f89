/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_store.c - rows and entries of one transaction.
 */
#include "pump/pump_store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/uninitialized.h"
#include "ledger/transaction.h"
#include "pump/message_rows.h"
#include "store/rows.h"

enum {
    COUNTER_NAME_BYTES = 96,
    STATE_BYTES = 40,
    ARENA_BYTES_MAX = 256 << 20,
};

static uint32_t get_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

enum bt_status bt_pump_store_open(struct bt_pump_store *rows, struct bt_pump_core *core,
                                  struct bt_ledger *ledger, struct bt_arena *memory)
{
    assert(rows);
    const uint32_t listeners = get_larger(core->listeners_count, core->listeners_max);
    const uint32_t clients = get_larger(core->clients_count, core->clients_max);
    *rows = (struct bt_pump_store){.core = core,
                                   .ledger = ledger,
                                   .last_seq = BT_SEQ_ABSENT,
                                   .stored.calls = BT_NEW_ARRAY(memory, uint64_t, listeners + 1),
                                   .stored.deliveries = BT_NEW_ARRAY(memory, uint64_t, clients + 1),
                                   .stored.filed = BT_NEW_ARRAY(memory, uint64_t, clients + 1)};
    bt_arena_init(&rows->arena, ARENA_BYTES_MAX);
    rows->notes_end = &rows->notes;
    return rows->stored.calls && rows->stored.deliveries && rows->stored.filed ? BT_OK : BT_ENOMEM;
}

void bt_pump_store_close(struct bt_pump_store *rows)
{
    bt_arena_free(&rows->arena);
}

enum bt_status bt_pump_store_add_entry(struct bt_pump_store *rows,
                                       const struct bt_pump_entry_fact *fact)
{
    struct bt_pump_store_entry *note = BT_NEW(&rows->arena, struct bt_pump_store_entry);
    if (!note) {
        return BT_ENOMEM;
    }
    note->message = fact->message;
    note->event = bt_str_of(fact->event);
    note->reason = fact->reason ? bt_code_name(fact->reason) : BT_STR("");
    if (fact->thread) {
        memcpy(note->thread, fact->thread, sizeof(note->thread));
    }
    *rows->notes_end = note;
    rows->notes_end = &note->next;
    return BT_OK;
}

static struct bt_store_cell seq_cell(const struct bt_pump_store *rows)
{
    return rows->last_seq == BT_SEQ_ABSENT ? bt_store_cell_null()
                                           : bt_store_cell_number(rows->last_seq);
}

bt_str bt_pump_store_sender_name(const struct bt_pump_core *core,
                                 const struct bt_pump_message *message)
{
    switch (message->sender) {
    case BT_FROM_CLIENT:
        return core->clients[message->root->client].name;
    case BT_FROM_CORE:
        return BT_STR("core");
    default:
        return core->listeners[message->sender].name;
    }
}

static bt_str state_of(const struct bt_pump_message *message)
{
    return bt_pump_message_state_name(message->state >= BT_PUMP_MESSAGE_STATE_DONE
                                          ? message->state
                                          : BT_PUMP_MESSAGE_STATE_QUEUED);
}

/* Update the state of a message that is stored already. */
static enum bt_status put_state(struct bt_pump_store *rows, const struct bt_pump_message *message,
                                struct bt_error *error)
{
    const struct bt_store_cell cells[] = {bt_store_cell_text(state_of(message)), seq_cell(rows),
                                          bt_store_cell_number(message->number)};
    return bt_store_message_state(rows->ledger->store, cells, error);
}

/* A message of a client was caused by an entry of the ledger, every other one by a message. */
static struct bt_store_cell cause_cell(const struct bt_pump_store *rows,
                                       const struct bt_pump_message *message)
{
    if (message->cause == 0) {
        return bt_store_cell_null();
    }
    return bt_store_cell_number(message->kind == BT_PUMP_MESSAGE_KIND_INGRESS
                                    ? rows->item_seqs[message->cause - 1]
                                    : message->cause);
}

static enum bt_status put_message(struct bt_pump_store *rows, const struct bt_pump_message *message,
                                  struct bt_error *error)
{
    const struct bt_pump_core *core = rows->core;
    const struct bt_pump_thread *thread = message->thread;
    char call[BT_NUMBER_TEXT_BYTES];
    const struct bt_store_cell cells[BT_PUMP_MESSAGE_COLUMNS] = {
        [BT_PUMP_MESSAGE_N] = bt_store_cell_number(message->number),
        [BT_PUMP_MESSAGE_KIND] = bt_store_cell_text(bt_pump_message_kind_name(message->kind)),
        [BT_PUMP_MESSAGE_SENDER] = bt_store_cell_text(bt_pump_store_sender_name(core, message)),
        [BT_PUMP_MESSAGE_TARGET] =
            bt_store_cell_text(thread ? core->listeners[thread->listener].name
                                      : core->clients[message->root->client].name),
        [BT_PUMP_MESSAGE_THREAD] =
            bt_store_cell_text(bt_uuid_str(thread ? thread->uuid : message->root->uuid)),
        [BT_PUMP_MESSAGE_ROOT] = bt_store_cell_text(bt_uuid_str(message->root->id)),
        [BT_PUMP_MESSAGE_TAG] = bt_store_cell_text(message->payload.tag),
        [BT_PUMP_MESSAGE_CALL] = bt_store_cell_text(bt_pump_number_text(message->call, call)),
        [BT_PUMP_MESSAGE_PAYLOAD] = bt_store_cell_bytes(bt_buf_str(&message->payload.bytes)),
        [BT_PUMP_MESSAGE_STATE] = bt_store_cell_text(state_of(message)),
        [BT_PUMP_MESSAGE_CAUSE] = cause_cell(rows, message),
        [BT_PUMP_MESSAGE_SEQ] = seq_cell(rows),
    };
    return bt_store_row_put(rows->ledger->store, BT_TABLE_PUMP_MESSAGE, cells, error);
}

static enum bt_status put_messages(struct bt_pump_store *rows, struct bt_error *error)
{
    const struct bt_pump_core *core = rows->core;
    for (uint64_t i = 0; i < core->dirty.count; i++) {
        const struct bt_pump_message *at = core->dirty.messages[i];
        if (!at->is_stored) {
            BT_TRY(put_message(rows, at, error));
        } else if (at->state != BT_PUMP_MESSAGE_STATE_DONE || !at->has_consequences) {
            BT_TRY(put_state(rows, at, error));
        }
    }
    return BT_OK;
}

static struct bt_pump_store_delivery build_store_delivery(const struct bt_pump_message *message)
{
    return (struct bt_pump_store_delivery){
        .client = message->root->client, .delivery = message->call, .number = message->number};
}

static enum bt_status put_delivery(struct bt_pump_store *rows,
                                   const struct bt_pump_store_delivery *store_delivery,
                                   struct bt_error *error)
{
    char id[BT_DELIVERY_ID_BYTES];
    bt_pump_delivery_id(store_delivery->delivery, id);
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(rows->core->clients[store_delivery->client].name),
        bt_store_cell_text(bt_str_of(id)), bt_store_cell_number(store_delivery->number),
        bt_store_cell_number(0), seq_cell(rows)};
    return bt_store_row_put(rows->ledger->store, BT_TABLE_PUMP_DELIVERY, cells, error);
}

/* Most deliveries are taken before the next commit, and never have a row. */
static enum bt_status put_deliveries(struct bt_pump_store *rows, struct bt_error *error)
{
    for (const struct bt_pump_store_delivery *at = rows->new_deliveries; at; at = at->next) {
        BT_TRY(put_delivery(rows, at, error));
    }
    const struct bt_pump_core *core = rows->core;
    for (uint64_t i = 0; rows->files_at_once && i < core->dirty.count; i++) {
        const struct bt_pump_message *at = core->dirty.messages[i];
        if (at->kind == BT_PUMP_MESSAGE_KIND_EGRESS) {
            const struct bt_pump_store_delivery store_delivery = build_store_delivery(at);
            BT_TRY(put_delivery(rows, &store_delivery, error));
        }
    }
    return BT_OK;
}

/* A row of a root, or of a thread. */
struct pump_store_thread_row {
    bt_str id;
    const struct bt_pump_root_thread *root;
    bt_str parent; /* ptr NULL: it is a root */
    bt_str listener;
    uint64_t depth;
    bt_str state;
};

static enum bt_status put_thread(struct bt_pump_store *rows,
                                 const struct pump_store_thread_row *row, struct bt_error *error)
{
    char seen[BT_INSTANT_TEXT_BYTES];
    const size_t size = bt_instant_format(bt_env_now(rows->core->env), seen);
    const struct bt_store_cell cells[BT_THREAD_COLUMNS] = {
        [BT_THREAD_ID] = bt_store_cell_text(row->id),
        [BT_THREAD_CLIENT] = bt_store_cell_text(rows->core->clients[row->root->client].name),
        [BT_THREAD_UUID] = bt_store_cell_text(bt_uuid_str(row->root->uuid)),
        [BT_THREAD_PARENT] = bt_store_cell_text(row->parent),
        [BT_THREAD_LISTENER] = bt_store_cell_text(row->listener),
        [BT_THREAD_ROOT] = bt_store_cell_text(bt_uuid_str(row->root->id)),
        [BT_THREAD_DEPTH] = bt_store_cell_number(row->depth),
        [BT_THREAD_TOKENS] = bt_store_cell_number(row->depth == 0 ? row->root->tokens_stored : 0),
        [BT_THREAD_STATE] = bt_store_cell_text(row->state),
        [BT_THREAD_SEEN] = bt_store_cell_text((bt_str){seen, size}),
        [BT_THREAD_SEQ] = seq_cell(rows),
    };
    return bt_store_row_put(rows->ledger->store, BT_TABLE_THREAD, cells, error);
}

static enum bt_status drop_thread(struct bt_pump_store *rows, const char *id,
                                  struct bt_error *error)
{
    const struct bt_store_cell key = bt_store_cell_text(bt_str_of(id));
    return bt_store_row_delete(rows->ledger->store, BT_TABLE_THREAD, &key, error);
}

static enum bt_status put_threads(struct bt_pump_store *rows, struct bt_error *error)
{
    const struct bt_pump_core *core = rows->core;
    for (const struct bt_pump_root_thread *at = core->dirty.roots; at; at = at->next_touched) {
        char state[STATE_BYTES];
        (void)snprintf(state, sizeof(state), "%s %" PRIu64, at->budget_is_spent ? "spent" : "live",
                       at->number);
        const struct pump_store_thread_row row = {.id = bt_uuid_str(at->id),
                                                  .root = at,
                                                  .listener = BT_STR(""),
                                                  .state = bt_str_of(state)};
        BT_TRY(at->is_gone ? drop_thread(rows, at->id, error) : put_thread(rows, &row, error));
    }
    for (const struct bt_pump_thread *at = core->dirty.threads; at; at = at->next_touched) {
        char state[STATE_BYTES];
        (void)snprintf(state, sizeof(state), "%s %" PRIu64, at->has_replied ? "replied" : "live",
                       at->request);
        const struct pump_store_thread_row row = {
            .id = bt_uuid_str(at->uuid),
            .root = at->root,
            .parent = bt_uuid_str(at->parent ? at->parent->uuid : at->root->id),
            .listener = core->listeners[at->listener].name,
            .depth = at->depth,
            .state = bt_str_of(state)};
        BT_TRY(at->is_gone ? drop_thread(rows, at->uuid, error) : put_thread(rows, &row, error));
    }
    return BT_OK;
}

static enum bt_status put_counter(struct bt_pump_store *rows, const char *kind, bt_str owner,
                                  uint64_t next, struct bt_error *error)
{
    char name[COUNTER_NAME_BYTES];
    const int size = snprintf(name, sizeof(name), "%s%.*s", kind, BT_STR_ARG(owner));
    assert(size > 0 && (size_t)size < sizeof(name)); /* names have at most 64 bytes */
    const struct bt_store_cell cells[] = {bt_store_cell_text((bt_str){name, (size_t)size}),
                                          bt_store_cell_number(next), seq_cell(rows)};
    return bt_store_row_put(rows->ledger->store, BT_TABLE_PUMP_COUNTER, cells, error);
}

/* The oldest message that must be read when the pump is restored. */
static uint64_t oldest_of(const struct bt_pump_store *rows)
{
    const struct bt_pump_core *core = rows->core;
    const uint64_t oldest = bt_pump_core_oldest(core);
    uint64_t i = 0;
    while (i < core->dirty.count && core->dirty.messages[i]->kind != BT_PUMP_MESSAGE_KIND_EGRESS) {
        i++;
    }
    const uint64_t unsent = i < core->dirty.count ? core->dirty.messages[i]->number : oldest;
    return unsent < oldest ? unsent : oldest;
}

/* Deliveries below this have rows after the commit, or were taken. */
static uint64_t filed_of(const struct bt_pump_store *rows, uint32_t client)
{
    return rows->files_at_once ? rows->core->clients[client].next_delivery
                               : rows->stored.deliveries[client];
}

static enum bt_status put_counters(struct bt_pump_store *rows, struct bt_error *error)
{
    const struct bt_pump_core *core = rows->core;
    for (uint32_t i = 0; i < core->listeners_count; i++) {
        if (core->listeners[i].next_call != rows->stored.calls[i]) {
            BT_TRY(put_counter(rows, BT_COUNTER_CALL, core->listeners[i].name,
                               core->listeners[i].next_call, error));
        }
    }
    for (uint32_t i = 0; i < core->clients_count; i++) {
        const struct bt_pump_core_client *client = &core->clients[i];
        if (client->next_delivery != rows->stored.deliveries[i] ||
            filed_of(rows, i) != rows->stored.filed[i]) {
            BT_TRY(
                put_counter(rows, BT_COUNTER_DELIVERY, client->name, client->next_delivery, error));
            BT_TRY(put_counter(rows, BT_COUNTER_FILED, client->name, filed_of(rows, i), error));
        }
    }
    if (core->next.number != rows->stored.number || core->dirty.count > 0) {
        BT_TRY(put_counter(rows, BT_COUNTER_NUMBER, BT_STR(""), core->next.number, error));
        BT_TRY(put_counter(rows, BT_COUNTER_OLDEST, BT_STR(""), oldest_of(rows), error));
    }
    if (core->counts.done != rows->stored.done) {
        BT_TRY(put_counter(rows, BT_COUNTER_DONE, BT_STR(""), core->counts.done, error));
    }
    return core->counts.dead == rows->stored.dead
               ? BT_OK
               : put_counter(rows, BT_COUNTER_DEAD, BT_STR(""), core->counts.dead, error);
}

static enum bt_status put_ids(struct bt_pump_store *rows, struct bt_error *error)
{
    for (const struct bt_pump_store_id *at = rows->ids; at; at = at->next) {
        const struct bt_store_cell cells[] = {
            bt_store_cell_text(rows->core->clients[at->client].name),
            bt_store_cell_text(at->id),
            bt_store_cell_bytes((bt_str){(const char *)at->digest, sizeof(at->digest)}),
            bt_store_cell_text(bt_uuid_str(at->thread)),
            bt_store_cell_number(rows->last_seq == BT_SEQ_ABSENT ? 0 : rows->last_seq),
            bt_store_cell_number(at->expiry),
            seq_cell(rows)};
        BT_TRY(bt_store_row_put(rows->ledger->store, BT_TABLE_PUMP_ID, cells, error));
    }
    return BT_OK;
}

static enum bt_status put_taken(struct bt_pump_store *rows, struct bt_error *error)
{
    for (const struct bt_pump_store_delivery *at = rows->delivered; at; at = at->next) {
        char id[BT_DELIVERY_ID_BYTES];
        bt_pump_delivery_id(at->delivery, id);
        const struct bt_store_cell key[] = {
            bt_store_cell_text(rows->core->clients[at->client].name),
            bt_store_cell_text(bt_str_of(id))};
        BT_TRY(bt_store_row_delete(rows->ledger->store, BT_TABLE_PUMP_DELIVERY, key, error));
    }
    return BT_OK;
}

static enum bt_status put_rows(struct bt_pump_store *rows, struct bt_error *error)
{
    BT_TRY(put_messages(rows, error));
    BT_TRY(put_deliveries(rows, error));
    BT_TRY(put_threads(rows, error));
    BT_TRY(put_ids(rows, error));
    BT_TRY(put_taken(rows, error));
    return put_counters(rows, error);
}

/* `entry` is memory that is used again for each note. */
static enum bt_status add_note(struct bt_ledger_transaction *recording,
                               const struct bt_pump_store_entry *note, struct bt_entry *entry,
                               struct bt_error *error)
{
    BT_UNCLEARED struct bt_ledger_record recorded;
    char number[BT_NUMBER_TEXT_BYTES];
    bt_entry_init(entry);
    entry->actor = BT_STR("pump");
    entry->kind = BT_STR("delivery");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->refs.message = bt_pump_number_text(note->message, number);
    entry->refs.event = note->event;
    entry->refs.reason = note->reason;
    entry->refs.thread = bt_str_of(note->thread);
    return bt_ledger_transaction_add_entry(recording, entry, NULL, &recorded, error);
}

static enum bt_status add_entries(struct bt_ledger_transaction *recording, void *context,
                                  struct bt_error *error)
{
    struct bt_pump_store *rows = context;
    struct bt_entry *entry = bt_arena_alloc(&rows->arena, sizeof(*entry));
    rows->item_seqs = BT_NEW_ARRAY(&rows->arena, uint64_t, rows->items_count + 1);
    if (!entry || !rows->item_seqs) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < rows->items_count; i++) {
        BT_TRY(bt_ledger_transaction_add_submission(recording, &rows->items[i], error));
        rows->item_seqs[i] = rows->items[i].seq;
    }
    for (const struct bt_pump_store_entry *note = rows->notes; note; note = note->next) {
        BT_TRY(add_note(recording, note, entry, error));
    }
    rows->last_seq = recording->state.tree.size - 1;
    return put_rows(rows, error);
}

/* Without entries the log does not grow: write only rows. */
static enum bt_status commit_rows(struct bt_pump_store *rows, struct bt_error *error)
{
    struct bt_store *store = rows->ledger->store;
    BT_TRY(bt_store_begin(store, error));
    const enum bt_status status = put_rows(rows, error);
    if (status != BT_OK) {
        bt_store_rollback(store);
        return status;
    }
    return bt_store_commit(store, error);
}

/* New deliveries can be taken from now on. */
static enum bt_status note_fresh(struct bt_pump_store *rows)
{
    struct bt_pump_store_delivery **end = &rows->new_deliveries;
    const struct bt_pump_core *core = rows->core;
    for (uint64_t i = 0; !rows->files_at_once && i < core->dirty.count; i++) {
        const struct bt_pump_message *at = core->dirty.messages[i];
        if (at->kind == BT_PUMP_MESSAGE_KIND_EGRESS) {
            *end = BT_NEW(&rows->arena, struct bt_pump_store_delivery);
            if (!*end) {
                return BT_ENOMEM;
            }
            **end = build_store_delivery(at);
            end = &(*end)->next;
        }
    }
    return BT_OK;
}

static void finish_commit(struct bt_pump_store *rows)
{
    const struct bt_pump_core *core = rows->core;
    for (uint32_t i = 0; i < core->listeners_count; i++) {
        rows->stored.calls[i] = core->listeners[i].next_call;
    }
    for (uint32_t i = 0; i < core->clients_count; i++) {
        rows->stored.filed[i] = filed_of(rows, i);
        rows->stored.deliveries[i] = core->clients[i].next_delivery;
    }
    rows->stored.number = core->next.number;
    rows->stored.done = core->counts.done;
    rows->stored.dead = core->counts.dead;
    rows->items_count = 0;
    rows->notes = NULL;
    rows->notes_end = &rows->notes;
    rows->ids = NULL;
    rows->delivered = NULL;
    rows->new_deliveries = NULL;
    bt_arena_reset(&rows->arena);
}

static bool has_rows(const struct bt_pump_store *rows)
{
    const struct bt_pump_core *core = rows->core;
    return core->dirty.count > 0 || core->dirty.threads || core->dirty.roots || rows->ids ||
           rows->delivered || rows->new_deliveries;
}

enum bt_status bt_pump_store_commit(struct bt_pump_store *rows, struct bt_findings *alarms,
                                    struct bt_error *error)
{
    assert(rows);
    if (rows->items_count > 0 || rows->notes) {
        struct bt_ledger_transaction recording = {
            .ledger = rows->ledger, .env = rows->core->env, .arena = &rows->arena};
        BT_TRY(bt_ledger_transaction_run(&recording, add_entries, rows, alarms, error));
        if (bt_findings_count(alarms) > 0) {
            return BT_OK;
        }
    } else if (has_rows(rows)) {
        BT_TRY(commit_rows(rows, error));
    }
    finish_commit(rows);
    return note_fresh(rows);
}

enum bt_status bt_pump_store_find_message(struct bt_pump_store *rows, uint64_t number,
                                          struct bt_arena *arena, const struct bt_store_cell **out)
{
    const struct bt_store_cell key = bt_store_cell_number(number);
    const struct bt_store_row_range scan = {BT_TABLE_PUMP_MESSAGE, &key, 1};
    return bt_store_row_get(rows->ledger->store, arena, &scan, out, NULL);
}

enum bt_status bt_pump_store_load_payload(struct bt_pump_store *rows, uint64_t number,
                                          struct bt_arena *arena, bt_str *out)
{
    const struct bt_store_cell *cells = NULL;
    BT_TRY(bt_pump_store_find_message(rows, number, arena, &cells));
    *out = cells[BT_PUMP_MESSAGE_PAYLOAD].text;
    return out->ptr ? BT_OK : BT_ENOENT;
}

enum bt_status bt_pump_store_find_id(struct bt_pump_store *rows, uint32_t client, bt_str id,
                                     struct bt_pump_store_id *out)
{
    const struct bt_store_cell key[] = {bt_store_cell_text(rows->core->clients[client].name),
                                        bt_store_cell_text(id)};
    const struct bt_store_row_range scan = {BT_TABLE_PUMP_ID, key, 2};
    const struct bt_store_cell *cells = NULL;
    BT_TRY(bt_store_row_get(rows->ledger->store, &rows->arena, &scan, &cells, NULL));
    if (cells[2].text.len != sizeof(out->digest) || !bt_uuid_is_valid(cells[3].text)) {
        return BT_ECORRUPT;
    }
    *out = (struct bt_pump_store_id){.client = client, .id = id};
    memcpy(out->digest, cells[2].text.ptr, sizeof(out->digest));
    memcpy(out->thread, cells[3].text.ptr, cells[3].text.len);
    return BT_OK;
}

bool bt_pump_store_has_pending_delivery(const struct bt_pump_store *rows, struct bt_arena *arena,
                                        bt_str client, uint64_t id)
{
    for (const struct bt_pump_store_delivery *at = rows->new_deliveries; at; at = at->next) {
        if (at->delivery == id && bt_str_eq(rows->core->clients[at->client].name, client)) {
            return true;
        }
    }
    char text[BT_DELIVERY_ID_BYTES];
    bt_pump_delivery_id(id, text);
    const struct bt_store_cell key[] = {bt_store_cell_text(client),
                                        bt_store_cell_text(bt_str_of(text))};
    const struct bt_store_row_range scan = {BT_TABLE_PUMP_DELIVERY, key, 2};
    const struct bt_store_cell *found = NULL;
    return bt_store_row_get(rows->ledger->store, arena, &scan, &found, NULL) != BT_ENOENT;
}

enum bt_status bt_pump_store_mark_delivered(struct bt_pump_store *rows,
                                            const struct bt_pump_pending_delivery *delivery)
{
    const struct bt_pump_entry_fact fact = {.message = delivery->number, .event = "delivered"};
    if (rows->new_deliveries && rows->new_deliveries->number == delivery->number) {
        rows->new_deliveries = rows->new_deliveries->next; /* it never gets a row */
        return bt_pump_store_add_entry(rows, &fact);
    }
    struct bt_pump_store_delivery *taken = BT_NEW(&rows->arena, struct bt_pump_store_delivery);
    if (!taken) {
        return BT_ENOMEM;
    }
    *taken = (struct bt_pump_store_delivery){rows->delivered, delivery->client, delivery->id,
                                             delivery->number};
    rows->delivered = taken;
    return bt_pump_store_add_entry(rows, &fact);
}
