/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hook_install.c - baton hook install and uninstall */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli.h"
#include "dialect/contract/contract.h"
#include "hook/settings.h"
#include "hook_config.h"
#include "hook_files.h"
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
        cli_print_error(
            "note: the store does not exist yet; make one with baton ledger init, or install "
            "with --store");
    }
}

/* True when the flags or the hook's configuration, with the file to be pinned (or NULL), need to
 * see tools. */
static bool needs_tools(const struct cli_options *options, struct bt_arena *arena, const char *file)
{
    const struct config_load_options load_options = {.use = BT_CONFIG_HOOK, .file = file};
    struct config_load_loaded loaded;
    struct bt_error error;
    const bool is_loaded = config_load(arena, &load_options, &loaded, &error) == BT_OK;
    return cli_hook_sees_tools(options, is_loaded ? loaded.config : NULL);
}

/* Check the flags. False after an error message. */
static bool install_flags_fit(const struct cli_options *options, const struct agent_host *host)
{
    const char *program = cli_given(options, &flag_program);
    const char *scope = cli_given(options, &flag_scope);
    const bool is_shared = !scope || strcmp(scope, "project") == 0;
    if (cli_given(options, &flag_matcher) && !host->traits.matches) {
        return cli_refuse_usage(options, "--matcher is for claude and codex");
    }
    if (program && (program[0] == '\0' || (is_shared && strchr(program, '/')))) {
        return cli_refuse_usage(options,
                                "--program with a path is for --scope user%s: others who "
                                "share these settings do not have it",
                                host->local_file ? " or local" : "");
    }
    if (settings_store_has_secret(options)) {
        return cli_refuse_usage(
            options, "--store has a password, which every reader of the settings would see "
                     "who reads them: leave it out and use BATON_STORE, PGPASSWORD or "
                     "~/.pgpass");
    }
    return true;
}

bool hook_install_plan(const struct cli_options *options, const struct agent_host *host,
                       struct bt_arena *arena, struct hook_install *out)
{
    const char *config = cli_given(options, &flag_pin_this);
    struct hook_entry_options entries;
    struct bt_error error = {0};
    *out = (struct hook_install){.has_pin = config != NULL, .pin = {.path = BT_STR("")}};
    if (!install_flags_fit(options, host) || !hook_files_load(options, host, arena, &out->files) ||
        (config && !hook_pin_make(options, &out->files, config, &out->pin))) {
        return false;
    }
    const struct hook_files *files = &out->files;
    const bool has_tools = needs_tools(options, arena, config);
    if (!hook_entries_make(options, files, config ? &out->pin : NULL, has_tools, &entries)) {
        return false;
    }
    if (hook_settings_add(arena, files->exists ? files->content : HOOK_SETTINGS_NEW, &entries,
                          &out->after, &error) != BT_OK) {
        (void)not_understood(files, &error);
        return false;
    }
    if (!hook_skill_load(files, &out->skill)) {
        return false;
    }
    if (cli_given(options, &flag_skill_install)) {
        char digest[BT_SHA256_HEX_BYTES];
        out->skill.after = bt_contract_skill();
        if (bt_sha256_hex(out->skill.after, digest) != BT_OK ||
            bt_arena_copy(arena, bt_str_of(digest), &out->files.new_skill) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
    }
    out->command = entries.entries[0].command;
    out->is_same = files->exists && bt_str_eq(out->after, files->content);
    return true;
}

bool hook_install_write(struct bt_arena *arena, const struct hook_install *plan)
{
    /* A new skill is noted in the backup, even when the settings stay. */
    const bool notes_skill = plan->files.has_backup &&
                             !bt_str_eq(plan->files.new_skill, plan->files.backup.skill_sha256) &&
                             plan->files.new_skill.len > 0;
    return (!plan->has_pin || hook_pin_keep(arena, &plan->pin)) &&
           ((plan->is_same && !notes_skill) || hook_files_install(&plan->files, plan->after)) &&
           hook_skill_write(&plan->files, &plan->skill);
}

static int install_hook(const struct cli_options *options, const struct agent_host *host,
                        struct bt_arena *arena)
{
    const char *program = cli_given(options, &flag_program);
    struct hook_install plan;
    bool go = false;
    if (!hook_install_plan(options, host, arena, &plan)) {
        return CLI_FAILED;
    }
    if (plan.is_same && bt_str_eq(plan.skill.after, plan.skill.content)) {
        return !plan.has_pin || hook_pin_keep(arena, &plan.pin) ? CLI_DONE : CLI_FAILED;
    }
    const int code = hook_files_show(options, &plan.files, plan.after, &plan.skill, &go);
    if (go && !hook_install_write(arena, &plan)) {
        return CLI_FAILED;
    }
    if (go) {
        note_absent_store(options, &plan.files);
        settings_note_program(arena, plan.files.base, program ? program : HOOK_PROGRAM);
    }
    return code;
}

/* True when the skill has the bytes that this version, or an earlier one, has written. */
static bool is_own_skill(const struct hook_files *files, const struct hook_skill *skill)
{
    char digest[BT_SHA256_HEX_BYTES];
    return bt_str_eq(skill->content, bt_contract_skill()) ||
           (skill->exists && files->has_backup && bt_sha256_hex(skill->content, digest) == BT_OK &&
            bt_str_eq(bt_str_of(digest), files->backup.skill_sha256));
}

static int uninstall_hook(const struct cli_options *options, const struct agent_host *host,
                          struct bt_arena *arena)
{
    const struct hook_entry_options entries = {.host = host,
                                               .program = cli_given(options, &flag_program)};
    struct hook_files files;
    struct hook_skill skill;
    struct bt_error error = {0};
    bool go = false;
    if (!hook_files_load(options, host, arena, &files)) {
        return CLI_FAILED;
    }
    if (!hook_skill_load(&files, &skill)) {
        return CLI_FAILED;
    }
    if (is_own_skill(&files, &skill)) {
        skill.after = BT_STR(""); /* what somebody changed stays */
    }
    const bool has_skill = !bt_str_eq(skill.after, skill.content);
    if (!files.has_backup && !has_skill) {
        return CLI_DONE;
    }
    bt_str after = files.has_backup ? files.backup.bytes : files.content;
    if (files.has_backup && files.is_modified && files.exists &&
        hook_settings_remove(arena, files.content, &entries, &after, &error) != BT_OK) {
        return not_understood(&files, &error);
    }
    if (files.has_backup && files.is_modified && !files.exists) {
        after = BT_STR(""); /* somebody has deleted the file, and it stays deleted */
        files.backup.existed = false;
    }
    const int code = hook_files_show(options, &files, after, &skill, &go);
    const bt_str *edited = files.is_modified && files.exists ? &after : NULL;
    return go && (!hook_skill_write(&files, &skill) ||
                  (files.has_backup && !hook_files_restore(&files, edited)))
               ? CLI_FAILED
               : code;
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
