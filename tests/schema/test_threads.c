/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_threads.c - many threads share one compiled schema and the documents it judges; each has a
 * runner of its own. script/test runs this with the sanitizer for threads as well.
 */
#include "test.h"

#include <pthread.h>

#include <baton/report.h>
#include <baton/schema.h>

#include "report/report.h"
#include "schema/options.h"

enum { THREADS = 8, ROUNDS = 200, ARENA_BYTES = 64 << 20 };

/* Something of every kind: names, patterns with automata, formats, sets, marks, dynamic references,
 * and alternatives within alternatives, which are remembered. */
static const char schema_text[] =
    "{\"$id\":\"http://a.example/s\",\"$dynamicAnchor\":\"n\",\"type\":\"object\",\"properties\":{"
    "\"id\":{\"pattern\":\"^(a|b)*c(?=d)\",\"maxLength\":9},\"at\":{\"format\":\"date-time\"},"
    "\"kind\":{\"enum\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",1]},\"next\":{\"$dynamicRef\":"
    "\"#n\"},"
    "\"list\":{\"uniqueItems\":true,\"items\":{\"$ref\":\"#/$defs/"
    "r\"}}},\"patternProperties\":{\"^x-\":"
    "{\"type\":\"integer\",\"multipleOf\":0.5}},\"unevaluatedProperties\":false,\"$defs\":{\"r\":{"
    "\"anyOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
    "r\"}},{\"type\":\"array\",\"items\":{"
    "\"$ref\":\"#/$defs/r\"},\"maxItems\":1}]},\"o\":{\"$id\":\"o\",\"$dynamicAnchor\":\"n\"}}}";

static const struct row {
    const char *instance;
    enum bt_schema_result answer;
} rows[] = {
    {"{\"id\":\"abcd\",\"at\":\"2026-01-01T00:00:00Z\",\"kind\":\"g\",\"x-a\":1}", BT_SCHEMA_VALID},
    {"{\"next\":{\"next\":{\"id\":\"abc\"}}}", BT_SCHEMA_INVALID},
    {"{\"next\":{\"next\":{\"kind\":1.0}}}", BT_SCHEMA_VALID},
    {"{\"list\":[[],[[]],[[[]]],[[[[[[[[[[[[]]]]]]]]]]]]]}", BT_SCHEMA_VALID},
    {"{\"list\":[[[[[[[[[[[[\"x\"]]]]]]]]]]]]}", BT_SCHEMA_INVALID},
    {"{\"at\":\"yesterday\"}", BT_SCHEMA_INVALID},
    {"{\"y-a\":1}", BT_SCHEMA_INVALID},
};

struct work {
    const struct bt_schema *schema;
    const struct bt_json_doc *documents[COUNT_OF(rows)];
    size_t wrong; /* answers */
};

/* cmocka's assertions are for the first thread alone, so the wrong answers are counted. */
static size_t judge_once(const struct work *work, struct bt_schema_runner *runner, size_t i)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    struct bt_findings *findings = bt_findings_new(&arena);
    enum bt_schema_result explained = BT_SCHEMA_UNDECIDED;
    const bool is_told = findings && bt_schema_explain(work->schema, runner, work->documents[i],
                                                       findings, &explained) == BT_OK;
    const bool is_right = is_told && explained == rows[i].answer &&
                          bt_schema_run(work->schema, runner, work->documents[i]) == rows[i].answer;
    bt_arena_free(&arena);
    return is_right ? 0 : 1;
}

static void *judge_all(void *context)
{
    struct work *work = context;
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    work->wrong = runner ? 0 : 1;
    for (size_t i = 0; runner && i < ROUNDS * COUNT_OF(rows); i++) {
        work->wrong += judge_once(work, runner, i % COUNT_OF(rows));
    }
    bt_schema_runner_destroy(runner);
    return NULL;
}

static const struct bt_json_doc *read_text(struct bt_arena *arena, const char *text)
{
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, bt_str_of(text), NULL, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

static void threads_share_a_compiled_schema(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_schema *schema = NULL;
    struct bt_schema_options options = bt_schema_options_default();
    options.assert_formats = true;
    bt_arena_init(&arena, ARENA_BYTES);
    assert_int_equal(bt_schema_compile(read_text(&arena, schema_text), &options, NULL, &schema),
                     BT_OK);
    assert_non_null(schema);
    struct work works[THREADS] = {0};
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        works[i].schema = schema;
        for (size_t k = 0; k < COUNT_OF(rows); k++) {
            works[i].documents[k] =
                i == 0 ? read_text(&arena, rows[k].instance) : works[0].documents[k];
        }
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, judge_all, &works[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(works[i].wrong, 0);
    }
    bt_schema_destroy(schema);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_compiled_schema),
    };
    return RUN_TESTS(tests);
}
