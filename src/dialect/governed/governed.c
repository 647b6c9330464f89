/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed.c - the state that is created once and used for many documents: the compiled schemas.
 * Each is compiled for the first document of its kind.
 */
#include <assert.h>
#include <string.h>

#include "dialect/governed/governed_root.h"
#include "json/options.h"
#include "report/findings.h"
#include "report/json_rules.h"
#include "schema/builtin.h"
#include "schema/options.h"

enum {
    OWN_BYTES_MAX = 4 << 20,
    FINDINGS_MAX = 10000, /* of a schema; more are of no use to a reader */
};

/* What to do about a finding of the JSON reader or of the schema. */
#define GENERAL_HINT "correct the document"

static const char *const texts[BT_GOVERNED_KIND__MAX] = {
    [BT_GOVERNED_HANDOFF] = "governed",      [BT_GOVERNED_RESPONSE] = "response",
    [BT_GOVERNED_MANIFEST] = "manifest",     [BT_GOVERNED_LOCK] = "lock",
    [BT_GOVERNED_BOUNDARIES] = "boundaries",
};

static enum bt_status read_text(struct bt_governed_checker *governed, enum bt_governed_kind kind,
                                const struct bt_json_doc **out)
{
    const struct bt_json_options reading = bt_json_options_default();
    struct bt_json_read_result read = {0};
    /* from: built-in text */
    BT_TRY(bt_json_read(&governed->arena, bt_schema_builtin_of(texts[kind]), &reading, &read));
    assert(read.document);
    *out = read.document;
    return BT_OK;
}

static enum bt_status compile_schema(struct bt_governed_checker *governed,
                                     enum bt_governed_kind kind)
{
    const struct bt_json_doc *text = NULL;
    struct bt_schema_options options = bt_schema_options_default();
    options.skip_metaschema = true; /* a test judges them by their meta-schema */
    memcpy(options.hash_seed, governed->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(read_text(governed, kind, &text));
    BT_TRY(bt_schema_compile(text, &options, NULL, &governed->schemas[kind]));
    assert(governed->schemas[kind]);
    return BT_OK;
}

/* Where a time may stand. `format` of the engine is wider than what this dialect takes. */
static bt_str time_member(enum bt_governed_kind kind)
{
    switch (kind) {
    case BT_GOVERNED_HANDOFF:
    case BT_GOVERNED_RESPONSE:
        return BT_STR("timestamp");
    case BT_GOVERNED_MANIFEST:
    case BT_GOVERNED_LOCK:
        return BT_STR("generated");
    case BT_GOVERNED_BOUNDARIES:
    case BT_GOVERNED_KIND__MAX:
        break;
    }
    return BT_STR("");
}

/* The text where a time should be and none is, or NULL. */
static const bt_json_value *wrong_time(enum bt_governed_kind kind,
                                       const struct bt_json_doc *document)
{
    bt_instant instant;
    const bt_str name = time_member(kind);
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), name);
    const bool is_wrong = value && bt_json_type(value) == BT_JSON_STRING &&
                          bt_instant_parse(bt_json_text(value), &instant) != BT_OK;
    return is_wrong ? value : NULL;
}

static enum bt_status add_time_finding(struct bt_findings *findings,
                                       const struct bt_json_doc *document,
                                       const bt_json_value *value)
{
    return bt_add_schema_format_time(findings, bt_location_value(document, value),
                                     BT_STR("date-time"), bt_json_text(value));
}

/* What a finding of the engine names in params.property; "" when nothing. */
static bt_str property_of(const struct bt_finding *finding)
{
    const struct bt_finding_arg *property = bt_finding_arg(finding, BT_STR("property"));
    return property ? property->as.text : BT_STR("");
}

/* Two places of a schema may find the same fault; it is told once. */
static bool is_repeated_finding(const struct bt_findings *found, size_t index)
{
    const struct bt_finding *finding = bt_findings_at(found, index);
    for (size_t i = 0; i < index; i++) {
        const struct bt_finding *other = bt_findings_at(found, i);
        if (other->rule == finding->rule && bt_str_eq(other->pointer, finding->pointer) &&
            bt_str_eq(property_of(other), property_of(finding))) {
            return true;
        }
    }
    return false;
}

enum { COMPARED_MAX = 1000 }; /* findings that are compared with each other */

static enum bt_status add_schema_findings(struct bt_governed_checker *governed,
                                          enum bt_governed_kind kind,
                                          const struct bt_json_doc *document,
                                          struct bt_findings *findings)
{
    struct bt_findings *found = bt_findings_new(bt_findings_arena(findings));
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_schema_explain(governed->schemas[kind], governed->runner, document, found, NULL));
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        if (i < COMPARED_MAX && is_repeated_finding(found, i)) {
            continue;
        }
        struct bt_finding finding = *bt_findings_at(found, i);
        finding.hint = BT_STR(GENERAL_HINT);
        BT_TRY(bt_findings_add(findings, &finding));
    }
    return BT_OK;
}

enum bt_status bt_governed_schema(struct bt_governed_checker *governed, enum bt_governed_kind kind,
                                  const struct bt_json_doc *document, struct bt_findings *findings,
                                  bool *out_valid)
{
    assert(governed);
    assert(document);
    assert(out_valid);
    if (!governed->runner) {
        struct bt_schema_limits limits = bt_schema_limits_default();
        limits.findings_max = FINDINGS_MAX;
        governed->runner = bt_schema_runner_with(&limits);
        BT_TRY(governed->runner ? BT_OK : BT_ENOMEM);
    }
    if (!governed->schemas[kind]) {
        BT_TRY(compile_schema(governed, kind));
    }
    const bt_json_value *time = wrong_time(kind, document);
    const bool fits =
        bt_schema_run(governed->schemas[kind], governed->runner, document) == BT_SCHEMA_VALID;
    *out_valid = fits && !time;
    if (!findings || *out_valid) {
        return BT_OK;
    }
    if (!fits) {
        BT_TRY(add_schema_findings(governed, kind, document, findings));
    }
    return time ? add_time_finding(findings, document, time) : BT_OK;
}

enum bt_status bt_governed_json(struct bt_governed_checker *governed, struct bt_arena *arena,
                                bt_str text, struct bt_findings *findings,
                                const struct bt_json_doc **out)
{
    assert(governed);
    assert(out);
    const struct bt_json_options options = bt_json_options_from_env(governed->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    *out = read.document;
    if (!findings) {
        return BT_OK;
    }
    const size_t before = bt_findings_count(findings);
    BT_TRY(read.document ? bt_findings_add_lone(findings, read.document)
                         : bt_findings_add_json(findings, &read, text));
    for (size_t i = before; i < findings->count; i++) {
        findings->items[i]->hint = BT_STR(GENERAL_HINT);
    }
    return BT_OK;
}

enum bt_status bt_governed_checker_create(struct bt_env *env, struct bt_governed_checker **out)
{
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, OWN_BYTES_MAX);
    struct bt_governed_checker *governed = BT_NEW(&arena, struct bt_governed_checker);
    BT_TRY(governed ? BT_OK : BT_ENOMEM);
    governed->env = env;
    governed->arena = arena;
    *out = governed;
    return BT_OK;
}

void bt_governed_checker_destroy(struct bt_governed_checker *governed)
{
    if (!governed) {
        return;
    }
    bt_schema_runner_destroy(governed->runner);
    for (size_t i = 0; i < BT_GOVERNED_KIND__MAX; i++) {
        bt_schema_destroy(governed->schemas[i]);
    }
    struct bt_arena arena = governed->arena; /* this lies in it itself */
    bt_arena_free(&arena);
}

const char *bt_governed_last_error(const struct bt_governed_checker *governed)
{
    assert(governed);
    return governed->trouble.text;
}
