/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.c - findings about each SKILL.md: errors, doubtful values and hints; and what was left out
 * of the catalogue and why.
 *
 * Pointers go into the front matter; positions into the file.
 */
#include "skill/skill_internal.h"

#include <assert.h>

#include "report/rules.h"

bt_str bt_skill_lint_field(bt_str pointer)
{
    const bt_str names = bt_str_slice(pointer, 1, pointer.len);
    const size_t slash = bt_str_find_byte(names, '/', 0);
    return slash < names.len ? bt_str_slice(names, slash + 1, names.len) : names;
}

const struct bt_yaml_node *bt_skill_lint_node(const struct bt_skill_lint *lint, bt_str pointer)
{
    const bool is_in_handoff = bt_str_starts_with(pointer, BT_STR("/handoff/"));
    return bt_yaml_get(is_in_handoff ? lint->handoff : lint->front, bt_skill_lint_field(pointer));
}

struct bt_location bt_skill_lint_location(const struct bt_skill_lint *lint, bt_str pointer,
                                          const struct bt_yaml_node *node)
{
    return bt_location_pointer(pointer, node ? lint->file->front_at + node->offset : 0);
}

static enum bt_status add_type_finding(const struct bt_skill_lint *lint, bt_str pointer,
                                       const struct bt_yaml_node *node, bt_str expected)
{
    const bool is_scalar = node->kind == BT_YAML_SCALAR;
    const bt_str text = node->text.len > 0 ? node->text : BT_STR("");
    return bt_add_skill_field_type(lint->findings, bt_skill_lint_location(lint, pointer, node),
                                   bt_skill_lint_field(pointer), expected,
                                   is_scalar ? text : BT_STR_ABSENT);
}

/* The node at a pointer, or NULL; a null counts as absent. */
static const struct bt_yaml_node *node_of(const struct bt_skill_lint *lint, bt_str pointer)
{
    const struct bt_yaml_node *node = bt_skill_lint_node(lint, pointer);
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
    static const bt_str lists[] = {
        BT_STR_INIT("/handoff/accepts_from"),       BT_STR_INIT("/handoff/provides_to"),
        BT_STR_INIT("/handoff/requires"),           BT_STR_INIT("/handoff/optional_consumes"),
        BT_STR_INIT("/handoff/handoff_categories"), BT_STR_INIT("/categories"),
        BT_STR_INIT("/input_requirements"),         BT_STR_INIT("/output_types"),
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const struct bt_yaml_node *node = node_of(lint, lists[i]);
        if (node && (node->kind != BT_YAML_SEQUENCE || !holds_only_texts(node))) {
            BT_TRY(add_type_finding(lint, lists[i], node, BT_STR("a list of texts")));
        }
    }
    return BT_OK;
}

/* Unquoted, 3.10 and 3.1 would be one number to another reader. */
static enum bt_status judge_versions(const struct bt_skill_lint *lint)
{
    static const bt_str versions[] = {BT_STR_INIT("/handoff/schema_version"),
                                      BT_STR_INIT("/handoff/protocol_version")};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        const struct bt_yaml_node *node = node_of(lint, versions[i]);
        if (node && node->style != BT_YAML_STYLE_QUOTED) {
            BT_TRY(add_type_finding(lint, versions[i], node, BT_STR("a text in quotes")));
        }
    }
    return BT_OK;
}

static enum bt_status judge_handoff_type(const struct bt_skill_lint *lint)
{
    static const bt_str handoff = BT_STR_INIT("/handoff");
    static const bt_str accepts = BT_STR_INIT("/handoff/accepts_handoff");
    const struct bt_yaml_node *node = node_of(lint, handoff);
    if (node && node->kind != BT_YAML_MAPPING) {
        BT_TRY(add_type_finding(lint, handoff, node, BT_STR("a mapping")));
    }
    node = node_of(lint, accepts);
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    return node && type != BT_YAML_TYPE_TRUE && type != BT_YAML_TYPE_FALSE
               ? add_type_finding(lint, accepts, node, BT_STR("true or false"))
               : BT_OK;
}

static enum bt_status judge_schema_type(const struct bt_skill_lint *lint)
{
    static const bt_str pointer = BT_STR_INIT("/handoff/schema_type");
    const struct bt_yaml_node *node = node_of(lint, pointer);
    if (!node || (node->kind == BT_YAML_SCALAR && (bt_str_eq(node->text, BT_STR("universal")) ||
                                                   bt_str_eq(node->text, BT_STR("internal"))))) {
        return BT_OK;
    }
    return bt_add_skill_type_unknown(lint->findings, bt_skill_lint_location(lint, pointer, node),
                                     node->text);
}

static enum bt_status judge_reach(const struct bt_skill_lint *lint)
{
    const struct bt_skill *skill = &lint->file->skill;
    if (!skill->is_discoverable) {
        return bt_add_skill_no_handoff(
            lint->findings, bt_skill_lint_location(lint, BT_STR(""), lint->front), skill->name);
    }
    return skill->is_legacy
               ? bt_add_skill_legacy(
                     lint->findings,
                     bt_skill_lint_location(lint, BT_STR("/handoff"), lint->handoff), skill->name)
               : BT_OK;
}

static enum bt_status lint_duplicate_name(const struct bt_skill_lint *lint)
{
    const bt_str pointer = BT_STR("/name");
    const struct bt_yaml_node *name = bt_skill_lint_node(lint, pointer);
    return lint->file->duplicate
               ? bt_skill_add_duplicate(lint->findings, lint->file,
                                        bt_skill_lint_location(lint, pointer, name).offset)
               : BT_OK;
}

static enum bt_status lint_file(struct bt_skill_lint *lint)
{
    if (lint->file->is_misnamed) {
        return bt_add_skill_file_name(lint->findings, bt_location_whole(), lint->file->path);
    }
    if (!lint->file->skill.front) {
        return bt_skill_add_unreadable(lint->findings, lint->file, lint->file->problem_at);
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
    struct bt_judgement judged;
    BT_TRY(bt_judgement_make(path, BT_DIALECT_SKILL, text, findings, BT_STR(""), &judged));
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
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_skill_add_registry(findings, registry, registry->problem_at));
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
        BT_TRY(lint.findings ? BT_OK : BT_ENOMEM);
        BT_TRY(lint_file(&lint));
        BT_TRY(add_document(report, lint.file->path, lint.file->text, lint.findings));
    }
    return lint_registry(catalogue, report);
}

/* Line and column for a message. */
struct skill_report_place {
    uint64_t line;
    uint64_t column;
};

static struct skill_report_place place_of(bt_str text, size_t offset)
{
    const struct bt_position position = bt_position_at(text, offset);
    return (struct skill_report_place){position.line, position.column};
}

enum bt_status bt_skill_add_duplicate(struct bt_findings *findings,
                                      const struct bt_skill_file *file, size_t offset)
{
    return bt_add_skill_duplicate_name(findings, bt_location_pointer(BT_STR("/name"), offset),
                                       file->skill.name, file->path, file->duplicate->path);
}

enum bt_status bt_skill_add_unreadable(struct bt_findings *findings,
                                       const struct bt_skill_file *file, size_t offset)
{
    const bool is_placed = file->problem_at != BT_OFFSET_NONE && file->text.len > 0;
    const struct skill_report_place place = place_of(file->text, is_placed ? file->problem_at : 0);
    return bt_add_skill_unreadable(findings, bt_location_pointer(BT_STR(""), offset), file->path,
                                   file->problem, is_placed ? &place.line : NULL,
                                   is_placed ? &place.column : NULL);
}

enum bt_status bt_skill_add_registry(struct bt_findings *findings,
                                     const struct bt_skill_registry *registry, size_t offset)
{
    const bool is_placed = registry->problem_at != BT_OFFSET_NONE;
    const struct skill_report_place place =
        place_of(registry->text, is_placed ? registry->problem_at : 0);
    return bt_add_registry_unreadable(
        findings, bt_location_pointer(BT_STR(""), offset), registry->path, registry->problem,
        is_placed ? &place.line : NULL, is_placed ? &place.column : NULL);
}

enum bt_status bt_skill_catalogue_add_findings(const struct bt_skill_catalogue *catalogue,
                                               struct bt_findings *findings)
{
    assert(catalogue);
    assert(findings);
    for (size_t i = 0; i < catalogue->file_count; i++) {
        const struct bt_skill_file *file = &catalogue->files[i];
        if (file->duplicate) {
            BT_TRY(bt_skill_add_duplicate(findings, file, BT_OFFSET_NONE));
        } else if (!file->is_misnamed && !file->skill.front) {
            BT_TRY(bt_skill_add_unreadable(findings, file, BT_OFFSET_NONE));
        }
    }
    return catalogue->registry.problem.len == 0
               ? BT_OK
               : bt_skill_add_registry(findings, &catalogue->registry, BT_OFFSET_NONE);
}
