/* SPDX-License-Identifier: Apache-2.0 */
/* server_flags.c - the command behind `--`, and what the lock says about it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "wrap/server_flags.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hex.h"
#include "cli/output.h"
#include "wrap/server_name.h"

enum { PROGRAM_BYTES_MAX = 64 << 20, SERVERS_BYTES_MAX = 1 << 20 };

/* ---- The command ----------------------------------------------------------------------------- */

/* The words of the server's command, which stand behind `--`. False after an error message. */
static bool take_command(struct cli_run *run, struct bt_str_list *out)
{
    const struct cli_options *options = run->options;
    bt_str *words = BT_NEW_ARRAY(&run->arena, bt_str, options->operand_count + 1);
    for (size_t i = 0; words && i < options->operand_count; i++) {
        words[i] = bt_str_of(options->operands[i]);
    }
    *out = (struct bt_str_list){words, options->operand_count};
    return words || cli_refuse_status(BT_ENOMEM);
}

/* Name the servers that there are. */
static bool refuse_server(struct cli_run *run, const char *name)
{
    struct bt_str_list names;
    struct bt_buf buf;
    if (bt_wrap_servers_list(&run->arena, run->options->config, &names) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    bt_buf_init(&buf, SERVERS_BYTES_MAX);
    for (size_t i = 0; i < names.count; i++) {
        bt_buf_put_text(&buf, i > 0 ? ", " : "");
        bt_buf_put(&buf, names.items[i]);
    }
    const bt_str list = bt_buf_str(&buf);
    (void)(list.len > 0
               ? cli_refuse_usage(
                     run->options,
                     "unknown command or server %s; wrap.servers has %.*s, and a command follows "
                     "--",
                     name, BT_STR_ARG(list))
               : cli_refuse_usage(
                     run->options,
                     "unknown command or server %s: wrap.servers has none; the command of a "
                     "server follows --: %s -- %s",
                     name, run->options->command->name, name));
    bt_buf_free(&buf);
    return false;
}

/* Find the server that the only operand names. False after an error message. */
static bool take_entry(struct cli_run *run, struct wrap_server *server)
{
    const struct cli_options *options = run->options;
    const char *name = options->operands[0];
    if (options->operand_count > 1) {
        return cli_refuse_usage(options, "the command of a server follows --: %s -- %s",
                                options->command->name, name);
    }
    const enum bt_status status =
        bt_wrap_servers_read(&run->arena, options->config, bt_str_of(name), &server->settings);
    if (status == BT_ENOENT) {
        return refuse_server(run, name);
    }
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    server->entry_name = bt_str_of(name);
    server->words = server->settings.command;
    return server->words.count > 0 || server->settings.url.len > 0 ||
           cli_refuse_usage(options, "wrap.servers.%s has neither a command nor a url", name);
}

static bool take_name(struct cli_run *run, struct wrap_server *server)
{
    const char *given = cli_given(run->options, &flag_server_name);
    if (!given && server->entry_name.len > 0) {
        server->name = server->entry_name;
        return true;
    }
    if (!given && server->is_upstream) {
        return true; /* the host of the URL */
    }
    if (!given) {
        return bt_wrap_name_make(&run->arena, server->words, server->program, &server->name) ==
                   BT_OK ||
               cli_refuse_status(BT_ENOMEM);
    }
    server->name = bt_str_of(given);
    return bt_wrap_name_is_valid(server->name) ||
           cli_refuse_usage(run->options,
                            "--name wants 1 to 64 of [A-Za-z0-9._-], the first a letter or a "
                            "digit");
}

/* The command as execve() wants it. */
static bool make_server_command(struct cli_run *run, struct wrap_server *server)
{
    char **argv = BT_NEW_ARRAY(&run->arena, char *, server->words.count + 1);
    const char *path = getenv("PATH");
    for (size_t i = 0; argv && i < server->words.count; i++) {
        /* Words end in NUL, and execve() does not change them. */
        argv[i] = (char *)(uintptr_t)server->words.items[i].ptr;
    }
    server->start = (struct bt_server_command){
        .argv = argv,
        .search_path = bt_str_of(path ? path : "/usr/bin:/bin"),
        .folder = server->settings.cwd.len > 0 ? server->settings.cwd.ptr : NULL};
    return argv || cli_refuse_status(BT_ENOMEM);
}

/* The environment: a short one with --env, with env_from and in a sandbox. */
static bool make_environment(struct cli_run *run, struct wrap_server *server)
{
    const struct bt_wrap_server_settings *settings = &server->settings;
    const struct bt_server_sandbox *sandbox = server->start.sandbox;
    struct bt_str_list given;
    if (!cli_given_list(run->options, &flag_server_env, &run->arena, &given)) {
        return false;
    }
    const size_t count = given.count + settings->env_from.count;
    bt_str *names = BT_NEW_ARRAY(&run->arena, bt_str, count + 1);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = i < given.count ? given.items[i] : settings->env_from.items[i - given.count];
    }
    const struct wrap_environment_options options = {.is_short = given.count > 0 ||
                                                                 settings->has_env_from || sandbox,
                                                     .names = {names, count},
                                                     .home = sandbox ? sandbox->home : BT_STR(""),
                                                     .set = settings->env};
    server->start.environment = names ? wrap_environment(&run->arena, &options) : NULL;
    return server->start.environment || cli_refuse_status(BT_ENOMEM);
}

/* Find the file that the command runs, as it is seen from here. False after an error message. */
static bool take_program(struct cli_run *run, struct wrap_server *server)
{
    const bt_str folder = server->settings.cwd;
    server->program = BT_STR("");
    server->program_word = wrap_find_program(&run->arena, server->words, folder);
    return server->program_word == server->words.count ||
           wrap_place_word(&run->arena, folder, server->words.items[server->program_word],
                           &server->program) == BT_OK ||
           cli_refuse_status(BT_ENOMEM);
}

/* Check flags that are for a server which is started here. False after an error message. */
static bool upstream_fits(const struct cli_options *options)
{
    return !(cli_given(options, &flag_server_sandbox) || cli_given(options, &flag_server_read) ||
             cli_given(options, &flag_server_write) || cli_given(options, &flag_server_allow) ||
             cli_given(options, &flag_server_env)) ||
           cli_refuse_usage(options, "--env and --sandbox are for a server that is started here");
}

/* Read the form in which the server is named. False after an error message. */
static bool take_form(struct cli_run *run, struct wrap_server *server)
{
    const struct cli_options *options = run->options;
    const bool has_url = cli_given(options, &flag_upstream) != NULL;
    if (has_url && options->operand_count > 0) {
        return cli_refuse_usage(options, "--upstream and a command exclude each other");
    }
    if (!has_url && options->operand_count == 0) {
        return cli_refuse_usage(options, "which server? give its command: %s -- COMMAND [ARG...]",
                                options->command->name);
    }
    if (options->operands_before_dashes > 0) {
        return take_entry(run, server);
    }
    return has_url || take_command(run, &server->words);
}

bool wrap_take_server(struct cli_run *run, struct wrap_server *out)
{
    const struct cli_options *options = run->options;
    *out = (struct wrap_server){.name = BT_STR(""),
                                .entry_name = BT_STR(""),
                                .settings = {.url = BT_STR(""), .cwd = BT_STR("")}};
    if (!take_form(run, out)) {
        return false;
    }
    if (cli_given(options, &flag_upstream) || out->settings.url.len > 0) {
        return upstream_fits(options) && wrap_take_upstream(run, out) && take_name(run, out) &&
               wrap_limit_upstream(run, out);
    }
    if (cli_given(options, &flag_header_env) || cli_given(options, &flag_bearer_env) ||
        cli_given(options, &flag_upstream_ca)) {
        return cli_refuse_usage(options,
                                "--header-env, --bearer-env and --upstream-ca are for --upstream");
    }
    return take_program(run, out) && take_name(run, out) && make_server_command(run, out) &&
           wrap_take_sandbox(run, out) && make_environment(run, out);
}

/* ---- The program ----------------------------------------------------------------------------- */

/* The path of a program: relative to the folder of the lock when it lies below. */
static bool place_program(struct cli_run *run, bt_str program, const char *lock_path, bt_str *out)
{
    char folder[PATH_MAX];
    char real_folder[PATH_MAX];
    char real_program[PATH_MAX];
    const bt_str path = bt_str_of(lock_path);
    const size_t name = bt_str_after_last(path, '/').len;
    const size_t size = path.len > name ? path.len - name : 0;
    *out = program;
    if (size >= sizeof(folder)) {
        return true;
    }
    memcpy(folder, size > 0 ? path.ptr : ".", size > 0 ? size : 1);
    folder[size > 0 ? size : 1] = '\0';
    if (!realpath(folder, real_folder) || !realpath(program.ptr, real_program)) {
        return true;
    }
    const bt_str above = bt_str_of(real_folder);
    const bt_str whole = bt_str_of(real_program);
    const bool is_below = bt_str_starts_with(whole, above) && whole.len > above.len + 1 &&
                          whole.ptr[above.len] == '/';
    return !is_below ||
           bt_arena_copy(&run->arena, bt_str_slice(whole, above.len + 1, whole.len), out) ==
               BT_OK ||
           cli_refuse_status(BT_ENOMEM);
}

bool wrap_describe_command(struct cli_run *run, const struct wrap_server *server,
                           const char *lock_path, struct bt_wrap_entry *out)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    const bt_str package = bt_wrap_package(server->words);
    struct bt_file_digest digest;
    out->name = server->name;
    out->package = package.len > 0 ? package : (bt_str){NULL, 0};
    out->program_path = (bt_str){NULL, 0};
    const enum bt_status status =
        bt_wrap_command_digest(&memory, server->words, out->command_sha256);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    if (server->program.len == 0) {
        return true;
    }
    if (bt_file_digest(server->program, PROGRAM_BYTES_MAX, &digest, &run->error) != BT_OK) {
        return cli_refuse("cannot read %.*s: %s", BT_STR_ARG(server->program), run->error.text);
    }
    bt_hex_put(digest.sha256, sizeof(digest.sha256), out->program_sha256);
    out->program_sha256[BT_SHA256_HEX_BYTES - 1] = '\0';
    return place_program(run, server->program, lock_path, &out->program_path);
}
