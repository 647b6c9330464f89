/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_query.c - the queries of operators about a pump: its state, its listeners, and the
 * history of a thread.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/ledger_internal.h"
#include "pump/control_query.h"
#include "pump/message_rows.h"
#include "store/rows.h"

enum { HISTORY_DEFAULT = 100, ROOTS_MAX = 64 };

static bt_str state_name(enum bt_pump_state state)
{
    return state == BT_PUMP_RUNNING    ? BT_STR("running")
           : state == BT_PUMP_DRAINING ? BT_STR("draining")
                                       : BT_STR("stopped");
}

enum bt_status bt_control_method_status(struct bt_pump_control_call *call)
{
    const struct bt_pump *pump = call->pump;
    struct bt_emit *emit = &call->emit;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "organism", pump->organism->name);
    bt_emit_member_string(emit, "state", state_name(pump->run.state));
    bt_emit_member_u64(emit, "uptime_s",
                       pump->run.state == BT_PUMP_STOPPED
                           ? 0
                           : (bt_clock_monotonic_ms() - pump->run.started_ms) / 1000);
    bt_emit_member_u64(emit, "listeners", pump->organism->listeners_count);
    bt_emit_member_u64(emit, "threads", pump->core.counts.threads);
    bt_emit_member_u64(emit, "queued", pump->core.counts.unhandled - pump->core.schedule.in_flight);
    bt_emit_member_u64(emit, "in_flight", pump->core.schedule.in_flight);
    bt_emit_member_u64(emit, "processed", pump->core.counts.done);
    bt_emit_member_u64(emit, "dead", pump->core.counts.dead);
    bt_sandbox_put(&call->emit, &call->pump->launch.context.use);
    bt_emit_end(emit);
    return BT_OK;
}

static int by_listener(const void *left, const void *right)
{
    const struct bt_organism_listener *const *a = left;
    const struct bt_organism_listener *const *b = right;
    return bt_str_compare((*a)->takes.name, (*b)->takes.name);
}

static const char *const host_state_names[] = {
    [BT_HOST_STARTING] = "starting", [BT_HOST_READY] = "ready",
    [BT_HOST_LEAVING] = "backoff", /* it comes back: hosts that do not are not listed */
    [BT_HOST_BACKOFF] = "backoff",   [BT_HOST_STOPPED] = "stopped",
};

static void put_listener(struct bt_pump_control_call *call,
                         const struct bt_organism_listener *listener)
{
    const struct bt_pump *pump = call->pump;
    const struct bt_pump_slot *slot = &pump->hosting.slots[listener->number];
    const struct bt_pump_core_listener *known = &pump->core.listeners[listener->number];
    struct bt_host_view view = {.state = BT_HOST_STOPPED};
    struct bt_emit *emit = &call->emit;
    if (slot->has_host) {
        view = bt_host_get_view(pump->hosting.pool, slot->host);
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", listener->takes.name);
    bt_emit_member_string(emit, "tag", listener->takes.tag);
    bt_emit_member_bool(emit, "agent", listener->is_agent);
    bt_emit_member_string(emit, "host", bt_organism_listener_host_name(listener));
    bt_emit_member_string(emit, "state", bt_str_of(host_state_names[view.state]));
    bt_emit_member_u64(emit, "in_flight", known->lane.in_flight);
    bt_emit_member_u64(emit, "queued", known->queued - known->lane.in_flight);
    bt_emit_member_u64(emit, "restarts", view.restarts);
    bt_emit_end(emit);
}

enum bt_status bt_control_method_list(struct bt_pump_control_call *call)
{
    const struct bt_organism *organism = call->pump->organism;
    const size_t count = organism->listeners_count;
    const struct bt_organism_listener **sorted =
        BT_NEW_ARRAY(call->arena, const struct bt_organism_listener *, count + 1);
    if (!sorted) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &organism->listeners[i];
    }
    qsort(sorted, count, sizeof(void *), by_listener);
    bt_emit_begin_object(&call->emit);
    bt_emit_member_array(&call->emit, "listeners");
    for (size_t i = 0; i < count; i++) {
        put_listener(call, sorted[i]);
    }
    bt_emit_end(&call->emit);
    bt_emit_end(&call->emit);
    return BT_OK;
}

/* The roots whose messages are shown: a client may have had several under one UUID. */
struct pump_control_history {
    struct bt_pump_control_call *call;
    bt_str thread;
    bt_str client; /* "": the thread belongs to the pump itself */
    bt_str roots[ROOTS_MAX];
    size_t roots_count;
    uint64_t skip;
    uint64_t left;
    uint64_t shown;
    bool with_payloads;
    enum bt_status status;
};

static bool has_root(const struct pump_control_history *history, bt_str root)
{
    for (size_t i = 0; i < history->roots_count; i++) {
        if (bt_str_eq(history->roots[i], root)) {
            return true;
        }
    }
    return false;
}

static bool add_root(struct pump_control_history *history, bt_str root)
{
    if (history->roots_count < ROOTS_MAX && !has_root(history, root)) {
        history->status =
            bt_arena_copy(history->call->arena, root, &history->roots[history->roots_count++]);
    }
    return history->status == BT_OK;
}

static bool find_in_thread(void *context, const struct bt_store_cell *cells)
{
    struct pump_control_history *history = context;
    const bool is_meant = cells[BT_THREAD_DEPTH].number == 0 &&
                          bt_str_eq(cells[BT_THREAD_CLIENT].text, history->client) &&
                          bt_str_eq(cells[BT_THREAD_UUID].text, history->thread);
    return !is_meant || add_root(history, cells[BT_THREAD_ID].text);
}

/* A root that was deleted is found by its deliveries. */
static bool find_in_message(void *context, const struct bt_store_cell *cells)
{
    struct pump_control_history *history = context;
    const bool is_meant = bt_str_eq(cells[BT_PUMP_MESSAGE_KIND].text, BT_STR("egress")) &&
                          bt_str_eq(cells[BT_PUMP_MESSAGE_TARGET].text, history->client) &&
                          bt_str_eq(cells[BT_PUMP_MESSAGE_THREAD].text, history->thread);
    return !is_meant || add_root(history, cells[BT_PUMP_MESSAGE_ROOT].text);
}

/* A message for a client waits as long as its delivery exists; others are looked up in memory. */
static bt_str state_of(const struct pump_control_history *history,
                       const struct bt_store_cell *cells)
{
    const struct bt_pump *pump = history->call->pump;
    const bt_str state = cells[BT_PUMP_MESSAGE_STATE].text;
    if (!bt_str_eq(state, BT_STR("queued"))) {
        return state;
    }
    if (!bt_str_eq(cells[BT_PUMP_MESSAGE_KIND].text, BT_STR("egress"))) {
        const struct bt_pump_message *message =
            bt_pump_core_find_message(&pump->core, (uint64_t)cells[BT_PUMP_MESSAGE_N].number);
        return bt_pump_message_state_name(message ? message->state : BT_PUMP_MESSAGE_STATE_DONE);
    }
    uint64_t id = 0;
    const bool waits = bt_str_to_u64(cells[BT_PUMP_MESSAGE_CALL].text, &id) != BT_OK ||
                       bt_pump_store_has_pending_delivery(&pump->storage.rows, history->call->arena,
                                                          cells[BT_PUMP_MESSAGE_TARGET].text, id);
    return waits ? state : BT_STR("done");
}

static void put_entry(struct pump_control_history *history, const struct bt_store_cell *cells)
{
    struct bt_emit *emit = &history->call->emit;
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "n", (uint64_t)cells[BT_PUMP_MESSAGE_N].number);
    bt_emit_member_string(emit, "kind", cells[BT_PUMP_MESSAGE_KIND].text);
    bt_emit_member_string(emit, "from", cells[BT_PUMP_MESSAGE_SENDER].text);
    bt_emit_member_string(emit, "to", cells[BT_PUMP_MESSAGE_TARGET].text);
    bt_emit_member_string(emit, "thread", cells[BT_PUMP_MESSAGE_THREAD].text);
    bt_emit_member_string(emit, "root", cells[BT_PUMP_MESSAGE_TAG].text);
    bt_emit_member_string(emit, "state", state_of(history, cells));
    if (history->with_payloads && cells[BT_PUMP_MESSAGE_PAYLOAD].text.ptr) {
        bt_emit_member_string(emit, "payload", cells[BT_PUMP_MESSAGE_PAYLOAD].text);
    }
    bt_emit_end(emit);
}

static bool show_message(void *context, const struct bt_store_cell *cells)
{
    struct pump_control_history *history = context;
    const bool is_meant = history->client.len > 0
                              ? has_root(history, cells[BT_PUMP_MESSAGE_ROOT].text)
                              : bt_str_eq(cells[BT_PUMP_MESSAGE_THREAD].text, history->thread);
    if (!is_meant) {
        return true;
    }
    history->shown++;
    if (history->skip > 0) {
        history->skip--;
        return true;
    }
    if (history->left == 0) {
        return false;
    }
    history->left--;
    put_entry(history, cells);
    return true;
}

enum bt_status bt_control_method_history(struct bt_pump_control_call *call)
{
    struct bt_store *store = call->pump->storage.ledger->store;
    const struct bt_store_row_range messages = {.table = BT_TABLE_PUMP_MESSAGE};
    const struct bt_store_row_range threads = {.table = BT_TABLE_THREAD};
    struct pump_control_history history = {.call = call, .status = BT_OK};
    const bt_json_value *payloads = bt_control_call_find_param(call, "payloads");
    if (!bt_control_call_find_text(call, "thread", &history.thread) || history.thread.len == 0 ||
        !bt_control_call_find_text(call, "client", &history.client) ||
        !bt_control_call_find_number(call, "limit", HISTORY_DEFAULT, &history.left) ||
        !bt_control_call_find_number(call, "offset", 0, &history.skip)) {
        return bt_control_call_reject(call, "thread, client, limit and offset have no such values");
    }
    history.with_payloads = payloads && bt_json_type(payloads) == BT_JSON_TRUE;
    if (history.client.len > 0) {
        BT_TRY(bt_store_row_scan(store, &threads, find_in_thread, &history, NULL));
        BT_TRY(bt_store_row_scan(store, &messages, find_in_message, &history, NULL));
        BT_TRY(history.status);
    }
    bt_emit_begin_object(&call->emit);
    bt_emit_member_array(&call->emit, "entries");
    BT_TRY(bt_store_row_scan(store, &messages, show_message, &history, NULL));
    bt_emit_end(&call->emit);
    bt_emit_end(&call->emit);
    return history.shown > 0 ? BT_OK
                             : bt_control_call_fail(call, BT_CONTROL_ERROR_NOT_FOUND,
                                                    bt_code_name(BT_CODE_NOT_FOUND).ptr);
}
