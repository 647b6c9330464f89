/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_growth.c - schemas and instances made to hurt: the answer is right, and the work, counted in
 * fuel and never in time, grows at most 2.3 times when the size doubles.
 */
#include "test.h"

#include <baton/json.h>
#include <baton/report.h>
#include <baton/schema.h>

#include "report/report.h"
#include "schema/options.h"

/* Put `count` times the body, in which # becomes the number of the turn. */
static void repeat(struct bt_buf *buf, const char *body, size_t count, const char *between)
{
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(buf, i > 0 ? between : "");
        for (const char *at = body; *at; at++) {
            if (*at == '#') {
                bt_buf_put_u64(buf, i);
            } else {
                bt_buf_put_char(buf, *at);
            }
        }
    }
}

static void nest(struct bt_buf *buf, size_t depth, const char *core)
{
    bt_buf_put_repeat(buf, '[', depth);
    bt_buf_put_text(buf, core);
    bt_buf_put_repeat(buf, ']', depth);
}

typedef void make_fn(size_t size, struct bt_buf *schema, struct bt_buf *instance);

#define RECURSIVE(word)                                                                            \
    "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"" word                                            \
    "\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/n\"},\"minItems\":0},"                  \
    "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/n\"},\"maxItems\":99}]}}}"

static void recursive_any_of(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, RECURSIVE("anyOf"));
    nest(instance, size, "1");
}

static void recursive_one_of(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, RECURSIVE("oneOf"));
    nest(instance, size, "1");
}

static void recursive_all_of(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, RECURSIVE("allOf"));
    nest(instance, size, "");
}

static void recursive_not(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"if\":{\"items\":{\"$ref\":"
                            "\"#/$defs/n\"}},\"then\":{\"items\":{\"$ref\":\"#/$defs/n\"}},"
                            "\"else\":{\"not\":{\"items\":{\"$ref\":\"#/$defs/n\"}}}}}}");
    nest(instance, size, "1");
}

static void laughing_refs(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"$ref\":\"#/$defs/a0\",\"$defs\":{");
    for (size_t i = 0; i < size; i++) {
        bt_buf_printf(schema,
                      "\"a%zu\":{\"allOf\":[{\"$ref\":\"#/$defs/a%zu\"},"
                      "{\"$ref\":\"#/$defs/a%zu\"}]},",
                      i, i + 1, i + 1);
    }
    bt_buf_printf(schema, "\"a%zu\":{\"type\":\"integer\"}}}", size);
    bt_buf_put_text(instance, "1");
}

static void unique_numbers(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"uniqueItems\":true}");
    bt_buf_put_char(instance, '[');
    repeat(instance, "#", size * 50, ",");
    bt_buf_put_char(instance, ']');
}

static void unique_objects(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"uniqueItems\":true}");
    bt_buf_put_char(instance, '[');
    repeat(instance, "{\"a\":{\"b\":[#,1.0,\"x\"]}}", size * 20, ",");
    bt_buf_put_char(instance, ']');
}

static void unevaluated_members(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"anyOf\":[{\"patternProperties\":{\"^k\":true}},{\"properties\":{"
                            "\"x\":true}}],\"unevaluatedProperties\":false}");
    bt_buf_put_char(instance, '{');
    repeat(instance, "\"k#\":1", size * 20, ",");
    bt_buf_put_char(instance, '}');
}

static void unevaluated_items(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"contains\":{\"type\":\"integer\"},\"unevaluatedItems\":false}");
    bt_buf_put_char(instance, '[');
    repeat(instance, "#", size * 20, ",");
    bt_buf_put_char(instance, ']');
}

static void hostile_pattern(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"not\":{\"pattern\":\"^(a+)+$\"}}");
    bt_buf_put_char(instance, '"');
    bt_buf_put_repeat(instance, 'a', size * 100);
    bt_buf_put_text(instance, "!\"");
}

static void large_enum(size_t size, struct bt_buf *schema, struct bt_buf *instance)
{
    bt_buf_put_text(schema, "{\"items\":{\"enum\":[");
    repeat(schema, "\"v#\"", size * 10, ",");
    bt_buf_put_text(schema, "]}}");
    bt_buf_put_char(instance, '[');
    repeat(instance, "\"v#\"", size * 10, ",");
    bt_buf_put_char(instance, ']');
}

static const struct family {
    const char *name;
    make_fn *make;
    enum bt_schema_result answer;
} families[] = {
    {"recursive anyOf", recursive_any_of, BT_SCHEMA_INVALID},
    {"recursive oneOf", recursive_one_of, BT_SCHEMA_INVALID},
    {"recursive allOf", recursive_all_of, BT_SCHEMA_VALID},
    {"recursive if and not", recursive_not, BT_SCHEMA_VALID},
    {"references that double", laughing_refs, BT_SCHEMA_VALID},
    {"unique numbers", unique_numbers, BT_SCHEMA_VALID},
    {"unique objects", unique_objects, BT_SCHEMA_VALID},
    {"unevaluated members", unevaluated_members, BT_SCHEMA_VALID},
    {"unevaluated items", unevaluated_items, BT_SCHEMA_VALID},
    {"a hostile pattern", hostile_pattern, BT_SCHEMA_VALID},
    {"a large enum", large_enum, BT_SCHEMA_VALID},
};

static const struct bt_json_doc *read_text(struct bt_arena *arena, const struct bt_buf *text)
{
    struct bt_json_read_result result = {0};
    assert_int_equal(text->status, BT_OK);
    assert_int_equal(bt_json_read(arena, bt_buf_str(text), NULL, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

/* Judge one member of a family by both runs; returns the fuel that the fast one took. */
static uint64_t judge(const struct family *family, size_t size)
{
    struct bt_buf texts[2];
    struct bt_arena arena;
    struct bt_schema *schema = NULL;
    bt_buf_init(&texts[0], 8 << 20);
    bt_buf_init(&texts[1], 8 << 20);
    bt_arena_init(&arena, (size_t)1 << 30);
    family->make(size, &texts[0], &texts[1]);
    const struct bt_json_doc *instance = read_text(&arena, &texts[1]);
    assert_int_equal(bt_schema_compile(read_text(&arena, &texts[0]), NULL, NULL, &schema), BT_OK);
    assert_non_null(schema);
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    assert_non_null(runner);
    const enum bt_schema_result fast = bt_schema_run(schema, runner, instance);
    const uint64_t fuel = bt_schema_work_used(runner);
    enum bt_schema_result slow = BT_SCHEMA_UNDECIDED;
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_non_null(findings);
    assert_int_equal(bt_schema_explain(schema, runner, instance, findings, &slow), BT_OK);
    if (fast != family->answer || slow != family->answer) {
        fail_msg("%s of %zu: fast %d, diagnostic %d, expected %d", family->name, size, fast, slow,
                 family->answer);
    }
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
    bt_arena_free(&arena);
    bt_buf_free(&texts[0]);
    bt_buf_free(&texts[1]);
    return fuel;
}

static void work_grows_with_the_size_and_not_faster(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        uint64_t last = judge(&families[i], 30);
        for (size_t size = 60; size <= 120; size *= 2) {
            const uint64_t fuel = judge(&families[i], size);
            if (fuel * 10 > last * 23 + 1000) {
                fail_msg("%s of %zu took %llu units, half of it %llu", families[i].name, size,
                         (unsigned long long)fuel, (unsigned long long)last);
            }
            last = fuel;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_grows_with_the_size_and_not_faster),
    };
    return RUN_TESTS(tests);
}
