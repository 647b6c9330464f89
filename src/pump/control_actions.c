/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_actions.c - the actions of operators on a running pump: inject a message, subscribe to
 * events, stop it.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "dialect/xml/message_check.h"
#include "pump/control_query.h"

enum { MESSAGE_BYTES_MAX = 8 << 20, DATA_BYTES_MAX = 1 << 26, STOP_S_MAX = 86400 };

/* The envelope has a prefix, so that a payload without one is in no namespace. */
static enum bt_status wrap_payload(struct bt_pump_control_call *call, bt_str client, bt_str thread,
                                   bt_str payload, bt_str *out)
{
    struct bt_buf buf;
    char uuid[BT_UUID_TEXT_BYTES];
    if (thread.len == 0) {
        BT_TRY(bt_env_uuid(call->pump->env, uuid));
        thread = bt_str_of(uuid);
    }
    bt_buf_init(&buf, MESSAGE_BYTES_MAX);
    bt_buf_put_text(&buf,
                    "<m:message xmlns:m=\"https://xml-pipeline.org/ns/envelope/v1\"><m:meta>");
    bt_pump_put_leaf(&buf, "m:from", client);
    bt_pump_put_leaf(&buf, "m:thread", thread);
    bt_buf_put_text(&buf, "</m:meta>");
    bt_buf_put(&buf, payload);
    bt_buf_put_text(&buf, "</m:message>");
    return bt_buf_finish(&buf, call->arena, out);
}

static enum bt_status refuse_message(struct bt_pump_control_call *call,
                                     const struct bt_judgement *judged,
                                     const struct bt_pump_ingress_result *taken)
{
    struct bt_buf data;
    struct bt_emit emit;
    bt_buf_init(&data, DATA_BYTES_MAX);
    bt_emit_init(&emit, &data, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_array(&emit, "findings");
    bt_findings_emit(&emit, judged->findings);
    bt_emit_end(&emit);
    if (taken->error) { /* what the sender itself may know */
        bt_emit_member_string(&emit, "error", bt_str_of(taken->error));
        bt_emit_member_string(&emit, "thread", taken->thread);
    }
    bt_emit_end(&emit);
    const enum bt_status status =
        bt_control_call_reject_with(call, "the message was refused", &data);
    bt_buf_free(&data);
    return status;
}

static enum bt_status submit_message(struct bt_pump_control_call *call, bt_str client,
                                     bt_str message)
{
    struct bt_pump *pump = call->pump;
    const struct bt_pump_input input = {
        .path = BT_STR("inject"), .text = message, .client = client, .sender_is_waiting = true};
    struct bt_judgement *judged = BT_NEW(call->arena, struct bt_judgement);
    if (!judged) {
        return BT_ENOMEM;
    }
    if (pump->run.state != BT_PUMP_RUNNING || !bt_pump_can_accept(pump)) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_BUSY, "BUSY");
    }
    BT_TRY(bt_pump_submit(pump, call->arena, &input, judged, NULL));
    const struct bt_pump_ingress_result taken = bt_pump_last_ingress(pump);
    if (judged->verdict != BT_VERDICT_ACCEPTED) {
        return refuse_message(call, judged, &taken);
    }
    bt_emit_begin_object(&call->emit);
    bt_emit_member_string(&call->emit, "thread", taken.thread);
    bt_emit_member_bool(&call->emit, "duplicate", taken.is_repeated);
    bt_emit_end(&call->emit);
    return BT_OK;
}

/* JSON cannot hold a message that is not valid UTF-8, so it is sent as base64. */
static enum bt_status decode_message(struct bt_pump_control_call *call, bt_str text, bt_str *out)
{
    const size_t size = bt_base64_decoded_size(text);
    char *bytes = size < SIZE_MAX ? bt_arena_alloc(call->arena, size + 1) : NULL;
    if (!bytes) {
        return size < SIZE_MAX ? BT_ENOMEM : BT_EINVAL;
    }
    bt_base64_decode(text, bytes);
    *out = (bt_str){bytes, size};
    return BT_OK;
}

enum bt_status bt_control_method_inject(struct bt_pump_control_call *call)
{
    bt_str client;
    bt_str thread;
    bt_str payload;
    bt_str message;
    bt_str coded;
    if (!bt_control_call_find_text(call, "client", &client) ||
        !bt_control_call_find_text(call, "thread", &thread) ||
        !bt_control_call_find_text(call, "payload", &payload) ||
        !bt_control_call_find_text(call, "message", &message) ||
        !bt_control_call_find_text(call, "message_base64", &coded)) {
        return bt_control_call_reject(call, "all params of inject are texts");
    }
    const bool has_payload = bt_control_call_find_param(call, "payload") != NULL;
    const bool is_coded = bt_control_call_find_param(call, "message_base64") != NULL;
    if (has_payload + is_coded + (bt_control_call_find_param(call, "message") != NULL) != 1 ||
        (has_payload ? client.len == 0 : thread.len > 0)) {
        return bt_control_call_reject(call, "client and payload, perhaps with thread, or message");
    }
    if (is_coded && decode_message(call, coded, &message) == BT_EINVAL) {
        return bt_control_call_reject(call, "message_base64 is not base64");
    }
    if (has_payload) {
        BT_TRY(wrap_payload(call, client, thread, payload, &message));
    }
    return submit_message(call, client, message);
}

enum bt_status bt_control_method_events(struct bt_pump_control_call *call)
{
    uint64_t after;
    if (!bt_control_call_find_number(call, "after", 0, &after)) {
        return bt_control_call_reject(call, "after is the number of an event");
    }
    call->wants_events = true;
    call->events_after = after > 0 ? after : call->pump->last_event;
    bt_emit_begin_object(&call->emit);
    bt_emit_member_u64(&call->emit, "last", call->pump->last_event);
    bt_emit_end(&call->emit);
    return BT_OK;
}

void bt_pump_drain(struct bt_pump *pump, uint64_t within_ms)
{
    pump->run.state = within_ms > 0 ? BT_PUMP_DRAINING : BT_PUMP_STOPPED;
    pump->run.drained_ms = bt_clock_monotonic_ms() + within_ms;
}

enum bt_pump_state bt_pump_get_state(const struct bt_pump *pump)
{
    return pump->run.state;
}

enum bt_status bt_control_method_shutdown(struct bt_pump_control_call *call)
{
    bt_str mode;
    uint64_t seconds;
    if (!bt_control_call_find_text(call, "mode", &mode) ||
        !bt_control_call_find_number(call, "timeout_s", 30, &seconds) || seconds > STOP_S_MAX) {
        return bt_control_call_reject(
            call, "mode is a word, timeout_s a number of seconds, at most a day");
    }
    const bool is_graceful = mode.len == 0 || bt_str_eq(mode, BT_STR("graceful"));
    if (!is_graceful && !bt_str_eq(mode, BT_STR("immediate"))) {
        return bt_control_call_reject(call, "mode is graceful or immediate");
    }
    bt_pump_drain(call->pump, is_graceful ? seconds * 1000 : 0);
    bt_emit_begin_object(&call->emit);
    bt_emit_member_string(&call->emit, "state",
                          call->pump->run.state == BT_PUMP_DRAINING ? BT_STR("draining")
                                                                    : BT_STR("stopped"));
    bt_emit_end(&call->emit);
    return BT_OK;
}
