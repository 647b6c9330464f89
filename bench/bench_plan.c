/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_plan.c - bench_plan DATA: payloads validated, chains audited, waves found; and how the last
 * two grow with the rows.
 *
 * A payload is validated in three ways: by a schema that is loaded already, by one that is found,
 * read, judged and compiled each time, and by a child that is forked for it and judges by Debian's
 * python3-jsonschema. The plans and the schema are made here;
 * DATA is not looked at.
 */
#define _DEFAULT_SOURCE /* mkdtemp() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dialect/plan/plan.h"
#include "measure.h"
#include "sets.h"

enum { ROUNDS = 20000, WHOLE_ROUNDS = 500, TURNS = 9 };

#define FOLDER "schemas/handoff-payloads"

static const char schema_text[] =
    "{\"$id\":\"audit/v1.schema.json\",\"type\":\"object\","
    "\"required\":[\"verdict\",\"findings\",\"audited_paths\"],\"additionalProperties\":false,"
    "\"properties\":{\"verdict\":{\"enum\":[\"CLEAN\",\"CONDITIONAL\",\"BLOCKING\"]},"
    "\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"code\",\"severity\",\"path\"],\"additionalProperties\":false,\"properties\":{"
    "\"code\":{\"type\":\"string\",\"maxLength\":2},\"severity\":{\"enum\":[\"LOW\",\"HIGH\"]},"
    "\"path\":{\"type\":\"string\"}}}},"
    "\"audited_paths\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}}}}";
static const char payload_text[] =
    "{\"verdict\":\"BLOCKING\",\"findings\":[{\"code\":\"TM\",\"severity\":\"LOW\","
    "\"path\":\"a.md\"}],\"audited_paths\":[\"a\",\"b\"]}";

struct bench {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_plan_checker *plans;
    struct bt_dir *root;
};

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "bench_plan: %s\n", what);
        exit(1);
    }
}

static void begin(struct bench *bench)
{
    char top[] = "/tmp/baton-bench-XXXXXX";
    char path[256];
    must(bt_env_init(&bench->env) == BT_OK, "no world");
    bench->env.limits.document_bytes = 64 << 20;
    bench->env.limits.nodes = 4000000;
    bt_arena_init(&bench->arena, (size_t)4 << 30);
    must(bt_plan_checker_create(&bench->env, &bench->plans) == BT_OK, "no plans");
    must(mkdtemp(top) != NULL, "no folder");
    (void)snprintf(path, sizeof(path), "%s/schemas", top);
    must(mkdir(path, 0700) == 0, "no folder");
    (void)snprintf(path, sizeof(path), "%s/" FOLDER, top);
    must(mkdir(path, 0700) == 0, "no folder");
    must(bt_dir_open(bt_str_of(top), &bench->root, NULL) == BT_OK, "no root");
    (void)snprintf(path, sizeof(path), "%s/" FOLDER "/audit.v1.schema.json", top);
    must(bt_file_replace(bt_str_of(path), bt_str_of(schema_text), NULL) == BT_OK, "no schema");
}

/* ---- Payloads -------------------------------------------------------------------------------- */

/* Nanoseconds of one whole validation; with no schema given, its loading included. */
static double validate_ns(struct bench *bench, const struct bt_payload_schema *schema, int rounds)
{
    const struct bt_plan_options options = {.dir = bench->root};
    const struct bt_plan_validate_input input = {
        .payload = {BT_STR("p"), bt_str_of(payload_text), &options},
        .schema = schema,
        .reference = BT_STR("audit/v1.schema.json"),
        .timeout_ns = UINT64_C(2000000000),
        .budget = 10000000};
    const struct bt_arena_mark mark = bt_arena_mark(&bench->arena);
    double best = 1e18;
    for (int turn = 0; turn < TURNS; turn++) {
        const double from = now_ns();
        for (int i = 0; i < rounds; i++) {
            struct bt_plan_result result;
            must(bt_plan_validate_payload(bench->plans, &bench->arena, &input, &result) == BT_OK &&
                     result.judged.verdict == BT_VERDICT_ACCEPTED,
                 "not validated");
            bt_arena_rewind(&bench->arena, mark);
        }
        const double spent = (now_ns() - from) / rounds;
        best = spent < best ? spent : best;
    }
    return best;
}

static double loaded_ns(struct bench *bench)
{
    struct bt_payload_schema *schema = NULL;
    must(bt_payload_schema_open(bench->plans, bench->root, BT_STR("audit/v1.schema.json"),
                                &schema) == BT_OK,
         "no schema");
    const double spent = validate_ns(bench, schema, ROUNDS);
    bt_payload_schema_close(schema);
    return spent;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static bt_str make_plan(struct bench *bench, size_t rows)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 64 << 20);
    bt_buf_put_text(&buf, "step,agent,action,inputs,outputs,status,notes,payload_schema_in,"
                          "payload_schema_out,depends_on\n");
    for (size_t i = 1; i <= rows; i++) {
        bt_buf_printf(&buf, "%zu,@a,do,src/part%zu/in.c,out/part%zu/%zu.md,,,", i, i % 97, i % 50,
                      i);
        bt_buf_printf(&buf, "audit/v1.schema.json,audit/v1.schema.json,");
        if (i > 10) {
            bt_buf_printf(&buf, "%zu", i - 10);
        }
        bt_buf_put_char(&buf, '\n');
    }
    must(bt_buf_copy(&buf, &bench->arena, &text) == BT_OK, "no memory");
    bt_buf_free(&buf);
    return text;
}

static double plan_ms(struct bench *bench, bt_str text, bool waves)
{
    const struct bt_plan_options options = {.dir = bench->root};
    const struct bt_plan_input input = {BT_STR("p"), text, &options};
    const struct bt_arena_mark mark = bt_arena_mark(&bench->arena);
    double best = 1e18;
    for (int turn = 0; turn < TURNS; turn++) {
        struct bt_plan_result result;
        const double from = now_ns();
        must((waves ? bt_plan_waves(bench->plans, &bench->arena, &input, false, &result)
                    : bt_plan_audit(bench->plans, &bench->arena, &input, &result)) == BT_OK &&
                 result.members.len > 0,
             "not judged");
        const double spent = (now_ns() - from) / 1e6;
        best = spent < best ? spent : best;
        bt_arena_rewind(&bench->arena, mark);
    }
    return best;
}

int main(void)
{
    struct bench bench = {0};
    begin(&bench);
    printf("loaded_ns %.0f\n", loaded_ns(&bench));
    printf("whole_ns %.0f\n", validate_ns(&bench, NULL, WHOLE_ROUNDS));
    static const size_t sizes[] = {1000, 10000, 100000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct bt_arena_mark mark = bt_arena_mark(&bench.arena);
        const bt_str text = make_plan(&bench, sizes[i]);
        printf("rows %zu audit_ms %.2f waves_ms %.2f\n", sizes[i], plan_ms(&bench, text, false),
               plan_ms(&bench, text, true));
        bt_arena_rewind(&bench.arena, mark);
    }
    printf("schema %s\npayload %s\n", schema_text, payload_text);
    return 0;
}
