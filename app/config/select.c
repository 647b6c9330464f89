/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - the settings that choose the findings of a command, and what a run used of them. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "config/select.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "json/emit.h"

/* ---- Paths ----------------------------------------------------------------------------------- */

/* What stands before the last part of a path, with its slash. */
static bt_str folder_of(bt_str path)
{
    return bt_str_slice(path, 0, path.len - bt_str_after_last(path, '/').len);
}

/* The absolute path of a folder, "" for the current one, without a slash at its end; "" is the root
 * or a folder that cannot be found. */
static enum bt_status find_real(struct bt_arena *arena, bt_str folder, bool *out_found, bt_str *out)
{
    char real[PATH_MAX];
    bt_str path;
    BT_TRY(bt_arena_printf(arena, &path, "%.*s.", BT_STR_ARG(folder)));
    *out_found = realpath(path.ptr, real) != NULL;
    return bt_arena_copy(arena, *out_found && real[1] != '\0' ? bt_str_of(real) : BT_STR(""), out);
}

enum bt_status config_select_path(const struct config_select *select, struct bt_arena *arena,
                                  bt_str path, bt_str *out)
{
    bt_str folder;
    bool is_found = false;
    *out = BT_STR("");
    if (!select->needs_paths || path.len == 0) {
        return BT_OK;
    }
    BT_TRY(find_real(arena, folder_of(path), &is_found, &folder));
    if (is_found) {
        return bt_arena_printf(arena, out, "%.*s/%.*s", BT_STR_ARG(folder),
                               BT_STR_ARG(bt_str_after_last(path, '/')));
    }
    if (path.ptr[0] != '/') {
        BT_TRY(find_real(arena, BT_STR(""), &is_found, &folder));
        BT_TRY(bt_arena_printf(arena, &path, "%.*s/%.*s", BT_STR_ARG(folder), BT_STR_ARG(path)));
    }
    return bt_path_resolve(arena, path, out);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

/* Take one --rule CODE=LEVEL. */
static enum bt_status take_rule(struct config_select *out, bt_str text, struct bt_error *error)
{
    const size_t equals = bt_str_find_byte(text, '=', 0);
    const bt_str code = bt_str_slice(text, 0, equals);
    const bt_str word = bt_str_slice(text, equals + 1, text.len);
    enum bt_select_level level = BT_SELECT_LEVEL_NONE;
    struct bt_select_codes codes;
    if (equals == text.len || bt_select_level_parse(word, &level) != BT_OK) {
        return bt_error_set(error, BT_EINVAL,
                            "--rule needs CODE=LEVEL with the level off, info, warning or error, "
                            "not %.*s",
                            BT_STR_ARG(bt_str_slice(text, 0, 60)));
    }
    if (bt_select_find_codes(code, &codes) != BT_OK) {
        return bt_error_set(error, BT_EINVAL, "--rule: unknown code %.*s; baton rules lists them",
                            BT_STR_ARG(bt_str_slice(code, 0, 60)));
    }
    if (!bt_select_level_is_allowed(codes, level)) {
        const struct bt_select_lowest lowest = bt_select_lowest(codes.first);
        return bt_error_set(
            error, BT_EINVAL, "--rule: %.*s cannot be set below %.*s; baton explain %.*s says why",
            BT_STR_ARG(code), BT_STR_ARG(bt_select_level_word(lowest.level)), BT_STR_ARG(code));
    }
    return bt_select_rules_set(out->arena, &out->select.flags, code, level);
}

static enum bt_status take_rules(const struct config_select_options *options,
                                 struct config_select *out, struct bt_error *error)
{
    for (size_t i = 0; options->rules && options->rules[i]; i++) {
        BT_TRY(take_rule(out, bt_str_of(options->rules[i]), error));
    }
    return BT_OK;
}

/* ---- The baseline file ----------------------------------------------------------------------- */

static bool has_project(const struct config_load_loaded *files)
{
    return files && files->count > 0 && files->files[0].kind == BT_CONFIG_PROJECT;
}

/* The file: the flag's, the configuration's, or the one in the project folder. */
static enum bt_status find_baseline(const struct config_select_options *options,
                                    struct config_select *out)
{
    bt_str folder = BT_STR("");
    if (options->baseline_file) {
        out->baseline_path = bt_str_of(options->baseline_file);
        return BT_OK;
    }
    BT_TRY(bt_config_path(options->config, "baseline", out->arena, &out->baseline_path));
    if (out->baseline_path.len > 0) {
        return BT_OK;
    }
    if (has_project(options->files)) {
        folder = folder_of(options->files->files[0].path);
    } else {
        BT_TRY(config_path_to_repository(out->arena, &folder));
    }
    return bt_arena_printf(out->arena, &out->baseline_path, "%.*s" CONFIG_BASELINE_NAME,
                           BT_STR_ARG(folder));
}

static enum bt_select_baseline_mode mode_of(const struct config_select_options *options)
{
    const bool is_named = options->baseline_file || bt_config_has(options->config, "baseline");
    switch (options->baseline) {
    case CONFIG_BASELINE_USE:
        return BT_SELECT_BASELINE_USE;
    case CONFIG_BASELINE_WRITE:
        return BT_SELECT_BASELINE_WRITE;
    case CONFIG_BASELINE_OFF:
        return BT_SELECT_BASELINE_OFF;
    case CONFIG_BASELINE_DEFAULT:
        break;
    }
    return is_named ? BT_SELECT_BASELINE_USE : BT_SELECT_BASELINE_OFF;
}

static enum bt_status read_baseline(const struct config_select_options *options,
                                    struct config_select *out, struct bt_error *error)
{
    struct bt_select *select = &out->select;
    bt_str folder;
    bt_str path;
    bt_str text;
    bool is_found = false;
    select->mode = mode_of(options);
    if (select->mode == BT_SELECT_BASELINE_OFF) {
        return BT_OK;
    }
    BT_TRY(find_baseline(options, out));
    BT_TRY(bt_arena_copy(out->arena, out->baseline_path, &path)); /* ends in a NUL byte */
    out->baseline_path = path;
    BT_TRY(find_real(out->arena, folder_of(path), &is_found, &folder));
    if (!is_found) {
        return bt_error_set(error, BT_ENOENT, "its folder does not exist");
    }
    const enum bt_status status =
        bt_file_read(out->arena, path, BT_SELECT_BASELINE_BYTES_MAX, &text, error);
    if (status == BT_ENOENT && select->mode == BT_SELECT_BASELINE_WRITE) {
        select->baseline = bt_select_baseline_empty(out->arena, folder);
        return select->baseline ? BT_OK : BT_ENOMEM;
    }
    BT_TRY(status);
    return bt_select_baseline_read(out->arena, folder, text, &select->baseline, error);
}

/* ---- The start of a run ---------------------------------------------------------------------- */

static enum bt_status take_config(const struct config_select_options *options,
                                  struct config_select *out)
{
    struct bt_config_select where = {.today = options->today};
    const char *key = bt_config_has(options->config, "paths") ? "paths" : "ignore";
    bool is_found = false;
    BT_TRY(find_real(out->arena, bt_config_folder(options->config, key), &is_found, &where.folder));
    return bt_config_select(options->config, &where, out->arena, &out->select);
}

static enum config_select_error error_of(enum bt_status status, enum config_select_error error)
{
    return status == BT_OK       ? CONFIG_SELECT_NONE
           : status == BT_ENOMEM ? CONFIG_SELECT_MEMORY
                                 : error;
}

enum config_select_error config_select_open(struct bt_arena *arena,
                                            const struct config_select_options *options,
                                            struct config_select *out, struct bt_error *error)
{
    *out = (struct config_select){.arena = arena,
                                  .files = options->files,
                                  .baseline_path = BT_STR(""),
                                  .select = {.set_by_flag = options->set_by_flag}};
    enum config_select_error failed = error_of(take_rules(options, out, error), CONFIG_SELECT_RULE);
    if (failed == CONFIG_SELECT_NONE) {
        failed = error_of(take_config(options, out), CONFIG_SELECT_MEMORY);
    }
    if (failed == CONFIG_SELECT_NONE) {
        failed = error_of(read_baseline(options, out, error), CONFIG_SELECT_BASELINE);
    }
    const struct bt_select *select = &out->select;
    out->needs_paths = select->path_count > 0 || select->ignore_count > 0 ||
                       select->mode != BT_SELECT_BASELINE_OFF;
    out->is_active = out->needs_paths || select->flags.levels || select->files[0].levels ||
                     select->files[1].levels || select->files[2].levels;
    out->usage = bt_select_usage_new(arena, select);
    return failed == CONFIG_SELECT_NONE && !out->usage ? CONFIG_SELECT_MEMORY : failed;
}

/* ---- Documents ------------------------------------------------------------------------------- */

enum bt_status config_select_judgement(const struct config_select *select, struct bt_arena *arena,
                                       bt_str path, enum bt_severity fail_level,
                                       struct bt_judgement *judged, struct bt_select_result *out)
{
    *out = (struct bt_select_result){.findings = judged->findings};
    if (select->is_active) {
        BT_TRY(bt_select_apply(&select->select, arena, path, judged->findings, out));
    }
    judged->findings = out->findings;
    judged->suppressed = out->suppressed;
    judged->verdict = bt_verdict_of(out->findings, fail_level ? fail_level : BT_SEVERITY_HARD);
    return BT_OK;
}

enum bt_status config_select_leave_suppressed(const struct config_select *select,
                                              struct bt_arena *arena, bt_str path,
                                              struct bt_fix_input *document)
{
    struct bt_select before = select->select;
    struct bt_judgement judged;
    struct bt_select_result shown;
    if (before.mode == BT_SELECT_BASELINE_WRITE) {
        before.mode = BT_SELECT_BASELINE_OFF;
        before.baseline = NULL;
    }
    if (select->is_active) {
        BT_TRY(bt_check_document(document->env, arena, document->path, document->content,
                                 document->options, &judged));
        BT_TRY(bt_select_apply(&before, arena, path, judged.findings, &shown));
        document->choice.suppressed = shown.suppressed;
    }
    return BT_OK;
}

enum bt_status config_select_note(struct config_select *select, bt_str path,
                                  const struct bt_select_result *result)
{
    return select->is_active ? bt_select_usage_add(select->usage, path, result) : BT_OK;
}

/* ---- The end of a run ------------------------------------------------------------------------ */

/* The findings of a file that are not HARD, and unused entries of `ignore` if it is the one that
 * has the list. */
static enum bt_status collect_file(const struct config_select *select,
                                   const struct config_load_file *file, struct bt_findings **out)
{
    struct bt_findings *findings = bt_findings_new(select->arena);
    const bool has_ignores = file->kind == BT_CONFIG_PROJECT || file->kind == BT_CONFIG_FILE;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < bt_findings_count(file->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(file->findings, i);
        if (finding->severity != BT_SEVERITY_HARD) {
            BT_TRY(bt_findings_add(findings, finding));
        }
    }
    BT_TRY(has_ignores ? bt_select_add_unused(select->usage, findings) : BT_OK);
    *out = findings;
    return bt_findings_finish(findings, file->text);
}

static void add_about(struct config_select_end *end, bt_str path,
                      const struct bt_findings *findings)
{
    if (bt_findings_count(findings) > 0) {
        assert(end->about_count < CONFIG_SELECT_ABOUT_MAX);
        end->about[end->about_count++] = (struct config_select_about){path, findings};
    }
}

static enum bt_status put_files(const struct config_select *select, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "files");
    for (size_t i = 0; i < select->files->count; i++) {
        const struct config_load_file *file = &select->files->files[i];
        bt_str path;
        BT_TRY(config_shown_path(select->arena, file->path, &path));
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", path);
        bt_emit_member_string(emit, "kind", config_kind_name(file->kind));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

/* Put `{"files":[...],"findings":[...]}`. */
static enum bt_status put_config(const struct config_select *select, struct bt_emit *emit,
                                 struct config_select_end *out)
{
    const struct config_load_loaded *files = select->files;
    bt_emit_begin_object(emit);
    BT_TRY(put_files(select, emit));
    bt_emit_member_array(emit, "findings");
    for (size_t i = 0; i < files->count; i++) {
        struct bt_findings *findings = NULL;
        BT_TRY(collect_file(select, &files->files[i], &findings));
        bt_findings_emit(emit, findings);
        add_about(out, files->files[i].path, findings);
    }
    bt_findings_emit(emit, files->conflicts);
    add_about(out, BT_STR("configuration"), files->conflicts);
    bt_emit_end(emit);
    bt_emit_end(emit);
    return BT_OK;
}

static bool document_exists(void *context, bt_str path)
{
    (void)context;
    return bt_file_kind_of(path) != BT_FILE_NONE;
}

static enum bt_status put_totals(struct bt_emit *emit, const struct config_select *select)
{
    const struct bt_select_baseline_totals *totals = &select->totals;
    bt_str path;
    BT_TRY(config_shown_path(select->arena, select->baseline_path, &path));
    bt_emit_member_string(emit, "path", path);
    bt_emit_member_u64(emit, "entries", totals->entries);
    bt_emit_member_u64(emit, "used", totals->used);
    bt_emit_member_u64(emit, "stale", totals->stale);
    if (select->select.mode == BT_SELECT_BASELINE_WRITE) {
        bt_emit_member_u64(emit, "added", totals->added);
        bt_emit_member_u64(emit, "removed", totals->removed);
        bt_emit_member_u64(emit, "refused", totals->refused);
    }
    return BT_OK;
}

/* Put `{"path":...,"findings":[...]}`, and write the file; *out_written says how that went. */
static enum bt_status put_baseline(struct config_select *select, struct bt_emit *emit,
                                   struct config_select_end *out, enum bt_status *out_written,
                                   struct bt_error *error)
{
    struct bt_findings *findings = bt_findings_new(select->arena);
    struct bt_buf file;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_buf_init(&file, BT_SELECT_BASELINE_BYTES_MAX);
    enum bt_status status = bt_select_baseline_finish(select->usage, document_exists, NULL,
                                                      findings, &file, &select->totals);
    if (status == BT_OK && select->select.mode == BT_SELECT_BASELINE_WRITE) {
        *out_written = bt_file_replace(select->baseline_path, bt_buf_str(&file), error);
    }
    bt_buf_free(&file);
    BT_TRY(status);
    BT_TRY(bt_findings_finish(findings, BT_STR("")));
    bt_emit_begin_object(emit);
    BT_TRY(put_totals(emit, select));
    bt_emit_member_array(emit, "findings");
    bt_findings_emit(emit, findings);
    bt_emit_end(emit);
    bt_emit_end(emit);
    add_about(out, select->baseline_path, findings);
    return BT_OK;
}

enum bt_status config_select_finish(struct config_select *select, struct bt_emit *emit,
                                    struct config_select_end *out, struct bt_error *error)
{
    enum bt_status written = BT_OK;
    *out = (struct config_select_end){.about_count = 0};
    if (select->files && select->files->count > 0) {
        bt_emit_name(emit, "config");
        BT_TRY(put_config(select, emit, out));
    }
    if (select->select.baseline) {
        bt_emit_name(emit, "baseline");
        BT_TRY(put_baseline(select, emit, out, &written, error));
    }
    return written;
}
