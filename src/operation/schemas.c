/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schemas.c - judge a document by a schema that the caller gives; references to other documents are
 * not followed.
 */
#include <inttypes.h>
#include <string.h>

#include <baton/schema.h>

#include "json/options.h"
#include "operation/operation.h"
#include "schema/options.h"

/* A parsed text; without a document the findings say why. */
struct bt_op_schema_input {
    bt_str path;
    bt_str text;
    const struct bt_json_doc *document;
    struct bt_findings *findings;
};

static enum bt_status read_document(struct bt_call *work, const char *path, bt_str text,
                                    struct bt_op_schema_input *out)
{
    const struct bt_json_options options = bt_json_options_from_env(work->service->env);
    const struct bt_check_options how = {.dialect = BT_DIALECT_JSON};
    struct bt_json_read_result result = {0};
    struct bt_judgement judged;
    *out = (struct bt_op_schema_input){
        .path = bt_str_of(path), .text = text, .findings = bt_findings_new(work->arena)};
    if (!out->findings) {
        return BT_ENOMEM;
    }
    /* from: caller */
    BT_TRY(bt_json_read(work->arena, text, &options, &result));
    out->document = result.document;
    if (result.document && !bt_json_has_lone_surrogate(result.document)) {
        return BT_OK;
    }
    BT_TRY(bt_check_document(work->service->env, work->arena, out->path, text, &how, &judged));
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        BT_TRY(bt_findings_add(out->findings, bt_findings_at(judged.findings, i)));
    }
    return BT_OK;
}

static enum bt_status finish_judgement(const struct bt_op_schema_input *reading,
                                       enum bt_dialect_id dialect, bt_str facts,
                                       struct bt_judgement *out)
{
    return bt_judgement_make(reading->path, dialect, reading->text, reading->findings, facts, out);
}

/* Judge the instance, if it can be read. */
static enum bt_status check_instance(struct bt_call *work, const struct bt_schema *schema,
                                     struct bt_op_schema_input *instance, struct bt_judgement *out)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    bt_str facts;
    limits.time_ns = bt_config_u64(work->service->config, "limits.schema_ms") * 1000000;
    limits.clock = bt_worker_clock_ns;
    if (!instance->document) {
        BT_TRY(bt_arena_printf(work->arena, &facts, "{\"bytes\":%zu}", instance->text.len));
        return finish_judgement(instance, BT_DIALECT_JSON, facts, out);
    }
    struct bt_schema_runner *runner = bt_schema_runner_with(&limits);
    if (!runner) {
        return BT_ENOMEM;
    }
    enum bt_status status =
        bt_schema_validate(schema, runner, instance->document, instance->findings, NULL);
    const uint64_t fuel = bt_schema_work_used(runner);
    bt_schema_runner_destroy(runner);
    BT_TRY(status);
    BT_TRY(bt_arena_printf(work->arena, &facts,
                           "{\"bytes\":%zu,\"nodes\":%" PRIu64 ",\"work\":%" PRIu64 "}",
                           instance->text.len, bt_json_node_count(instance->document), fuel));
    return finish_judgement(instance, BT_DIALECT_JSON, facts, out);
}

static enum bt_status compile_schema(struct bt_call *work, struct bt_op_schema_input *schema,
                                     struct bt_schema **out)
{
    struct bt_schema_options options = bt_schema_options_default();
    struct bt_findings *findings = bt_findings_new(work->arena);
    *out = NULL;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (!schema->document) {
        return BT_OK;
    }
    memcpy(options.hash_seed, work->service->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(bt_schema_compile(schema->document, &options, findings, out));
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        BT_TRY(bt_findings_add(schema->findings, bt_findings_at(findings, i)));
    }
    return BT_OK;
}

enum bt_status bt_op_read_valid(struct bt_call *work, bt_str text, const char *name,
                                const struct bt_json_doc **out)
{
    struct bt_schema *compiled = NULL;
    struct bt_op_schema_input schema;
    struct bt_op_schema_input instance;
    struct bt_judgement judged;
    BT_TRY(read_document(work, name, bt_schema_builtin_named(bt_str_of(name)), &schema));
    BT_TRY(read_document(work, name, text, &instance));
    BT_TRY(compile_schema(work, &schema, &compiled));
    const enum bt_status status =
        compiled ? check_instance(work, compiled, &instance, &judged) : BT_EINTERNAL;
    bt_schema_destroy(compiled);
    BT_TRY(status);
    *out = judged.verdict == BT_VERDICT_ACCEPTED ? instance.document : NULL;
    return BT_OK;
}

enum bt_status bt_op_schema_validate(struct bt_call *work, const struct bt_args *args)
{
    struct bt_schema *compiled = NULL;
    struct bt_op_schema_input schema;
    struct bt_op_schema_input instance;
    struct bt_judgement both[2];
    size_t count = 0;
    BT_TRY(read_document(work, "schema", bt_args_source(args, BT_ARG_SCHEMA_VALIDATE_SCHEMA),
                         &schema));
    BT_TRY(read_document(work, "instance", bt_args_source(args, BT_ARG_SCHEMA_VALIDATE_INSTANCE),
                         &instance));
    BT_TRY(compile_schema(work, &schema, &compiled));
    enum bt_status status = BT_OK;
    if (bt_findings_count(schema.findings) > 0) { /* it is shown when there are findings */
        status = finish_judgement(&schema, BT_DIALECT_SCHEMA, BT_STR(""), &both[count++]);
    }
    if (status == BT_OK && compiled) {
        status = check_instance(work, compiled, &instance, &both[count++]);
    }
    bt_schema_destroy(compiled);
    BT_TRY(status);
    return bt_result_set_report(work, both, count, BT_STR(""));
}
