/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_registry.c - the registry of rules: its order, its completeness, and that every rule can be
 * broken and kept.
 */
#include "test.h"

#include <unistd.h>

#include <baton/check.h>
#include <baton/json.h>
#include <baton/schema.h>

#include "config/config.h"
#include "dialect/contract/contract.h"
#include "engine/check.h"
#include "json/options.h"
#include "schema/options.h"
#include "trace/trace.h"

enum { ARENA_BYTES = 16 << 20 };

static void rows_are_sorted_and_unique(void **state)
{
    (void)state;
    assert_true(bt_rules_count() > 0);
    for (size_t i = 1; i < bt_rules_count(); i++) {
        const struct bt_rule *a = bt_rules_at(i - 1);
        const struct bt_rule *b = bt_rules_at(i);
        const int order = bt_str_compare(a->code, b->code);
        if (order > 0 || (order == 0 && bt_str_compare(a->dialect, b->dialect) >= 0)) {
            fail_msg("%.*s stands before %.*s", BT_STR_ARG(a->code), BT_STR_ARG(b->code));
        }
    }
}

static bool is_upper_snake(bt_str code)
{
    for (size_t i = 0; i < code.len; i++) {
        const char byte = code.ptr[i];
        const bool fits = (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                          (byte == '_' && i > 0 && i + 1 < code.len);
        if (!fits) {
            return false;
        }
    }
    return code.len > 0;
}

static void rows_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        assert_true(is_upper_snake(rule->code));
        assert_true(rule->dialect.len > 0);
        assert_true(rule->meaning.len > 0);
        assert_true(rule->explanation.len > rule->meaning.len);
        assert_true((rule->severity == BT_SEVERITY_NONE) == (rule->stage == BT_STAGE_NONE));
        assert_true((rule->bad.len == 0) == (rule->good.len == 0));
        assert_int_equal(bt_str_find_byte(rule->meaning, '\n', 0), rule->meaning.len);
    }
}

static void a_code_is_found_by_its_whole_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const size_t found = bt_rules_find(bt_rules_at(i)->code);
        assert_true(found <= i);
        assert_true(bt_str_eq(bt_rules_at(found)->code, bt_rules_at(i)->code));
        assert_true(found == 0 ||
                    !bt_str_eq(bt_rules_at(found - 1)->code, bt_rules_at(found)->code));
    }
    assert_int_equal(bt_rules_find(BT_STR("JSON_SYNTA")), bt_rules_count());
    assert_int_equal(bt_rules_find(BT_STR("JSON_SYNTAXX")), bt_rules_count());
    assert_int_equal(bt_rules_find(BT_STR("json_syntax")), bt_rules_count());
    assert_int_equal(bt_rules_find(BT_STR("")), bt_rules_count());
}

static bool is_among(const struct bt_rule *rule, const struct bt_findings *findings)
{
    bool found = false;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        found = found || bt_findings_at(findings, i)->rule == rule;
    }
    return found;
}

typedef bool breaks_fn(const struct bt_rule *rule, bt_str document, bt_str limit);

/* Whether judging the document yields the rule's code. */
static bool breaks_when_checked(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
    /* An agent may write the section `s`; what it may not write is dropped unread. */
    static const bt_str writable[] = {BT_STR_INIT("s")};
    static const struct bt_contract_input input = {.writable = writable, .writable_count = 1};
    const struct bt_contract_options contract = {.input = &input, .runtime_agent_id = BT_STR("")};
    const struct bt_check_options options = {.dialect = bt_dialect_find(rule->dialect),
                                             .contract = &contract};
    assert_true(options.dialect != BT_DIALECT_NONE);
    assert_int_equal(bt_env_init(&env), BT_OK);
    const bt_instant now = {1776157200, 0}; /* 2026-04-14T09:00:00Z */
    bt_env_pin_clock(&env, &now);
    if (limit.len > 0) {
        assert_int_equal(bt_limits_lower(&env.limits, limit, NULL), BT_OK);
    }
    bt_arena_init(&arena, ARENA_BYTES);
    assert_int_equal(bt_check_document(&env, &arena, BT_STR("x"), document, &options, &judged),
                     BT_OK);
    const bool found = is_among(rule, judged.findings);
    bt_arena_free(&arena);
    return found;
}

/* Whether a project's configuration is refused what the rule forbids it. */
static bool breaks_as_project_file(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    (void)limit;
    const struct bt_config_source source = {.path = BT_STR("d/baton.yaml"),
                                            .text = document,
                                            .store = BT_STR(""),
                                            .kind = BT_CONFIG_PROJECT};
    struct bt_config_merge merge = {.use = BT_CONFIG_JUDGES, .store = BT_STR("")};
    const struct bt_config *merged = NULL;
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_non_null(findings);
    assert_int_equal(bt_config_read(&arena, &source, findings, &merge.files[BT_CONFIG_PROJECT]),
                     BT_OK);
    assert_non_null(merge.files[BT_CONFIG_PROJECT]);
    assert_int_equal(bt_config_merge(&arena, &merge, findings, findings, &merged), BT_OK);
    const bool found = is_among(rule, findings);
    bt_arena_free(&arena);
    return found;
}

static const struct bt_json_doc *read_json(struct bt_arena *arena, bt_str text)
{
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, text, NULL, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

static bool breaks_when_canonical(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    (void)rule;
    (void)limit;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_buf_init(&buf, ARENA_BYTES);
    const struct bt_json_doc *read = read_json(&arena, document);
    const enum bt_status status =
        bt_json_write(&buf, read, bt_json_root(read), BT_JSON_FORM_CANONICAL, &arena, NULL);
    assert_true(status == BT_OK || status == BT_EINVAL);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return status == BT_EINVAL;
}

static bool breaks_when_applied(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    (void)rule;
    (void)limit;
    const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT};
    struct bt_json_patch_result result = {0};
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_buf_init(&buf, ARENA_BYTES);
    const struct bt_json_doc *target = read_json(&arena, BT_STR("{}"));
    const struct bt_json_doc *patch = read_json(&arena, document);
    assert_int_equal(bt_json_patch(&buf, target, patch, &options, &arena, &result), BT_OK);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return result.code != BT_JSON_PATCH_OK;
}

/* Whether a rule of JSON Schema is broken. The example is an object with a schema and an instance;
 * `limit` is the fuel that the run has. */
static bool breaks_when_judged(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_json_doc *pair = read_json(&arena, document);
    const struct bt_json_doc *parts[2] = {NULL, NULL};
    const bt_str names[2] = {BT_STR("schema"), BT_STR("instance")};
    for (size_t i = 0; i < 2; i++) {
        const struct bt_json_span span =
            bt_json_span(pair, bt_json_get(pair, bt_json_root(pair), names[i]));
        parts[i] = read_json(&arena, bt_str_slice(document, span.begin, span.end));
    }
    struct bt_findings *findings = bt_findings_new(&arena);
    struct bt_schema_options options = bt_schema_options_default();
    options.assert_formats = true;
    const bt_json_value *draft = bt_json_get(pair, bt_json_root(pair), BT_STR("draft"));
    options.draft = draft ? (enum bt_schema_draft)draft->as.integer : options.draft;
    struct bt_schema *schema = NULL;
    assert_int_equal(bt_schema_compile(parts[0], &options, findings, &schema), BT_OK);
    assert_int_equal(bt_schema_lint(parts[0], &options, findings), BT_OK);
    if (schema) {
        struct bt_schema_limits limits = bt_schema_limits_default();
        assert_true(limit.len == 0 || bt_str_to_u64(limit, &limits.work_max) == BT_OK);
        struct bt_schema_runner *runner = bt_schema_runner_with(&limits);
        assert_non_null(runner);
        assert_int_equal(bt_schema_explain(schema, runner, parts[1], findings, NULL), BT_OK);
        bt_schema_runner_destroy(runner);
        bt_schema_destroy(schema);
    }
    const bool found = is_among(rule, findings);
    bt_arena_free(&arena);
    return found;
}

/* Whether a rule about traces is broken by a log, a handoff, a header, or a folder to log in. */
static bool breaks_when_traced(const struct bt_rule *rule, bt_str example, bt_str limit)
{
    (void)limit;
    struct bt_env env;
    struct bt_arena arena;
    bool made = false;
    struct bt_traceparent parent;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_findings *said = NULL;
    struct bt_findings *findings = bt_findings_new(&arena);
    if (bt_str_eq(rule->code, BT_STR("TRACEPARENT_INVALID"))) {
        assert_int_equal(bt_traceparent_parse(example, findings, &made, &parent), BT_OK);
    } else if (bt_str_eq(rule->code, BT_STR("TRACEPARENT_UNAVAILABLE"))) {
        const struct bt_json_doc *handoff = read_json(&arena, example);
        assert_int_equal(bt_traceparent_from_handoff(handoff, findings, &made, &parent), BT_OK);
    } else if (bt_str_eq(rule->code, BT_STR("TRACE_WRITE_FAILED"))) {
        const struct bt_json_doc *handoff = read_json(
            &arena, BT_STR("{\"handoff\":{\"trace_id\":\"t\",\"source\":{\"skill\":\"s\"}}}"));
        const struct bt_trace_handoff_options note = {example, BT_TRACE_EVENT_HANDOFF_CREATED,
                                                      handoff, true};
        assert_int_equal(bt_trace_log_handoff(&env, &note, findings), BT_OK);
        (void)unlink(example.ptr);
    } else {
        struct bt_trace_set *traces = bt_trace_set_new(&env, &arena);
        assert_int_equal(bt_trace_set_read(traces, BT_STR("log"), example), BT_OK);
        said = bt_trace_set_log_at(traces, 0)->findings;
    }
    const bool found = is_among(rule, said ? said : findings);
    bt_arena_free(&arena);
    return found;
}

/* A handoff in which nothing is found at 2026-04-14T09:00:00Z. */
static const char good_handoff[] =
    "{\"handoff\":{\"version\":\"3.0\",\"schema_type\":\"universal\","
    "\"timestamp\":\"2026-04-14T08:30:00Z\",\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\","
    "\"source\":{\"skill\":\"release-planner\",\"workflow_id\":\"run-0412\","
    "\"session_path\":\"work\",\"phase\":\"Triage\"},\"target\":{\"skill\":\"patch-builder\"},"
    "\"context\":{\"summary\":\"Build the fix for the date parser; three customers are blocked.\","
    "\"problem_type\":\"implementation\"},"
    "\"payload\":{\"working\":{\"ticket\":\"DP-118\",\"files\":[\"parse.c\",\"date.c\"]}},"
    "\"meta\":{\"token_count\":128,\"confidence\":\"high\"}}}";

/* Put the operations that lay `part` over the object at `pointer`: null takes a member away. */
static void put_operations(struct bt_buf *buf, const struct bt_json_doc *target, bt_str pointer,
                           const struct bt_json_doc *document, const bt_json_value *part)
{
    for (size_t i = 0; i < bt_json_count(part); i++) {
        const struct bt_json_member *member = &bt_json_members(part)[i];
        struct bt_buf place;
        bt_buf_init(&place, 1000);
        bt_buf_put(&place, pointer);
        bt_json_pointer_put(&place, bt_json_name(member));
        const bt_json_value *there =
            bt_json_resolve(target, bt_json_root(target), bt_buf_str(&place));
        const struct bt_json_span span = bt_json_span(document, &member->value);
        const bt_str value = bt_str_slice(bt_json_source(document), span.begin, span.end);
        const char *comma = buf->len > 1 ? "," : "";
        if (there && bt_json_type(there) == BT_JSON_OBJECT &&
            bt_json_type(&member->value) == BT_JSON_OBJECT) {
            put_operations(buf, target, bt_buf_str(&place), document, &member->value);
        } else if (bt_json_type(&member->value) == BT_JSON_NULL) {
            bt_buf_printf(buf, "%s{\"op\":\"remove\",\"path\":\"%.*s\"}", comma,
                          BT_STR_ARG(bt_buf_str(&place)));
        } else {
            bt_buf_printf(buf, "%s{\"op\":\"add\",\"path\":\"%.*s\",\"value\":%.*s}", comma,
                          BT_STR_ARG(bt_buf_str(&place)), BT_STR_ARG(value));
        }
        bt_buf_free(&place);
    }
}

/* Put `whole` with `part` laid over the object at `pointer`. */
static void lay_over(struct bt_buf *out, bt_str whole, bt_str pointer, bt_str part)
{
    const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT};
    struct bt_json_patch_result result = {0};
    struct bt_arena arena;
    struct bt_buf patch;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_buf_init(&patch, ARENA_BYTES);
    const struct bt_json_doc *target = read_json(&arena, whole);
    const struct bt_json_doc *read = read_json(&arena, part);
    bt_buf_put_char(&patch, '[');
    put_operations(&patch, target, pointer, read, bt_json_root(read));
    bt_buf_put_char(&patch, ']');
    const struct bt_json_doc *operations = read_json(&arena, bt_buf_str(&patch));
    assert_int_equal(bt_json_patch(out, target, operations, &options, &arena, &result), BT_OK);
    assert_int_equal(result.code, BT_JSON_PATCH_OK);
    bt_buf_free(&patch);
    bt_arena_free(&arena);
}

/* The examples of universal rules are parts of a handoff, laid over a good one. */
static bool breaks_as_part(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    struct bt_buf whole;
    bt_buf_init(&whole, ARENA_BYTES);
    lay_over(&whole, bt_str_of(good_handoff), BT_STR("/handoff"), document);
    const bool broken = breaks_when_checked(rule, bt_buf_str(&whole), limit);
    bt_buf_free(&whole);
    return broken;
}

/* An envelope in which nothing is found. */
static const char good_envelope[] =
    "{\"agent_status\":{\"plan_status\":\"IN_PROGRESS\",\"agent_id\":\"a80177b959c721da1\","
    "\"pending_steps\":[],\"next_action\":\"go on\"},"
    "\"evidence_report\":{\"patterns_checked\":[],\"files_checked\":[],\"commands_run\":[],"
    "\"key_outputs\":[],\"verbatim_outputs\":[],\"cross_layer_impacts\":[],\"open_gaps\":[],"
    "\"verification\":{\"result\":\"pass\"}},"
    "\"consolidation_report\":{\"ownership_assessment\":\"owned_here\","
    "\"confirmed_findings\":[],\"suspected_findings\":[],\"conflicts\":[],\"open_gaps\":[],"
    "\"next_best_agent\":\"none\"},\"approval_request\":{\"operation\":\"o\","
    "\"exact_content\":\"c\",\"scope\":\"s\",\"risk_level\":\"LOW\",\"rollback\":\"r\","
    "\"verification\":\"v\"},\"loop_state\":{\"iteration\":5,\"max_iterations\":5,"
    "\"metric\":0.6,\"threshold\":0.9}}";

/* Whether judging an INPUT envelope yields the rule's code. */
static bool breaks_as_input(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    (void)limit;
    const struct bt_contract_options input = {.direction = BT_CONTRACT_INPUT,
                                              .runtime_agent_id = BT_STR("")};
    const struct bt_check_options options = {.dialect = bt_dialect_find(rule->dialect),
                                             .contract = &input};
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, ARENA_BYTES);
    assert_int_equal(bt_check_document(&env, &arena, BT_STR("x"), document, &options, &judged),
                     BT_OK);
    bool found = false;
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        found = found || bt_findings_at(judged.findings, i)->rule == rule;
    }
    bt_arena_free(&arena);
    return found;
}

/* The examples of contract rules are parts of an envelope, laid over a good one in its fence, or
 * whole messages. */
static bool breaks_as_block(const struct bt_rule *rule, bt_str document, bt_str limit)
{
    if (!bt_str_starts_with(document, BT_STR("{"))) {
        return breaks_when_checked(rule, document, limit);
    }
    struct bt_buf message;
    bt_buf_init(&message, ARENA_BYTES);
    bt_buf_put_text(&message, "```agent_contract_handoff\n");
    lay_over(&message, bt_str_of(good_envelope), BT_STR(""), document);
    bt_buf_put_text(&message, "\n```\n");
    const bool broken = breaks_when_checked(rule, bt_buf_str(&message), limit);
    bt_buf_free(&message);
    return broken;
}

/* Examples that need skills to be judged by; tests/skill breaks them. */
static bool is_about_skills(const struct bt_rule *rule)
{
    return bt_str_eq(rule->dialect, BT_STR("skill")) ||
           bt_str_starts_with(rule->code, BT_STR("TARGET_"));
}

/* Rules about more than one document that can be printed; tests of their own break them. */
static const char *const without_example[] = {
    "ANSWER_INVALID",      "ANSWER_OUT_OF_SCOPE",
    "ANSWER_PATCH_FAILED", "ARTIFACT_CHECKSUM_MISMATCH",
    "BUDGET_GREW",         "COMPRESS_LOSSY",
    "COMPRESS_REMOVED",    "COMPRESS_SHORTENED",
    "LLM_FAILED",          "NOT_CARRIED",
    "SCHEMA_MAX_LENGTH",   "SESSION_PATH_UNSAFE",
    "TOKENS_OVER_BUDGET",  "TOKENS_SECTION_OVER",
    "TOKENS_UNAVAILABLE",  "TRACE_ID_GENERATED",
    "UNSAFE_SKILL_NAME",   "WRITE_FALLBACK",
};

/* The same of contract: they need a store, two documents, or what the host says. */
static const char *const contract_without_example[] = {
    "AGENT_ID_FILLED",        "APPROVAL_ID_FOREIGN",
    "AGENT_ID_MISMATCH",      "APPROVAL_CONSUMED",
    "APPROVAL_EXPIRED",       "APPROVAL_ID_NOT_PENDING",
    "APPROVAL_MISMATCH",      "APPROVAL_NOT_APPROVED",
    "APPROVAL_NOT_GRANTABLE", "APPROVAL_NOT_PENDING",
    "APPROVAL_SELF",          "APPROVAL_TAMPERED",
    "APPROVAL_UNKNOWN",       "CONTRACT_REJECTION_LIMIT",
    "ILLEGAL_TRANSITION",     "INPUT_SECTION_MISSING",
    "IN_PROGRESS_RETRY",      "IN_PROGRESS_RETRY_CAP",
    "MERGE_SAME_NAME",        "MERGE_TYPE_CHANGE",
};

static bool is_listed(const char *const *codes, size_t count, bt_str code)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(bt_str_of(codes[i]), code)) {
            return true;
        }
    }
    return false;
}

/* Rules of plans about payload schemas, runs and single commands. */
static bool is_about_more_than_a_plan(const struct bt_rule *rule)
{
    static const char *const beginnings[] = {"BEHAVIOR_", "COMPAT_", "PAYLOAD_SCHEMA_"};
    static const char *const codes[] = {
        "CSV_BLANK_LINE",
        "CSV_NUL",
        "PLAN_NO_STATUS_COLUMN",
        "PLAN_SAMPLE_UNUSABLE",
        "PLAN_STATUS_CONFLICT",
        "PLAN_STEP_NOT_FOUND",
        "PLAN_TYPE_CONFLICT",
        "PUBLISH_EXISTS",
        "REF_EMPTY",
        "REF_ESCAPE",
        "REF_ID_MISMATCH",
        "REF_MISSING",
        "REF_NOT_FILE",
        "REF_NUL",
        "REF_SYMLINK_LOOP",
    };
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        found = found || bt_str_starts_with(rule->code, bt_str_of(beginnings[i]));
    }
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        found = found || bt_str_eq(rule->code, bt_str_of(codes[i]));
    }
    return found && bt_str_eq(rule->dialect, BT_STR("plan"));
}

static bool has_no_example(const struct bt_rule *rule)
{
    if (is_about_more_than_a_plan(rule)) {
        return true;
    }
    if (bt_str_eq(rule->dialect, BT_STR("contract"))) {
        return is_listed(contract_without_example, COUNT_OF(contract_without_example), rule->code);
    }
    return bt_str_eq(rule->dialect, BT_STR("universal")) &&
           is_listed(without_example, COUNT_OF(without_example), rule->code);
}

/* What breaks these is a store, a tree of files, a key, a catalogue or a caller;
 * tests/cli/test_ledger_rules.py, tests/mcp/test_store.py, tests/a2a/test_a2a.py,
 * tests/cli/test_governed.py, tests/hook/test_config.py and the cases of wayin.json break each of
 * them. */
static bool is_shown_elsewhere(const struct bt_rule *rule)
{
    /* What breaks these is a conversation, or a server beside its lock. */
    if (bt_str_eq(rule->dialect, BT_STR("mcp"))) {
        return true;
    }
    /* What breaks these is a transcript; the cases of evidence.json break each of them. */
    if (bt_str_starts_with(rule->code, BT_STR("EVIDENCE_")) &&
        !bt_str_eq(rule->code, BT_STR("EVIDENCE_REPORT"))) {
        return true;
    }
    if (bt_str_starts_with(rule->code, BT_STR("BUDGET_")) &&
        bt_str_eq(rule->dialect, BT_STR("contract"))) {
        return true; /* a transcript again, and a limit */
    }
    if (bt_str_eq(rule->code, BT_STR("AGENT_BINDING_MISMATCH")) ||
        bt_str_eq(rule->code, BT_STR("DELIVERY_UNADDRESSED")) ||
        bt_str_eq(rule->code, BT_STR("ENVELOPE_EXPIRED")) ||
        bt_str_eq(rule->code, BT_STR("IGNORE_UNUSED"))) {
        return true;
    }
    static const char *const dialects[] = {"ledger", "receipt", "bundle", "checkpoint",
                                           "store",  "raw",     "xml",    "governed",
                                           "hook",   "baseline"};
    for (size_t i = 0; i < COUNT_OF(dialects); i++) {
        if (bt_str_eq(rule->dialect, bt_str_of(dialects[i]))) {
            return true;
        }
    }
    return false;
}

/* Rules whose example is too large to print, or that something other than check reports. */
static const struct special {
    const char *code;
    breaks_fn *breaks;
    const char *limit;
    const char *bad; /* "": the row has its own */
    const char *good;
} specials[] = {
    {"CONFIG_NOT_FROM_PROJECT", breaks_as_project_file, "", "", ""},
    {"CSV_TOO_LARGE", breaks_when_checked, "nodes=2", "step,a\n1,2\n", "step,a\n"},
    {"JSON_NOT_CANONICAL", breaks_when_canonical, "", "", ""},
    {"JSON_PATCH_REFUSED", breaks_when_applied, "", "", ""},
    {"JSON_TOO_DEEP", breaks_when_checked, "depth=2", "[[[]]]", "[[]]"},
    {"JSON_TOO_LARGE", breaks_when_checked, "nodes=2", "[1,2,3]", "[1,2]"},
    {"SCHEMA_BUDGET", breaks_when_judged, "10",
     "{\"schema\":{\"items\":{\"minimum\":0}},\"instance\":[1,2,3,4,5,6,7,8,9,10]}",
     "{\"schema\":{\"items\":{\"minimum\":0}},\"instance\":[1]}"},
    {"TRACEPARENT_INVALID", breaks_when_traced, "", "", ""},
    {"TRACEPARENT_UNAVAILABLE", breaks_when_traced, "", "", ""},
    {"TRACE_EVENT_UNKNOWN", breaks_when_traced, "", "", ""},
    {"TRACE_LINE_INVALID", breaks_when_traced, "", "", ""},
    {"TRACE_WRITE_FAILED", breaks_when_traced, "", "/dev/null/trace.jsonl", "registry.jsonl"},
};

static struct special special_of(const struct bt_rule *rule)
{
    if (bt_str_eq(rule->dialect, BT_STR("contract"))) {
        const bool input = bt_str_eq(rule->code, BT_STR("SCHEMA_TYPE"));
        return (struct special){"", input ? breaks_as_input : breaks_as_block, "", "", ""};
    }
    for (size_t i = 0; i < COUNT_OF(specials); i++) {
        if (bt_str_eq(bt_str_of(specials[i].code), rule->code)) {
            return specials[i];
        }
    }
    if (bt_str_eq(rule->dialect, BT_STR("universal"))) {
        return (struct special){"", breaks_as_part, "", "", ""};
    }
    const bool is_schema = bt_str_starts_with(rule->code, BT_STR("SCHEMA_")) ||
                           bt_str_starts_with(rule->code, BT_STR("PATTERN_"));
    return (struct special){"", is_schema ? breaks_when_judged : breaks_when_checked, "", "", ""};
}

static void every_rule_has_a_document_that_breaks_it_and_one_that_keeps_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (rule->severity == BT_SEVERITY_NONE || is_shown_elsewhere(rule)) {
            continue; /* a word that is never a finding, or no document's matter */
        }
        if (is_about_skills(rule)) {
            assert_true(rule->bad.len > 0);
            continue;
        }
        if (has_no_example(rule)) {
            assert_int_equal(rule->bad.len, 0);
            continue;
        }
        const struct special how = special_of(rule);
        const bt_str bad = how.bad[0] ? bt_str_of(how.bad) : rule->bad;
        const bt_str good = how.good[0] ? bt_str_of(how.good) : rule->good;
        if (bad.len == 0 || !how.breaks(rule, bad, bt_str_of(how.limit))) {
            fail_msg("%.*s: its bad example does not break it", BT_STR_ARG(rule->code));
        }
        if (good.len == 0 || how.breaks(rule, good, bt_str_of(how.limit))) {
            fail_msg("%.*s: its good example breaks it", BT_STR_ARG(rule->code));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_unique),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(a_code_is_found_by_its_whole_name),
        cmocka_unit_test(every_rule_has_a_document_that_breaks_it_and_one_that_keeps_it),
    };
    return RUN_TESTS(tests);
}
