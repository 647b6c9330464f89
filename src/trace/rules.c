/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules about trace logs and the W3C header.
 *
 * An example is a log for the TRACE_* rules, a handoff for TRACEPARENT_UNAVAILABLE and a header's
 * value for TRACEPARENT_INVALID.
 */
#include "trace/rules.h"

#include <assert.h>

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("universal"), .severity = (severity_),                    \
    .stage = (stage_), .meaning = TEXT(meaning_)
#define ID "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"

const struct bt_rule bt_trace_rules[] = {
    {
        ROW("TRACEPARENT_INVALID", BT_SEVERITY_HARD, BT_STAGE_RECORD,
            "the text is no W3C traceparent that Baton can use"),
        .explanation = TEXT(
            "A traceparent is 00-TRACE-PARENT-FLAGS: version 00, then 32, 16 and 2 hexadecimal "
            "digits in lower case, neither identifier all zero. params.reason says which part is "
            "off. Take the header again from whoever sent it; a header of a later version may "
            "carry more and is not guessed at."),
        .bad = TEXT("00-6a0f2c1d8b3e4c579d215e7f90ab13c4-0000000000000000-01"),
        .good = TEXT("00-6a0f2c1d8b3e4c579d215e7f90ab13c4-7e4a6b8c91d24c3f-01"),
    },
    {
        ROW("TRACEPARENT_UNAVAILABLE", BT_SEVERITY_HARD, BT_STAGE_RECORD,
            "the handoff names no span that a traceparent could be made of"),
        .explanation = TEXT(
            "A traceparent is made of trace_id and of the first 16 hexadecimal digits of "
            "tracing.parent_span_id, which is the sender's own span. One of them is missing, too "
            "short or all zero; params.reason says which. Set parent_span_id when the handoff is "
            "written: baton trace add prints the span of each event."),
        .bad = TEXT("{\"handoff\":{\"trace_id\":\"" ID "\"}}"),
        .good = TEXT("{\"handoff\":{\"trace_id\":\"" ID "\",\n  \"tracing\":{\"parent_span_id\":"
                     "\"7e4a6b8c91d24c3f\"}}}"),
    },
    {
        ROW("TRACE_EVENT_UNKNOWN", BT_SEVERITY_WARN, BT_STAGE_READ,
            "an event of the log has a type that nobody defined"),
        .explanation = TEXT(
            "The event is kept: it counts, and it can begin or end its workflow. But nothing is "
            "made of it, no phase and no hop. Types are workflow_started, phase_started, "
            "phase_completed, handoff_created, handoff_validated, handoff_transmitted, "
            "handoff_received, handoff_processed, error and workflow_completed; those of handoffs "
            "may leave out handoff_."),
        .bad = TEXT("{\"trace_id\":\"t1\",\"timestamp\":\"2026-04-14T08:00:00Z\","
                    "\"event\":\"coffee\",\"workflow\":\"planner\"}\n"),
        .good = TEXT("{\"trace_id\":\"t1\",\"timestamp\":\"2026-04-14T08:00:00Z\","
                     "\"event\":\"created\",\"workflow\":\"planner\"}\n"),
    },
    {
        ROW("TRACE_LINE_INVALID", BT_SEVERITY_WARN, BT_STAGE_READ,
            "a line of the log is no event and was skipped"),
        .explanation = TEXT(
            "A line is a JSON object with trace_id, timestamp, event_type (or event) and "
            "workflow; span_id, parent_span_id, phase, details and duration_ms may be absent or "
            "null. params.reason says what is wrong with this one; truncated is a last line that "
            "was cut off, as after a crash, and is ended before the next event is appended. "
            "Nothing of the line is used."),
        .bad = TEXT("{\"trace_id\":\"t1"),
        .good = TEXT("{\"trace_id\":\"t1\",\"timestamp\":\"2026-04-14T08:00:00Z\","
                     "\"event\":\"created\",\"workflow\":\"planner\"}\n"),
    },
    {
        ROW("TRACE_WRITE_FAILED", BT_SEVERITY_WARN, BT_STAGE_RECORD,
            "the event could not be appended to the trace log"),
        .explanation = TEXT(
            "The work went on, but the log lacks an event. params.reason says why: the folder is "
            "missing or may not be written to, the log is no regular file or is held locked by "
            "another process, the disk is full, or the handoff has no trace_id or skill to log "
            "under. Check the log's folder."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
};
/* clang-format on */

const size_t bt_trace_rules_count = sizeof(bt_trace_rules) / sizeof(bt_trace_rules[0]);

const struct bt_rule *bt_trace_rule(bt_str code)
{
    size_t i = 0;
    while (i < bt_trace_rules_count && !bt_str_eq(bt_trace_rules[i].code, code)) {
        i++;
    }
    assert(i < bt_trace_rules_count);
    return &bt_trace_rules[i];
}
