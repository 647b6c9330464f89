/* SPDX-License-Identifier: Apache-2.0 */
/* test_session.c - lines of both sides: what passes, what is refused, and who gets which answer. */
#include "test.h"

#include "report/findings.h"
#include "report/rules.h"
#include "wrap/session.h"

struct fixture {
    struct bt_env env;
    struct bt_wrap_settings settings;
    struct bt_wrap_session session;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    assert_int_equal(bt_env_init(&fixture->env), BT_OK);
    fixture->settings = bt_wrap_settings_default(BT_STR("s"));
    fixture->settings.policy.limits.in_flight = 3;
    fixture->settings.is_unlocked = true;
    fixture->settings.policy.limits.message_bytes = 1000;
    assert_int_equal(bt_wrap_session_init(&fixture->session, &fixture->settings, &fixture->env),
                     BT_OK);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    bt_wrap_session_free(&fixture->session);
    free(fixture);
    return 0;
}

static void take(struct fixture *fixture, enum bt_wrap_side from, const char *line)
{
    bt_buf_clear(&fixture->session.to[BT_WRAP_CLIENT]);
    bt_buf_clear(&fixture->session.to[BT_WRAP_SERVER]);
    assert_int_equal(bt_wrap_session_take(&fixture->session, from, bt_str_of(line)), BT_OK);
}

static bt_str said_to(struct fixture *fixture, enum bt_wrap_side side)
{
    return bt_buf_str(&fixture->session.to[side]);
}

static bool holds(bt_str text, const char *part)
{
    return bt_str_find(text, bt_str_of(part)) < text.len;
}

/* The line passes with its bytes, and its sender gets nothing. */
static void assert_passes(struct fixture *fixture, enum bt_wrap_side from, const char *line)
{
    const enum bt_wrap_side to = from == BT_WRAP_CLIENT ? BT_WRAP_SERVER : BT_WRAP_CLIENT;
    take(fixture, from, line);
    const bt_str said = said_to(fixture, to);
    assert_int_equal(said.len, strlen(line) + 1);
    assert_memory_equal(said.ptr, line, strlen(line));
    assert_int_equal(said.ptr[said.len - 1], '\n');
    assert_int_equal(said_to(fixture, from).len, 0);
}

/* The line does not pass; its sender gets an answer that holds `answer`, or none for NULL. */
static void assert_refused(struct fixture *fixture, enum bt_wrap_side from, const char *line,
                           const char *answer)
{
    const enum bt_wrap_side to = from == BT_WRAP_CLIENT ? BT_WRAP_SERVER : BT_WRAP_CLIENT;
    take(fixture, from, line);
    assert_int_equal(said_to(fixture, to).len, 0);
    if (answer && !holds(said_to(fixture, from), answer)) {
        fail_msg("%s: got %.*s", line, BT_STR_ARG(said_to(fixture, from)));
    }
    if (!answer) {
        assert_int_equal(said_to(fixture, from).len, 0);
    }
}

#define REQUEST(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define RESULT(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"

static void messages_pass_with_their_bytes(void **state)
{
    struct fixture *fixture = *state;
    assert_passes(
        fixture, BT_WRAP_CLIENT,
        "{ \"method\" : \"x\\/y\",\"id\":\"\\u0031\", \"n\":[1.50e+3,12345678901234567890],"
        "\"jsonrpc\":\"2.0\",\"extra\":null}");
    assert_passes(fixture, BT_WRAP_SERVER,
                  "{\"result\":{\"e\":1E2},\"jsonrpc\":\"2.0\",\"id\":\"1\"}");
    assert_passes(fixture, BT_WRAP_SERVER,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/new\"}");
    assert_passes(fixture, BT_WRAP_CLIENT,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/new\"}");
    assert_int_equal(bt_findings_count(fixture->session.findings), 0);
}

static void what_is_not_a_message_is_refused(void **state)
{
    static const struct {
        const char *line;
        const char *answer;
    } rows[] = {
        {"nonsense", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"i\\u0064\":2,\"method\":\"ping\"}", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "-32700"},
        {"[" REQUEST("1") "]", "-32600"},
        {"5", "-32600"},
        {"{\"id\":1,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}", "-32600"},
        {REQUEST("null"), "-32600"},
        {REQUEST("true"), "-32600"},
        {REQUEST("1.5"), "-32600"},
        {REQUEST("9007199254740992"), "-32600"},
        {REQUEST("-9007199254740992"), "-32600"},
        {REQUEST("1e400"), "-32600"},
        {REQUEST("\"baton-7\""), "\"id\":\"baton-7\",\"error\":{\"code\":-32600"},
        {RESULT("7"), NULL},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_refused(fixture, BT_WRAP_CLIENT, rows[i].line, rows[i].answer);
        assert_true(holds(said_to(fixture, BT_WRAP_CLIENT), "WRAP_MESSAGE_REFUSED") ||
                    !rows[i].answer);
    }
    assert_int_equal(bt_findings_count(fixture->session.findings), COUNT_OF(rows));
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("1"));
}

static void an_id_is_open_until_it_is_answered_once(void **state)
{
    struct fixture *fixture = *state;
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("1.0"));
    assert_refused(fixture, BT_WRAP_CLIENT, REQUEST("1"), "{\"jsonrpc\":\"2.0\",\"error\":");
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("\"1\""));
    assert_passes(fixture, BT_WRAP_SERVER, RESULT("1"));
    assert_refused(fixture, BT_WRAP_SERVER, RESULT("1"), NULL);
    assert_passes(fixture, BT_WRAP_SERVER, RESULT("\"1\""));
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("1"));
}

static void both_sides_number_their_requests_themselves(void **state)
{
    struct fixture *fixture = *state;
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("0"));
    assert_passes(fixture, BT_WRAP_SERVER, REQUEST("0"));
    assert_refused(fixture, BT_WRAP_SERVER, REQUEST("0"), "-32600");
    assert_passes(fixture, BT_WRAP_CLIENT, RESULT("0"));
    assert_refused(fixture, BT_WRAP_CLIENT, RESULT("0"), NULL);
    assert_passes(fixture, BT_WRAP_SERVER, RESULT("0"));
    assert_refused(fixture, BT_WRAP_SERVER, REQUEST("\"baton-1\""), "-32600");
}

static void open_requests_are_bounded_and_cancelled_ones_do_not_count(void **state)
{
    struct fixture *fixture = *state;
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("1"));
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("2"));
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("3"));
    assert_refused(fixture, BT_WRAP_CLIENT, REQUEST("4"), "\"id\":4,\"error\":{\"code\":-31001");
    assert_passes(fixture, BT_WRAP_CLIENT,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                  "\"requestId\":2}}");
    assert_int_equal(bt_wrap_session_awaited(&fixture->session), 2);
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("4"));
    assert_passes(fixture, BT_WRAP_SERVER, RESULT("2")); /* a late answer */
    assert_int_equal(bt_wrap_session_awaited(&fixture->session), 3);
}

static void an_unusable_answer_ends_the_one_request_that_it_names(void **state)
{
    static const char *const answers[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":1,\"a\":2}}",
        "{\"jsonrpc\":\"2.0\",\"i\\u0064\":5,\"result\":{\"a\":\"\xff\"}}",
        "{\"id\":5.0,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"id\":5,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":[}",
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("5"));
        take(fixture, BT_WRAP_SERVER, answers[i]);
        if (!holds(said_to(fixture, BT_WRAP_CLIENT), "\"id\":5,\"error\":{\"code\":-31002")) {
            fail_msg("%s", answers[i]);
        }
        assert_int_equal(bt_wrap_session_awaited(&fixture->session), 0);
    }
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("5"));
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("6"));
    /* Two names, a name inside, and a name that the end of the line cuts off. */
    assert_refused(fixture, BT_WRAP_SERVER, "{\"id\":5,\"id\":6,\"result\":{}}", NULL);
    assert_refused(fixture, BT_WRAP_SERVER, "{\"result\":{\"id\":5,\"id\":5}}", NULL);
    assert_refused(fixture, BT_WRAP_SERVER, "{\"jsonrpc\":\"2.0\",\"id\":5", NULL);
    assert_int_equal(bt_wrap_session_awaited(&fixture->session), 2);
}

static void a_line_that_is_too_long_is_told_from_its_beginning(void **state)
{
    struct fixture *fixture = *state;
    const bt_str head = BT_STR("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"text\":\"aaaa");
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("5"));
    bt_buf_clear(&fixture->session.to[BT_WRAP_SERVER]);
    assert_int_equal(bt_wrap_session_take_too_long(&fixture->session, BT_WRAP_CLIENT, head), BT_OK);
    assert_true(holds(said_to(fixture, BT_WRAP_CLIENT), "-32600"));
    assert_int_equal(said_to(fixture, BT_WRAP_SERVER).len, 0);
    bt_buf_clear(&fixture->session.to[BT_WRAP_CLIENT]);
    assert_int_equal(bt_wrap_session_take_too_long(&fixture->session, BT_WRAP_SERVER, head), BT_OK);
    assert_true(holds(said_to(fixture, BT_WRAP_CLIENT), "\"id\":5,\"error\":{\"code\":-31002"));
}

static void noise_is_shown_to_people_only(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, BT_WRAP_SERVER, "Loading\x1b[2J cache", NULL);
    assert_true(holds(bt_buf_str(&fixture->session.log), "Loading\\x1b[2J cache\n"));
    assert_int_equal(bt_findings_at(fixture->session.findings, 0)->severity, BT_SEVERITY_INFO);
    assert_refused(fixture, BT_WRAP_SERVER, "", NULL);
    assert_int_equal(bt_findings_count(fixture->session.findings), 1);
}

static void findings_of_a_code_are_bounded(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 1000; i++) {
        bt_buf_clear(&fixture->session.log);
        assert_refused(fixture, BT_WRAP_CLIENT, "x", "-32700");
    }
    assert_int_equal(bt_findings_count(fixture->session.findings), 100);
    struct bt_judgement judged;
    assert_int_equal(bt_wrap_session_judge(&fixture->session, &judged), BT_OK);
    assert_int_equal(judged.verdict, BT_VERDICT_ACCEPTED);
}

static void a_server_that_ends_leaves_no_request_unanswered(void **state)
{
    struct fixture *fixture = *state;
    assert_passes(fixture, BT_WRAP_CLIENT,
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}");
    assert_passes(fixture, BT_WRAP_CLIENT, REQUEST("2"));
    bt_buf_clear(&fixture->session.to[BT_WRAP_SERVER]);
    const struct bt_wrap_server_end end = {.number = 3};
    assert_int_equal(bt_wrap_session_server_ended(&fixture->session, end), BT_OK);
    const bt_str said = said_to(fixture, BT_WRAP_CLIENT);
    assert_true(holds(said, "\"id\":1,\"error\":{\"code\":-31003"));
    assert_true(holds(said, "\"id\":2,\"error\":{\"code\":-31003"));
    assert_refused(fixture, BT_WRAP_CLIENT, REQUEST("3"), "\"id\":3,\"error\":{\"code\":-31003");
    struct bt_judgement judged;
    assert_int_equal(bt_wrap_session_judge(&fixture->session, &judged), BT_OK);
    assert_int_equal(judged.verdict, BT_VERDICT_REJECTED);
    assert_true(holds(judged.facts, "\"lost\":1"));
}

static void facts_come_from_the_conversation(void **state)
{
    struct fixture *fixture = *state;
    struct bt_judgement judged;
    take(fixture, BT_WRAP_CLIENT,
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"clientInfo\":{"
         "\"name\":\"lab\"}}}");
    take(fixture, BT_WRAP_SERVER,
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\","
         "\"serverInfo\":{\"name\":\"stub\",\"version\":\"1\"}}}");
    take(fixture, BT_WRAP_CLIENT,
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}");
    take(fixture, BT_WRAP_SERVER, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":true}}");
    assert_int_equal(bt_wrap_session_judge(&fixture->session, &judged), BT_OK);
    assert_true(holds(judged.facts, "\"era\":\"legacy\",\"protocol\":\"2025-11-25\",\"server\":{"
                                    "\"name\":\"stub\",\"version\":\"1\"},\"client\":\"lab\""));
    assert_true(holds(judged.facts, "\"total\":1,\"returned\":0,\"failed\":1"));
    assert_true(holds(judged.facts, "\"messages\":{\"client\":2,\"server\":2}"));
}

/* List the tools, of which one has this description. True when it is passed on. */
static bool shows_tool(struct fixture *fixture, int id, const char *description)
{
    char line[512];
    (void)snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}",
                   id);
    take(fixture, BT_WRAP_CLIENT, line);
    (void)snprintf(line, sizeof(line),
                   "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[{\"name\":\"echo\","
                   "\"description\":\"%s\",\"inputSchema\":{}}]}}",
                   id, description);
    take(fixture, BT_WRAP_SERVER, line);
    assert_true(holds(said_to(fixture, BT_WRAP_CLIENT), "\"tools\":["));
    return holds(said_to(fixture, BT_WRAP_CLIENT), "echo");
}

static void what_was_hidden_once_stays_hidden_when_an_earlier_list_comes_again(void **state)
{
    struct fixture *fixture = *state;
    fixture->settings.policy.texts = BT_WRAP_READING_HIDE;
    assert_true(shows_tool(fixture, 1, "Says it."));
    assert_true(shows_tool(fixture, 2, "Says it."));
    assert_false(shows_tool(fixture, 3, "Says it. <IMPORTANT>"));
    assert_false(shows_tool(fixture, 4, "Says it."));
    assert_false(shows_tool(fixture, 5, "Says it."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_was_hidden_once_stays_hidden_when_an_earlier_list_comes_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(messages_pass_with_their_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_a_message_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_id_is_open_until_it_is_answered_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(both_sides_number_their_requests_themselves, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(open_requests_are_bounded_and_cancelled_ones_do_not_count,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unusable_answer_ends_the_one_request_that_it_names,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_that_is_too_long_is_told_from_its_beginning, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(noise_is_shown_to_people_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_of_a_code_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_that_ends_leaves_no_request_unanswered, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(facts_come_from_the_conversation, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
