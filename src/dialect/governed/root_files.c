/* SPDX-License-Identifier: Apache-2.0 */
/* root_files.c - checks of each file of a catalogue on its own. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "dialect/governed/governed_root.h"
#include "dialect/governed/verify.h"
#include "json/emit.h"

enum { COUNT_TEXT_BYTES = 24 };

enum bt_status bt_governed_file_add_unusable_finding(struct bt_findings *findings,
                                                     const struct bt_governed_file_document *file,
                                                     bool is_lock)
{
    const bool is_missing = file->fault == BT_ROOT_MISSING;
    return bt_add_root_file_unusable(findings, bt_location_whole(), file->path,
                                     bt_governed_file_error_name(file->fault),
                                     !is_missing ? (enum bt_root_file_unusable_missing)0
                                     : is_lock   ? BT_ROOT_FILE_UNUSABLE_MISSING_LOCK
                                                 : BT_ROOT_FILE_UNUSABLE_MISSING_MANIFEST);
}

struct governed_count_row {
    const struct bt_json_doc *document;
    const bt_json_value *object;
};

static enum bt_status judge_count(const struct governed_count_row *counted, bt_str property,
                                  size_t expected, struct bt_findings *findings)
{
    const bt_json_value *value = bt_json_get(counted->document, counted->object, property);
    const bt_str actual = value ? bt_json_number_text(counted->document, value) : BT_STR("0");
    char text[COUNT_TEXT_BYTES];
    (void)snprintf(text, sizeof(text), "%zu", expected);
    if (bt_json_decimal_compare(actual, bt_str_of(text)) == 0) {
        return BT_OK;
    }
    return bt_add_root_count_mismatch(
        findings, bt_location_value(counted->document, value ? value : counted->object), property,
        expected, actual);
}

static enum bt_status judge_counts(const struct governed_count_row *counted,
                                   const size_t counts[BT_GOVERNED_AGENT_TYPE__MAX],
                                   struct bt_findings *findings)
{
    size_t total = 0;
    for (size_t i = 0; i < BT_GOVERNED_AGENT_TYPE__MAX; i++) {
        BT_TRY(judge_count(counted, bt_governed_agent_section((enum bt_governed_agent_type)i),
                           counts[i], findings));
        total += counts[i];
    }
    return judge_count(counted, BT_STR("total_prompts"), total, findings);
}

enum bt_status bt_governed_lock_judge_counts(const struct bt_governed_file_document *lock,
                                             struct bt_findings *findings)
{
    const bt_json_value *prompts = bt_json_get(lock->document, lock->root, BT_STR("prompts"));
    size_t counts[BT_GOVERNED_AGENT_TYPE__MAX] = {0};
    for (size_t i = 0; i < bt_json_count(prompts); i++) {
        const bt_str type = bt_json_text(
            bt_json_get(lock->document, &bt_json_members(prompts)[i].value, BT_STR("type")));
        for (size_t k = 0; k < BT_GOVERNED_AGENT_TYPE__MAX; k++) {
            counts[k] +=
                bt_str_eq(type, bt_governed_agent_type_name((enum bt_governed_agent_type)k));
        }
    }
    const struct governed_count_row counted = {
        lock->document, bt_json_get(lock->document, lock->root, BT_STR("integrity"))};
    return judge_counts(&counted, counts, findings);
}

static enum bt_status judge_file_name(const struct bt_governed_root *governed_root,
                                      const struct bt_governed_agent *agent,
                                      struct bt_findings *findings)
{
    const bt_str ending = BT_STR(".system.prompt.md");
    const bt_str name = bt_str_after_last(agent->file, '/');
    if (name.len == agent->id.len + ending.len && bt_str_starts_with(name, agent->id) &&
        bt_str_ends_with(name, ending)) {
        return BT_OK;
    }
    const struct bt_json_doc *document = governed_root->manifest.document;
    return bt_add_prompt_file_name(
        findings, BT_SEVERITY_WARN,
        bt_location_value(document, bt_json_get(document, agent->entry, BT_STR("file"))), agent->id,
        name);
}

static enum bt_status put_facts(const struct bt_governed_root *governed_root, bt_str *out)
{
    const struct bt_governed_file_document *manifest = &governed_root->manifest;
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    bt_emit_member_string(emit, "version", bt_governed_file_text(manifest, BT_STR("version")));
    bt_emit_member_u64(emit, "agents", governed_root->count);
    for (size_t i = 0; i < BT_GOVERNED_AGENT_TYPE__MAX; i++) {
        bt_emit_name_str(emit, bt_governed_agent_section((enum bt_governed_agent_type)i));
        bt_emit_u64(emit, governed_root->counts[i]);
    }
    return bt_object_text_finish(&text, BT_OK, governed_root->arena, out);
}

enum bt_status bt_governed_manifest_judge(struct bt_governed_root *governed_root,
                                          struct bt_findings *findings, bt_str *out_facts)
{
    const struct bt_governed_file_document *manifest = &governed_root->manifest;
    bool consistent = false;
    *out_facts = BT_STR("");
    BT_TRY(bt_governed_root_agents(governed_root, findings, &consistent));
    if (!consistent) {
        return BT_OK;
    }
    const struct governed_count_row counted = {
        manifest->document, bt_json_get(manifest->document, manifest->root, BT_STR("taxonomy"))};
    BT_TRY(judge_counts(&counted, governed_root->counts, findings));
    for (size_t i = 0; i < governed_root->count; i++) {
        BT_TRY(judge_file_name(governed_root, &governed_root->agents[i], findings));
        BT_TRY(bt_governed_agent_composition(governed_root, &governed_root->agents[i], findings));
    }
    return put_facts(governed_root, out_facts);
}

/* A line of a list, to be sorted by whom it names. */
struct governed_list_line {
    bt_str with;
    size_t index;
};

static int compare_named(const void *a_pointer, const void *b_pointer)
{
    const struct governed_list_line *a = a_pointer;
    const struct governed_list_line *b = b_pointer;
    const int order = bt_str_compare(a->with, b->with);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static enum bt_status judge_list(const struct bt_json_doc *document,
                                 const struct bt_json_member *list, struct bt_findings *findings)
{
    const size_t count = bt_json_count(&list->value);
    struct governed_list_line *lines =
        BT_NEW_ARRAY(bt_findings_arena(findings), struct governed_list_line, count + 1);
    BT_TRY(lines ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *with =
            bt_json_get(document, &bt_json_items(&list->value)[i], BT_STR("with"));
        lines[i] = (struct governed_list_line){bt_json_text(with), i};
    }
    qsort(lines, count, sizeof(*lines), compare_named);
    for (size_t i = 0; i < count; i++) {
        const bool is_self = bt_str_eq(lines[i].with, bt_json_name(list));
        if (is_self || (i > 0 && bt_str_eq(lines[i].with, lines[i - 1].with))) {
            BT_TRY(bt_add_boundary_line_invalid_entry(
                findings, bt_location_value(document, &bt_json_items(&list->value)[lines[i].index]),
                is_self ? BT_BOUNDARY_LINE_INVALID_ENTRY_REASON_SELF_REFERENCE
                        : BT_BOUNDARY_LINE_INVALID_ENTRY_REASON_DUPLICATE,
                bt_json_name(list), false));
        }
    }
    return BT_OK;
}

static enum bt_status judge_boundaries(const struct bt_json_doc *document,
                                       struct bt_findings *findings)
{
    const bt_json_value *root = bt_json_root(document);
    for (size_t i = 0; i < bt_json_count(root); i++) {
        BT_TRY(judge_list(document, &bt_json_members(root)[i], findings));
    }
    return BT_OK;
}

enum { NUMBERS = 100 };

static enum bt_status judge_prompt(bt_str text, struct bt_findings *findings)
{
    struct bt_governed_prompt_reader reader = {.text = text};
    struct bt_governed_prompt_line line;
    bool named[NUMBERS] = {false};
    while (bt_governed_prompt_next_line(&reader, &line)) {
        const struct bt_location at = bt_location_pointer(BT_STR(""), line.offset);
        const bool is_partner = line.kind == BT_PROMPT_PARTNER;
        const bool is_unclear = is_partner && line.relation == BT_GOVERNED_RELATION_UNCLEAR;
        if (is_partner && named[line.number]) {
            BT_TRY(bt_add_boundary_line_invalid_alone(findings, at, BT_STR("duplicate")));
        }
        if (is_unclear || line.kind == BT_PROMPT_ODD) {
            BT_TRY(bt_add_boundary_line_odd_alone(
                findings, at,
                is_unclear ? BT_BOUNDARY_LINE_ODD_ALONE_REASON_UNCLEAR
                           : BT_BOUNDARY_LINE_ODD_ALONE_REASON_UNRECOGNISED));
        }
        named[line.number] = named[line.number] || is_partner;
    }
    return BT_OK;
}

static enum bt_status judge_manifest(struct bt_governed_checker *governed,
                                     const struct bt_json_doc *document,
                                     struct bt_findings *findings, bt_str *out_facts)
{
    struct bt_governed_root governed_root = {
        .governed = governed,
        .arena = bt_findings_arena(findings),
        .manifest = {.document = document, .root = bt_json_root(document)}};
    return bt_governed_manifest_judge(&governed_root, findings, out_facts);
}

static enum bt_status judge_lock(const struct bt_json_doc *document, struct bt_findings *findings,
                                 bt_str *out_facts)
{
    const struct bt_governed_root governed_root = {
        .arena = bt_findings_arena(findings),
        .lock = {.document = document, .root = bt_json_root(document)}};
    BT_TRY(bt_governed_lock_judge_counts(&governed_root.lock, findings));
    return bt_governed_lock_put_facts(&governed_root, out_facts);
}

enum bt_status bt_governed_file_judge(struct bt_governed_checker *governed,
                                      enum bt_governed_kind kind, bt_str text,
                                      struct bt_findings *findings, bt_str *out_facts)
{
    const struct bt_json_doc *document = NULL;
    bool is_sound = false;
    *out_facts = BT_STR("");
    if (kind == BT_GOVERNED_KIND__MAX) {
        return judge_prompt(text, findings);
    }
    BT_TRY(bt_governed_json(governed, bt_findings_arena(findings), text, findings, &document));
    if (document) {
        BT_TRY(bt_governed_schema(governed, kind, document, findings, &is_sound));
    }
    if (!is_sound) {
        return BT_OK;
    }
    return kind == BT_GOVERNED_MANIFEST ? judge_manifest(governed, document, findings, out_facts)
           : kind == BT_GOVERNED_LOCK   ? judge_lock(document, findings, out_facts)
                                        : judge_boundaries(document, findings);
}
