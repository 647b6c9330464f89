/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_hook_install.c - baton hook install HOST, baton hook uninstall HOST
 *
 * Both show what would change before they change anything.
 */
#include <stdlib.h>

#include <baton/file.h>

#include "commands.h"
#include "contract_flags.h"
#include "hook/settings.h"
#include "hook_files.h"
#include "hook_flags.h"
#include "hook_pin.h"
#include "ledger_run.h"
#include "print.h"

enum { RUN_BYTES_MAX = 1 << 30 };

static cli_run_fn run_install;
static cli_run_fn run_uninstall;

/* clang-format off */
static const struct cli_flag flag_matcher = {"matcher", 0, "PATTERN", CLI_ANY,
    "claude, codex: only agents that the host finds to match", NULL};
static const struct cli_flag flag_pin_this = {"config", 0, "FILE", CLI_FILE,
    "pin this configuration: the hook uses it as long as it has these bytes", NULL};
/* clang-format on */

const struct cli_command cmd_hook_install = {
    .name = "baton hook install",
    .operands = "HOST",
    .summary = "put Baton's hook into the settings of a host",
    .about = "HOST is claude, codex, copilot, cursor or gemini. Shows the change to the settings, "
             "then asks; everything else in them keeps its order and its bytes, and the old file "
             "is kept in .baton/hooks. The flags of baton hook become part of the command that "
             "the host runs. --config pins a configuration: its bytes are kept, and a later change "
             "of the file counts for nothing until baton hook pin agrees to it.\n",
    .missing = "name the host: " HOOK_HOST_NAMES,
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_dir, &flag_scope, &flag_matcher, &flag_pin_this, &flag_hook_dry_run,
                       &flag_hook_yes, CLI_HOOK_FLAGS, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton hook install claude --store .baton/store.db", "show the change, ask, and write"},
        {"baton hook install codex --observe --yes", "watch first, without blocking anybody"},
        {"baton hook install claude --config hooks.yaml",
         "with settings that an agent cannot change"}),
    .run = run_install,
};

const struct cli_command cmd_hook_uninstall = {
    .name = "baton hook uninstall",
    .operands = "HOST",
    .summary = "take Baton's hook out of the settings of a host",
    .about = "Brings the settings back byte for byte. When somebody changed them since, only "
             "Baton's entries go.\n",
    .missing = "name the host: " HOOK_HOST_NAMES,
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_dir, &flag_scope, &flag_hook_dry_run, &flag_hook_yes, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton hook uninstall claude", "bring back the settings as they were"}),
    .run = run_uninstall,
};

static int not_understood(const struct hook_files *files, const struct bt_error *error)
{
    cli_print_error("cannot change %.*s: %s", BT_STR_ARG(files->name),
                    error->text[0] ? error->text : bt_status_text(BT_ENOMEM));
    return CLI_FAILED;
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
        cli_print_error("cannot write down the command: the current folder is not known");
        return CLI_FAILED;
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

static int run_with(const struct cli_options *options, cli_hook_action_fn *act)
{
    const struct agent_host *host = hook_host_find(options->operands[0]);
    struct bt_arena arena;
    if (!cli_hook_flags_check(options, host)) {
        return CLI_FAILED;
    }
    if (cli_given(options, &flag_hook_dry_run) && cli_given(options, &flag_hook_yes)) {
        return cli_usage_error(options->command, "--dry-run and --yes exclude each other");
    }
    bt_arena_init(&arena, RUN_BYTES_MAX);
    const int code = act(options, host, &arena);
    bt_arena_free(&arena);
    return code;
}

static int run_install(const struct cli_options *options)
{
    return run_with(options, install_hook);
}

static int run_uninstall(const struct cli_options *options)
{
    return run_with(options, uninstall_hook);
}
