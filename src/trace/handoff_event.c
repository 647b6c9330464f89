/* SPDX-License-Identifier: Apache-2.0 */
/* handoff_event.c - the trace events that a handoff describes. */
#include "trace/trace.h"

#include <assert.h>

#include "json/builder.h"
#include "json/write.h"
#include "report/rules.h"

/* The text at a pointer, or an absent one. */
static bt_str text_at(const struct bt_json_doc *handoff, bt_str pointer)
{
    const bt_json_value *value =
        handoff ? bt_json_resolve(handoff, bt_json_root(handoff), pointer) : NULL;
    return value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : (bt_str){NULL, 0};
}

/* A member of details: the value as it is declared, null when it is absent or no plain value. */
static void put_declared(struct bt_json_builder *details, const char *name,
                         const struct bt_json_doc *handoff, bt_str pointer)
{
    const bt_json_value *value =
        handoff ? bt_json_resolve(handoff, bt_json_root(handoff), pointer) : NULL;
    bt_emit_name(&details->emit, name);
    if (!value || bt_json_type(value) >= BT_JSON_ARRAY) {
        bt_emit_null(&details->emit);
    } else {
        bt_json_builder_copy(details, (bt_ref){handoff, value}, NULL);
    }
}

static enum bt_status make_details(struct bt_arena *arena, const struct bt_json_doc *handoff,
                                   bool passed, struct bt_trace_event *event)
{
    struct bt_json_builder details;
    struct bt_emit *emit = bt_json_builder_begin(&details, arena, NULL);
    bt_emit_begin_object(emit);
    put_declared(&details, "target", handoff, BT_STR("/handoff/target/skill"));
    put_declared(&details, "schema_version", handoff, BT_STR("/handoff/version"));
    put_declared(&details, "token_count", handoff, BT_STR("/handoff/meta/token_count"));
    bt_emit_member_string(emit, "validation", passed ? BT_STR("passed") : BT_STR("failed"));
    bt_emit_end(emit);
    BT_TRY(bt_json_builder_finish(&details, BT_OK, &event->declared));
    return bt_json_write_text(event->declared, bt_json_root(event->declared), BT_JSON_FORM_COMPACT,
                              arena, &event->details);
}

enum bt_status bt_trace_event_from_handoff(struct bt_arena *arena,
                                           const struct bt_json_doc *handoff,
                                           enum bt_trace_event_type type, bool passed,
                                           struct bt_trace_event *out)
{
    assert(arena);
    assert(out);
    const bool is_receiver =
        type == BT_TRACE_EVENT_HANDOFF_RECEIVED || type == BT_TRACE_EVENT_HANDOFF_PROCESSED;
    struct bt_trace_event event = {.type = type};
    BT_TRY(make_details(arena, handoff, passed, &event));
    event.trace_id = text_at(handoff, BT_STR("/handoff/trace_id"));
    if (is_receiver) {
        event.workflow = text_at(handoff, BT_STR("/handoff/target/skill"));
        event.parent_span_id = text_at(handoff, BT_STR("/handoff/tracing/parent_span_id"));
    } else {
        event.workflow = text_at(handoff, BT_STR("/handoff/source/skill"));
        event.phase = text_at(handoff, BT_STR("/handoff/source/phase"));
    }
    *out = event;
    return BT_OK;
}

enum bt_status bt_trace_log_handoff(struct bt_env *env, const struct bt_trace_handoff_options *note,
                                    struct bt_findings *findings)
{
    assert(env);
    assert(note);
    assert(findings);
    struct bt_trace_event event;
    char span[BT_UUID_TEXT_BYTES];
    struct bt_error error;
    BT_TRY(bt_trace_event_from_handoff(bt_findings_arena(findings), note->handoff, note->type,
                                       note->passed, &event));
    BT_TRY(bt_env_uuid(env, span));
    event.span_id = bt_str_of(span);
    event.at = bt_env_now(env);
    const enum bt_status status = bt_trace_append(note->log, &event, BT_TRACE_WAIT_MS_MAX, &error);
    return status == BT_OK ? BT_OK
                           : bt_add_trace_write_failed(findings, bt_location_whole(), note->log,
                                                       bt_str_of(error.text));
}

enum bt_status bt_trace_log_judgement(struct bt_env *env, struct bt_arena *arena, bt_str log,
                                      enum bt_trace_event_type type, struct bt_judgement *judged)
{
    assert(judged);
    struct bt_findings *findings = bt_findings_new(arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    const struct bt_trace_handoff_options note = {
        .log = log,
        .type = type,
        .handoff = judged->document,
        .passed = judged->verdict == BT_VERDICT_ACCEPTED,
    };
    BT_TRY(bt_trace_log_handoff(env, &note, findings));
    if (bt_findings_count(findings) == 0) {
        return BT_OK;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(judged->findings, i)));
    }
    BT_TRY(bt_findings_finish(findings, judged->source));
    judged->findings = findings;
    return BT_OK;
}
