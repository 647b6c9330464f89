/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - find and load the configuration before a command runs.
 *
 * Flags take precedence over the files, and the environment over their key `store`.
 */
#include "operation/rule_codes.h"

#include <assert.h>
#include <unistd.h>

#include "base/build_options.h"
#include "cli.h"
#include "logs/log_flag.h"
#include "output.h"
#include "suggest.h"

/* ---- Errors ---------------------------------------------------------------------------------- */

static void complain_of(bt_str path, const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            cli_print_error("%.*s:%u: %.*s %.*s", BT_STR_ARG(path), finding->position.line,
                            BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
        }
    }
}

bool cli_config_load(struct bt_arena *arena, const struct config_load_options *load_options,
                     struct config_load_loaded *loaded, const struct bt_config **out,
                     struct bt_error *error)
{
    if (config_load(arena, load_options, loaded, error) != BT_OK) {
        cli_print_error("%s", error->text);
        if (loaded->unreadable.len > 0 && access(loaded->unreadable.ptr, F_OK) != 0) {
            cli_print_near_file(loaded->unreadable);
        }
        return false;
    }
    for (size_t i = 0; i < loaded->count; i++) {
        complain_of(loaded->files[i].path, loaded->files[i].findings);
    }
    if (!loaded->config) {
        complain_of(BT_STR("configuration"), loaded->conflicts);
        return false;
    }
    *out = loaded->config;
    return true;
}

/* Add a failure when the findings have a HARD one: "line 3: CODE message" of the first. */
static void note_blocking(const struct cli_options *options, bt_str path,
                          const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            struct bt_error message;
            (void)bt_error_set(&message, BT_EINVAL, "line %u: %.*s %.*s", finding->position.line,
                               BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
            cli_note_failure(options, path, BT_FAILURE_CONFIG, message.text);
            return;
        }
    }
}

/* Add the files that make the configuration unusable to the report of the run. */
static void note_unusable(const struct cli_options *options,
                          const struct config_load_loaded *loaded, const struct bt_error *error)
{
    if (error->status != BT_OK) {
        cli_note_failure(options, loaded->unreadable, BT_FAILURE_CONFIG, error->text);
        return;
    }
    for (size_t i = 0; i < loaded->count; i++) {
        note_blocking(options, loaded->files[i].path, loaded->files[i].findings);
    }
    note_blocking(options, BT_STR("configuration"), loaded->conflicts);
}

/* ---- Unused keys of a project ---------------------------------------------------------------- */

/* The keys that a command uses, by its flags: a set of BT_USERS_*. */
static unsigned uses_of(const struct cli_command *command)
{
    static const struct {
        const struct cli_flag *flag;
        unsigned users;
    } rows[] = {
        {&flag_store, BT_USERS_STORE},        {&flag_tokens, BT_USERS_UNIVERSAL},
        {&flag_workspace, BT_USERS_CONTRACT}, {&flag_max_rejections, BT_USERS_CONTRACT},
        {&flag_agent_ids, BT_USERS_CONTRACT}, {&flag_boundary_mode, BT_USERS_GOVERNED},
        {&flag_lock_file, BT_USERS_WRAP},
    };
    unsigned uses = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uses |= cli_has_flag(command, rows[i].flag) ? rows[i].users : 0;
    }
    if (command->config.use == BT_CONFIG_DECIDES && !(uses & BT_USERS_GOVERNED)) {
        uses |= BT_USERS_CONTRACT; /* baton approvals, baton ledger append */
    }
    return command->config.use == BT_CONFIG_DECIDES_STORELESS ? BT_USERS_ALL : uses;
}

/*
 * A wrong store looks like an empty history, so a command does not continue with another one than
 * was meant.
 */
static bool needs_refused_store(const struct cli_options *options, size_t key)
{
    return bt_str_eq(bt_config_key(key), BT_STR("store")) &&
           options->command->config.use != BT_CONFIG_DECIDES_STORELESS &&
           !bt_config_has(options->config, "store") && !cli_given(options, &flag_store) &&
           !cli_given(options, &flag_store_root);
}

/* True when a pointer leads to a key: /limits/nesting to limits.nesting. */
static bool leads_to(bt_str pointer, bt_str key)
{
    bool leads = pointer.len == key.len + 1;
    for (size_t i = 0; leads && i < key.len; i++) {
        leads = pointer.ptr[i + 1] == (key.ptr[i] == '.' ? '/' : key.ptr[i]);
    }
    return leads;
}

static const struct bt_finding *refusal_of(const struct config_load_file *file, size_t key)
{
    for (size_t i = 0; i < bt_findings_count(file->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(file->findings, i);
        if (finding->rule->id == BT_CODE_CONFIG_NOT_FROM_PROJECT &&
            leads_to(finding->pointer, bt_config_key(key))) {
            return finding;
        }
    }
    return NULL;
}

/*
 * Print which values of the project's file are not used by a command that would use them. False
 * when one of them is a store that the command needs.
 */
static bool print_refused_values(const struct cli_options *options)
{
    const unsigned uses = uses_of(options->command);
    const struct config_load_file *file = &options->files->files[0];
    bool is_usable = true;
    for (size_t key = 0; bt_config_key(key).len > 0; key++) {
        const unsigned users = bt_config_key_users(key);
        if (!bt_config_is_refused(options->config, key) ||
            ((users & uses) == 0 && users != BT_USERS_ALL)) {
            continue;
        }
        const struct bt_finding *finding = refusal_of(file, key);
        assert(finding);
        const bool is_needed = needs_refused_store(options, key);
        cli_print_error("%s%.*s:%u: %.*s %.*s", is_needed ? "" : "note: ", BT_STR_ARG(file->path),
                        finding->position.line, BT_STR_ARG(finding->rule->code),
                        BT_STR_ARG(finding->message));
        if (is_needed) {
            cli_print_hint("name the store with --store, BATON_STORE or the key store of your own "
                           "configuration");
            is_usable = false;
        }
    }
    return is_usable;
}

/* ---- Before a command runs ------------------------------------------------------------------- */

static bool lower_limits(struct cli_options *options)
{
    const char *given = cli_given_at(options, &flag_limit, 0);
    for (size_t i = 1; given; i++) {
        struct bt_error error;
        if (bt_limits_lower(&options->limits, bt_str_of(given), &error) != BT_OK) {
            return cli_refuse_usage(options, "%s", error.text);
        }
        given = cli_given_at(options, &flag_limit, i);
    }
    return true;
}

/* True for `baton serve`, in a build that has it. */
static bool is_server(const struct cli_command *command)
{
#if BT_HAS_SERVER
    return command->run == cmd_serve;
#else
    (void)command;
    return false;
#endif
}

/* With --verbose, print the files that were read; `check` has them in its report. */
static void print_files(const struct cli_options *options)
{
    const bool is_wanted = cli_given(options, &flag_verbose) && options->command->run != cmd_check;
    for (size_t i = 0; is_wanted && i < options->files->count; i++) {
        const struct config_load_file *file = &options->files->files[i];
        cli_print_error("note: configuration: %.*s (%.*s)", BT_STR_ARG(file->path),
                        BT_STR_ARG(config_kind_name(file->kind)));
    }
}

static bool load_config(struct cli_options *options, struct bt_arena *arena)
{
    const struct cli_command *command = options->command;
    struct config_load_loaded *loaded = BT_NEW(arena, struct config_load_loaded);
    char *today = bt_arena_alloc(arena, BT_DATE_BYTES + 1);
    if (!loaded || !today) {
        return cli_refuse_status(BT_ENOMEM);
    }
    cli_today(options, today);
    const struct config_load_options load_options = {
        .use = command->config.use ? command->config.use : BT_CONFIG_JUDGES,
        .is_server = is_server(command),
        .without_files = cli_given(options, &flag_no_config) != NULL,
        .file = cli_given(options, &flag_config),
        .root = options->root,
        .today = is_server(command) ? BT_STR("") : bt_str_of(today)};
    /*
     * An exported tree and the OpenAPI document do not depend on a configuration. A language server
     * finds it from the folders of its documents, and doctor looks at the files itself, because
     * they may be wrong.
     */
    const bool is_unread = (!command->config.is_read && !load_options.file) ||
                           command->run == cmd_lsp || command->work == cmd_doctor;
    if ((is_unread && !cli_given(options, &flag_log)) || cli_given(options, &flag_tree) ||
        cli_given(options, &flag_print_openapi)) {
        return true;
    }
    options->files = loaded;
    struct bt_error error = {0};
    if (!cli_config_load(arena, &load_options, loaded, &options->config, &error)) {
        note_unusable(options, loaded, &error);
        return false;
    }
    print_files(options);
    return print_refused_values(options);
}

bool cli_resolve_settings(struct cli_options *options, struct bt_arena *arena)
{
    assert(options->config);
    if (!load_config(options, arena)) {
        return false;
    }
    options->limits = bt_config_limits(options->config);
    if (!options->fail_level &&
        bt_severity_parse(bt_config_text(options->config, "check.fail_level"),
                          &options->fail_level) != BT_OK) {
        options->fail_level = BT_SEVERITY_HARD;
    }
#if BT_HAS_STORE
    if (!logs_resolve_flag(options, arena)) {
        return false;
    }
#endif
    return lower_limits(options);
}
