/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_once.c - one turn of the pump: hear, decide, keep, and only then act.
 *
 *     hosts -> answers -> core -> calls (held back) -> commit -> calls leave, deliveries
 *
 * Only calls of messages that an earlier commit kept leave before the next one; see go_on().
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "dialect/xml/message_check.h"
#include "json/emit.h"
#include "pump/core_internal.h"
#include "pump/fragments.h"
#include "pump/output.h"

enum { PARAMS_BYTES_MAX = 8192 };

static bt_str listener_name(const struct bt_pump *pump, uint32_t listener)
{
    return listener == BT_FROM_CORE ? BT_STR("") : pump->core.listeners[listener].name;
}

/* The ledger entry of an event; false: it has none. */
static bool noted_as(const struct bt_pump_core_event *event, bool is_security,
                     struct bt_pump_entry_fact *out)
{
    static const char *const events[BT_CODE__MAX] = {
        [BT_CODE_PUMP_CALL_ABANDONED] = "dead",
        [BT_CODE_PUMP_HANDLER_FAILED] = "failed",
        [BT_CODE_PUMP_HANDLER_TIMEOUT] = "failed",
        [BT_CODE_PUMP_RESULT_NOT_BYTES] = "failed",
    };
    const char *name = events[event->code];
    *out = (struct bt_pump_entry_fact){.message = event->message,
                                       .event = name ? name : "security",
                                       .reason = name ? BT_CODE_NONE : event->code,
                                       .thread = event->thread};
    return name || is_security;
}

static enum bt_status store_event(void *context, const struct bt_pump_core_event *event)
{
    struct bt_pump *pump = context;
    const struct bt_rule *rule = bt_rule_of_dialect(event->code, BT_DIALECT_XML);
    const bool is_security = rule->security || event->is_attack;
    struct bt_pump_entry_fact fact;
    char pointer[256] = "";
    if (event->root.len > 0) {
        (void)snprintf(pointer, sizeof(pointer), "/%.*s", BT_STR_ARG(event->root));
    }
    const struct bt_pump_event pump_event = {.rule = rule,
                                             .security = is_security,
                                             .pointer = bt_str_of(pointer),
                                             .listener = listener_name(pump, event->listener),
                                             .document = event->document,
                                             .params = event->params};
    bt_pump_notify_event(pump, &pump_event);
    if (event->code == BT_CODE_PUMP_PRUNED) {
        const struct bt_pump_step step = {.kind = BT_PUMP_STEP_CUT,
                                          .listener = pump_event.listener,
                                          .thread = bt_str_of(event->thread),
                                          .root = event->root};
        bt_pump_notify_step(pump, &step);
    }
    return noted_as(event, is_security, &fact) ? bt_pump_store_add_entry(&pump->storage.rows, &fact)
                                               : BT_OK;
}

static bool is_open(const struct bt_pump *pump, uint32_t listener)
{
    const struct bt_pump_slot *slot = &pump->hosting.slots[listener];
    if (slot->gateway) {
        return pump->endpoint.context && pump->endpoint.is_open(pump->endpoint.context, listener);
    }
    return slot->has_host && bt_host_free_slots(pump->hosting.pool, slot->host) > 0;
}

/* A host takes no calls between CANCEL and its answer. */
static void cancel_call(void *context, uint32_t listener, uint64_t call)
{
    struct bt_pump *pump = context;
    (void)bt_pump_cancel(pump, listener, call);
    pump->core.listeners[listener].lane.is_open = is_open(pump, listener);
}

/* A payload that is not stored yet is in memory. */
static enum bt_status load_payload(void *context, uint64_t number, struct bt_arena *arena,
                                   bt_str *out)
{
    struct bt_pump *pump = context;
    const struct bt_pump_message *message = bt_pump_core_find_message(&pump->core, number);
    return message && !message->payload.is_spilled
               ? bt_arena_copy(arena, bt_buf_str(&message->payload.bytes), out)
               : bt_pump_store_load_payload(&pump->storage.rows, number, arena, out);
}

struct bt_pump_core_driver bt_pump_driver(struct bt_pump *pump)
{
    return (struct bt_pump_core_driver){pump, store_event, cancel_call, load_payload};
}

static void notify_trace(struct bt_pump *pump, const struct bt_pump_message *message,
                         bt_str payload)
{
    struct bt_buf buf;
    if (!pump->observer.trace || message->sender >= pump->core.listeners_count) {
        return;
    }
    const struct bt_pump_envelope envelope = {
        .from = pump->core.listeners[message->sender].name,
        .to = pump->core.listeners[message->thread->listener].name,
        .thread = bt_uuid_str(message->thread->uuid),
        .payload = payload};
    bt_buf_init(&buf, SIZE_MAX);
    bt_pump_put_message(&buf, &envelope);
    if (buf.status == BT_OK) {
        pump->observer.trace(pump->observer.context, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
}

/* Report a step of a call, with the time since it was made. */
static void notify_call_step(const struct bt_pump *pump, struct bt_pump_message *message,
                             enum bt_pump_step_kind kind, bt_str root)
{
    if (!pump->observer.step) {
        return;
    }
    const uint64_t now_ms = bt_clock_monotonic_ms();
    const bool is_call = kind == BT_PUMP_STEP_CALL;
    message->called_ms = is_call ? now_ms : message->called_ms;
    const struct bt_pump_step step = {.kind = kind,
                                      .listener = listener_name(pump, message->thread->listener),
                                      .thread = bt_uuid_str(message->root->uuid),
                                      .root = root,
                                      .ms = now_ms - message->called_ms};
    bt_pump_notify_step(pump, &step);
}

static enum bt_status call_with(struct bt_pump *pump, struct bt_pump_message *message,
                                bt_str payload)
{
    const uint32_t listener = message->thread->listener;
    const struct bt_organism_listener *spec = pump->hosting.slots[listener].listener;
    if (pump->hosting.slots[listener].gateway) {
        return pump->endpoint.call(pump->endpoint.context, message);
    }
    const struct bt_host_request request = {.call = message->call,
                                            .thread_id = bt_uuid_str(message->thread->uuid),
                                            .own_name =
                                                spec->is_agent ? spec->takes.name : BT_STR(""),
                                            .payload = payload,
                                            .timeout_ms = spec->limits.timeout_ms,
                                            .document = message->document};
    BT_TRY(bt_host_call(pump->hosting.pool, pump->hosting.slots[listener].host, &request));
    notify_trace(pump, message, payload);
    notify_call_step(pump, message, BT_PUMP_STEP_CALL, message->payload.tag);
    return BT_OK;
}

/* A spilled payload is loaded again; the call fails when it was redacted. */
static enum bt_status call_handler(struct bt_pump *pump, struct bt_pump_message *message)
{
    bt_str payload;
    if (!message->payload.is_spilled) {
        return call_with(pump, message, bt_buf_str(&message->payload.bytes));
    }
    const struct bt_arena_mark mark = bt_arena_mark(&pump->arena);
    enum bt_status status =
        bt_pump_store_load_payload(&pump->storage.rows, message->number, &pump->arena, &payload);
    if (status == BT_OK) {
        status = call_with(pump, message, payload);
    } else if (status == BT_ENOENT) {
        status = bt_pump_core_handle_failure(&pump->core, message, BT_CODE_PUMP_HANDLER_FAILED,
                                             BT_STR(""));
    }
    bt_arena_rewind(&pump->arena, mark);
    return status;
}

/* Make the calls that are possible now; they are sent by the next wait. */
static enum bt_status dispatch_calls(struct bt_pump *pump)
{
    struct bt_pump_message *message = NULL;
    for (uint32_t i = 0; i < pump->core.listeners_count; i++) {
        pump->core.listeners[i].lane.is_open = is_open(pump, i);
    }
    do {
        BT_TRY(bt_pump_core_next(&pump->core, &message));
        if (message) {
            const uint32_t listener = message->thread->listener;
            BT_TRY(call_handler(pump, message));
            bt_pump_core_drop_payload(&pump->core, message);
            pump->core.listeners[listener].lane.is_open = is_open(pump, listener);
        }
    } while (message);
    return BT_OK;
}

/* Judge a result by the organism and the listener with which its host was started. */
static enum bt_status take_result(struct bt_pump *pump, const struct bt_pump_host *host,
                                  struct bt_pump_message *message, bt_str body)
{
    const struct bt_pump_fragment_reader reader = {.env = pump->env,
                                                   .organism = host->under->organism,
                                                   .now = pump->organism,
                                                   .emitter = host->listener};
    const struct bt_arena_mark mark = bt_arena_mark(&pump->arena);
    struct bt_pump_fragments fragments;
    enum bt_status status = bt_pump_fragments_read(&reader, &pump->arena, body, &fragments);
    if (status == BT_OK) {
        notify_call_step(pump, message, BT_PUMP_STEP_RESULT,
                         fragments.count > 0 ? fragments.items[0].root : BT_STR(""));
        status = bt_pump_core_handle_result(&pump->core, message, body, &fragments);
    }
    bt_arena_rewind(&pump->arena, mark);
    return status;
}

static enum bt_status take_fail(struct bt_pump *pump, struct bt_pump_message *message,
                                const struct bt_host_event *event)
{
    const bool is_no_bytes = event->fail == BT_FAIL_NONE || event->fail == BT_FAIL_NOT_BYTES;
    struct bt_buf params;
    bt_buf_init(&params, PARAMS_BYTES_MAX);
    bt_output_fail(pump, event, &params);
    const enum bt_status status =
        params.status == BT_OK
            ? bt_pump_core_handle_failure(&pump->core, message,
                                          is_no_bytes ? BT_CODE_PUMP_RESULT_NOT_BYTES
                                                      : BT_CODE_PUMP_HANDLER_FAILED,
                                          bt_buf_str(&params))
            : params.status;
    bt_buf_free(&params);
    return status;
}

static enum bt_status take_timeout(struct bt_pump *pump, const struct bt_pump_host *host,
                                   struct bt_pump_message *message)
{
    char params[64];
    const int size = snprintf(params, sizeof(params), "{\"seconds\":%g}",
                              (double)host->listener->limits.timeout_ms / 1000);
    return bt_pump_core_handle_timeout(&pump->core, message, (bt_str){params, (size_t)size});
}

/* Handle an event about a call, unless the call is over. */
static enum bt_status take_answer(struct bt_pump *pump, const struct bt_pump_host *host,
                                  const struct bt_host_event *event)
{
    struct bt_pump_message *message =
        bt_pump_core_find_call(&pump->core, host->number, event->call);
    if (!message || message->state != BT_PUMP_MESSAGE_STATE_IN_FLIGHT) {
        return BT_OK;
    }
    if (event->kind == BT_HOST_EVENT_RESULT) {
        return take_result(pump, host, message, event->body);
    }
    notify_call_step(pump, message, BT_PUMP_STEP_RESULT, BT_STR(""));
    if (event->kind == BT_HOST_EVENT_FAIL) {
        return take_fail(pump, message, event);
    }
    char detail[BT_OUTPUT_DEATH_BYTES];
    return event->kind == BT_HOST_EVENT_TIMEOUT
               ? take_timeout(pump, host, message)
               : bt_pump_core_handle_crash(&pump->core, message,
                                           bt_output_death(&event->end, detail));
}

/* Store an event about a host; `reason` may be NULL. */
static enum bt_status store_host_event(struct bt_pump *pump, const struct bt_host_event *about,
                                       enum bt_code code, const char *reason)
{
    struct bt_buf params;
    struct bt_emit emit;
    bt_buf_init(&params, 4096);
    bt_emit_init(&emit, &params, false);
    if (reason) {
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "reason", bt_str_of(reason));
        bt_emit_end(&emit);
    }
    const struct bt_pump_core_event event = {.code = code,
                                             .listener =
                                                 pump->hosting.by_id.items[about->host].number,
                                             .document = about->document,
                                             .params = bt_buf_str(&params)};
    const enum bt_status status = store_event(pump, &event);
    bt_buf_free(&params);
    return status;
}

static void log_line(struct bt_pump *pump, uint32_t listener, bt_str text)
{
    bt_pump_log(pump, pump->core.listeners[listener].name, text);
}

/* Remember the HELLO of a host, so that a reload need not start another one. */
static enum bt_status handle_hello(struct bt_pump *pump, const struct bt_host_event *event)
{
    struct bt_pump_slot *slot = &pump->hosting.slots[pump->hosting.by_id.items[event->host].number];
    if (slot->has_host && slot->host == event->host) {
        bt_buf_clear(&slot->hello);
        bt_buf_put(&slot->hello, bt_json_source(event->hello->document));
        BT_TRY(slot->hello.status);
    }
    return bt_pump_ready(pump, event->host);
}

static enum bt_status take_event(struct bt_pump *pump, const struct bt_host_event *event)
{
    const struct bt_pump_host *host = &pump->hosting.by_id.items[event->host];
    const uint32_t listener = host->number;
    switch (event->kind) {
    case BT_HOST_EVENT_HELLO:
        return handle_hello(pump, event);
    case BT_HOST_EVENT_RESULT:
    case BT_HOST_EVENT_FAIL:
    case BT_HOST_EVENT_TIMEOUT:
    case BT_HOST_EVENT_LOST:
        return take_answer(pump, host, event);
    case BT_HOST_EVENT_LATE:
        return store_host_event(pump, event, BT_CODE_PUMP_LATE_RESULT, NULL);
    case BT_HOST_EVENT_BROKE:
        return store_host_event(pump, event, BT_CODE_PUMP_PROTOCOL, event->reason);
    case BT_HOST_EVENT_LOG:
        bt_output_take(pump, event->host, event->stream, event->body);
        return BT_OK;
    case BT_HOST_EVENT_ENDED:
        bt_output_end(pump, event->host);
        bt_pump_host_ended(pump, event->host);
        log_line(pump, listener, bt_str_of(event->reason));
        return BT_OK;
    case BT_HOST_EVENT_REFUSED:
    case BT_HOST_EVENT_STUCK:
        log_line(pump, listener, bt_str_of(event->reason));
        return BT_OK;
    case BT_HOST_EVENT_CANCELLED:
    case BT_HOST_EVENT_NONE:
        break;
    }
    return BT_OK;
}

/* Handle the events of hosts. */
static enum bt_status receive_hosts(struct bt_pump *pump)
{
    struct bt_host_event event;
    while (bt_host_pool_next(pump->hosting.pool, &event)) {
        BT_TRY(take_event(pump, &event));
    }
    bt_pump_free_retired(pump);
    return BT_OK;
}

/* A delivery with its whole message, which is valid until the next call. */
static enum bt_status show_delivery(struct bt_pump *pump,
                                    const struct bt_pump_pending_delivery *delivery,
                                    struct bt_pump_delivery *out)
{
    const struct bt_pump_envelope envelope = {.from = delivery->sender,
                                              .to = pump->core.clients[delivery->client].name,
                                              .thread = delivery->thread,
                                              .payload = delivery->payload};
    bt_buf_clear(&pump->handover.envelope);
    bt_pump_put_message(&pump->handover.envelope, &envelope);
    BT_TRY(pump->handover.envelope.status);
    *out = (struct bt_pump_delivery){.id = delivery->id,
                                     .client = envelope.to,
                                     .from = envelope.from,
                                     .thread = envelope.thread,
                                     .root = delivery->tag,
                                     .payload = delivery->payload,
                                     .message = bt_buf_str(&pump->handover.envelope)};
    return BT_OK;
}

/* Hand over one delivery. True: the client has it now. */
static enum bt_status hand_over(struct bt_pump *pump,
                                const struct bt_pump_pending_delivery *delivery, bool *out_taken)
{
    struct bt_pump_delivery shown;
    BT_TRY(show_delivery(pump, delivery, &shown));
    *out_taken = pump->observer.delivery(pump->observer.context, &shown);
    if (!*out_taken) {
        return BT_OK;
    }
    const struct bt_pump_step step = {.kind = BT_PUMP_STEP_DELIVERY,
                                      .listener = shown.from,
                                      .thread = shown.thread,
                                      .root = shown.root};
    bt_pump_notify_step(pump, &step);
    return bt_pump_store_mark_delivered(&pump->storage.rows, delivery);
}

/* What was just kept goes to its clients from memory, as long as nothing older waits in the store:
 * each of them gets its deliveries in the order in which they were made. */
static enum bt_status hand_over_new(struct bt_pump *pump)
{
    const struct bt_pump_core *core = &pump->core;
    bool is_taken = pump->observer.delivery != NULL;
    for (uint64_t i = 0; i < core->dirty.count && is_taken; i++) {
        const struct bt_pump_message *at = core->dirty.messages[i];
        if (at->kind != BT_PUMP_MESSAGE_KIND_EGRESS) {
            continue;
        }
        const struct bt_pump_pending_delivery delivery = {
            .id = at->call,
            .number = at->number,
            .client = at->root->client,
            .sender = bt_pump_store_sender_name(core, at),
            .thread = bt_uuid_str(at->root->uuid),
            .tag = at->payload.tag,
            .payload = bt_buf_str(&at->payload.bytes)};
        BT_TRY(hand_over(pump, &delivery, &is_taken));
        pump->handover.count += is_taken;
    }
    return BT_OK;
}

/* Commit everything and then, with `deliver`, hand over new deliveries. */
static enum bt_status commit_store(struct bt_pump *pump, bool deliver, struct bt_error *error)
{
    struct bt_findings *alarms = bt_findings_new(&pump->arena);
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_pump_store_commit(&pump->storage.rows, alarms, error));
    if (bt_findings_count(alarms) > 0) {
        return bt_error_set(error, BT_ECORRUPT, "the ledger is not to be trusted: %.*s",
                            BT_STR_ARG(bt_findings_at(alarms, 0)->message));
    }
    const bool is_next =
        pump->handover.count + pump->core.dirty.undelivered == pump->core.counts.deliveries;
    const enum bt_status status = deliver && is_next ? hand_over_new(pump) : BT_OK;
    bt_pump_core_forget_finished(&pump->core);
    return status;
}

static enum bt_status commit_and_deliver(struct bt_pump *pump, bool deliver, struct bt_error *error)
{
    const struct bt_arena_mark mark = bt_arena_mark(&pump->arena);
    const enum bt_status status = commit_store(pump, deliver, error);
    bt_arena_rewind(&pump->arena, mark);
    return status;
}

enum bt_status bt_pump_commit(struct bt_pump *pump, struct bt_error *error)
{
    return commit_and_deliver(pump, false, error);
}

struct pump_delivery_state {
    struct bt_pump *pump;
    bool is_all; /* all deliveries were taken so far */
    enum bt_status status;
};

static bool hand_over_kept(void *context, const struct bt_pump_pending_delivery *delivery)
{
    struct pump_delivery_state *handing = context;
    handing->is_all = false;
    handing->status = hand_over(handing->pump, delivery, &handing->is_all);
    return handing->status == BT_OK && handing->is_all;
}

/* Hand over pending deliveries. */
static enum bt_status deliver_pending(struct bt_pump *pump, struct bt_error *error)
{
    struct pump_delivery_state handing = {pump, true, BT_OK};
    if (!pump->observer.delivery || pump->handover.count == pump->core.counts.deliveries) {
        return BT_OK;
    }
    /* Deliveries that were just taken are still in the store. */
    BT_TRY(commit_and_deliver(pump, false, error));
    BT_TRY(bt_pump_store_each_delivery(&pump->storage.rows, hand_over_kept, &handing, error));
    BT_TRY(handing.status);
    if (handing.is_all) {
        pump->handover.count = pump->core.counts.deliveries;
    }
    return BT_OK;
}

struct pump_waiting_scan {
    struct bt_pump *pump;
    bt_pump_delivery_fn *each;
    void *context;
    enum bt_status status;
};

static bool show_waiting(void *context, const struct bt_pump_pending_delivery *delivery)
{
    struct pump_waiting_scan *scan = context;
    struct bt_pump_delivery shown;
    scan->status = show_delivery(scan->pump, delivery, &shown);
    return scan->status == BT_OK && scan->each(scan->context, &shown);
}

enum bt_status bt_pump_each_waiting(struct bt_pump *pump, bt_pump_delivery_fn *each, void *context,
                                    struct bt_error *error)
{
    struct pump_waiting_scan scan = {pump, each, context, BT_OK};
    BT_TRY(bt_pump_store_each_delivery(&pump->storage.rows, show_waiting, &scan, error));
    return scan.status == BT_OK
               ? BT_OK
               : bt_error_set(error, scan.status, "%s", bt_status_text(scan.status));
}

/* What may share a commit: so many messages, heard in so many rounds of at most so long. */
enum { STRIDE_MESSAGES = 4096, STRIDE_ROUNDS = 64, STRIDE_WAIT_MS = 1 };

/* Delete old rows once a day, in small steps. */
static enum bt_status forget_old(struct bt_pump *pump, struct bt_error *error)
{
    bool more = false;
    BT_TRY(bt_pump_store_prune(&pump->storage.rows, pump->organism->limits.history_days, &more,
                               error));
    pump->run.has_work = pump->run.has_work || more;
    return BT_OK;
}

/* Draining ends when nothing is left or its time is over. */
static void end_drain(struct bt_pump *pump)
{
    if (pump->run.state == BT_PUMP_DRAINING &&
        (pump->core.counts.unhandled == 0 || bt_clock_monotonic_ms() >= pump->run.drained_ms)) {
        pump->run.state = BT_PUMP_STOPPED;
    }
}

enum bt_status bt_pump_wait_events(struct bt_pump *pump, uint32_t wait_ms, struct bt_error *error)
{
    const bool is_hurried = pump->run.has_work || pump->run.state == BT_PUMP_STOPPED;
    BT_TRY(bt_host_pool_wait(pump->hosting.pool, is_hurried ? 0 : wait_ms, error));
    pump->run.has_work = false;
    BT_TRY(receive_hosts(pump));
    return pump->endpoint.context ? pump->endpoint.receive(pump->endpoint.context, error) : BT_OK;
}

/* Whether more may be heard before all is kept: nothing new waits to be called or acknowledged. */
static bool may_go_on(const struct bt_pump *pump)
{
    return pump->run.state != BT_PUMP_STOPPED && pump->core.dirty.unstored == 0 &&
           pump->storage.rows.items_count == 0 && pump->core.dirty.count < STRIDE_MESSAGES;
}

/*
 * A commit costs much the same for few messages as for many. So as long as messages wait whose
 * rows are kept, they are called in the places that answers leave, and their answers share the
 * commit. Whatever is new ends this, and so does a moment without input.
 */
static enum bt_status run_until_idle(struct bt_pump *pump, struct bt_error *error)
{
    const struct bt_pump_core *core = &pump->core;
    bool is_loaded = true;
    for (int i = 0; i < STRIDE_ROUNDS && is_loaded && may_go_on(pump); i++) {
        const uint64_t touched = core->dirty.count;
        const uint64_t in_flight = core->schedule.in_flight;
        BT_TRY(dispatch_calls(pump));
        is_loaded = core->schedule.in_flight > in_flight;
        if (is_loaded) {
            BT_TRY(bt_pump_wait_events(pump, STRIDE_WAIT_MS, error));
            is_loaded = core->dirty.count > touched;
        }
    }
    return BT_OK;
}

static enum bt_status run_iteration(struct bt_pump *pump, uint32_t wait_ms, struct bt_error *error)
{
    if (pump->run.state != BT_PUMP_STOPPED) {
        BT_TRY(dispatch_calls(pump));
    }
    BT_TRY(commit_and_deliver(pump, true, error));
    BT_TRY(deliver_pending(pump, error));
    if (pump->core.counts.unhandled == 0) {
        /* What clients took is stored with the next commit, or now. */
        BT_TRY(commit_and_deliver(pump, true, error));
    }
    if (pump->endpoint.context) {
        pump->endpoint.send(pump->endpoint.context);
    }
    BT_TRY(forget_old(pump, error)); /* while nothing waits for a commit */
    BT_TRY(bt_pump_beat_when_due(pump, error));
    BT_TRY(bt_pump_wait_events(pump, wait_ms, error));
    BT_TRY(run_until_idle(pump, error));
    BT_TRY(bt_pump_check_timers(pump));
    BT_TRY(bt_pump_core_expire_roots(&pump->core));
    end_drain(pump);
    return BT_OK;
}

enum bt_status bt_pump_run_once(struct bt_pump *pump, uint32_t wait_ms, struct bt_error *error)
{
    assert(pump);
    const bt_instant now = bt_env_now(pump->env);
    struct bt_error own = {.text = ""};
    pump->core.now_ms = (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000;
    const enum bt_status status = run_iteration(pump, wait_ms, &own);
    if (status == BT_OK) {
        return BT_OK;
    }
    pump->storage.can_write = false;
    return bt_error_set(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
}

bt_str bt_pump_organism_name(const struct bt_pump *pump)
{
    assert(pump);
    return pump->organism->name;
}

uint64_t bt_pump_pending_count(const struct bt_pump *pump)
{
    assert(pump);
    return pump->core.counts.unhandled;
}

bool bt_pump_listener_stats_at(const struct bt_pump *pump, size_t index,
                               struct bt_pump_listener_stats *out)
{
    assert(pump);
    uint32_t number = 0;
    while (number < pump->core.listeners_count &&
           (pump->hosting.slots[number].gateway || index > 0)) {
        index -= !pump->hosting.slots[number].gateway;
        number++;
    }
    if (number == pump->core.listeners_count) {
        return false;
    }
    *out = (struct bt_pump_listener_stats){pump->core.listeners[number].name,
                                           pump->core.listeners[number].calls};
    return true;
}
