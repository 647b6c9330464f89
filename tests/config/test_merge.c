/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_merge.c - every key in every kind of file, for every kind of command.
 *
 * The table is written down here a second time, key by key, so that a key without a class, or with
 * another one, does not go unnoticed.
 */
#include "test.h"

#include "config/config_internal.h"

enum { BYTES_MAX = 32 << 20 };

/* What a project's file may set, for commands that judge and for those that decide. */
enum class {
    NEVER,
    ANY_NEVER,
    ANY_NEVER_ALONE, /* and files of the operator do not have it */
    ANY_STRICT,
    STRICT,
    BELOW_NEVER,
    BELOW,
};

struct row {
    const char *key;
    enum class class;
    bool for_hooks;
    const char *tight; /* the stricter value, or the path below the project */
    const char *loose; /* the looser one, or the path outside */
};

#define WITNESS_KEY "witness.example/w1+5a2fdcbd+BMcCZ45mw7b3ulOFSBMsuEFFtcJsHSjXo2l4ZaxQkYPc"
#define LOG_KEY "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"
#define OPERATOR(key_, value_)                                                                     \
    {                                                                                              \
        key_, NEVER, false, value_, value_                                                         \
    }
#define LOWER(key_, tight_, loose_)                                                                \
    {                                                                                              \
        key_, STRICT, true, tight_, loose_                                                         \
    }
#define GOVERNED(key_, tight_, loose_)                                                             \
    {                                                                                              \
        key_, STRICT, false, tight_, loose_                                                        \
    }

/* clang-format off */
static const struct row rows[] = {
    {"check.tokens", ANY_NEVER, false, "chars4", "cl100k_base"},
    {"skills", ANY_NEVER, false, "[a]", "[/b]"},
    {"include", ANY_NEVER_ALONE, false, "[a]", "[b]"},
    {"exclude", ANY_NEVER_ALONE, false, "[a]", "[b]"},
    {"gitignore", ANY_NEVER, false, "true", "false"},
    {"rules", ANY_NEVER, false, "{SELF_LOOP: error}", "{SELF_LOOP: warning}"},
    {"paths", ANY_NEVER_ALONE, false, "[{match: a}]", "[]"},
    {"ignore", ANY_NEVER_ALONE, false, "[]",
     "[{code: TOKENS_DRIFT, paths: [a], reason: x, until: 2026-12-31}]"},
    {"baseline", ANY_NEVER_ALONE, false, "a.json", "/b.json"},
    {"check.skill_names", ANY_STRICT, false, "kebab", "relaxed"},
    {"check.budget", ANY_STRICT, false, "100", "9000"},
    {"check.fail_level", ANY_STRICT, false, "INFO", "WARN"},
    {"check.fail_level", ANY_STRICT, false, "warning", "Error"},
    LOWER("limits.document_bytes", "2048", "4096"), LOWER("limits.nesting", "9", "10"),
    LOWER("limits.members", "9", "10"), LOWER("limits.string_bytes", "2048", "4096"),
    LOWER("limits.schema_depth", "9", "10"), LOWER("limits.schema_ms", "9", "10"),
    LOWER("limits.schema_work", "9", "10"), LOWER("limits.csv_row_bytes", "2048", "4096"),
    LOWER("limits.csv_cell_bytes", "2048", "4096"), LOWER("limits.xml_bytes", "2048", "4096"),
    LOWER("limits.xml_depth", "9", "10"),
    LOWER("contract.max_rejections", "2", "99"),
    LOWER("contract.transitions", "strict", "warn"), LOWER("contract.off_list", "reject", "drop"),
    LOWER("contract.approval_ids", "own", "any"), LOWER("contract.agent_ids", "host", "any"),
    LOWER("approvals.pending_ttl", "90m", "2h"), LOWER("approvals.grant_ttl", "59s", "1m"),
    {"contract.workspace", NEVER, true, "a", "b"},
    {"contract.agents", NEVER, true, "[a]", "[nobody]"},
    {"gate.tiers", NEVER, true, "[{name: a, commands: [x]}]", "[]"},
    {"gate.builtin", NEVER, true, "true", "false"},
    {"gate.protect", NEVER, true, "[a]", "[b]"},
    {"budget.agent", NEVER, true, "{tokens: 1}", "{tokens: 2}"},
    {"budget.session", NEVER, true, "{cost: 1}", "{cost: 2}"},
    LOWER("budget.chain", "{tokens: 9}", "{tokens: 10}"),
    LOWER("budget.chain", "{cost: 0.5}", "{cost: '0.500001'}"),
    LOWER("budget.chain", "{tokens: 9}", "{tokens: 10, cost: 1}"),
    {"budget.types", NEVER, true, "{a: {tokens: 1}}", "{a: {tokens: 2}}"},
    {"budget.warn_percent", NEVER, true, "50", "90"},
    {"budget.count", NEVER, true, "all", "fresh"},
    {"budget.currency", NEVER, true, "EUR", "USD"},
    {"budget.prices", NEVER, true, "[]",
     "[{model: m, input: 1, output: 1, cache_read: 1, cache_write: 1}]"},
    {"evidence.mode", NEVER, true, "enforce", "off"},
    {"evidence.doc_paths", NEVER, true, "[a]", "[b]"},
    {"evidence.keep", NEVER, true, "true", "false"},
    GOVERNED("governed.max_age_s", "0", "9000"), GOVERNED("governed.max_future_s", "0", "9000"),
    GOVERNED("governed.boundary_mode", "mutual", "source"),
    GOVERNED("governed.boundary_mode", "source", "either"),
    GOVERNED("governed.relation_mode", "strict", "literal"),
    GOVERNED("governed.archetype_mode", "constituent", "declared"),
    GOVERNED("governed.block_on", "any", "bound"),
    GOVERNED("governed.block_on", "bound", "root"),
    GOVERNED("governed.system_messages", "reject", "warn"),
    GOVERNED("governed.system_messages", "warn", "allow"),
    GOVERNED("governed.hidden_text", "reject", "warn"),
    GOVERNED("governed.injection_text", "reject", "warn"),
    GOVERNED("governed.injection_text", "warn", "allow"),
    {"governed.root", BELOW_NEVER, false, "below/a", "outside/a"},
    {"governed.manifest", BELOW_NEVER, false, "below/a", "outside/a"},
    {"governed.lock", BELOW_NEVER, false, "below/a", "outside/a"},
    {"governed.boundaries", BELOW_NEVER, false, "below/a", "outside/a"},
    {"governed.lock_copies", BELOW_NEVER, false, "[below/a, below/b]", "[below/a, outside/b]"},
    {"store", BELOW, true, "below/s.db", "outside/s.db"},
    {"store", BELOW, true, "'sqlite:below/s.db'", "'sqlite:outside/s.db'"},
    {"store", BELOW, true, "below/s.db", "'postgresql://stranger.example/db'"},
    {"store", BELOW, true, "below/s.db", "'postgres://stranger.example/db'"},
    OPERATOR("listen", "127.0.0.1:1"), OPERATOR("public_url", "https://a.example"),
    OPERATOR("hosts", "[a.example]"), OPERATOR("cors.origins", "['https://a.example']"),
    OPERATOR("roots", "{a: b}"), OPERATOR("tokens", "t.json"), OPERATOR("tls.cert", "c.pem"),
    OPERATOR("tls.key", "k.pem"), OPERATOR("tls.client_ca", "a.pem"),
    OPERATOR("tls.require_client_cert", "false"), OPERATOR("plain_http", "true"),
    OPERATOR("auth.anonymous", "[check]"), OPERATOR("auth.disclose_topology", "none"),
    OPERATOR("limits.body_bytes", "9000000"), OPERATOR("limits.header_bytes", "2048"),
    OPERATOR("limits.header_count", "10"), OPERATOR("limits.target_bytes", "256"),
    OPERATOR("limits.header_timeout_s", "1"), OPERATOR("limits.body_timeout_s", "1"),
    OPERATOR("limits.write_timeout_s", "1"), OPERATOR("limits.idle_timeout_s", "1"),
    OPERATOR("limits.record_deadline_ms", "100"), OPERATOR("limits.body_memory_bytes", "1048576"),
    OPERATOR("limits.connections", "1"), OPERATOR("limits.connections_per_address", "1"),
    OPERATOR("limits.in_flight", "1"), OPERATOR("limits.streams_per_principal", "1"),
    OPERATOR("rate.check", "0"), OPERATOR("rate.submit", "0"), OPERATOR("rate.auth_failures", "1"),
    OPERATOR("submit.roots", "[a]"),
    OPERATOR("ledger.public", "true"), OPERATOR("ledger.withhold", "[source]"),
    OPERATOR("ledger.agent", "agent.sock"),
    {"ledger.memory", NEVER, true, "state", "other"},
    OPERATOR("ledger.heartbeat", "5m"),
    OPERATOR("ledger.cosign_every", "1s"),
    OPERATOR("ledger.peers",
        "[{name: a, url: 'http://h/', vkey: " WITNESS_KEY ", log: " LOG_KEY "}]"),
    OPERATOR("logs.root", "logs"), OPERATOR("logs.keys", "keys"), OPERATOR("logs.default", "main"),
    OPERATOR("logs.max", "5"), OPERATOR("logs.open", "2"), OPERATOR("logs.writers", "1"),
    OPERATOR("scitt.issuers", "[{iss: 'https://a.example', key: k.pem}]"),
    {"retain.min", STRICT, false, "184d", "30d"},
    OPERATOR("ledger.witness", "w"), OPERATOR("pump.organism", "o.yaml"),
    OPERATOR("deliver.attempts", "1"),
    OPERATOR("deliver.webhooks", "[{target: a, url: 'http://h/'}]"),
    OPERATOR("idempotency.ttl", "1s"), OPERATOR("mcp.enabled", "false"),
    OPERATOR("mcp.session_ttl", "1s"), OPERATOR("a2a.enabled", "false"), OPERATOR("a2a.name", "x"),
    OPERATOR("a2a.description", "x"), OPERATOR("console.enabled", "false"),
    OPERATOR("metrics.public", "true"), OPERATOR("log.level", "error"),
    OPERATOR("log.format", "text"), OPERATOR("log.addresses", "true"),
    OPERATOR("otlp.endpoint", "http://h/"), OPERATOR("otlp.header_env", "{A: B}"),
    OPERATOR("otlp.queue", "1"), OPERATOR("output.format", "concise"),
    OPERATOR("output.color", "never"), OPERATOR("output.hyperlinks", "always"),
    OPERATOR("output.time", "utc"), OPERATOR("output.docs_url", "'https://a.example/rules'"),
    OPERATOR("shutdown.delay_s", "1"),
    OPERATOR("shutdown.timeout_s", "1"),
    OPERATOR("wrap.lock", "l"), OPERATOR("wrap.servers", "{s: {command: [x]}}"),
    OPERATOR("wrap.pin", "{changed: warn}"), OPERATOR("wrap.arguments", "refuse"),
    OPERATOR("wrap.results", "off"), OPERATOR("wrap.texts", "hide"),
    OPERATOR("wrap.secrets", "off"), OPERATOR("wrap.annotate", "true"),
    OPERATOR("wrap.ask", "outside"), OPERATOR("wrap.record", "all"),
    OPERATOR("wrap.methods", "[prompts/get]"), OPERATOR("wrap.wait", "durable"),
    OPERATOR("wrap.fail", "closed"), OPERATOR("wrap.from_server", "{roots: refuse}"),
    OPERATOR("wrap.rules", "[{tools: [a], deny: true}]"), OPERATOR("wrap.spend", "{calls: 1}"),
    OPERATOR("wrap.limits", "{pending: 1}"), OPERATOR("wrap.shutdown_ms", "1"),
    OPERATOR("wrap.upstream_idle_s", "1"),
};
/* clang-format on */

static void each_key_has_a_row(void **state)
{
    (void)state;
    for (size_t key = 0; bt_config_key(key).len > 0; key++) {
        size_t i = 0;
        while (i < COUNT_OF(rows) && !bt_str_eq(bt_str_of(rows[i].key), bt_config_key(key))) {
            i++;
        }
        if (i == COUNT_OF(rows)) {
            fail_msg("no row of this test is about %.*s", BT_STR_ARG(bt_config_key(key)));
        }
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(bt_config_row(bt_str_of(rows[i].key)) < bt_config_rows_count);
    }
}

/* ---- Merging --------------------------------------------------------------------------------- */

struct world {
    struct bt_arena arena;
    struct bt_findings *findings;
    const struct bt_config *files[BT_CONFIG_KINDS];
    const struct bt_config *merged;
};

static void begin(struct world *world)
{
    *world = (struct world){0};
    bt_arena_init(&world->arena, BYTES_MAX);
    world->findings = bt_findings_new(&world->arena);
    assert_non_null(world->findings);
}

/* Whether files of a user and of the system do not have the key. */
static bool is_for_projects(const char *key)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return rows[i].class == ANY_NEVER_ALONE;
        }
    }
    return false;
}

/* A file that says one thing. */
static void add(struct world *world, enum bt_config_kind kind, const char *key, const char *value)
{
    const bt_str name = bt_str_of(key);
    const size_t dot = bt_str_find_byte(name, '.', 0);
    bt_str text;
    assert_int_equal(dot < name.len ? bt_arena_printf(&world->arena, &text, "%.*s: {%s: %s}\n",
                                                      (int)dot, key, key + dot + 1, value)
                                    : bt_arena_printf(&world->arena, &text, "%s: %s\n", key, value),
                     BT_OK);
    const struct bt_config_source source = {
        .path = BT_STR("d/f.yaml"), .text = text, .store = BT_STR(""), .kind = kind};
    struct bt_findings *findings = bt_findings_new(&world->arena);
    assert_non_null(findings);
    assert_int_equal(bt_config_read(&world->arena, &source, findings, &world->files[kind]), BT_OK);
    if (is_for_projects(key) && (kind == BT_CONFIG_USER || kind == BT_CONFIG_SYSTEM)) {
        assert_null(world->files[kind]);
        assert_int_equal(bt_findings_count(findings), 1);
        assert_str(bt_findings_at(findings, 0)->rule->code, "CONFIG_KEY_UNKNOWN");
    } else if (!world->files[kind] && kind != BT_CONFIG_FILE) {
        fail_msg("%s: %s is refused", key, value);
    }
}

static bool below(void *context, bt_str path)
{
    (void)context;
    return bt_str_starts_with(path, BT_STR("below/"));
}

static void merge(struct world *world, enum bt_config_use use, const char *store)
{
    struct bt_config_merge merge = {.use = use, .store = bt_str_of(store), .is_below = below};
    struct bt_findings *conflicts = bt_findings_new(&world->arena);
    assert_non_null(conflicts);
    for (size_t kind = 0; kind < BT_CONFIG_KINDS; kind++) {
        merge.files[kind] = world->files[kind];
    }
    assert_int_equal(
        bt_config_merge(&world->arena, &merge, world->findings, conflicts, &world->merged), BT_OK);
}

static bool may_set(const struct row *row, enum bt_config_use use, bool is_tight)
{
    const bool judges = use == BT_CONFIG_JUDGES;
    if (use == BT_CONFIG_HOOK) {
        return false;
    }
    switch (row->class) {
    case ANY_NEVER:
    case ANY_NEVER_ALONE:
        return judges;
    case ANY_STRICT:
        return judges || is_tight;
    case STRICT:
        return is_tight;
    case BELOW_NEVER:
        return judges && is_tight;
    case BELOW:
        return is_tight && use != BT_CONFIG_DECIDES_STORELESS;
    case NEVER:
        break;
    }
    return false;
}

/* The project's file says one value, the user's the other: whose is in force? */
static void try_project(const struct row *row, enum bt_config_use use, bool is_tight)
{
    static const char *const uses[] = {"", "judges", "decides", "decides without store", "hook"};
    const size_t key = bt_config_row(bt_str_of(row->key));
    const bool is_paths = row->class == BELOW || row->class == BELOW_NEVER;
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_PROJECT, row->key, is_tight ? row->tight : row->loose);
    if (!is_paths) {
        add(&world, BT_CONFIG_USER, row->key, is_tight ? row->loose : row->tight);
    }
    merge(&world, use, "");
    const bool needs_others = bt_str_starts_with(bt_str_of(row->key), BT_STR("tls."));
    if (!world.merged && needs_others) { /* half a pair: nothing is in force at all */
        bt_arena_free(&world.arena);
        return;
    }
    assert_non_null(world.merged);
    const bool is_used = world.merged->given[key] && world.merged->kinds[key] == BT_CONFIG_PROJECT;
    const bool expected = may_set(row, use, is_tight);
    const bool is_told = bt_findings_count(world.findings) == 1;
    if (is_used != expected || bt_config_is_refused(world.merged, key) == expected ||
        is_told == expected) {
        if (use != BT_CONFIG_HOOK || is_used || is_told) {
            fail_msg("%s, %s value, command that %s: used %d, told %d", row->key,
                     is_tight ? "tight" : "loose", uses[use], is_used, is_told);
        }
    }
    bt_arena_free(&world.arena);
}

static void a_project_file_sets_what_the_class_of_a_key_allows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int use = BT_CONFIG_JUDGES; use <= BT_CONFIG_HOOK; use++) {
            try_project(&rows[i], (enum bt_config_use)use, true);
            try_project(&rows[i], (enum bt_config_use)use, false);
        }
    }
}

static void files_of_the_operator_set_every_key_and_hooks_use_theirs(void **state)
{
    (void)state;
    static const enum bt_config_kind kinds[] = {BT_CONFIG_USER, BT_CONFIG_SYSTEM, BT_CONFIG_FILE};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t key = bt_config_row(bt_str_of(rows[i].key));
        assert_int_equal(bt_config_key_is_for_hooks(key), rows[i].for_hooks);
        for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
            for (int use = BT_CONFIG_JUDGES; use <= BT_CONFIG_HOOK; use++) {
                struct world world;
                begin(&world);
                add(&world, kinds[kind], rows[i].key, rows[i].loose);
                merge(&world, (enum bt_config_use)use, "");
                const bool is_used = world.merged && world.merged->given[key];
                const bool is_half = bt_str_starts_with(bt_str_of(rows[i].key), BT_STR("tls.")) ||
                                     (rows[i].class == ANY_NEVER_ALONE && kind < 2);
                if (is_used != (use != BT_CONFIG_HOOK || rows[i].for_hooks) && !is_half) {
                    fail_msg("%s of kind %d for use %d: used %d", rows[i].key, (int)kinds[kind],
                             use, is_used);
                }
                bt_arena_free(&world.arena);
            }
        }
    }
}

/* ---- Precedence ------------------------------------------------------------------------------ */

static void the_user_beats_the_system_and_the_environment_beats_them(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_SYSTEM, "store", "system.db");
    add(&world, BT_CONFIG_USER, "store", "user.db");
    merge(&world, BT_CONFIG_JUDGES, "");
    assert_str(bt_config_text(world.merged, "store"), "user.db");
    merge(&world, BT_CONFIG_HOOK, "outer.db");
    assert_str(bt_config_text(world.merged, "store"), "outer.db");
    bt_arena_free(&world.arena);
}

static void a_store_of_the_environment_replaces_one_that_is_refused(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_PROJECT, "store", "'postgresql://stranger.example/db'");
    merge(&world, BT_CONFIG_DECIDES, "outer.db");
    assert_str(bt_config_text(world.merged, "store"), "outer.db");
    assert_false(bt_config_is_refused(world.merged, bt_config_row(BT_STR("store"))));
    bt_arena_free(&world.arena);
}

static void a_pin_beats_the_user_but_never_gives_more_tries(void **state)
{
    (void)state;
    static const struct {
        const char *pinned;
        const char *user;
        uint64_t expected;
    } tries[] = {{"9", "2", 2}, {"1", "2", 1}, {"9", NULL, 9}};
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        struct world world;
        begin(&world);
        add(&world, BT_CONFIG_FILE, "contract.max_rejections", tries[i].pinned);
        if (tries[i].user) {
            add(&world, BT_CONFIG_USER, "contract.max_rejections", tries[i].user);
        }
        merge(&world, BT_CONFIG_HOOK, "");
        assert_int_equal(bt_config_u64(world.merged, "contract.max_rejections"), tries[i].expected);
        bt_arena_free(&world.arena);
    }
}

static void of_limits_in_a_pin_and_elsewhere_the_smaller_numbers_count(void **state)
{
    (void)state;
    static const struct {
        const char *pinned;
        const char *user;
        const char *tokens;
        const char *cost;
    } tries[] = {
        {"{tokens: 9}", "{tokens: 2}", "2", ""},
        {"{tokens: 1, cost: 3}", "{tokens: 2, cost: 2.999999}", "1", "2.999999"},
        {"{tokens: 9}", "{cost: 2}", "9", "2"},
        {"{tokens: 9, cost: null}", NULL, "9", ""},
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        struct world world;
        begin(&world);
        add(&world, BT_CONFIG_FILE, "budget.agent", tries[i].pinned);
        if (tries[i].user) {
            add(&world, BT_CONFIG_USER, "budget.agent", tries[i].user);
        }
        merge(&world, BT_CONFIG_HOOK, "");
        assert_true(bt_config_has_budget(world.merged));
        assert_true(bt_str_eq(bt_config_member(world.merged, "budget.agent", "tokens"),
                              bt_str_of(tries[i].tokens)));
        assert_true(bt_str_eq(bt_config_member(world.merged, "budget.agent", "cost"),
                              bt_str_of(tries[i].cost)));
        bt_arena_free(&world.arena);
    }
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_FILE, "budget.types", "{a: {tokens: 9}, b: {tokens: 1}}");
    add(&world, BT_CONFIG_USER, "budget.types", "{a: {tokens: 2}, c: {cost: 7}}");
    merge(&world, BT_CONFIG_HOOK, "");
    assert_int_equal(bt_config_count(world.merged, "budget.types"), 3);
    assert_str(bt_config_item_member(world.merged, "budget.types", 0, "tokens"), "2");
    assert_str(bt_config_item_member(world.merged, "budget.types", 1, "tokens"), "1");
    assert_str(bt_config_item_name(world.merged, "budget.types", 2), "c");
    assert_str(bt_config_item_member(world.merged, "budget.types", 2, "cost"), "7");
    const size_t key = bt_config_row(BT_STR("budget.types"));
    assert_false(bt_config_is_same(world.merged, world.files[BT_CONFIG_USER], key));
    assert_true(bt_config_is_same(world.merged, world.merged, key));
    bt_arena_free(&world.arena);
}

/* A person who pins a file adds to the user's gate, and takes nothing out of it by mistake. */
static void tiers_and_protected_paths_of_all_files_count(void **state)
{
    (void)state;
    struct world world;
    struct bt_config_tier tier;
    begin(&world);
    add(&world, BT_CONFIG_SYSTEM, "gate.tiers", "[{name: system}]");
    add(&world, BT_CONFIG_USER, "gate.tiers", "[{name: user, tools: [t, u], risk: LOW}]");
    add(&world, BT_CONFIG_FILE, "gate.tiers", "[{name: pinned, commands: [a b]}]");
    merge(&world, BT_CONFIG_HOOK, "");
    assert_true(bt_config_has_gate(world.merged));
    assert_int_equal(bt_config_count(world.merged, "gate.tiers"), 2);
    assert_int_equal(bt_config_tier(world.merged, 0, &world.arena, &tier), BT_OK);
    assert_str(tier.name, "pinned");
    assert_str(tier.risk, "HIGH");
    assert_int_equal(tier.commands.count, 1);
    assert_int_equal(bt_config_tier(world.merged, 1, &world.arena, &tier), BT_OK);
    assert_str(tier.name, "user");
    assert_str(tier.risk, "LOW");
    assert_int_equal(tier.tools.count, 2);
    bt_arena_free(&world.arena);
    begin(&world);
    add(&world, BT_CONFIG_USER, "gate.protect", "[u]");
    add(&world, BT_CONFIG_FILE, "gate.protect", "[p]");
    merge(&world, BT_CONFIG_HOOK, "");
    assert_int_equal(bt_config_count(world.merged, "gate.protect"), 2);
    assert_str(bt_config_item(world.merged, "gate.protect", 0), "p");
    assert_str(bt_config_item(world.merged, "gate.protect", 1), "u");
    bt_arena_free(&world.arena);
    begin(&world);
    add(&world, BT_CONFIG_PROJECT, "gate.builtin", "false");
    merge(&world, BT_CONFIG_HOOK, "");
    assert_false(bt_config_has_gate(world.merged));
    assert_true(bt_config_bool(world.merged, "gate.builtin"));
    bt_arena_free(&world.arena);
}

static void governance_files_of_a_project_do_not_count_beneath_another_root(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_USER, "governed.root", "/operator");
    add(&world, BT_CONFIG_PROJECT, "governed.lock", "below/old-lock.json");
    merge(&world, BT_CONFIG_JUDGES, "");
    assert_str(bt_config_text(world.merged, "governed.lock"), "versions/prompt-lock.json");
    assert_int_equal(bt_findings_count(world.findings), 1);
    bt_arena_free(&world.arena);
}

static void what_two_files_say_together_is_judged_as_one(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_SYSTEM, "listen", "0.0.0.0:1");
    add(&world, BT_CONFIG_USER, "auth.anonymous", "[check]");
    merge(&world, BT_CONFIG_JUDGES, "");
    assert_null(world.merged);
    bt_arena_free(&world.arena);
}

static void paths_start_at_the_folder_of_the_file_that_has_them(void **state)
{
    (void)state;
    struct world world;
    bt_str path;
    begin(&world);
    add(&world, BT_CONFIG_USER, "store", "s.db");
    merge(&world, BT_CONFIG_JUDGES, "");
    assert_int_equal(bt_config_path(world.merged, "store", &world.arena, &path), BT_OK);
    assert_str(path, "d/s.db");
    bt_arena_free(&world.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_has_a_row),
        cmocka_unit_test(a_project_file_sets_what_the_class_of_a_key_allows),
        cmocka_unit_test(files_of_the_operator_set_every_key_and_hooks_use_theirs),
        cmocka_unit_test(the_user_beats_the_system_and_the_environment_beats_them),
        cmocka_unit_test(a_store_of_the_environment_replaces_one_that_is_refused),
        cmocka_unit_test(of_limits_in_a_pin_and_elsewhere_the_smaller_numbers_count),
        cmocka_unit_test(tiers_and_protected_paths_of_all_files_count),
        cmocka_unit_test(a_pin_beats_the_user_but_never_gives_more_tries),
        cmocka_unit_test(governance_files_of_a_project_do_not_count_beneath_another_root),
        cmocka_unit_test(what_two_files_say_together_is_judged_as_one),
        cmocka_unit_test(paths_start_at_the_folder_of_the_file_that_has_them),
    };
    return RUN_TESTS(tests);
}
