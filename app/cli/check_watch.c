/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_watch.c - baton check --watch: check again whenever a file changes that matters.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_run.h"
#include "config/find.h"
#include "input.h"
#include "output.h"

/* ---- Files that matter ----------------------------------------------------------------------- */

/* Add the values of a flag that name files. */
static bool add_flag_files(const struct cli_options *options, const struct cli_flag *flag,
                           struct bt_arena *arena, struct check_path_list *out)
{
    const char *value = NULL;
    for (size_t i = 0; (value = cli_given_at(options, flag, i)); i++) {
        if (!cli_is_stdin(value) && !cli_is_ok(check_path_list_add(arena, out, value))) {
            return false;
        }
    }
    return true;
}

static bool add_config_files(const struct cli_options *options, struct bt_arena *arena,
                             struct check_watch_places *out)
{
    const char *named = config_named(cli_given(options, &flag_config));
    bt_str user = BT_STR("");
    bt_str baseline = BT_STR("");
    if (!add_flag_files(options, &flag_baseline_file, arena, &out->files) ||
        !cli_is_ok(bt_config_path(options->config, "baseline", arena, &baseline)) ||
        (baseline.len > 0 && !cli_is_ok(check_path_list_add(arena, &out->files, baseline.ptr)))) {
        return false;
    }
    if (cli_given(options, &flag_no_config)) {
        return true;
    }
    out->has_project = !named;
    if (named) {
        return cli_is_ok(check_path_list_add(arena, &out->files, named));
    }
    return cli_is_ok(check_path_list_add(arena, &out->files, CONFIG_SYSTEM_PATH)) &&
           cli_is_ok(config_user_path(arena, "config.yaml", &user)) &&
           (user.len == 0 || cli_is_ok(check_path_list_add(arena, &out->files, user.ptr)));
}

/* Folders that only the configuration names. */
static bool add_config_trees(const struct cli_options *options, struct bt_arena *arena,
                             struct check_watch_places *out)
{
    bt_str path = BT_STR("");
    for (size_t i = 0; i < bt_config_count(options->config, "skills"); i++) {
        if (!cli_is_ok(bt_config_item_path(options->config, "skills", i, arena, &path)) ||
            !cli_is_ok(check_path_list_add(arena, &out->trees, path.ptr))) {
            return false;
        }
    }
    return cli_is_ok(bt_config_path(options->config, "governed.root", arena, &path)) &&
           (path.len == 0 || cli_is_ok(check_path_list_add(arena, &out->trees, path.ptr)));
}

/* An organism names files beside it, so all of its folder matters. */
static bool add_organism(const struct cli_options *options, struct bt_arena *arena,
                         struct check_watch_places *out)
{
    const char *file = cli_given(options, &flag_organism);
    const char *slash = file ? strrchr(file, '/') : NULL;
    bt_str folder = BT_STR(".");
    if (slash &&
        !cli_is_ok(bt_arena_copy(arena, (bt_str){file, (size_t)(slash - file) + 1}, &folder))) {
        return false;
    }
    return !file || (cli_is_ok(check_path_list_add(arena, &out->files, file)) &&
                     cli_is_ok(check_path_list_add(arena, &out->trees, folder.ptr)));
}

static bool find_places(const struct cli_options *options, struct bt_arena *arena,
                        struct check_watch_places *out)
{
    return add_config_files(options, arena, out) && add_config_trees(options, arena, out) &&
           add_flag_files(options, &flag_root, arena, &out->trees) &&
           add_flag_files(options, &flag_skills, arena, &out->trees) &&
           add_flag_files(options, &flag_input, arena, &out->files) &&
           add_flag_files(options, &flag_registry, arena, &out->files) &&
           add_flag_files(options, &flag_token_dir, arena, &out->trees) &&
           add_flag_files(options, &flag_files_from, arena, &out->files) &&
           add_organism(options, arena, out);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* What the runs of a watch share. */
struct cli_check_watching {
    const struct cli_options *options;
    const struct check_path_list *paths;
    struct check_watch *watch;
    uint64_t seed[2];
    struct check_watch_files files; /* as they were before the last run */
};

/* Judge with the configuration as it is now. */
static int run_again(const struct cli_check_watching *watching, bool *out_ended)
{
    struct cli_options now = *watching->options;
    struct bt_arena arena;
    int code = CLI_FAILED;
    bt_arena_init(&arena, CLI_CHECK_BYTES_MAX);
    now.config = bt_config_defaults();
    now.files = NULL;
    now.report = bt_report_new(&arena);
    if (!cli_given(&now, &flag_fail_level)) {
        now.fail_level = BT_SEVERITY_NONE; /* that of the configuration */
    }
    if (!now.report) {
        (void)cli_fail_status(BT_ENOMEM);
    } else if (cli_resolve_settings(&now, &arena) && cli_check_take_strict(&now, &arena)) {
        code = cli_check_run_once(&now, watching->paths, watching->watch, out_ended);
    } else if (bt_report_failure_count(now.report) > 0) {
        (void)cli_report_write(&now, now.report);
    }
    bt_arena_free(&arena);
    return code;
}

/* Load the configuration as it is now. The run itself reports what is wrong with it. */
static void reload_config(struct cli_options *options, struct bt_arena *arena)
{
    struct config_load_loaded *loaded = BT_NEW(arena, struct config_load_loaded);
    const struct config_load_options wanted = {.use = BT_CONFIG_JUDGES,
                                               .without_files =
                                                   cli_given(options, &flag_no_config) != NULL,
                                               .file = cli_given(options, &flag_config),
                                               .root = options->root};
    struct bt_error error;
    if (loaded && config_load(arena, &wanted, loaded, &error) == BT_OK && loaded->config) {
        options->config = loaded->config;
        options->files = loaded;
    }
}

/* Look at every file whose change matters, and watch their folders. */
static void take_files(const struct cli_check_watching *watching, struct check_watch_files *out)
{
    struct cli_options now = *watching->options;
    struct check_walk_options walk;
    struct config_select select = {0};
    struct check_watch_places places = {.paths = *watching->paths, .walk = &walk};
    struct bt_arena arena;
    bt_arena_init(&arena, CLI_CHECK_BYTES_MAX);
    reload_config(&now, &arena);
    bt_buf_clear(&out->facts);
    now.report = bt_report_new(&arena);
    const bool is_usable = bt_config_count(now.config, "paths") == 0 ||
                           (now.report && cli_check_select_open(&now, &arena, &select));
    if (is_usable && cli_check_walk_options(&now, &select, &arena, &walk) &&
        find_places(&now, &arena, &places)) {
        check_watch_files_take(watching->watch, &places, watching->seed, out);
    }
    bt_arena_free(&arena);
}

/* Wait until a file changes. False when a person ended the watch. */
static bool wait_for_change(struct cli_check_watching *watching)
{
    struct check_watch_files now;
    bool has_changed = false;
    check_watch_files_init(&now);
    while (!has_changed && check_watch_wait(watching->watch) == CHECK_WATCH_CHANGED) {
        take_files(watching, &now);
        has_changed = !check_watch_files_equal(&watching->files, &now);
    }
    check_watch_files_free(&watching->files);
    watching->files = now;
    return has_changed;
}

static void clear_screen(const struct cli_options *options)
{
    const char *terminal = getenv("TERM");
    if (isatty(STDOUT_FILENO) == 1 && terminal && strcmp(terminal, "dumb") != 0 &&
        !cli_given(options, &flag_no_clear)) {
        (void)cli_print(BT_STR("\x1b[H\x1b[2J\x1b[3J"));
    }
}

/* Judge whenever a file changes, until a person ends it. Returns the exit code of the last run. */
static int run_watch(struct cli_check_watching *watching)
{
    int code = CLI_FAILED;
    take_files(watching, &watching->files);
    for (;;) { /* ends when a person ends it */
        bool has_ended = false;
        clear_screen(watching->options);
        const int last = run_again(watching, &has_ended);
        if (has_ended) {
            return code; /* the run before was the last whole one */
        }
        code = last;
        if (check_watch_has_begun_polling(watching->watch)) {
            cli_print_error("note: a limit of inotify is reached; files are compared every second "
                            "instead");
        }
        if (!wait_for_change(watching)) {
            return code;
        }
    }
}

int cli_check_watch_paths(const struct cli_options *options, const struct check_path_list *paths)
{
    struct bt_error error;
    struct bt_env env;
    struct cli_check_watching watching = {.options = options, .paths = paths};
    if (!cli_env_init(options, &env)) {
        return CLI_FAILED;
    }
    memcpy(watching.seed, env.hash_seed, sizeof(watching.seed));
    watching.watch = check_watch_open(&error);
    if (!watching.watch) {
        return cli_failed("cannot watch: %s", error.text);
    }
    check_watch_files_init(&watching.files);
    const int code = run_watch(&watching);
    check_watch_files_free(&watching.files);
    check_watch_close(watching.watch);
    return code;
}
