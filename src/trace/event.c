/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - one event as one line of JSON, written and read.
 *
 * Written, members in this order: trace_id, span_id, parent_span_id, timestamp, event_type,
 * workflow, phase, details, duration_ms. Read, besides: lines with `event` instead of `event_type`,
 * and lines with nothing but the four members that every event has.
 */
#include "trace/trace_set.h"

#include <assert.h>
#include <math.h>

#include "json/emit.h"

/* clang-format off */
static const bt_str names[BT_TRACE_EVENT__MAX] = {
    [BT_TRACE_EVENT_UNKNOWN] = BT_STR_INIT(""),
    [BT_TRACE_EVENT_WORKFLOW_STARTED] = BT_STR_INIT("workflow_started"),
    [BT_TRACE_EVENT_PHASE_STARTED] = BT_STR_INIT("phase_started"),
    [BT_TRACE_EVENT_PHASE_COMPLETED] = BT_STR_INIT("phase_completed"),
    [BT_TRACE_EVENT_HANDOFF_CREATED] = BT_STR_INIT("handoff_created"),
    [BT_TRACE_EVENT_HANDOFF_VALIDATED] = BT_STR_INIT("handoff_validated"),
    [BT_TRACE_EVENT_HANDOFF_TRANSMITTED] = BT_STR_INIT("handoff_transmitted"),
    [BT_TRACE_EVENT_HANDOFF_RECEIVED] = BT_STR_INIT("handoff_received"),
    [BT_TRACE_EVENT_HANDOFF_PROCESSED] = BT_STR_INIT("handoff_processed"),
    [BT_TRACE_EVENT_ERROR] = BT_STR_INIT("error"),
    [BT_TRACE_EVENT_WORKFLOW_COMPLETED] = BT_STR_INIT("workflow_completed"),
};
/* clang-format on */

bt_str bt_trace_event_type_name(enum bt_trace_event_type type)
{
    return (size_t)type < BT_TRACE_EVENT__MAX ? names[type] : BT_STR("");
}

enum bt_trace_event_type bt_trace_event_type_parse(bt_str name)
{
    const bt_str prefix = BT_STR("handoff_");
    for (size_t i = BT_TRACE_EVENT_UNKNOWN + 1; i < BT_TRACE_EVENT__MAX; i++) {
        const bool is_short = bt_str_starts_with(names[i], prefix) &&
                              bt_str_eq(bt_str_slice(names[i], prefix.len, names[i].len), name);
        if (is_short || bt_str_eq(names[i], name)) {
            return (enum bt_trace_event_type)i;
        }
    }
    return BT_TRACE_EVENT_UNKNOWN;
}

bt_str bt_trace_event_type_text(const struct bt_trace_event *event)
{
    return event->type == BT_TRACE_EVENT_UNKNOWN ? event->type_name
                                                 : bt_trace_event_type_name(event->type);
}

static void emit_text(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name(emit, name);
    if (text.ptr) {
        bt_emit_string(emit, text);
    } else {
        bt_emit_null(emit);
    }
}

void bt_trace_event_put(struct bt_buf *buf, const struct bt_trace_event *event, const char *at)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    emit_text(&emit, "trace_id", event->trace_id);
    emit_text(&emit, "span_id", event->span_id);
    emit_text(&emit, "parent_span_id", event->parent_span_id);
    emit_text(&emit, "timestamp", bt_str_of(at));
    emit_text(&emit, "event_type", bt_trace_event_type_text(event));
    emit_text(&emit, "workflow", event->workflow);
    emit_text(&emit, "phase", event->phase);
    bt_emit_member_raw(&emit, "details", event->details.ptr ? event->details : BT_STR("{}"));
    bt_emit_name(&emit, "duration_ms");
    if (event->has_duration) {
        char text[BT_DOUBLE_TEXT_BYTES];
        const size_t size = bt_double_format(event->duration_ms, text);
        bt_emit_raw(&emit, (bt_str){text, size});
    } else {
        bt_emit_null(&emit);
    }
    bt_emit_end(&emit);
}

/* A line that is being taken apart; `wrong` is the first thing that did not fit. */
struct trace_event_reader {
    struct bt_arena *arena;
    const struct bt_json_doc *line;
    enum bt_trace_line_invalid_reason wrong;
    enum bt_status status;
};

static void set_reason(struct trace_event_reader *take, enum bt_trace_line_invalid_reason reason)
{
    take->wrong = take->wrong == BT_TRACE_LINE_INVALID_REASON__NONE ? reason : take->wrong;
}

/* The member, or NULL when it is absent or null. */
static const bt_json_value *find_member(const struct trace_event_reader *take, bt_str name)
{
    const bt_json_value *value = bt_json_get(take->line, bt_json_root(take->line), name);
    return value && bt_json_type(value) != BT_JSON_NULL ? value : NULL;
}

/* A text that stays when the line's document goes: strings without escapes stand in the source. */
static bt_str copy_text(struct trace_event_reader *take, const bt_json_value *string)
{
    bt_str text = bt_json_text(string);
    if (string->flags & BT_JSON_FLAG_ESCAPED) {
        const enum bt_status status = bt_arena_copy(take->arena, text, &text);
        take->status = take->status != BT_OK ? take->status : status;
    }
    return text;
}

/* An optional text; `reason` is what is wrong when it is something else. */
static bt_str take_text(struct trace_event_reader *take, bt_str name,
                        enum bt_trace_line_invalid_reason reason)
{
    const bt_json_value *value = find_member(take, name);
    if (!value) {
        return (bt_str){NULL, 0};
    }
    if (bt_json_type(value) != BT_JSON_STRING) {
        set_reason(take, reason);
        return (bt_str){NULL, 0};
    }
    return copy_text(take, value);
}

/* A text that every event has, and that is not empty. */
static bt_str take_needed(struct trace_event_reader *take, bt_str name,
                          enum bt_trace_line_invalid_reason reason)
{
    const bt_str text = take_text(take, name, reason);
    if (text.len == 0) {
        set_reason(take, reason);
    }
    return text;
}

static void take_time(struct trace_event_reader *take, struct bt_trace_event *event)
{
    const bt_str text =
        take_needed(take, BT_STR("timestamp"), BT_TRACE_LINE_INVALID_REASON_TIMESTAMP);
    char written[BT_INSTANT_TEXT_BYTES];
    if (bt_timestamp_parse(text, &event->at) != BT_TIMESTAMP_KIND_VALID ||
        !bt_timestamp_format(event->at, written)) {
        /* It is not an instant, or one that we could not write again. */
        set_reason(take, BT_TRACE_LINE_INVALID_REASON_TIMESTAMP);
    }
}

static void take_type(struct trace_event_reader *take, struct bt_trace_event *event)
{
    const bool is_old = find_member(take, BT_STR("event_type")) == NULL;
    const bt_str name = is_old ? BT_STR("event") : BT_STR("event_type");
    event->type_name = take_needed(take, name, BT_TRACE_LINE_INVALID_REASON_EVENT_TYPE);
    event->type = bt_trace_event_type_parse(event->type_name);
}

static void take_details(struct trace_event_reader *take, struct bt_trace_event *event)
{
    const bt_json_value *details = find_member(take, BT_STR("details"));
    if (!details) {
        return;
    }
    if (bt_json_type(details) != BT_JSON_OBJECT) {
        set_reason(take, BT_TRACE_LINE_INVALID_REASON_DETAILS);
        return;
    }
    const struct bt_json_span span = bt_json_span(take->line, details);
    event->details = bt_str_slice(bt_json_source(take->line), span.begin, span.end);
}

static void take_duration(struct trace_event_reader *take, struct bt_trace_event *event)
{
    const bt_json_value *duration = find_member(take, BT_STR("duration_ms"));
    if (!duration) {
        return;
    }
    const double number = bt_json_is_number(duration) ? bt_json_to_double(duration) : -1;
    if (!isfinite(number) || number < 0) {
        set_reason(take, BT_TRACE_LINE_INVALID_REASON_DURATION_MS);
        return;
    }
    event->has_duration = true;
    event->duration_ms = number;
}

enum bt_status bt_trace_event_read(struct bt_arena *arena, const struct bt_json_doc *line,
                                   enum bt_trace_line_invalid_reason *out_wrong,
                                   struct bt_trace_event *out)
{
    assert(out_wrong);
    assert(out);
    struct trace_event_reader take = {.arena = arena, .line = line};
    struct bt_trace_event event = {0};
    if (bt_json_type(bt_json_root(line)) != BT_JSON_OBJECT) {
        *out_wrong = BT_TRACE_LINE_INVALID_REASON_NOT_AN_OBJECT;
        return BT_OK;
    }
    event.trace_id = take_needed(&take, BT_STR("trace_id"), BT_TRACE_LINE_INVALID_REASON_TRACE_ID);
    take_time(&take, &event);
    take_type(&take, &event);
    event.workflow = take_needed(&take, BT_STR("workflow"), BT_TRACE_LINE_INVALID_REASON_WORKFLOW);
    event.span_id = take_text(&take, BT_STR("span_id"), BT_TRACE_LINE_INVALID_REASON_SPAN_ID);
    event.parent_span_id =
        take_text(&take, BT_STR("parent_span_id"), BT_TRACE_LINE_INVALID_REASON_PARENT_SPAN_ID);
    event.phase = take_text(&take, BT_STR("phase"), BT_TRACE_LINE_INVALID_REASON_PHASE);
    take_details(&take, &event);
    take_duration(&take, &event);
    BT_TRY(take.status);
    if (take.wrong == BT_TRACE_LINE_INVALID_REASON__NONE) {
        *out = event;
    }
    *out_wrong = take.wrong;
    return BT_OK;
}
