/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy.c - keys of the configuration and rules -> what counts for a server and its tools. */
#include "test.h"

#include "config/config.h"
#include "report/findings.h"
#include "wrap/policy.h"
#include "wrap/servers.h"

enum { BYTES_MAX = 32 << 20 };

struct fixture {
    struct bt_arena arena;
    const struct bt_config *config;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    bt_arena_init(&fixture->arena, BYTES_MAX);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    bt_arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

/* Returns the findings; the configuration is NULL when one is HARD. */
static const struct bt_findings *read_config(struct fixture *fixture, const char *text)
{
    const struct bt_config_source source = {
        .path = BT_STR("conf/b.yaml"), .text = bt_str_of(text), .store = BT_STR("")};
    struct bt_findings *findings = bt_findings_new(&fixture->arena);
    assert_non_null(findings);
    assert_int_equal(bt_config_read(&fixture->arena, &source, findings, &fixture->config), BT_OK);
    return findings;
}

static struct bt_wrap_policy read_policy(struct fixture *fixture, const char *text,
                                         const char *name)
{
    struct bt_wrap_policy policy;
    read_config(fixture, text);
    assert_non_null(fixture->config);
    assert_int_equal(
        bt_wrap_policy_read(&fixture->arena, fixture->config, bt_str_of(name), &policy), BT_OK);
    return policy;
}

static void assert_json(const struct bt_wrap_policy *policy, const char *wanted)
{
    struct bt_buf buf;
    bt_buf_init(&buf, BYTES_MAX);
    bt_wrap_policy_put(policy, &buf);
    assert_int_equal(bt_buf_status(&buf), BT_OK);
    if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(wanted))) {
        fail_msg("got %.*s", BT_STR_ARG(bt_buf_str(&buf)));
    }
    bt_buf_free(&buf);
}

static const char DEFAULTS[] =
    "{\"annotate\":false,\"arguments\":\"warn\",\"ask\":\"client\",\"fail\":\"class\","
    "\"from_server\":{\"elicitation\":\"pass\",\"roots\":\"pass\",\"sampling\":\"pass\"},"
    "\"limits\":{\"buffer_bytes\":8388608,\"in_flight\":1024,\"message_bytes\":33554432,"
    "\"pending\":100,\"queue_records\":10000},\"methods\":[\"tools/call\"],"
    "\"pin\":{\"added\":\"hide\",\"changed\":\"hide\",\"command\":\"warn\",\"first_use\":false,"
    "\"removed\":\"warn\"},\"record\":\"digests\",\"results\":\"warn\",\"rules\":[],"
    "\"secrets\":\"warn\",\"shutdown_ms\":1000,"
    "\"spend\":{\"calls\":null,\"cost\":null,\"tokens\":null},\"texts\":\"warn\","
    "\"upstream_idle_s\":300,\"wait\":\"none\"}";

static void defaults_are_those_of_the_table(void **state)
{
    struct bt_wrap_policy policy = bt_wrap_policy_default();
    assert_json(&policy, DEFAULTS);
    assert_int_equal(policy.pin.changed, BT_WRAP_PINNING_HIDE);
    assert_int_equal(policy.methods, BT_WRAP_RECORDS_CALL);
    policy = read_policy(*state, "", "s");
    assert_json(&policy, DEFAULTS);
}

static void digests_follow_the_policy(void **state)
{
    struct bt_wrap_policy policy = bt_wrap_policy_default();
    char first[BT_SHA256_HEX_BYTES];
    char second[BT_SHA256_HEX_BYTES];
    (void)state;
    assert_int_equal(bt_wrap_policy_digest(&policy, first), BT_OK);
    assert_int_equal(bt_wrap_policy_digest(&policy, second), BT_OK);
    assert_string_equal(first, second);
    policy.limits.pending++;
    assert_int_equal(bt_wrap_policy_digest(&policy, second), BT_OK);
    assert_string_not_equal(first, second);
}

static void a_server_wins_key_by_key_and_its_rules_come_last(void **state)
{
    const char text[] = "wrap:\n"
                        "  arguments: refuse\n"
                        "  record: all\n"
                        "  pin: {changed: block, removed: hide}\n"
                        "  spend: {calls: 7}\n"
                        "  methods: [prompts/get, tools/call]\n"
                        "  rules: [{tools: [a], rate: 0}]\n"
                        "  servers:\n"
                        "    s:\n"
                        "      command: [x]\n"
                        "      record: none\n"
                        "      pin: {changed: warn, first_use: true}\n"
                        "      limits: {pending: 5}\n"
                        "      rules: [{tools: ['@open', b], deny: false, cost: 3}]\n";
    struct bt_wrap_policy policy = read_policy(*state, text, "s");
    assert_int_equal(policy.arguments, BT_WRAP_JUDGING_REFUSE);
    assert_int_equal(policy.record, BT_WRAP_RECORDING_NONE);
    assert_int_equal(policy.pin.changed, BT_WRAP_PINNING_WARN);
    assert_int_equal(policy.pin.removed, BT_WRAP_PINNING_HIDE);
    assert_int_equal(policy.pin.first_use, BT_WRAP_CHOICE_YES);
    assert_int_equal(policy.spend.calls, 7);
    assert_true(policy.spend.tokens == BT_WRAP_UNSET);
    assert_int_equal(policy.limits.pending, 5);
    assert_int_equal(policy.limits.in_flight, 1024);
    assert_int_equal(policy.methods, BT_WRAP_RECORDS_CALL | BT_WRAP_RECORDS_PROMPT);
    assert_int_equal(policy.rules.count, 2);
    assert_int_equal(policy.rules.items[0].rate, 0);
    assert_true(policy.rules.items[0].cost == BT_WRAP_UNSET);
    assert_int_equal(policy.rules.items[1].deny, BT_WRAP_CHOICE_NO);
    assert_int_equal(policy.rules.items[1].tools.count, 2);
    policy = read_policy(*state, text, "other");
    assert_int_equal(policy.record, BT_WRAP_RECORDING_ALL);
    assert_int_equal(policy.rules.count, 1);
}

static void rules_are_in_canonical_json_as_far_as_they_say_something(void **state)
{
    const struct bt_wrap_policy policy = read_policy(
        *state, "wrap: {rules: [{tools: [b, a], rate: 0, deny: false, class: read}]}", "s");
    char wanted[sizeof(DEFAULTS) + 100];
    const char *rules = strstr(DEFAULTS, "\"rules\":[]");
    assert_non_null(rules);
    const int length = snprintf(
        wanted, sizeof(wanted), "%.*s%s%s", (int)(rules - DEFAULTS), DEFAULTS,
        "\"rules\":[{\"class\":\"read\",\"deny\":false,\"rate\":0,\"tools\":[\"b\",\"a\"]}]",
        rules + strlen("\"rules\":[]"));
    assert_in_range(length, 1, sizeof(wanted) - 1);
    assert_json(&policy, wanted);
}

/* ---- Tools ----------------------------------------------------------------------------------- */

static struct bt_wrap_tool_policy judge(const struct bt_wrap_policy *policy, const char *name,
                                        struct bt_wrap_hints hints)
{
    struct bt_wrap_tool_policy out;
    bt_wrap_policy_for_tool(policy, bt_str_of(name), &hints, &out);
    return out;
}

static void classes_follow_annotations(void **state)
{
    static const struct {
        enum bt_wrap_choice read_only;
        enum bt_wrap_choice destructive;
        enum bt_wrap_class wanted;
    } rows[] = {
        {BT_WRAP_CHOICE_YES, BT_WRAP_CHOICE_YES, BT_WRAP_CLASS_READ},
        {BT_WRAP_CHOICE_NO, BT_WRAP_CHOICE_NO, BT_WRAP_CLASS_WRITE},
        {BT_WRAP_CHOICE_UNSET, BT_WRAP_CHOICE_NO, BT_WRAP_CLASS_WRITE},
        {BT_WRAP_CHOICE_NO, BT_WRAP_CHOICE_YES, BT_WRAP_CLASS_DESTRUCTIVE},
        {BT_WRAP_CHOICE_UNSET, BT_WRAP_CHOICE_UNSET, BT_WRAP_CLASS_DESTRUCTIVE},
    };
    const struct bt_wrap_policy policy = bt_wrap_policy_default();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_wrap_hints hints = {.read_only = rows[i].read_only,
                                            .destructive = rows[i].destructive};
        assert_int_equal(judge(&policy, "x", hints).rule.tool_class, rows[i].wanted);
    }
}

static void patterns_match_names(void **state)
{
    static const struct {
        const char *pattern;
        const char *name;
        bool matches;
    } rows[] = {
        {"send_*", "send_mail", true},
        {"send_*", "send_", true},
        {"send_*", "resend_", false},
        {"*", "", true},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"a?c",
         "a\xc3\xa9"
         "c",
         true},
        {"*b*d", "abcbd", true},
        {"*b*d", "abcb", false},
        {"", "x", false},
        {"a", "ab", false},
        {"**a**", "a", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fixture *fixture = *state;
        struct bt_wrap_policy policy = bt_wrap_policy_default();
        struct bt_wrap_rule rule = bt_wrap_rule_default();
        rule.deny = BT_WRAP_CHOICE_YES;
        assert_int_equal(
            bt_wrap_policy_add(&fixture->arena, &policy, bt_str_of(rows[i].pattern), &rule), BT_OK);
        const struct bt_wrap_tool_policy tool =
            judge(&policy, rows[i].name, (struct bt_wrap_hints){0});
        if ((tool.rule.deny == BT_WRAP_CHOICE_YES) != rows[i].matches) {
            fail_msg("%s and %s", rows[i].pattern, rows[i].name);
        }
    }
}

static void later_rules_win_and_classes_of_the_operator_count(void **state)
{
    const struct bt_wrap_policy policy =
        read_policy(*state,
                    "wrap:\n"
                    "  rules:\n"
                    "    - {tools: ['@destructive'], deny: true, rate: 9}\n"
                    "    - {tools: [bare], class: read}\n"
                    "    - {tools: ['send_*'], deny: false, tokens: 5}\n"
                    "    - {tools: ['@idempotent'], cost: 4}\n"
                    "    - {tools: [keep], idempotent: true}\n",
                    "s");
    const struct bt_wrap_hints none = {0};
    assert_int_equal(judge(&policy, "delete", none).rule.deny, BT_WRAP_CHOICE_YES);
    assert_int_equal(judge(&policy, "bare", none).rule.deny, BT_WRAP_CHOICE_NO);
    assert_int_equal(judge(&policy, "bare", none).rule.tool_class, BT_WRAP_CLASS_READ);
    assert_int_equal(judge(&policy, "bare", none).rate_rule, BT_WRAP_NO_RULE);
    const struct bt_wrap_tool_policy sends = judge(&policy, "send_mail", none);
    assert_int_equal(sends.rule.deny, BT_WRAP_CHOICE_NO);
    assert_int_equal(sends.rule.tokens, 5);
    assert_int_equal(sends.rule.rate, 9);
    assert_int_equal(sends.rate_rule, 0);
    assert_int_equal(sends.rule.cost, 0);
    assert_int_equal(judge(&policy, "keep", none).rule.cost, 4);
    const struct bt_wrap_hints closed = {.open_world = BT_WRAP_CHOICE_NO};
    assert_int_equal(judge(&policy, "keep", closed).rule.idempotent, BT_WRAP_CHOICE_YES);
    assert_true(bt_wrap_policy_needs_hints(&policy));
}

/* ---- Flags ----------------------------------------------------------------------------------- */

static void flags_set_words_that_exist(void **state)
{
    struct bt_wrap_policy policy = bt_wrap_policy_default();
    (void)state;
    assert_int_equal(bt_wrap_policy_set(&policy, BT_STR("record"), BT_STR("all")), BT_OK);
    assert_int_equal(policy.record, BT_WRAP_RECORDING_ALL);
    assert_int_equal(bt_wrap_policy_set(&policy, BT_STR("fail"), BT_STR("closed")), BT_OK);
    assert_int_equal(policy.fail, BT_WRAP_FAILING_CLOSED);
    assert_int_equal(bt_wrap_policy_set(&policy, BT_STR("fail"), BT_STR("shut")), BT_EINVAL);
    assert_int_equal(bt_wrap_policy_set(&policy, BT_STR("pin"), BT_STR("warn")), BT_EINVAL);
}

static void enforcing_asks_for_destructive_tools_unless_a_later_rule_does_not(void **state)
{
    struct fixture *fixture = *state;
    struct bt_wrap_policy policy =
        read_policy(fixture, "wrap: {rules: [{tools: [tidy], approve: false}]}", "s");
    assert_false(bt_wrap_policy_approves(&policy));
    assert_int_equal(bt_wrap_policy_enforce(&fixture->arena, &policy), BT_OK);
    assert_true(bt_wrap_policy_approves(&policy));
    const struct bt_wrap_hints none = {0};
    assert_int_equal(judge(&policy, "delete", none).rule.approve, BT_WRAP_CHOICE_YES);
    assert_int_equal(judge(&policy, "tidy", none).rule.approve, BT_WRAP_CHOICE_NO);
    assert_int_equal(judge(&policy, "delete", none).rule.wait, BT_WRAP_WAITING_DURABLE);
    assert_int_equal(policy.texts, BT_WRAP_READING_HIDE);
}

static void observing_only_warns(void **state)
{
    struct bt_wrap_policy policy =
        read_policy(*state,
                    "wrap: {arguments: refuse, texts: hide, secrets: off, results: off, "
                    "pin: {changed: block}, rules: [{tools: [a], over: cut, results: refuse}]}",
                    "s");
    bt_wrap_policy_observe(&policy);
    assert_true(policy.is_observing);
    assert_int_equal(policy.arguments, BT_WRAP_JUDGING_WARN);
    assert_int_equal(policy.results, BT_WRAP_JUDGING_OFF);
    assert_int_equal(policy.texts, BT_WRAP_READING_WARN);
    assert_int_equal(policy.secrets, BT_WRAP_READING_OFF);
    assert_int_equal(policy.pin.changed, BT_WRAP_PINNING_WARN);
    assert_int_equal(policy.fail, BT_WRAP_FAILING_OPEN);
    assert_int_equal(policy.rules.items[0].over, BT_WRAP_OVER_WARN);
    assert_int_equal(policy.rules.items[0].results, BT_WRAP_JUDGING_WARN);
}

/* ---- Servers --------------------------------------------------------------------------------- */

static void servers_are_read_with_their_defaults(void **state)
{
    struct fixture *fixture = *state;
    struct bt_wrap_server_settings server;
    read_config(fixture, "wrap:\n"
                         "  servers:\n"
                         "    fs:\n"
                         "      command: [npx, -y]\n"
                         "      cwd: work\n"
                         "      env: {A: b, C: ''}\n"
                         "      env_from: [TOKEN]\n"
                         "      sandbox: {mode: required, read: [/srv, in], allow: [net]}\n"
                         "    web:\n"
                         "      url: https://example.org/mcp\n"
                         "      headers_env: {X-Key: KEY}\n"
                         "      serve: true\n"
                         "      idle: 2m\n");
    assert_non_null(fixture->config);
    assert_int_equal(bt_wrap_servers_read(&fixture->arena, fixture->config, BT_STR("fs"), &server),
                     BT_OK);
    assert_int_equal(server.command.count, 2);
    assert_str(server.command.items[1], "-y");
    assert_str(server.cwd, "conf/work");
    assert_int_equal(server.env.count, 2);
    assert_str(server.env.texts[0], "b");
    assert_true(server.has_env_from);
    assert_int_equal(server.sandbox.mode, BT_WRAP_SANDBOX_REQUIRED);
    assert_str(server.sandbox.read.items[0], "/srv");
    assert_str(server.sandbox.read.items[1], "conf/in");
    assert_true(server.sandbox.allows_net);
    assert_false(server.sandbox.allows_exec);
    assert_int_equal(server.idle_s, 600);
    assert_false(server.is_served);
    assert_int_equal(bt_wrap_servers_read(&fixture->arena, fixture->config, BT_STR("web"), &server),
                     BT_OK);
    assert_str(server.url, "https://example.org/mcp");
    assert_str(server.headers_env.names[0], "X-Key");
    assert_true(server.is_served);
    assert_false(server.has_principals);
    assert_int_equal(server.idle_s, 120);
    assert_int_equal(server.sandbox.mode, BT_WRAP_SANDBOX_OFF);
    struct bt_str_list names;
    assert_int_equal(bt_wrap_servers_list(&fixture->arena, fixture->config, &names), BT_OK);
    assert_int_equal(names.count, 2);
    assert_int_equal(
        bt_wrap_servers_read(&fixture->arena, fixture->config, BT_STR("none"), &server), BT_ENOENT);
}

static void wrong_values_are_found_where_they_stand(void **state)
{
    static const struct {
        const char *text;
        const char *code;
        const char *pointer;
    } rows[] = {
        {"wrap: {argumnets: warn}", "CONFIG_KEY_UNKNOWN", "/wrap/argumnets"},
        {"wrap: {wait: soon}", "CONFIG_KEY_VALUE", "/wrap/wait"},
        {"wrap: {limits: {message_bytes: 1}}", "CONFIG_KEY_VALUE", "/wrap/limits/message_bytes"},
        {"wrap: {limits: {messages: 1}}", "CONFIG_KEY_UNKNOWN", "/wrap/limits/messages"},
        {"wrap: {pin: hide}", "CONFIG_KEY_TYPE", "/wrap/pin"},
        {"wrap: {rules: [{deny: true}]}", "CONFIG_KEY_VALUE", "/wrap/rules/0"},
        {"wrap: {rules: [{tools: ['@never']}]}", "CONFIG_KEY_VALUE", "/wrap/rules/0/tools/0"},
        {"wrap: {rules: [{tools: []}]}", "CONFIG_KEY_VALUE", "/wrap/rules/0/tools"},
        {"wrap: {servers: {pin: {command: [x]}}}", "CONFIG_KEY_VALUE", "/wrap/servers/pin"},
        {"wrap: {servers: {a b: {command: [x]}}}", "CONFIG_KEY_VALUE", "/wrap/servers/a b"},
        {"wrap: {servers: {s: {command: [x], url: 'https://e.example/'}}}", "CONFIG_CONFLICT",
         "/wrap/servers/s"},
        {"wrap: {servers: {s: {serve: true}}}", "CONFIG_CONFLICT", "/wrap/servers/s/serve"},
        {"wrap: {servers: {s: {command: []}}}", "CONFIG_KEY_VALUE", "/wrap/servers/s/command"},
        {"wrap: {servers: {s: {rules: [{deny: true}]}}}", "CONFIG_KEY_VALUE",
         "/wrap/servers/s/rules/0"},
        {"wrap: {servers: {s: {pin: {added: never}}}}", "CONFIG_KEY_VALUE",
         "/wrap/servers/s/pin/added"},
        {"wrap: {servers: {s: {sandbox: {allow: [disk]}}}}", "CONFIG_KEY_VALUE",
         "/wrap/servers/s/sandbox/allow/0"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_findings *findings = read_config(*state, rows[i].text);
        if (bt_findings_count(findings) != 1) {
            fail_msg("%s: %zu findings", rows[i].text, bt_findings_count(findings));
        }
        const struct bt_finding *found = bt_findings_at(findings, 0);
        assert_true(bt_str_eq(found->rule->code, bt_str_of(rows[i].code)));
        assert_true(bt_str_eq(found->pointer, bt_str_of(rows[i].pointer)));
    }
}

/* A control for the rows above: nothing is wrong with their correct counterparts. */
static void right_values_have_no_finding(void **state)
{
    static const char *const rows[] = {
        "wrap: {pin: {}, limits: {}, spend: {}, servers: {}}",
        "wrap: {limits: {message_bytes: 1024, queue_records: 1000000}}",
        "wrap: {rules: [{tools: ['@open', 'a*']}]}",
        "wrap: {servers: {s: {record: all}, t: {command: [x], serve: true}}}",
        "wrap: {servers: {rules: {command: [x], rules: [{tools: [a], deny: true}]}}}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(bt_findings_count(read_config(*state, rows[i])), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults_are_those_of_the_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(digests_follow_the_policy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_wins_key_by_key_and_its_rules_come_last, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rules_are_in_canonical_json_as_far_as_they_say_something,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(classes_follow_annotations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(patterns_match_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(later_rules_win_and_classes_of_the_operator_count, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(flags_set_words_that_exist, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            enforcing_asks_for_destructive_tools_unless_a_later_rule_does_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(observing_only_warns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(servers_are_read_with_their_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_values_are_found_where_they_stand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(right_values_have_no_finding, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
