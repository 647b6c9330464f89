/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_group.c - events become traces, workflows, phases and hops.
 */
#include "log.h"

static const struct bt_trace *first_trace(const struct log *log)
{
    assert_true(bt_trace_set_count(log->traces) > 0);
    return bt_trace_set_at(log->traces, 0);
}

static void events_are_sorted_by_instant_then_by_line(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, (const char *const[]){
                       LINE("2026-04-14T10:00:00+02:00", "error", "c", "") /* the same instant */
                       LINE("2026-04-14T08:00:00Z", "error", "d", "")      /* as this one */
                       LINE("2026-04-14T07:59:59.999999999Z", "error", "b", "")
                           LINE("2026-04-14T07:59:59.9999999989Z", "error", "a", ""),
                       LINE("2026-04-14T08:00:00.000Z", "error", "e", ""), NULL});
    const struct bt_trace *trace = first_trace(&log);
    assert_int_equal(trace->event_count, 5);
    for (size_t i = 0; i < trace->event_count; i++) {
        assert_int_equal(trace->events[i].workflow.ptr[0], (int)('a' + i));
        assert_int_equal(trace->workflows[i].name.ptr[0], (int)('a' + i));
    }
    log_free(&log);
}

static void a_leap_second_comes_before_the_next_day(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(LINE("2017-01-01T00:00:01Z", "error", "c", "")
                                   LINE("2016-12-31T23:59:60Z", "error", "b", "")
                                       LINE("2016-12-31T23:59:59.9Z", "error", "a", "")));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(first_trace(&log)->events[i].workflow.ptr[0], (int)('a' + i));
    }
    log_free(&log);
}

static void traces_and_workflows_come_in_the_order_of_their_first_events(void **state)
{
    (void)state;
    struct log log;
    log_read_text(
        &log,
        BT_STR("{\"trace_id\":\"a\",\"timestamp\":\"2026-04-14T08:00:05Z\",\"event\":\"error\","
               "\"workflow\":\"w\"}\n"
               "{\"trace_id\":\"z\",\"timestamp\":\"2026-04-14T08:00:01Z\",\"event\":\"error\","
               "\"workflow\":\"late\"}\n"
               "{\"trace_id\":\"z\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event\":\"error\","
               "\"workflow\":\"soon\"}\n"
               "{\"trace_id\":\"z\",\"timestamp\":\"2026-04-14T08:00:09Z\",\"event\":\"created\","
               "\"workflow\":\"soon\"}\n"));
    assert_int_equal(bt_trace_set_count(log.traces), 2);
    assert_str(bt_trace_set_at(log.traces, 0)->id, "z");
    assert_str(bt_trace_set_at(log.traces, 1)->id, "a");
    const struct bt_trace *trace = first_trace(&log);
    assert_int_equal(trace->workflow_count, 2);
    assert_str(trace->workflows[0].name, "soon");
    assert_str(trace->workflows[1].name, "late");
    assert_true(bt_trace_ms_between(trace->workflows[0].first, trace->workflows[0].last) == 9000);
    assert_true(bt_trace_ms_between(trace->workflows[1].first, trace->workflows[1].last) == 0);
    assert_int_equal(trace->error_count, 2);
    assert_int_equal(trace->workflows[0].error_count, 1);
    log_free(&log);
}

static void one_trace_can_be_asked_for(void **state)
{
    (void)state;
    const bt_str text =
        BT_STR("{\"trace_id\":\"a\",\"timestamp\":\"2026-04-14T08:00:05Z\",\"event\":\"error\","
               "\"workflow\":\"w\"}\n"
               "{\"trace_id\":\"b\",\"timestamp\":\"2026-04-14T08:00:05Z\",\"event\":\"error\","
               "\"workflow\":\"w\"}\n");
    static const struct {
        const char *only;
        size_t count;
    } rows[] = {{"a", 1}, {"b", 1}, {"", 2}, {"c", 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_env env;
        struct bt_arena arena;
        assert_int_equal(bt_env_init(&env), BT_OK);
        bt_arena_init(&arena, 1 << 20);
        struct bt_trace_set *traces = bt_trace_set_new(&env, &arena);
        assert_int_equal(bt_trace_set_read(traces, BT_STR("log"), text), BT_OK);
        assert_int_equal(bt_trace_set_group(traces, bt_str_of(rows[i].only)), BT_OK);
        assert_int_equal(bt_trace_set_count(traces), rows[i].count);
        assert_int_equal(bt_trace_set_event_count(traces), 2);
        bt_arena_free(&arena);
    }
}

#define STARTED(time, workflow, phase)                                                             \
    LINE(AT(time), "phase_started", workflow, ",\"phase\":\"" phase "\"")
#define COMPLETED(time, workflow, phase, more)                                                     \
    LINE(AT(time), "phase_completed", workflow, ",\"phase\":\"" phase "\"" more)

static void a_phase_lasts_until_the_next_completion_of_its_kind(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(STARTED("00:00", "w", "p") COMPLETED("00:01", "other", "p", "")
                                   COMPLETED("00:02", "w", "other", "") COMPLETED(
                                       "00:03", "w", "p", "") COMPLETED("00:04", "w", "p", "")));
    const struct bt_trace_workflow *workflow = &first_trace(&log)->workflows[0];
    assert_int_equal(workflow->phase_count, 1);
    assert_true(workflow->phases[0].duration_ms == 3000);
    log_free(&log);
}

static void the_completed_line_knows_the_duration_best(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(STARTED("00:00", "w", "p") COMPLETED(
                            "00:03", "w", "p", ",\"duration_ms\":17") STARTED("00:03", "w", "p")
                                   COMPLETED("00:05", "w", "p", ",\"duration_ms\":null")
                                       STARTED("00:06", "w", "p")));
    const struct bt_trace_workflow *workflow = &first_trace(&log)->workflows[0];
    assert_int_equal(workflow->phase_count, 3);
    assert_true(workflow->phases[0].duration_ms == 17);
    assert_true(workflow->phases[1].duration_ms == 2000);
    assert_null(workflow->phases[2].completed);
    log_free(&log);
}

static void a_completion_before_its_start_ends_nothing(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(COMPLETED("00:00", "w", "p", "") STARTED("00:01", "w", "p")));
    assert_null(first_trace(&log)->workflows[0].phases[0].completed);
    log_free(&log);
}

static void phases_of_another_trace_do_not_count(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(STARTED(
                            "00:00", "w",
                            "p") "{\"trace_id\":\"u\",\"timestamp\":\"2026-04-14T08:00:05Z\","
                                 "\"event\":\"phase_completed\",\"workflow\":\"w\",\"phase\":\"p\"}"
                                 "\n"));
    assert_null(first_trace(&log)->workflows[0].phases[0].completed);
    log_free(&log);
}

#define SENT(time, workflow, details)                                                              \
    LINE(AT(time), "transmitted", workflow, ",\"details\":" details)

static void a_hop_is_each_transmission(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log,
                  BT_STR(LINE(AT("00:00"), "received", "b", "") /* too early */
                         SENT("00:01", "a",
                              "{\"target\":\"b\",\"schema_version\":\"3.0\",\"token_count\":145,"
                              "\"validation\":\"passed\"}") LINE(AT("00:02"), "received", "c", "")
                             LINE(AT("00:03"), "handoff_received", "b", "")
                                 LINE(AT("00:04"), "received", "b", "")
                                     LINE(AT("00:05"), "transmitted", "b", "")
                                         SENT("00:06", "b", "{\"target\":7,\"token_count\":\"9\"}")
                                             SENT("00:07", "b", "{\"target\":\"a\"}")));
    const struct bt_trace *trace = first_trace(&log);
    assert_int_equal(trace->hop_count, 4);
    const struct bt_trace_hop *hop = &trace->hops[0];
    assert_str(hop->transmitted->workflow, "a");
    assert_str(hop->target.json, "\"b\"");
    assert_str(hop->target.text, "b");
    assert_str(hop->schema_version.json, "\"3.0\"");
    assert_str(hop->token_count.json, "145");
    assert_str(hop->token_count.text, "145");
    assert_str(hop->validation.text, "passed");
    assert_true(bt_trace_ms_between(hop->transmitted, hop->received) == 2000);
    assert_str(trace->hops[1].target.json, "null");
    assert_null(trace->hops[1].received);
    assert_str(trace->hops[2].target.json, "7");
    assert_str(trace->hops[2].token_count.json, "\"9\"");
    assert_null(trace->hops[2].received);
    assert_null(trace->hops[3].received);
    log_free(&log);
}

static void what_arrives_at_the_same_instant_on_a_later_line_is_later(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, BT_STR(SENT("00:01", "a", "{\"target\":\"b\"}")
                                   LINE(AT("00:01"), "received", "b", "")));
    assert_non_null(first_trace(&log)->hops[0].received);
    log_free(&log);
    log_read_text(&log, BT_STR(LINE(AT("00:01"), "received", "b", "")
                                   SENT("00:01", "a", "{\"target\":\"b\"}")));
    assert_null(first_trace(&log)->hops[0].received);
    log_free(&log);
}

static void success_is_a_transmission_and_a_later_processing(void **state)
{
    (void)state;
    struct log log;
    log_read_text(
        &log,
        BT_STR(
            SENT("00:01", "a", "{\"target\":\"b\"}") LINE(AT("00:02"), "processed", "b", "")
                LINE(AT("00:03"), "processed", "c", "") SENT("00:04", "a", "{\"target\":\"c\"}")
                    SENT("00:05", "a", "{\"target\":\"d\"}") LINE(
                        AT("00:06"), "received", "d",
                        "") "{\"trace_id\":\"u\",\"timestamp\":\"2026-04-14T09:00:00Z\",\"event\":"
                            "\"processed\",\"workflow\":\"d\"}\n"));
    assert_true(bt_trace_set_has_success(log.traces, BT_STR("a"), BT_STR("b")));
    assert_false(bt_trace_set_has_success(log.traces, BT_STR("b"), BT_STR("b")));
    assert_false(bt_trace_set_has_success(log.traces, BT_STR("a"), BT_STR("c"))); /* before */
    assert_false(
        bt_trace_set_has_success(log.traces, BT_STR("a"), BT_STR("d"))); /* only received */
    assert_false(bt_trace_set_has_success(log.traces, BT_STR("a"), BT_STR("")));
    log_free(&log);
}

static void differences_are_whole_milliseconds_rounded_down(void **state)
{
    (void)state;
    static const struct {
        bt_instant from;
        bt_instant to;
        double ms;
    } rows[] = {
        {{0, 0}, {0, 0}, 0},
        {{0, 0}, {0, 999999}, 0},
        {{0, 0}, {0, 1000000}, 1},
        {{0, 999999999}, {1, 0}, 0},
        {{0, 500000}, {1, 0}, 999},
        {{-5, 0}, {5, 342000000}, 10342},
        {{INT64_C(-62167219200), 0}, {INT64_C(253402300799), 999000000}, 315569519999999.0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_trace_event from = {.at = rows[i].from};
        const struct bt_trace_event to = {.at = rows[i].to};
        assert_true(bt_trace_ms_between(&from, &to) == rows[i].ms);
    }
}

/* Sizes at which anything quadratic would not come back. */
static void large_and_hostile_logs_are_grouped_soon(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        /* one workflow, many phases that never end */
        "{\"trace_id\":\"t\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event\":\"phase_started\","
        "\"workflow\":\"w\",\"phase\":\"p\"}\n",
        /* as many workflows and phases as lines */
        "{\"trace_id\":\"t\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event\":\"phase_started\","
        "\"workflow\":\"w%zu\",\"phase\":\"p%zu\"}\n",
        /* as many traces as lines */
        "{\"trace_id\":\"t%zu\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event\":\"error\","
        "\"workflow\":\"w%zu\"}\n",
        /* hops that all wait for the same receiver, who never comes */
        "{\"trace_id\":\"t\",\"timestamp\":\"2026-04-14T08:00:00Z\",\"event\":\"transmitted\","
        "\"workflow\":\"w%zu\",\"details\":{\"target\":\"x\"}}\n",
    };
    enum { LINES = 100000 };
    for (size_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        struct bt_buf text;
        bt_buf_init(&text, SIZE_MAX);
        for (size_t i = 0; i < LINES; i++) {
            char line[300];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            (void)snprintf(line, sizeof(line), shapes[shape], i, i);
#pragma GCC diagnostic pop
            bt_buf_put_text(&text, line);
        }
        struct log log;
        log_read_text(&log, bt_buf_str(&text));
        assert_int_equal(bt_trace_set_event_count(log.traces), LINES);
        assert_int_equal(bt_trace_set_count(log.traces), shape == 2 ? LINES : 1);
        log_free(&log);
        bt_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_sorted_by_instant_then_by_line),
        cmocka_unit_test(a_leap_second_comes_before_the_next_day),
        cmocka_unit_test(traces_and_workflows_come_in_the_order_of_their_first_events),
        cmocka_unit_test(one_trace_can_be_asked_for),
        cmocka_unit_test(a_phase_lasts_until_the_next_completion_of_its_kind),
        cmocka_unit_test(the_completed_line_knows_the_duration_best),
        cmocka_unit_test(a_completion_before_its_start_ends_nothing),
        cmocka_unit_test(phases_of_another_trace_do_not_count),
        cmocka_unit_test(a_hop_is_each_transmission),
        cmocka_unit_test(what_arrives_at_the_same_instant_on_a_later_line_is_later),
        cmocka_unit_test(success_is_a_transmission_and_a_later_processing),
        cmocka_unit_test(differences_are_whole_milliseconds_rounded_down),
        cmocka_unit_test(large_and_hostile_logs_are_grouped_soon),
    };
    return RUN_TESTS(tests);
}
