/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_handoff.c - what a handoff says about the events of its own life, and what is said when the
 * log cannot be written.
 */
#include "log.h"

#include <unistd.h>

#include "base/file.h"
#include "params.h"
#include "report/rules.h"

#define HANDOFF                                                                                    \
    "{\"handoff\":{\"version\":\"3.0\",\"trace_id\":\"T\",\"source\":{\"skill\":\"planner\","      \
    "\"phase\":\"Triage\"},\"target\":{\"skill\":\"builder\"},\"meta\":{\"token_count\":145},"     \
    "\"tracing\":{\"parent_span_id\":\"P\"}}}"
#define DETAILS(validation)                                                                        \
    "{\"target\":\"builder\",\"schema_version\":\"3.0\",\"token_count\":145,\"validation\":"       \
    "\"" validation "\"}"

static const struct bt_json_doc *read_json(struct bt_arena *arena, const char *text)
{
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, bt_str_of(text), NULL, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

static void the_sender_speaks_for_most_events(void **state)
{
    (void)state;
    static const enum bt_trace_event_type types[] = {
        BT_TRACE_EVENT_HANDOFF_CREATED,     BT_TRACE_EVENT_HANDOFF_VALIDATED,
        BT_TRACE_EVENT_HANDOFF_TRANSMITTED, BT_TRACE_EVENT_ERROR,
        BT_TRACE_EVENT_WORKFLOW_STARTED,    BT_TRACE_EVENT_PHASE_COMPLETED,
    };
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    const struct bt_json_doc *handoff = read_json(&arena, HANDOFF);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        struct bt_trace_event event;
        assert_int_equal(bt_trace_event_from_handoff(&arena, handoff, types[i], true, &event),
                         BT_OK);
        assert_int_equal(event.type, types[i]);
        assert_str(event.trace_id, "T");
        assert_str(event.workflow, "planner");
        assert_str(event.phase, "Triage");
        assert_null(event.parent_span_id.ptr);
        assert_null(event.span_id.ptr);
        assert_str(event.details, DETAILS("passed"));
    }
    bt_arena_free(&arena);
}

static void the_receiver_speaks_for_what_it_receives_and_processes(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    const struct bt_json_doc *handoff = read_json(&arena, HANDOFF);
    for (int type = BT_TRACE_EVENT_HANDOFF_RECEIVED; type <= BT_TRACE_EVENT_HANDOFF_PROCESSED;
         type++) {
        struct bt_trace_event event;
        assert_int_equal(bt_trace_event_from_handoff(&arena, handoff,
                                                     (enum bt_trace_event_type)type, false, &event),
                         BT_OK);
        assert_str(event.trace_id, "T");
        assert_str(event.workflow, "builder");
        assert_null(event.phase.ptr);
        assert_str(event.parent_span_id, "P");
        assert_str(event.details, DETAILS("failed"));
    }
    bt_arena_free(&arena);
}

static void what_a_document_does_not_say_stays_absent(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* NULL: a document that could not be read */
        const char *details;
    } rows[] = {
        {NULL, "{\"target\":null,\"schema_version\":null,\"token_count\":null,"
               "\"validation\":\"failed\"}"},
        {"[]", "{\"target\":null,\"schema_version\":null,\"token_count\":null,"
               "\"validation\":\"failed\"}"},
        {"{\"handoff\":{\"trace_id\":7,\"source\":[],\"version\":3.0,\"target\":{\"skill\":{}},"
         "\"meta\":{\"token_count\":\"1e1\"}}}",
         "{\"target\":null,\"schema_version\":3.0,\"token_count\":\"1e1\","
         "\"validation\":\"failed\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_trace_event event;
        bt_arena_init(&arena, 1 << 20);
        const struct bt_json_doc *handoff = rows[i].text ? read_json(&arena, rows[i].text) : NULL;
        assert_int_equal(bt_trace_event_from_handoff(&arena, handoff,
                                                     BT_TRACE_EVENT_HANDOFF_CREATED, false, &event),
                         BT_OK);
        assert_null(event.trace_id.ptr);
        assert_null(event.workflow.ptr);
        assert_null(event.phase.ptr);
        assert_true(bt_str_eq(event.details, bt_str_of(rows[i].details)));
        bt_arena_free(&arena);
    }
}

/* Log a handoff; returns the findings, which live in the arena. */
static struct bt_findings *note(struct bt_arena *arena, const char *log, const char *text)
{
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_env_pin_seed(&env, 42);
    bt_env_pin_clock(&env, &(bt_instant){1776155400, 0});
    bt_arena_init(arena, 1 << 20);
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_trace_handoff_options note = {
        .log = bt_str_of(log),
        .type = BT_TRACE_EVENT_HANDOFF_VALIDATED,
        .handoff = text ? read_json(arena, text) : NULL,
        .passed = true,
    };
    assert_int_equal(bt_trace_log_handoff(&env, &note, findings), BT_OK);
    return findings;
}

static void a_handoff_is_logged_now_with_a_new_span(void **state)
{
    (void)state;
    char path[] = "/tmp/baton-handoff-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    struct bt_arena arena;
    bt_str text = BT_STR("");
    assert_int_equal(bt_findings_count(note(&arena, path, HANDOFF)), 0);
    assert_int_equal(bt_file_read(&arena, bt_str_of(path), 1 << 16, &text, NULL), BT_OK);
    assert_str(text, "{\"trace_id\":\"T\",\"span_id\":\"c949c884-532f-43d5-bf8d-5dcde071f5a3\","
                     "\"parent_span_id\":null,\"timestamp\":\"2026-04-14T08:30:00.000Z\","
                     "\"event_type\":\"handoff_validated\",\"workflow\":\"planner\",\"phase\":"
                     "\"Triage\",\"details\":" DETAILS("passed") ",\"duration_ms\":null}\n");
    bt_arena_free(&arena);
    assert_int_equal(unlink(path), 0);
}

static void what_could_not_be_logged_is_a_finding(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        const char *text;
        const char *params;
    } rows[] = {
        {"/dev/null/trace.jsonl", HANDOFF,
         "{\"path\":\"/dev/null/trace.jsonl\",\"reason\":\"Not a directory\"}"},
        {"/tmp/never-made", NULL,
         "{\"path\":\"/tmp/never-made\",\"reason\":\"the event has no trace_id\"}"},
        {"/tmp/never-made", "{\"handoff\":{\"trace_id\":\"T\"}}",
         "{\"path\":\"/tmp/never-made\",\"reason\":\"the event has no workflow\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_findings *findings = note(&arena, rows[i].log, rows[i].text);
        assert_int_equal(bt_findings_count(findings), 1);
        const struct bt_finding *finding = bt_findings_at(findings, 0);
        assert_str(finding->rule->code, "TRACE_WRITE_FAILED");
        assert_int_equal(finding->severity, BT_SEVERITY_WARN);
        assert_int_equal(finding->rule->stage, BT_STAGE_RECORD);
        assert_str(finding->pointer, "");
        assert_true(bt_str_eq(test_params(finding), bt_str_of(rows[i].params)));
        assert_true(finding->hint.len > 0);
        bt_arena_free(&arena);
    }
    assert_int_equal(access("/tmp/never-made", F_OK), -1);
}

/* A judged document with one finding of its own. */
static struct bt_judgement judged_of(struct bt_arena *arena, const char *text,
                                     enum bt_verdict verdict)
{
    struct bt_findings *findings = bt_findings_new(arena);
    assert_int_equal(bt_add_trace_event_unknown(findings, bt_location_pointer(BT_STR(""), 1),
                                                BT_STR("coffee"), 1, BT_STR("log")),
                     BT_OK);
    assert_int_equal(bt_findings_finish(findings, bt_str_of(text)), BT_OK);
    struct bt_json_read_result read = {0};
    assert_int_equal(bt_json_read(arena, bt_str_of(text), NULL, &read), BT_OK);
    return (struct bt_judgement){.source = bt_str_of(text),
                                 .verdict = verdict,
                                 .findings = findings,
                                 .document = read.document};
}

static void a_judged_document_is_logged_as_it_was_judged(void **state)
{
    (void)state;
    char path[] = "/tmp/baton-handoff-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    struct bt_env env;
    struct bt_arena arena;
    bt_str text = BT_STR("");
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, 1 << 20);
    for (int verdict = BT_VERDICT_ACCEPTED; verdict <= BT_VERDICT_REJECTED; verdict++) {
        struct bt_judgement judged = judged_of(&arena, HANDOFF, (enum bt_verdict)verdict);
        const struct bt_findings *before = judged.findings;
        assert_int_equal(bt_trace_log_judgement(&env, &arena, bt_str_of(path),
                                                BT_TRACE_EVENT_HANDOFF_CREATED, &judged),
                         BT_OK);
        assert_ptr_equal(judged.findings, before);
    }
    assert_int_equal(bt_file_read(&arena, bt_str_of(path), 1 << 16, &text, NULL), BT_OK);
    struct log log;
    log_read_text(&log, text);
    const struct bt_trace *trace = bt_trace_set_at(log.traces, 0);
    assert_int_equal(trace->event_count, 2);
    assert_str(trace->events[0].details, DETAILS("passed"));
    assert_str(trace->events[1].details, DETAILS("failed"));
    log_free(&log);
    bt_arena_free(&arena);
    assert_int_equal(unlink(path), 0);
}

static void a_judged_document_keeps_its_findings_when_it_cannot_be_logged(void **state)
{
    (void)state;
    static const char *const texts[] = {HANDOFF, "{"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_env env;
        struct bt_arena arena;
        assert_int_equal(bt_env_init(&env), BT_OK);
        bt_arena_init(&arena, 1 << 20);
        struct bt_judgement judged = judged_of(&arena, texts[i], BT_VERDICT_ACCEPTED);
        assert_int_equal(bt_trace_log_judgement(&env, &arena, BT_STR("/dev/null/x"),
                                                BT_TRACE_EVENT_HANDOFF_CREATED, &judged),
                         BT_OK);
        assert_int_equal(judged.verdict, BT_VERDICT_ACCEPTED);
        assert_int_equal(bt_findings_count(judged.findings), 2);
        const struct bt_finding *own = bt_findings_at(judged.findings, 0);
        assert_str(own->rule->code, "TRACE_EVENT_UNKNOWN");
        assert_int_equal(own->position.column, 2);
        assert_str(bt_findings_at(judged.findings, 1)->rule->code, "TRACE_WRITE_FAILED");
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sender_speaks_for_most_events),
        cmocka_unit_test(the_receiver_speaks_for_what_it_receives_and_processes),
        cmocka_unit_test(what_a_document_does_not_say_stays_absent),
        cmocka_unit_test(a_handoff_is_logged_now_with_a_new_span),
        cmocka_unit_test(what_could_not_be_logged_is_a_finding),
        cmocka_unit_test(a_judged_document_is_logged_as_it_was_judged),
        cmocka_unit_test(a_judged_document_keeps_its_findings_when_it_cannot_be_logged),
    };
    return RUN_TESTS(tests);
}
