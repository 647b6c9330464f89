/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hosts.c - real hosts in Python, C and shell: what they are given, and what they answer.
 */
#include "organism.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_body(const struct bt_host_event *event, enum bt_host_event_kind kind,
                        const char *expected)
{
    if (event->kind != kind || !bt_str_eq(event->body, bt_str_of(expected))) {
        fail_msg("got event %d '%.*s' (%s), expected %d '%s'", (int)event->kind,
                 BT_STR_ARG(bt_str_slice(event->body, 0, 400)), event->reason, (int)kind, expected);
    }
}

/* ---- Python ---- */

static void a_python_handler_gets_its_payload_and_metadata(void **state)
{
    (void)state;
    struct organism organism;
    char answer[1024];
    const bt_host_id id = start_many(&organism, "do");
    organism_ask(&organism, id, DO_N("self", " +7 "), answer, sizeof(answer));
    assert_string_equal(answer,
                        "(Do(what='self', number=7, truth=False), "
                        "HandlerMetadata(thread_id='550e8400-e29b-41d4-a716-446655440000', "
                        "own_name=None), {'protocol': 1, 'max_body': 2097152, 'max_in_flight': 8, "
                        "'config': mappingproxy({})}, {})");
    /* An escaped text takes the other way through the reader and means the same. */
    organism_ask(&organism, id, "<g.do><what>s&#101;lf</what><truth>1</truth></g.do>", answer,
                 sizeof(answer));
    assert_non_null(strstr(answer, "Do(what='self', number=None, truth=True)"));
    organism_close(&organism);
}

static void the_sample_adds(void **state)
{
    (void)state;
    struct organism organism;
    char answer[64];
    organism_open(&organism);
    organism_copy(&organism, BATON_EXAMPLES "/pump/tools/calc.py", "tools/calc.py");
    const struct bt_host_spec spec = python_spec("tools/calc.py:add_handler", "AddPayload");
    const bt_host_id id = organism_start(&organism, &spec, 1);
    organism_ask(&organism, id, "<c.addpayload><a>40</a><b>2</b></c.addpayload>", answer,
                 sizeof(answer));
    assert_string_equal(answer, "<result>42</result>");
    organism_close(&organism);
}

static void every_kind_of_field_arrives_as_its_type(void **state)
{
    (void)state;
    struct organism organism;
    char answer[1024];
    const bt_host_id id = start_many(&organism, "everything");
    organism_ask(&organism, id,
                 "<x.all><id>1</id><tags><str>a</str><str></str></tags><keys><int>1</int>"
                 "<int>+2</int></keys><map><item><key>k</key><val>.5</val></item></map>"
                 "<pair><item-1>1</item-1><item-2>0</item-2></pair><addr><street>007</street>"
                 "</addr><many><address><street> x </street></address></many></x.all>",
                 answer, sizeof(answer));
    assert_string_equal(answer, "All(id=1, tags=['a', ''], keys={1, 2}, map={'k': 0.5}, "
                                "pair=(1, False), note=None, addr=Address(street='007'), "
                                "many=[Address(street=' x ')])");
    organism_close(&organism);
}

static const struct row {
    const char *payload;
    enum bt_host_event_kind kind;
    enum bt_host_failure_kind fail;
    const char *body; /* NULL: not compared */
} rows[] = {
    {DO("none"), BT_HOST_EVENT_FAIL, BT_FAIL_NONE, NULL},
    {DO("str"), BT_HOST_EVENT_FAIL, BT_FAIL_NOT_BYTES, "it returned str"},
    {DO("bytearray"), BT_HOST_EVENT_FAIL, BT_FAIL_NOT_BYTES, NULL},
    {DO("int"), BT_HOST_EVENT_FAIL, BT_FAIL_NOT_BYTES, NULL},
    {DO("empty"), BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, ""},
    {DO("raise"), BT_HOST_EVENT_FAIL, BT_FAIL_EXCEPTION, NULL},
    {DO("exit"), BT_HOST_EVENT_FAIL, BT_FAIL_EXCEPTION, NULL},
    {DO("cancel"), BT_HOST_EVENT_FAIL, BT_FAIL_EXCEPTION, NULL},
    {DO("timed"), BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, "timed out"},
    {DO("thread"), BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, "from a thread"},
    {DO("task"), BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, "True"},
    {DO("context"), BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, "('new', 'old')"},
    {DO("context"), BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, "('new', 'old')"},
    {"<do.do><what>x</what></do.do>", BT_HOST_EVENT_FAIL, BT_FAIL_PAYLOAD, NULL},
    {"<do.do><what>x</what><truth>maybe</truth></do.do>", BT_HOST_EVENT_FAIL, BT_FAIL_PAYLOAD,
     NULL},
    {"<do.do>", BT_HOST_EVENT_FAIL, BT_FAIL_PAYLOAD, NULL},
    {"<x xmlns=\"urn:other\"></x>", BT_HOST_EVENT_FAIL, BT_FAIL_PAYLOAD, NULL},
    {"<note>hello</note>", BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN,
     "Reply(tag='note', text='hello', xml=b'<note>hello</note>')None"},
    {"<note>a &amp; b</note>", BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN,
     "Reply(tag='note', text='a & b', xml=b'<note>a &amp; b</note>')None"},
    {"<note><a>1</a><a>2</a></note>", BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN,
     "Reply(tag='note', text='', xml=b'<note><a>1</a><a>2</a></note>')'1'"},
    {"<huh xmlns=\"https://xml-pipeline.org/ns/core/v1\"><error>Handler failed</error>"
     "<original-attempt>PGEvPg==</original-attempt></huh>",
     BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN,
     "Huh(error='Handler failed', original_attempt=b'<a/>')"},
    {"<todo-until xmlns=\"https://xml-pipeline.org/ns/core/v1\" condition=\"c\">a<b>c</b>"
     "</todo-until>",
     BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, NULL},
    {"<halt xmlns=\"https://xml-pipeline.org/ns/core/v1\"></halt>", BT_HOST_EVENT_RESULT,
     BT_FAIL_UNKNOWN, NULL},
};

static void each_way_to_answer_has_its_frame(void **state)
{
    (void)state;
    struct organism organism;
    const bt_host_id id = start_many(&organism, "do");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        organism_call(&organism, id, i + 1, rows[i].payload);
        const struct bt_host_event event = organism_event(&organism, id);
        if (event.kind != rows[i].kind || event.fail != rows[i].fail || event.call != i + 1) {
            fail_msg("%s: event %d fail %d: %.*s", rows[i].payload, (int)event.kind,
                     (int)event.fail, BT_STR_ARG(event.body));
        }
        if (rows[i].body) {
            expect_body(&event, rows[i].kind, rows[i].body);
        }
    }
    organism_close(&organism);
}

static void a_result_that_fits_no_frame_arrives_cut_to_the_largest_frame(void **state)
{
    (void)state;
    struct organism organism;
    const bt_host_id id = start_many(&organism, "do");
    organism_call(&organism, id, 1, DO("large"));
    const struct bt_host_event event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_RESULT);
    assert_int_equal(event.body.len, BT_FRAME_BODY_MAX);
    organism_close(&organism);
}

static void a_handler_that_waits_does_not_hold_up_the_others(void **state)
{
    (void)state;
    struct organism organism;
    const bt_host_id id = start_many(&organism, "do");
    organism_call(&organism, id, 1, DO("wait"));
    organism_call(&organism, id, 2, DO("empty"));
    organism_call(&organism, id, 3, DO("open"));
    struct bt_host_event event = organism_event(&organism, id);
    assert_true(event.call == 2);
    event = organism_event(&organism, id);
    assert_true(event.call == 3);
    event = organism_event(&organism, id);
    assert_true(event.call == 1);
    expect_body(&event, BT_HOST_EVENT_RESULT, "<result>opened</result>");
    organism_close(&organism);
}

static void cancel_reaches_the_handler_and_a_stubborn_answer_is_late(void **state)
{
    (void)state;
    struct organism organism;
    const bt_host_id id = start_many(&organism, "do");
    organism_call(&organism, id, 1, DO("wait"));
    organism_call(&organism, id, 2, DO("stubborn"));
    organism_call(&organism, id, 3, DO("empty"));
    assert_true(organism_event(&organism, id).call == 3);
    assert_true(bt_host_cancel(organism.hosts, id, 1));
    assert_true(bt_host_cancel(organism.hosts, id, 2));
    assert_int_equal(bt_host_free_slots(organism.hosts, id), 0);
    struct bt_host_event event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_CANCELLED);
    assert_true(event.call == 1);
    event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_LATE);
    assert_true(event.call == 2);
    assert_int_equal(bt_host_free_slots(organism.hosts, id), 8);
    char answer[64];
    organism_ask(&organism, id, DO("task"), answer, sizeof(answer)); /* it goes on */
    organism_close(&organism);
}

/* ---- C, shell, other programs ---- */

static const struct row c_rows[] = {
    {"<a.b>x</a.b>", BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN,
     "550e8400-e29b-41d4-a716-446655440000 - 12 <a.b>x</a.b>"},
    {"<a.b>fail</a.b>", BT_HOST_EVENT_FAIL, BT_FAIL_EXCEPTION, "a \"secret\" \\xff"},
    {"<a.b>none</a.b>", BT_HOST_EVENT_FAIL, BT_FAIL_NONE, NULL},
    {"<a.b>thread</a.b>", BT_HOST_EVENT_RESULT, BT_FAIL_UNKNOWN, "later"},
};

/* A sanitizer needs more address space than any host gets. */
static void skip_if_sanitized(void)
{
#if defined(BATON_SANITIZED)
    SKIP_TEST("a sanitizer needs more address space than any host gets");
#endif
}

static bt_host_id start_c(struct organism *organism)
{
    organism_open(organism);
    organism_copy(organism, BATON_ODD_SO, "libodd.so");
    const struct bt_host_spec spec = {
        .kind = BT_HOST_C, .handler = BT_STR("libodd.so"), .memory_mb = 256};
    return organism_start(organism, &spec, 8);
}

static void a_c_handler_answers_in_every_way(void **state)
{
    (void)state;
    struct organism organism;
    skip_if_sanitized();
    const bt_host_id id = start_c(&organism);
    for (size_t i = 0; i < COUNT_OF(c_rows); i++) {
        organism_call(&organism, id, i + 1, c_rows[i].payload);
        const struct bt_host_event event = organism_event(&organism, id);
        assert_int_equal(event.fail, c_rows[i].fail);
        assert_int_equal(event.kind, c_rows[i].kind);
        if (c_rows[i].body) {
            expect_body(&event, c_rows[i].kind, c_rows[i].body);
        }
    }
    organism_call(&organism, id, 90, "<a.b>large</a.b>");
    assert_int_equal(organism_event(&organism, id).body.len, BT_FRAME_BODY_MAX);
    organism_call(&organism, id, 91, "<a.b>wait</a.b>");
    organism_call(&organism, id, 92, "<a.b>x</a.b>");
    assert_true(organism_event(&organism, id).call == 92);
    assert_true(bt_host_cancel(organism.hosts, id, 91));
    assert_int_equal(organism_event(&organism, id).kind, BT_HOST_EVENT_LATE);
    organism_close(&organism);
}

static void a_c_handler_that_answers_twice_ends_its_host(void **state)
{
    (void)state;
    struct organism organism;
    skip_if_sanitized();
    const bt_host_id id = start_c(&organism);
    organism_call(&organism, id, 1, "<a.b>twice</a.b>");
    const struct bt_host_event event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_LOST);
    assert_int_equal(organism_event(&organism, id).end.signal, SIGABRT);
    organism_close(&organism);
}

static void a_shell_script_can_be_a_handler(void **state)
{
    (void)state;
    struct organism organism;
    const bt_str words[] = {BT_STR("./echo.sh")};
    organism_open(&organism);
    organism_copy(&organism, BATON_EXAMPLES "/pump/echo.sh", "echo.sh");
    struct bt_host_spec spec = command_spec(words, 1);
    spec.stdio = true;
    spec.allow_exec = true;
    const bt_host_id id = organism_start(&organism, &spec, 2);
    organism_call(&organism, id, 1000000, "<echo.p><a>1</a></echo.p>");
    organism_call(&organism, id, 1000001, "<echo.p></echo.p>");
    struct bt_host_event event = organism_event(&organism, id);
    assert_true(event.call == 1000000);
    expect_body(&event, BT_HOST_EVENT_RESULT, "<result>25</result>");
    event = organism_event(&organism, id);
    expect_body(&event, BT_HOST_EVENT_RESULT, "<result>17</result>");
    organism_close(&organism);
}

static void frames_go_over_standard_input_and_output_where_wanted(void **state)
{
    (void)state;
    struct organism organism;
    char answer[64];
    const bt_host_id id = start_raw(&organism, "stdio", false);
    organism_ask(&organism, id, "<a.b></a.b>", answer, sizeof(answer));
    assert_string_equal(answer, "<result><a.b></a.b></result>");
    organism_close(&organism);
}

/* A child that has whatever we have, as every one has between fork and execve; it ends when the
 * other end of `ends` is closed. */
static pid_t hold_all(int ends[2])
{
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char unused;
        (void)close(ends[1]);
        (void)!read(ends[0], &unused, 1);
        _exit(0);
    }
    return child;
}

static void a_host_that_is_gone_is_watched_no_more(void **state)
{
    (void)state;
    for (int is_stopped = 0; is_stopped <= 1; is_stopped++) {
        struct organism organism;
        struct bt_error error = {.text = ""};
        int ends[2];
        const bt_host_id id = start_raw(&organism, "good", false);
        const pid_t child = hold_all(ends);
        if (is_stopped) {
            bt_host_stop(organism.hosts, id);
            assert_int_equal(organism_event(&organism, id).kind, BT_HOST_EVENT_ENDED);
        }
        bt_host_pool_remove(organism.hosts, id);
        struct pollfd look = {.fd = bt_host_pool_fd(organism.hosts), .events = POLLIN};
        assert_int_equal(poll(&look, 1, 0), 0);
        assert_int_equal(bt_host_pool_wait(organism.hosts, 0, &error), BT_OK);
        (void)close(ends[1]);
        assert_int_equal(waitpid(child, NULL, 0), child);
        (void)close(ends[0]);
        organism_close(&organism);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_python_handler_gets_its_payload_and_metadata),
        cmocka_unit_test(the_sample_adds),
        cmocka_unit_test(every_kind_of_field_arrives_as_its_type),
        cmocka_unit_test(each_way_to_answer_has_its_frame),
        cmocka_unit_test(a_result_that_fits_no_frame_arrives_cut_to_the_largest_frame),
        cmocka_unit_test(a_handler_that_waits_does_not_hold_up_the_others),
        cmocka_unit_test(cancel_reaches_the_handler_and_a_stubborn_answer_is_late),
        cmocka_unit_test(a_c_handler_answers_in_every_way),
        cmocka_unit_test(a_c_handler_that_answers_twice_ends_its_host),
        cmocka_unit_test(a_shell_script_can_be_a_handler),
        cmocka_unit_test(frames_go_over_standard_input_and_output_where_wanted),
        cmocka_unit_test(a_host_that_is_gone_is_watched_no_more),
    };
    return RUN_TESTS(tests);
}
