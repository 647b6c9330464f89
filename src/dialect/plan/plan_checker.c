/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_checker.c - what is made once, the schemas of payload schemas and of recorded runs; and the
 * order of the stages of a check.
 */
#include <assert.h>
#include <string.h>

#include "dialect/plan/plan_check.h"
#include "schema/builtin.h"
#include "schema/options.h"

enum { OWN_BYTES_MAX = 16 << 20, FINDINGS_MAX = 100000 };

struct bt_plan_options bt_plan_options_default(void)
{
    return (struct bt_plan_options){0};
}

static enum bt_status compile_schema(struct bt_plan_checker *plans, const char *name,
                                     struct bt_schema **out)
{
    struct bt_json_read_result read = {0};
    struct bt_schema_options options = bt_schema_options_default();
    /* from: built-in text */
    BT_TRY(bt_json_read(&plans->arena, bt_schema_builtin_of(name), NULL, &read));
    assert(read.document);
    options.skip_metaschema = true; /* a test judges it by its meta-schema */
    memcpy(options.hash_seed, plans->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(bt_schema_compile(read.document, &options, NULL, out));
    assert(*out);
    return BT_OK;
}

static enum bt_status init_checker(struct bt_plan_checker *plans)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.findings_max = FINDINGS_MAX;
    BT_TRY(compile_schema(plans, "payload-meta", &plans->meta));
    BT_TRY(compile_schema(plans, "trajectory", &plans->record));
    plans->runner = bt_schema_runner_with(&limits);
    plans->payload_runner = bt_schema_runner_with(NULL);
    return plans->runner && plans->payload_runner ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_plan_checker_create(struct bt_env *env, struct bt_plan_checker **out)
{
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, OWN_BYTES_MAX);
    struct bt_plan_checker *plans = BT_NEW(&arena, struct bt_plan_checker);
    BT_TRY(plans ? BT_OK : BT_ENOMEM);
    plans->env = env;
    plans->arena = arena;
    const enum bt_status status = init_checker(plans);
    if (status != BT_OK) {
        bt_plan_checker_destroy(plans);
        return status;
    }
    *out = plans;
    return BT_OK;
}

void bt_plan_checker_destroy(struct bt_plan_checker *plans)
{
    if (!plans) {
        return;
    }
    bt_schema_runner_destroy(plans->runner);
    bt_schema_runner_destroy(plans->payload_runner);
    bt_schema_destroy(plans->meta);
    bt_schema_destroy(plans->record);
    struct bt_arena arena = plans->arena; /* which holds this struct */
    bt_arena_free(&arena);
}

enum bt_status bt_plan_run(struct bt_plan_check *plan, bt_str text, bt_plan_stage_fn *const *stages,
                           size_t count)
{
    BT_TRY(bt_plan_read(plan, text));
    for (size_t i = 0; plan->is_readable && i < count; i++) {
        BT_TRY(stages[i](plan));
    }
    return BT_OK;
}

enum bt_status bt_plan_judge(struct bt_plan_check *plan, bt_str text)
{
    static bt_plan_stage_fn *const stages[] = {bt_plan_references, bt_plan_duplicates,
                                               bt_plan_check_status_words, bt_plan_dependencies,
                                               bt_plan_chain};
    return bt_plan_run(plan, text, stages, sizeof(stages) / sizeof(stages[0]));
}

enum bt_status bt_plan_finish(struct bt_findings *findings, bt_str path, bt_str source,
                              struct bt_judgement *out)
{
    return bt_judgement_make(path, BT_DIALECT_PLAN, source, findings, BT_STR(""), out);
}
