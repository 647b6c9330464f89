/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config.c - baton.yaml: every rule, every kind of value, and what is in force.
 */
#include "params.h"
#include "test.h"

#include "config/config_internal.h"

enum { BYTES_MAX = 32 << 20 };

struct made {
    struct bt_arena arena;
    struct bt_findings *findings;
    const struct bt_config *config;
};

static void make(struct made *made, const char *path, bt_str text, const char *store)
{
    const struct bt_config_source source = {bt_str_of(path), text, bt_str_of(store), BT_CONFIG_FILE,
                                            BT_STR("2026-11-17")};
    bt_arena_init(&made->arena, BYTES_MAX);
    made->config = NULL;
    made->findings = bt_findings_new(&made->arena);
    assert_non_null(made->findings);
    assert_int_equal(bt_config_read(&made->arena, &source, made->findings, &made->config), BT_OK);
    assert_int_equal(bt_findings_finish(made->findings, text), BT_OK);
}

/* "CODE /pointer CODE /pointer" of everything that was found. */
static bt_str told(struct made *made)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 1 << 16);
    for (size_t i = 0; i < bt_findings_count(made->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(made->findings, i);
        bt_buf_printf(&buf, "%s%.*s %.*s", i > 0 ? " " : "", BT_STR_ARG(finding->rule->code),
                      BT_STR_ARG(finding->pointer));
    }
    assert_int_equal(bt_buf_copy(&buf, &made->arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

static bool holds(const struct bt_findings *findings, const struct bt_rule *rule)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        if (bt_findings_at(findings, i)->rule == rule) {
            return true;
        }
    }
    return false;
}

/* Whether an example breaks a rule, as a file that is named or as one of a project. */
static bool breaks(const struct bt_rule *rule, bt_str example)
{
    struct made made;
    make(&made, "baton.yaml", example, "");
    bool found = holds(made.findings, rule);
    if (made.config) {
        struct bt_config_merge merge = {.use = BT_CONFIG_JUDGES};
        struct bt_findings *findings = bt_findings_new(&made.arena);
        const struct bt_config *merged = NULL;
        merge.files[BT_CONFIG_PROJECT] = made.config;
        assert_non_null(findings);
        assert_int_equal(bt_config_merge(&made.arena, &merge, findings, findings, &merged), BT_OK);
        found = found || holds(findings, rule);
    }
    bt_arena_free(&made.arena);
    return found;
}

static void every_rule_is_broken_by_its_bad_example_and_kept_by_its_good_one(void **state)
{
    (void)state;
    size_t shown = 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (!bt_str_eq(rule->dialect, BT_STR("config")) || rule->bad.len == 0) {
            continue;
        }
        shown++;
        if (!breaks(rule, rule->bad) || breaks(rule, rule->good)) {
            fail_msg("%.*s: its examples do not show it", BT_STR_ARG(rule->code));
        }
    }
    assert_int_equal(shown, 13);
}

struct row {
    const char *text;
    const char *told;
};

static const struct row rows[] = {
    {"", ""},
    {"# nothing\n", ""},
    {"limits:\n", ""},
    {"limits: {body_bytes: null}\n", ""},
    {"{\"limits\": {\"nesting\": 64}}", ""},
    {"5\n", "YAML_SYNTAX "},
    {"[]\n", "YAML_SYNTAX "},
    {"listen: 5\n", "CONFIG_KEY_TYPE /listen"},
    {"listen: [127.0.0.1:1, unix:/x]\n", ""},
    {"listen: [127.0.0.1:1, here]\n", "CONFIG_KEY_VALUE /listen/1"},
    {"listen: [127.0.0.1:1, 5]\n", "CONFIG_KEY_TYPE /listen/1"},
    {"limits: 5\n", "CONFIG_KEY_TYPE /limits"},
    {"limits: [a]\n", "CONFIG_KEY_TYPE /limits"},
    {"limits.nesting: 5\n", "CONFIG_KEY_UNKNOWN /limits.nesting"},
    {"limits: {nesting: 0}\n", "CONFIG_KEY_VALUE /limits/nesting"},
    {"limits: {nesting: 1001}\n", "CONFIG_KEY_VALUE /limits/nesting"},
    {"limits: {nesting: 1000}\n", ""},
    {"limits: {nesting: +7}\n", ""},
    {"limits: {nesting: 99999999999999999999999}\n", "CONFIG_KEY_VALUE /limits/nesting"},
    {"limits: {nesting: 1.5}\n", "CONFIG_KEY_TYPE /limits/nesting"},
    {"limits: {nesting: \"5\"}\n", "CONFIG_KEY_TYPE /limits/nesting"},
    {"limits: {nesting: true}\n", "CONFIG_KEY_TYPE /limits/nesting"},
    {"limits: {body_memory_bytes: 1099511627776}\n", ""},
    {"plain_http: yes\n", "CONFIG_KEY_TYPE /plain_http"},
    {"rate: {check: -1}\n", "CONFIG_KEY_VALUE /rate/check"},
    {"rate: {check: 0}\n", ""},
    {"a~/b: 1\n", "CONFIG_KEY_UNKNOWN /a~0~1b"},
    {"budget: {}\n", ""},
    {"budget: {agent: {tokens: 5, cost: '2.50'}, session: {cost: 2}}\n", ""},
    {"budget: {agent: {}}\n", "CONFIG_KEY_VALUE /budget/agent"},
    {"budget: {agent: {tokens: null}}\n", "CONFIG_KEY_VALUE /budget/agent"},
    {"budget: {agent: 5}\n", "CONFIG_KEY_TYPE /budget/agent"},
    {"budget: {agent: {tokens: 0}}\n", "CONFIG_KEY_VALUE /budget/agent/tokens"},
    {"budget: {agent: {tokens: 9007199254740992}}\n", "CONFIG_KEY_VALUE /budget/agent/tokens"},
    {"budget: {agent: {tokens: '5'}}\n", "CONFIG_KEY_TYPE /budget/agent/tokens"},
    {"budget: {chain: {cost: 0}}\n", "CONFIG_KEY_VALUE /budget/chain/cost"},
    {"budget: {chain: {cost: 0.0000001}}\n", "CONFIG_KEY_VALUE /budget/chain/cost"},
    {"budget: {chain: {cost: 1e3}}\n", "CONFIG_KEY_VALUE /budget/chain/cost"},
    {"budget: {chain: {cost: [1]}}\n", "CONFIG_KEY_TYPE /budget/chain/cost"},
    {"budget: {agent: {token: 5}}\n",
     "CONFIG_KEY_VALUE /budget/agent CONFIG_KEY_UNKNOWN /budget/agent/token"},
    {"budget: {types: {a: {tokens: 5}, b: {tokens: 0}}}\n",
     "CONFIG_KEY_VALUE /budget/types/b/tokens"},
    {"budget: {types: {a: 5}}\n", "CONFIG_KEY_TYPE /budget/types/a"},
    {"budget: {types: [a]}\n", "CONFIG_KEY_TYPE /budget/types"},
    {"budget: {warn_percent: 100}\n", "CONFIG_KEY_VALUE /budget/warn_percent"},
    {"budget: {currency: usd}\n", "CONFIG_KEY_VALUE /budget/currency"},
    {"budget: {count: some}\n", "CONFIG_KEY_VALUE /budget/count"},
    {"budget: {prices: [{model: m, input: 1, output: 0, cache_read: 0.1, cache_write: '2'}]}\n",
     ""},
    {"budget: {prices: [{model: m, input: 1, output: 0, cache_read: 0.1}]}\n",
     "CONFIG_KEY_VALUE /budget/prices/0"},
    {"budget: {prices: [{model: m, input: -1, output: 0, cache_read: 0, cache_write: 0}]}\n",
     "CONFIG_KEY_VALUE /budget/prices/0/input"},
    {"check: {fail_level: hard}\n", ""},
    {"check: {fail_level: Warning}\n", ""},
    {"check: {fail_level: fatal}\n", "CONFIG_KEY_VALUE /check/fail_level"},
    {"check: {fail_level: off}\n", "CONFIG_KEY_VALUE /check/fail_level"},
    {"rules: {SELF_LOOP: Warn, 'TOKENS_*': OFF, '*': info}\n", ""},
    {"rules: [SELF_LOOP]\n", "CONFIG_KEY_TYPE /rules"},
    {"rules: {SELF_LOOP: 1}\n", "CONFIG_KEY_TYPE /rules/SELF_LOOP"},
    {"rules: {SELF_LOOP: low}\n", "CONFIG_KEY_VALUE /rules/SELF_LOOP"},
    {"rules: {SELF_LOOP: info}\n", "CONFIG_RULE_PROTECTED /rules/SELF_LOOP"},
    {"rules: {JSON_SYNTAX: warning, CONTEXT_HIDDEN_TEXT: info}\n",
     "CONFIG_RULE_PROTECTED /rules/JSON_SYNTAX CONFIG_RULE_PROTECTED /rules/CONTEXT_HIDDEN_TEXT"},
    {"rules: {JSON_SYNTAX: error, CONTEXT_HIDDEN_TEXT: error}\n", ""},
    {"rules: {'NO_SUCH*': off, RATE_LIMITED: off}\n",
     "CONFIG_RULE_UNKNOWN /rules/NO_SUCH* CONFIG_RULE_UNKNOWN /rules/RATE_LIMITED"},
    {"include: ['*.json', '']\n", "CONFIG_KEY_VALUE /include/1"},
    {"gitignore: false\n", ""},
    {"baseline: ''\n", "CONFIG_KEY_VALUE /baseline"},
    {"ignore: [{code: TOKENS_DRIFT, paths: [a/], reason: x, until: 2026-12-31, pointer: ''}]\n",
     ""},
    {"ignore: [{code: TOKENS_DRIFT, paths: [a/], reason: x, until: 2026-12-31, pointer: a}]\n",
     "CONFIG_KEY_VALUE /ignore/0/pointer"},
    {"ignore: [{code: TOKENS_DRIFT, paths: [], reason: x, until: 2026-02-30}]\n",
     "CONFIG_KEY_VALUE /ignore/0/paths CONFIG_KEY_VALUE /ignore/0/until"},
    {"ignore: [{code: TOKENS_DRIFT, paths: a/, reason: x, until: 2026-12-31}]\n",
     "CONFIG_KEY_TYPE /ignore/0/paths"},
    {"ignore: [{code: NO_SUCH, paths: [a/], reason: x, until: 2026-12-31}]\n",
     "CONFIG_RULE_UNKNOWN /ignore/0/code"},
    {"ignore: [{code: 'JSON_*', paths: [a/], reason: x, until: 2026-12-31}]\n", ""},
    {"ignore: [{code: SELF_LOOP, paths: [a/], reason: x, until: 2026-11-17}]\n", ""},
    {"ignore: [{code: SELF_LOOP, paths: [a/], reason: x, until: 2026-11-16}]\n",
     "IGNORE_EXPIRED /ignore/0"},
    {"ignore: {a: b}\n", "CONFIG_KEY_TYPE /ignore"},
    {"paths: [{match: a/, as: universal, rules: {SELF_LOOP: warning},\n"
     "         check: {tokens: chars4, budget: 5, fail_level: info}}, {match: [a, b]}]\n",
     ""},
    {"paths: [{as: universal}]\n", "CONFIG_KEY_VALUE /paths/0"},
    {"paths: [{match: []}]\n", "CONFIG_KEY_VALUE /paths/0/match"},
    {"paths: [{match: a, as: univrsal}]\n", "CONFIG_KEY_VALUE /paths/0/as"},
    {"paths: [{match: a, rules: {SELF_LOOP: off}}]\n",
     "CONFIG_RULE_PROTECTED /paths/0/rules/SELF_LOOP"},
    {"paths: [{match: a, check: {budget: 0, limit: 1}}]\n",
     "CONFIG_KEY_VALUE /paths/0/check/budget CONFIG_KEY_UNKNOWN /paths/0/check/limit"},
    {"paths: [{match: a, check: 5}]\n", "CONFIG_KEY_TYPE /paths/0/check"},
    {"output: {format: sarif, color: never, hyperlinks: auto, time: local}\n", ""},
    {"output: {format: xml}\n", "CONFIG_KEY_VALUE /output/format"},
    {"output: {docs_url: 'file:///usr/share/doc/baton/rules.html'}\n", ""},
    {"output: {docs_url: 'http://a.example/'}\n", "CONFIG_KEY_VALUE /output/docs_url"},
    {"output: {docs_url: 'https://a.example/#x'}\n", "CONFIG_KEY_VALUE /output/docs_url"},
    {"check: {tokens: cl100k_base}\n", ""},
    {"approvals: {grant_ttl: 90s, pending_ttl: 999999d}\n", ""},
    {"approvals: {grant_ttl: 0s}\n", "CONFIG_KEY_VALUE /approvals/grant_ttl"},
    {"approvals: {grant_ttl: 1000000s}\n", "CONFIG_KEY_VALUE /approvals/grant_ttl"},
    {"approvals: {grant_ttl: 5}\n", "CONFIG_KEY_TYPE /approvals/grant_ttl"},
    {"approvals: {grant_ttl: 5w}\n", "CONFIG_KEY_VALUE /approvals/grant_ttl"},
    {"auth: {anonymous: [check, fly]}\n", "CONFIG_KEY_VALUE /auth/anonymous/1"},
    {"auth: {anonymous: check}\n", "CONFIG_KEY_TYPE /auth/anonymous"},
    {"roots: {default: here, docs: /there}\n", ""},
    {"roots: [here]\n", "CONFIG_KEY_TYPE /roots"},
    {"roots: {default: 5}\n", "CONFIG_KEY_TYPE /roots/default"},
    {"hosts: [example.org, 'example.org:80', '[::1]:80']\n", ""},
    {"hosts: ['http://example.org']\n", "CONFIG_KEY_VALUE /hosts/0"},
    {"hosts: ['example.org:99999']\n", "CONFIG_KEY_VALUE /hosts/0"},
    {"cors: {origins: ['https://a.example:8443']}\n", ""},
    {"cors: {origins: ['*']}\n", "CONFIG_KEY_VALUE /cors/origins/0"},
    {"cors: {origins: ['https://a.example/']}\n", "CONFIG_KEY_VALUE /cors/origins/0"},
    {"public_url: https://a.example/x\n", ""},
    {"public_url: ftp://a.example\n", "CONFIG_KEY_VALUE /public_url"},
    {"store: mysql://h/db\n", "CONFIG_KEY_VALUE /store"},
    {"store: postgresql://h/db\n", ""},
    {"store: data/s.db\n", ""},
    {"deliver: {webhooks: [{target: a, url: 'https://h/x', token_env: T}]}\n", ""},
    {"deliver: {webhooks: [{target: a}]}\n", "CONFIG_KEY_VALUE /deliver/webhooks/0"},
    {"gate: {}\n", ""},
    {"gate: {tiers: [{name: a, commands: [git push], tools: ['mcp__*'], risk: LOW}]}\n", ""},
    {"gate: {builtin: false, protect: ['secrets/**']}\n", ""},
    {"gate: {tiers: [{commands: [x]}]}\n", "CONFIG_KEY_VALUE /gate/tiers/0"},
    {"gate: {tiers: [{name: a b}]}\n", "CONFIG_KEY_VALUE /gate/tiers/0/name"},
    {"gate: {tiers: [{name: a}, {name: a}]}\n", "CONFIG_KEY_VALUE /gate/tiers"},
    {"gate: {tiers: [{name: a, risk: high}]}\n", "CONFIG_KEY_VALUE /gate/tiers/0/risk"},
    {"gate: {tiers: [{name: a, commands: x}]}\n", "CONFIG_KEY_TYPE /gate/tiers/0/commands"},
    {"gate: {tiers: [{name: a, commands: ['']}]}\n", "CONFIG_KEY_VALUE /gate/tiers/0/commands/0"},
    {"gate: {tiers: [{name: a, tools: [a b]}]}\n", "CONFIG_KEY_VALUE /gate/tiers/0/tools/0"},
    {"gate: {tiers: [{name: a, command: [x]}]}\n", "CONFIG_KEY_UNKNOWN /gate/tiers/0/command"},
    {"gate: {protect: [/etc/passwd]}\n", "CONFIG_KEY_VALUE /gate/protect/0"},
    {"gate: on\n", "CONFIG_KEY_TYPE /gate"},
    {"deliver: {webhooks: [{target: a, url: 'http://h', tokn: T}]}\n",
     "CONFIG_KEY_UNKNOWN /deliver/webhooks/0/tokn"},
    {"deliver: {webhooks: [{target: a b, url: 'ftp://h', token_env: 9}]}\n",
     "CONFIG_KEY_VALUE /deliver/webhooks/0/target CONFIG_KEY_VALUE /deliver/webhooks/0/url "
     "CONFIG_KEY_TYPE /deliver/webhooks/0/token_env"},
    {"deliver: {webhooks: [{target: a, url: 'http://u:p@h/', token_env: a b}]}\n",
     "CONFIG_KEY_VALUE /deliver/webhooks/0/url CONFIG_KEY_VALUE /deliver/webhooks/0/token_env"},
    {"deliver: {webhooks: [{target: a, url: 'http://h/#x'}]}\n",
     "CONFIG_KEY_VALUE /deliver/webhooks/0/url"},
    {"deliver: {webhooks: [{target: a, url: 'http://h?x', token_env: null}]}\n",
     "CONFIG_KEY_VALUE /deliver/webhooks/0/url"},
    {"deliver: {webhooks: [{target: a, url: 'http://h:80/x?y', token_env: null}]}\n", ""},
    {"deliver: {webhooks: [{target: null, url: 'http://h'}]}\n",
     "CONFIG_KEY_VALUE /deliver/webhooks/0"},
    {"listen: []\n", "CONFIG_KEY_VALUE /listen"},
    {"deliver: {webhooks: [x]}\n", "CONFIG_KEY_TYPE /deliver/webhooks/0"},
    {"ledger: {withhold: [source, secret]}\n", "CONFIG_KEY_VALUE /ledger/withhold/1"},
    {"governed: {manifest: /etc/passwd}\n", "CONFIG_KEY_VALUE /governed/manifest"},
    {"governed: {max_age_s: 0, hidden_text: reject}\n", ""},
    {"otlp: {header_env: {Authorization: 9X}}\n",
     "CONFIG_KEY_VALUE /otlp/header_env/Authorization"},
    {"tls: {key: k.pem}\n", "CONFIG_CONFLICT /tls/key"},
    {"tls: {cert: c, client_ca: a}\n", "CONFIG_CONFLICT /tls/cert CONFIG_CONFLICT /tls/client_ca"},
    {"tls: {require_client_cert: true}\n", "CONFIG_CONFLICT /tls/require_client_cert"},
    {"tls: {require_client_cert: false}\n", ""},
    {"limits: {body_bytes: 2048, document_bytes: 4096}\n",
     "CONFIG_CONFLICT /limits/document_bytes"},
    {"limits: {body_bytes: 2048}\n", ""},
    {"listen: 0.0.0.0:1\n", "CONFIG_UNPROTECTED /listen"},
    {"listen: 0.0.0.0:1\ntokens: t\nplain_http: true\n", ""},
    {"listen: [127.0.0.1:1, 0.0.0.0:1]\ntokens: t\nplain_http: true\nauth: {anonymous: []}\n", ""},
    {"listen: 0.0.0.0:1\ntokens: t\nplain_http: true\nauth: {anonymous: [check]}\n",
     "CONFIG_CONFLICT /auth/anonymous"},
};

static void each_key_takes_what_it_means_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made made;
        make(&made, "baton.yaml", bt_str_of(rows[i].text), "");
        const bt_str got = told(&made);
        if (!bt_str_eq(got, bt_str_of(rows[i].told))) {
            fail_msg("%s: got '%.*s'", rows[i].text, BT_STR_ARG(got));
        }
        bt_arena_free(&made.arena);
    }
}

static void the_words_that_are_allowed_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *params;
    } samples[] = {
        {"log: {level: loud}\n",
         "{\"expected\":\"debug, info, warn or error\",\"allowed\":[\"debug\",\"info\",\"warn\","
         "\"error\"]}"},
        {"check: {fail_level: 'x'}\n",
         "{\"expected\":\"error, warning or info\",\"allowed\":[\"error\",\"warning\",\"info\"]}"},
        {"rate: {check: -1}\n", "{\"expected\":\"0 to 1000000\"}"},
        {"ignore: [{code: SELF_LOOP}]\n",
         "{\"expected\":\"a mapping with code, paths, reason and until\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        struct made made;
        struct bt_buf buf;
        make(&made, "baton.yaml", bt_str_of(samples[i].text), "");
        bt_buf_init(&buf, 1 << 12);
        assert_int_equal(bt_findings_count(made.findings), 1);
        bt_finding_put_params(bt_findings_at(made.findings, 0), &buf);
        if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(samples[i].params))) {
            fail_msg("%s: got %.*s", samples[i].text, BT_STR_ARG(bt_buf_str(&buf)));
        }
        bt_buf_free(&buf);
        bt_arena_free(&made.arena);
    }
}

/* A list or map of one item too many is refused as a whole; one of as many as allowed is not. */
static void lists_have_at_most_1000_items(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *item;
        const char *pointer;
        size_t most;
    } lists[] = {
        {"include: [", "a", "/include", 1000},
        {"paths: [", "{match: a}", "/paths", 1000},
        {"ignore: [", "{code: SELF_LOOP, paths: [a], reason: x, until: 2026-12-31}", "/ignore",
         1000},
        {"ignore: [{code: SELF_LOOP, reason: x, until: 2026-12-31, paths: [", "a",
         "/ignore/0/paths", 100},
        {"paths: [{match: [", "a", "/paths/0/match", 1000},
    };
    for (size_t i = 0; i < COUNT_OF(lists) * 2; i++) {
        const size_t list = i / 2;
        const size_t count = lists[list].most + i % 2;
        struct made made;
        struct bt_buf buf;
        bt_buf_init(&buf, 1 << 20);
        bt_buf_put_text(&buf, lists[list].key);
        for (size_t item = 0; item < count; item++) {
            bt_buf_printf(&buf, "%s%s", item > 0 ? "," : "", lists[list].item);
        }
        const bool is_nested = strchr(lists[list].key, '{') != NULL;
        bt_buf_put_text(&buf, is_nested ? "]}]\n" : "]\n");
        make(&made, "baton.yaml", bt_buf_str(&buf), "");
        assert_int_equal(bt_findings_count(made.findings), i % 2);
        if (i % 2 == 1) {
            assert_true(bt_str_eq(bt_findings_at(made.findings, 0)->pointer,
                                  bt_str_of(lists[list].pointer)));
        }
        bt_buf_free(&buf);
        bt_arena_free(&made.arena);
    }
}

static void the_key_that_was_meant_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *params;
    } misspelled[] = {
        {"limits: {body_byts: 1}\n", "{\"key\":\"body_byts\",\"nearest\":\"body_bytes\"}"},
        {"limts: {}\n", "{\"key\":\"limts\",\"nearest\":\"limits\"}"},
        {"deliver: {webhooks: [{target: a, url: 'http://h', tokn_env: T}]}\n",
         "{\"key\":\"tokn_env\",\"nearest\":\"token_env\"}"},
        {"zebra: 1\n", "{\"key\":\"zebra\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(misspelled); i++) {
        struct made made;
        make(&made, "baton.yaml", bt_str_of(misspelled[i].text), "");
        assert_int_equal(bt_findings_count(made.findings), 1);
        const bt_str params = test_params(bt_findings_at(made.findings, 0));
        assert_true(bt_str_eq(params, bt_str_of(misspelled[i].params)));
        bt_arena_free(&made.arena);
    }
}

static void what_is_in_force_is_the_file_and_then_the_default(void **state)
{
    (void)state;
    struct made made;
    bt_str path;
    make(&made, "etc/baton.yaml",
         BT_STR("limits: {nesting: 64, body_bytes: 2048}\ntokens: t.json\n"
                "approvals: {grant_ttl: 2h}\nroots: {docs: d}\n"),
         "outer.db");
    assert_non_null(made.config);
    assert_int_equal(bt_config_u64(made.config, "limits.nesting"), 64);
    assert_int_equal(bt_config_u64(made.config, "limits.header_bytes"), 32768);
    assert_int_equal(bt_config_limits(made.config).depth, 64);
    assert_int_equal(bt_config_u64(made.config, "limits.document_bytes"), 2048);
    assert_int_equal(bt_config_seconds(made.config, "approvals.grant_ttl"), 7200);
    assert_int_equal(bt_config_count(made.config, "auth.anonymous"), 2);
    assert_str(bt_config_item(made.config, "auth.anonymous", 1), "submit");
    assert_str(bt_config_item_name(made.config, "roots", 0), "docs");
    assert_str(bt_config_text(made.config, "store"), "outer.db");
    assert_int_equal(bt_config_path(made.config, "tokens", &made.arena, &path), BT_OK);
    assert_str(path, "etc/t.json");
    assert_int_equal(bt_config_path(made.config, "tls.key", &made.arena, &path), BT_OK);
    assert_str(path, "");
    bt_arena_free(&made.arena);
}

static void the_defaults_are_the_limits_that_the_library_has(void **state)
{
    (void)state;
    const struct bt_limits ours = bt_config_limits(bt_config_defaults());
    const struct bt_limits usual = bt_limits_default();
    assert_memory_equal(&ours, &usual, sizeof(ours));
}

static void strangers_get_nothing_where_a_listener_is_not_local(void **state)
{
    (void)state;
    struct made made;
    make(&made, "", BT_STR("listen: 0.0.0.0:1\n"), "");
    assert_non_null(made.config);
    assert_int_equal(bt_config_count(made.config, "auth.anonymous"), 0);
    bt_arena_free(&made.arena);
}

static void no_memory_is_a_failure_and_never_a_configuration(void **state)
{
    (void)state;
    static const char text[] = "limits: {nesting: 64}\nzebra: 1\ntls: {key: k}\n";
    const struct bt_config_source source = {BT_STR("b"), bt_str_of(text), BT_STR(""),
                                            BT_CONFIG_FILE, BT_STR("")};
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 64; status != BT_OK && limit < 1 << 22; limit += 256) {
        struct bt_arena arena;
        const struct bt_config *config = NULL;
        bt_arena_init(&arena, limit);
        struct bt_findings *findings = bt_findings_new(&arena);
        if (findings) {
            status = bt_config_read(&arena, &source, findings, &config);
            assert_true(status == BT_OK || status == BT_ENOMEM);
            assert_null(config);
        }
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_broken_by_its_bad_example_and_kept_by_its_good_one),
        cmocka_unit_test(each_key_takes_what_it_means_and_nothing_else),
        cmocka_unit_test(the_key_that_was_meant_is_named),
        cmocka_unit_test(the_words_that_are_allowed_are_named),
        cmocka_unit_test(lists_have_at_most_1000_items),
        cmocka_unit_test(what_is_in_force_is_the_file_and_then_the_default),
        cmocka_unit_test(the_defaults_are_the_limits_that_the_library_has),
        cmocka_unit_test(strangers_get_nothing_where_a_listener_is_not_local),
        cmocka_unit_test(no_memory_is_a_failure_and_never_a_configuration),
    };
    return RUN_TESTS(tests);
}
