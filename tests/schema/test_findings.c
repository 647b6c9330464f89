/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_findings.c - what the diagnostic run says: codes, pointers, params; and what is said about
 * schemas that cannot be compiled.
 */
#include "test.h"

#include <baton/report.h>
#include <baton/schema.h>

#include "report/report.h"
#include "schema/options.h"

enum { ARENA_BYTES = 64 << 20 };

static const struct bt_json_doc *read_text(struct bt_arena *arena, const char *text)
{
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, bt_str_of(text), NULL, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

/* "CODE pointer {params}", one line each. */
static void put_findings(struct bt_buf *buf, const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bt_buf_put(buf, finding->rule->code);
        bt_buf_put_char(buf, ' ');
        bt_buf_put(buf, finding->pointer);
        bt_buf_put_char(buf, ' ');
        bt_finding_put_params(finding, buf);
        bt_buf_put_char(buf, '\n');
        assert_true(finding->message.len > 0);
    }
}

/* Everything that is said about the instance, or about the schema when that is refused. */
static void explain(struct bt_arena *arena, const char *schema, const char *instance,
                    struct bt_buf *out)
{
    struct bt_findings *findings = bt_findings_new(arena);
    assert_non_null(findings);
    struct bt_schema *compiled = NULL;
    struct bt_schema_options options = bt_schema_options_default();
    options.assert_formats = true;
    assert_int_equal(bt_schema_compile(read_text(arena, schema), &options, findings, &compiled),
                     BT_OK);
    if (compiled) {
        struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
        assert_non_null(runner);
        const struct bt_json_doc *document = read_text(arena, instance);
        enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
        assert_int_equal(bt_schema_explain(compiled, runner, document, findings, &answer), BT_OK);
        assert_int_equal(answer, bt_schema_run(compiled, runner, document));
        bt_schema_runner_destroy(runner);
        bt_schema_destroy(compiled);
    }
    assert_int_equal(bt_findings_finish(findings, BT_STR("")), BT_OK);
    put_findings(out, findings);
}

struct row {
    const char *schema;
    const char *instance;
    const char *said;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bt_arena arena;
        struct bt_buf said;
        bt_arena_init(&arena, ARENA_BYTES);
        bt_buf_init(&said, ARENA_BYTES);
        explain(&arena, rows[i].schema, rows[i].instance, &said);
        if (!bt_str_eq(bt_buf_str(&said), bt_str_of(rows[i].said))) {
            fail_msg("%s for %s gives\n%.*s, not\n%s", rows[i].schema, rows[i].instance,
                     BT_STR_ARG(bt_buf_str(&said)), rows[i].said);
        }
        bt_buf_free(&said);
        bt_arena_free(&arena);
    }
}

static void comparisons_tell_what_was_found_and_what_is_allowed(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"{\"type\":\"string\"}", "1",
         "SCHEMA_TYPE  {\"keyword\":\"/type\",\"expected\":\"string\",\"actual\":\"integer\"}\n"},
        {"{\"type\":[\"array\",\"null\"]}", "1.5",
         "SCHEMA_TYPE  {\"keyword\":\"/type\",\"expected\":[\"array\",\"null\"],"
         "\"actual\":\"number\"}\n"},
        {"{\"enum\":[\"red\",\"green\"]}", "\"gren\"",
         "SCHEMA_ENUM  {\"keyword\":\"/enum\",\"allowed\":[\"red\",\"green\"],"
         "\"nearest\":\"green\"}\n"},
        {"{\"const\":{\"a\":1}}", "{\"a\":2}",
         "SCHEMA_CONST  {\"keyword\":\"/const\",\"expected\":{\"a\":1}}\n"},
        {"{\"minLength\":2}", "\"\\u00e4\"",
         "SCHEMA_MIN_LENGTH  {\"keyword\":\"/minLength\",\"limit\":2,\"actual\":1}\n"},
        {"{\"minimum\":1e2}", "9.5e1",
         "SCHEMA_MINIMUM  {\"keyword\":\"/minimum\",\"limit\":1e2,\"actual\":9.5e1}\n"},
        {"{\"pattern\":\"^a\"}", "\"b\"",
         "SCHEMA_PATTERN  {\"keyword\":\"/pattern\",\"pattern\":\"^a\"}\n"},
        {"{\"format\":\"ipv4\"}", "\"1.2.3\"",
         "SCHEMA_FORMAT  {\"keyword\":\"/format\",\"format\":\"ipv4\"}\n"},
        {"{\"uniqueItems\":true}", "[1,2,1.0]",
         "SCHEMA_UNIQUE_ITEMS  {\"keyword\":\"/uniqueItems\",\"first\":0,\"second\":2}\n"},
        {"{\"type\":\"string\",\"const\":\"3.0\"}", "3.0",
         "SCHEMA_CONST  {\"keyword\":\"/const\",\"expected\":\"3.0\"}\n"
         "SCHEMA_TYPE  {\"keyword\":\"/type\",\"expected\":\"string\",\"actual\":\"integer\"}\n"},
        {"{\"minLength\":2}", "1", ""},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void findings_point_at_what_is_at_fault(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"{\"required\":[\"a\",\"b\"]}", "{\"a\":1}",
         "SCHEMA_REQUIRED  {\"keyword\":\"/required\",\"property\":\"b\"}\n"},
        {"{\"properties\":{\"name\":true},\"additionalProperties\":false}", "{\"nmae\":1}",
         "SCHEMA_ADDITIONAL_PROPERTIES /nmae {\"keyword\":\"/additionalProperties\","
         "\"property\":\"nmae\",\"allowed\":[\"name\"],\"nearest\":\"name\"}\n"},
        {"{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b/\":2}",
         "SCHEMA_UNEVALUATED_PROPERTIES /b~1 {\"keyword\":\"/unevaluatedProperties\","
         "\"property\":\"b/\",\"allowed\":[\"a\"]}\n"},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}},\"unevaluatedProperties\":false}",
         "{\"a\":1}",
         "SCHEMA_TYPE /a {\"keyword\":\"/properties/a/type\",\"expected\":\"null\","
         "\"actual\":\"integer\"}\n"},
        {"{\"items\":{\"items\":false}}", "[[],[1]]",
         "SCHEMA_FALSE /1/0 {\"keyword\":\"/items/items\"}\n"},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":{}}",
         "SCHEMA_MAX_LENGTH /ab {\"keyword\":\"/propertyNames/maxLength\",\"limit\":1,"
         "\"actual\":2}\n"},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
         "SCHEMA_DEPENDENT_REQUIRED  {\"keyword\":\"/dependentRequired\",\"property\":\"b\","
         "\"trigger\":\"a\"}\n"},
        {"{\"if\":{\"type\":\"object\"},\"then\":{\"required\":[\"a\"]}}", "{}",
         "SCHEMA_REQUIRED  {\"keyword\":\"/then/required\",\"property\":\"a\"}\n"},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"minimum\":1}}}", "0",
         "SCHEMA_MINIMUM  {\"keyword\":\"/$defs/a/minimum\",\"limit\":1,\"actual\":0}\n"},
        {"{\"allOf\":[{\"type\":\"null\"},{\"type\":\"null\"}]}", "1",
         "SCHEMA_TYPE  {\"keyword\":\"/allOf/0/type\",\"expected\":\"null\","
         "\"actual\":\"integer\"}\n"
         "SCHEMA_TYPE  {\"keyword\":\"/allOf/1/type\",\"expected\":\"null\","
         "\"actual\":\"integer\"}\n"},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void a_failing_alternative_is_one_finding_with_its_branches(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":5}]}", "1",
         "SCHEMA_ANY_OF  {\"keyword\":\"/anyOf\",\"branches\":["
         "[{\"code\":\"SCHEMA_TYPE\",\"pointer\":\"\",\"params\":{\"keyword\":\"/anyOf/0/type\","
         "\"expected\":\"null\",\"actual\":\"integer\"}}],"
         "[{\"code\":\"SCHEMA_MINIMUM\",\"pointer\":\"\",\"params\":{\"keyword\":"
         "\"/anyOf/1/minimum\",\"limit\":5,\"actual\":1}}]]}\n"},
        {"{\"oneOf\":[{\"type\":\"integer\"},{\"minimum\":0},{\"type\":\"null\"}]}", "1",
         "SCHEMA_ONE_OF  {\"keyword\":\"/oneOf\",\"passed\":2,\"passing\":[0,1]}\n"},
        {"{\"not\":{\"type\":\"integer\"}}", "1", "SCHEMA_NOT  {\"keyword\":\"/not\"}\n"},
        {"{\"contains\":{\"type\":\"null\"},\"maxContains\":1}", "[null,null]",
         "SCHEMA_MAX_CONTAINS  {\"keyword\":\"/maxContains\",\"limit\":1,\"actual\":2}\n"},
        {"{\"contains\":{\"type\":\"null\"}}", "[1]",
         "SCHEMA_CONTAINS  {\"keyword\":\"/contains\",\"branches\":[[{\"code\":\"SCHEMA_TYPE\","
         "\"pointer\":\"/0\",\"params\":{\"keyword\":\"/contains/type\",\"expected\":\"null\","
         "\"actual\":\"integer\"}}]]}\n"},
        {"{\"items\":{\"anyOf\":[{\"anyOf\":[false]}]}}", "[1]",
         "SCHEMA_ANY_OF /0 {\"keyword\":\"/items/anyOf\",\"branches\":[[{\"code\":"
         "\"SCHEMA_ANY_OF\",\"pointer\":\"/0\",\"params\":{\"keyword\":"
         "\"/items/anyOf/0/anyOf\"}}]]}\n"},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void a_schema_that_cannot_be_used_says_where_and_why(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"{\"properties\":{\"a\":{\"$ref\":\"#/$defs/b\"}}}", "",
         "SCHEMA_REF_UNRESOLVED /properties/a/$ref {\"ref\":\"#/$defs/b\","
         "\"reason\":\"the pointer names nothing\"}\n"},
        {"{\"$ref\":\"http://example.com/a\"}", "",
         "SCHEMA_REF_UNRESOLVED /$ref {\"ref\":\"http://example.com/a\","
         "\"reason\":\"no document goes by this URI, and nothing is fetched\"}\n"},
        {"{\"$schema\":\"http://example.com/a\"}", "",
         "SCHEMA_REF_UNRESOLVED /$schema {\"ref\":\"http://example.com/a\","
         "\"reason\":\"no such meta-schema is known\"}\n"},
        {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#\"}]}}}",
         "",
         "SCHEMA_CYCLE /$defs/a/anyOf/0/$ref {\"ref\":\"#\",\"reason\":\"the reference leads back "
         "to itself without going into the value\"}\n"},
        {"{\"patternProperties\":{\"[\":true}}", "",
         "PATTERN_INVALID /patternProperties/[ {\"pattern\":\"[\",\"reason\":\"a class is not "
         "closed\"}\n"},
        {"{\"minLength\":-1}", "",
         "SCHEMA_MINIMUM /minLength {\"keyword\":\"https://json-schema.org/draft/2020-12/meta/"
         "validation#/$defs/nonNegativeInteger/minimum\",\"limit\":0,\"actual\":-1}\n"},
    };
    check_rows(rows, COUNT_OF(rows));
}

/* Build {"items":[TEXT,TEXT]}. */
static const struct bt_json_doc *build_items(struct bt_arena *arena, const char *text)
{
    struct bt_json_read_result made = {0};
    struct bt_builder *builder = bt_builder_create(NULL, arena);
    assert_non_null(builder);
    bt_builder_object(builder);
    bt_builder_name(builder, BT_STR("items"));
    bt_builder_array(builder);
    bt_builder_string(builder, bt_str_of(text));
    bt_builder_string(builder, bt_str_of(text));
    bt_builder_end(builder);
    bt_builder_end(builder);
    assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
    bt_builder_destroy(builder);
    assert_non_null(made.document);
    return made.document;
}

static void a_message_shows_the_beginning_of_a_value_that_was_built(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"a\"b", "[\"a\\\"b\",\"a\\\"b\"] is of type array, expected string"},
        {"0123456789012345678901234567890123456789",
         "[\"0123456789012345678901234567890123456789\","
         "\"01234567890123456789012345678901234... is of type array, expected string"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_schema *compiled = NULL;
        bt_arena_init(&arena, ARENA_BYTES);
        struct bt_findings *findings = bt_findings_new(&arena);
        struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
        const char *schema = "{\"properties\":{\"items\":{\"type\":\"string\"}}}";
        assert_int_equal(bt_schema_compile(read_text(&arena, schema), NULL, findings, &compiled),
                         BT_OK);
        assert_int_equal(
            bt_schema_validate(compiled, runner, build_items(&arena, rows[i].text), findings, NULL),
            BT_OK);
        assert_int_equal(bt_findings_count(findings), 1);
        const bt_str message = bt_finding_message(bt_findings_at(findings, 0));
        assert_string_equal(message.ptr, rows[i].message);
        bt_schema_runner_destroy(runner);
        bt_schema_destroy(compiled);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_shows_the_beginning_of_a_value_that_was_built),
        cmocka_unit_test(comparisons_tell_what_was_found_and_what_is_allowed),
        cmocka_unit_test(findings_point_at_what_is_at_fault),
        cmocka_unit_test(a_failing_alternative_is_one_finding_with_its_branches),
        cmocka_unit_test(a_schema_that_cannot_be_used_says_where_and_why),
    };
    return RUN_TESTS(tests);
}
