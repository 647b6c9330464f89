/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_keep.c - a store in memory, under the names of the real one: what was committed is there
 * again after the power went, and nothing else is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kept.h"
#include "sim.h"

enum { MESSAGES_MAX = 16384, IDS_MAX = 256 };

struct row_message {
    enum bt_pump_message_kind kind; /* BT_PUMP_MESSAGE_KIND_NONE: there is none of this number */
    enum bt_pump_message_state state;
    char thread[BT_UUID_TEXT_BYTES];
    uint32_t listener;
    uint32_t client;
    uint32_t sender;
    uint64_t call;
    bool is_open; /* a delivery that nobody took */
    char tag[64];
    char *payload;
    size_t size;
};

struct row_id {
    uint32_t client;
    char id[64];
    uint8_t digest[BT_SHA256_BYTES];
    char thread[BT_UUID_TEXT_BYTES];
};

struct sim_store {
    struct sim *sim;
    struct kept kept;
    struct row_message messages[MESSAGES_MAX]; /* by number */
    struct row_id ids[IDS_MAX];
    size_t ids_count;
    uint64_t calls[LISTENERS];
    uint64_t deliveries[CLIENTS];
    uint64_t next_number;
    enum { POWER_ON = 0, POWER_BEFORE, POWER_AFTER } power;
};

struct sim_store *sim_store_new(struct sim *sim)
{
    struct sim_store *store = calloc(1, sizeof(*store));
    must(sim, store != NULL, "there is memory");
    store->sim = sim;
    store->next_number = 1;
    for (size_t i = 0; i < LISTENERS; i++) {
        store->calls[i] = 1;
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        store->deliveries[i] = 1;
    }
    return store;
}

void sim_store_free(struct sim_store *store)
{
    for (size_t i = 0; i < MESSAGES_MAX; i++) {
        free(store->messages[i].payload);
    }
    free(store);
}

void sim_store_cut(struct sim_store *store, bool after)
{
    store->power = after ? POWER_AFTER : POWER_BEFORE;
}

static struct sim *sim_of(const struct bt_pump_store *rows)
{
    return (struct sim *)(void *)rows->ledger;
}

static bool happens(struct sim *sim, enum fault fault, uint64_t one_in)
{
    return sim->fault == fault && draw(sim, one_in) == 0;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void keep_thread(struct sim *sim, const struct bt_pump_thread *thread)
{
    if (!thread->is_gone || !happens(sim, FAULT_LEAK, 4)) {
        must(sim, kept_put_thread(&sim->store->kept, thread), "there is room for a thread");
    }
}

static void new_message(struct sim *sim, const struct bt_pump_message *message)
{
    must(sim, message->number < MESSAGES_MAX, "there is room for a message");
    struct row_message *row = &sim->store->messages[message->number];
    const struct bt_pump_thread *thread = message->thread;
    must(sim, row->kind == BT_PUMP_MESSAGE_KIND_NONE, "a number is given once");
    if (thread && happens(sim, FAULT_LOSE, 8)) {
        return;
    }
    *row = (struct row_message){.kind = message->kind,
                                .state = message->state,
                                .listener = thread ? thread->listener : LISTENERS,
                                .client = message->root->client,
                                .sender = message->sender,
                                .call = message->call,
                                .is_open = !thread && sim->fault != FAULT_TAKEN,
                                .payload = malloc(message->payload.size + 1),
                                .size = message->payload.size};
    must(sim, row->payload != NULL, "there is memory");
    must(sim, !message->payload.is_spilled, "what is not kept is in memory");
    must(sim, message->payload.tag.len < sizeof(row->tag), "names are short");
    memcpy(row->payload, message->payload.bytes.ptr, message->payload.size);
    memcpy(row->tag, message->payload.tag.ptr, message->payload.tag.len);
    memcpy(row->thread, thread ? thread->uuid : message->root->uuid, sizeof(row->thread));
    row->state = thread ? row->state : BT_PUMP_MESSAGE_STATE_DONE;
}

static void keep_message(struct sim *sim, const struct bt_pump_message *message)
{
    struct row_message *row = &sim->store->messages[message->number];
    if (!message->is_stored) {
        new_message(sim, message);
        return;
    }
    must(sim, row->state < BT_PUMP_MESSAGE_STATE_DONE, "nothing ends twice");
    must(sim, row->call == message->call || sim->fault != FAULT_NONE, "a call keeps its id");
    row->state = message->has_consequences && message->state == BT_PUMP_MESSAGE_STATE_DONE
                     ? row->state
                     : message->state;
}

/* What came of a message says that it is over; nothing else says so of one that has led on. */
static void end_cause(struct sim *sim, const struct bt_pump_core *core,
                      const struct bt_pump_message *message)
{
    struct sim_store *store = sim->store;
    if (message->is_stored || message->cause == 0 ||
        message->kind == BT_PUMP_MESSAGE_KIND_INGRESS) {
        return;
    }
    must(sim, !bt_pump_core_find_message(core, message->cause), "what led on is over");
    struct row_message *row = &store->messages[message->cause];
    row->state = row->state < BT_PUMP_MESSAGE_STATE_DONE ? BT_PUMP_MESSAGE_STATE_DONE : row->state;
}

static void keep_rest(struct bt_pump_store *rows)
{
    struct sim *sim = sim_of(rows);
    struct sim_store *store = sim->store;
    for (const struct bt_pump_store_id *at = rows->ids; at && sim->fault != FAULT_TWICE;
         at = at->next) {
        must(sim, store->ids_count < IDS_MAX, "there is room for an id");
        struct row_id *row = &store->ids[store->ids_count++];
        row->client = at->client;
        memcpy(row->id, at->id.ptr, at->id.len);
        memcpy(row->digest, at->digest, sizeof(row->digest));
        memcpy(row->thread, at->thread, sizeof(row->thread));
    }
    for (const struct bt_pump_store_delivery *at = rows->delivered; at; at = at->next) {
        for (size_t i = 1; i < store->next_number; i++) {
            struct row_message *row = &store->messages[i];
            if (row->kind == BT_PUMP_MESSAGE_KIND_EGRESS && row->client == at->client &&
                row->call == at->delivery) {
                row->is_open = false;
            }
        }
    }
    for (size_t i = 0; i < LISTENERS; i++) {
        store->calls[i] = rows->core->listeners[i].next_call;
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        store->deliveries[i] = rows->core->clients[i].next_delivery;
    }
    store->next_number = rows->core->next.number;
}

static void forget(struct bt_pump_store *rows)
{
    rows->items_count = 0;
    rows->notes = NULL;
    rows->notes_end = &rows->notes;
    rows->ids = NULL;
    rows->delivered = NULL;
    bt_arena_reset(&rows->arena);
}

enum bt_status bt_pump_store_commit(struct bt_pump_store *rows, struct bt_findings *alarms,
                                    struct bt_error *error)
{
    struct sim *sim = sim_of(rows);
    const struct bt_pump_core *core = rows->core;
    (void)alarms;
    if (sim->store->power == POWER_BEFORE) {
        return bt_error_set(error, BT_EIO, "the power went");
    }
    for (uint64_t i = 0; i < core->dirty.count; i++) {
        keep_message(sim, core->dirty.messages[i]);
    }
    for (uint64_t i = 0; i < core->dirty.count; i++) {
        end_cause(sim, core, core->dirty.messages[i]);
    }
    for (const struct bt_pump_root_thread *at = core->dirty.roots; at; at = at->next_touched) {
        must(sim, kept_put_root(&sim->store->kept, at), "there is room for a root");
    }
    for (const struct bt_pump_thread *at = core->dirty.threads; at; at = at->next_touched) {
        keep_thread(sim, at);
    }
    keep_rest(rows);
    forget(rows);
    return sim->store->power == POWER_AFTER ? bt_error_set(error, BT_EIO, "the power went") : BT_OK;
}

/* ---- Reading again --------------------------------------------------------------------------- */

static void load_roots(struct sim *sim, struct bt_pump_core *core)
{
    for (size_t i = 0; i < sim->store->kept.roots_count; i++) {
        struct bt_pump_core_row row = kept_root_row(&sim->store->kept.roots[i]);
        row.tokens = sim->fault == FAULT_TOKENS ? 0 : row.tokens;
        must(sim, bt_pump_core_load_root(core, &row) == BT_OK, "a root is there again");
    }
}

static bt_str root_id(const struct kept *kept, const struct kept_thread *thread)
{
    for (size_t i = 0; i < kept->roots_count; i++) {
        if (kept->roots[i].client == thread->client &&
            strcmp(kept->roots[i].uuid, thread->client_uuid) == 0) {
            return bt_str_of(kept->roots[i].id);
        }
    }
    return bt_str_of(thread->parent);
}

static void load_threads(struct sim *sim, struct bt_pump_core *core)
{
    const struct kept *kept = &sim->store->kept;
    for (size_t i = 0; i < kept->threads_count; i++) {
        const struct kept_thread *thread = &kept->threads[i];
        struct bt_pump_core_row row = kept_thread_row(thread);
        if (thread->depth > 1 && happens(sim, FAULT_PARENT, 2)) {
            row.parent = root_id(kept, thread);
        }
        must(sim, bt_pump_core_load_thread(core, &row) == BT_OK, "a thread is there again");
    }
}

static void load_messages(struct sim *sim, struct bt_pump_core *core)
{
    for (uint64_t i = 1; i < sim->store->next_number; i++) {
        const struct row_message *kept = &sim->store->messages[i];
        const bool is_alive =
            kept->state < BT_PUMP_MESSAGE_STATE_DONE ||
            (kept->state == BT_PUMP_MESSAGE_STATE_DONE && happens(sim, FAULT_ALIVE, 8));
        if (kept->kind == BT_PUMP_MESSAGE_KIND_NONE || kept->kind == BT_PUMP_MESSAGE_KIND_EGRESS ||
            !is_alive) {
            continue;
        }
        const struct bt_pump_core_row row = {
            .id = bt_str_of(kept->thread),
            .number = i,
            .kind = kept->kind,
            .sender = kept->sender,
            .call = happens(sim, FAULT_CALL_ID, 4) ? kept->call + 1500 : kept->call,
            .tag = bt_str_of(kept->tag),
            .payload = {kept->payload, kept->size}};
        const enum bt_status status = bt_pump_core_load_message(core, &row);
        must(sim, status == BT_OK || sim->fault == FAULT_ALIVE, "a message is there again");
    }
}

enum bt_status bt_pump_store_load(struct bt_pump_store *rows, uint64_t *out_passed,
                                  struct bt_error *error)
{
    struct sim *sim = sim_of(rows);
    struct sim_store *store = sim->store;
    (void)error;
    store->power = POWER_ON;
    load_roots(sim, rows->core);
    load_threads(sim, rows->core);
    for (size_t i = 0; i < LISTENERS; i++) {
        rows->core->listeners[i].next_call = store->calls[i];
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        rows->core->clients[i].next_delivery = store->deliveries[i];
    }
    rows->core->next.number = store->next_number;
    load_messages(sim, rows->core);
    bt_pump_core_forget_finished(rows->core);
    *out_passed = 0;
    return BT_OK;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

enum bt_status bt_pump_store_open(struct bt_pump_store *rows, struct bt_pump_core *core,
                                  struct bt_ledger *ledger, struct bt_arena *memory)
{
    (void)memory;
    *rows = (struct bt_pump_store){.core = core, .ledger = ledger};
    bt_arena_init(&rows->arena, (size_t)16 << 20);
    rows->notes_end = &rows->notes;
    return BT_OK;
}

void bt_pump_store_close(struct bt_pump_store *rows)
{
    bt_arena_free(&rows->arena);
}

enum bt_status bt_pump_store_add_entry(struct bt_pump_store *rows,
                                       const struct bt_pump_entry_fact *fact)
{
    must(sim_of(rows), fact->event != NULL, "a note has a word");
    return BT_OK;
}

bt_str bt_pump_store_sender_name(const struct bt_pump_core *core,
                                 const struct bt_pump_message *message)
{
    return message->sender == BT_FROM_CORE ? BT_STR("core") : core->listeners[message->sender].name;
}

enum bt_status bt_pump_store_load_payload(struct bt_pump_store *rows, uint64_t number,
                                          struct bt_arena *arena, bt_str *out)
{
    const struct row_message *row = &sim_of(rows)->store->messages[number];
    return row->kind == BT_PUMP_MESSAGE_KIND_NONE
               ? BT_ENOENT
               : bt_arena_copy(arena, (bt_str){row->payload, row->size}, out);
}

enum bt_status bt_pump_store_find_id(struct bt_pump_store *rows, uint32_t client, bt_str id,
                                     struct bt_pump_store_id *out)
{
    const struct sim_store *store = sim_of(rows)->store;
    for (size_t i = 0; i < store->ids_count; i++) {
        const struct row_id *row = &store->ids[i];
        if (row->client == client && bt_str_eq(bt_str_of(row->id), id)) {
            *out = (struct bt_pump_store_id){.client = client, .id = id};
            memcpy(out->digest, row->digest, sizeof(out->digest));
            memcpy(out->thread, row->thread, sizeof(out->thread));
            return BT_OK;
        }
    }
    return BT_ENOENT;
}

bool bt_pump_store_has_pending_delivery(const struct bt_pump_store *rows, struct bt_arena *arena,
                                        bt_str client, uint64_t id)
{
    const struct sim_store *store = sim_of(rows)->store;
    (void)arena;
    for (uint64_t i = 1; i < store->next_number; i++) {
        const struct row_message *row = &store->messages[i];
        if (row->is_open && row->call == id &&
            bt_str_eq(rows->core->clients[row->client].name, client)) {
            return true;
        }
    }
    return false;
}

enum bt_status bt_pump_store_mark_delivered(struct bt_pump_store *rows,
                                            const struct bt_pump_pending_delivery *delivery)
{
    struct bt_pump_store_delivery *taken = BT_NEW(&rows->arena, struct bt_pump_store_delivery);
    must(sim_of(rows), taken != NULL, "there is memory");
    *taken = (struct bt_pump_store_delivery){rows->delivered, delivery->client, delivery->id,
                                             delivery->number};
    rows->delivered = taken;
    return BT_OK;
}

enum bt_status bt_pump_store_each_delivery(struct bt_pump_store *rows,
                                           bt_pump_pending_delivery_fn *each, void *context,
                                           struct bt_error *error)
{
    struct sim *sim = sim_of(rows);
    (void)error;
    for (uint64_t i = 1; i < sim->store->next_number; i++) {
        const struct row_message *row = &sim->store->messages[i];
        if (row->kind != BT_PUMP_MESSAGE_KIND_EGRESS || !row->is_open) {
            continue;
        }
        const uint32_t sender = sim->fault == FAULT_SENDER && row->sender < LISTENERS
                                    ? (row->sender + 1) % LISTENERS
                                    : row->sender;
        const char *thread =
            sim->fault == FAULT_THREAD ? "00000000-0000-4000-8000-00000000000f" : row->thread;
        const struct bt_pump_pending_delivery delivery = {
            .id = row->call,
            .number = i,
            .client = row->client,
            .sender = sender < LISTENERS ? bt_str_of(listener_names[sender]) : BT_STR("core"),
            .thread = bt_str_of(thread),
            .tag = bt_str_of(row->tag),
            .payload = {row->payload, row->size}};
        if (!each(context, &delivery)) {
            break;
        }
    }
    return BT_OK;
}

void sim_store_recount(struct sim *sim)
{
    const struct sim_store *store = sim->store;
    memset(sim->tokens, 0, sizeof(sim->tokens));
    for (uint64_t i = 1; i < store->next_number; i++) {
        const struct row_message *row = &store->messages[i];
        if (row->kind == BT_PUMP_MESSAGE_KIND_NONE || row->kind == BT_PUMP_MESSAGE_KIND_EGRESS ||
            row->call >= CALLS_MAX || !sim->is_called[row->listener][row->call]) {
            continue;
        }
        const struct edge *edge = edge_of(sim, bt_str_of(row->thread));
        if (row->state >= BT_PUMP_MESSAGE_STATE_DONE && edge) {
            sim->tokens[edge->client][edge->thread] += row->size < 4 ? 1 : row->size / 4;
        } else {
            sim->is_called[row->listener][row->call] = false;
        }
    }
}

/* ---- The end --------------------------------------------------------------------------------- */

size_t sim_store_waiting(const struct sim_store *store)
{
    size_t count = 0;
    for (uint64_t i = 1; i < store->next_number; i++) {
        count += store->messages[i].is_open;
    }
    return count;
}

/* The message in which a client wrote this number. */
static const struct row_message *find_ingress(const struct sim_store *store, uint64_t number)
{
    char text[48];
    const int size = snprintf(text, sizeof(text), "<n>%" PRIu64 "</n>", number);
    for (uint64_t i = 1; i < store->next_number; i++) {
        const struct row_message *row = &store->messages[i];
        if (row->kind == BT_PUMP_MESSAGE_KIND_INGRESS &&
            memmem(row->payload, row->size, text, (size_t)size)) {
            return row;
        }
    }
    return NULL;
}

void sim_store_check(struct sim *sim)
{
    const struct sim_store *store = sim->store;
    for (uint64_t i = 1; i < store->next_number; i++) {
        const struct row_message *row = &store->messages[i];
        must(sim,
             row->kind == BT_PUMP_MESSAGE_KIND_NONE || row->state >= BT_PUMP_MESSAGE_STATE_DONE,
             "every message comes to an end");
    }
    for (uint64_t i = 1; i <= sim->written_count; i++) {
        const struct written *written = &sim->written[i - 1];
        if (written->writer != CLIENT || !written->is_accepted) {
            continue;
        }
        const struct row_message *row = find_ingress(store, i);
        must(sim, row != NULL, "nothing that was accepted is lost");
        must(sim,
             !row || row->state != BT_PUMP_MESSAGE_STATE_DONE || written->calls[row->listener] > 0,
             "what is done was called");
    }
    must(sim, store->kept.threads_count == 0 && store->kept.roots_count == 0, "no thread is left");
}
