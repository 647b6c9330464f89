/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_naive.c - the interpreter that others are measured against, where the suite does not look.
 */
#include "documents.h"
#include "naive.h"
#include "naive_uri.h"
#include "random_schema.h"

#include "report/report.h"

#define S(draft) "\"$schema\":\"https://json-schema.org/draft/" draft "/schema\""

static enum verdict judge_text(const char *schema, const char *instance,
                               const struct judge_options *options)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const enum verdict verdict =
        naive_validate(read_literal(&arena, schema), options, read_literal(&arena, instance));
    bt_arena_free(&arena);
    return verdict;
}

struct question {
    enum bt_schema_draft draft;
    const char *schema;
    const char *instance;
    enum verdict verdict;
};

static void ask(const struct question *questions, size_t count, bool assert_formats)
{
    for (size_t i = 0; i < count; i++) {
        const struct question *each = &questions[i];
        const struct judge_options options = {.draft = each->draft,
                                              .assert_formats = assert_formats};
        const enum verdict verdict = judge_text(each->schema, each->instance, &options);
        if (verdict != each->verdict) {
            fail_msg("%s, %s: %d", each->schema, each->instance, (int)verdict);
        }
    }
}

#define ASK(questions) ask(questions, COUNT_OF(questions), false)

static void a_schema_that_goes_in_circles_has_no_verdict(void **state)
{
    (void)state;
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_3, "{\"$ref\":\"#\"}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_3, "{\"extends\":{\"$ref\":\"#\"}}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_7, "{\"not\":{\"$ref\":\"#\"}}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_7, "{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_7, "{\"if\":{\"$ref\":\"#\"}}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2019_09, "{\"$recursiveAnchor\":true,\"$recursiveRef\":\"#\"}", "1",
         VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}", "1",
         VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12,
         "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},"
         "\"b\":{\"anyOf\":[true,{\"$ref\":\"#/$defs/a\"}]}}}",
         "1", VERDICT_NONE},
        /* What goes into the instance ends with it. */
        {BT_SCHEMA_DRAFT_2020_12, "{\"items\":{\"$ref\":\"#\"},\"type\":\"array\"}", "[[],[[[]]]]",
         VERDICT_VALID},
        {BT_SCHEMA_DRAFT_2020_12, "{\"items\":{\"$ref\":\"#\"},\"type\":\"array\"}", "[[],[[[1]]]]",
         VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_2020_12, "{\"propertyNames\":{\"$ref\":\"#\"}}", "{\"a\":1}",
         VERDICT_VALID},
    };
    ASK(questions);
}

static void a_faulty_schema_has_no_verdict(void **state)
{
    (void)state;
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_7, "{\"$ref\":\"#/definitions/a\"}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_7, "{\"properties\":{\"a\":{\"$ref\":\"http://example.com/\"}}}", "1",
         VERDICT_NONE},
        {BT_SCHEMA_DRAFT_7, "{\"$schema\":\"http://example.com/unheard-of\"}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"$dynamicRef\":\"#a\"}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_V1, "{\"$dynamicRef\":\"#a\",\"$defs\":{\"a\":{\"$anchor\":\"a\"}}}", "1",
         VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "[]", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"allOf\":{}}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"items\":[]}", "[1]", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"properties\":[]}", "{}", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"required\":\"a\"}", "{}", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"minimum\":\"1\"}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"maxItems\":\"1\"}", "[]", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"multipleOf\":0}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"type\":\"strin\"}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"type\":[{}]}", "1", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"pattern\":\"(\"}", "\"a\"", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"not\":{\"pattern\":\"(\"}}", "\"a\"", VERDICT_NONE},
        {BT_SCHEMA_DRAFT_2020_12, "{\"enum\":1}", "1", VERDICT_NONE},
    };
    ASK(questions);
}

static void numbers_are_exact(void **state)
{
    (void)state;
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_7, "{\"const\":9007199254740993}", "9007199254740992", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"const\":9007199254740993}", "9007199254740993.0", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"enum\":[1e400]}", "1e401", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"enum\":[1e400]}", "10e399", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"uniqueItems\":true}", "[1e400,1e401]", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"uniqueItems\":true}", "[1,1.0]", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"maximum\":1e400}", "1e401", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"exclusiveMaximum\":0.3}", "0.30000000000000000", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"exclusiveMaximum\":0.3}", "0.29999999999999999999", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"multipleOf\":0.01}", "19.99", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"multipleOf\":0.01}", "19.999", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"multipleOf\":7}", "1e100000000", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"multipleOf\":7}", "7e100000000", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"maxLength\":1e400}", "\"a\"", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"minLength\":1e400}", "\"a\"", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"type\":\"integer\"}", "1e400", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"type\":\"integer\"}", "1e-400", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_4, "{\"type\":\"integer\"}", "1e400", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_4, "{\"minimum\":2,\"exclusiveMinimum\":true}", "2.0", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_4, "{\"minimum\":2,\"exclusiveMinimum\":false}", "2.0", VERDICT_VALID},
    };
    ASK(questions);
}

static void surrogates_without_partner_count_as_one_character(void **state)
{
    (void)state;
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_7, "{\"maxLength\":1}", "\"\\ud800\"", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"minLength\":2}", "\"\\ud83d\\ude00\"", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"const\":\"\\ud800\"}", "\"\\ud801\"", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"pattern\":\"^.$\"}", "\"\\ud800\"", VERDICT_VALID},
    };
    ASK(questions);
}

static void a_dynamic_reference_may_start_outside_the_dynamic_scope(void **state)
{
    (void)state;
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_2020_12,
         "{\"$id\":\"http://example.com/\",\"$dynamicRef\":\"b#n\","
         "\"$defs\":{\"b\":{\"$id\":\"b\",\"$dynamicAnchor\":\"n\",\"type\":\"string\"}}}",
         "1", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_2020_12,
         "{\"$id\":\"http://example.com/\",\"$dynamicRef\":\"b#n\","
         "\"$defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"number\"},"
         "\"b\":{\"$id\":\"b\",\"$dynamicAnchor\":\"n\",\"type\":\"string\"}}}",
         "1", VERDICT_VALID},
    };
    ASK(questions);
}

/* 2019-09 lists the keywords whose items count, and contains is not among them; 2020-12 adds it. */
static void what_is_contained_counts_as_evaluated_since_2020_12(void **state)
{
    (void)state;
    static const char schema[] = "{\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":false}";
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_2019_09, schema, "[\"a\"]", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_2020_12, schema, "[\"a\"]", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_2020_12, schema, "[\"a\",1]", VERDICT_INVALID},
    };
    ASK(questions);
}

static void old_drafts_live_inside_new_ones(void **state)
{
    (void)state;
    static const struct question questions[] = {
        {BT_SCHEMA_DRAFT_2020_12,
         "{" S("2020-12") ",\"$ref\":\"http://example.com/old\",\"$defs\":{\"old\":{"
                          "\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"id\":\"http://"
                          "example.com/old\","
                          "\"minimum\":1,\"exclusiveMinimum\":true,\"const\":7}}}",
         "2", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_2020_12,
         "{" S("2020-12") ",\"$ref\":\"http://example.com/old\",\"$defs\":{\"old\":{"
                          "\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"id\":\"http://"
                          "example.com/old\","
                          "\"minimum\":1,\"exclusiveMinimum\":true,\"const\":7}}}",
         "1", VERDICT_INVALID},
    };
    ASK(questions);
}

static void content_is_asserted_in_draft_7_alone_and_only_when_formats_are(void **state)
{
    (void)state;
    static const char schema[] = "{\"contentMediaType\":\"application/json\","
                                 "\"contentEncoding\":\"base64\"}";
    static const struct question asserted[] = {
        {BT_SCHEMA_DRAFT_7, schema, "\"e30=\"", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, schema, "\"e30\"", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, schema, "\"ezp9Cg==\"", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"contentEncoding\":\"base64\"}", "\"\"", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_7, "{\"contentEncoding\":\"base64\"}", "\"====\"", VERDICT_INVALID},
        {BT_SCHEMA_DRAFT_7, "{\"contentEncoding\":\"rot13\"}", "\"%\"", VERDICT_VALID},
        {BT_SCHEMA_DRAFT_2019_09, schema, "\"%\"", VERDICT_VALID},
    };
    static const struct question annotated[] = {
        {BT_SCHEMA_DRAFT_7, schema, "\"%\"", VERDICT_VALID},
    };
    ask(asserted, COUNT_OF(asserted), true);
    ask(annotated, COUNT_OF(annotated), false);
}

/* Other documents, and a meta-schema with the vocabularies that it lists. */
static enum verdict judge_among(const char *other, const char *schema, const char *instance)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_schema_document others[] = {
        {BT_STR("http://example.com/found"), read_literal(&arena, other)}};
    const struct judge_options options = {
        .draft = BT_SCHEMA_DRAFT_2020_12, .others = others, .others_count = COUNT_OF(others)};
    const enum verdict verdict = judge_text(schema, instance, &options);
    bt_arena_free(&arena);
    return verdict;
}

static void vocabularies_decide_which_keywords_count(void **state)
{
    (void)state;
    static const char schema[] = "{\"$schema\":\"http://example.com/found\",\"format\":\"ipv4\","
                                 "\"maxLength\":3,\"not\":{\"const\":\"no\"}}";
#define META(vocabularies) "{" S("2019-09") ",\"$vocabulary\":{" vocabularies "}}"
#define V(name, required) "\"https://json-schema.org/draft/2019-09/vocab/" name "\":" required
    static const struct {
        const char *meta;
        const char *instance;
        enum verdict verdict;
    } rows[] = {
        {META(V("core", "true")), "\"long\"", VERDICT_VALID},
        {META(V("validation", "true")), "\"long\"", VERDICT_INVALID},
        {META(V("validation", "false")), "\"long\"", VERDICT_INVALID},
        {META(V("validation", "true")), "\"no\"", VERDICT_VALID},
        /* Nothing is said below `not`, so nothing passes it. */
        {META(V("applicator", "true")), "\"yes\"", VERDICT_INVALID},
        {META(V("applicator", "true") "," V("validation", "true")), "\"no\"", VERDICT_INVALID},
        {META(V("format", "false")), "\"no\"", VERDICT_VALID},
        {META(V("format", "true")), "\"no\"", VERDICT_INVALID},
        {META("\"http://example.com/v\":false"), "\"no\"", VERDICT_VALID},
        {META("\"http://example.com/v\":true"), "\"no\"", VERDICT_NONE},
        {"{" S("2019-09") "}", "\"long\"", VERDICT_INVALID},
        {"{\"$schema\":\"http://example.com/found\"}", "\"no\"", VERDICT_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (judge_among(rows[i].meta, schema, rows[i].instance) != rows[i].verdict) {
            fail_msg("%s, %s", rows[i].meta, rows[i].instance);
        }
    }
#undef V
#undef META
}

static void a_document_is_found_by_both_its_names(void **state)
{
    (void)state;
    static const char other[] = "{\"$id\":\"http://example.com/own\",\"$defs\":{\"a\":"
                                "{\"type\":\"string\"}},\"$ref\":\"own#/$defs/a\"}";
    assert_int_equal(judge_among(other, "{\"$ref\":\"http://example.com/found\"}", "1"),
                     VERDICT_INVALID);
    assert_int_equal(judge_among(other, "{\"$ref\":\"http://example.com/own\"}", "1"),
                     VERDICT_INVALID);
    assert_int_equal(judge_among(other, "{\"$ref\":\"http://example.com/own\"}", "\"\""),
                     VERDICT_VALID);
    assert_int_equal(judge_among(other, "{\"$ref\":\"http://example.com/other\"}", "1"),
                     VERDICT_NONE);
}

/* As deep as the reader goes, with four schemas for each level; with eight there is no verdict. */
static void deep_instances_are_judged_and_our_own_depth_is_bounded(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    char text[2 * DEPTH + 1] = {0};
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    const struct judge_options options = {.draft = BT_SCHEMA_DRAFT_7};
    assert_int_equal(
        judge_text("{\"allOf\":[{\"items\":{\"allOf\":[{\"$ref\":\"#\"}]}}]}", text, &options),
        VERDICT_VALID);
    assert_int_equal(judge_text("{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#\"}}",
                                text, &options),
                     VERDICT_INVALID);
    assert_int_equal(judge_text("{\"allOf\":[{\"allOf\":[{\"allOf\":[{\"items\":{\"allOf\":["
                                "{\"allOf\":[{\"allOf\":[{\"$ref\":\"#\"}]}]}]}}]}]}]}",
                                text, &options),
                     VERDICT_NONE);
}

/* The examples of RFC 3986 section 5.4, and bases that schemas have. */
static void references_are_resolved_as_rfc_3986_says(void **state)
{
    (void)state;
    static const char rfc[] = "http://a/b/c/d;p?q";
    static const struct {
        const char *base;
        const char *reference;
        const char *uri;
    } rows[] = {
        {rfc, "g:h", "g:h"},
        {rfc, "g", "http://a/b/c/g"},
        {rfc, "./g", "http://a/b/c/g"},
        {rfc, "g/", "http://a/b/c/g/"},
        {rfc, "/g", "http://a/g"},
        {rfc, "//g", "http://g"},
        {rfc, "?y", "http://a/b/c/d;p?y"},
        {rfc, "g?y", "http://a/b/c/g?y"},
        {rfc, "#s", "http://a/b/c/d;p?q"},
        {rfc, "g#s", "http://a/b/c/g"},
        {rfc, ";x", "http://a/b/c/;x"},
        {rfc, "g;x?y#s", "http://a/b/c/g;x?y"},
        {rfc, "", "http://a/b/c/d;p?q"},
        {rfc, ".", "http://a/b/c/"},
        {rfc, "./", "http://a/b/c/"},
        {rfc, "..", "http://a/b/"},
        {rfc, "../g", "http://a/b/g"},
        {rfc, "../..", "http://a/"},
        {rfc, "../../g", "http://a/g"},
        {rfc, "../../../g", "http://a/g"},
        {rfc, "/./g", "http://a/g"},
        {rfc, "/../g", "http://a/g"},
        {rfc, "g.", "http://a/b/c/g."},
        {rfc, "..g", "http://a/b/c/..g"},
        {rfc, "./g/.", "http://a/b/c/g/"},
        {rfc, "g/./h", "http://a/b/c/g/h"},
        {rfc, "g/../h", "http://a/b/c/h"},
        {rfc, "g;x=1/../y", "http://a/b/c/y"},
        {rfc, "g?y/../x", "http://a/b/c/g?y/../x"},
        {rfc, "g#s/../x", "http://a/b/c/g"},
        {rfc, "http:g", "http:g"},
        {"http://a", "g", "http://a/g"},
        {"urn:uuid:1", "#a", "urn:uuid:1"},
        {"urn:example:a", "urn:example:b?=q", "urn:example:b?=q"},
        {"", "a/b", "a/b"},
        {"a/b", "c", "a/c"},
        {"", "#a", ""},
        {"file:///x/y", "../z", "file:///z"},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bt_str uri;
        assert_int_equal(
            naive_uri_resolve(&arena, bt_str_of(rows[i].base), bt_str_of(rows[i].reference), &uri),
            BT_OK);
        if (!bt_str_eq(uri, bt_str_of(rows[i].uri))) {
            fail_msg("%s from %s is %.*s", rows[i].reference, rows[i].base, BT_STR_ARG(uri));
        }
    }
    bt_arena_free(&arena);
}

/* A schema made at random passes its own meta-schema: only then may others be asked about it. */
static void schemas_made_by_chance_are_schemas(void **state)
{
    (void)state;
    static const struct {
        enum bt_schema_draft draft;
        const char *meta;
    } rows[] = {
        {BT_SCHEMA_DRAFT_3, "{\"$ref\":\"http://json-schema.org/draft-03/schema\"}"},
        {BT_SCHEMA_DRAFT_4, "{\"$ref\":\"http://json-schema.org/draft-04/schema\"}"},
        {BT_SCHEMA_DRAFT_6, "{\"$ref\":\"http://json-schema.org/draft-06/schema\"}"},
        {BT_SCHEMA_DRAFT_7, "{\"$ref\":\"http://json-schema.org/draft-07/schema\"}"},
        {BT_SCHEMA_DRAFT_2019_09, "{\"$ref\":\"https://json-schema.org/draft/2019-09/schema\"}"},
        {BT_SCHEMA_DRAFT_2020_12, "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}"},
    };
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct judge_options options = {.draft = rows[i].draft, .assert_formats = true};
        struct naive *meta = naive_open(read_literal(&arena, rows[i].meta), &options);
        assert_non_null(meta);
        for (uint64_t seed = 0; seed < 200; seed++) {
            const struct bt_arena_mark mark = bt_arena_mark(&arena);
            bt_str text;
            bt_buf_clear(&buf);
            random_instance(&buf, seed);
            assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
            const struct bt_json_doc *about = read_text(&arena, text);
            bt_buf_clear(&buf);
            random_schema(&buf, seed, rows[i].draft, about);
            const struct bt_json_doc *schema = read_text(&arena, bt_buf_str(&buf));
            if (naive_judge(meta, schema) != VERDICT_VALID) {
                fail_msg("%s %s: %.*s", rows[i].meta, naive_reason(meta),
                         BT_STR_ARG(bt_buf_str(&buf)));
            }
            bt_arena_rewind(&arena, mark);
        }
        naive_close(meta);
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schema_that_goes_in_circles_has_no_verdict),
        cmocka_unit_test(a_faulty_schema_has_no_verdict),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(surrogates_without_partner_count_as_one_character),
        cmocka_unit_test(a_dynamic_reference_may_start_outside_the_dynamic_scope),
        cmocka_unit_test(what_is_contained_counts_as_evaluated_since_2020_12),
        cmocka_unit_test(old_drafts_live_inside_new_ones),
        cmocka_unit_test(content_is_asserted_in_draft_7_alone_and_only_when_formats_are),
        cmocka_unit_test(vocabularies_decide_which_keywords_count),
        cmocka_unit_test(a_document_is_found_by_both_its_names),
        cmocka_unit_test(deep_instances_are_judged_and_our_own_depth_is_bounded),
        cmocka_unit_test(references_are_resolved_as_rfc_3986_says),
        cmocka_unit_test(schemas_made_by_chance_are_schemas),
    };
    return RUN_TESTS(tests);
}
