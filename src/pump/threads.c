/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - the registry of threads: an entry per edge, found by UUID and parent, never by name.
 */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "pump/core_internal.h"

static uint64_t hex_bits(const char *text, size_t digits)
{
    uint64_t bits = 0;
    for (size_t i = 0; digits > 0; i++) {
        const char c = text[i];
        if (c == '-') {
            continue;
        }
        bits = bits << 4 | bt_hex_value(c);
        digits--;
    }
    return bits;
}

/* A UUID is 128 bits, which are the last two parts of a key. */
static struct bt_treap_key key_of(uint64_t first, const char *uuid)
{
    assert(uuid[BT_UUID_TEXT_BYTES - 1] == '\0');
    return (struct bt_treap_key){{first, hex_bits(uuid, 16), hex_bits(uuid + 19, 16)}};
}

void bt_pump_core_mark_root_dirty(struct bt_pump_core *core, struct bt_pump_root_thread *root)
{
    if (!root->is_dirty) {
        root->is_dirty = true;
        root->next_touched = core->dirty.roots;
        core->dirty.roots = root;
    }
}

static void mark_thread_dirty(struct bt_pump_core *core, struct bt_pump_thread *thread)
{
    if (!thread->is_dirty) {
        thread->is_dirty = true;
        thread->next_touched = core->dirty.threads;
        core->dirty.threads = thread;
    }
}

void bt_pump_core_consider_thread(struct bt_pump_core *core, struct bt_pump_thread *thread)
{
    const bool is_request_new = thread->busy > 0 && thread->request != thread->request_kept;
    if (is_request_new || thread->has_replied != thread->has_replied_kept) {
        mark_thread_dirty(core, thread);
    }
}

struct bt_pump_root_thread *bt_pump_core_find_root(const struct bt_pump_core *core, uint32_t client,
                                                   const char *uuid)
{
    const struct bt_treap_key key = key_of(client, uuid);
    struct bt_treap_node *node = bt_treap_find(&core->index.roots_by_name, &key);
    return node ? BT_WITHIN(struct bt_pump_root_thread, by_name, node) : NULL;
}

static void leave_row(struct bt_pump_core *core, struct bt_pump_root_thread *root)
{
    *(root->older ? &root->older->newer : &core->oldest) = root->newer;
    *(root->newer ? &root->newer->older : &core->newest) = root->older;
}

static void join_row(struct bt_pump_core *core, struct bt_pump_root_thread *root)
{
    root->older = core->newest;
    root->newer = NULL;
    *(core->newest ? &core->newest->newer : &core->oldest) = root;
    core->newest = root;
}

void bt_pump_core_note_activity(struct bt_pump_core *core, struct bt_pump_root_thread *root)
{
    root->last_activity_ms = core->now_ms;
    leave_row(core, root);
    join_row(core, root);
}

static enum bt_status new_root(struct bt_pump_core *core, uint32_t client, const char *uuid,
                               struct bt_pump_root_thread **out)
{
    struct bt_pump_root_thread *root = bt_object_pool_acquire(&core->pools.roots);
    if (!root) {
        return BT_ENOMEM;
    }
    root->by_name.key = key_of(client, uuid);
    root->number = core->next.root++;
    root->client = client;
    root->last_activity_ms = core->now_ms;
    memcpy(root->uuid, uuid, sizeof(root->uuid));
    bt_treap_add(&core->index.roots_by_name, &root->by_name);
    join_row(core, root);
    *out = root;
    return BT_OK;
}

enum bt_status bt_pump_core_make_root(struct bt_pump_core *core, uint32_t client, const char *uuid,
                                      struct bt_pump_root_thread **out)
{
    *out = bt_pump_core_find_root(core, client, uuid);
    if (*out) {
        return BT_OK;
    }
    char id[BT_UUID_TEXT_BYTES];
    BT_TRY(bt_env_uuid(core->env, id));
    BT_TRY(new_root(core, client, uuid, out));
    memcpy((*out)->id, id, sizeof(id));
    bt_pump_core_mark_root_dirty(core, *out);
    return BT_OK;
}

static struct bt_pump_thread **children_of(struct bt_pump_root_thread *root,
                                           struct bt_pump_thread *parent)
{
    return parent ? &parent->first : &root->first;
}

static enum bt_status new_thread(struct bt_pump_core *core, struct bt_pump_root_thread *root,
                                 struct bt_pump_thread *parent, const char *uuid,
                                 struct bt_pump_thread **out)
{
    struct bt_pump_thread *thread = bt_object_pool_acquire(&core->pools.threads);
    if (!thread) {
        return BT_ENOMEM;
    }
    struct bt_pump_thread **first = children_of(root, parent);
    thread->by_uuid.key = key_of(0, uuid);
    memcpy(thread->uuid, uuid, sizeof(thread->uuid));
    thread->root = root;
    thread->parent = parent;
    thread->depth = parent ? parent->depth + 1 : 1;
    thread->schedule.root = root->number;
    thread->next = *first;
    if (*first) {
        (*first)->before = thread;
    }
    *first = thread;
    bt_treap_add(&core->index.threads_by_uuid, &thread->by_uuid);
    core->counts.threads++;
    *out = thread;
    return BT_OK;
}

static void set_listener(struct bt_pump_core *core, struct bt_pump_thread *thread,
                         uint32_t listener)
{
    assert(listener < core->listeners_count);
    thread->listener = listener;
    thread->schedule.lane = &core->listeners[listener].lane;
}

enum bt_status bt_pump_core_make_thread(struct bt_pump_core *core, struct bt_pump_root_thread *root,
                                        struct bt_pump_thread *parent, uint32_t listener,
                                        struct bt_pump_thread **out)
{
    for (struct bt_pump_thread *at = *children_of(root, parent); at; at = at->next) {
        if (at->listener == listener) {
            *out = at;
            return BT_OK;
        }
    }
    char uuid[BT_UUID_TEXT_BYTES];
    BT_TRY(bt_env_uuid(core->env, uuid));
    BT_TRY(new_thread(core, root, parent, uuid, out));
    set_listener(core, *out, listener);
    mark_thread_dirty(core, *out);
    return BT_OK;
}

static void end_thread(struct bt_pump_core *core, struct bt_pump_thread *thread)
{
    assert(!thread->first);
    assert(!thread->messages);
    *(thread->before ? &thread->before->next : children_of(thread->root, thread->parent)) =
        thread->next;
    if (thread->next) {
        thread->next->before = thread->before;
    }
    bt_treap_remove(&core->index.threads_by_uuid, &thread->by_uuid);
    core->counts.threads--;
    thread->is_gone = true;
    mark_thread_dirty(core, thread);
}

/* Drop the messages of a thread and cancel its calls in flight. Returns their number. */
static uint64_t drop_messages(struct bt_pump_core *core, struct bt_pump_thread *thread)
{
    uint64_t count = 0;
    while (thread->messages) {
        struct bt_pump_message *message = thread->messages;
        if (message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT) {
            core->driver.cancel(core->driver.context, thread->listener, message->call);
        }
        bt_pump_core_finish(core, message, BT_PUMP_MESSAGE_STATE_DROPPED);
        count++;
    }
    return count;
}

/* The deepest first thread at or below `thread`. */
static struct bt_pump_thread *find_deepest_thread(struct bt_pump_thread *thread)
{
    while (thread->first) {
        thread = thread->first;
    }
    return thread;
}

/* End what is below `top`, or below the root when it is NULL. */
static uint64_t end_below(struct bt_pump_core *core, struct bt_pump_root_thread *root,
                          struct bt_pump_thread *top)
{
    uint64_t count = 0;
    while (*children_of(root, top)) {
        struct bt_pump_thread *leaf = find_deepest_thread(*children_of(root, top));
        count += drop_messages(core, leaf);
        end_thread(core, leaf);
    }
    return count;
}

void bt_pump_core_end_root(struct bt_pump_core *core, struct bt_pump_root_thread *root)
{
    assert(!root->first);
    root->is_gone = true;
    bt_treap_remove(&core->index.roots_by_name, &root->by_name);
    leave_row(core, root);
    bt_pump_core_mark_root_dirty(core, root);
}

enum bt_status bt_pump_core_cut(struct bt_pump_core *core, const struct bt_pump_cut *cut)
{
    uint64_t count = cut->skipped + end_below(core, cut->root, cut->thread);
    if (cut->thread && cut->itself) {
        count += drop_messages(core, cut->thread);
        end_thread(core, cut->thread);
    }
    if (count == 0) {
        return BT_OK;
    }
    char params[48];
    const int size = snprintf(params, sizeof(params), "{\"count\":%" PRIu64 "}", count);
    const struct bt_pump_core_event event = {.code = BT_CODE_PUMP_PRUNED,
                                             .listener = cut->listener,
                                             .document = cut->document,
                                             .params = {params, (size_t)size}};
    return bt_pump_core_add_event(core, &event);
}

void bt_pump_core_prune(struct bt_pump_core *core, struct bt_pump_thread *thread)
{
    for (struct bt_pump_thread *at = thread; at; at = at->parent) {
        if (at->has_replied && at->busy == 0) {
            const uint64_t dropped = end_below(core, at->root, at);
            assert(dropped == 0);
            (void)dropped;
            at->has_replied = false;
            bt_pump_core_consider_thread(core, at);
        }
    }
}

struct bt_pump_thread *bt_pump_core_find_thread(const struct bt_pump_core *core, bt_str uuid)
{
    if (!bt_uuid_is_valid(uuid)) {
        return NULL;
    }
    char text[BT_UUID_TEXT_BYTES] = {0};
    memcpy(text, uuid.ptr, uuid.len);
    const struct bt_treap_key key = key_of(0, text);
    struct bt_treap_node *node = bt_treap_find(&core->index.threads_by_uuid, &key);
    return node ? BT_WITHIN(struct bt_pump_thread, by_uuid, node) : NULL;
}

/* The root of a row; NULL: there is none. */
static struct bt_pump_root_thread *root_of(const struct bt_pump_core *core,
                                           const struct bt_pump_core_row *row)
{
    char uuid[BT_UUID_TEXT_BYTES] = {0};
    if (!bt_uuid_is_valid(row->uuid) || row->client >= core->clients_count) {
        return NULL;
    }
    memcpy(uuid, row->uuid.ptr, row->uuid.len);
    return bt_pump_core_find_root(core, row->client, uuid);
}

enum bt_status bt_pump_core_load_root(struct bt_pump_core *core, const struct bt_pump_core_row *row)
{
    struct bt_pump_root_thread *root = NULL;
    if (!bt_uuid_is_valid(row->uuid) || !bt_uuid_is_valid(row->id) ||
        row->client >= core->clients_count || root_of(core, row)) {
        return BT_ECORRUPT;
    }
    char uuid[BT_UUID_TEXT_BYTES] = {0};
    memcpy(uuid, row->uuid.ptr, row->uuid.len);
    const uint64_t next = core->next.root;
    core->next.root = row->number;
    const enum bt_status status = new_root(core, row->client, uuid, &root);
    core->next.root = next > row->number ? next : row->number + 1;
    BT_TRY(status);
    memcpy(root->id, row->id.ptr, row->id.len);
    root->tokens = root->tokens_kept = root->tokens_stored = row->tokens;
    root->budget_is_spent = row->is_spent;
    return BT_OK;
}

enum bt_status bt_pump_core_load_thread(struct bt_pump_core *core,
                                        const struct bt_pump_core_row *row)
{
    struct bt_pump_thread *thread = NULL;
    struct bt_pump_thread *parent = bt_pump_core_find_thread(core, row->parent);
    struct bt_pump_root_thread *root = root_of(core, row);
    const bool hangs_on_root = root && bt_str_eq(bt_str_of(root->id), row->parent);
    if (!root || (parent ? parent->root != root : !hangs_on_root) || !bt_uuid_is_valid(row->id) ||
        bt_pump_core_find_thread(core, row->id) || row->owner >= core->listeners_count) {
        return BT_ECORRUPT;
    }
    char uuid[BT_UUID_TEXT_BYTES] = {0};
    memcpy(uuid, row->id.ptr, row->id.len);
    BT_TRY(new_thread(core, root, parent, uuid, &thread));
    set_listener(core, thread, row->owner);
    thread->has_replied = thread->has_replied_kept = row->has_replied;
    thread->request = thread->request_kept = row->number;
    return BT_OK;
}

enum bt_status bt_pump_core_load_message(struct bt_pump_core *core,
                                         const struct bt_pump_core_row *row)
{
    struct bt_pump_thread *thread = bt_pump_core_find_thread(core, row->id);
    if (!thread || row->call == 0 || bt_pump_core_find_call(core, thread->listener, row->call)) {
        return BT_ECORRUPT;
    }
    const uint64_t number = core->next.number;
    const uint64_t call = core->listeners[thread->listener].next_call;
    const struct bt_pump_new_message draft = {.kind = row->kind,
                                              .sender = row->sender,
                                              .root = thread->root,
                                              .thread = thread,
                                              .tag = row->tag,
                                              .payload = row->payload,
                                              .document = row->document};
    core->next.number = row->number;
    core->listeners[thread->listener].next_call = row->call;
    core->next.result++;
    const enum bt_status status = bt_pump_core_queue(core, &draft);
    if (status == BT_OK) {
        struct bt_pump_message *message = bt_pump_core_find_message(core, row->number);
        message->is_stored = true;
        bt_pump_core_drop_payload(core, message);
    }
    core->next.number = number > row->number ? number : row->number + 1;
    core->listeners[thread->listener].next_call = call > row->call ? call : row->call + 1;
    return status;
}
