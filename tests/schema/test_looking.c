/* SPDX-License-Identifier: Apache-2.0 */
/* Lint and bundle as a library sees them; what they say is tested through the program. */
#include "test.h"

#include <baton/report.h>
#include <baton/schema.h>

#include "report/report.h"
#include "schema/options.h"

enum { ARENA_BYTES = 16 << 20 };

static const struct bt_json_doc *read_json(struct bt_arena *arena, bt_str text)
{
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, text, NULL, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

/* Refers to another document by its URI, and has one finding of each rule of lint. */
static const bt_str schema_text =
    BT_STR_INIT("{\"properties\":{\"a\":{\"$ref\":\"https://example.org/t#/$defs/n\"},"
                "\"b\":{\"uniqueItems\":true},\"c\":{\"pattern\":\"a\"}},\"required\":[\"d\"],"
                "\"patternProperties\":{\"^x\":true},\"type\":\"object\",\"anyOf\":[true,{\"type\":"
                "\"null\"}]}");
static const bt_str other_text = BT_STR_INIT("{\"$defs\":{\"n\":{\"type\":\"null\"}}}");
static const bt_str bundle_text = BT_STR_INIT(
    "{\"properties\":{\"a\":{\"$ref\":\"https://example.org/t#/$defs/n\"},"
    "\"b\":{\"uniqueItems\":true},\"c\":{\"pattern\":\"a\"}},\"required\":[\"d\"],"
    "\"patternProperties\":{\"^x\":true},\"type\":\"object\",\"anyOf\":[true,{\"type\":\"null\"}],"
    "\"$defs\":{\"https://example.org/t\":{\"$id\":\"https://example.org/t\","
    "\"$defs\":{\"n\":{\"type\":\"null\"}}}}}");

struct desk {
    struct bt_arena arena;
    const struct bt_json_doc *schema;
    struct bt_schema_document other;
    struct bt_schema_options options;
};

static void open_desk(struct desk *desk)
{
    bt_arena_init(&desk->arena, ARENA_BYTES);
    desk->schema = read_json(&desk->arena, schema_text);
    desk->other = (struct bt_schema_document){.uri = BT_STR("https://example.org/t"),
                                              .document = read_json(&desk->arena, other_text)};
    desk->options = bt_schema_options_default();
    desk->options.documents = &desk->other;
    desk->options.documents_count = 1;
}

static void lint_finds_each_rule_once(void **state)
{
    (void)state;
    struct desk desk;
    open_desk(&desk);
    struct bt_findings *findings = bt_findings_new(&desk.arena);
    assert_non_null(findings);
    assert_int_equal(bt_schema_lint(desk.schema, &desk.options, findings), BT_OK);
    assert_int_equal(bt_findings_finish(findings, schema_text), BT_OK);
    static const char *const pointers[] = {"/properties/b/uniqueItems", "/properties/c/pattern",
                                           "/required/0", "/anyOf/1"};
    assert_int_equal(bt_findings_count(findings), COUNT_OF(pointers));
    for (size_t i = 0; i < COUNT_OF(pointers); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        assert_str(finding->rule->code, "SCHEMA_LINT");
        assert_true(bt_str_eq(finding->pointer, bt_str_of(pointers[i])));
        assert_true(finding->hint.len > 0);
    }
    bt_arena_free(&desk.arena);
}

/* The header says that they are meant for schemas that compile; others must do no harm. */
static void schemas_that_do_not_compile_do_no_harm(void **state)
{
    (void)state;
    static const bt_str texts[] = {
        BT_STR_INIT("1"),
        BT_STR_INIT("[]"),
        BT_STR_INIT("{\"properties\":[1],\"patternProperties\":[2],\"required\":[\"a\",1]}"),
        BT_STR_INIT("{\"properties\":1,\"required\":{\"a\":1},\"additionalProperties\":false}"),
        BT_STR_INIT("{\"type\":[1,{}],\"enum\":{\"a\":1},\"const\":[],\"anyOf\":{\"a\":1}}"),
        BT_STR_INIT("{\"uniqueItems\":1,\"pattern\":1,\"items\":[],\"if\":1,\"then\":[]}"),
        BT_STR_INIT("{\"patternProperties\":{\"(\":{}},\"required\":[\"a\"],\"properties\":{}}"),
        BT_STR_INIT("{\"$ref\":1,\"$id\":1,\"$defs\":[],\"$schema\":1}"),
        BT_STR_INIT("{\"$ref\":\"https://example.org/t\",\"$defs\":[1],\"$id\":{}}"),
        BT_STR_INIT("{\"allOf\":[{\"$ref\":\"#\"}],\"required\":[\"a\"],\"properties\":{}}"),
    };
    struct desk desk;
    open_desk(&desk);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, ARENA_BYTES);
        struct bt_findings *findings = bt_findings_new(&desk.arena);
        const struct bt_json_doc *schema = read_json(&desk.arena, texts[i]);
        assert_int_equal(bt_schema_lint(schema, &desk.options, findings), BT_OK);
        assert_int_equal(bt_schema_bundle(&buf, schema, &desk.options), BT_OK);
        bt_buf_free(&buf);
    }
    bt_arena_free(&desk.arena);
}

static void a_bundle_embeds_documents_that_the_caller_has(void **state)
{
    (void)state;
    struct desk desk;
    struct bt_buf buf;
    open_desk(&desk);
    bt_buf_init(&buf, ARENA_BYTES);
    bt_buf_put_text(&buf, "before ");
    assert_int_equal(bt_schema_bundle(&buf, desk.schema, &desk.options), BT_OK);
    const bt_str text = bt_str_slice(bt_buf_str(&buf), sizeof("before ") - 1, buf.len);
    bool equal = false;
    const struct bt_json_doc *made = read_json(&desk.arena, text);
    const struct bt_json_doc *wanted = read_json(&desk.arena, bundle_text);
    assert_int_equal(
        bt_json_equal(made, bt_json_root(made), wanted, bt_json_root(wanted), &desk.arena, &equal),
        BT_OK);
    assert_true(equal);
    bt_buf_free(&buf);
    bt_arena_free(&desk.arena);
}

static void a_bundle_with_a_loose_end_is_not_made(void **state)
{
    (void)state;
    struct desk desk;
    struct bt_buf buf;
    open_desk(&desk);
    desk.options.documents_count = 0;
    bt_buf_init(&buf, ARENA_BYTES);
    assert_int_equal(bt_schema_bundle(&buf, desk.schema, &desk.options), BT_OK);
    assert_int_equal(buf.len, 0);
    bt_buf_free(&buf);
    bt_arena_free(&desk.arena);
}

/* Whatever memory there is, the answer is whole or there is none. */
static void too_little_memory_is_said_and_nothing_is_half_done(void **state)
{
    (void)state;
    struct desk desk;
    open_desk(&desk);
    bool linted = false;
    bool bundled = false;
    for (uint64_t limit = 16; limit < 1 << 20 && !(linted && bundled); limit += limit / 8 + 16) {
        struct bt_buf buf;
        bt_buf_init(&buf, ARENA_BYTES);
        struct bt_findings *findings = bt_findings_new(&desk.arena);
        assert_non_null(findings);
        desk.options.memory_bytes_max = limit;
        const enum bt_status lint = bt_schema_lint(desk.schema, &desk.options, findings);
        const enum bt_status bundle = bt_schema_bundle(&buf, desk.schema, &desk.options);
        assert_true(lint == BT_OK || lint == BT_ENOMEM);
        assert_true(bundle == BT_OK || bundle == BT_ENOMEM);
        assert_true(lint != BT_OK || bt_findings_count(findings) == 4);
        assert_int_equal(bundle == BT_OK, buf.len > 0);
        linted = linted || lint == BT_OK;
        bundled = bundled || bundle == BT_OK;
        bt_buf_free(&buf);
    }
    assert_true(linted);
    assert_true(bundled);
    bt_arena_free(&desk.arena);
}

static void a_buffer_that_is_full_is_told(void **state)
{
    (void)state;
    struct desk desk;
    struct bt_buf buf;
    open_desk(&desk);
    bt_buf_init(&buf, 20);
    assert_int_equal(bt_schema_bundle(&buf, desk.schema, &desk.options), BT_ELIMIT);
    bt_buf_free(&buf);
    bt_arena_free(&desk.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lint_finds_each_rule_once),
        cmocka_unit_test(schemas_that_do_not_compile_do_no_harm),
        cmocka_unit_test(a_bundle_embeds_documents_that_the_caller_has),
        cmocka_unit_test(a_bundle_with_a_loose_end_is_not_made),
        cmocka_unit_test(too_little_memory_is_said_and_nothing_is_half_done),
        cmocka_unit_test(a_buffer_that_is_full_is_told),
    };
    return RUN_TESTS(tests);
}
