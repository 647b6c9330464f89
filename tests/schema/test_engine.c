/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engine.c - promises of the engine that no suite states: bounds are not answers, a compiled
 * schema stands on its own, and rewritten schemas judge like those that were written.
 */
#include "test.h"

#include <baton/report.h>
#include <baton/schema.h>

#include "json/options.h"
#include "report/report.h"
#include "schema/options.h"

enum { ARENA_BYTES = 64 << 20 };

static const struct bt_json_doc *read_seeded(struct bt_arena *arena, const char *text,
                                             uint64_t seed)
{
    struct bt_json_options options = bt_json_options_default();
    options.hash_seed[0] = seed;
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, bt_str_of(text), &options, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

static struct bt_schema *compile(const char *text, const struct bt_schema_options *options)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_non_null(findings);
    struct bt_schema *schema = NULL;
    assert_int_equal(bt_schema_compile(read_seeded(&arena, text, 0), options, findings, &schema),
                     BT_OK);
    if (!schema) {
        assert_true(bt_findings_count(findings) > 0);
        fail_msg("%s: %.*s", text, BT_STR_ARG(bt_findings_at(findings, 0)->message));
    }
    bt_arena_free(&arena); /* the schema lives without its source */
    return schema;
}

/* What the fast run says; the diagnostic run must say the same. */
static enum bt_schema_result judge(const struct bt_schema *schema, const char *instance,
                                   const struct bt_schema_limits *limits, uint64_t seed)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_json_doc *document = read_seeded(&arena, instance, seed);
    struct bt_schema_runner *runner = bt_schema_runner_with(limits);
    assert_non_null(runner);
    const enum bt_schema_result answer = bt_schema_run(schema, runner, document);
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_non_null(findings);
    enum bt_schema_result explained = BT_SCHEMA_UNDECIDED;
    assert_int_equal(bt_schema_explain(schema, runner, document, findings, &explained), BT_OK);
    assert_int_equal(bt_findings_count(findings) > 0, explained != BT_SCHEMA_VALID);
    if (answer != BT_SCHEMA_UNDECIDED && explained != BT_SCHEMA_UNDECIDED) {
        assert_int_equal(answer, explained);
    }
    if (explained == BT_SCHEMA_UNDECIDED) {
        assert_int_equal(bt_findings_count(findings), 1);
        assert_str(bt_findings_at(findings, 0)->rule->code, "SCHEMA_BUDGET");
    }
    bt_schema_runner_destroy(runner);
    bt_arena_free(&arena);
    return answer;
}

/* The work that the fast run takes. */
static uint64_t judge_fuel(const struct bt_schema *schema, const char *instance, uint64_t seed)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    assert_non_null(runner);
    const struct bt_json_doc *document = read_seeded(&arena, instance, seed);
    assert_int_not_equal(bt_schema_run(schema, runner, document), BT_SCHEMA_UNDECIDED);
    const uint64_t fuel = bt_schema_work_used(runner);
    bt_schema_runner_destroy(runner);
    bt_arena_free(&arena);
    return fuel;
}

struct row {
    const char *schema;
    const char *instance;
    bool is_valid;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bt_schema *schema = compile(rows[i].schema, NULL);
        for (uint64_t seed = 0; seed < 2; seed++) {
            const enum bt_schema_result answer = judge(schema, rows[i].instance, NULL, seed);
            if (answer != (rows[i].is_valid ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID)) {
                fail_msg("%s for %s, seed %d", rows[i].schema, rows[i].instance, (int)seed);
            }
        }
        bt_schema_destroy(schema);
    }
}

static void branches_are_left_out_only_when_they_cannot_pass(void **state)
{
    (void)state;
    const struct row rows[] = {
        /* By type. */
        {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "1.0", true},
        {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "1.5", false},
        {"{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}", "1", false},
        {"{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}", "1.5", true},
        {"{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}", "1.0", false},
        {"{\"oneOf\":[{\"type\":\"string\"},{\"minLength\":2}]}", "\"a\"", true},
        {"{\"oneOf\":[{\"type\":\"string\"},{\"minLength\":2}]}", "\"ab\"", false},
        {"{\"oneOf\":[{\"type\":\"string\"},{\"minLength\":2}]}", "1", true},
        {"{\"not\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"boolean\"}]}}", "null", false},
        {"{\"anyOf\":[{\"enum\":[1,\"a\"]},{\"const\":[]}]}", "[]", true},
        {"{\"anyOf\":[{\"enum\":[1,\"a\"]},{\"const\":[]}]}", "1.0", true},
        /* By a member. */
        {"{\"oneOf\":[{\"properties\":{\"t\":{\"const\":\"a\"}}},"
         "{\"properties\":{\"t\":{\"const\":\"b\"}}}]}",
         "{}", false},
        {"{\"oneOf\":[{\"properties\":{\"t\":{\"const\":\"a\"}},\"required\":[\"t\"]},"
         "{\"properties\":{\"t\":{\"const\":\"b\"}}}]}",
         "{}", true},
        {"{\"oneOf\":[{\"properties\":{\"t\":{\"const\":\"a\"}}},"
         "{\"properties\":{\"t\":{\"enum\":[\"b\",null]}}}]}",
         "{\"t\":null}", true},
        {"{\"oneOf\":[{\"properties\":{\"t\":{\"const\":1}}},"
         "{\"properties\":{\"t\":{\"const\":2}}},{\"required\":[\"x\"]}]}",
         "{\"t\":1.0}", true},
        {"{\"anyOf\":[{\"properties\":{\"t\":{\"const\":[]}}},"
         "{\"properties\":{\"t\":{\"const\":\"b\"}}}]}",
         "{\"t\":[]}", true},
        {"{\"anyOf\":[{\"properties\":{\"t\":{\"const\":\"a\"}}},"
         "{\"properties\":{\"t\":{\"const\":\"b\"}}}]}",
         "[\"c\"]", true},
        {"{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"properties\":{\"t\":{\"const\":\"b\"}}}],"
         "\"$defs\":{\"a\":{\"allOf\":[{\"properties\":{\"t\":{\"$ref\":\"#/$defs/c\"}}}]},"
         "\"c\":{\"const\":\"a\"}}}",
         "{\"t\":\"c\"}", false},
    };
    check_rows(rows, COUNT_OF(rows));
}

/* Of up to 64 branches a bit each tells which are open; of more all are tried. */
static void any_number_of_branches_is_judged(void **state)
{
    (void)state;
    for (unsigned count = 63; count < 67; count++) {
        for (unsigned is_one = 0; is_one < 2; is_one++) {
            struct bt_buf schema;
            bt_buf_init(&schema, 1 << 20);
            bt_buf_put_text(&schema, is_one ? "{\"oneOf\":[" : "{\"anyOf\":[");
            for (unsigned i = 0; i < count; i++) {
                bt_buf_printf(&schema, "%s{\"const\":%u}", i > 0 ? "," : "", i);
            }
            bt_buf_put_text(&schema, "]}");
            bt_buf_put_char(&schema, '\0');
            struct bt_schema *compiled = compile(bt_buf_str(&schema).ptr, NULL);
            assert_int_equal(judge(compiled, "0", NULL, 0), BT_SCHEMA_VALID);
            assert_int_equal(judge(compiled, "62", NULL, 0), BT_SCHEMA_VALID);
            assert_int_equal(judge(compiled, "67", NULL, 0), BT_SCHEMA_INVALID);
            assert_int_equal(judge(compiled, "null", NULL, 0), BT_SCHEMA_INVALID);
            bt_schema_destroy(compiled);
            bt_buf_free(&schema);
        }
    }
}

static void copied_blocks_judge_like_called_ones(void **state)
{
    (void)state;
    const struct row rows[] = {
        {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"minimum\":3}],"
         "\"$defs\":{\"a\":{\"type\":\"integer\",\"maximum\":5}}}",
         "4", true},
        {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"minimum\":3}],"
         "\"$defs\":{\"a\":{\"type\":\"integer\",\"maximum\":5}}}",
         "6", false},
        /* Marks of a block in place must not mix with those around it. */
        {"{\"allOf\":[{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}],"
         "\"properties\":{\"b\":true}}",
         "{\"b\":1}", false},
        {"{\"allOf\":[{\"properties\":{\"a\":true}}],\"properties\":{\"b\":true},"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":1}", true},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},{\"properties\":{\"b\":true}}],"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":1}", false},
        {"{\"properties\":{\"a\":{\"$ref\":\"#\"},\"b\":{\"$ref\":\"#\"}},"
         "\"additionalProperties\":false}",
         "{\"a\":{\"b\":{\"a\":{}}}}", true},
        {"{\"properties\":{\"a\":{\"$ref\":\"#\"},\"b\":{\"$ref\":\"#\"}},"
         "\"additionalProperties\":false}",
         "{\"a\":{\"b\":{\"c\":{}}}}", false},
        /* A name that is only required is judged like any other member. */
        {"{\"required\":[\"a\"],\"additionalProperties\":{\"type\":\"string\"}}", "{\"a\":1}",
         false},
        {"{\"required\":[\"a\"],\"additionalProperties\":false}", "{\"a\":1}", false},
        {"{\"required\":[\"a\"],\"patternProperties\":{\"^a\":{\"type\":\"null\"}},"
         "\"additionalProperties\":false}",
         "{\"a\":null}", true},
    };
    check_rows(rows, COUNT_OF(rows));
}

/* An instance that takes more work than ten units, below each keyword that could turn a failure
 * into a success. */
static void a_spent_budget_is_never_an_answer(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{\"items\":{\"minimum\":0}}",
        "{\"not\":{\"items\":{\"minimum\":0}}}",
        "{\"not\":{\"items\":{\"minimum\":9}}}",
        "{\"if\":{\"items\":{\"minimum\":0}},\"then\":true,\"else\":false}",
        "{\"oneOf\":[{\"items\":{\"minimum\":0}},{\"items\":{\"minimum\":1}}]}",
        "{\"anyOf\":[{\"items\":{\"minimum\":0}},{\"maxItems\":99}]}",
        "{\"anyOf\":[{\"items\":{\"$ref\":\"#\"}},{\"items\":{\"$ref\":\"#\"}}]}",
        "{\"contains\":{\"not\":{\"items\":{\"minimum\":0}}},\"minContains\":0,\"maxContains\":99}",
        "{\"uniqueItems\":true}",
        "{\"allOf\":[true,{\"unevaluatedItems\":{\"minimum\":0}}]}",
    };
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = 10;
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        struct bt_schema *schema = compile(schemas[i], NULL);
        const char *instance = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]";
        if (judge(schema, instance, &limits, 0) != BT_SCHEMA_UNDECIDED) {
            fail_msg("%s has an answer", schemas[i]);
        }
        bt_schema_destroy(schema);
    }
}

/* A run that has all the work it takes ends as it would with more, and with one unit less it does
 * not. All objects of the lists pass at first sight, the last perhaps not. */
static void the_budget_is_exact_to_the_unit(void **state)
{
    (void)state;
#define LIST(last)                                                                                 \
    "[{\"a\":1,\"b\":2,\"c\":3},{\"a\":1},{\"c\":3,\"b\":2}," last "]                "
    static const struct row rows[] = {
        {NULL, LIST("{\"a\":1,\"b\":1,\"c\":1}"), true}, {NULL, LIST("{\"a\":null}"), false},
        {NULL, LIST("{\"a\":1,\"d\":1}"), true},         {NULL, LIST("{}"), true},
        {NULL, LIST("{\"b\":1.0},{\"b\":1}"), true},     {NULL, LIST("7,{\"a\":1}"), true},
    };
#undef LIST
    struct bt_schema *schema =
        compile("{\"items\":{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
                "\"integer\"},\"c\":{\"type\":\"integer\"}}}}",
                NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const enum bt_schema_result expected =
            rows[i].is_valid ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
        struct bt_schema_limits limits = bt_schema_limits_default();
        for (limits.work_max = 1;
             judge(schema, rows[i].instance, &limits, 0) == BT_SCHEMA_UNDECIDED;) {
            limits.work_max++;
            assert_true(limits.work_max < 100);
        }
        /* As many as the values and members that are looked at, whatever the way. */
        assert_int_equal(limits.work_max, judge_fuel(schema, rows[i].instance, 0));
        assert_int_equal(limits.work_max, judge_fuel(schema, rows[i].instance, 1));
        assert_int_equal(judge(schema, rows[i].instance, &limits, 0), expected);
    }
    bt_schema_destroy(schema);
}

static uint64_t tick(void *context)
{
    uint64_t *now = context;
    *now += 1000000;
    return *now;
}

static void a_passed_deadline_is_never_an_answer(void **state)
{
    (void)state;
    struct bt_schema *schema =
        compile("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/a\"},"
                "\"uniqueItems\":true}}}",
                NULL);
    struct bt_buf text;
    bt_buf_init(&text, ARENA_BYTES);
    bt_buf_put_char(&text, '[');
    for (int i = 0; i < 200000; i++) {
        bt_buf_printf(&text, "%s%d", i > 0 ? "," : "", i);
    }
    bt_buf_put_text(&text, "]");
    bt_buf_put_char(&text, '\0');
    assert_int_equal(text.status, BT_OK);
    uint64_t now = 0;
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.clock = tick;
    limits.clock_context = &now;
    limits.time_ns = 1;
    assert_int_equal(judge(schema, text.ptr, &limits, 0), BT_SCHEMA_UNDECIDED);
    limits.time_ns = UINT64_MAX / 2;
    assert_int_equal(judge(schema, text.ptr, &limits, 0), BT_SCHEMA_VALID);
    bt_buf_free(&text);
    bt_schema_destroy(schema);
}

/* Blocks that many schemas apply are asked about a value once. */
static void alternatives_within_alternatives_are_not_exponential(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{\"anyOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}},"
        "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"},\"maxItems\":9}]}",
        "{\"allOf\":[{\"items\":{\"$ref\":\"#\"}},{\"items\":{\"$ref\":\"#\"}}],"
        "\"not\":{\"const\":\"x\"}}",
        "{\"if\":{\"items\":{\"$ref\":\"#\"}},\"then\":{\"items\":{\"$ref\":\"#\"}},"
        "\"not\":{\"const\":\"x\"}}",
    };
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = 100000;
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        struct bt_schema *schema = compile(schemas[i], NULL);
        assert_int_not_equal(
            judge(schema, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"x\"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
                  &limits, 0),
            BT_SCHEMA_UNDECIDED);
        bt_schema_destroy(schema);
    }
}

/* Values of the next document stand where those of the last stood: what was remembered of them must
 * be forgotten, however often the runner has run. */
static void a_runner_remembers_nothing_of_the_last_document(void **state)
{
    (void)state;
    enum { RUNS = UINT16_MAX + 10 }; /* more than it counts */
    static const char *const instances[] = {"[[[[[[[[[[\"x\"]]]]]]]]]]",
                                            "[[[[[[[[[[\"y\"]]]]]]]]]]"};
    /* Whatever the answer, it is asked for twice on each level. */
    struct bt_schema *schema =
        compile("{\"if\":{\"items\":{\"$ref\":\"#\"}},\"then\":{\"items\":{\"$ref\":\"#\"}},"
                "\"else\":{\"items\":{\"$ref\":\"#\"}},\"not\":{\"const\":\"x\"}}",
                NULL);
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    assert_non_null(runner);
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    uint64_t fuel[2] = {0};
    for (size_t i = 0; i < RUNS; i++) {
        const struct bt_json_doc *document = read_seeded(&arena, instances[i % 2], 0);
        if (bt_schema_run(schema, runner, document) !=
            (i % 2 == 0 ? BT_SCHEMA_INVALID : BT_SCHEMA_VALID)) {
            fail_msg("the wrong answer in run %zu", i);
        }
        fuel[i % 2] = i < 2 ? bt_schema_work_used(runner) : fuel[i % 2];
        assert_int_equal(bt_schema_work_used(runner), fuel[i % 2]);
        bt_arena_reset(&arena);
    }
    bt_arena_free(&arena);
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
}

static void a_dynamic_reference_to_itself_ends_at_the_bounds(void **state)
{
    (void)state;
    struct bt_schema *schema =
        compile("{\"$id\":\"http://a.example/\",\"$dynamicAnchor\":\"x\",\"$ref\":\"b\",\"$defs\":{"
                "\"b\":{\"$id\":\"b\",\"$dynamicAnchor\":\"x\",\"$dynamicRef\":\"#x\"}}}",
                NULL);
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = 1000000;
    assert_int_equal(judge(schema, "1", &limits, 0), BT_SCHEMA_UNDECIDED);
    bt_schema_destroy(schema);
}

static enum bt_status resolve(void *context, bt_str uri, const struct bt_json_doc **out_document)
{
    *out_document = bt_str_eq(uri, BT_STR("http://a.example/other.json")) ? context : NULL;
    return BT_OK;
}

static void references_lead_to_documents_of_the_caller(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    union {
        const struct bt_json_doc *document;
        void *context;
    } other = {read_seeded(&arena, "{\"$defs\":{\"n\":{\"type\":\"null\"}}}", 7)};
    struct bt_schema_options options = bt_schema_options_default();
    options.uri = BT_STR("http://a.example/dir/schema.json");
    options.resolve = resolve;
    options.resolve_context = other.context;
    struct bt_schema *schema = compile("{\"$ref\":\"../other.json#/$defs/n\"}", &options);
    bt_arena_free(&arena);
    assert_int_equal(judge(schema, "null", NULL, 0), BT_SCHEMA_VALID);
    assert_int_equal(judge(schema, "1", NULL, 0), BT_SCHEMA_INVALID);
    bt_schema_destroy(schema);
}

/* Judge an object whose last member has this name, near the end of the source and far from it, in
 * both seeds, alone and behind a name that has to be unescaped. */
static void check_name(const struct bt_schema *schema, const char *name, const char *value,
                       enum bt_schema_result expected)
{
    static const char *const before[] = {"", "\"\\u0078\":1,", "\"x\":1,"};
    static const char *const behind[] = {"", "                    "};
    for (size_t i = 0; i < COUNT_OF(before) * COUNT_OF(behind); i++) {
        char instance[200];
        assert_true(snprintf(instance, sizeof(instance), "{%s\"%s\":%s}%s", before[i / 2], name,
                             value, behind[i % 2]) < (int)sizeof(instance));
        for (uint64_t seed = 0; seed < 2; seed++) {
            assert_int_equal(judge(schema, instance, NULL, seed), expected);
        }
    }
}

/* Names of every length, so that each way of comparing them is taken. */
static void every_name_is_told_from_its_neighbours(void **state)
{
    (void)state;
    for (int length = 1; length < 40; length++) {
        char schema[400];
        char name[64];
        (void)snprintf(name, sizeof(name), "%.*s", length,
                       "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
        assert_true(snprintf(schema, sizeof(schema),
                             "{\"properties\":{\"%s\":{\"type\":\"null\"},\"%s-\":true,"
                             "\"-%s\":true,\"x\":true},\"additionalProperties\":false}",
                             name, name, name) < (int)sizeof(schema));
        struct bt_schema *compiled = compile(schema, NULL);
        check_name(compiled, name, "null", BT_SCHEMA_VALID);
        check_name(compiled, name, "1", BT_SCHEMA_INVALID);
        name[length] = '-';
        name[length + 1] = '\0';
        check_name(compiled, name, "1", BT_SCHEMA_VALID);
        name[length] = '+';
        check_name(compiled, name, "1", BT_SCHEMA_INVALID);
        name[length] = '\0';
        name[length - 1] = '!';
        check_name(compiled, name, "null", BT_SCHEMA_INVALID);
        bt_schema_destroy(compiled);
    }
}

/* A value that no instruction looks at passes without any being asked; one that some does, not. */
static void a_type_passes_only_what_nothing_looks_at(void **state)
{
    (void)state;
#define WITHIN(schema) "{\"items\":" schema "}"
    const struct row rows[] = {
        {WITHIN("{\"minLength\":2}"), "[1,null,[],{}]", true},
        {"{\"$schema\":\"http://json-schema.org/draft-03/schema#\",\"type\":\"money\"}", "1", true},
        {WITHIN("{\"minLength\":2}"), "[1,\"a\"]", false},
        {WITHIN("{\"type\":[\"integer\",\"object\"],\"required\":[\"a\"]}"), "[1.0,1e3]", true},
        {WITHIN("{\"type\":[\"integer\",\"object\"],\"required\":[\"a\"]}"), "[1.5]", false},
        {WITHIN("{\"type\":[\"integer\",\"object\"],\"required\":[\"a\"]}"), "[1,{}]", false},
        {WITHIN("{\"type\":[\"integer\",\"array\"],\"items\":false}"), "[1.0,[]]", true},
        {WITHIN("{\"type\":[\"integer\",\"array\"],\"items\":false}"), "[[1]]", false},
        {WITHIN("{\"required\":[\"a\"]}"), "[1.5,\"\",{\"a\":1}]", true},
        {WITHIN("{\"allOf\":[{\"type\":\"string\"},{\"type\":[\"string\",\"null\"]}]}"), "[null]",
         false},
        {WITHIN("{\"type\":\"string\",\"not\":{\"const\":\"a\"}}"), "[\"a\"]", false},
        {WITHIN("{\"if\":{\"type\":\"string\"},\"then\":false}"), "[\"a\"]", false},
        {WITHIN("{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":1,\"type\":\"number\"}]}"),
         "[null,0]", false},
        {WITHIN("{\"items\":{\"$ref\":\"#/items\"},\"maxItems\":1}"), "[[[1]],1]", true},
        {WITHIN("{\"items\":{\"$ref\":\"#/items\"},\"maxItems\":1}"), "[[[1,2]],1]", false},
    };
#undef WITHIN
    check_rows(rows, COUNT_OF(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_are_left_out_only_when_they_cannot_pass),
        cmocka_unit_test(any_number_of_branches_is_judged),
        cmocka_unit_test(copied_blocks_judge_like_called_ones),
        cmocka_unit_test(a_spent_budget_is_never_an_answer),
        cmocka_unit_test(the_budget_is_exact_to_the_unit),
        cmocka_unit_test(a_passed_deadline_is_never_an_answer),
        cmocka_unit_test(alternatives_within_alternatives_are_not_exponential),
        cmocka_unit_test(a_runner_remembers_nothing_of_the_last_document),
        cmocka_unit_test(a_dynamic_reference_to_itself_ends_at_the_bounds),
        cmocka_unit_test(references_lead_to_documents_of_the_caller),
        cmocka_unit_test(every_name_is_told_from_its_neighbours),
        cmocka_unit_test(a_type_passes_only_what_nothing_looks_at),
    };
    return RUN_TESTS(tests);
}
