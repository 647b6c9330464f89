/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_config.c - baton config check|show|path
 */
#include <string.h>

#include <baton/json.h>

#include "cli.h"
#include "input.h"
#include "json/emit.h"
#include "output.h"
#include "run.h"
#include "suggest.h"

enum { OUTPUT_BYTES_MAX = 16 << 20 };

/* The file that is checked: as a file of its kind, without other files. */
struct cli_config_judging {
    enum bt_config_kind kind;
    bt_str path;
    struct config_find_project project;
    char today[BT_DATE_BYTES + 1];
};

/* The kind that --kind names. */
static enum bt_config_kind find_kind(const struct cli_options *options)
{
    const char *word = cli_given(options, &flag_kind);
    enum bt_config_kind kind = BT_CONFIG_FILE;
    while (word && kind < BT_CONFIG_KINDS && !bt_str_eq(config_kind_name(kind), bt_str_of(word))) {
        kind++;
    }
    return (enum bt_config_kind)(kind % BT_CONFIG_KINDS);
}

/* Find the file: the named one, or the project's. False after an error message. */
static bool find_file(const struct cli_options *options, struct bt_arena *arena,
                      struct cli_config_judging *judging)
{
    const char *named = options->operand_count > 0 ? options->operands[0] : NULL;
    if (!named && cli_given(options, &flag_kind)) {
        return cli_refuse_usage(options, "--kind is about a FILE: name it");
    }
    judging->kind = named ? find_kind(options) : BT_CONFIG_PROJECT;
    const enum bt_status status = named ? config_project_at(arena, named, &judging->project)
                                        : config_find_project(arena, NULL, &judging->project);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    judging->path = named ? bt_str_of(named) : judging->project.path;
    if (judging->path.len == 0) {
        return cli_refuse("no " CONFIG_PROJECT_NAME " found here or above in this repository");
    }
    return true;
}

static enum bt_status judge_text(struct bt_arena *arena, struct cli_config_judging *judging,
                                 bt_str text, struct bt_judgement *out)
{
    const struct bt_config_source source = {judging->path, text, BT_STR(""), judging->kind,
                                            bt_str_of(judging->today)};
    struct bt_config_merge merge = {
        .use = BT_CONFIG_JUDGES, .is_below = config_is_below, .context = &judging->project};
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_config *merged = NULL;
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_config_read(arena, &source, findings, &merge.files[judging->kind]));
    if (merge.files[judging->kind] && judging->kind != BT_CONFIG_FILE) {
        BT_TRY(bt_config_merge(arena, &merge, findings, findings, &merged));
    }
    return bt_judgement_make(judging->path, BT_DIALECT_CONFIG, text, findings, BT_STR("{}"), out);
}

int cmd_config_check(struct cli_run *run)
{
    struct cli_config_judging judging;
    struct cli_input input;
    struct bt_judgement judged;
    if (!find_file(run->options, &run->arena, &judging) ||
        !cli_run_read(run, judging.path.ptr, &input)) {
        return CLI_FAILED;
    }
    judging.path = input.path;
    cli_today(run->options, judging.today);
    const enum bt_status status = judge_text(&run->arena, &judging, input.content, &judged);
    return status == BT_OK ? cli_run_report_one(run, &judged, BT_STR(""))
                           : cli_failed("cannot judge %.*s: %s", BT_STR_ARG(judging.path),
                                        bt_status_text(status));
}

/* Put `"files":[...]`: the files that were read, and which of their keys are not used. */
static enum bt_status emit_files(const struct cli_options *options, struct bt_arena *arena,
                                 struct bt_emit *emit)
{
    cli_json_array(emit, "files");
    for (size_t i = 0; options->files && i < options->files->count; i++) {
        const struct config_load_file *file = &options->files->files[i];
        bt_str path;
        BT_TRY(config_shown_path(arena, file->path, &path));
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", path);
        bt_emit_member_string(emit, "kind", config_kind_name(file->kind));
        cli_json_array(emit, "not_used");
        for (size_t key = 0; bt_config_key(key).len > 0; key++) {
            if (file->kind == BT_CONFIG_PROJECT && bt_config_is_refused(options->config, key)) {
                bt_emit_string(emit, bt_config_key(key));
            }
        }
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

int cmd_config_path(struct cli_run *run)
{
    const struct config_load_loaded *files = run->options->files;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    for (size_t i = 0; files && i < files->count; i++) {
        const struct config_load_file *file = &files->files[i];
        bt_str path;
        if (config_shown_path(&run->arena, file->path, &path) != BT_OK) {
            bt_buf_free(&buf);
            return cli_fail_status(BT_ENOMEM);
        }
        bt_buf_printf(&buf, "%.*s ", BT_STR_ARG(config_kind_name(file->kind)));
        bt_buf_put_printable(&buf, path, SIZE_MAX);
        bt_buf_put_char(&buf, '\n');
    }
    if (buf.len == 0 && buf.status == BT_OK) {
        cli_print_hint("No configuration file is read. baton config --help says where they are.");
    }
    return cli_print_buf(&buf);
}

int cmd_config_show(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bool is_json = cli_wants_json(options);
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (is_json) {
        struct bt_emit emit;
        cli_json_begin(&emit, &buf);
        bt_config_emit(options->config, &emit);
        const enum bt_status status = emit_files(options, &run->arena, &emit);
        cli_json_end(&emit);
        buf.status = buf.status == BT_OK ? status : buf.status;
    } else {
        bt_config_put_yaml(options->config, &buf);
    }
    return cli_print_buf(&buf);
}
