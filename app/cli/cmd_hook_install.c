/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hook_install.c - baton hook install, uninstall and status */
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "base/file.h"
#include "cli.h"
#include "hook/settings.h"
#include "hook_config.h"
#include "hook_files.h"
#include "hook_pin.h"
#include "operation/rule_codes.h"
#include "output.h"
#include "run.h"

/* ---- baton hook install, baton hook uninstall ------------------------------------------------ */

static int not_understood(const struct hook_files *files, const struct bt_error *error)
{
    return cli_failed("cannot change %.*s: %s", BT_STR_ARG(files->name),
                      error->text[0] ? error->text : bt_status_text(BT_ENOMEM));
}

/* A hook without a store judges nothing, so warn now and not at the first turn. */
static void note_absent_store(const struct cli_options *options, const struct hook_files *files)
{
    const char *store = getenv("BATON_STORE");
    bt_str path;
    if (cli_given(options, &flag_store) || (store && store[0] != '\0') || files->is_user ||
        bt_arena_printf(files->arena, &path, "%.*s/.baton/store.db", BT_STR_ARG(files->base)) !=
            BT_OK) {
        return;
    }
    if (bt_file_kind_of(path) == BT_FILE_NONE) {
        cli_print_error("note: there is no store yet; make one with baton ledger init, or install "
                        "with --store");
    }
}

/* True when the URL of the store holds a secret, which shared settings would show. */
static bool store_has_secret(const struct cli_options *options)
{
    const char *store = cli_given(options, &flag_store);
    struct bt_buf masked;
    bt_buf_init(&masked, (size_t)64 << 10);
    if (store) {
        bt_buf_put_masked(&masked, bt_str_of(store));
    }
    const bool has_secret =
        store && (masked.status != BT_OK || !bt_str_eq(bt_buf_str(&masked), bt_str_of(store)));
    bt_buf_free(&masked);
    return has_secret;
}

static int install_hook(const struct cli_options *options, const struct agent_host *host,
                        struct bt_arena *arena)
{
    struct hook_entry_options entry_options = {.host = host,
                                               .matcher = cli_given(options, &flag_matcher)};
    const char *config = cli_given(options, &flag_pin_this);
    struct hook_files files;
    struct hook_pin pin = {.path = BT_STR("")};
    struct bt_error error = {0};
    bt_str after;
    bool go = false;
    if (entry_options.matcher && !host->traits.matches) {
        return cli_usage_error(options->command, "--matcher is for claude and codex");
    }
    if (store_has_secret(options)) {
        return cli_usage_error(
            options->command,
            "--store has a password, which the settings would show to everybody who "
            "reads them: leave it out and use BATON_STORE, PGPASSWORD or ~/.pgpass");
    }
    if (!hook_files_load(options, host, arena, &files) ||
        (config && !hook_pin_make(&files, config, &pin))) {
        return CLI_FAILED;
    }
    if (cli_hook_command_line(options, host, config ? &pin : NULL, arena, &entry_options.command) !=
        BT_OK) {
        return cli_failed("cannot write down the command: the current folder is not known");
    }
    if (hook_settings_add(arena, files.exists ? files.content : HOOK_SETTINGS_NEW, &entry_options,
                          &after, &error) != BT_OK) {
        return not_understood(&files, &error);
    }
    if (files.exists && bt_str_eq(after, files.content)) {
        return !config || hook_pin_keep(arena, &pin) ? CLI_DONE : CLI_FAILED;
    }
    const int code = hook_files_show(options, &files, after, &go);
    if (go && ((config && !hook_pin_keep(arena, &pin)) || !hook_files_install(&files, after))) {
        return CLI_FAILED;
    }
    if (go) {
        note_absent_store(options, &files);
    }
    return code;
}

static int uninstall_hook(const struct cli_options *options, const struct agent_host *host,
                          struct bt_arena *arena)
{
    struct hook_files files;
    struct bt_error error = {0};
    bool go = false;
    if (!hook_files_load(options, host, arena, &files)) {
        return CLI_FAILED;
    }
    if (!files.has_backup) {
        return CLI_DONE;
    }
    bt_str after = files.backup.bytes;
    if (files.is_modified && files.exists &&
        hook_settings_remove(arena, files.content, host, &after, &error) != BT_OK) {
        return not_understood(&files, &error);
    }
    if (files.is_modified && !files.exists) {
        after = BT_STR(""); /* somebody has deleted the file, and it stays deleted */
        files.backup.existed = false;
    }
    const int code = hook_files_show(options, &files, after, &go);
    const bt_str *edited = files.is_modified && files.exists ? &after : NULL;
    return go && !hook_files_restore(&files, edited) ? CLI_FAILED : code;
}

typedef int cli_hook_action_fn(const struct cli_options *options, const struct agent_host *host,
                               struct bt_arena *arena);

static int run_with(struct cli_run *run, cli_hook_action_fn *act)
{
    const struct cli_options *options = run->options;
    const struct agent_host *host = hook_host_find(options->operands[0]);
    if (!cli_hook_flags_check(options, host)) {
        return CLI_FAILED;
    }
    if (cli_given(options, &flag_hook_dry_run) && cli_given(options, &flag_hook_yes)) {
        return cli_usage_error(options->command, "--dry-run and --yes exclude each other");
    }
    return act(options, host, &run->arena);
}

int cmd_hook_install(struct cli_run *run)
{
    return run_with(run, install_hook);
}

int cmd_hook_uninstall(struct cli_run *run)
{
    return run_with(run, uninstall_hook);
}

/* ---- baton hook status ----------------------------------------------------------------------- */

enum { OUTPUT_BYTES_MAX = 1 << 20, HOSTS_MAX = 8 };

/* What is known about one agent host. */
struct cli_hook_status_known {
    struct hook_files files;
    bt_str command; /* "": not installed */
    struct hook_pinned pinned;
    struct bt_findings *findings;
};

/* ---- Findings -------------------------------------------------------------------------------- */

/* The items of a list that is separated by a comma and a blank. */
static enum bt_status split_keys(struct bt_arena *arena, bt_str list, struct bt_str_list *out)
{
    bt_str *keys = BT_NEW_ARRAY(arena, bt_str, list.len + 1);
    size_t count = 0;
    if (!keys) {
        return BT_ENOMEM;
    }
    for (size_t at = 0; at < list.len;) {
        const size_t end = bt_str_find_byte(list, ',', at);
        keys[count++] = bt_str_slice(list, at, end);
        at = end + 2;
    }
    *out = (struct bt_str_list){keys, count};
    return BT_OK;
}

static enum bt_status find_changed(struct cli_hook_status_known *known)
{
    const bool is_same = !known->pinned.state || strcmp(known->pinned.state, "same") == 0;
    return is_same ? BT_OK
                   : bt_add_hook_config_changed(known->findings, bt_location_whole(),
                                                bt_str_of(known->files.host->name));
}

static enum bt_status find_ignored(struct cli_hook_status_known *known)
{
    const struct hook_files *files = &known->files;
    struct cli_options given;
    struct hook_config config;
    bt_str folder;
    struct bt_str_list ignored;
    BT_TRY(bt_arena_copy(files->arena, files->is_user ? BT_STR("") : files->base, &folder));
    BT_TRY(hook_config_flags(files->arena, known->command, &given));
    hook_config_read(&given, files->host, folder.len > 0 ? folder.ptr : NULL, files->arena,
                     &config);
    const bt_str keys = hook_config_ignored_keys(files->arena, &config.options, folder);
    if (keys.len == 0) {
        return BT_OK;
    }
    BT_TRY(split_keys(files->arena, keys, &ignored));
    return bt_add_hook_config_ignored(known->findings, bt_location_whole(), ignored,
                                      bt_str_of(files->host->name));
}

/* Find what is wrong with the configuration of the installed hook. */
static enum bt_status find_faults(struct cli_hook_status_known *known)
{
    known->findings = bt_findings_new(known->files.arena);
    if (!known->findings) {
        return BT_ENOMEM;
    }
    if (known->command.len > 0) {
        BT_TRY(hook_pin_find(&known->files, known->command, &known->pinned));
        BT_TRY(find_changed(known));
        BT_TRY(find_ignored(known));
    }
    return bt_findings_finish(known->findings, BT_STR(""));
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* The mode of the installed command; NULL when there is none. */
static const char *mode_of(bt_str command)
{
    static const char *const modes[] = {"observe", "fail-closed"};
    const bt_str flag = BT_STR(" --");
    for (size_t i = 0; i + flag.len <= command.len; i++) {
        const bt_str rest = bt_str_slice(command, i, command.len);
        const bt_str word = bt_str_slice(rest, flag.len, bt_str_find_byte(rest, ' ', flag.len));
        for (size_t j = 0; j < 2 && bt_str_starts_with(rest, flag); j++) {
            if (bt_str_eq(word, bt_str_of(modes[j]))) {
                return modes[j];
            }
        }
    }
    return command.len > 0 ? "enforce" : NULL;
}

/* Put what the hook is pinned to, and what was found. */
static void put_config(struct bt_emit *emit, const struct cli_hook_status_known *known)
{
    bt_emit_name(emit, "config");
    if (known->pinned.state) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", known->pinned.path);
        bt_emit_member_string(emit, "sha256", known->pinned.digest);
        bt_emit_member_string(emit, "state", bt_str_of(known->pinned.state));
        bt_emit_end(emit);
    } else {
        bt_emit_null(emit);
    }
    cli_json_array(emit, "findings");
    bt_findings_emit(emit, known->findings);
    bt_emit_end(emit);
}

static void put_json(struct bt_buf *buf, const struct cli_hook_status_known *found, size_t count)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    cli_json_array(&emit, "hosts");
    for (size_t i = 0; i < count; i++) {
        const struct hook_files *files = &found[i].files;
        const char *mode = mode_of(found[i].command);
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "host", bt_str_of(files->host->name));
        bt_emit_member_string(&emit, "path", files->name);
        cli_json_bool(&emit, "installed", mode != NULL);
        bt_emit_name(&emit, "mode");
        if (mode) {
            bt_emit_string(&emit, bt_str_of(mode));
        } else {
            bt_emit_null(&emit);
        }
        cli_json_bool(&emit, "modified", files->is_modified);
        cli_json_bool(&emit, "backup", files->has_backup);
        put_config(&emit, &found[i]);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

static void put_text(struct bt_buf *buf, const struct cli_hook_status_known *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct hook_files *files = &found[i].files;
        const char *mode = mode_of(found[i].command);
        bt_buf_printf(buf, "%s: %s in %.*s%s%s\n", files->host->name, mode ? mode : "not installed",
                      BT_STR_ARG(files->name),
                      files->is_modified ? ", changed since by somebody else" : "",
                      files->has_backup ? ", the old settings are kept" : "");
        for (size_t j = 0; j < bt_findings_count(found[i].findings); j++) {
            const struct bt_finding *finding = bt_findings_at(found[i].findings, j);
            bt_buf_printf(buf, "  %.*s: %.*s", BT_STR_ARG(finding->rule->code),
                          BT_STR_ARG(finding->message));
            bt_buf_put_text(buf, finding->arg_count > 0 ? " " : "");
            bt_finding_put_params(finding, buf);
            bt_buf_printf(buf, "; %.*s\n", BT_STR_ARG(finding->hint));
        }
    }
}

static bool read_host_status(const struct cli_options *options, const struct agent_host *host,
                             struct bt_arena *arena, struct cli_hook_status_known *out)
{
    struct bt_error error = {0};
    *out = (struct cli_hook_status_known){.command = BT_STR("")};
    if (!hook_files_load(options, host, arena, &out->files)) {
        return false;
    }
    if (out->files.exists &&
        hook_settings_find(arena, out->files.content, host, &out->command, &error) != BT_OK) {
        return cli_refuse("cannot understand %.*s: %s", BT_STR_ARG(out->files.name),
                          error.text[0] ? error.text : bt_status_text(BT_ENOMEM));
    }
    return find_faults(out) == BT_OK || cli_refuse_status(BT_ENOMEM);
}

static int print_status(const struct cli_options *options, const struct agent_host *only,
                        struct bt_arena *arena)
{
    struct cli_hook_status_known found[HOSTS_MAX];
    size_t count = 0;
    struct bt_buf buf;
    for (size_t i = 0; i < HOSTS_MAX && hook_host_at(i); i++) {
        const struct agent_host *host = hook_host_at(i);
        if (only && only != host) {
            continue;
        }
        if (!read_host_status(options, host, arena, &found[count++])) {
            return CLI_FAILED;
        }
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(options)) {
        put_json(&buf, found, count);
    } else {
        put_text(&buf, found, count);
    }
    return cli_print_buf(&buf);
}

int cmd_hook_status(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct agent_host *only =
        options->operand_count > 0 ? hook_host_find(options->operands[0]) : NULL;
    return options->operand_count > 0 && !only
               ? hook_host_unknown(options->command, options->operands[0])
               : print_status(options, only, &run->arena);
}
