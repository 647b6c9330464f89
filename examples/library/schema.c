/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - a program that uses libbaton: JSON Lines judged by a JSON Schema.
 *
 *     cc schema.c -o schema $(pkg-config --cflags --libs baton)
 *     ./schema SCHEMA < LINES
 *
 * The schema is compiled once. For each error it prints the line, the place, and what is allowed
 * there. It exits with 0 when all lines are valid, with 1 when one is not, and with 2 when it
 * cannot tell.
 */
#include <stdio.h>

#include <baton/baton.h>

enum { LINE_BYTES_MAX = 1 << 20, ALL_VALID = 0, SOME_INVALID = 1, NOT_JUDGED = 2 };

/* What the parameters of a finding say is allowed, as compact JSON; "" when they do not. */
static bt_str find_allowed(struct bt_arena *arena, struct bt_buf *buf, bt_str params)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    const bt_json_value *allowed = NULL;
    bt_buf_clear(buf);
    if (params.len > 0 && bt_json_read(arena, params, NULL, &read) == BT_OK && read.document) {
        const bt_json_value *root = bt_json_root(read.document);
        allowed = bt_json_get(read.document, root, bt_str_of("allowed"));
        allowed = allowed ? allowed : bt_json_get(read.document, root, bt_str_of("expected"));
    }
    if (allowed &&
        bt_json_write(buf, read.document, allowed, BT_JSON_FORM_COMPACT, arena, NULL) == BT_OK) {
        return bt_buf_str(buf);
    }
    return bt_str_of("");
}

static void print_findings(struct bt_arena *arena, const struct bt_findings *findings,
                           unsigned line)
{
    struct bt_buf *buf = bt_buf_create(LINE_BYTES_MAX);
    for (size_t i = 0; buf && i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        const bt_str allowed = find_allowed(arena, buf, bt_finding_params(finding));
        printf("%u:%u %.*s at \"%.*s\"", line, bt_finding_place(finding).column,
               BT_STR_ARG(bt_finding_code(finding)), BT_STR_ARG(bt_finding_pointer(finding)));
        if (allowed.len > 0) {
            printf(", allowed: %.*s", BT_STR_ARG(allowed));
        }
        printf("\n");
    }
    bt_buf_destroy(buf);
}

/* One line of JSON. A text that is not JSON is invalid, whatever the schema says. */
static int judge_line(struct bt_arena *arena, const struct bt_schema *schema,
                      struct bt_schema_runner *runner, bt_str text, unsigned line)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_findings *findings = bt_findings_create();
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    int code = NOT_JUDGED;
    bt_arena_reset(arena);
    if (findings && bt_json_read(arena, text, NULL, &read) == BT_OK && !read.document) {
        printf("%u:%zu %s\n", line, read.offset + 1, read.detail);
        code = SOME_INVALID;
    } else if (findings && read.document &&
               bt_schema_validate(schema, runner, read.document, findings, &answer) == BT_OK) {
        print_findings(arena, findings, line);
        code = answer == BT_SCHEMA_VALID     ? ALL_VALID
               : answer == BT_SCHEMA_INVALID ? SOME_INVALID
                                             : NOT_JUDGED;
    }
    bt_findings_destroy(findings);
    return code;
}

static struct bt_schema *compile_file(struct bt_arena *arena, const char *path)
{
    char *bytes = (char *)bt_arena_alloc(arena, LINE_BYTES_MAX);
    FILE *file = fopen(path, "rb");
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_schema *schema = NULL;
    const bt_str text = {bytes, bytes && file ? fread(bytes, 1, LINE_BYTES_MAX, file) : 0};
    if (text.len == 0 || bt_json_read(arena, text, NULL, &read) != BT_OK || !read.document ||
        bt_schema_compile(read.document, NULL, NULL, &schema) != BT_OK) {
        schema = NULL;
    }
    if (file) {
        fclose(file);
    }
    return schema;
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES_MAX];
    struct bt_arena *arena = bt_arena_create(64 << 20);
    struct bt_schema *schema = argc == 2 && arena ? compile_file(arena, argv[1]) : NULL;
    struct bt_schema_runner *runner = NULL;
    int code = NOT_JUDGED;
    if (!schema || bt_schema_runner_create(NULL, &runner) != BT_OK) {
        fprintf(stderr, "usage: schema SCHEMA < LINES\n");
    } else {
        code = ALL_VALID;
        for (unsigned i = 1; fgets(line, sizeof(line), stdin); i++) {
            const int one = judge_line(arena, schema, runner, bt_str_of(line), i);
            code = one > code ? one : code;
        }
    }
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
    bt_arena_destroy(arena);
    return code;
}
