/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c - a program that uses libbaton: a document made from values, judged by a JSON Schema.
 *
 *     cc builder.c -o builder $(pkg-config --cflags --libs baton)
 *     ./builder NAME AGE
 *
 * The document is never a text: the builder makes it, and the schema judges it. It exits with 0
 * when it is valid, with 1 when it is not, and with 2 when it cannot tell.
 */
#include <stdio.h>
#include <stdlib.h>

#include <baton/baton.h>

enum { VALID = 0, INVALID = 1, NOT_JUDGED = 2 };

static const char person_schema[] =
    "{\"type\":\"object\",\"required\":[\"name\",\"age\"],"
    "\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":1},"
    "\"age\":{\"type\":\"integer\",\"minimum\":0}}}";

/* Failures stick to the builder, so they are asked for once, at the end. */
static const struct bt_json_doc *build_person(const struct bt_engine *engine,
                                              struct bt_arena *arena, const char *name, long age)
{
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    struct bt_builder *builder = bt_builder_create(engine, arena);
    if (!builder) {
        return NULL;
    }
    bt_builder_object(builder);
    bt_builder_name(builder, bt_str_of("name"));
    bt_builder_string(builder, bt_str_of(name));
    bt_builder_name(builder, bt_str_of("age"));
    bt_builder_i64(builder, age);
    bt_builder_end(builder);
    if (bt_builder_finish(builder, &made) == BT_OK && !made.document) {
        fprintf(stderr, "builder: %s\n", made.detail);
    }
    bt_builder_destroy(builder);
    return made.document;
}

/* A schema and documents of one engine have the same hash seed, which makes lookups fast. */
static struct bt_schema *compile_schema(const struct bt_engine *engine, struct bt_arena *arena)
{
    struct bt_json_options reading = BT_INIT(struct bt_json_options);
    struct bt_schema_options compiling = BT_INIT(struct bt_schema_options);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_schema *schema = NULL;
    reading.engine = engine;
    compiling.engine = engine;
    if (bt_json_read(arena, bt_str_of(person_schema), &reading, &read) != BT_OK || !read.document ||
        bt_schema_compile(read.document, &compiling, NULL, &schema) != BT_OK) {
        return NULL;
    }
    return schema;
}

/* Such a document has no source, so its findings have a pointer and no position. */
static int judge(const struct bt_schema *schema, const struct bt_json_doc *document)
{
    struct bt_schema_runner *runner = NULL;
    struct bt_findings *findings = bt_findings_create();
    int code = NOT_JUDGED;
    if (findings && bt_schema_runner_create(NULL, &runner) == BT_OK &&
        bt_schema_validate(schema, runner, document, findings, NULL) == BT_OK) {
        for (size_t i = 0; i < bt_findings_count(findings); i++) {
            const struct bt_finding *finding = bt_findings_at(findings, i);
            printf("%.*s at %.*s: %.*s\n", BT_STR_ARG(bt_finding_code(finding)),
                   BT_STR_ARG(bt_finding_pointer(finding)),
                   BT_STR_ARG(bt_finding_message(finding)));
        }
        code = bt_findings_count(findings) == 0 ? VALID : INVALID;
    }
    bt_schema_runner_destroy(runner);
    bt_findings_destroy(findings);
    return code;
}

int main(int argc, char **argv)
{
    struct bt_engine *engine = NULL;
    struct bt_arena *arena = bt_arena_create(1 << 20);
    struct bt_error error = {BT_ENOMEM, "no memory"};
    int code = NOT_JUDGED;
    if (argc != 3 || !arena || bt_engine_create(bt_str_of(""), &engine, &error) != BT_OK) {
        fprintf(stderr, "builder: %s\n", argc == 3 ? error.text : "usage: builder NAME AGE");
    } else {
        const long age = strtol(argv[2], NULL, 10);
        const struct bt_json_doc *person = build_person(engine, arena, argv[1], age);
        struct bt_schema *schema = person ? compile_schema(engine, arena) : NULL;
        code = schema ? judge(schema, person) : NOT_JUDGED;
        bt_schema_destroy(schema);
    }
    bt_engine_destroy(engine);
    bt_arena_destroy(arena);
    return code;
}
