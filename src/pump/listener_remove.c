/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_remove.c - remove a listener: its pending work, and the callers that are notified when
 * that is dropped.
 */
#include <assert.h>

#include "pump/core_internal.h"

/* The thread after `at`, from the top down; NULL: that was the last of its root. */
static struct bt_pump_thread *next_thread(struct bt_pump_thread *at)
{
    if (at->first) {
        return at->first;
    }
    while (at && !at->next) {
        at = at->parent;
    }
    return at ? at->next : NULL;
}

bool bt_pump_core_is_busy(const struct bt_pump_core *core, uint32_t listener)
{
    if (core->listeners[listener].queued > 0) {
        return true;
    }
    for (const struct bt_pump_root_thread *root = core->oldest; root; root = root->newer) {
        for (struct bt_pump_thread *at = root->first; at; at = next_thread(at)) {
            if (at->listener == listener && at->busy > 0) {
                return true;
            }
        }
    }
    return false;
}

/* The topmost thread of a listener in a root, or NULL. */
static struct bt_pump_thread *thread_of(const struct bt_pump_root_thread *root, uint32_t listener)
{
    struct bt_pump_thread *at = root->first;
    while (at && at->listener != listener) {
        at = next_thread(at);
    }
    return at;
}

/* Send a diagnostic to every caller that waits for an answer of this thread. */
static enum bt_status notify_callers(struct bt_pump_core *core, struct bt_pump_thread *thread)
{
    uint64_t others = thread->busy; /* consequences of the current request */
    bool is_notified = thread->request == 0;
    core->next.result++;
    core->next.index = 0;
    for (const struct bt_pump_message *at = thread->messages; at; at = at->next) {
        if (bt_pump_core_is_request(at)) {
            others--;
            is_notified = is_notified || at->number == thread->request;
            BT_TRY(bt_pump_core_send_diagnostic_to_caller(
                core, thread, at->number, at->number, BT_CODE_PUMP_HANDLER_FAILED, at->document));
        }
    }
    return others == 0 || is_notified
               ? BT_OK
               : bt_pump_core_send_diagnostic_to_caller(core, thread, thread->request,
                                                        thread->request,
                                                        BT_CODE_PUMP_HANDLER_FAILED, 0);
}

enum bt_status bt_pump_core_remove(struct bt_pump_core *core, uint32_t listener,
                                   uint64_t *out_dropped)
{
    assert(listener < core->listeners_count);
    uint64_t dropped = 0;
    struct bt_pump_root_thread *next = NULL;
    for (struct bt_pump_root_thread *root = core->oldest; root; root = next) {
        struct bt_pump_thread *thread = NULL;
        next = root->newer; /* a changed root becomes the newest and is visited again */
        while ((thread = thread_of(root, listener)) != NULL) {
            const struct bt_pump_cut cut = {
                .root = root, .thread = thread, .itself = true, .listener = listener};
            dropped += thread->busy;
            BT_TRY(notify_callers(core, thread));
            BT_TRY(bt_pump_core_cut(core, &cut));
        }
    }
    *out_dropped = dropped;
    return BT_OK;
}
