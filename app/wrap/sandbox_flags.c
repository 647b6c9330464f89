/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox_flags.c - what --sandbox, --read, --write and --allow say about a server. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/hook_files.h"
#include "cli/output.h"
#include "cli/run.h"
#include "operation/rule_codes.h"
#include "wrap/server_flags.h"

/* The folder in which servers have their private ones, below the current folder. */
#define PRIVATE_FOLDER ".baton/wrap"

/* ---- Mechanisms ------------------------------------------------------------------------------ */

/* Add a finding for each mechanism that the kernel lacks. */
static enum bt_status find_missing(const struct bt_sandbox_support *support,
                                   enum bt_severity severity, struct bt_findings *findings)
{
    enum bt_status status = BT_OK;
    if (!support->seccomp) {
        status = bt_add_wrap_sandbox_missing(findings, severity, bt_location_whole(),
                                             BT_WRAP_SANDBOX_MISSING_MECHANISM_SECCOMP);
    }
    if (status == BT_OK && support->landlock == 0) {
        status = bt_add_wrap_sandbox_missing(findings, severity, bt_location_whole(),
                                             BT_WRAP_SANDBOX_MISSING_MECHANISM_LANDLOCK);
    }
    return status;
}

/* Tell what the kernel lacks; unless what it has is enough, refuse it. False after an error
 * message. */
static bool check_mechanisms(struct cli_run *run, const struct bt_sandbox_support *support,
                             bool is_required)
{
    struct bt_findings *findings = bt_findings_new(&run->arena);
    const enum bt_severity severity = is_required ? BT_SEVERITY_HARD : BT_SEVERITY_INFO;
    if (!findings || find_missing(support, severity, findings) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        cli_print_error("%.*s: %.*s; %.*s", BT_STR_ARG(finding->rule->code),
                        BT_STR_ARG(finding->message), BT_STR_ARG(finding->hint));
    }
    return !is_required || bt_findings_count(findings) == 0;
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* The path with links resolved, in the arena. False: it does not exist. */
static bool resolve_links(struct cli_run *run, const char *path, bt_str *out)
{
    char real[PATH_MAX];
    return realpath(path, real) && bt_arena_copy(&run->arena, bt_str_of(real), out) == BT_OK;
}

/* The paths of a flag and of the server's entry, which must exist. False after an error message. */
static bool take_paths(struct cli_run *run, const struct cli_flag *flag, struct bt_str_list own,
                       struct bt_str_list *out)
{
    struct bt_str_list given;
    if (!cli_given_list(run->options, flag, &run->arena, &given)) {
        return false;
    }
    const size_t count = given.count + own.count;
    bt_str *paths = BT_NEW_ARRAY(&run->arena, bt_str, count + 1);
    if (!paths) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str path = i < given.count ? given.items[i] : own.items[i - given.count];
        if (!resolve_links(run, path.ptr, &paths[i])) {
            return cli_refuse("--%s %s: no such file or folder", flag->name, path.ptr);
        }
    }
    *out = (struct bt_str_list){paths, count};
    return true;
}

static bool is_below(bt_str path, bt_str folder)
{
    const bt_str rest = bt_str_slice(path, folder.len, path.len);
    return bt_str_starts_with(path, folder) &&
           (rest.len == 0 || bt_str_starts_with(rest, BT_STR("/")) ||
            bt_str_eq(folder, BT_STR("/")));
}

static bool any_covers(struct bt_str_list folders, bt_str path)
{
    for (size_t i = 0; i < folders.count; i++) {
        if (is_below(path, folders.items[i])) {
            return true;
        }
    }
    return false;
}

/* Make the private folder of the server. False after an error message. */
static bool make_home(struct cli_run *run, bt_str name, bt_str *out)
{
    struct bt_dir *here = NULL;
    struct bt_dir *home = NULL;
    bt_str path;
    if (bt_arena_printf(&run->arena, &path, PRIVATE_FOLDER "/%.*s/home", BT_STR_ARG(name)) !=
        BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    enum bt_status status = bt_dir_open(BT_STR("."), &here, &run->error);
    if (status == BT_OK) {
        status = bt_dir_open_subdir(here, path, true, &home, &run->error);
    }
    const bool is_private = status == BT_OK && bt_dir_is_private(home);
    bt_dir_close(home);
    bt_dir_close(here);
    if (status != BT_OK) {
        return cli_refuse("cannot make the server's private folder %.*s: %s", BT_STR_ARG(path),
                          run->error.text);
    }
    return (is_private && resolve_links(run, path.ptr, out)) ||
           cli_refuse("the server's private folder %.*s is not private: it must belong to this "
                      "user and have mode 0700",
                      BT_STR_ARG(path));
}

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool has_right(const struct cli_options *options, const char *what)
{
    for (size_t i = 0; cli_given_at(options, &flag_server_allow, i); i++) {
        if (strcmp(cli_given_at(options, &flag_server_allow, i), what) == 0) {
            return true;
        }
    }
    return false;
}

/* The folder of the program, or "". */
static bool find_program_folder(struct cli_run *run, bt_str program, bt_str *out)
{
    bt_str path;
    *out = BT_STR("");
    if (program.len == 0 || !resolve_links(run, program.ptr, &path)) {
        return true; /* a program that is missing is told when it is started */
    }
    const size_t end = path.len - bt_str_after_last(path, '/').len;
    return cli_is_ok(bt_arena_copy(&run->arena, bt_str_slice(path, 0, end > 1 ? end - 1 : 1), out));
}

/* In another folder the program is found only by its absolute path. False after an error
 * message. */
static bool make_words_absolute(struct cli_run *run, struct wrap_server *server)
{
    const struct bt_str_list words = server->words;
    char **argv = BT_NEW_ARRAY(&run->arena, char *, words.count + 1);
    if (!argv) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < words.count; i++) {
        const bt_str word = words.items[i];
        const bool is_path =
            i == 0 ? bt_str_find_byte(word, '/', 0) < word.len : i == server->program_word;
        bt_str placed;
        bt_str path;
        argv[i] = server->start.argv[i];
        if (is_path) {
            if (wrap_place_word(&run->arena, server->settings.cwd, word, &placed) != BT_OK ||
                settings_absolute_path(&run->arena, placed, &path) != BT_OK) {
                return cli_refuse("the current folder is not known");
            }
            argv[i] = bt_arena_alloc(&run->arena, path.len + 1);
            if (!argv[i]) {
                return cli_refuse_status(BT_ENOMEM);
            }
            memcpy(argv[i], path.ptr, path.len);
            argv[i][path.len] = '\0';
        }
    }
    server->start.argv = argv;
    return true;
}

bool wrap_take_sandbox(struct cli_run *run, struct wrap_server *server)
{
    const struct cli_options *options = run->options;
    struct bt_server_sandbox *sandbox = BT_NEW_ARRAY(&run->arena, struct bt_server_sandbox, 1);
    const struct bt_wrap_sandbox *own = &server->settings.sandbox;
    const bool is_required =
        cli_given(options, &flag_server_sandbox) || own->mode == BT_WRAP_SANDBOX_REQUIRED;
    const bt_str folder = server->settings.cwd;
    bt_str here = BT_STR("");
    if (!sandbox) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!resolve_links(run, folder.len > 0 ? folder.ptr : ".", &here)) {
        return cli_refuse("cannot use the folder %s", folder.len > 0 ? folder.ptr : ".");
    }
    if (!is_required && own->mode != BT_WRAP_SANDBOX_AVAILABLE) {
        return !(cli_given(options, &flag_server_read) || cli_given(options, &flag_server_write) ||
                 cli_given(options, &flag_server_allow)) ||
               cli_refuse_usage(options, "--read, --write and --allow are for --sandbox");
    }
    bt_sandbox_detect_support(&sandbox->use);
    sandbox->allow_net = own->allows_net || has_right(options, "net");
    sandbox->allow_exec = own->allows_exec || has_right(options, "exec");
    sandbox->memory_mb = (uint32_t)own->memory_mb;
    if (!check_mechanisms(run, &sandbox->use, is_required) ||
        !take_paths(run, &flag_server_read, own->read, &sandbox->readable) ||
        !take_paths(run, &flag_server_write, own->write, &sandbox->writable) ||
        !find_program_folder(run, server->program, &sandbox->program_folder) ||
        !make_home(run, server->name, &sandbox->home)) {
        return false;
    }
    const bool stays = any_covers(sandbox->readable, here) || any_covers(sandbox->writable, here);
    sandbox->work = stays ? here : sandbox->home;
    server->start.sandbox = sandbox;
    return stays || make_words_absolute(run, server);
}
