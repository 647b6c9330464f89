/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - the steps of loading a payload schema, in their order.
 */
#include "dialect/plan/payload.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/emit.h"
#include "json/options.h"
#include "json/walk.h"
#include "report/json_rules.h"
#include "report/rules.h"
#include "schema/options.h"

enum { PARAMS_BYTES_MAX = 1 << 30, SCHEMA_BYTES_MAX = 1 << 30 };

void bt_payload_begin(struct bt_payload *payload, struct bt_plan_checker *plans,
                      struct bt_findings *findings)
{
    assert(payload);
    *payload = (struct bt_payload){.plans = plans,
                                   .findings = findings,
                                   .arena = bt_findings_arena(findings),
                                   .draft = BT_SCHEMA_DRAFT_2020_12};
}

void bt_payload_end(struct bt_payload *payload)
{
    bt_schema_destroy(payload->schema);
    payload->schema = NULL;
}

struct bt_location bt_payload_location(const struct bt_payload *payload, const bt_json_value *value)
{
    return bt_location_value(payload->document, value);
}

static enum bt_status refuse_file(struct bt_payload *payload, enum bt_path_error refusal)
{
    static bt_payload_refuse_fn *const refusals[] = {
        [BT_PATH_NOT_FOUND] = bt_add_ref_missing,
        [BT_PATH_OUTSIDE_DIR] = bt_add_ref_escape,
        [BT_PATH_LINK_LOOP] = bt_add_ref_symlink_loop,
        [BT_PATH_NOT_REGULAR] = bt_add_ref_not_file,
    };
    return refusals[refusal](payload->findings, bt_location_whole(), payload->reference);
}

/* A schema that cannot be read is a security event: two readers may see two schemas. */
static enum bt_status add_unreadable_findings(struct bt_payload *payload,
                                              const struct bt_json_read_result *read)
{
    struct bt_findings *found = bt_findings_new(payload->arena);
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_findings_add_json(found, read, payload->bytes));
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        struct bt_finding finding = *bt_findings_at(found, i);
        finding.security = true;
        BT_TRY(bt_findings_add(payload->findings, &finding));
    }
    return BT_OK;
}

enum bt_status bt_payload_read(struct bt_payload *payload, bt_str text, bt_str name)
{
    struct bt_payload_reference reference;
    struct bt_json_read_result read = {0};
    if (name.len > 0 && bt_payload_reference_of_name(name, &reference)) {
        BT_TRY(bt_payload_reference_id(&reference, payload->arena, &payload->id));
    }
    payload->bytes = text;
    payload->step = BT_PAYLOAD_READ;
    const struct bt_json_options options = bt_json_options_from_env(payload->plans->env);
    /* from: caller */
    BT_TRY(bt_json_read(payload->arena, text, &options, &read));
    if (!read.document) {
        return add_unreadable_findings(payload, &read);
    }
    payload->document = read.document;
    payload->step = BT_PAYLOAD_PASSED;
    BT_TRY(bt_findings_add_lone(payload->findings, read.document));
    return bt_payload_schema_positions_find(read.document, payload->arena, &payload->positions);
}

/* The text of a schema that is still to be written, or "". */
static bt_str find_made_schema(const struct bt_plan_checker *plans,
                               const struct bt_payload_reference *reference)
{
    for (size_t i = 0; i < plans->made_count; i++) {
        const struct bt_payload_reference made = bt_plan_reference_read(plans->made_schemas[i].id);
        if (bt_str_eq(made.slug, reference->slug) && bt_str_eq(made.version, reference->version)) {
            return plans->made_schemas[i].text;
        }
    }
    return BT_STR("");
}

enum bt_status bt_payload_fetch(struct bt_payload *payload, const struct bt_dir *root,
                                bt_str reference)
{
    const struct bt_payload_reference parts = bt_plan_reference_read(reference);
    payload->reference = reference;
    payload->step = BT_PAYLOAD_TEXT;
    if (parts.refuse) {
        return parts.refuse(payload->findings, bt_location_whole(), reference);
    }
    struct bt_dir_file file;
    const bt_str made = find_made_schema(payload->plans, &parts);
    BT_TRY(bt_payload_reference_id(&parts, payload->arena, &payload->id));
    BT_TRY(bt_payload_reference_file(&parts, payload->arena, &payload->file));
    payload->step = BT_PAYLOAD_OPEN;
    if (made.len > 0) {
        return bt_payload_read(payload, made, BT_STR(""));
    }
    BT_TRY(bt_dir_read_linked(root, payload->arena, payload->file,
                              payload->plans->env->limits.document_bytes, &file, NULL));
    if (file.error != BT_PATH_OK) {
        return refuse_file(payload, file.error);
    }
    return bt_payload_read(payload, file.content, BT_STR(""));
}

static enum bt_status check_shape(struct bt_payload *payload)
{
    const bt_json_value *root = bt_json_root(payload->document);
    return bt_json_type(root) == BT_JSON_OBJECT
               ? BT_OK
               : bt_add_payload_schema_meta(payload->findings, bt_payload_location(payload, root),
                                            BT_STR("type"),
                                            bt_str_of(bt_json_type_name(payload->document, root)));
}

static enum bt_status check_depth(struct bt_payload *payload)
{
    struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    const bt_json_value *too_deep = NULL;
    const uint64_t allowed = payload->plans->env->limits.schema_depth;
    bt_json_walk_begin(&walk, bt_json_root(payload->document));
    while (bt_json_walk_next(&walk, &walked)) {
        payload->depth = walked.depth > payload->depth ? walked.depth : payload->depth;
        if (walked.depth > allowed && !too_deep) {
            too_deep = walked.value;
        }
    }
    return too_deep ? bt_add_payload_schema_depth(payload->findings,
                                                  bt_payload_location(payload, too_deep), allowed,
                                                  payload->depth)
                    : BT_OK;
}

static enum bt_status check_draft(struct bt_payload *payload)
{
    static const struct plan_payload_draft {
        bt_str uri;
        enum bt_schema_draft draft;
    } drafts[] = {
        {BT_STR_INIT("https://json-schema.org/draft/2020-12/schema"), BT_SCHEMA_DRAFT_2020_12},
        {BT_STR_INIT("http://json-schema.org/draft-07/schema#"), BT_SCHEMA_DRAFT_7},
        {BT_STR_INIT("http://json-schema.org/draft-07/schema"), BT_SCHEMA_DRAFT_7},
    };
    const bt_json_value *given =
        bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$schema"));
    if (!given) {
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(drafts) / sizeof(drafts[0]); i++) {
        if (bt_json_type(given) == BT_JSON_STRING &&
            bt_str_eq(bt_json_text(given), drafts[i].uri)) {
            payload->draft = drafts[i].draft;
            return BT_OK;
        }
    }
    return bt_add_payload_schema_dialect(payload->findings, bt_payload_location(payload, given),
                                         BT_STR("enum"), bt_json_text(given));
}

/* True when a finding of the compiler is about the meta-schema. Later steps judge references and
 * patterns by narrower rules. */
static bool is_about_meta(const struct bt_finding *finding)
{
    static const unsigned others[] = {
        BT_CODE_SCHEMA_REF_UNRESOLVED, BT_CODE_SCHEMA_CYCLE,        BT_CODE_SCHEMA_BUDGET,
        BT_CODE_PATTERN_INVALID,       BT_CODE_PATTERN_TOO_COMPLEX,
    };
    size_t i = 0;
    while (i < BT_COUNT_OF(others) && finding->code != others[i]) {
        i++;
    }
    return i == BT_COUNT_OF(others);
}

/* Replace the location of the keyword in the parameters of a finding by its name. */
static enum bt_status name_keyword(struct bt_payload *payload, struct bt_finding *finding)
{
    struct bt_finding_arg *args =
        BT_NEW_ARRAY(payload->arena, struct bt_finding_arg, finding->arg_count + 1);
    BT_TRY(args ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < finding->arg_count; i++) {
        args[i] = finding->args[i];
        if (bt_str_eq(args[i].param->name, BT_STR("keyword"))) {
            args[i].as.text = finding->code == BT_CODE_SCHEMA_FALSE
                                  ? BT_STR("false")
                                  : bt_str_after_last(args[i].as.text, '/');
        }
    }
    finding->args = args;
    return BT_OK;
}

/* One finding for each place. */
static enum bt_status add_metaschema_findings(struct bt_payload *payload, struct bt_findings *found)
{
    BT_TRY(bt_findings_finish(found, payload->bytes));
    bt_str before = BT_STR("");
    bool has_before = false;
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        struct bt_finding finding = *bt_findings_at(found, i);
        const bool is_repeated = has_before && bt_str_eq(finding.pointer, before);
        if (!is_about_meta(&finding) || is_repeated) {
            continue;
        }
        before = finding.pointer;
        has_before = true;
        BT_TRY(name_keyword(payload, &finding));
        finding.rule = bt_rule_of_dialect(BT_CODE_PAYLOAD_SCHEMA_META, BT_DIALECT_PLAN);
        finding.code = BT_CODE_PAYLOAD_SCHEMA_META;
        finding.security = true;
        finding.severity = BT_SEVERITY_HARD;
        finding.hint = BT_STR("repair the schema: it breaks the meta-schema of its draft");
        BT_TRY(bt_findings_add(payload->findings, &finding));
    }
    return BT_OK;
}

/* Compile it, and keep what the meta-schema says against it. */
static enum bt_status check_valid(struct bt_payload *payload)
{
    struct bt_schema_options options = bt_schema_options_default();
    struct bt_findings *found = bt_findings_new(payload->arena);
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    options.draft = payload->draft;
    memcpy(options.hash_seed, payload->plans->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(bt_schema_compile(payload->document, &options, found, &payload->schema));
    return add_metaschema_findings(payload, found);
}

/* A schema that passed every step compiles, unless it is over a limit of the compiler. */
static enum bt_status check_compiled(struct bt_payload *payload)
{
    return payload->schema ? BT_OK
                           : bt_add_schema_budget_compile(payload->findings, bt_location_whole(),
                                                          BT_STR("work"));
}

enum bt_status bt_payload_judge(struct bt_payload *payload)
{
    static const struct plan_payload_stage {
        enum bt_payload_step step;
        bt_payload_fn *check;
    } stages[] = {
        {BT_PAYLOAD_SHAPE, check_shape},          {BT_PAYLOAD_DEPTH, check_depth},
        {BT_PAYLOAD_DRAFT, check_draft},          {BT_PAYLOAD_CLOSED, bt_payload_check_closed},
        {BT_PAYLOAD_VALID, check_valid},          {BT_PAYLOAD_REGEX, bt_payload_check_patterns},
        {BT_PAYLOAD_REFS, bt_payload_check_refs}, {BT_PAYLOAD_REFS, check_compiled},
    };
    const size_t count = sizeof(stages) / sizeof(stages[0]);
    for (size_t i = 0; payload->step == BT_PAYLOAD_PASSED && i < count; i++) {
        const size_t before = bt_findings_count(payload->findings);
        BT_TRY(stages[i].check(payload));
        if (bt_findings_have_hard(payload->findings, before)) {
            payload->step = stages[i].step;
        }
    }
    return BT_OK;
}

/* `text` is the schema where there is no root to look for it beneath. */
static enum bt_status put_shown(struct bt_payload *payload)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, PARAMS_BYTES_MAX, NULL);
    bt_emit_member_string(emit, "id", payload->id);
    bt_emit_member_string(emit, "file", payload->file);
    return bt_object_text_finish(&text, BT_OK, payload->arena, &payload->shown);
}

static enum bt_status load_schema(struct bt_payload_schema *schema, struct bt_plan_checker *plans,
                                  const struct bt_dir *root, bt_str text)
{
    struct bt_findings *findings = bt_findings_new(&schema->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_payload_begin(&schema->payload, plans, findings);
    BT_TRY(bt_arena_copy(&schema->arena, text, &text));
    BT_TRY(root ? bt_payload_fetch(&schema->payload, root, text)
                : bt_payload_read(&schema->payload, text, BT_STR("")));
    BT_TRY(bt_payload_judge(&schema->payload));
    BT_TRY(put_shown(&schema->payload));
    return bt_findings_finish(findings, schema->payload.bytes);
}

static enum bt_status open_schema(struct bt_plan_checker *plans, const struct bt_dir *root,
                                  bt_str text, struct bt_payload_schema **out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, SCHEMA_BYTES_MAX);
    struct bt_payload_schema *schema = BT_NEW(&arena, struct bt_payload_schema);
    BT_TRY(schema ? BT_OK : BT_ENOMEM);
    schema->arena = arena;
    const enum bt_status status = load_schema(schema, plans, root, text);
    if (status != BT_OK) {
        bt_payload_schema_close(schema);
        return status;
    }
    *out = schema;
    return BT_OK;
}

enum bt_status bt_payload_schema_open(struct bt_plan_checker *plans, const struct bt_dir *root,
                                      bt_str reference, struct bt_payload_schema **out)
{
    assert(plans);
    assert(root);
    assert(out);
    return open_schema(plans, root, reference, out);
}

enum bt_status bt_payload_schema_parse(struct bt_plan_checker *plans, bt_str text,
                                       struct bt_payload_schema **out)
{
    assert(plans);
    assert(out);
    return open_schema(plans, NULL, text, out);
}

void bt_payload_schema_close(struct bt_payload_schema *schema)
{
    if (!schema) {
        return;
    }
    bt_payload_end(&schema->payload);
    struct bt_arena arena = schema->arena; /* which holds this struct */
    bt_arena_free(&arena);
}

/* Add the parameters that say where a finding was first. */
static enum bt_status add_place(const struct bt_payload *payload, struct bt_finding *finding,
                                const struct bt_payload_finding_target *target,
                                struct bt_arena *arena)
{
    static const struct bt_rule_param reference = {.name = BT_STR_INIT("reference"),
                                                   .type = BT_PARAM_TEXT};
    static const struct bt_rule_param file = {.name = BT_STR_INIT("file"), .type = BT_PARAM_TEXT};
    static const struct bt_rule_param pointer = {.name = BT_STR_INIT("schema_pointer"),
                                                 .type = BT_PARAM_TEXT};
    static const struct bt_rule_param line = {.name = BT_STR_INIT("line"),
                                              .type = BT_PARAM_INTEGER};
    static const struct bt_rule_param column = {.name = BT_STR_INIT("column"),
                                                .type = BT_PARAM_INTEGER};
    static const struct bt_rule_param cells = {.name = BT_STR_INIT("cells"), .type = BT_PARAM_JSON};
    struct bt_finding_arg more[6] = {{.param = &reference, .as.text = target->reference}};
    size_t count = 1;
    if (payload->step >= BT_PAYLOAD_READ) {
        more[count++] = (struct bt_finding_arg){.param = &file, .as.text = payload->file};
        more[count++] = (struct bt_finding_arg){.param = &pointer, .as.text = finding->pointer};
        if (finding->position.line > 0) {
            more[count++] =
                (struct bt_finding_arg){.param = &line, .as.integer = finding->position.line};
            more[count++] =
                (struct bt_finding_arg){.param = &column, .as.integer = finding->position.column};
        }
    }
    if (target->cells.len > 0) {
        more[count++] = (struct bt_finding_arg){.param = &cells, .as.text = target->cells};
    }
    return bt_finding_add_args(finding, arena, more, count);
}

enum bt_status bt_payload_copy_finding(const struct bt_payload *payload,
                                       const struct bt_payload_finding_target *target,
                                       struct bt_findings *to)
{
    for (size_t i = 0; i < bt_findings_count(payload->findings); i++) {
        const struct bt_finding *original = bt_findings_at(payload->findings, i);
        struct bt_finding finding = *original;
        BT_TRY(add_place(payload, &finding, target, bt_findings_arena(to)));
        finding.pointer = target->pointer;
        finding.offset = target->offset;
        finding.security = finding.security || original->severity == BT_SEVERITY_HARD;
        BT_TRY(bt_findings_add(to, &finding));
    }
    return BT_OK;
}
