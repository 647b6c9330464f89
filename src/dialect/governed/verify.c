/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - the whole catalogue: does everything in it fit everything else?
 */
#include <assert.h>

#include "dialect/governed/prompt.h"
#include "dialect/governed/verify.h"

/* ---- Documents ------------------------------------------------------------------------------- */

enum bt_status bt_root_report_begin(struct bt_root_report *out)
{
    out->findings = bt_findings_new(out->roster->arena);
    return out->findings ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_root_report_end(struct bt_root_report *out, bt_str path, const char *dialect,
                                  bt_str source, bt_str facts)
{
    BT_TRY(bt_findings_finish(out->findings, source));
    const struct bt_judged judged = {
        .path = path,
        .dialect = bt_str_of(dialect),
        .source = source,
        .verdict = bt_verdict_of(out->findings, BT_HARD),
        .findings = out->findings,
        .facts = facts,
        .members = BT_STR(""),
    };
    return bt_report_add(out->report, &judged);
}

enum bt_status bt_root_report_unusable(struct bt_root_report *out)
{
    BT_TRY(bt_root_report_begin(out));
    BT_TRY(bt_roster_say_manifest(out->roster, out->findings));
    return bt_root_report_end(out, out->roster->manifest.path, "manifest",
                              out->roster->manifest.file.bytes, BT_STR(""));
}

enum bt_status bt_root_report_explain(struct bt_root_report *out,
                                      const struct bt_root_document *file,
                                      enum bt_governed_kind kind, bool *out_sound)
{
    const struct bt_doc *document = NULL;
    struct bt_governed *governed = out->roster->governed;
    *out_sound = false;
    if (file->file.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(
        bt_governed_json(governed, out->roster->arena, file->file.bytes, out->findings, &document));
    return document ? bt_governed_schema(governed, kind, document, out->findings, out_sound)
                    : BT_OK;
}

/* ---- Manifest -------------------------------------------------------------------------------- */

static enum bt_status verify_manifest(struct bt_root_report *out)
{
    const struct bt_root_document *manifest = &out->roster->manifest;
    bt_str facts = BT_STR("");
    bool is_sound = false;
    BT_TRY(bt_root_report_begin(out));
    if (manifest->file.fault != BT_ROOT_FINE) {
        BT_TRY(bt_root_say_unusable(out->findings, manifest));
    }
    BT_TRY(bt_root_report_explain(out, manifest, BT_GOVERNED_MANIFEST, &is_sound));
    if (is_sound) {
        struct bt_roster alone = {.governed = out->roster->governed,
                                  .options = out->roster->options,
                                  .arena = out->roster->arena,
                                  .manifest = *manifest};
        BT_TRY(bt_manifest_judge(&alone, out->findings, &facts));
    }
    return bt_root_report_end(out, manifest->path, "manifest", manifest->file.bytes, facts);
}

/* ---- Lock ---------------------------------------------------------------------------------- */

static enum bt_status verify_lock(struct bt_root_report *out)
{
    const struct bt_root_document *lock = &out->roster->lock;
    bt_str facts = BT_STR("");
    bool is_sound = false;
    BT_TRY(bt_root_report_begin(out));
    if (lock->file.fault != BT_ROOT_FINE) {
        BT_TRY(bt_root_say_unusable(out->findings, lock));
    }
    BT_TRY(bt_root_report_explain(out, lock, BT_GOVERNED_LOCK, &is_sound));
    if (is_sound) {
        BT_TRY(bt_lock_judge(out));
        BT_TRY(bt_lock_put_facts(out->roster, &facts));
    }
    return bt_root_report_end(out, lock->path, "lock", lock->file.bytes, facts);
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

static bool is_same_list(const struct bt_roster *roster, const struct bt_boundary_list *a,
                         const struct bt_boundary_list *b)
{
    for (size_t i = 0; i < roster->count; i++) {
        if (a->named[i] != b->named[i]) {
            return false;
        }
    }
    return true;
}

/* Compare the list of a prompt, where it has one, with that of the file. */
static enum bt_status judge_drift(struct bt_root_report *out, struct bt_agent *agent)
{
    struct bt_roster *roster = out->roster;
    struct bt_boundary_list list = {0};
    struct bt_remark remark;
    BT_TRY(bt_agent_read(roster, agent));
    if (agent->prompt.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_prompt_list(roster, agent, NULL, &list));
    if (!list.is_there || (agent->list.is_there && is_same_list(roster, &list, &agent->list))) {
        return BT_OK;
    }
    bt_governed_remark(&remark, "BOUNDARIES_DRIFT",
                       (struct bt_spot){roster->boundaries.document,
                                        bt_json_get(roster->boundaries.document,
                                                    roster->boundaries.root, agent->id)});
    if (agent->list.is_there) {
        bt_pointer_put(&remark.pointer, agent->id);
    }
    bt_buf_put_text(&remark.message, "the prompt of ");
    bt_put_quoted(&remark.message, agent->id);
    bt_buf_put_text(&remark.message, " lists other partners");
    bt_emit_member_string(&remark.emit, "agent_id", agent->id);
    return bt_remark_end(&remark, out->findings);
}

static enum bt_status verify_boundaries(struct bt_root_report *out)
{
    struct bt_roster *roster = out->roster;
    struct bt_root_document *boundaries = &roster->boundaries;
    const enum bt_root_fault fault = boundaries->fault;
    bool is_sound = false;
    if (!roster->lists_in_file) {
        return BT_OK;
    }
    BT_TRY(bt_root_report_begin(out));
    if (fault == BT_ROOT_MISSING || fault == BT_ROOT_UNSAFE || fault == BT_ROOT_NOT_LOCKED ||
        fault == BT_ROOT_HASH_MISMATCH) {
        BT_TRY(bt_roster_say_boundaries(roster, out->findings));
    }
    BT_TRY(bt_root_report_explain(out, boundaries, BT_GOVERNED_BOUNDARIES, &is_sound));
    if (is_sound) {
        BT_TRY(bt_roster_lists(roster, out->findings));
        boundaries->fault = fault;
        for (size_t i = 0; i < roster->count; i++) {
            BT_TRY(judge_drift(out, &roster->agents[i]));
        }
    }
    return bt_root_report_end(out, boundaries->path, "boundaries", boundaries->file.bytes,
                              BT_STR(""));
}

/* ---- Prompts --------------------------------------------------------------------------------- */

/* Whether the headings of an archetype's prompt give the shares of the manifest. */
static bool has_same_shares(const struct bt_roster *roster, const struct bt_agent *agent,
                            bool *out_any)
{
    const struct bt_doc *document = roster->manifest.document;
    const size_t count = agent->composition ? bt_json_count(agent->composition) : 0;
    struct bt_prompt_reader reader = {.text = agent->prompt.bytes};
    struct bt_prompt_line line;
    bool seen[100] = {false};
    bool is_same = true;
    size_t found = 0;
    while (bt_prompt_next(&reader, &line)) {
        if (line.kind != BT_PROMPT_SHARE) {
            continue;
        }
        const size_t domain = bt_roster_domain(roster, line.number);
        const bt_value *share = domain == BT_NO_AGENT ? NULL
                                                      : bt_json_get(document, agent->composition,
                                                                    roster->agents[domain].id);
        is_same = is_same && share && bt_json_is_number(share) && !seen[line.number] &&
                  bt_json_double(share) == (double)line.percent;
        seen[line.number] = true;
        found++;
    }
    *out_any = found > 0;
    return is_same && found == count;
}

static enum bt_status judge_shares(struct bt_root_report *out, const struct bt_agent *agent)
{
    bool has_any = false;
    struct bt_remark remark;
    if (agent->type != BT_ARCHETYPE || has_same_shares(out->roster, agent, &has_any) || !has_any) {
        return BT_OK;
    }
    bt_governed_remark(&remark, "COMPOSITION_DRIFT", (struct bt_spot){NULL, NULL});
    bt_buf_put_text(&remark.message, "the headings give ");
    bt_put_quoted(&remark.message, agent->id);
    bt_buf_put_text(&remark.message, " another composition than the manifest");
    bt_emit_member_string(&remark.emit, "agent_id", agent->id);
    return bt_remark_end(&remark, out->findings);
}

static enum bt_status verify_prompt(struct bt_root_report *out, struct bt_agent *agent)
{
    BT_TRY(bt_agent_read(out->roster, agent));
    if (agent->prompt.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_root_report_begin(out));
    BT_TRY(bt_prompt_list(out->roster, agent, out->findings, NULL));
    BT_TRY(judge_shares(out, agent));
    return bt_root_report_end(out, agent->file, "prompt", agent->prompt.bytes, BT_STR(""));
}

/* ---- Prompts that nobody lists --------------------------------------------------------------- */

static bool is_listed(const struct bt_roster *roster, bt_str path)
{
    for (size_t i = 0; i < roster->count; i++) {
        if (bt_str_eq(roster->agents[i].file, path)) {
            return true;
        }
    }
    return false;
}

static enum bt_status say_unlisted(struct bt_root_report *out, bt_str path)
{
    struct bt_remark remark;
    BT_TRY(bt_root_report_begin(out));
    bt_governed_remark(&remark, "PROMPT_UNLISTED", (struct bt_spot){NULL, NULL});
    bt_put_quoted(&remark.message, path);
    bt_buf_put_text(&remark.message, " is named by no entry of the manifest");
    bt_emit_member_string(&remark.emit, "file", path);
    BT_TRY(bt_remark_end(&remark, out->findings));
    return bt_root_report_end(out, path, "prompt", BT_STR(""), BT_STR(""));
}

static enum bt_status verify_folder(struct bt_root_report *out, bt_str folder)
{
    struct bt_roster *roster = out->roster;
    struct bt_error error = {BT_OK, ""};
    struct bt_root *inside = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    enum bt_status status = bt_root_enter(roster->options->root, folder, false, &inside, &error);
    if (status == BT_ENOENT || status == BT_EDENIED) {
        return BT_OK; /* no such folder, or a link: nothing in it could be read either */
    }
    if (status == BT_OK) {
        status = bt_root_names(inside, roster->arena, &names, &count, &error);
        bt_root_close(inside);
    }
    if (status != BT_OK) {
        return bt_fail(&roster->governed->trouble, status, "%.*s: %s", BT_STR_ARG(folder),
                       error.text);
    }
    for (size_t i = 0; i < count; i++) {
        bt_str path;
        if (!bt_str_ends(names[i], BT_STR(".system.prompt.md"))) {
            continue;
        }
        BT_TRY(bt_arena_printf(roster->arena, &path, "%.*s/%.*s", BT_STR_ARG(folder),
                               BT_STR_ARG(names[i])));
        if (!is_listed(roster, path)) {
            BT_TRY(say_unlisted(out, path));
        }
    }
    return BT_OK;
}

/* ---- Together -------------------------------------------------------------------------------- */

static enum bt_status read_roster(struct bt_governed *governed,
                                  const struct bt_governed_options *options, struct bt_arena *arena,
                                  struct bt_roster *out)
{
    *out = (struct bt_roster){
        .governed = governed, .options = options, .arena = arena, .keeps_prompts = true};
    return bt_roster_read(out);
}

enum bt_status bt_governed_verify_root(struct bt_governed *governed,
                                       const struct bt_governed_options *options,
                                       struct bt_report *report)
{
    assert(governed);
    assert(options->root);
    struct bt_roster roster;
    struct bt_root_report out = {.report = report, .roster = &roster};
    BT_TRY(read_roster(governed, options, bt_report_arena(report), &roster));
    BT_TRY(verify_manifest(&out));
    BT_TRY(verify_lock(&out));
    if (roster.manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(verify_boundaries(&out));
    for (size_t i = 0; i < roster.count; i++) {
        BT_TRY(verify_prompt(&out, &roster.agents[i]));
    }
    /* In the order of their paths. */
    BT_TRY(verify_folder(&out, bt_agent_section(BT_ARCHETYPE)));
    BT_TRY(verify_folder(&out, bt_agent_section(BT_DOMAIN)));
    return verify_folder(&out, bt_agent_section(BT_ORCHESTRATOR));
}

enum bt_status bt_governed_verify_lock(struct bt_governed *governed,
                                       const struct bt_governed_options *options,
                                       struct bt_report *report)
{
    assert(governed);
    assert(options->root);
    struct bt_roster roster;
    struct bt_root_report out = {.report = report, .roster = &roster};
    BT_TRY(read_roster(governed, options, bt_report_arena(report), &roster));
    if (roster.manifest.fault != BT_ROOT_FINE) {
        BT_TRY(bt_root_report_unusable(&out));
    }
    BT_TRY(verify_lock(&out));
    return roster.manifest.fault == BT_ROOT_FINE ? verify_boundaries(&out) : BT_OK;
}
