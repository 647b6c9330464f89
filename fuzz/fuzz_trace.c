/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_trace.c - any bytes as a log.
 *
 * Promises: every line is an event or has a finding that says why not, and the sums agree; what is
 * said in JSON is JSON; the other forms hold nothing that a terminal would obey; an event that was
 * read is the same when it is written and read again.
 */
#include "fuzz.h"

#include "trace/trace.h"
#include "trace/trace_set.h"

static size_t count_lines(bt_str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; at = bt_str_find_byte(text, '\n', at) + 1) {
        count++;
    }
    return count;
}

static size_t count_skipped(const struct bt_findings *findings)
{
    size_t count = 0;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        count += bt_str_eq(bt_findings_at(findings, i)->rule->code, BT_STR("TRACE_LINE_INVALID"));
    }
    return count;
}

static void sums_agree(const struct bt_trace *trace)
{
    size_t phases = 0;
    size_t errors = 0;
    PROMISE(trace->event_count > 0);
    for (size_t i = 0; i < trace->workflow_count; i++) {
        const struct bt_trace_workflow *workflow = &trace->workflows[i];
        PROMISE(workflow->first <= workflow->last);
        PROMISE(i == 0 || trace->workflows[i - 1].first < workflow->first);
        for (size_t j = 0; j < workflow->phase_count; j++) {
            const struct bt_trace_phase *phase = &workflow->phases[j];
            PROMISE(!phase->completed || phase->started < phase->completed);
        }
        phases += workflow->phase_count;
        errors += workflow->error_count;
    }
    for (size_t i = 0; i < trace->hop_count; i++) {
        const struct bt_trace_hop *hop = &trace->hops[i];
        PROMISE(!hop->received || hop->transmitted < hop->received);
        PROMISE(!hop->processed || hop->transmitted < hop->processed);
    }
    for (size_t i = 0; i < trace->event_count; i++) {
        PROMISE(i == 0 || bt_trace_ms_between(&trace->events[i - 1], &trace->events[i]) >= 0);
        phases -= trace->events[i].type == BT_TRACE_EVENT_PHASE_STARTED;
        errors -= trace->events[i].type == BT_TRACE_EVENT_ERROR;
    }
    PROMISE(phases == 0);
    PROMISE(errors == 0);
}

static void comes_back(const struct bt_trace_event *event)
{
    struct bt_arena arena;
    struct bt_buf buf;
    struct bt_json_read_result read = {0};
    struct bt_trace_event again;
    enum bt_trace_line_invalid_reason wrong = 0;
    char at[BT_INSTANT_TEXT_BYTES];
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    PROMISE(bt_timestamp_format(event->at, at));
    bt_trace_event_put(&buf, event, at);
    PROMISE(buf.status == BT_OK);
    PROMISE(bt_json_read(&arena, bt_buf_str(&buf), NULL, &read) == BT_OK);
    PROMISE(read.document);
    PROMISE(bt_trace_event_read(&arena, read.document, &wrong, &again) == BT_OK);
    PROMISE(!wrong);
    PROMISE(again.type == event->type);
    PROMISE(bt_str_eq(again.trace_id, event->trace_id));
    PROMISE(bt_str_eq(again.workflow, event->workflow));
    PROMISE(bt_str_eq(again.phase, event->phase));
    PROMISE(again.at.seconds == event->at.seconds);
    PROMISE(again.has_duration == event->has_duration);
    PROMISE(!again.has_duration || again.duration_ms == event->duration_ms);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void views_are_safe(const struct bt_trace_set *traces, struct bt_arena *arena)
{
    for (int i = 0; i < BT_TRACE_FORMAT__MAX * BT_TRACE_VIEW__MAX; i++) {
        const struct bt_trace_render_options options = {
            .form = (enum bt_trace_format)(i % BT_TRACE_FORMAT__MAX),
            .view = (enum bt_trace_view)(i / BT_TRACE_FORMAT__MAX)};
        struct bt_buf buf;
        bt_buf_init(&buf, (size_t)256 << 20);
        PROMISE(bt_trace_set_render(traces, &options, &buf) == BT_OK);
        for (size_t j = 0; j < buf.len; j++) {
            const unsigned char byte = (unsigned char)buf.ptr[j];
            PROMISE((byte >= 0x20 && byte != 0x7f) || byte == '\n');
        }
        PROMISE(bt_utf8_check(bt_buf_str(&buf)) == buf.len);
        if (options.form == BT_TRACE_FORMAT_JSON && buf.len <= FUZZ_BUF_BYTES) {
            (void)fuzz_reread(arena, bt_buf_str(&buf));
        }
        bt_buf_free(&buf);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_env env;
    struct bt_arena arena;
    PROMISE(bt_env_init(&env) == BT_OK);
    bt_arena_init(&arena, (size_t)512 << 20);
    struct bt_trace_set *traces = bt_trace_set_new(&env, &arena);
    PROMISE(traces);
    PROMISE(bt_trace_set_read(traces, BT_STR("log"), text) == BT_OK);
    PROMISE(bt_trace_set_event_count(traces) +
                count_skipped(bt_trace_set_log_at(traces, 0)->findings) ==
            count_lines(text));
    PROMISE(bt_trace_set_group(traces, BT_STR("")) == BT_OK);
    size_t events = 0;
    for (size_t i = 0; i < bt_trace_set_count(traces); i++) {
        const struct bt_trace *trace = bt_trace_set_at(traces, i);
        events += trace->event_count;
        sums_agree(trace);
        for (size_t j = 0; j < trace->event_count; j++) {
            comes_back(&trace->events[j]);
        }
    }
    PROMISE(events == bt_trace_set_event_count(traces));
    views_are_safe(traces, &arena);
    bt_arena_free(&arena);
    return 0;
}
