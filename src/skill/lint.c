/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.c - findings about each SKILL.md: errors, doubtful values and hints.
 *
 * Pointers go into the front matter; positions into the file.
 */
#include "skill/lint.h"

#include <assert.h>

#include <baton/json.h>

void bt_skill_lint_begin(const struct bt_skill_lint *lint, struct bt_finding_builder *remark,
                         const char *code, const struct bt_yaml_node *node)
{
    bt_finding_builder_begin(remark, bt_skill_catalogue_rule(code));
    remark->finding.offset = node ? lint->file->front_at + node->offset : 0;
}

void bt_skill_lint_put_pointer(struct bt_finding_builder *remark,
                               const struct bt_skill_lint_field *field)
{
    bt_buf_put_text(&remark->pointer, field->is_in_handoff ? "/handoff" : "");
    bt_json_pointer_put(&remark->pointer, bt_str_of(field->key));
}

static enum bt_status add_type_finding(const struct bt_skill_lint *lint,
                                       const struct bt_skill_lint_field *field,
                                       const struct bt_yaml_node *node, const char *wanted)
{
    struct bt_finding_builder remark;
    bt_skill_lint_begin(lint, &remark, "SKILL_FIELD_TYPE", node);
    bt_skill_lint_put_pointer(&remark, field);
    bt_buf_printf(&remark.message, "%s should be %s", field->key, wanted);
    if (node->kind == BT_YAML_SCALAR) {
        bt_buf_put_text(&remark.message, ", not ");
        bt_buf_put_quoted(&remark.message, node->text);
    }
    bt_emit_member_string(&remark.emit, "field", bt_str_of(field->key));
    bt_emit_member_string(&remark.emit, "expected", bt_str_of(wanted));
    return bt_finding_builder_end(&remark, lint->findings);
}

static const struct bt_yaml_node *node_of(const struct bt_skill_lint *lint,
                                          const struct bt_skill_lint_field *field)
{
    const struct bt_yaml_node *node =
        bt_yaml_get(field->is_in_handoff ? lint->handoff : lint->front, bt_str_of(field->key));
    return bt_yaml_type_of(node) == BT_YAML_TYPE_NULL ? NULL : node;
}

static bool holds_only_texts(const struct bt_yaml_node *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != BT_YAML_SCALAR ||
            bt_yaml_type_of(&list->items[i]) == BT_YAML_TYPE_NULL) {
            return false;
        }
    }
    return true;
}

static enum bt_status judge_lists(const struct bt_skill_lint *lint)
{
    static const struct bt_skill_lint_field lists[] = {
        {"accepts_from", true},        {"provides_to", true},        {"requires", true},
        {"optional_consumes", true},   {"handoff_categories", true}, {"categories", false},
        {"input_requirements", false}, {"output_types", false},
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const struct bt_yaml_node *node = node_of(lint, &lists[i]);
        if (node && (node->kind != BT_YAML_SEQUENCE || !holds_only_texts(node))) {
            BT_TRY(add_type_finding(lint, &lists[i], node, "a list of texts"));
        }
    }
    return BT_OK;
}

/* Unquoted, 3.10 and 3.1 would be one number to another reader. */
static enum bt_status judge_versions(const struct bt_skill_lint *lint)
{
    static const struct bt_skill_lint_field versions[] = {{"schema_version", true},
                                                          {"protocol_version", true}};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        const struct bt_yaml_node *node = node_of(lint, &versions[i]);
        if (node && node->style != BT_YAML_STYLE_QUOTED) {
            BT_TRY(add_type_finding(lint, &versions[i], node, "a text in quotes"));
        }
    }
    return BT_OK;
}

static enum bt_status judge_handoff_type(const struct bt_skill_lint *lint)
{
    static const struct bt_skill_lint_field handoff = {"handoff", false};
    static const struct bt_skill_lint_field accepts = {"accepts_handoff", true};
    const struct bt_yaml_node *node = node_of(lint, &handoff);
    if (node && node->kind != BT_YAML_MAPPING) {
        BT_TRY(add_type_finding(lint, &handoff, node, "a mapping"));
    }
    node = node_of(lint, &accepts);
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    if (node && type != BT_YAML_TYPE_TRUE && type != BT_YAML_TYPE_FALSE) {
        BT_TRY(add_type_finding(lint, &accepts, node, "true or false"));
    }
    return BT_OK;
}

static enum bt_status judge_schema_type(const struct bt_skill_lint *lint)
{
    static const struct bt_skill_lint_field field = {"schema_type", true};
    const struct bt_yaml_node *node = node_of(lint, &field);
    if (!node || (node->kind == BT_YAML_SCALAR && (bt_str_eq(node->text, BT_STR("universal")) ||
                                                   bt_str_eq(node->text, BT_STR("internal"))))) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_skill_lint_begin(lint, &remark, "SKILL_TYPE_UNKNOWN", node);
    bt_skill_lint_put_pointer(&remark, &field);
    bt_buf_put_text(&remark.message, "schema_type ");
    bt_buf_put_quoted(&remark.message, node->text);
    bt_buf_put_text(&remark.message, " is neither universal nor internal");
    bt_emit_member_string(&remark.emit, "value", node->text);
    return bt_finding_builder_end(&remark, lint->findings);
}

static enum bt_status judge_reach(const struct bt_skill_lint *lint)
{
    struct bt_finding_builder remark;
    if (!lint->file->skill.is_discoverable) {
        bt_skill_lint_begin(lint, &remark, "SKILL_NO_HANDOFF", lint->front);
        bt_buf_put_text(&remark.message, "the skill ");
        bt_buf_put_quoted(&remark.message, lint->file->skill.name);
        bt_buf_put_text(&remark.message, " takes no work: it has no accepts_from");
        return bt_finding_builder_end(&remark, lint->findings);
    }
    if (!lint->file->skill.is_legacy) {
        return BT_OK;
    }
    bt_skill_lint_begin(lint, &remark, "SKILL_LEGACY", lint->handoff);
    bt_buf_put_text(&remark.pointer, "/handoff");
    bt_buf_put_text(&remark.message, "the skill ");
    bt_buf_put_quoted(&remark.message, lint->file->skill.name);
    bt_buf_put_text(&remark.message, " has only fields of the older protocol");
    remark.finding.hint = BT_STR("write accepts_from, categories and schema_version instead");
    return bt_finding_builder_end(&remark, lint->findings);
}

static enum bt_status lint_duplicate_name(const struct bt_skill_lint *lint)
{
    if (!lint->file->duplicate) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_skill_lint_begin(lint, &remark, "SKILL_DUPLICATE_NAME",
                        bt_yaml_get(lint->front, BT_STR("name")));
    bt_buf_put_text(&remark.pointer, "/name");
    bt_skill_lint_add_duplicate(&remark, lint->file);
    return bt_finding_builder_end(&remark, lint->findings);
}

void bt_skill_lint_add_duplicate(struct bt_finding_builder *remark,
                                 const struct bt_skill_file *file)
{
    bt_buf_put_text(&remark->message, "the skill ");
    bt_buf_put_quoted(&remark->message, file->skill.name);
    bt_buf_put_text(&remark->message, " is there twice in one folder, so neither is used: ");
    bt_buf_put_quoted(&remark->message, file->duplicate->path);
    bt_emit_member_string(&remark->emit, "name", file->skill.name);
    bt_emit_member_string(&remark->emit, "path", file->path);
    bt_emit_member_string(&remark->emit, "other", file->duplicate->path);
    remark->finding.hint = BT_STR("rename one of the two");
}

void bt_skill_lint_add_unreadable(struct bt_finding_builder *remark,
                                  const struct bt_skill_file *file)
{
    bt_buf_put_quoted(&remark->message, file->path);
    bt_buf_put_text(&remark->message, " cannot be used: ");
    bt_buf_put_printable(&remark->message, file->problem, 400);
    if (file->problem_at != BT_OFFSET_NONE && file->text.len > 0) {
        const struct bt_position place = bt_position_at(file->text, file->problem_at);
        bt_buf_printf(&remark->message, " (line %u, column %u)", place.line, place.column);
    }
    bt_emit_member_string(&remark->emit, "path", file->path);
    bt_emit_member_string(&remark->emit, "reason", file->problem);
    remark->finding.hint = BT_STR("edit the file");
}

static enum bt_status judge_misnamed(const struct bt_skill_lint *lint)
{
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_skill_catalogue_rule("SKILL_FILE_NAME"));
    bt_buf_put_quoted(&remark.message, lint->file->path);
    bt_buf_put_text(&remark.message, " is not read: the file must be called SKILL.md");
    bt_emit_member_string(&remark.emit, "path", lint->file->path);
    remark.finding.hint = BT_STR("rename the file");
    return bt_finding_builder_end(&remark, lint->findings);
}

static enum bt_status judge_unreadable(const struct bt_skill_lint *lint)
{
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_skill_catalogue_rule("SKILL_UNREADABLE"));
    remark.finding.offset = lint->file->problem_at;
    bt_skill_lint_add_unreadable(&remark, lint->file);
    return bt_finding_builder_end(&remark, lint->findings);
}

static enum bt_status lint_file(struct bt_skill_lint *lint)
{
    if (lint->file->is_misnamed) {
        return judge_misnamed(lint);
    }
    if (!lint->file->skill.front) {
        return judge_unreadable(lint);
    }
    lint->front = lint->file->skill.front;
    lint->handoff = bt_yaml_get(lint->front, BT_STR("handoff"));
    BT_TRY(judge_lists(lint));
    BT_TRY(judge_versions(lint));
    BT_TRY(judge_handoff_type(lint));
    BT_TRY(judge_schema_type(lint));
    BT_TRY(judge_reach(lint));
    BT_TRY(lint_duplicate_name(lint));
    return bt_skill_lint_lists(lint);
}

static enum bt_status add_document(struct bt_report *report, bt_str path, bt_str text,
                                   struct bt_findings *findings)
{
    BT_TRY(bt_findings_finish(findings, text));
    const struct bt_judgement judged = {.path = path,
                                        .dialect = BT_DIALECT_SKILL,
                                        .source = text,
                                        .verdict = bt_verdict_of(findings, BT_SEVERITY_HARD),
                                        .findings = findings};
    return bt_report_add(report, &judged);
}

static enum bt_status lint_registry(const struct bt_skill_catalogue *catalogue,
                                    struct bt_report *report)
{
    const struct bt_skill_registry *registry = &catalogue->registry;
    if (registry->problem.len == 0) {
        return BT_OK;
    }
    struct bt_findings *findings = bt_findings_new(catalogue->arena);
    struct bt_finding_builder remark;
    if (!findings) {
        return BT_ENOMEM;
    }
    bt_finding_builder_begin(&remark, bt_skill_catalogue_rule("REGISTRY_UNREADABLE"));
    remark.finding.offset = registry->problem_at;
    bt_skill_lint_add_registry(&remark, registry);
    BT_TRY(bt_finding_builder_end(&remark, findings));
    return add_document(report, registry->path, registry->text, findings);
}

enum bt_status bt_skill_catalogue_lint(const struct bt_skill_catalogue *catalogue,
                                       struct bt_report *report)
{
    assert(catalogue);
    assert(report);
    for (size_t i = 0; i < catalogue->file_count; i++) {
        struct bt_skill_lint lint = {.catalogue = catalogue, .file = &catalogue->files[i]};
        lint.findings = bt_findings_new(catalogue->arena);
        if (!lint.findings) {
            return BT_ENOMEM;
        }
        BT_TRY(lint_file(&lint));
        BT_TRY(add_document(report, lint.file->path, lint.file->text, lint.findings));
    }
    return lint_registry(catalogue, report);
}
