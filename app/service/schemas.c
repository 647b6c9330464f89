/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schemas.c - a document judged by a schema that the caller gives; references lead nowhere else.
 */
#include <inttypes.h>
#include <string.h>

#include <baton/schema.h>

#include "service/service.h"

/* A text, read; without a document the findings say why. */
struct reading {
    bt_str path;
    bt_str text;
    const struct bt_doc *document;
    struct bt_findings *findings;
};

static enum bt_status read(struct work *work, const char *path, bt_str text, struct reading *out)
{
    const struct bt_json_options options = bt_json_options_of(work->service->env);
    const struct bt_check_options how = {.dialect = bt_dialect_named(BT_STR("json"))};
    struct bt_json_result result;
    struct bt_judged judged;
    *out = (struct reading){
        .path = bt_str_of(path), .text = text, .findings = bt_findings_new(work->arena)};
    if (!out->findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_json_read(work->arena, text, &options, &result));
    out->document = result.document;
    if (result.document && !bt_json_has_lone(result.document)) {
        return BT_OK;
    }
    BT_TRY(bt_check(work->service->env, work->arena, out->path, text, &how, &judged));
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        BT_TRY(bt_findings_add(out->findings, bt_findings_at(judged.findings, i)));
    }
    return BT_OK;
}

static enum bt_status conclude(const struct reading *reading, const char *dialect, bt_str facts,
                               struct bt_judged *out)
{
    BT_TRY(bt_findings_finish(reading->findings, reading->text));
    *out = (struct bt_judged){.path = reading->path,
                              .dialect = bt_str_of(dialect),
                              .source = reading->text,
                              .verdict = bt_verdict_of(reading->findings, BT_HARD),
                              .findings = reading->findings,
                              .facts = facts,
                              .members = BT_STR("")};
    return BT_OK;
}

/* Judge the instance, if it can be read. */
static enum bt_status judge(struct work *work, const struct bt_schema *schema,
                            struct reading *instance, struct bt_judged *out)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    bt_str facts;
    limits.time_ns = bt_config_number(work->service->config, "limits.schema_ms") * 1000000;
    limits.clock = service_clock;
    if (!instance->document) {
        BT_TRY(bt_arena_printf(work->arena, &facts, "{\"bytes\":%zu}", instance->text.len));
        return conclude(instance, "json", facts, out);
    }
    struct bt_schema_runner *runner = bt_schema_runner_create(&limits);
    if (!runner) {
        return BT_ENOMEM;
    }
    enum bt_status status =
        bt_schema_judge(schema, runner, instance->document, instance->findings, NULL);
    const uint64_t fuel = bt_schema_fuel_used(runner);
    bt_schema_runner_destroy(runner);
    BT_TRY(status);
    BT_TRY(bt_arena_printf(work->arena, &facts,
                           "{\"bytes\":%zu,\"nodes\":%" PRIu64 ",\"work\":%" PRIu64 "}",
                           instance->text.len, bt_json_nodes(instance->document), fuel));
    return conclude(instance, "json", facts, out);
}

static enum bt_status compile(struct work *work, struct reading *schema, struct bt_schema **out)
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

enum bt_status op_schema_validate(struct work *work, bt_str schema_text, bt_str instance_text)
{
    struct bt_schema *compiled = NULL;
    struct reading schema;
    struct reading instance;
    struct bt_judged both[2];
    size_t count = 0;
    BT_TRY(read(work, "schema", schema_text, &schema));
    BT_TRY(read(work, "instance", instance_text, &instance));
    BT_TRY(compile(work, &schema, &compiled));
    enum bt_status status = BT_OK;
    if (bt_findings_count(schema.findings) > 0) { /* it is shown when there is something to say */
        status = conclude(&schema, "schema", BT_STR(""), &both[count++]);
    }
    if (status == BT_OK && compiled) {
        status = judge(work, compiled, &instance, &both[count++]);
    }
    bt_schema_destroy(compiled);
    BT_TRY(status);
    return answer_report(work, both, count, BT_STR(""));
}
