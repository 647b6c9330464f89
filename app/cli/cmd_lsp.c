/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_lsp.c - baton lsp: the Language Server Protocol on standard input and output.
 *
 * Each workspace folder is judged as `baton check` with the same flags would do it there, so its
 * workspace is made from the flags of the command, what the client sets instead of them, and the
 * configuration that is found from that folder. No handler is loaded.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/civil_time.h"
#include "base/clock.h"
#include "base/file.h"
#include "check_run.h"
#include "cli.h"
#include "config/select.h"
#include "contract_run.h"
#include "govern_run.h"
#include "lsp/lsp.h"
#include "organism_file.h"
#include "output.h"
#include "plan_run.h"
#include "universal_run.h"

enum { WORKSPACE_BYTES_MAX = 512 << 20, CLIENT_FLAGS_MAX = 4 };

/* What the folders of a server share. */
struct cli_lsp {
    const struct cli_options *options; /* with absolute paths */
    struct bt_env env;
};

struct cli_lsp_workspace {
    struct lsp_workspace base;
    struct bt_arena arena; /* holds this struct */
    struct cli_options options;
    struct bt_env env;
    struct bt_universal_options universal;
    struct cli_contract contract;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct cli_governed governed;
    struct bt_dir *root;
    struct config_select select;
    struct bt_ignore_list patterns[2]; /* include, exclude */
};

/* ---- Flags ----------------------------------------------------------------------------------- */

/* The absolute form of a path, in the arena; a path that does not exist stays as it is. */
static const char *make_absolute(struct bt_arena *arena, const char *path)
{
    char real[PATH_MAX];
    bt_str copy;
    const char *found = realpath(path, real) ? real : path;
    return bt_arena_copy(arena, bt_str_of(found), &copy) == BT_OK ? copy.ptr : NULL;
}

static bool is_path_flag(const struct cli_flag *flag)
{
    return flag->kind == CLI_FILE || flag->kind == CLI_FOLDER;
}

/* The flags of the command with absolute paths, because the current directory changes. */
static bool copy_flags(const struct cli_options *options, struct bt_arena *arena,
                       struct cli_options *out)
{
    *out = *options;
    out->given = BT_NEW_ARRAY(arena, struct cli_given, options->given_count + 1);
    for (size_t i = 0; out->given && i < options->given_count; i++) {
        out->given[i] = options->given[i];
        if (is_path_flag(options->given[i].flag)) {
            out->given[i].value = make_absolute(arena, options->given[i].value);
        }
    }
    out->root = options->root ? make_absolute(arena, options->root) : NULL;
    return out->given || cli_refuse_status(BT_ENOMEM);
}

/* Let a setting of the client take the place of a flag. */
static void set_flag(struct cli_options *options, const struct cli_flag *flag, bt_str value)
{
    if (value.ptr) {
        options->given[options->given_count++] = (struct cli_given){flag, value.ptr, 0};
    }
}

/* Remove the flag that a list of the client replaces. */
static void drop_flag(struct cli_options *options, const struct cli_flag *flag)
{
    size_t kept = 0;
    for (size_t i = 0; i < options->given_count; i++) {
        if (options->given[i].flag->id != flag->id) {
            options->given[kept++] = options->given[i];
        }
    }
    options->given_count = kept;
}

/* The flags of a workspace: those of the command, and over them what the client sets. */
static bool merge_flags(struct cli_lsp_workspace *workspace, const struct cli_options *flags,
                        const struct lsp_settings *settings)
{
    struct cli_options *options = &workspace->options;
    const size_t room = flags->given_count + CLIENT_FLAGS_MAX + settings->skills.count;
    *options = *flags;
    options->command = cli_command_part(&cli_baton, "check"); /* its settings are used */
    options->given = BT_NEW_ARRAY(&workspace->arena, struct cli_given, room);
    options->report = bt_report_new(&workspace->arena);
    if (!options->given || !options->report) {
        return false;
    }
    for (size_t i = 0; i < flags->given_count; i++) {
        options->given[i] = flags->given[i];
    }
    set_flag(options, &flag_config, settings->config);
    set_flag(options, &flag_organism, settings->organism);
    set_flag(options, &flag_input, settings->input);
    if (settings->skills.items) {
        drop_flag(options, &flag_skills);
    }
    for (size_t i = 0; i < settings->skills.count; i++) {
        set_flag(options, &flag_skills, settings->skills.items[i]);
    }
    options->root = settings->root.ptr ? settings->root.ptr : options->root;
    return true;
}

/* ---- Workspaces ------------------------------------------------------------------------------ */

static bool open_root(struct cli_lsp_workspace *workspace)
{
    const char *path = workspace->options.root;
    struct bt_error error;
    const enum bt_status status =
        path ? bt_dir_open(bt_str_of(path), &workspace->root, &error) : BT_OK;
    if (status != BT_OK) {
        const struct bt_failure failure = {bt_str_of(path), cli_reason_of_path(path, status),
                                           bt_str_of(error.text)};
        cli_fail(&workspace->options, "use the root", &failure);
    }
    workspace->plan.dir = workspace->root;
    return status == BT_OK;
}

/* Read the organism without loading a handler. */
static bool open_organism(struct cli_lsp_workspace *workspace)
{
    const char *path = cli_given(&workspace->options, &flag_organism);
    struct cli_message_options *xml = &workspace->xml;
    organism_file_begin(&xml->file);
    xml->organisms = (struct bt_organism_options){.has_files = true};
    xml->options =
        (struct bt_message_options){.client = BT_STR(""), .organism_options = &xml->organisms};
    if (path && !organism_file_require(&xml->file, path, &workspace->env, ORGANISM_NOT_LOADED)) {
        cli_note_failure(&workspace->options, bt_str_of(path), BT_FAILURE_CONFIG,
                         "the organism cannot be used; baton pump check says why");
        return false;
    }
    xml->options.organism = xml->file.organism;
    return true;
}

/* A governed root that cannot be opened leaves governed documents to their structure. */
static void open_governed(struct cli_lsp_workspace *workspace)
{
    if (!cli_governed_open(&workspace->options, &workspace->governed)) {
        cli_note_failure(&workspace->options, workspace->governed.root_path, BT_FAILURE_CONFIG,
                         "the root of the catalogue cannot be used");
    }
}

/* The patterns of a key, relative to the folder of the file that has them. */
static bool take_patterns(struct cli_lsp_workspace *workspace, const char *key,
                          struct bt_ignore_list *out)
{
    const struct bt_config *config = workspace->options.config;
    const bt_str folder = bt_config_folder(config, key);
    bt_str path = BT_STR(".");
    enum bt_status status =
        folder.len > 0 ? bt_arena_copy(&workspace->arena, folder, &path) : BT_OK;
    out->folder = bt_str_of(make_absolute(&workspace->arena, path.ptr));
    for (size_t i = 0; status == BT_OK && i < bt_config_count(config, key); i++) {
        status = bt_ignore_add(&workspace->arena, out, bt_config_item(config, key, i));
    }
    return status == BT_OK || cli_refuse_status(status);
}

/* Open what chooses the findings: levels, ignore entries, the baseline. */
static bool open_select(struct cli_lsp_workspace *workspace)
{
    return cli_check_select_open(&workspace->options, &workspace->arena, &workspace->select) &&
           take_patterns(workspace, "include", &workspace->patterns[0]) &&
           take_patterns(workspace, "exclude", &workspace->patterns[1]);
}

static bool open_parts(struct cli_lsp_workspace *workspace)
{
    struct cli_options *options = &workspace->options;
    struct bt_arena *arena = &workspace->arena;
    if (!cli_resolve_settings(options, arena) || !cli_env_init(options, &workspace->env) ||
        !cli_universal_options(options, &workspace->universal) ||
        !cli_plan_options(options, &workspace->plan) || !open_root(workspace) ||
        !cli_skills_open(options, arena, &workspace->universal.catalogue) ||
        !cli_contract_options(options, &workspace->env, arena, &workspace->contract) ||
        !open_organism(workspace) || !cli_governed_options(options, arena, &workspace->governed) ||
        !open_select(workspace)) {
        return false;
    }
    open_governed(workspace);
    workspace->universal.refs_within_root = true;
    return true;
}

/* The absolute form of a path in the current directory; "" for NULL and "". */
static bt_str real_path(struct bt_arena *arena, bt_str path)
{
    return path.len > 0 ? bt_str_of(make_absolute(arena, path.ptr)) : BT_STR("");
}

static void set_workspace(struct cli_lsp_workspace *workspace)
{
    struct bt_arena *arena = &workspace->arena;
    workspace->base = (struct lsp_workspace){
        .env = &workspace->env,
        .options = {.fail_level = workspace->options.fail_level,
                    .checker = bt_checker_create(&workspace->env),
                    .universal = &workspace->universal,
                    .contract = &workspace->contract.options,
                    .plan = &workspace->plan,
                    .xml = &workspace->xml.options,
                    .governed = &workspace->governed.options},
        .root = real_path(arena, bt_str_of(workspace->options.root)),
        .organism_path =
            real_path(arena, bt_str_of(cli_given(&workspace->options, &flag_organism))),
        .governed_root =
            workspace->governed.root ? real_path(arena, workspace->governed.root_path) : BT_STR(""),
        .select = &workspace->select,
        .include = workspace->patterns[0].count > 0 ? &workspace->patterns[0] : NULL,
        .exclude = workspace->patterns[1].count > 0 ? &workspace->patterns[1] : NULL,
        .docs_url = bt_config_text(workspace->options.config, "output.docs_url")};
}

static void close_workspace(void *context, struct lsp_workspace *base)
{
    struct cli_lsp_workspace *workspace = (struct cli_lsp_workspace *)base;
    (void)context;
    bt_checker_destroy(base->options.checker);
    cli_message_options_free(&workspace->xml);
    cli_governed_close(&workspace->governed);
    bt_dir_close(workspace->root);
    struct bt_arena arena = workspace->arena;
    bt_arena_free(&arena);
}

/* Say what could not be used: the first failure of the report. */
static void set_failure(const struct cli_options *options, struct bt_error *error)
{
    if (bt_report_failure_count(options->report) > 0) {
        const struct bt_failure *failure = bt_report_failure_at(options->report, 0);
        (void)bt_error_set(error, BT_EINVAL, "%.*s: %.*s", BT_STR_ARG(failure->path),
                           BT_STR_ARG(failure->message));
    }
}

static struct lsp_workspace *open_workspace(void *context, const struct lsp_settings *settings,
                                            struct bt_error *error)
{
    const struct cli_lsp *lsp = context;
    struct bt_arena arena;
    bt_arena_init(&arena, WORKSPACE_BYTES_MAX);
    struct cli_lsp_workspace *workspace = BT_NEW(&arena, struct cli_lsp_workspace);
    if (!workspace) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    workspace->arena = arena;
    organism_file_begin(&workspace->xml.file);
    (void)bt_error_set(error, BT_EINVAL, "the configuration cannot be used");
    const bool is_open = merge_flags(workspace, lsp->options, settings) && open_parts(workspace);
    if (is_open) {
        set_workspace(workspace);
        error->text[0] = '\0';
    }
    if (workspace->options.report) {
        set_failure(&workspace->options, error);
    }
    if (!is_open || !workspace->base.options.checker) {
        close_workspace(NULL, &workspace->base);
        return NULL;
    }
    return &workspace->base;
}

/* ---- The command ----------------------------------------------------------------------------- */

/*
 * Flags that name something unusable are refused at once, as by every other command. The files of
 * the folder that the server was started in are left out: a client can show what is wrong with
 * them.
 */
static bool flags_are_usable(struct cli_lsp *lsp)
{
    const struct lsp_settings none = {.config = {NULL, 0}};
    const struct cli_options *options = lsp->options;
    struct cli_options alone = *options;
    struct bt_error error = {.text = ""};
    if (!cli_given(options, &flag_config)) {
        alone.given[alone.given_count++] = (struct cli_given){&flag_no_config, NULL, 0};
    }
    lsp->options = &alone;
    struct lsp_workspace *workspace = open_workspace(lsp, &none, &error);
    lsp->options = options;
    if (workspace) {
        close_workspace(lsp, workspace);
    }
    return workspace != NULL;
}

int cmd_lsp(const struct cli_options *options)
{
    struct cli_options flags;
    struct bt_arena arena;
    struct bt_error error = {.text = ""};
    int code = CLI_FAILED;
    bt_arena_init(&arena, WORKSPACE_BYTES_MAX);
    struct cli_lsp lsp = {.options = &flags};
    const struct lsp_program program = {
        .env = &lsp.env, .context = &lsp, .open = open_workspace, .close = close_workspace};
    if (copy_flags(options, &arena, &flags) && cli_env_init(options, &lsp.env) &&
        flags_are_usable(&lsp)) {
        struct lsp_server *server = lsp_server_create(&program);
        code = server ? lsp_serve(server, STDIN_FILENO, STDOUT_FILENO, &error)
                      : cli_fail_status(BT_ENOMEM);
        if (error.text[0]) {
            cli_print_error("%s", error.text);
        }
        lsp_server_destroy(server);
    }
    bt_arena_free(&arena);
    return code;
}
