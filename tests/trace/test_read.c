/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_read.c - logs as they come: three shapes, lines that are not events, and bounds.
 */
#include "log.h"

#include "params.h"

static const struct bt_trace_event *only_event(const struct log *log)
{
    assert_int_equal(bt_trace_set_count(log->traces), 1);
    assert_int_equal(bt_trace_set_at(log->traces, 0)->event_count, 1);
    return &bt_trace_set_at(log->traces, 0)->events[0];
}

static void the_shape_that_is_written_is_read(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR("{\"trace_id\":\"t\",\"span_id\":\"s\",\"parent_span_id\":\"p\","
                               "\"timestamp\":\"2026-04-14T10:30:00.0019+02:00\",\"event_type\":"
                               "\"handoff_created\",\"workflow\":\"w\",\"phase\":\"ph\","
                               "\"details\":{ \"a\" : [1]},\"duration_ms\":12.5}\n"));
    const struct bt_trace_event *event = only_event(&log);
    assert_str(event->trace_id, "t");
    assert_str(event->span_id, "s");
    assert_str(event->parent_span_id, "p");
    assert_true(event->at.seconds == 1776155400);
    assert_int_equal(event->at.nanos, 1900000);
    assert_int_equal(event->type, BT_TRACE_EVENT_HANDOFF_CREATED);
    assert_str(event->workflow, "w");
    assert_str(event->phase, "ph");
    assert_str(event->details, "{ \"a\" : [1]}");
    assert_true(event->has_duration);
    assert_true(event->duration_ms == 12.5);
    assert_int_equal(event->line, 1);
    assert_int_equal(log_count(&log, "TRACE_LINE_INVALID"), 0);
    log_free(&log);
}

static void the_other_shapes_are_read(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"trace_id\":\"t\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event_type\":\"error\","
        "\"workflow\":\"w\"}\n",
        "{\"level\":\"info\",\"event\":\"error\",\"trace_id\":\"t\",\"workflow\":\"w\","
        "\"timestamp\":\"2026-04-14T08:00:00Z\"}\n",
        "{\"event\":\"error\",\"event_type\":null,\"trace_id\":\"t\",\"workflow\":\"w\",\"phase\":"
        "null,\"details\":null,\"duration_ms\":null,\"span_id\":null,\"parent_span_id\":null,"
        "\"timestamp\":\"2026-04-14T08:00:00Z\",\"unheard\":{\"of\":1}}\r\n",
        /* The last line may lack its line feed when it is whole. */
        " {\"trace_id\":\"\\u0074\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event_type\":"
        "\"error\",\"event\":\"created\",\"workflow\":\"w\"} ",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct log log;
        log_read_text(&log, bt_str_of(lines[i]));
        const struct bt_trace_event *event = only_event(&log);
        assert_str(event->trace_id, "t");
        assert_int_equal(event->type, BT_TRACE_EVENT_ERROR);
        assert_null(event->span_id.ptr);
        assert_null(event->phase.ptr);
        assert_null(event->details.ptr);
        assert_false(event->has_duration);
        assert_int_equal(bt_findings_count(bt_trace_set_log_at(log.traces, 0)->findings), 0);
        log_free(&log);
    }
}

static void short_names_mean_events_of_handoffs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum bt_trace_event_type type;
    } rows[] = {
        {"created", BT_TRACE_EVENT_HANDOFF_CREATED},
        {"validated", BT_TRACE_EVENT_HANDOFF_VALIDATED},
        {"transmitted", BT_TRACE_EVENT_HANDOFF_TRANSMITTED},
        {"received", BT_TRACE_EVENT_HANDOFF_RECEIVED},
        {"processed", BT_TRACE_EVENT_HANDOFF_PROCESSED},
        {"error", BT_TRACE_EVENT_ERROR},
        {"handoff_error", BT_TRACE_EVENT_UNKNOWN},
        {"started", BT_TRACE_EVENT_UNKNOWN},
        {"completed", BT_TRACE_EVENT_UNKNOWN},
        {"Created", BT_TRACE_EVENT_UNKNOWN},
        {"handoff_", BT_TRACE_EVENT_UNKNOWN},
        {"", BT_TRACE_EVENT_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(bt_trace_event_type_parse(bt_str_of(rows[i].name)), rows[i].type);
    }
    for (int type = BT_TRACE_EVENT_UNKNOWN + 1; type < BT_TRACE_EVENT__MAX; type++) {
        const bt_str name = bt_trace_event_type_name((enum bt_trace_event_type)type);
        assert_true(name.len > 0);
        assert_int_equal(bt_trace_event_type_parse(name), type);
    }
    assert_int_equal(bt_trace_event_type_name(BT_TRACE_EVENT_UNKNOWN).len, 0);
    assert_int_equal(bt_trace_event_type_name(BT_TRACE_EVENT__MAX).len, 0);
}

#define HEAD "{\"trace_id\":\"t\",\"timestamp\":\"2026-04-14T08:00:00Z\","
#define TAIL "\"event_type\":\"error\",\"workflow\":\"w\"}"

static void a_line_that_is_no_event_is_skipped_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *reason;
    } rows[] = {
        {"\n", "blank"},
        {"not json\n", "syntax"},
        {"{\"trace_id\":\"6a0f", "truncated"},
        {"\xff", "truncated"},
        {"{\"trace_id\":\"\xff\"}\n", "utf-8"},
        {HEAD "\"trace_id\":\"t\"," TAIL "\n", "duplicate-name"},
        {"[]\n", "not-an-object"},
        {"[]", "not-an-object"},
        {"{}", "trace_id"},
        {"null\n", "not-an-object"},
        {"{\"timestamp\":\"2026-04-14T08:00:00Z\"," TAIL "\n", "trace_id"},
        {"{\"trace_id\":7,\"timestamp\":\"2026-04-14T08:00:00Z\"," TAIL "\n", "trace_id"},
        {"{\"trace_id\":\"\",\"timestamp\":\"2026-04-14T08:00:00Z\"," TAIL "\n", "trace_id"},
        {"{\"trace_id\":\"t\"," TAIL "\n", "timestamp"},
        {"{\"trace_id\":\"t\",\"timestamp\":1," TAIL "\n", "timestamp"},
        {"{\"trace_id\":\"t\",\"timestamp\":\"2026-02-30T08:00:00Z\"," TAIL "\n", "timestamp"},
        {"{\"trace_id\":\"t\",\"timestamp\":\"2026-04-14 08:00:00\"," TAIL "\n", "timestamp"},
        {"{\"trace_id\":\"t\",\"timestamp\":\"9999-12-31T23:00:00-02:00\"," TAIL "\n", "timestamp"},
        {"{\"trace_id\":\"t\",\"timestamp\":\"0000-01-01T00:00:00+00:01\"," TAIL "\n", "timestamp"},
        {HEAD "\"workflow\":\"w\"}\n", "event_type"},
        {HEAD "\"event_type\":{},\"workflow\":\"w\"}\n", "event_type"},
        {HEAD "\"event_type\":\"error\"}\n", "workflow"},
        {HEAD "\"event_type\":\"error\",\"workflow\":[]}\n", "workflow"},
        {HEAD "\"span_id\":1," TAIL "\n", "span_id"},
        {HEAD "\"parent_span_id\":false," TAIL "\n", "parent_span_id"},
        {HEAD "\"phase\":3," TAIL "\n", "phase"},
        {HEAD "\"details\":\"x\"," TAIL "\n", "details"},
        {HEAD "\"duration_ms\":\"9\"," TAIL "\n", "duration_ms"},
        {HEAD "\"duration_ms\":-1," TAIL "\n", "duration_ms"},
        {HEAD "\"duration_ms\":1e999," TAIL "\n", "duration_ms"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct log log;
        log_read_text(&log, bt_str_of(rows[i].line));
        const struct bt_findings *findings = bt_trace_set_log_at(log.traces, 0)->findings;
        if (bt_findings_count(findings) != 1) {
            fail_msg("%s: %zu findings", rows[i].line, bt_findings_count(findings));
        }
        const struct bt_finding *finding = bt_findings_at(findings, 0);
        char params[200];
        (void)snprintf(params, sizeof(params), "{\"reason\":\"%s\",\"line\":1,\"path\":\"log\"}",
                       rows[i].reason);
        assert_str(finding->rule->code, "TRACE_LINE_INVALID");
        assert_int_equal(finding->severity, BT_SEVERITY_WARN);
        assert_int_equal(finding->position.line, 1);
        if (!bt_str_eq(test_params(finding), bt_str_of(params))) {
            fail_msg("%s: %.*s", rows[i].line, BT_STR_ARG(test_params(finding)));
        }
        assert_int_equal(bt_trace_set_event_count(log.traces), 0);
        log_free(&log);
    }
}

static void good_lines_between_bad_ones_are_used(void **state)
{
    (void)state;
    struct log log;
    log_read_text(
        &log,
        BT_STR("nonsense\n" LINE("2026-04-14T08:00:00Z", "error", "w", "") "nonsense\n\n" LINE(
            "2026-04-14T08:00:00Z", "coffee", "w", "") "{\"trace"));
    assert_int_equal(bt_trace_set_event_count(log.traces), 2);
    assert_int_equal(log_count(&log, "TRACE_LINE_INVALID"), 4);
    assert_int_equal(log_count(&log, "TRACE_EVENT_UNKNOWN"), 1);
    static const uint32_t lines[] = {1, 3, 4, 5, 6};
    const struct bt_findings *findings = bt_trace_set_log_at(log.traces, 0)->findings;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        assert_int_equal(bt_findings_at(findings, i)->position.line, lines[i]);
    }
    assert_str(test_params(bt_findings_at(findings, 4)),
               "{\"reason\":\"truncated\",\"line\":6,\"path\":\"log\"}");
    log_free(&log);
}

static void an_unknown_type_is_kept_and_told_of(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(LINE("2026-04-14T08:00:00Z", "coffee", "w", "")));
    assert_int_equal(only_event(&log)->type, BT_TRACE_EVENT_UNKNOWN);
    assert_str(only_event(&log)->type_name, "coffee");
    const struct bt_finding *finding =
        bt_findings_at(bt_trace_set_log_at(log.traces, 0)->findings, 0);
    assert_str(finding->rule->code, "TRACE_EVENT_UNKNOWN");
    assert_int_equal(finding->severity, BT_SEVERITY_WARN);
    assert_str(test_params(finding), "{\"event_type\":\"coffee\",\"line\":1,\"path\":\"log\"}");
    log_free(&log);
}

static void halves_of_surrogate_pairs_are_told_of_and_kept(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR("\n" LINE("2026-04-14T08:00:00Z", "error", "\\ud800", "")));
    assert_int_equal(log_count(&log, "JSON_LONE_SURROGATE"), 1);
    const struct bt_finding *finding =
        bt_findings_at(bt_trace_set_log_at(log.traces, 0)->findings, 1);
    assert_str(finding->pointer, "/1/workflow");
    assert_int_equal(finding->position.line, 2);
    assert_str(only_event(&log)->workflow, "\xed\xa0\x80");
    log_free(&log);
}

static void an_empty_log_has_neither_events_nor_findings(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(""));
    assert_int_equal(bt_trace_set_event_count(log.traces), 0);
    assert_int_equal(bt_trace_set_count(log.traces), 0);
    assert_int_equal(bt_findings_count(bt_trace_set_log_at(log.traces, 0)->findings), 0);
    log_free(&log);
}

/* A line with a workflow name of so many bytes. */
static void put_long(struct bt_buf *buf, size_t bytes)
{
    bt_buf_put_text(buf, HEAD "\"event_type\":\"error\",\"workflow\":\"");
    bt_buf_put_repeat(buf, 'w', bytes);
    bt_buf_put_text(buf, "\"}\n");
}

static void lines_are_bounded(void **state)
{
    (void)state;
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    put_long(&text, 1);
    const size_t around = text.len - 2; /* all but the name and the line feed */
    bt_buf_clear(&text);
    put_long(&text, BT_TRACE_LINE_BYTES_MAX - around);
    put_long(&text, BT_TRACE_LINE_BYTES_MAX - around + 1);
    put_long(&text, 1);
    struct log log;
    log_read_text(&log, bt_buf_str(&text));
    assert_int_equal(bt_trace_set_event_count(log.traces), 2);
    assert_int_equal(log_count(&log, "TRACE_LINE_INVALID"), 1);
    assert_str(test_params(bt_findings_at(bt_trace_set_log_at(log.traces, 0)->findings, 0)),
               "{\"reason\":\"too-large\",\"line\":2,\"path\":\"log\"}");
    log_free(&log);
    bt_buf_free(&text);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    bt_buf_put_text(&text, "{\"details\":{\"a\":");
    bt_buf_put_repeat(&text, '[', 100000);
    bt_buf_put_char(&text, '\n');
    struct log log;
    log_read_text(&log, bt_buf_str(&text));
    assert_str(test_params(bt_findings_at(bt_trace_set_log_at(log.traces, 0)->findings, 0)),
               "{\"reason\":\"too-deep\",\"line\":1,\"path\":\"log\"}");
    log_free(&log);
    bt_buf_free(&text);
}

static void all_logs_together_have_a_million_lines_at_most(void **state)
{
    (void)state;
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    bt_buf_put_text(&text, LINE("2026-04-14T08:00:00Z", "error", "w", ""));
    struct log log;
    log_read_text(&log, bt_buf_str(&text));
    bt_buf_clear(&text);
    bt_buf_put_repeat(&text, '\n', BT_TRACE_LINES_MAX);
    struct bt_trace_set *traces = bt_trace_set_new(&log.env, &log.arena);
    assert_non_null(traces);
    assert_int_equal(bt_trace_set_read(traces, BT_STR("a"), BT_STR("\n")), BT_OK);
    assert_int_equal(bt_trace_set_read(traces, BT_STR("b"), bt_buf_str(&text)), BT_ELIMIT);
    assert_int_equal(bt_trace_set_log_count(traces), 1);
    log_free(&log);
    bt_buf_free(&text);
}

static void findings_name_their_log(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, (const char *const[]){"x\n", "\nx\n", NULL});
    assert_int_equal(bt_trace_set_log_count(log.traces), 2);
    assert_int_equal(bt_findings_count(bt_trace_set_log_at(log.traces, 0)->findings), 1);
    assert_int_equal(bt_findings_count(bt_trace_set_log_at(log.traces, 1)->findings), 2);
    assert_str(bt_trace_set_log_at(log.traces, 1)->path, "log");
    log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_that_is_written_is_read),
        cmocka_unit_test(the_other_shapes_are_read),
        cmocka_unit_test(short_names_mean_events_of_handoffs),
        cmocka_unit_test(a_line_that_is_no_event_is_skipped_with_its_reason),
        cmocka_unit_test(good_lines_between_bad_ones_are_used),
        cmocka_unit_test(an_unknown_type_is_kept_and_told_of),
        cmocka_unit_test(halves_of_surrogate_pairs_are_told_of_and_kept),
        cmocka_unit_test(an_empty_log_has_neither_events_nor_findings),
        cmocka_unit_test(lines_are_bounded),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(all_logs_together_have_a_million_lines_at_most),
        cmocka_unit_test(findings_name_their_log),
    };
    return RUN_TESTS(tests);
}
