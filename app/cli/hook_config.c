/* SPDX-License-Identifier: Apache-2.0 */
/* hook_config.c - the flags and the configuration of a hook. */
#include "hook_config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "hook_files.h"
#include "output.h"
#include "shell/shell.h"
#include "suggest.h"

/* ---- Flags ----------------------------------------------------------------------------------- */

enum { COMMAND_BYTES_MAX = 1 << 17 };

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* The words allowed in place of an agent host: the hosts, and then the sub-commands. */
static bt_str get_allowed(const void *context, size_t index)
{
    const struct cli_command *command = context;
    const size_t hosts = cli_kind_count(CLI_HOST);
    return index < hosts ? cli_kind_word(CLI_HOST, index)
                         : bt_str_of(cli_command_word(command->parts[index - hosts]));
}

int hook_host_unknown(const struct cli_command *command, const char *word)
{
    struct cli_unknown unknown = {
        .noun = "host",
        .word = bt_str_of(word),
        .allowed = {.at = get_allowed, .context = command, .count = cli_kind_count(CLI_HOST)}};
    for (size_t i = 0; command->parts && command->parts[i]; i++) {
        unknown.allowed.count++;
    }
    return cli_print_unknown(command, &unknown);
}

bool cli_hook_flags_check(const struct cli_options *options, const struct agent_host *host)
{
    const char *why = NULL;
    if (!host) {
        (void)hook_host_unknown(options->command, options->operands[0]);
        return false;
    }
    if (cli_given(options, &flag_observe) && cli_given(options, &flag_fail_closed)) {
        why = "--observe and --fail-closed exclude each other";
    } else if (cli_given(options, &flag_exit2) && !host->traits.uses_exit_code) {
        why = "--exit2 is for claude and gemini";
    }
    if (why) {
        (void)cli_usage_error(options->command, "%s", why);
    }
    return why == NULL;
}

bool cli_hook_evidence_mode(const struct cli_options *options, enum bt_evidence_mode *out)
{
    const char *given = cli_given(options, &flag_evidence);
    const bt_str word = given ? bt_str_of(given) : bt_config_text(options->config, "evidence.mode");
    return bt_evidence_mode_parse(word, out) == BT_OK ||
           cli_refuse_value(options, &flag_evidence, given);
}

struct bt_str_list cli_evidence_doc_paths(const struct cli_options *options, struct bt_arena *arena)
{
    static const char key[] = "evidence.doc_paths";
    const size_t count = bt_config_count(options->config, key);
    bt_str *patterns = BT_NEW_ARRAY(arena, bt_str, count + 1);
    for (size_t i = 0; patterns && i < count; i++) {
        patterns[i] = bt_config_item(options->config, key, i);
    }
    return (struct bt_str_list){patterns, patterns ? count : 0};
}

bool cli_hook_sees_tools(const struct cli_options *options, const struct bt_config *config)
{
    const bt_str mode = bt_str_of(cli_given(options, &flag_evidence));
    return cli_given(options, &flag_gate) || (mode.len > 0 && !bt_str_eq(mode, BT_STR("off"))) ||
           (config && (bt_config_has_gate(config) || bt_config_has_budget(config) ||
                       bt_config_has_group(config, "evidence")));
}

/* ---- The command ----------------------------------------------------------------------------- */

static void put_word(struct bt_buf *buf, bt_str word)
{
    bt_buf_put_char(buf, ' ');
    bt_shell_put_word(buf, word);
}

enum bt_status hook_self_command(struct bt_arena *arena, bt_str program, bt_str flags, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, COMMAND_BYTES_MAX);
    bt_shell_put_word(&buf, program);
    bt_buf_put(&buf, flags);
    return bt_buf_finish(&buf, arena, out);
}

/* A flag of the hook, as a part of the command. */
struct hook_command_flag {
    const struct cli_flag *flag;
    bool is_path;
};

/* In the order in which they are written. */
static const struct hook_command_flag command_flags[] = {
    {&flag_observe, false},     {&flag_fail_closed, false},    {&flag_store, true},
    {&flag_workspace, false},   {&flag_agents, false},         {&flag_input, true},
    {&flag_exit2, false},       {&flag_max_rejections, false}, {&flag_agent_ids, false},
    {&flag_transitions, false}, {&flag_off_list, false},       {&flag_approval_ids, false},
    {&flag_gate, false},        {&flag_evidence, false},
};

/* Put the flags. False after an error message. */
static bool put_flags(struct bt_buf *buf, const struct cli_options *options,
                      const struct hook_files *files)
{
    for (size_t i = 0; i < sizeof(command_flags) / sizeof(command_flags[0]); i++) {
        const struct cli_flag *flag = command_flags[i].flag;
        const char *given = cli_given(options, flag);
        bt_str value = bt_str_of(given);
        if (!given) {
            continue;
        }
        if (command_flags[i].is_path && !hook_files_shared_path(options, files, given, &value)) {
            return false;
        }
        bt_buf_printf(buf, " --%s", flag->name);
        if (flag->argument) {
            put_word(buf, value);
        }
    }
    return true;
}

bool cli_hook_command_line(const struct cli_options *options, const struct hook_files *files,
                           const struct hook_pin *pin, const char *event, bt_str *out)
{
    const char *program = cli_given(options, &flag_program);
    struct bt_buf buf;
    bt_buf_init(&buf, COMMAND_BYTES_MAX);
    bt_shell_put_word(&buf, bt_str_of(program ? program : HOOK_PROGRAM));
    bt_buf_printf(&buf, " hook %s", files->host->name);
    if (event) {
        bt_buf_printf(&buf, " --event %s", event);
    }
    const bool is_put = put_flags(&buf, options, files);
    if (pin) {
        bt_buf_put_text(&buf, " --config");
        put_word(&buf, pin->path);
        bt_buf_printf(&buf, " --config-sha256 %s", pin->digest);
    }
    if (!is_put) {
        bt_buf_free(&buf);
        return false;
    }
    return cli_is_ok(bt_buf_finish(&buf, files->arena, out));
}

/* ---- Entries --------------------------------------------------------------------------------- */

static bool add_entry(const struct cli_options *options, const struct hook_files *files,
                      const struct hook_pin *pin, const char *name, struct hook_entry_options *out)
{
    const struct agent_host *host = files->host;
    struct hook_entry *entry = &out->entries[out->count];
    const bool needs_name =
        !host->traits.names_event && strcmp(name, hook_host_stop_event(host)) != 0;
    entry->event = name;
    return cli_hook_command_line(options, files, pin, needs_name ? name : NULL, &entry->command) &&
           ++out->count > 0;
}

bool hook_entries_make(const struct cli_options *options, const struct hook_files *files,
                       const struct hook_pin *pin, bool has_tools, struct hook_entry_options *out)
{
    const struct agent_host *host = files->host;
    bool is_made = true;
    *out = (struct hook_entry_options){.host = host,
                                       .program = cli_given(options, &flag_program),
                                       .matcher = cli_given(options, &flag_matcher)};
    for (size_t i = 0; i < HOOK_EVENTS_MAX && host->events[i] && is_made; i++) {
        is_made = add_entry(options, files, pin, host->events[i], out);
    }
    for (size_t i = 0; i < host->tools.entries && has_tools && is_made; i++) {
        is_made = add_entry(options, files, pin, host->tools.events[i], out);
        out->entries[out->count - 1].is_tool = true;
    }
    return is_made;
}

/* ---- Configuration --------------------------------------------------------------------------- */

enum { FILE_BYTES_MAX = 1 << 20, KEYS_BYTES_MAX = 1 << 16, DIGEST_DIGITS = 64 };

bool hook_is_digest(bt_str text)
{
    const bt_str digits = BT_STR("0123456789abcdef");
    for (size_t i = 0; i < text.len; i++) {
        if (bt_str_find_byte(digits, text.ptr[i], 0) == digits.len) {
            return false;
        }
    }
    return text.len == DIGEST_DIGITS;
}

bool hook_pin_fits(const struct cli_options *options)
{
    const char *file = cli_given(options, &flag_pin);
    const char *digest = cli_given(options, &flag_pin_digest);
    const char *why = NULL;
    if (file && !digest) {
        why = "--config of a hook needs --config-sha256 too; baton hook install HOST --config FILE "
              "writes both";
    } else if (digest && !file) {
        why = "--config-sha256 wants the --config that it is about";
    } else if (digest && !hook_is_digest(bt_str_of(digest))) {
        why = "--config-sha256 takes 64 lower-case hex digits";
    }
    if (why) {
        (void)cli_usage_error(options->command, "%s", why);
    }
    return why == NULL;
}

/* ---- The project folder ---------------------------------------------------------------------- */

/* The project directory that --root or the agent host's environment names, or NULL. */
static const char *named_project(const struct cli_options *options, const struct agent_host *host)
{
    const char *root = cli_given(options, &flag_store_root);
    const char *named = host->project_variable ? getenv(host->project_variable) : NULL;
    const bool is_folder =
        named && named[0] == '/' && bt_file_kind_of(bt_str_of(named)) == BT_FILE_DIRECTORY;
    return root ? root : is_folder ? named : NULL;
}

/* Make a relative path start at the project directory. */
static enum bt_status rebase_path(struct bt_arena *arena, const char *project, const char **path)
{
    const bt_str scheme = BT_STR("sqlite:");
    const bt_str given = bt_str_of(*path);
    const bool has_scheme = bt_str_starts_with(given, scheme);
    const bt_str rest = has_scheme ? bt_str_slice(given, scheme.len, given.len) : given;
    const bool is_elsewhere = bt_str_starts_with(rest, BT_STR("/")) ||
                              bt_str_starts_with(given, BT_STR("postgresql:")) || rest.len == 0;
    bt_str joined;
    if (!project || is_elsewhere) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(arena, &joined, "%s%s/%.*s", has_scheme ? "sqlite:" : "", project,
                           BT_STR_ARG(rest)));
    *path = joined.ptr;
    return BT_OK;
}

/* Copy the flags, with paths that start at the project directory. */
static enum bt_status rebase_flags(struct bt_arena *arena, struct hook_config *config)
{
    struct cli_options *options = &config->options;
    struct cli_given *given = BT_NEW_ARRAY(arena, struct cli_given, options->given_count + 1);
    if (!given) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < options->given_count; i++) {
        given[i] = options->given[i];
        const struct cli_flag *flag = given[i].flag;
        if (flag->id == flag_store.id || flag->id == flag_input.id || flag->id == flag_pin.id) {
            BT_TRY(rebase_path(arena, config->project, &given[i].value));
        }
    }
    options->given = given;
    return BT_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void note_pin_change(struct hook_config *config, struct bt_arena *arena, const char *named,
                            const struct agent_host *host)
{
    config->pin_changed = BT_STR("HOOK_CONFIG_CHANGED: the pinned configuration was changed");
    if (bt_arena_printf(arena, &config->pin_changed,
                        "HOOK_CONFIG_CHANGED: %s is not the configuration that was pinned, and no "
                        "copy of that is kept, so nothing can be judged by the agreed rules; look "
                        "at the change, then run baton hook pin %s",
                        named, host->name) != BT_OK) {
        config->unusable = bt_status_text(BT_ENOMEM);
    }
}

void hook_config_read(const struct cli_options *options, const struct agent_host *host,
                      const char *project, struct bt_arena *arena, struct hook_config *out)
{
    *out = (struct hook_config){.options = *options,
                                .project = project ? project : named_project(options, host),
                                .pin_changed = BT_STR("")};
    const char *named = cli_given(options, &flag_pin);
    if (rebase_flags(arena, out) != BT_OK) {
        out->unusable = bt_status_text(BT_ENOMEM);
        return;
    }
    const struct config_load_options load_options = {.use = BT_CONFIG_HOOK,
                                                     .pin = cli_given(&out->options, &flag_pin),
                                                     .digest =
                                                         cli_given(options, &flag_pin_digest)};
    struct bt_error error = {0};
    if (!cli_config_load(arena, &load_options, &out->loaded, &out->options.config, &error)) {
        out->unusable = "its configuration cannot be used";
    }
    if (out->loaded.is_pin_changed) {
        note_pin_change(out, arena, named, host);
    }
    out->options.files = &out->loaded;
    out->options.limits = bt_config_limits(out->options.config);
}

enum bt_status hook_config_flags(struct bt_arena *arena, bt_str command, struct cli_options *out)
{
    static const struct cli_flag *const known[] = {
        &flag_store,       &flag_workspace, &flag_max_rejections, &flag_agent_ids,
        &flag_transitions, &flag_off_list,  &flag_approval_ids,   &flag_pin,
        &flag_pin_digest,  &flag_gate,      &flag_observe,        &flag_fail_closed,
        &flag_evidence};
    const char **words = NULL;
    size_t count = 0;
    BT_TRY(hook_words(arena, command, &words, &count));
    *out = (struct cli_options){.config = bt_config_defaults()};
    out->given = BT_NEW_ARRAY(arena, struct cli_given, count + 1);
    if (!out->given) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++) {
            const bool has_value = !known[j]->argument || i + 1 < count;
            if (has_value && strncmp(words[i], "--", 2) == 0 &&
                strcmp(words[i] + 2, known[j]->name) == 0) {
                out->given[out->given_count++] =
                    (struct cli_given){known[j], known[j]->argument ? words[i + 1] : "", 0};
            }
        }
    }
    return BT_OK;
}

/* ---- Ignored keys ---------------------------------------------------------------------------- */

/* A path without a leading ./ or the scheme of a file. */
static bt_str plain_path(bt_str path)
{
    static const bt_str fronts[] = {BT_STR_INIT("sqlite:"), BT_STR_INIT("./")};
    for (size_t i = 0; i < 2; i++) {
        while (bt_str_starts_with(path, fronts[i])) {
            path = bt_str_slice(path, fronts[i].len, path.len);
        }
    }
    return path;
}

/* True when the store that the project's file names is the one in force. */
static bool is_same_store(const struct cli_options *options, bt_str folder, bt_str theirs)
{
    const char *flag = cli_given(options, &flag_store);
    const bt_str mine = flag ? bt_str_of(flag) : bt_config_text(options->config, "store");
    bt_str path = plain_path(mine.len > 0 ? mine : BT_STR(".baton/store.db"));
    if (folder.len > 0 && bt_str_starts_with(path, folder) && path.len > folder.len &&
        path.ptr[folder.len] == '/') {
        path = bt_str_slice(path, folder.len + 1, path.len);
    }
    return bt_str_eq(path, plain_path(theirs));
}

/* True when a flag has the same word as the project's file, for a key that has two words;
 * *out_flag is NULL when no flag has that name. */
static bool is_same_setting(const struct cli_options *options, const struct bt_config *project,
                            bt_str key, const char **out_flag)
{
    static const struct {
        const char *key;
        const struct cli_flag *flag;
    } rows[] = {{"contract.agent_ids", &flag_agent_ids},
                {"contract.transitions", &flag_transitions},
                {"contract.off_list", &flag_off_list},
                {"contract.approval_ids", &flag_approval_ids},
                {"evidence.mode", &flag_evidence}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(key, bt_str_of(rows[i].key))) {
            *out_flag = cli_given(options, rows[i].flag);
            return bt_str_eq(bt_str_of(*out_flag), bt_config_text(project, rows[i].key));
        }
    }
    return false;
}

/*
 * True when a flag has the same value as the project's file; *out_flag is NULL when there is no
 * such flag.
 */
static bool is_same_flag(const struct cli_options *options, const struct bt_config *project,
                         bt_str key, const char **out_flag)
{
    uint64_t number = 0;
    if (bt_str_eq(key, BT_STR("contract.workspace"))) {
        *out_flag = cli_given(options, &flag_workspace);
        return bt_str_eq(bt_str_of(*out_flag), bt_config_text(project, "contract.workspace"));
    }
    if (bt_str_eq(key, BT_STR("contract.max_rejections"))) {
        *out_flag = cli_given(options, &flag_max_rejections);
        return *out_flag && bt_str_to_u64(bt_str_of(*out_flag), &number) == BT_OK &&
               number == bt_config_u64(project, "contract.max_rejections");
    }
    *out_flag = NULL;
    return is_same_setting(options, project, key, out_flag);
}

static bool key_differs(const struct cli_options *options, const struct bt_config *project,
                        size_t key, bt_str folder)
{
    const bt_str name = bt_config_key(key);
    const char *flag = NULL;
    const bool is_same = is_same_flag(options, project, name, &flag);
    if (!bt_config_has(project, name.ptr) || !bt_config_key_is_for_hooks(key)) {
        return false;
    }
    if (bt_str_eq(name, BT_STR("store"))) {
        return !is_same_store(options, folder, bt_config_text(project, "store"));
    }
    return flag ? !is_same : !bt_config_is_same(project, options->config, key);
}

/* The project's file, or NULL when it is absent or cannot be read: hooks ignore it anyway. */
static const struct bt_config *read_project(struct bt_arena *arena, bt_str folder)
{
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_config *config = NULL;
    bt_str path;
    bt_str text;
    if (!findings ||
        bt_arena_printf(arena, &path, "%.*s%s" CONFIG_PROJECT_NAME, BT_STR_ARG(folder),
                        folder.len > 0 ? "/" : "") != BT_OK ||
        bt_file_read(arena, path, FILE_BYTES_MAX, &text, NULL) != BT_OK) {
        return NULL;
    }
    const struct bt_config_source source = {
        .path = path, .text = text, .store = BT_STR(""), .kind = BT_CONFIG_PROJECT};
    return bt_config_read(arena, &source, findings, &config) == BT_OK ? config : NULL;
}

bt_str hook_config_ignored_keys(struct bt_arena *arena, const struct cli_options *options,
                                bt_str folder)
{
    const struct bt_config *project = read_project(arena, folder);
    struct bt_buf keys;
    bt_str text = BT_STR("");
    bt_buf_init(&keys, KEYS_BYTES_MAX);
    for (size_t key = 0; project && bt_config_key(key).len > 0; key++) {
        if (key_differs(options, project, key, folder)) {
            bt_buf_put_text(&keys, keys.len > 0 ? ", " : "");
            bt_buf_put(&keys, bt_config_key(key));
        }
    }
    if (bt_buf_copy(&keys, arena, &text) != BT_OK) {
        text = BT_STR("");
    }
    bt_buf_free(&keys);
    return text;
}

bt_str hook_config_ignored(struct bt_arena *arena, const struct cli_options *options,
                           const struct agent_host *host, bt_str folder)
{
    const bt_str keys = hook_config_ignored_keys(arena, options, folder);
    bt_str text = BT_STR("");
    if (keys.len > 0 &&
        bt_arena_printf(arena, &text,
                        "HOOK_CONFIG_IGNORED: " CONFIG_PROJECT_NAME " of this project does not "
                        "count for hooks (%.*s); a person can pin it with baton hook install %s "
                        "--config " CONFIG_PROJECT_NAME,
                        BT_STR_ARG(keys), host->name) != BT_OK) {
        return BT_STR("");
    }
    return text;
}
