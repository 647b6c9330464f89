/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - the whole catalogue: does everything in it fit everything else?
 */
#include <assert.h>

#include "dialect/governed/governed_root.h"
#include "dialect/governed/verify.h"

enum bt_status bt_governed_file_report_begin(struct bt_governed_file_report *out)
{
    out->findings = bt_findings_new(out->governed_root->arena);
    return out->findings ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_governed_file_report_end(struct bt_governed_file_report *out, bt_str path,
                                           enum bt_dialect_id dialect, bt_str source, bt_str facts)
{
    struct bt_judgement judged;
    BT_TRY(bt_judgement_make(path, dialect, source, out->findings, facts, &judged));
    return bt_report_add(out->report, &judged);
}

enum bt_status bt_governed_file_report_unusable(struct bt_governed_file_report *out)
{
    BT_TRY(bt_governed_file_report_begin(out));
    BT_TRY(bt_governed_root_add_manifest_finding(out->governed_root, out->findings));
    return bt_governed_file_report_end(out, out->governed_root->manifest.path, BT_DIALECT_MANIFEST,
                                       out->governed_root->manifest.file.bytes, BT_STR(""));
}

enum bt_status bt_governed_file_report_explain(struct bt_governed_file_report *out,
                                               const struct bt_governed_file_document *file,
                                               enum bt_governed_kind kind, bool *out_sound)
{
    const struct bt_json_doc *document = NULL;
    struct bt_governed_checker *governed = out->governed_root->governed;
    *out_sound = false;
    if (file->file.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_governed_json(governed, out->governed_root->arena, file->file.bytes, out->findings,
                            &document));
    return document ? bt_governed_schema(governed, kind, document, out->findings, out_sound)
                    : BT_OK;
}

static enum bt_status verify_manifest(struct bt_governed_file_report *out)
{
    const struct bt_governed_file_document *manifest = &out->governed_root->manifest;
    bt_str facts = BT_STR("");
    bool is_sound = false;
    BT_TRY(bt_governed_file_report_begin(out));
    if (manifest->file.fault != BT_ROOT_FINE) {
        BT_TRY(bt_governed_file_add_unusable_finding(out->findings, manifest, false));
    }
    BT_TRY(bt_governed_file_report_explain(out, manifest, BT_GOVERNED_MANIFEST, &is_sound));
    if (is_sound) {
        struct bt_governed_root alone = {.governed = out->governed_root->governed,
                                         .options = out->governed_root->options,
                                         .arena = out->governed_root->arena,
                                         .manifest = *manifest};
        BT_TRY(bt_governed_manifest_judge(&alone, out->findings, &facts));
    }
    return bt_governed_file_report_end(out, manifest->path, BT_DIALECT_MANIFEST,
                                       manifest->file.bytes, facts);
}

static enum bt_status verify_lock(struct bt_governed_file_report *out)
{
    const struct bt_governed_file_document *lock = &out->governed_root->lock;
    bt_str facts = BT_STR("");
    bool is_sound = false;
    BT_TRY(bt_governed_file_report_begin(out));
    if (lock->file.fault != BT_ROOT_FINE) {
        BT_TRY(bt_governed_file_add_unusable_finding(out->findings, lock, true));
    }
    BT_TRY(bt_governed_file_report_explain(out, lock, BT_GOVERNED_LOCK, &is_sound));
    if (is_sound) {
        BT_TRY(bt_governed_lock_judge(out));
        BT_TRY(bt_governed_lock_put_facts(out->governed_root, &facts));
    }
    return bt_governed_file_report_end(out, lock->path, BT_DIALECT_LOCK, lock->file.bytes, facts);
}

/* Whether prompt and file name the same partners and separate the same ones. The file may take an
 * unclear line of the prompt for either. */
static bool is_same_list(const struct bt_governed_root *governed_root,
                         const struct bt_governed_boundary_list *prompt,
                         const struct bt_governed_boundary_list *file)
{
    for (size_t i = 0; i < governed_root->count; i++) {
        const bool is_same = prompt->named[i] & BT_UNCLEAR ? (file->named[i] & BT_NAMED) != 0
                                                           : prompt->named[i] == file->named[i];
        if (!is_same) {
            return false;
        }
    }
    return true;
}

/* Compare the list of a prompt, where it has one, with that of the file. */
static enum bt_status judge_drift(struct bt_governed_file_report *out,
                                  struct bt_governed_agent *agent)
{
    struct bt_governed_root *governed_root = out->governed_root;
    struct bt_governed_boundary_list list = {0};
    BT_TRY(bt_governed_agent_read(governed_root, agent));
    if (agent->prompt.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_governed_prompt_read_list(governed_root, agent, NULL, &list));
    if (!list.is_there ||
        (agent->list.is_there && is_same_list(governed_root, &list, &agent->list))) {
        return BT_OK;
    }
    const bt_json_value *at =
        bt_json_get(governed_root->boundaries.document, governed_root->boundaries.root, agent->id);
    return bt_add_boundaries_drift(
        out->findings, bt_location_value(governed_root->boundaries.document, at), agent->id);
}

static enum bt_status verify_boundaries(struct bt_governed_file_report *out)
{
    struct bt_governed_root *governed_root = out->governed_root;
    struct bt_governed_file_document *boundaries = &governed_root->boundaries;
    const enum bt_governed_file_error fault = boundaries->fault;
    bool is_sound = false;
    if (!governed_root->lists_in_file) {
        return BT_OK;
    }
    BT_TRY(bt_governed_file_report_begin(out));
    if (fault == BT_ROOT_MISSING || fault == BT_ROOT_UNSAFE || fault == BT_ROOT_NOT_LOCKED ||
        fault == BT_ROOT_HASH_MISMATCH) {
        BT_TRY(bt_governed_root_add_boundaries_finding(governed_root, out->findings));
    }
    BT_TRY(bt_governed_file_report_explain(out, boundaries, BT_GOVERNED_BOUNDARIES, &is_sound));
    if (is_sound) {
        BT_TRY(bt_governed_root_lists(governed_root, out->findings));
        boundaries->fault = fault;
        for (size_t i = 0; i < governed_root->count; i++) {
            BT_TRY(judge_drift(out, &governed_root->agents[i]));
        }
    }
    return bt_governed_file_report_end(out, boundaries->path, BT_DIALECT_BOUNDARIES,
                                       boundaries->file.bytes, BT_STR(""));
}

/* Whether the headings of an archetype's prompt give the shares of the manifest. */
static bool has_same_shares(const struct bt_governed_root *governed_root,
                            const struct bt_governed_agent *agent, bool *out_any)
{
    const struct bt_json_doc *document = governed_root->manifest.document;
    const size_t count = agent->composition ? bt_json_count(agent->composition) : 0;
    struct bt_governed_prompt_reader reader = {.text = agent->prompt.bytes};
    struct bt_governed_prompt_line line;
    bool seen[100] = {false};
    bool is_same = true;
    size_t found = 0;
    while (bt_governed_prompt_next_line(&reader, &line)) {
        if (line.kind != BT_PROMPT_SHARE) {
            continue;
        }
        const size_t domain = bt_governed_root_domain(governed_root, line.number);
        const bt_json_value *share =
            domain == BT_NO_AGENT
                ? NULL
                : bt_json_get(document, agent->composition, governed_root->agents[domain].id);
        is_same = is_same && share && bt_json_is_number(share) && !seen[line.number] &&
                  bt_json_to_double(share) == (double)line.percent;
        seen[line.number] = true;
        found++;
    }
    *out_any = found > 0;
    return is_same && found == count;
}

static enum bt_status judge_shares(struct bt_governed_file_report *out,
                                   const struct bt_governed_agent *agent)
{
    bool has_any = false;
    if (agent->type != BT_GOVERNED_AGENT_TYPE_ARCHETYPE ||
        has_same_shares(out->governed_root, agent, &has_any) || !has_any) {
        return BT_OK;
    }
    return bt_add_composition_drift(out->findings, bt_location_whole(), agent->id);
}

static enum bt_status verify_prompt(struct bt_governed_file_report *out,
                                    struct bt_governed_agent *agent)
{
    BT_TRY(bt_governed_agent_read(out->governed_root, agent));
    if (agent->prompt.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_governed_file_report_begin(out));
    BT_TRY(bt_governed_prompt_read_list(out->governed_root, agent, out->findings, NULL));
    BT_TRY(judge_shares(out, agent));
    return bt_governed_file_report_end(out, agent->file, BT_DIALECT_PROMPT, agent->prompt.bytes,
                                       BT_STR(""));
}

static bool is_listed(const struct bt_governed_root *governed_root, bt_str path)
{
    for (size_t i = 0; i < governed_root->count; i++) {
        if (bt_str_eq(governed_root->agents[i].file, path)) {
            return true;
        }
    }
    return false;
}

static enum bt_status add_unlisted_prompt_finding(struct bt_governed_file_report *out, bt_str path)
{
    BT_TRY(bt_governed_file_report_begin(out));
    BT_TRY(bt_add_prompt_unlisted(out->findings, bt_location_whole(), path));
    return bt_governed_file_report_end(out, path, BT_DIALECT_PROMPT, BT_STR(""), BT_STR(""));
}

static enum bt_status verify_folder(struct bt_governed_file_report *out, bt_str folder)
{
    struct bt_governed_root *governed_root = out->governed_root;
    struct bt_error error = {BT_OK, ""};
    struct bt_dir *inside = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    enum bt_status status =
        bt_dir_open_subdir(governed_root->options->dir, folder, false, &inside, &error);
    if (status == BT_ENOENT || status == BT_EDENIED) {
        return BT_OK; /* no such folder, or a link: nothing in it could be read either */
    }
    if (status == BT_OK) {
        status = bt_dir_list(inside, governed_root->arena, &names, &count, &error);
        bt_dir_close(inside);
    }
    if (status != BT_OK) {
        return bt_error_set(&governed_root->governed->trouble, status, "%.*s: %s",
                            BT_STR_ARG(folder), error.text);
    }
    for (size_t i = 0; i < count; i++) {
        bt_str path;
        if (!bt_str_ends_with(names[i], BT_STR(".system.prompt.md"))) {
            continue;
        }
        BT_TRY(bt_arena_printf(governed_root->arena, &path, "%.*s/%.*s", BT_STR_ARG(folder),
                               BT_STR_ARG(names[i])));
        if (!is_listed(governed_root, path)) {
            BT_TRY(add_unlisted_prompt_finding(out, path));
        }
    }
    return BT_OK;
}

static enum bt_status read_governed_root(struct bt_governed_checker *governed,
                                         const struct bt_governed_options *options,
                                         struct bt_arena *arena, struct bt_governed_root *out)
{
    *out = (struct bt_governed_root){
        .governed = governed, .options = options, .arena = arena, .keeps_prompts = true};
    return bt_governed_root_read(out);
}

enum bt_status bt_governed_verify_root(struct bt_governed_checker *governed,
                                       const struct bt_governed_options *options,
                                       struct bt_report *report)
{
    assert(governed);
    assert(options->dir);
    struct bt_governed_root governed_root;
    struct bt_governed_file_report out = {.report = report, .governed_root = &governed_root};
    BT_TRY(read_governed_root(governed, options, bt_report_arena(report), &governed_root));
    BT_TRY(verify_manifest(&out));
    BT_TRY(verify_lock(&out));
    if (governed_root.manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(verify_boundaries(&out));
    for (size_t i = 0; i < governed_root.count; i++) {
        BT_TRY(verify_prompt(&out, &governed_root.agents[i]));
    }
    /* In the order of their paths. */
    BT_TRY(verify_folder(&out, bt_governed_agent_section(BT_GOVERNED_AGENT_TYPE_ARCHETYPE)));
    BT_TRY(verify_folder(&out, bt_governed_agent_section(BT_GOVERNED_AGENT_TYPE_DOMAIN)));
    return verify_folder(&out, bt_governed_agent_section(BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR));
}

enum bt_status bt_governed_verify_lock(struct bt_governed_checker *governed,
                                       const struct bt_governed_options *options,
                                       struct bt_report *report)
{
    assert(governed);
    assert(options->dir);
    struct bt_governed_root governed_root;
    struct bt_governed_file_report out = {.report = report, .governed_root = &governed_root};
    BT_TRY(read_governed_root(governed, options, bt_report_arena(report), &governed_root));
    if (governed_root.manifest.fault != BT_ROOT_FINE) {
        BT_TRY(bt_governed_file_report_unusable(&out));
    }
    BT_TRY(verify_lock(&out));
    return governed_root.manifest.fault == BT_ROOT_FINE ? verify_boundaries(&out) : BT_OK;
}
