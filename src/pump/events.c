/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - report events of the pump to its observer. */
#include <assert.h>

#include "json/emit.h"
#include "pump/pump_internal.h"

void bt_pump_event_emit(struct bt_emit *emit, const struct bt_pump_event *event)
{
    assert(event);
    const enum bt_stage stage = event->rule->stage;
    bt_emit_member_string(emit, "code", event->rule->code);
    bt_emit_member_string(emit, "severity", bt_severity_name(event->rule->severity));
    /* PUMP_BUDGET has the stage of its findings; as an event it belongs to delivery. */
    bt_emit_member_string(emit, "stage",
                          bt_stage_name(stage == BT_STAGE_BUDGET ? BT_STAGE_DELIVER : stage));
    if (event->security) {
        bt_emit_member_bool(emit, "security", true);
    }
    bt_emit_member_string(emit, "pointer", event->pointer);
    bt_emit_member_string_or_null(emit, "listener", event->listener);
    bt_emit_name(emit, "document");
    if (event->document > 0) {
        bt_emit_u64(emit, event->document);
    } else {
        bt_emit_null(emit);
    }
    bt_emit_member_string(emit, "message", event->rule->meaning);
    if (event->params.len > 0) {
        bt_emit_member_raw(emit, "params", event->params);
    }
}

void bt_pump_output_emit(struct bt_emit *emit, const struct bt_pump_output *output)
{
    bt_emit_member_string(emit, "listener", output->listener);
    bt_emit_member_string(emit, "stream", output->is_error ? BT_STR("stderr") : BT_STR("stdout"));
    bt_emit_member_string(emit, "text", output->text);
}

void bt_pump_notify_event(struct bt_pump *pump, const struct bt_pump_event *event)
{
    const uint64_t number = ++pump->last_event;
    if (pump->observer.event) {
        pump->observer.event(pump->observer.context, event);
    }
    if (pump->endpoint.context) {
        pump->endpoint.event(pump->endpoint.context, number, event);
    }
}

void bt_pump_notify_step(const struct bt_pump *pump, const struct bt_pump_step *step)
{
    if (pump->observer.step) {
        pump->observer.step(pump->observer.context, step);
    }
}

void bt_pump_log(const struct bt_pump *pump, bt_str who, bt_str text)
{
    if (pump->observer.log && text.len > 0) {
        pump->observer.log(pump->observer.context, who, text);
    }
}
