/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_json.c - traces as one JSON object, compact, on one line.
 */
#include "json/emit.h"
#include "trace/trace_set.h"
#include "trace/views.h"

static void emit_time(struct bt_emit *emit, const char *name, const struct bt_trace_event *event)
{
    char text[BT_INSTANT_TEXT_BYTES] = "";
    bt_emit_member_string(emit, name, bt_str_of(bt_timestamp_format(event->at, text) ? text : ""));
}

static void emit_ms(struct bt_emit *emit, const char *name, double ms)
{
    char text[BT_DOUBLE_TEXT_BYTES];
    const size_t size = bt_double_format(ms, text);
    bt_emit_member_raw(emit, name, (bt_str){text, size});
}

static void emit_null(struct bt_emit *emit, const char *name)
{
    bt_emit_member_null(emit, name);
}

static void emit_span(struct bt_emit *emit, const struct bt_trace_event *first,
                      const struct bt_trace_event *last)
{
    emit_time(emit, "started", first);
    emit_time(emit, "ended", last);
    emit_ms(emit, "duration_ms", bt_trace_ms_between(first, last));
}

static void emit_phase(struct bt_emit *emit, const struct bt_trace_phase *phase)
{
    bt_emit_begin_object(emit);
    if (phase->started->phase.ptr) {
        bt_emit_member_string(emit, "phase", phase->started->phase);
    } else {
        emit_null(emit, "phase");
    }
    if (phase->completed) {
        emit_ms(emit, "duration_ms", phase->duration_ms);
    } else {
        emit_null(emit, "duration_ms");
    }
    bt_emit_end(emit);
}

static void emit_workflow(struct bt_emit *emit, const struct bt_trace_workflow *workflow)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "workflow", workflow->name);
    emit_span(emit, workflow->first, workflow->last);
    bt_emit_member_array(emit, "phases");
    for (size_t i = 0; i < workflow->phase_count; i++) {
        emit_phase(emit, &workflow->phases[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void emit_hop(struct bt_emit *emit, const struct bt_trace_hop *hop)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "source", hop->transmitted->workflow);
    bt_emit_member_raw(emit, "target", hop->target.json);
    bt_emit_member_raw(emit, "schema_version", hop->schema_version.json);
    bt_emit_member_raw(emit, "token_count", hop->token_count.json);
    bt_emit_member_raw(emit, "validation", hop->validation.json);
    emit_time(emit, "transmitted", hop->transmitted);
    if (hop->received) {
        emit_ms(emit, "latency_ms", bt_trace_ms_between(hop->transmitted, hop->received));
    } else {
        emit_null(emit, "latency_ms");
    }
    bt_emit_end(emit);
}

static void emit_trace(struct bt_emit *emit, const struct bt_trace *trace)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "trace_id", trace->id);
    emit_span(emit, &trace->events[0], bt_trace_last(trace));
    bt_emit_member_u64(emit, "events", trace->event_count);
    bt_emit_member_u64(emit, "errors", trace->error_count);
    bt_emit_member_array(emit, "workflows");
    for (size_t i = 0; i < trace->workflow_count; i++) {
        emit_workflow(emit, &trace->workflows[i]);
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "hops");
    for (size_t i = 0; i < trace->hop_count; i++) {
        emit_hop(emit, &trace->hops[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

enum bt_status bt_trace_render_json(const struct bt_trace_set *traces,
                                    const struct bt_trace_render_options *options,
                                    struct bt_buf *buf)
{
    (void)options;
    const size_t from = buf->len;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "traces");
    for (size_t i = 0; i < traces->count; i++) {
        emit_trace(&emit, &traces->items[i]);
    }
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "findings");
    for (size_t i = 0; i < traces->logs.count; i++) {
        bt_findings_emit(&emit, traces->logs.items[i].judged.findings);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    bt_json_escape_hidden(buf, from);
    return BT_OK;
}
