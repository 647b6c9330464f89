/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_modes.c - the engine as the tests ask it: the fast run and the diagnostic run.
 */
#include "engine_modes.h"

#include <stdlib.h>

#include <baton/report.h>

#include "report/report.h"
#include "schema/options.h"

enum { FINDINGS_BYTES = 64 << 20 };

struct engine {
    struct bt_arena arena;
    struct bt_findings *problems;
    struct bt_schema *schema;
    struct bt_schema_runner *runner;
    char reason[256];
};

void engine_close(void *opened)
{
    struct engine *engine = opened;
    if (engine) {
        bt_schema_runner_destroy(engine->runner);
        bt_schema_destroy(engine->schema);
        bt_arena_free(&engine->arena);
        free(engine);
    }
}

void *engine_open(const struct bt_json_doc *schema, const struct judge_options *judge)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    if (!engine) {
        return NULL;
    }
    bt_arena_init(&engine->arena, FINDINGS_BYTES);
    engine->problems = bt_findings_new(&engine->arena);
    engine->runner = bt_schema_runner_with(NULL);
    struct bt_schema_options options = bt_schema_options_default();
    options.draft = judge->draft;
    options.assert_formats = judge->assert_formats;
    options.documents = judge->others;
    options.documents_count = judge->others_count;
    if (!engine->problems || !engine->runner ||
        bt_schema_compile(schema, &options, engine->problems, &engine->schema) != BT_OK) {
        engine_close(engine);
        return NULL;
    }
    return engine;
}

const char *engine_reason(void *opened)
{
    const struct engine *engine = opened;
    if (engine->schema) {
        return bt_schema_limit_reached(engine->runner) == BT_SCHEMA_LIMIT_TIME ? "time is spent"
                                                                               : "work is spent";
    }
    if (bt_findings_count(engine->problems) == 0) {
        return "the schema is refused without a reason";
    }
    const struct bt_finding *first = bt_findings_at(engine->problems, 0);
    return first->message.ptr; /* findings end their texts with a NUL */
}

static enum verdict verdict_of(enum bt_schema_result answer)
{
    return answer == BT_SCHEMA_VALID     ? VERDICT_VALID
           : answer == BT_SCHEMA_INVALID ? VERDICT_INVALID
                                         : VERDICT_NONE;
}

enum verdict engine_judge_fast(void *opened, const struct bt_json_doc *instance)
{
    const struct engine *engine = opened;
    return engine->schema ? verdict_of(bt_schema_run(engine->schema, engine->runner, instance))
                          : VERDICT_NONE;
}

enum verdict engine_judge_diagnostic(void *opened, const struct bt_json_doc *instance)
{
    const struct engine *engine = opened;
    if (!engine->schema) {
        return VERDICT_NONE;
    }
    struct bt_arena arena;
    bt_arena_init(&arena, FINDINGS_BYTES);
    struct bt_findings *findings = bt_findings_new(&arena);
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    const bool is_judged = findings && bt_schema_explain(engine->schema, engine->runner, instance,
                                                         findings, &answer) == BT_OK;
    const bool has_findings = is_judged && bt_findings_count(findings) > 0;
    bt_arena_free(&arena);
    const bool agrees = has_findings == (answer != BT_SCHEMA_VALID);
    return is_judged && agrees ? verdict_of(answer) : VERDICT_NONE;
}
