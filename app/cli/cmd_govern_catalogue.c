/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_govern_catalogue.c - the commands of `baton govern` about the catalogue */
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "govern_run.h"
#include "json/emit.h"
#include "output.h"
#include "suggest.h"
#include "write_document.h"

/* ---- baton govern init ----------------------------------------------------------------------- */

enum { MEMBERS_BYTES_MAX = 1 << 16 };

/* Write both files, or none. */
static bool write_catalogue(struct cli_run *run, const struct bt_governed_init_result *made)
{
    const struct bt_governed_options *options = &run->govern->flags.options;
    const bt_str root = run->govern->flags.root_path;
    bt_str manifest;
    bt_str lock;
    if (!cli_create_below(run, root, options->manifest, made->manifest, &manifest)) {
        return false;
    }
    if (!cli_create_below(run, root, options->lock, made->lock, &lock)) {
        (void)unlink(manifest.ptr); /* this run made it, and without a lock it cannot be used */
        return false;
    }
    return true;
}

static enum bt_status write_init_member(struct cli_run *run, bool is_written, bt_str *out)
{
    const struct bt_governed_options *options = &run->govern->flags.options;
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, MEMBERS_BYTES_MAX, "init");
    bt_emit_member_string(emit, "manifest", options->manifest);
    bt_emit_member_string(emit, "lock", options->lock);
    bt_emit_member_bool(emit, "written", is_written);
    return bt_object_text_finish(&text, BT_OK, &run->arena, out);
}

static int refuse_existing(const struct cli_run *run, const struct bt_governed_init_result *made)
{
    const struct bt_governed_options *options = &run->govern->flags.options;
    cli_print_error("%.*s exists already, and init makes only the first manifest and lock",
                    BT_STR_ARG(made->existing));
    cli_print_hint("%s",
                   bt_str_eq(made->existing, options->manifest)
                       ? "check the files with `baton govern verify-root --root DIR`"
                       : "a lock without its manifest: restore the manifest, or remove the lock");
    return CLI_FAILED;
}

int cmd_govern_init(struct cli_run *run)
{
    const char *version = cli_given(run->options, &flag_catalogue_version);
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    struct bt_governed_init_result made;
    bt_str members;
    const enum bt_status status =
        bt_governed_init_root(run->govern->checker, &run->govern->flags.options,
                              bt_str_of(version ? version : "1.0.0"), run->report, &made);
    if (status != BT_OK) {
        return govern_run_fail(run, status);
    }
    if (made.exists) {
        return refuse_existing(run, &made);
    }
    if (!made.has_prompts) {
        return cli_failed("no prompt found to make a catalogue from: prompts are "
                          "domains/ID.system.prompt.md, archetypes/... and orchestrators/...");
    }
    const bool is_written = made.is_sound && !is_dry;
    if ((is_written && !write_catalogue(run, &made)) ||
        !cli_is_ok(write_init_member(run, is_written, &members))) {
        return CLI_FAILED;
    }
    const int code = cli_run_report_write(run, members);
    if (run->options->output_count == 0 && code != CLI_FAILED) {
        const bt_str text = is_written ? BT_STR("manifest and lock were written\n")
                                       : BT_STR("nothing was written\n");
        return cli_print(text) == CLI_DONE ? code : CLI_FAILED;
    }
    return code;
}

/* ---- baton govern verify-root ---------------------------------------------------------------- */

typedef enum bt_status verify_fn(struct bt_governed_checker *governed,
                                 const struct bt_governed_options *options,
                                 struct bt_report *report);

static int verify_with(struct cli_run *run, verify_fn *function)
{
    const enum bt_status status =
        function(run->govern->checker, &run->govern->flags.options, run->report);
    return status == BT_OK ? cli_run_report_write(run, BT_STR("")) : govern_run_fail(run, status);
}

int cmd_govern_verify_root(struct cli_run *run)
{
    return verify_with(run, bt_governed_verify_root);
}

int cmd_govern_lock_verify(struct cli_run *run)
{
    return verify_with(run, bt_governed_verify_lock);
}

/* ---- baton govern lock ----------------------------------------------------------------------- */

/* Replace the lock below the governed root atomically. */
static bool write_lock(struct cli_run *run, bt_str text)
{
    struct bt_error error;
    bt_str path;
    enum bt_status status =
        bt_arena_printf(&run->arena, &path, "%.*s/%.*s", BT_STR_ARG(run->govern->flags.root_path),
                        BT_STR_ARG(run->govern->flags.options.lock));
    if (status != BT_OK) {
        (void)bt_error_set(&error, status, "%s", bt_status_text(status));
    } else {
        status = bt_file_replace(path, text, &error);
    }
    return status == BT_OK || cli_refuse("cannot write the lock: %s", error.text);
}

int cmd_govern_lock_update(struct cli_run *run)
{
    const struct bt_governed_lock_options lock_options = {
        .init = cli_given(run->options, &flag_init) != NULL,
        .prune = cli_given(run->options, &flag_prune) != NULL};
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    struct bt_governed_lock_result made;
    const enum bt_status status =
        bt_governed_update_lock(run->govern->checker, &run->govern->flags.options, &lock_options,
                                is_dry, run->report, &made);
    if (status != BT_OK) {
        return govern_run_fail(run, status);
    }
    if (made.text.len > 0 && !is_dry && !write_lock(run, made.text)) {
        return CLI_FAILED;
    }
    return cli_run_report_write(run, made.members);
}

/* ---- baton govern boundaries ----------------------------------------------------------------- */

enum { MAP_BYTES_MAX = 1 << 30 };

static enum bt_governed_boundary_lists find_source(const struct cli_options *options)
{
    const char *from = cli_given(options, &flag_from);
    return !from                          ? BT_BOUNDARY_LISTS_IN_FORCE
           : strcmp(from, "prompts") == 0 ? BT_BOUNDARY_LISTS_FROM_PROMPTS
                                          : BT_BOUNDARY_LISTS_FROM_FILE;
}

static bool take_form(const struct cli_options *options, enum bt_boundary_map_format *out)
{
    const char *render = cli_given(options, &flag_render);
    const bool is_json = cli_wants_json(options);
    const bool emits = cli_given(options, &flag_emit) != NULL;
    *out = emits ? BT_BOUNDARY_MAP_FILE : is_json ? BT_BOUNDARY_MAP_JSON : BT_BOUNDARY_MAP_TEXT;
    if (!render) {
        return true;
    }
    if (is_json || emits) {
        return cli_refuse_usage(options, "--render does not go with %s",
                                emits ? "--emit" : "-f json");
    }
    size_t form = 0;
    (void)cli_kind_find(CLI_MAP_FORM, render, &form);
    *out = (enum bt_boundary_map_format)form;
    return true;
}

int cmd_govern_boundaries_show(struct cli_run *run)
{
    const enum bt_governed_boundary_lists source = find_source(run->options);
    enum bt_boundary_map_format form = BT_BOUNDARY_MAP_TEXT;
    struct bt_buf buf;
    if (!take_form(run->options, &form)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, MAP_BYTES_MAX);
    const enum bt_status status = bt_governed_put_boundary_map(
        run->govern->checker, &run->govern->flags.options, source, form, run->report, &buf);
    if (status != BT_OK || bt_report_count(run->report) > 0) {
        bt_buf_free(&buf);
        return status == BT_OK ? cli_run_report_write(run, BT_STR(""))
                               : govern_run_fail(run, status);
    }
    return cli_print_buf(&buf);
}

/* ---- baton govern path ----------------------------------------------------------------------- */

enum { PATH_BYTES_MAX = 1 << 24 };

/* Load the ids of blocked agents when a store was named. False after an error message. */
static bool take_blocked(struct cli_run *run, struct bt_governed_path_query *question)
{
    struct bt_agent_block_list blocks;
    if (!cli_given(run->options, &flag_store)) {
        return true;
    }
    if (!govern_run_open(run, CLI_READ)) {
        return false;
    }
    if (bt_agent_blocks_list(&run->govern->state, &blocks, &run->error) != BT_OK) {
        (void)cli_run_failed(run, "cannot list the blocked agents");
        return false;
    }
    bt_str *ids = BT_NEW_ARRAY(&run->arena, bt_str, blocks.count + 1);
    for (size_t i = 0; ids && i < blocks.count; i++) {
        ids[i] = blocks.items[i].agent_id;
    }
    question->excluded = ids;
    question->avoided_count = blocks.count;
    if (!ids) {
        (void)cli_fail_status(BT_ENOMEM);
    }
    return ids != NULL;
}

int cmd_govern_path(struct cli_run *run)
{
    struct bt_governed_path_query question = {
        .from = bt_str_of(run->options->operands[0]),
        .to = bt_str_of(run->options->operands[1]),
        .form = cli_wants_json(run->options) ? BT_BOUNDARY_MAP_JSON : BT_BOUNDARY_MAP_TEXT,
    };
    struct bt_buf buf;
    bool is_reachable = false;
    if (!take_blocked(run, &question)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, PATH_BYTES_MAX);
    const enum bt_status status =
        bt_governed_find_path(run->govern->checker, &run->arena, &run->govern->flags.options,
                              &question, &buf, &is_reachable);
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return govern_run_fail(run, status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_reachable ? CLI_REJECTED : code;
}
