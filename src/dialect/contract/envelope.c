/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.c - INPUT envelopes: the input of an agent before its turn. */
#include "dialect/contract/contract_check.h"

#include <assert.h>

#include "base/buf.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/findings.h"
#include "report/json_rules.h"

static bool is_true(const struct bt_json_doc *document, const char *section, const char *name)
{
    const bt_json_value *object = bt_json_get(document, bt_json_root(document), bt_str_of(section));
    const bt_json_value *value = object ? bt_json_get(document, object, bt_str_of(name)) : NULL;
    return value && bt_json_type(value) == BT_JSON_TRUE;
}

static bool demands_consolidation(const struct bt_json_doc *document)
{
    static const char *const briefs[] = {"agent_contract_handoff", "investigation_brief"};
    bool demanded = is_true(document, "surface_routing", "multi_surface");
    for (size_t i = 0; i < sizeof(briefs) / sizeof(briefs[0]); i++) {
        demanded = demanded || is_true(document, briefs[i], "consolidation_required") ||
                   is_true(document, briefs[i], "cross_check_required");
    }
    return demanded;
}

enum bt_status bt_contract_read_input(struct bt_arena *arena, const struct bt_json_doc *document,
                                      struct bt_contract_input *out)
{
    const bt_json_value *names = bt_json_resolve(document, bt_json_root(document),
                                                 BT_STR("/write_permissions/writable_sections"));
    struct bt_contract_input input = {.consolidation_required = demands_consolidation(document)};
    const size_t count = names && bt_json_items(names) ? bt_json_count(names) : 0;
    bt_str *writable = BT_NEW_ARRAY(arena, bt_str, count > 0 ? count : 1);
    BT_TRY(writable ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *name = &bt_json_items(names)[i];
        if (bt_json_type(name) == BT_JSON_STRING) {
            writable[input.writable_count++] = bt_json_text(name);
        }
    }
    input.writable = writable;
    *out = input;
    return BT_OK;
}

/* The first thing that the schema has against it. */
static enum bt_status set_schema_error(struct bt_contract_checker *contract, struct bt_arena *arena,
                                       const struct bt_json_doc *document, struct bt_error *error)
{
    struct bt_findings *findings = bt_findings_new(arena);
    if (!findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const enum bt_status status =
        bt_schema_explain(contract->schema, contract->runner, document, findings, NULL);
    if (status != BT_OK || bt_findings_count(findings) == 0) {
        return bt_error_set(error, status != BT_OK ? status : BT_EINVAL, "it cannot be judged");
    }
    const struct bt_finding *first = bt_findings_at(findings, 0);
    const bt_str pointer = bt_str_cut_shown(first->pointer);
    return bt_error_set(error, BT_EINVAL, "%.*s at \"%.*s\"", BT_STR_ARG(first->rule->code),
                        BT_STR_ARG(pointer));
}

enum bt_status bt_contract_input_read(struct bt_contract_checker *contract, struct bt_arena *arena,
                                      bt_str text, struct bt_contract_input *out,
                                      struct bt_error *error)
{
    assert(contract);
    assert(arena);
    assert(out);
    const struct bt_json_options options = bt_json_options_from_env(contract->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    enum bt_status status = bt_json_read(arena, text, &options, &read);
    status = status == BT_OK ? bt_contract_schema(contract) : status;
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    if (!read.document) {
        const struct bt_position place = bt_position_at(text, read.offset);
        return bt_error_set(error, BT_EINVAL, "it is not strict JSON: %s at line %u, column %u",
                            read.detail, place.line, place.column);
    }
    if (bt_schema_run(contract->schema, contract->runner, read.document) != BT_SCHEMA_VALID) {
        return set_schema_error(contract, arena, read.document, error);
    }
    return bt_contract_read_input(arena, read.document, out);
}

static enum bt_status judge_types(struct bt_contract_check *check)
{
    struct bt_contract_checker *contract = check->contract;
    const size_t from = bt_findings_count(check->findings);
    BT_TRY(bt_contract_schema(contract));
    BT_TRY(bt_schema_validate(contract->schema, contract->runner, check->document, check->findings,
                              NULL));
    for (size_t i = from; i < bt_findings_count(check->findings); i++) {
        struct bt_finding *finding = check->findings->items[i];
        const struct bt_rule *own = bt_rule_of_dialect_or_null(finding->code, BT_DIALECT_CONTRACT);
        finding->rule = own ? own : finding->rule;
        finding->hint = BT_STR("`baton schema print contract-input` shows what may stand here");
    }
    return BT_OK;
}

static enum bt_status check_sections(struct bt_contract_check *check)
{
    static const struct contract_input_section {
        const char *name;
        const char *older; /* another name of the same, or the name itself */
    } sections[] = {
        {"project_knowledge", "project_knowledge"},
        {"surface_routing", "surface_routing"},
        {"agent_contract_handoff", "investigation_brief"},
        {"write_permissions", "write_permissions"},
        {"metadata", "metadata"},
    };
    if (bt_json_type(check->root) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        if (bt_contract_check_get(check, check->root, sections[i].name) ||
            bt_contract_check_get(check, check->root, sections[i].older)) {
            continue;
        }
        BT_TRY(bt_add_input_section_missing(check->findings, bt_contract_locate(check, check->root),
                                            bt_str_of(sections[i].name)));
    }
    return BT_OK;
}

static enum bt_status put_facts(const struct bt_contract_check *check,
                                const struct bt_contract_input *input, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    bt_emit_member_bool(emit, "consolidation_required", input->consolidation_required);
    bt_emit_member_texts(emit, "writable_sections", input->writable, input->writable_count);
    return bt_object_text_finish(&text, BT_OK, check->arena, out);
}

enum bt_status bt_contract_judge_input(struct bt_contract_check *check, bt_str *out_facts)
{
    const struct bt_json_options options = bt_json_options_from_env(check->contract->env);
    struct bt_contract_input input = {0};
    struct bt_json_read_result read = {0};
    check->arena = bt_findings_arena(check->findings);
    bt_findings_limit_codes(check->findings, BT_CONTRACT_FINDINGS_PER_CODE);
    /* from: caller */
    BT_TRY(bt_json_read(check->arena, check->text, &options, &read));
    if (!read.document) {
        BT_TRY(bt_findings_add_json(check->findings, &read, check->text));
        return put_facts(check, &input, out_facts);
    }
    check->document = read.document;
    check->root = bt_json_root(read.document);
    BT_TRY(bt_findings_add_lone(check->findings, read.document));
    BT_TRY(judge_types(check));
    BT_TRY(check_sections(check));
    BT_TRY(bt_contract_read_input(check->arena, read.document, &input));
    return put_facts(check, &input, out_facts);
}
