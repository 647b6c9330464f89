/* SPDX-License-Identifier: Apache-2.0 */
/* test_call.c - bt_call(): requests that cannot be used, settings, limits and lifetimes. */
#include "test.h"

#include <baton/baton.h>

#include "operation/engine.h"

#define DOCUMENTS "\"documents\":[{\"path\":\"a\",\"as\":\"json\",\"text\":\"{}\"}]}"
#define CHECK_EMPTY "{" DOCUMENTS
#define NEW "{\"source\":\"a\",\"target\":\"b\",\"summary\":\"s\""

static struct bt_engine *make_engine(const char *settings)
{
    struct bt_engine *engine = NULL;
    struct bt_error error;
    if (bt_engine_create(bt_str_of(settings), &engine, &error) != BT_OK) {
        fail_msg("%s: %s", settings, error.text);
    }
    return engine;
}

static struct bt_reply *make_call(struct bt_engine *engine, const char *operation, bt_str request)
{
    struct bt_reply *reply = NULL;
    struct bt_error error;
    if (bt_call(engine, bt_str_of(operation), request, &reply, &error) != BT_OK) {
        fail_msg("%s: %s", operation, error.text);
    }
    return reply;
}

static bool has_text(bt_str text, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

/* A request, and the status and a part of the reply to it. */
struct call_row {
    const char *operation;
    const char *request;
    unsigned status;
    const char *part;
};

static void expect_replies(const char *settings, const struct call_row *rows, size_t count)
{
    struct bt_engine *engine = make_engine(settings);
    for (size_t i = 0; i < count; i++) {
        struct bt_reply *reply = make_call(engine, rows[i].operation, bt_str_of(rows[i].request));
        const bt_str json = bt_reply_json(reply);
        if (bt_reply_status(reply) != rows[i].status || !has_text(json, rows[i].part) ||
            bt_reply_is_done(reply) != (rows[i].status < 400)) {
            fail_msg("%s %s: got %u %.*s", rows[i].operation, rows[i].request,
                     bt_reply_status(reply), BT_STR_ARG(json));
        }
        assert_false(has_text(json, "\"instance\""));
        assert_true(json.len > 0 && json.ptr[json.len - 1] == '}');
        bt_reply_destroy(reply);
    }
    bt_engine_destroy(engine);
}

/* Each request has the faults of all rows below it, so the order of the tests is shown, too. */
static void problems_are_found_in_their_order(void **state)
{
    static const struct call_row rows[] = {
        {"checkEverything", "{", 404, "\"code\":\"NOT_FOUND\""},
        {"submitHandoff", "{", 503, "\"code\":\"STORE_UNAVAILABLE\""},
        {"listEntries", "{", 503, "\"outcome\":\"none\""},
        {"check", "{\"odd\":1", 400, "\"code\":\"BAD_REQUEST\""},
        {"check", "", 400, "JSON_SYNTAX"},
        {"check", "[]", 400, "\"code\":\"BAD_REQUEST\""},
        {"check", "{\"options\":{},\"options\":{}}", 400, "JSON_DUPLICATE_KEY"},
        {"check", "{\"odd\":1}", 400, "\"pointer\":\"/odd\""},
        {"check", "{\"answer\":\"x\"," DOCUMENTS, 400, "\"pointer\":\"/answer\""},
        {"check", "{\"idempotency_key\":\"x\"," DOCUMENTS, 400, "/idempotency_key"},
        {"check", "{}", 400, "\"pointer\":\"/documents\""},
        {"check", "{\"documents\":[5]}", 400, "\"pointer\":\"/documents\""},
        {"check", "{\"documents\":[{\"text\":\"x\"}]}", 400, "\"code\":\"DIALECT_UNKNOWN\""},
        {"check", "{\"documents\":[{\"text\":\"x\",\"as\":\"odd\"}]}", 400, "DIALECT_UNKNOWN"},
        {"check",
         "{\"documents\":[{\"text\":\"x\",\"as\":\"odd\"}],\"options\":{\"budget\":\"x\"}}", 400,
         "\"pointer\":\"/budget\""},
        {"check", "{\"documents\":[{\"text\":\"x\",\"as\":\"odd\"}],\"input\":5}", 400, "/input"},
        {"check",
         "{\"documents\":[{\"text\":\"x\"}],\"options\":{\"as\":\"odd\",\"budget\":\"x\"}}", 400,
         "\"pointer\":\"/budget\""},
        {"check", "{\"documents\":[{\"text\":\"x\"}],\"options\":{\"as\":5}}", 400, "\"/as\""},
        {"check", "{\"documents\":[{\"text\":\"x\"}],\"options\":{\"as\":\"odd\"}}", 400,
         "DIALECT_UNKNOWN"},
        {"check", "{\"options\":5," DOCUMENTS, 400, "\"pointer\":\"/options\""},
        {"repair", "{\"documents\":[]}", 400, "exactly one document"},
        {"getRule", "{}", 400, "\"pointer\":\"/code\""},
        {"getRule", "{\"code\":null}", 400, "\"pointer\":\"/code\""},
        {"getRule", "{\"code\":5}", 400, "it is not a text"},
        {"getRule", "{\"code\":\"\"}", 400, "\"pointer\":\"/code\""},
        {"getRule", "{\"code\":\"ODD\"}", 404, "\"code\":\"NOT_FOUND\""},
        {"getSchema", "{\"name\":\"odd\"}", 404, "\"code\":\"NOT_FOUND\""},
        {"countTokens", "{}", 400, "\"pointer\":\"/text\""},
        {"countTokens", "{\"text\":\"a\",\"base64\":\"YQ==\"}", 400, "\"pointer\":\"/text\""},
        {"countTokens", "{\"base64\":\"Y\"}", 400, "\"pointer\":\"/base64\""},
        {"countTokens", "{\"base64\":\"/w==\"}", 400, "UTF8"},
        {"planWaves", "{\"documents\":[{\"text\":\"step\"}],\"options\":{\"remaining\":1}}", 400,
         "\"pointer\":\"/remaining\""},
        {"planWaves", "{\"documents\":[{\"text\":\"step\"}],\"options\":{\"budget\":1}}", 400,
         "\"pointer\":\"/budget\""},
        {"verifyReceipt", "{\"receipt\":5}", 400, "\"pointer\":\"/receipt\""},
        {"verifyReceipt", "{\"receipt\":\"x\",\"vkey\":\"x\"}", 400, "\"pointer\":\"/vkey\""},
        {"verifyReceipt", "{\"receipt\":\"x\",\"vkey\":[5]}", 400, "\"pointer\":\"/vkey/0\""},
        {"verifyReceipt", "{\"receipt\":\"x\",\"witness_key\":[\"x\"]}", 400, "\"/vkey\""},
        {"verifyReceipt", "{\"receipt\":\"x\",\"any_verdict\":1}", 400, "\"/any_verdict\""},
        {"verifyReceipt", "{\"receipt\":\"x\",\"require_witness\":-1}", 400, "/require_witness"},
        {"contractMerge", "{\"stored\":{}}", 400, "\"pointer\":\"/payload\""},
        {"version", "{\"odd\":1}", 400, "\"pointer\":\"/odd\""},
    };
    (void)state;
    expect_replies("", rows, COUNT_OF(rows));
}

static void parts_of_a_handoff_are_checked(void **state)
{
    static const struct call_row rows[] = {
        {"newHandoff", "{\"source\":\"a\",\"target\":\"b\"}", 400, "\"pointer\":\"/summary\""},
        {"newHandoff", NEW ",\"focus\":\"x\"}", 400, "\"pointer\":\"/focus\""},
        {"newHandoff", NEW ",\"focus\":[5]}", 400, "\"pointer\":\"/focus\""},
        {"newHandoff", NEW ",\"tag\":[]}", 400, "\"pointer\":\"/tag\""},
        {"newHandoff", NEW ",\"tag\":{\"a\":1}}", 400, "\"pointer\":\"/tag\""},
        {"newHandoff", NEW ",\"style\":\"odd\"}", 400, "\"pointer\":\"/style\""},
        {"newHandoff", NEW ",\"approved\":\"yes\"}", 400, "\"pointer\":\"/approved\""},
        {"newHandoff", NEW ",\"continue\":\"x\"}", 400, "\"pointer\":\"/continue\""},
        {"newHandoff", NEW ",\"continue\":{}}", 400, "\"pointer\":\"/continue\""},
        {"newHandoff", NEW ",\"options\":{\"chain\":\"head\"}}", 400, "\"pointer\":\"/chain\""},
        {"newHandoff", NEW ",\"options\":{\"now\":\"noon\"}}", 400, "\"pointer\":\"/now\""},
        {"newHandoff", NEW ",\"token\":\"x\"}", 400, "\"pointer\":\"/token\""},
        {"newHandoff", NEW ",\"budget_tokens\":0}", 400, "\"pointer\":\"/budget_tokens\""},
        {"newHandoff", NEW ",\"budget_cost\":\"0\"}", 400, "\"pointer\":\"/budget_cost\""},
        {"newHandoff", NEW ",\"spent_tokens\":\"x\"}", 400, "\"pointer\":\"/spent_tokens\""},
        {"newHandoff", NEW ",\"spent_cost\":\"-1\"}", 400, "\"pointer\":\"/spent_cost\""},
        {"sealHandoff", "{\"options\":{\"reseal\":1}," DOCUMENTS, 400, "\"pointer\":\"/reseal\""},
        {"sealHandoff", "{\"options\":{\"literal\":true}," DOCUMENTS, 400, "/literal"},
        {"renderReport", "{}", 400, "\"pointer\":\"/report\""},
        {"renderReport", "{\"report\":{}}", 400, "\"pointer\":\"/format\""},
        {"renderReport", "{\"report\":{},\"format\":\"html\"}", 400, "\"pointer\":\"/format\""},
        {"renderReport", "{\"report\":{},\"format\":\"full\"}", 400, "\"pointer\":\"/report\""},
        {"renderReport", "{\"report\":{},\"format\":\"full\",\"documents\":[{}]}", 400,
         "\"pointer\":\"/documents\""},
        {"retryText", "{}", 400, "\"pointer\":\"/report\""},
        {"retryText", "{\"report\":[]}", 400, "\"pointer\":\"/report\""},
        {"retryText", "{\"report\":{\"baton\":1}}", 400, "\"pointer\":\"/report\""},
        {"retryText", "{\"report\":{},\"attempt\":4}", 400, "\"pointer\":\"/attempt\""},
        {"retryText", "{\"report\":{},\"attempt\":0}", 400, "\"pointer\":\"/attempt\""},
        {"retryText", "{\"report\":{},\"limit\":101}", 400, "\"pointer\":\"/limit\""},
    };
    (void)state;
    expect_replies("", rows, COUNT_OF(rows));
}

static void what_is_asked_for_happens(void **state)
{
    static const struct call_row rows[] = {
        {"version", "{}", 200, "{\"baton\":1,\"version\":\"" BT_VERSION "\"}"},
        {"check", CHECK_EMPTY, 200, "\"verdict\":\"accepted\""},
        {"check", "{\"documents\":[{\"as\":\"json\",\"text\":\"{\"}]}", 200, "\"rejected\""},
        {"check", "{\"documents\":[{\"as\":\"json\",\"base64\":\"e30=\"}]}", 200, "accepted"},
        {"countTokens", "{\"text\":\"abcdefgh\",\"encoding\":\"chars4\"}", 200, "\"estimate\":2"},
        {"countTokens", "{\"base64\":\"YWJj\"}", 200, "\"bytes\":3"},
        {"listSchemas", "{}", 200, "\"universal\""},
        {"getSchema", "{\"name\":\"universal\"}", 200, "\"$schema\""},
        {"contractMerge", "{\"stored\":{},\"payload\":{}}", 200, "{\"baton\":1"},
    };
    (void)state;
    expect_replies("", rows, COUNT_OF(rows));
}

/* What stands in the document is judged, and the rest is checked before. */
static void a_handoff_is_made_of_its_parts(void **state)
{
    static const struct call_row rows[] = {
        {"newHandoff", NEW "}", 200, "\"verdict\":\"accepted\""},
        {"newHandoff", NEW "}", 200,
         "\"defaults\":{\"session_path\":\".\",\"workflow_id\":\"manual\",\"phase\":\"handoff\","
         "\"problem_type\":\"implementation\",\"working\":{},\"confidence\":\"medium\"}"},
        {"newHandoff", NEW ",\"phase\":null,\"confidence\":\"low\"}", 200,
         "\"phase\":\"handoff\",\"problem_type\":\"implementation\",\"working\":{}}"},
        {"newHandoff", NEW ",\"problem_type\":\"odd\"}", 200, "SCHEMA_ENUM"},
        {"newHandoff", NEW ",\"confidence\":\"sure\"}", 200, "SCHEMA_ENUM"},
        {"newHandoff", NEW ",\"working\":5}", 200, "SCHEMA_TYPE"},
        {"newHandoff", NEW ",\"session_path\":\"../x\"}", 200, "SESSION_PATH_UNSAFE"},
        {"newHandoff", "{\"source\":\"A B\",\"target\":\"b\",\"summary\":\"s\"}", 200,
         "UNSAFE_SKILL_NAME"},
        {"newHandoff", "{\"source\":\"a\",\"target\":\"b\",\"summary\":\"\"}", 200, "rejected"},
        {"newHandoff", NEW ",\"no_seal\":true,\"approved\":true}", 200,
         "\"handoff_chain\":[\"a\"],\"user_approved\":true}"},
        {"newHandoff", NEW ",\"focus\":[\"f\"],\"gap\":[\"g\",\"h\"],\"criterion\":[]}", 200,
         "\"focus_areas\":[\"f\"],\"known_gaps\":[\"g\",\"h\"]}"},
        {"newHandoff", NEW ",\"tag\":{\"team\":\"x\"},\"reason\":\"r\"}", 200,
         "\"tags\":{\"team\":\"x\"}"},
        {"newHandoff", NEW ",\"options\":{\"budget\":10}}", 200, "TOKENS_OVER_BUDGET"},
        {"newHandoff", NEW ",\"options\":{\"now\":\"2031-01-01T00:00:00.5Z\"}}", 200,
         "\"timestamp\":\"2031-01-01T00:00:00Z\""},
        {"newHandoff", NEW ",\"options\":{\"tokens\":\"chars4\"}}", 200, "\"exact\":null"},
        {"newHandoff", NEW ",\"budget_tokens\":10,\"budget_cost\":null}", 200,
         "\"baton_budget\":{\"v\":1,\"tokens\":{\"limit\":10,\"left\":10}}"},
        {"newHandoff", NEW ",\"spent_tokens\":5,\"spent_cost\":\"1\"}", 200, "accepted"},
        {"sealHandoff", "{\"documents\":[{\"text\":\"{}\"}]}", 200, "\"outcome\":\"escalated\""},
    };
    (void)state;
    expect_replies("", rows, COUNT_OF(rows));
}

static void a_scope_is_needed(void **state)
{
    static const struct call_row rows[] = {
        {"check", "{", 403, "\"code\":\"SCOPE_MISSING\",\"scope\":\"check\""},
        {"getLedger", "{", 503, "\"code\":\"STORE_UNAVAILABLE\""},
    };
    static const struct call_row admin[] = {{"check", CHECK_EMPTY, 200, "accepted"}};
    (void)state;
    expect_replies("{\"scopes\":[\"submit\"]}", rows, COUNT_OF(rows));
    expect_replies("{\"scopes\":[\"admin\"]}", admin, COUNT_OF(admin));
}

static void operations_have_names_that_differ(void **state)
{
    (void)state;
    assert_int_equal(bt_operations_count(), 49);
    assert_str(bt_operations_at(0), "check");
    assert_str(bt_operations_at(bt_operations_count() - 1), "contractResume");
    for (size_t i = 0; i < bt_operations_count(); i++) {
        for (size_t k = 0; k < i; k++) {
            assert_false(bt_str_eq(bt_operations_at(i), bt_operations_at(k)));
        }
    }
}

/* Every operation takes a closed object, and none runs on an empty one that lacks a member. */
static void an_unknown_member_is_refused_everywhere(void **state)
{
    struct bt_engine *engine = make_engine("{\"scopes\":[\"admin\"]}");
    (void)state;
    for (size_t i = 0; i < bt_operations_count(); i++) {
        char name[64];
        const bt_str operation = bt_operations_at(i);
        (void)snprintf(name, sizeof(name), "%.*s", BT_STR_ARG(operation));
        struct bt_reply *reply = make_call(engine, name, BT_STR("{\"no_such_member\":1}"));
        const bt_str json = bt_reply_json(reply);
        assert_false(bt_reply_is_done(reply));
        if (!has_text(json, "\"pointer\":\"/no_such_member\"") &&
            !has_text(json, "STORE_UNAVAILABLE")) {
            fail_msg("%s: got %.*s", name, BT_STR_ARG(json));
        }
        bt_reply_destroy(reply);
    }
    bt_engine_destroy(engine);
}

static void settings_are_a_closed_object(void **state)
{
    static const struct {
        const char *settings;
        const char *begin; /* of the error; NULL: it is used */
    } rows[] = {
        {"", NULL},
        {"{}", NULL},
        {"{\"check\":{\"budget\":100},\"limits\":{\"document_bytes\":1073741824}}", NULL},
        {"{\"now\":\"2026-05-04T09:30:00Z\",\"seed\":9007199254740991,\"actor\":\"a/b\","
         "\"scopes\":[],\"agents\":[\"x\"],\"workspace\":\"w\",\"session\":\"s\"}",
         NULL},
        {"{\"roots\":{\"a\\u0062\":\"/tmp\"},\"skills\":[]}", NULL},
        {"{", "JSON_SYNTAX at :"},
        {"[]", "CONFIG_KEY_TYPE at :"},
        {"{\"now\":1,\"now\":1}", "JSON_DUPLICATE_KEY at /now:"},
        {"{\"check\":{\"budgett\":1}}", "CONFIG_KEY_UNKNOWN at /check/budgett:"},
        {"{\"listen\":\"127.0.0.1:1\"}", "CONFIG_KEY_UNKNOWN at /listen:"},
        {"{\"store\":\"s.db\"}", "CONFIG_KEY_UNKNOWN at /store:"},
        {"{\"output\":{\"format\":\"json\"}}", "CONFIG_KEY_UNKNOWN at /output:"},
        {"{\"ledger\":{\"memory\":\"off\"}}", "CONFIG_KEY_UNKNOWN at /ledger:"},
        {"{\"che\":{}}", "CONFIG_KEY_UNKNOWN at /che:"},
        {"{\"submit\":{\"roots\":[]}}", "CONFIG_KEY_UNKNOWN at /submit:"},
        {"{\"check.budget\":1}", "CONFIG_KEY_UNKNOWN at /check.budget:"},
        {"{\"limits\":{\"body_bytes\":5000}}", "CONFIG_KEY_UNKNOWN at /limits/body_bytes:"},
        {"{\"limits\":{\"a/b\":1}}", "CONFIG_KEY_UNKNOWN at /limits/a~1b:"},
        {"{\"limits\":{\"nesting\":0}}", "CONFIG_KEY_VALUE at /limits/nesting:"},
        {"{\"limits\":5}", "CONFIG_KEY_TYPE at /limits:"},
        {"{\"roots\":[]}", "CONFIG_KEY_TYPE at /roots:"},
        {"{\"roots\":{\"a\":5}}", "CONFIG_KEY_TYPE at /roots/a:"},
        {"{\"check\":5}", "CONFIG_KEY_TYPE at /check:"},
        {"{\"now\":\"2026-05-04\"}", "CONFIG_KEY_VALUE at /now:"},
        {"{\"seed\":9007199254740992}", "CONFIG_KEY_VALUE at /seed:"},
        {"{\"seed\":\"1\"}", "CONFIG_KEY_VALUE at /seed:"},
        {"{\"actor\":\"a b\"}", "CONFIG_KEY_VALUE at /actor:"},
        {"{\"actor\":null}", "CONFIG_KEY_VALUE at /actor:"},
        {"{\"scopes\":\"check\"}", "CONFIG_KEY_VALUE at /scopes:"},
        {"{\"scopes\":[\"check\",\"all\"]}", "CONFIG_KEY_VALUE at /scopes:"},
        {"{\"agents\":[\"\"]}", "CONFIG_KEY_VALUE at /agents:"},
        {"{\"agents\":[\"a\"],\"scopes\":[\"approve\"]}", "CONFIG_KEY_VALUE at /agents:"},
        {"{\"workspace\":\"\"}", "CONFIG_KEY_VALUE at /workspace:"},
        {"{\"session\":5}", "CONFIG_KEY_VALUE at /session:"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_engine *engine = NULL;
        struct bt_error error = {BT_OK, ""};
        const enum bt_status status =
            bt_engine_create(bt_str_of(rows[i].settings), &engine, &error);
        const bool is_right =
            rows[i].begin ? status == BT_EINVAL && !engine &&
                                strncmp(error.text, rows[i].begin, strlen(rows[i].begin)) == 0
                          : status == BT_OK;
        if (!is_right) {
            fail_msg("%s: got %d %s", rows[i].settings, (int)status, error.text);
        }
        bt_engine_destroy(engine);
    }
}

static void a_setting_decides_about_documents(void **state)
{
    struct bt_engine *engine = make_engine("{\"limits\":{\"nesting\":1}}");
    struct bt_reply *reply =
        make_call(engine, "check", BT_STR("{\"documents\":[{\"as\":\"json\",\"text\":\"[[]]\"}]}"));
    (void)state;
    /* the request itself is deeper than documents may be */
    assert_int_equal(bt_reply_status(reply), 400);
    bt_reply_destroy(reply);
    bt_engine_destroy(engine);
    engine = make_engine("{\"limits\":{\"nesting\":3}}");
    reply = make_call(engine, "check",
                      BT_STR("{\"documents\":[{\"as\":\"json\",\"text\":\"[[[[]]]]\"}]}"));
    assert_true(has_text(bt_reply_json(reply), "JSON_TOO_DEEP"));
    bt_reply_destroy(reply);
    bt_engine_destroy(engine);
}

static void a_root_has_one_folder(void **state)
{
    static const char request[] =
        "{\"documents\":[{\"as\":\"plan\",\"text\":\"step\\n\"}],\"options\":{\"root\":\"%s\"}}";
    struct bt_engine *engine = make_engine("{\"roots\":{\"first\":\"/\"}}");
    struct bt_error error;
    char text[256];
    (void)state;
    assert_int_equal(bt_engine_root(engine, BT_STR("x"), BT_STR("/nonexistent"), &error),
                     BT_ENOENT);
    assert_int_equal(bt_engine_root(engine, BT_STR(""), BT_STR("/"), &error), BT_EINVAL);
    assert_int_equal(bt_engine_root(engine, BT_STR("x"), BT_STR(""), &error), BT_EINVAL);
    assert_int_equal(bt_engine_root(engine, BT_STR("first"), BT_STR("/"), &error), BT_EINVAL);
    assert_int_equal(bt_engine_root(engine, BT_STR("second"), BT_STR("/"), &error), BT_OK);
    assert_int_equal(bt_engine_root(engine, BT_STR("second"), BT_STR("/"), NULL), BT_EINVAL);
    static const struct {
        const char *name;
        unsigned status;
    } rows[] = {{"first", 200}, {"second", 200}, {"x", 400}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)snprintf(text, sizeof(text), request, rows[i].name);
        struct bt_reply *reply = make_call(engine, "check", bt_str_of(text));
        assert_int_equal(bt_reply_status(reply), rows[i].status);
        bt_reply_destroy(reply);
    }
    bt_engine_destroy(engine);
}

#define SCHEMA_FILE                                                                                \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"rows/"                \
    "v1.schema.json\","                                                                            \
    "\"type\":\"object\",\"required\":[\"a\"],\"additionalProperties\":false,\"properties\":{"     \
    "\"a\":{\"type\":"                                                                             \
    "\"integer\"}}}"

static void expect_part(struct bt_engine *engine, const char *operation, const char *request,
                        const char *part)
{
    struct bt_reply *reply = make_call(engine, operation, bt_str_of(request));
    if (!has_text(bt_reply_json(reply), part)) {
        fail_msg("%s: got %.*s", request, BT_STR_ARG(bt_reply_json(reply)));
    }
    bt_reply_destroy(reply);
}

static void a_root_may_lie_in_memory(void **state)
{
    static const char handoff[] =
        "{\"documents\":[{\"as\":\"universal\",\"text\":\"{\\\"handoff\\\":{\\\"payload\\\":{"
        "\\\"references\\\":{\\\"files\\\":[{\\\"path\\\":\\\"notes/a.md\\\"},{\\\"path\\\":"
        "\\\"none.md\\\"},{\\\"path\\\":\\\"/etc/passwd\\\"}]}}}}\"}]%s}";
    struct bt_engine *engine = make_engine("{\"roots\":{\"disk\":\"/\"}}");
    struct bt_error error;
    char text[1024];
    (void)state;
#define ADD(name, path, content)                                                                   \
    bt_engine_root_file(engine, BT_STR(name), BT_STR(path), BT_STR(content), &error)
    assert_int_equal(ADD("disk", "x", "x"), BT_EINVAL);
    assert_int_equal(ADD("", "x", "x"), BT_EINVAL);
    assert_int_equal(ADD("mem", "../x", "x"), BT_EINVAL);
    expect_part(
        engine, "check",
        "{\"documents\":[{\"as\":\"json\",\"text\":\"{}\"}],\"options\":{\"root\":\"mem\"}}",
        "\"pointer\":\"/root\"");
    assert_int_equal(ADD("mem", "schemas/handoff-payloads/rows.v1.schema.json", SCHEMA_FILE),
                     BT_OK);
    assert_int_equal(ADD("mem", "notes/a.md", "a"), BT_OK);
    assert_int_equal(ADD("mem", "notes/a.md", "b"), BT_EEXIST);
    assert_int_equal(bt_engine_root(engine, BT_STR("mem"), BT_STR("/"), &error), BT_EINVAL);
    expect_part(engine, "planValidate",
                "{\"schema\":\"rows/v1.schema.json\",\"payload\":{\"a\":1},\"root\":\"mem\"}",
                "\"verdict\":\"accepted\"");
    expect_part(engine, "planValidate",
                "{\"schema\":\"rows/v1.schema.json\",\"payload\":{\"a\":\"x\"},\"root\":\"mem\"}",
                "SCHEMA_TYPE");
    expect_part(engine, "planValidate",
                "{\"schema\":\"other/v1.schema.json\",\"payload\":{},\"root\":\"mem\"}",
                "rejected");
    expect_part(
        engine, "check",
        "{\"documents\":[{\"as\":\"governed\",\"text\":\"{}\"}],\"options\":{\"root\":\"mem\"}}",
        "\"baton\":1");
    (void)snprintf(text, sizeof(text), handoff, ",\"options\":{\"root\":\"mem\"}");
    expect_part(engine, "check", text, "\"refs\":{\"checked\":3,\"missing\":2,");
    (void)snprintf(text, sizeof(text), handoff, "");
    struct bt_reply *reply = make_call(engine, "check", bt_str_of(text));
    assert_false(has_text(bt_reply_json(reply), "\"refs\""));
    bt_reply_destroy(reply);
    assert_int_equal(ADD("default", "none.md", ""), BT_OK);
    expect_part(engine, "check", text, "\"refs\":{\"checked\":3,\"missing\":2,");
#undef ADD
    bt_engine_destroy(engine);
}

static void a_store_must_exist(void **state)
{
    struct bt_engine *engine = make_engine("");
    struct bt_error error;
    (void)state;
    assert_int_equal(bt_engine_store(engine, BT_STR("/nonexistent/s.db"), &error), BT_ENOENT);
    assert_null(engine->worker.ledger);
    assert_int_not_equal(bt_engine_store(engine, BT_STR("odd://x"), &error), BT_OK);
    struct bt_reply *reply = make_call(engine, "getLedger", BT_STR("{}"));
    assert_int_equal(bt_reply_status(reply), 503);
    bt_reply_destroy(reply);
    bt_engine_destroy(engine);
}

static void a_reply_outlives_its_engine(void **state)
{
    struct bt_engine *engine = make_engine("");
    struct bt_reply *first = make_call(engine, "version", BT_STR("{}"));
    struct bt_reply *second = make_call(engine, "odd", BT_STR("{}"));
    (void)state;
    bt_engine_destroy(engine);
    assert_true(has_text(bt_reply_json(first), BT_VERSION));
    assert_true(has_text(bt_reply_json(second), "NOT_FOUND"));
    bt_reply_destroy(first);
    bt_reply_destroy(second);
    bt_reply_destroy(NULL);
    bt_engine_destroy(NULL);
}

static void a_request_of_a_gibibyte_is_not_read(void **state)
{
    struct bt_engine *engine = make_engine("");
    struct bt_reply *reply = NULL;
    struct bt_error error;
    const bt_str claimed = {"{}", (size_t)1 << 30}; /* only its length is looked at */
    (void)state;
    assert_int_equal(bt_call(engine, BT_STR("check"), claimed, &reply, &error), BT_ELIMIT);
    assert_null(reply);
    assert_int_equal(bt_call(engine, BT_STR("check"), claimed, &reply, NULL), BT_ELIMIT);
    bt_engine_destroy(engine);
}

/* Under every limit of memory there is the right reply or none, and the engine stays usable. */
static void running_out_of_memory_gives_no_reply(void **state)
{
    static const char *const requests[] = {
        CHECK_EMPTY,
        "{\"documents\":[{\"as\":\"json\",\"text\":\"{\"}]}",
        "{\"documents\":[{\"as\":\"json\",\"text\":\"{}\"}],\"odd\":1}",
        "{\"documents\":",
    };
    struct bt_engine *engine = make_engine("");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        struct bt_reply *right = make_call(engine, "check", bt_str_of(requests[i]));
        enum bt_status status = BT_ENOMEM;
        bt_arena_free(&engine->call);
        for (size_t limit = 16; status != BT_OK; limit += 64) {
            struct bt_reply *reply = NULL;
            struct bt_error error;
            engine->call.limit = limit;
            status = bt_call(engine, BT_STR("check"), bt_str_of(requests[i]), &reply, &error);
            assert_true(status == BT_OK || (status == BT_ENOMEM && !reply));
            if (status == BT_OK) {
                assert_true(bt_str_eq(bt_reply_json(reply), bt_reply_json(right)));
            }
            bt_reply_destroy(reply);
            bt_arena_free(&engine->call);
        }
        engine->call.limit = (size_t)1 << 30;
        bt_reply_destroy(right);
    }
    bt_engine_destroy(engine);
}

/* Whatever is asked for, there is a reply; it is done only when its status says so. */
static void mutated_requests_get_a_reply(void **state)
{
    static const char *const requests[] = {
        "{\"documents\":[{\"path\":\"a\",\"as\":\"universal\",\"text\":\"{}\"}],"
        "\"options\":{\"budget\":5,\"now\":\"2026-05-04T09:30:00Z\"},\"input\":{}}",
        "{\"documents\":[{\"text\":\"step,agent\\n1,@a\\n\",\"as\":\"plan\"}],"
        "\"options\":{\"remaining\":true}}",
        "{\"text\":\"a\",\"base64\":\"YQ==\",\"encoding\":\"chars4\"}",
        "{\"receipt\":{\"a\":1},\"vkey\":[\"x\"],\"document\":\"d\",\"any_verdict\":true}",
        "{\"schema\":{\"type\":\"object\"},\"instance\":{\"a\":[1]},\"payload\":{}}",
        "{\"run\":[{\"agent\":\"a\"}],\"chains\":[\"a\"],\"root\":\"default\"}",
        "{\"stored\":{\"a\":1},\"payload\":{\"b\":[2]},\"code\":\"SELF_LOOP\",\"name\":\"x\"}",
    };
    struct bt_engine *engine = make_engine("{\"seed\":1}");
    uint64_t number = 88172645463325252;
    (void)state;
    for (size_t round = 0; round < 20000; round++) {
        char text[512];
        char name[64];
        const size_t size = strlen(requests[round % COUNT_OF(requests)]);
        memcpy(text, requests[round % COUNT_OF(requests)], size);
        for (size_t i = 0; i < round % 4; i++) {
            number ^= number << 13;
            number ^= number >> 7;
            number ^= number << 17;
            text[number % size] = "{}[]\",:0a\\\xff\0"[(number >> 32) % 12];
        }
        const bt_str operation = bt_operations_at((number >> 16) % bt_operations_count());
        (void)snprintf(name, sizeof(name), "%.*s", BT_STR_ARG(operation));
        struct bt_reply *reply = make_call(engine, name, (bt_str){text, size});
        const bt_str json = bt_reply_json(reply);
        assert_true(json.len > 1 && json.ptr[0] == '{' && json.ptr[json.len - 1] == '}');
        assert_true(bt_reply_is_done(reply) == (bt_reply_status(reply) < 400));
        bt_reply_destroy(reply);
    }
    bt_engine_destroy(engine);
}

static void options_of_a_receipt_may_be_of_another_release(void **state)
{
    /* A later layout: the struct and members that this library does not know. */
    struct later {
        struct bt_receipt_verify_options known;
        uint64_t added;
    };
    const bt_str key = BT_STR("ledger.example/x+00000000+AAAA");
    struct bt_engine *engine = make_engine("");
    struct bt_report *report = NULL;
    struct bt_error error;
    struct later how = {.known = {.vkey_count = 0}};
    (void)state;
    /* the size is right, but there is no key */
    for (size_t i = 0; i < 2; i++) {
        how.known.size = i == 0 ? 0 : sizeof(how);
        assert_int_equal(
            bt_receipt_verify(engine, BT_STR("r"), BT_STR("x"), &how.known, &report, &error),
            BT_EINVAL);
        assert_string_equal(error.text, "there is neither a vkey nor a store");
    }
    assert_int_equal(bt_receipt_verify(engine, BT_STR("r"), BT_STR("x"), NULL, &report, NULL),
                     BT_EINVAL);
    how.known.vkeys = &key;
    how.known.vkey_count = 1;
    assert_int_equal(
        bt_receipt_verify(engine, BT_STR("r"), BT_STR("x"), &how.known, &report, &error),
        BT_EINVAL);
    assert_string_equal(error.text, "vkey 0 is not a key of its kind");
    how.added = 1;
    assert_int_equal(
        bt_receipt_verify(engine, BT_STR("r"), BT_STR("x"), &how.known, &report, &error),
        BT_EINVAL);
    assert_true(strstr(error.text, "another release") != NULL);
    how.known.size = 4;
    assert_int_equal(
        bt_receipt_verify(engine, BT_STR("r"), BT_STR("x"), &how.known, &report, &error),
        BT_EINVAL);
    assert_true(strstr(error.text, "another release") != NULL);
    assert_null(report);
    bt_report_destroy(NULL);
    bt_engine_destroy(engine);
}

static void the_version_is_that_of_the_headers(void **state)
{
    (void)state;
    assert_string_equal(bt_version(), BT_VERSION);
    assert_int_equal(bt_version_number(), BT_VERSION_NUMBER);
    assert_true(bt_version_serves(BT_VERSION_NUMBER));
    assert_false(bt_version_serves(BT_VERSION_NUMBER + 1));
    assert_str(bt_build_info(), "{\"version\":\"" BT_VERSION "\",\"abi\":0,\"profile\":\"full\","
                                "\"parts\":[\"tokens\",\"yaml\",\"ed25519\",\"files\",\"store\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_found_in_their_order),
        cmocka_unit_test(parts_of_a_handoff_are_checked),
        cmocka_unit_test(what_is_asked_for_happens),
        cmocka_unit_test(a_handoff_is_made_of_its_parts),
        cmocka_unit_test(a_scope_is_needed),
        cmocka_unit_test(operations_have_names_that_differ),
        cmocka_unit_test(an_unknown_member_is_refused_everywhere),
        cmocka_unit_test(settings_are_a_closed_object),
        cmocka_unit_test(a_setting_decides_about_documents),
        cmocka_unit_test(a_root_has_one_folder),
        cmocka_unit_test(a_root_may_lie_in_memory),
        cmocka_unit_test(a_store_must_exist),
        cmocka_unit_test(a_reply_outlives_its_engine),
        cmocka_unit_test(a_request_of_a_gibibyte_is_not_read),
        cmocka_unit_test(running_out_of_memory_gives_no_reply),
        cmocka_unit_test(mutated_requests_get_a_reply),
        cmocka_unit_test(options_of_a_receipt_may_be_of_another_release),
        cmocka_unit_test(the_version_is_that_of_the_headers),
    };
    return RUN_TESTS(tests);
}
