/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.c - messages are queued, called, and end; tokens are charged.
 */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "pump/core_internal.h"

static void mark_message_dirty(struct bt_pump_core *core, struct bt_pump_message *message)
{
    if (!message->is_dirty) {
        message->is_dirty = true;
        assert(core->dirty.count < core->dirty.capacity);
        core->dirty.messages[core->dirty.count++] = message;
        core->dirty.unstored += message->thread && !message->is_stored;
        core->dirty.undelivered += message->kind == BT_PUMP_MESSAGE_KIND_EGRESS;
    }
}

/* Count a message in or out, on its thread and on all above. */
static void count_message(struct bt_pump_core *core, struct bt_pump_message *message, bool in)
{
    assert(message->thread);
    const uint64_t one = in ? 1 : UINT64_MAX; /* modulo 2^64 this subtracts one */
    for (struct bt_pump_thread *at = message->thread; at; at = at->parent) {
        at->busy += one;
    }
    message->root->busy += one;
    core->counts.unhandled += one;
    core->listeners[message->thread->listener].queued += one;
}

static void join_thread(struct bt_pump_core *core, struct bt_pump_message *message)
{
    struct bt_pump_thread *thread = message->thread;
    struct bt_pump_core_listener *listener = &core->listeners[thread->listener];
    message->slot.thread = &thread->schedule;
    message->call = listener->next_call++;
    message->by_call.key = (struct bt_treap_key){{thread->listener, message->call, 0}};
    bt_treap_add(&core->index.messages_by_call, &message->by_call);
    message->by_number.key = (struct bt_treap_key){{message->number, 0, 0}};
    bt_treap_add(&core->index.messages_by_number, &message->by_number);
    message->next = thread->messages;
    if (thread->messages) {
        thread->messages->before = message;
    }
    thread->messages = message;
    count_message(core, message, true);
    bt_pump_schedule_add(&core->schedule, &message->slot, core->next.result, core->next.index++);
}

static void let_go(struct bt_pump_core *core, struct bt_pump_message *message)
{
    core->counts.payload_bytes -= message->payload.is_spilled ? 0 : message->payload.size;
    message->payload.is_spilled = true;
    message->payload.tag = BT_STR("");
    bt_buf_free(&message->payload.bytes);
}

void bt_pump_core_drop_payload(struct bt_pump_core *core, struct bt_pump_message *message)
{
    if (message->is_stored && !message->payload.is_spilled &&
        (message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT ||
         core->counts.payload_bytes > core->limits.held)) {
        let_go(core, message);
    }
}

void bt_pump_core_forget(struct bt_pump_core *core, struct bt_pump_message *message)
{
    let_go(core, message);
    bt_object_pool_release(&core->pools.messages, message);
}

/* Every message there is may be touched at once. An array, and not a list through the messages: who
 * walks through thousands of them does not wait for each to learn which is next. */
static bool has_room_to_touch(struct bt_pump_core *core)
{
    const uint64_t made = core->pools.messages.made;
    if (made <= core->dirty.capacity) {
        return true;
    }
    const uint64_t room = 2 * made;
    struct bt_pump_message **touched =
        BT_NEW_ARRAY(&core->arena, struct bt_pump_message *, (size_t)room);
    if (!touched) {
        return false;
    }
    for (uint64_t i = 0; i < core->dirty.count; i++) {
        touched[i] = core->dirty.messages[i];
    }
    core->dirty.messages = touched;
    core->dirty.capacity = room;
    return true;
}

enum bt_status bt_pump_core_queue(struct bt_pump_core *core,
                                  const struct bt_pump_new_message *draft)
{
    struct bt_pump_message *message = bt_object_pool_acquire(&core->pools.messages);
    if (!message) {
        return BT_ENOMEM;
    }
    if (!has_room_to_touch(core)) {
        bt_object_pool_release(&core->pools.messages, message);
        return BT_ENOMEM;
    }
    /* Exactly the size it needs, because thousands of them may wait. */
    bt_buf_init(&message->payload.bytes, draft->payload.len + draft->tag.len);
    bt_buf_put(&message->payload.bytes, draft->payload);
    bt_buf_put(&message->payload.bytes, draft->tag);
    if (message->payload.bytes.status != BT_OK) {
        bt_buf_free(&message->payload.bytes);
        bt_object_pool_release(&core->pools.messages, message);
        return BT_ENOMEM;
    }
    /* The tag is stored after the payload, in the same buffer. */
    message->payload.bytes.len = message->payload.size = draft->payload.len;
    core->counts.payload_bytes += message->payload.size;
    message->payload.tag =
        (bt_str){message->payload.bytes.ptr + draft->payload.len, draft->tag.len};
    message->number = core->next.number++;
    message->kind = draft->kind;
    message->state = BT_PUMP_MESSAGE_STATE_QUEUED;
    message->root = draft->root;
    message->thread = draft->thread;
    message->sender = draft->sender;
    message->document = draft->document;
    message->cause = draft->cause;
    if (draft->thread) {
        join_thread(core, message);
    } else {
        assert(draft->kind == BT_PUMP_MESSAGE_KIND_EGRESS);
        message->call = core->clients[draft->root->client].next_delivery++;
        core->counts.deliveries++;
    }
    mark_message_dirty(core, message);
    return BT_OK;
}

static uint64_t cost_of(const struct bt_pump_message *message)
{
    const uint64_t cost = message->payload.size / 4;
    return cost > 0 ? cost : 1;
}

/* The store is told ahead, so that it need not be told each time: after a crash a root may seem to
 * have been charged a 64th of its budget more than it was, and never less. */
static void charge_root(struct bt_pump_core *core, struct bt_pump_root_thread *root, uint64_t cost)
{
    root->tokens_kept += cost;
    if (root->tokens_kept > root->tokens_stored) {
        const uint64_t ahead = root->tokens_kept + core->limits.tokens / 64;
        root->tokens_stored = ahead < core->limits.tokens ? ahead : core->limits.tokens;
        bt_pump_core_mark_root_dirty(core, root);
    }
}

bool bt_pump_core_is_request(const struct bt_pump_message *message)
{
    return message->kind == BT_PUMP_MESSAGE_KIND_INGRESS ||
           message->kind == BT_PUMP_MESSAGE_KIND_CALL;
}

void bt_pump_core_finish(struct bt_pump_core *core, struct bt_pump_message *message,
                         enum bt_pump_message_state state)
{
    struct bt_pump_thread *thread = message->thread;
    assert(thread);
    const enum bt_pump_schedule_slot_state slot = message->slot.state;
    if (slot == BT_PUMP_SLOT_IN_FLIGHT || slot == BT_PUMP_SLOT_REPEAT) {
        charge_root(core, message->root, cost_of(message));
    }
    if (slot == BT_PUMP_SLOT_IN_FLIGHT) {
        bt_pump_schedule_done(&core->schedule, &message->slot);
    } else if (slot != BT_PUMP_SLOT_FREE) {
        bt_pump_schedule_drop(&core->schedule, &message->slot);
    }
    bt_treap_remove(&core->index.messages_by_call, &message->by_call);
    bt_treap_remove(&core->index.messages_by_number, &message->by_number);
    *(message->before ? &message->before->next : &thread->messages) = message->next;
    if (message->next) {
        message->next->before = message->before;
    }
    message->next = message->before = NULL;
    count_message(core, message, false);
    message->state = state;
    core->counts.done += state == BT_PUMP_MESSAGE_STATE_DONE;
    core->counts.dead += state == BT_PUMP_MESSAGE_STATE_DEAD;
    mark_message_dirty(core, message);
    bt_pump_core_note_activity(core, message->root);
}

struct bt_pump_message *bt_pump_core_find_message(const struct bt_pump_core *core, uint64_t number)
{
    const struct bt_treap_key key = {{number, 0, 0}};
    struct bt_treap_node *node = bt_treap_find(&core->index.messages_by_number, &key);
    return node ? BT_WITHIN(struct bt_pump_message, by_number, node) : NULL;
}

uint64_t bt_pump_core_oldest(const struct bt_pump_core *core)
{
    const struct bt_treap_node *first = bt_treap_first(&core->index.messages_by_number);
    return first ? first->key.part[0] : core->next.number;
}

struct bt_pump_message *bt_pump_core_find_call(const struct bt_pump_core *core, uint32_t listener,
                                               uint64_t call)
{
    const struct bt_treap_key key = {{listener, call, 0}};
    struct bt_treap_node *node = bt_treap_find(&core->index.messages_by_call, &key);
    return node ? BT_WITHIN(struct bt_pump_message, by_call, node) : NULL;
}

/* The budget of the root is spent: cut it, tell its client, and accept nothing more on it. */
static enum bt_status refuse_to_pay(struct bt_pump_core *core, struct bt_pump_message *message)
{
    struct bt_pump_root_thread *root = message->root;
    struct bt_pump_thread *thread = message->thread;
    const uint64_t document = message->document;
    char params[48];
    const int size =
        snprintf(params, sizeof(params), "{\"limit\":%" PRIu64 "}", core->limits.tokens);
    const struct bt_pump_core_event event = {.code = BT_CODE_PUMP_BUDGET,
                                             .listener = thread->listener,
                                             .document = document,
                                             .params = {params, (size_t)size},
                                             .message = message->number,
                                             .thread = thread->uuid};
    root->budget_is_spent = true;
    bt_pump_core_mark_root_dirty(core, root);
    BT_TRY(bt_pump_core_add_event(core, &event));
    core->next.result++;
    core->next.index = 0;
    BT_TRY(bt_pump_core_send_diagnostic_to_client(core, message, BT_CODE_PUMP_BUDGET));
    bt_pump_schedule_done(&core->schedule, &message->slot);
    bt_pump_core_finish(core, message, BT_PUMP_MESSAGE_STATE_DROPPED);
    const struct bt_pump_cut cut = {
        .root = root, .listener = thread->listener, .document = document};
    return bt_pump_core_cut(core, &cut);
}

enum bt_status bt_pump_core_next(struct bt_pump_core *core, struct bt_pump_message **out)
{
    struct bt_pump_schedule_slot *slot;
    *out = NULL;
    while ((slot = bt_pump_schedule_next(&core->schedule)) != NULL) {
        struct bt_pump_message *message = BT_WITHIN(struct bt_pump_message, slot, slot);
        const uint64_t cost = slot->is_repeat ? 0 : cost_of(message);
        message->state = BT_PUMP_MESSAGE_STATE_IN_FLIGHT;
        if (message->root->tokens + cost <= core->limits.tokens) {
            message->root->tokens += cost;
            if (bt_pump_core_is_request(message)) {
                message->thread->request = message->number;
            }
            core->listeners[message->thread->listener].calls++;
            *out = message;
            return BT_OK;
        }
        BT_TRY(refuse_to_pay(core, message));
    }
    return BT_OK;
}
