/* SPDX-License-Identifier: Apache-2.0 */
/* core.c - the core as a whole: begin, end, messages of clients, and forgetting finished ones. */
#include "pump/core.h"

#include <assert.h>

#include "pump/core_internal.h"

enum { WORK_BYTES_MAX = 64 << 20 };

void bt_pump_core_begin(struct bt_pump_core *core, size_t bytes_max)
{
    assert(core);
    assert(core->env);
    bt_arena_init(&core->arena, bytes_max);
    bt_arena_init(&core->work, WORK_BYTES_MAX);
    bt_object_pool_init(&core->pools.roots, &core->arena, sizeof(struct bt_pump_root_thread));
    bt_object_pool_init(&core->pools.threads, &core->arena, sizeof(struct bt_pump_thread));
    bt_object_pool_init(&core->pools.messages, &core->arena, sizeof(struct bt_pump_message));
    core->dirty.messages = NULL;
    core->dirty.capacity = 0;
    core->next.number = 1;
    core->next.root = 1;
    core->counts.deliveries = 1;
    for (uint32_t i = 0; i < core->listeners_count; i++) {
        core->listeners[i].next_call = 1;
    }
    for (uint32_t i = 0; i < core->clients_count; i++) {
        core->clients[i].next_delivery = 1;
    }
}

/* Free the payloads of queued messages, which are not in the arena. */
static void free_payloads(struct bt_pump_core *core)
{
    while (core->index.messages_by_call.root) {
        struct bt_treap_node *node = core->index.messages_by_call.root;
        struct bt_pump_message *message = BT_WITHIN(struct bt_pump_message, by_call, node);
        bt_treap_remove(&core->index.messages_by_call, node);
        bt_buf_free(&message->payload.bytes);
    }
}

void bt_pump_core_end(struct bt_pump_core *core)
{
    assert(core);
    bt_pump_core_forget_finished(core);
    free_payloads(core);
    bt_arena_free(&core->arena);
    bt_arena_free(&core->work);
}

uint32_t bt_pump_core_find_listener(const struct bt_pump_core *core, bt_str name)
{
    uint32_t i = 0;
    while (i < core->listeners_count && !bt_str_eq(core->listeners[i].name, name)) {
        i++;
    }
    return i < core->listeners_count ? i : BT_NOBODY;
}

uint32_t bt_pump_core_find_client(const struct bt_pump_core *core, bt_str name)
{
    uint32_t i = 0;
    while (i < core->clients_count && !bt_str_eq(core->clients[i].name, name)) {
        i++;
    }
    return i < core->clients_count ? i : BT_NOBODY;
}

bool bt_pump_core_can_accept(const struct bt_pump_core *core)
{
    return core->counts.unhandled < core->limits.queue;
}

bool bt_pump_core_budget_is_spent(const struct bt_pump_core *core, uint32_t client,
                                  const char *uuid)
{
    const struct bt_pump_root_thread *root = bt_pump_core_find_root(core, client, uuid);
    return root && root->budget_is_spent;
}

enum bt_status bt_pump_core_accept(struct bt_pump_core *core,
                                   const struct bt_pump_core_ingress *order)
{
    assert(order->targets_count > 0);
    struct bt_pump_root_thread *root = NULL;
    core->next.result++;
    core->next.index = 0;
    BT_TRY(bt_pump_core_make_root(core, order->client, order->uuid, &root));
    assert(!root->budget_is_spent);
    for (size_t i = 0; i < order->targets_count; i++) {
        struct bt_pump_new_message draft = {.kind = BT_PUMP_MESSAGE_KIND_INGRESS,
                                            .sender = BT_FROM_CLIENT,
                                            .root = root,
                                            .tag = order->tag,
                                            .payload = order->payload,
                                            .document = order->document,
                                            .cause = order->item};
        BT_TRY(bt_pump_core_make_thread(core, root, NULL, order->targets[i], &draft.thread));
        draft.thread->self_iterations = 0;
        BT_TRY(bt_pump_core_queue(core, &draft));
    }
    bt_pump_core_note_activity(core, root);
    return BT_OK;
}

/* The root for a notice. It is made for its UUID alone when nothing was accepted on it yet. */
static enum bt_status get_notice_root(struct bt_pump_core *core, uint32_t client, const char *uuid,
                                      struct bt_pump_root_thread **out)
{
    const bool is_new = !bt_pump_core_find_root(core, client, uuid);
    BT_TRY(bt_pump_core_make_root(core, client, uuid, out));
    if (is_new) {
        bt_pump_core_end_root(core, *out);
    }
    return BT_OK;
}

enum bt_status bt_pump_core_send_notice(struct bt_pump_core *core,
                                        const struct bt_pump_core_notice *words)
{
    struct bt_pump_new_message draft = {.kind = BT_PUMP_MESSAGE_KIND_EGRESS,
                                        .sender = BT_FROM_CORE,
                                        .tag = words->tag,
                                        .payload = words->payload,
                                        .document = words->document};
    BT_TRY(get_notice_root(core, words->client, words->uuid, &draft.root));
    return bt_pump_core_queue(core, &draft);
}

enum bt_status bt_pump_core_reject_ingress(struct bt_pump_core *core, uint32_t client,
                                           const char *uuid, enum bt_code code, bt_str attempt)
{
    struct bt_pump_new_message to = {.root = NULL};
    BT_TRY(get_notice_root(core, client, uuid, &to.root));
    return bt_pump_core_queue_diagnostic(core, &to, code, attempt);
}

enum bt_status bt_pump_core_add_event(struct bt_pump_core *core,
                                      const struct bt_pump_core_event *event)
{
    return core->driver.add_event(core->driver.context, event);
}

void bt_pump_core_flush_charges(struct bt_pump_core *core)
{
    for (struct bt_pump_root_thread *root = core->oldest; root; root = root->newer) {
        if (root->tokens_stored != root->tokens_kept) {
            root->tokens_stored = root->tokens_kept;
            bt_pump_core_mark_root_dirty(core, root);
        }
    }
}

enum bt_status bt_pump_core_expire_roots(struct bt_pump_core *core)
{
    while (core->oldest && core->oldest->busy == 0 &&
           core->now_ms - core->oldest->last_activity_ms >= core->limits.idle_ms) {
        const struct bt_pump_cut cut = {.root = core->oldest, .listener = BT_FROM_CORE};
        BT_TRY(bt_pump_core_cut(core, &cut));
        bt_pump_core_end_root(core, cut.root);
    }
    return BT_OK;
}

static void forget_finished_messages(struct bt_pump_core *core)
{
    for (uint64_t i = 0; i < core->dirty.count; i++) {
        struct bt_pump_message *message = core->dirty.messages[i];
        message->is_dirty = false;
        message->is_stored = true;
        const bool waits = message->state == BT_PUMP_MESSAGE_STATE_QUEUED ||
                           message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT;
        if (message->kind == BT_PUMP_MESSAGE_KIND_EGRESS || !waits) {
            bt_pump_core_forget(core, message);
        } else {
            bt_pump_core_drop_payload(core, message);
        }
    }
    core->dirty.count = core->dirty.unstored = core->dirty.undelivered = 0;
}

void bt_pump_core_forget_finished(struct bt_pump_core *core)
{
    forget_finished_messages(core);
    while (core->dirty.threads) {
        struct bt_pump_thread *thread = core->dirty.threads;
        core->dirty.threads = thread->next_touched;
        thread->is_dirty = false;
        thread->request_kept = thread->request;
        thread->has_replied_kept = thread->has_replied;
        if (thread->is_gone) {
            bt_object_pool_release(&core->pools.threads, thread);
        }
    }
    while (core->dirty.roots) {
        struct bt_pump_root_thread *root = core->dirty.roots;
        core->dirty.roots = root->next_touched;
        root->is_dirty = false;
        if (root->is_gone) {
            bt_object_pool_release(&core->pools.roots, root);
        }
    }
}
