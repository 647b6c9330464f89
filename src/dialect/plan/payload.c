/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - the steps of loading a payload schema, in their order.
 */
#include "dialect/plan/payload.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "dialect/plan/walk.h"
#include "json/value_pointer.h"
#include "report/json_rules.h"
#include "schema/rules.h"

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

void bt_payload_remark(const struct bt_payload *payload, struct bt_finding_builder *remark,
                       const char *code, const bt_json_value *value)
{
    bt_finding_builder_begin(remark, bt_plan_rule(bt_str_of(code)));
    remark->finding.offset = bt_json_span(payload->document, value).begin;
    bt_json_put_value_pointer(&remark->pointer, payload->document, value);
}

static bt_str ref_hint(const char *code)
{
    static const struct plan_payload_hint {
        const char *code;
        bt_str hint;
    } hints[] = {
        {"REF_EMPTY", BT_STR_INIT("name a schema")},
        {"REF_NUL", BT_STR_INIT("remove it, and find out who wrote it")},
        {"REF_NEWLINE", BT_STR_INIT("remove the line end")},
        {"REF_URL", BT_STR_INIT("copy the schema into the repository; nothing is fetched")},
        {"REF_ABSOLUTE", BT_STR_INIT("use a path below the root")},
        {"REF_DOTDOT", BT_STR_INIT("use a path below the root")},
        {"REF_ESCAPE", BT_STR_INIT("replace the link by a file")},
        {"REF_SYMLINK_LOOP", BT_STR_INIT("replace the link by a file")},
        {"REF_MISSING", BT_STR_INIT("add the file, or correct the reference")},
        {"REF_NOT_FILE", BT_STR_INIT("put a regular file there")},
    };
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        if (strcmp(hints[i].code, code) == 0) {
            return hints[i].hint;
        }
    }
    return BT_STR("write schemas/handoff-payloads/<slug>.v<n>.schema.json or "
                  "<slug>/v<n>.schema.json");
}

static enum bt_status refuse_reference(struct bt_payload *payload, const char *code,
                                       const char *why)
{
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_plan_rule(bt_str_of(code)));
    bt_buf_put_text(&remark.message, why);
    bt_buf_put_text(&remark.message, ": ");
    bt_buf_put_quoted(&remark.message, payload->reference);
    remark.finding.hint = ref_hint(code);
    return bt_finding_builder_end(&remark, payload->findings);
}

static enum bt_status refuse_file(struct bt_payload *payload, enum bt_path_error refusal)
{
    switch (refusal) {
    case BT_PATH_OUTSIDE_DIR:
        return refuse_reference(payload, "REF_ESCAPE", "a link leads out of the root");
    case BT_PATH_LINK_LOOP:
        return refuse_reference(payload, "REF_SYMLINK_LOOP", "links lead in a circle");
    case BT_PATH_NOT_REGULAR:
        return refuse_reference(payload, "REF_NOT_FILE", "there is no regular file");
    case BT_PATH_NOT_FOUND:
    case BT_PATH_OK:
        break;
    }
    return refuse_reference(payload, "REF_MISSING", "there is no such file beneath the root");
}

/* What cannot be read in a schema is a security event: two readers may see two schemas. */
static enum bt_status add_unreadable_findings(struct bt_payload *payload,
                                              const struct bt_json_read_result *read)
{
    struct bt_findings *found = bt_findings_new(payload->arena);
    if (!found) {
        return BT_ENOMEM;
    }
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
    struct bt_json_read_result read;
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

enum bt_status bt_payload_fetch(struct bt_payload *payload, const struct bt_dir *root,
                                bt_str reference)
{
    const struct bt_payload_reference parts = bt_plan_reference_read(reference);
    payload->reference = reference;
    payload->step = BT_PAYLOAD_TEXT;
    if (parts.code) {
        return refuse_reference(payload, parts.code, parts.why);
    }
    struct bt_dir_file file;
    BT_TRY(bt_payload_reference_id(&parts, payload->arena, &payload->id));
    BT_TRY(bt_payload_reference_file(&parts, payload->arena, &payload->file));
    payload->step = BT_PAYLOAD_OPEN;
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
    struct bt_finding_builder remark;
    if (bt_json_type(root) == BT_JSON_OBJECT) {
        return BT_OK;
    }
    bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_META", root);
    bt_buf_printf(&remark.message, "the schema is of type %s, not an object",
                  bt_json_type_name(payload->document, root));
    remark.finding.hint = BT_STR("write an object with $id, type, properties, required and "
                                 "additionalProperties");
    bt_emit_member_string(&remark.emit, "keyword", BT_STR("type"));
    return bt_finding_builder_end(&remark, payload->findings);
}

static enum bt_status check_depth(struct bt_payload *payload)
{
    struct bt_payload_walk walk;
    struct bt_payload_walk_value walked;
    const bt_json_value *too_deep = NULL;
    const uint64_t allowed = payload->plans->env->limits.schema_depth;
    bt_payload_walk_begin(&walk, bt_json_root(payload->document));
    while (bt_payload_walk_next(&walk, &walked)) {
        payload->depth = walked.depth > payload->depth ? walked.depth : payload->depth;
        if (walked.depth > allowed && !too_deep) {
            too_deep = walked.value;
        }
    }
    if (!too_deep) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_DEPTH", too_deep);
    bt_buf_printf(&remark.message,
                  "a value stands deeper than %" PRIu64 "; the deepest is %zu deep", allowed,
                  payload->depth);
    remark.finding.hint = BT_STR("flatten the schema, or use $defs");
    bt_emit_member_u64(&remark.emit, "max", allowed);
    bt_emit_member_u64(&remark.emit, "actual", payload->depth);
    return bt_finding_builder_end(&remark, payload->findings);
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
    struct bt_finding_builder remark;
    bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_DIALECT", given);
    bt_buf_put_text(&remark.message, "payload schemas are not written in ");
    bt_buf_put_quoted(&remark.message, bt_json_text(given));
    remark.finding.hint = BT_STR("use 2020-12 or draft-07");
    bt_emit_member_string(&remark.emit, "keyword", BT_STR("enum"));
    return bt_finding_builder_end(&remark, payload->findings);
}

/* Whether the engine says that the schema breaks its meta-schema, as opposed to what it refers to
 * or matches with, which later steps judge by narrower rules. */
static bool is_about_meta(const struct bt_finding *finding)
{
    const bt_str code = finding->rule->code;
    return bt_str_starts_with(code, BT_STR("SCHEMA_")) &&
           !bt_str_eq(code, BT_STR("SCHEMA_REF_UNRESOLVED")) &&
           !bt_str_eq(code, BT_STR("SCHEMA_CYCLE")) && !bt_str_eq(code, BT_STR("SCHEMA_BUDGET"));
}

/* The params of what the engine said, with the assertion's name where its location stands. */
static enum bt_status name_keyword(struct bt_payload *payload, struct bt_finding *finding)
{
    struct bt_json_read_result read;
    BT_TRY(bt_json_read(payload->arena, finding->params, NULL, &read));
    const bt_json_value *keyword =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("keyword"))
                      : NULL;
    if (!keyword) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(read.document, keyword);
    const bool is_false = bt_str_eq(finding->rule->code, BT_STR("SCHEMA_FALSE"));
    struct bt_buf buf;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_buf_put(&buf, bt_str_slice(finding->params, 0, span.begin));
    bt_json_put_string(&buf, is_false ? BT_STR("false")
                                      : bt_json_pointer_last_token(bt_json_text(keyword)));
    bt_buf_put(&buf, bt_str_slice(finding->params, span.end, finding->params.len));
    const enum bt_status status = bt_buf_copy(&buf, payload->arena, &finding->params);
    bt_buf_free(&buf);
    return status;
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
        finding.rule = bt_plan_rule(BT_STR("PAYLOAD_SCHEMA_META"));
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
    if (!found) {
        return BT_ENOMEM;
    }
    options.draft = payload->draft;
    memcpy(options.hash_seed, payload->plans->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(bt_schema_compile(payload->document, &options, found, &payload->schema));
    return add_metaschema_findings(payload, found);
}

/* What passed every step compiles, unless it is beyond the bounds of the engine. */
static enum bt_status check_compiled(struct bt_payload *payload)
{
    struct bt_finding_builder remark;
    if (payload->schema) {
        return BT_OK;
    }
    bt_finding_builder_begin(&remark, bt_schema_rule(BT_STR("SCHEMA_BUDGET")));
    bt_buf_put_text(&remark.message, "the schema is too large to be compiled");
    remark.finding.hint = BT_STR("simplify the schema");
    bt_emit_member_string(&remark.emit, "spent", BT_STR("work"));
    return bt_finding_builder_end(&remark, payload->findings);
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
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "id", payload->id);
    bt_emit_member_string(&emit, "file", payload->file);
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, payload->arena, &payload->shown);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status load_schema(struct bt_payload_schema *schema, struct bt_plan_checker *plans,
                                  const struct bt_dir *root, bt_str text)
{
    struct bt_findings *findings = bt_findings_new(&schema->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
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
    if (!schema) {
        return BT_ENOMEM;
    }
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
    struct bt_arena arena = schema->arena; /* this lies in it itself */
    bt_arena_free(&arena);
}

/* The params of a finding with those that say where it was first. */
static void put_params(struct bt_buf *buf, const struct bt_payload *payload,
                       const struct bt_finding *finding,
                       const struct bt_payload_finding_target *target)
{
    struct bt_emit emit;
    if (finding->params.len > 2) {
        bt_buf_put(buf, bt_str_slice(finding->params, 0, finding->params.len - 1));
        bt_buf_put_char(buf, ',');
    } else {
        bt_buf_put_char(buf, '{');
    }
    struct bt_buf own;
    bt_buf_init(&own, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &own, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "reference", target->reference);
    if (payload->step >= BT_PAYLOAD_READ) {
        bt_emit_member_string(&emit, "file", payload->file);
        bt_emit_member_string(&emit, "schema_pointer", finding->pointer);
        if (finding->position.line > 0) {
            bt_emit_member_u64(&emit, "line", finding->position.line);
            bt_emit_member_u64(&emit, "column", finding->position.column);
        }
    }
    if (target->cells.len > 0) {
        bt_emit_name(&emit, "cells");
        bt_emit_raw(&emit, target->cells);
    }
    bt_emit_end(&emit);
    bt_buf_put(buf, bt_str_slice(bt_buf_str(&own), 1, own.len));
    buf->status = buf->status == BT_OK ? own.status : buf->status;
    bt_buf_free(&own);
}

enum bt_status bt_payload_copy_finding(const struct bt_payload *payload,
                                       const struct bt_payload_finding_target *target,
                                       struct bt_findings *to)
{
    for (size_t i = 0; i < bt_findings_count(payload->findings); i++) {
        const struct bt_finding *original = bt_findings_at(payload->findings, i);
        struct bt_finding finding = *original;
        struct bt_buf params;
        bt_buf_init(&params, PARAMS_BYTES_MAX);
        put_params(&params, payload, original, target);
        finding.params = bt_buf_str(&params);
        finding.pointer = target->pointer;
        finding.offset = target->offset;
        finding.security = finding.security || original->severity == BT_SEVERITY_HARD;
        const enum bt_status status =
            params.status == BT_OK ? bt_findings_add(to, &finding) : params.status;
        bt_buf_free(&params);
        BT_TRY(status);
    }
    return BT_OK;
}
