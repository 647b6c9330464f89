/* SPDX-License-Identifier: Apache-2.0 */
/* check_hosts.c - the hooks and the MCP servers in the settings of agent hosts. */
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "base/buf.h"
#include "base/file.h"
#include "doctor_run.h"
#include "hook/backup.h"
#include "hook/program.h"
#include "hook/settings.h"

enum { SETTINGS_BYTES_MAX = 4 << 20, BACKUP_BYTES_MAX = 8 << 20, MESSAGE_BYTES_MAX = 4096 };

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* The hook of one host in one scope. */
struct setup_hook {
    const struct agent_host *host;
    bt_str base;      /* the folder that its paths start at */
    const char *file; /* of the settings, below `base` */
    bool is_local;    /* of this user, within the project */
    bt_str command;   /* "": not installed */
    const char **words;
    size_t word_count;
    bt_str text; /* of the settings */
};

/* What is wrong with the hook of one host, from all scopes. */
struct setup_hook_result {
    struct bt_buf problems; /* separated by semicolons */
    enum setup_status status;
    const char *hint;
    const char *mode;
};

static void add_problem(struct setup_hook_result *result, const struct setup_hook *hook,
                        enum setup_status status, const char *text, const char *hint)
{
    bt_buf_printf(&result->problems, "%s%s: %s", result->problems.len > 0 ? "; " : "", hook->file,
                  text);
    if (result->status != SETUP_FAIL && (status == SETUP_FAIL || result->status != SETUP_WARN)) {
        result->status = status;
        result->hint = hint;
    }
}

static enum bt_status check_hook_program(struct setup_doctor *doctor, struct setup_hook *hook,
                                         struct setup_hook_result *result)
{
    struct hook_program program;
    BT_TRY(hook_program_find(doctor->arena, bt_str_of(hook->words[0]), hook->base, &program));
    if (program.path.len == 0) {
        add_problem(result, hook, SETUP_FAIL, "its program does not exist or is not on PATH",
                    "install baton where the host finds it, or add its folder to PATH");
    } else if (!program.is_same) {
        add_problem(result, hook, SETUP_WARN, "it runs another baton than this one",
                    "change PATH, or install the hook again with --program");
    }
    return BT_OK;
}

/* The path of the store that a command uses; "": it is not a file. */
static enum bt_status find_hook_store(struct setup_doctor *doctor, const struct setup_hook *hook,
                                      bt_str *out)
{
    const struct config_load_options how = {.use = BT_CONFIG_HOOK};
    const char *outer = getenv("BATON_STORE");
    const bt_str scheme = BT_STR("sqlite:");
    struct config_load_loaded loaded;
    struct bt_error error;
    bt_str store = BT_STR("");
    for (size_t i = 0; i + 1 < hook->word_count; i++) {
        store = strcmp(hook->words[i], "--store") == 0 ? bt_str_of(hook->words[i + 1]) : store;
    }
    store = store.len > 0 ? store : bt_str_of(outer);
    if (store.len == 0 && config_load(doctor->arena, &how, &loaded, &error) == BT_OK &&
        loaded.config) {
        BT_TRY(bt_config_path(loaded.config, "store", doctor->arena, &store));
    }
    *out = BT_STR("");
    if (bt_str_starts_with(store, BT_STR("postgres"))) {
        return BT_OK;
    }
    if (bt_str_starts_with(store, scheme)) {
        store = bt_str_slice(store, scheme.len, store.len);
    }
    store = store.len > 0 ? store : BT_STR(".baton/store.db");
    BT_TRY(store.ptr[0] == '/' ? bt_arena_copy(doctor->arena, store, out)
                               : bt_arena_printf(doctor->arena, out, "%.*s/%.*s",
                                                 BT_STR_ARG(hook->base), BT_STR_ARG(store)));
    return bt_file_kind_of(*out) == BT_FILE_DIRECTORY
               ? bt_arena_printf(doctor->arena, out, "%.*s/store.db", BT_STR_ARG(*out))
               : BT_OK;
}

/* True when the settings are not what Baton has written. */
static enum bt_status is_edited(struct setup_doctor *doctor, const struct setup_hook *hook,
                                bool *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct hook_backup backup;
    bt_str path;
    bt_str text;
    *out = false;
    BT_TRY(bt_arena_printf(doctor->arena, &path, "%.*s/.baton/hooks/%s%s.json",
                           BT_STR_ARG(hook->base), hook->host->name,
                           hook->is_local ? "-local" : ""));
    if (bt_file_read(doctor->arena, path, BACKUP_BYTES_MAX, &text, NULL) != BT_OK ||
        hook_backup_read(doctor->arena, text, &backup) != BT_OK) {
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(hook->text, digest));
    *out = !bt_str_eq(bt_str_of(digest), backup.sha256_after);
    return BT_OK;
}

/* Read the settings of one scope; hook->command stays "" when Baton has no entry there. */
static enum bt_status read_hook(struct setup_doctor *doctor, struct setup_hook *hook,
                                struct setup_hook_result *result)
{
    const struct hook_entry_options entries = {.host = hook->host};
    struct hook_settings_found found = {.command = BT_STR("")};
    struct bt_error error = {0};
    bt_str path;
    BT_TRY(bt_arena_printf(doctor->arena, &path, "%.*s/%s", BT_STR_ARG(hook->base), hook->file));
    enum bt_status status =
        bt_file_read(doctor->arena, path, SETTINGS_BYTES_MAX, &hook->text, &error);
    if (status == BT_ENOENT || status == BT_ENOMEM) {
        return status == BT_ENOMEM ? status : BT_OK;
    }
    if (status == BT_OK) {
        status = hook_settings_find(doctor->arena, hook->text, &entries, &found, &error);
    }
    if (status == BT_ENOMEM) {
        return status;
    }
    if (status != BT_OK) {
        add_problem(result, hook, SETUP_FAIL, "the file cannot be read as strict JSON with hooks",
                    "correct the file; baton hook install does not change what it cannot read");
        return BT_OK;
    }
    hook->command = found.command;
    return hook_words(doctor->arena, found.command, &hook->words, &hook->word_count);
}

static enum bt_status judge_hook(struct setup_doctor *doctor, struct setup_hook *hook,
                                 struct setup_hook_result *result)
{
    bt_str store;
    bool edited = false;
    BT_TRY(read_hook(doctor, hook, result));
    if (hook->command.len == 0 || hook->word_count == 0) {
        return BT_OK;
    }
    result->mode = hook_settings_mode(hook->command);
    result->status = result->status == SETUP_SKIP ? SETUP_OK : result->status;
    BT_TRY(check_hook_program(doctor, hook, result));
    BT_TRY(find_hook_store(doctor, hook, &store));
    if (store.len > 0 && bt_file_kind_of(store) == BT_FILE_NONE) {
        add_problem(result, hook, SETUP_FAIL, "its store does not exist",
                    "baton ledger init makes a store; baton hook install --store names another");
    }
    BT_TRY(is_edited(doctor, hook, &edited));
    if (edited) {
        add_problem(result, hook, SETUP_WARN, "the file was edited since", "see baton hook status");
    }
    if (strcmp(result->mode, "observe") == 0) {
        bt_str hint;
        BT_TRY(bt_arena_printf(doctor->arena, &hint, "baton hook install %s --yes enforces",
                               hook->host->name));
        add_problem(result, hook, SETUP_WARN, "mode observe: nothing is sent back", hint.ptr);
    }
    return BT_OK;
}

/* Look at all scopes of a host. */
static enum bt_status judge_scopes(struct setup_doctor *doctor, const struct agent_host *host,
                                   struct setup_hook_result *result)
{
    struct setup_hook project = {.host = host, .base = BT_STR("."), .file = host->project_file};
    struct setup_hook local = {
        .host = host, .base = BT_STR("."), .file = host->local_file, .is_local = true};
    struct setup_hook user = {.host = host, .base = doctor->home, .file = host->user_file};
    BT_TRY(judge_hook(doctor, &project, result));
    if (host->local_file) {
        BT_TRY(judge_hook(doctor, &local, result));
    }
    return doctor->home.len > 0 ? judge_hook(doctor, &user, result) : BT_OK;
}

enum bt_status setup_check_hook(struct setup_doctor *doctor, const struct agent_host *host)
{
    struct setup_hook_result result = {.status = SETUP_SKIP};
    bt_str id;
    bt_str message;
    bt_buf_init(&result.problems, MESSAGE_BYTES_MAX);
    enum bt_status status = bt_arena_printf(doctor->arena, &id, "hook.%s", host->name);
    status = status == BT_OK ? judge_scopes(doctor, host, &result) : status;
    if (status == BT_OK && result.problems.len == 0) {
        bt_buf_printf(&result.problems, "%s%s", result.mode ? "mode " : "not installed",
                      result.mode ? result.mode : "");
    }
    BT_TRY(bt_buf_finish_if(status, &result.problems, doctor->arena, &message));
    return setup_add_check(doctor, id, result.status, message, result.hint);
}

/* ---- MCP servers ----------------------------------------------------------------------------- */

/* Where a host keeps the MCP servers of a project. */
struct setup_servers_file {
    const char *host;
    const char *path;
    const char *member; /* the object with the servers; NULL: the file is TOML */
};

static const struct setup_servers_file servers_files[] = {
    {"claude", ".mcp.json", "mcpServers"},
    {"codex", ".codex/config.toml", NULL},
    {"copilot", ".vscode/mcp.json", "servers"},
    {"cursor", ".cursor/mcp.json", "mcpServers"},
    {"gemini", ".gemini/settings.json", "mcpServers"},
};

/* What was found in such a file. */
struct setup_servers {
    struct setup_doctor *doctor;
    size_t count;
    struct bt_buf missing; /* names of servers whose program does not exist */
};

static enum bt_status add_server(struct setup_servers *servers, bt_str name, bt_str command)
{
    struct hook_program program;
    servers->count++;
    if (command.len == 0 || bt_str_find_byte(command, '$', 0) < command.len ||
        bt_str_find_byte(command, '\0', 0) < command.len) {
        return BT_OK; /* a server on the network, or a name that only the host can complete */
    }
    BT_TRY(hook_program_find(servers->doctor->arena, command, BT_STR("."), &program));
    if (program.path.len == 0) {
        bt_buf_printf(&servers->missing, "%s%.*s (%.*s)", servers->missing.len > 0 ? ", " : "",
                      BT_STR_ARG(name), BT_STR_ARG(command));
    }
    return BT_OK;
}

static enum bt_status read_json_servers(struct setup_servers *servers, bt_str text,
                                        const char *member, bool *out_readable)
{
    struct bt_json_read_result read = {0};
    /* from: file */
    BT_TRY(bt_json_read(servers->doctor->arena, text, NULL, &read));
    *out_readable = read.document != NULL;
    const bt_json_value *list =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), bt_str_of(member))
                      : NULL;
    if (!list || bt_json_type(list) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const struct bt_json_member *entry = &bt_json_members(list)[i];
        const bt_json_value *command =
            bt_json_type(&entry->value) == BT_JSON_OBJECT
                ? bt_json_get(read.document, &entry->value, BT_STR("command"))
                : NULL;
        const bool is_text = command && bt_json_type(command) == BT_JSON_STRING;
        BT_TRY(
            add_server(servers, bt_json_name(entry), is_text ? bt_json_text(command) : BT_STR("")));
    }
    return BT_OK;
}

/* The text between the quotes with which a line ends, or "". */
static bt_str quoted_text(bt_str line)
{
    const char quote = line.len > 0 ? line.ptr[0] : '\0';
    const size_t end = bt_str_find_byte(line, quote, 1);
    return (quote == '"' || quote == '\'') && end < line.len ? bt_str_slice(line, 1, end)
                                                             : BT_STR("");
}

/* The name in a line [mcp_servers.NAME], or "" for any other table. */
static bt_str table_name(bt_str line)
{
    const bt_str prefix = BT_STR("[mcp_servers.");
    if (!bt_str_starts_with(line, prefix)) {
        return BT_STR("");
    }
    const bt_str name =
        bt_str_trim(bt_str_slice(line, prefix.len, bt_str_find_byte(line, ']', prefix.len)));
    const bt_str inner = quoted_text(name);
    const bool is_plain = bt_str_find_byte(name, '.', 0) == name.len;
    return inner.len > 0 && inner.len + 2 == name.len ? inner : is_plain ? name : BT_STR("");
}

/*
 * Read the tables [mcp_servers.NAME] and their key `command`. Of TOML only what such a file has is
 * understood: tables, and texts on one line.
 */
static enum bt_status read_toml_servers(struct setup_servers *servers, bt_str text)
{
    const bt_str key = BT_STR("command");
    bt_str table = BT_STR("");
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        const bt_str line = bt_str_trim(bt_str_slice(text, at, end));
        const size_t equals = bt_str_find_byte(line, '=', 0);
        at = end + 1;
        if (bt_str_starts_with(line, BT_STR("["))) {
            table = table_name(line);
        } else if (table.len > 0 && equals < line.len &&
                   bt_str_eq(bt_str_trim(bt_str_slice(line, 0, equals)), key)) {
            BT_TRY(add_server(servers, table,
                              quoted_text(bt_str_trim(bt_str_slice(line, equals + 1, line.len)))));
        }
    }
    return BT_OK;
}

static enum bt_status add_servers_check(struct setup_servers *servers, bt_str id, const char *path,
                                        bool is_readable)
{
    struct setup_doctor *doctor = servers->doctor;
    bt_str message;
    if (!is_readable) {
        BT_TRY(bt_arena_printf(doctor->arena, &message, "%s cannot be read", path));
        return setup_add_check(doctor, id, SETUP_WARN, message, "correct the file");
    }
    if (servers->count == 0) {
        return setup_add_check(doctor, id, SETUP_SKIP, BT_STR("no entry"), NULL);
    }
    if (servers->missing.len == 0) {
        BT_TRY(bt_arena_printf(doctor->arena, &message, "%zu in %s", servers->count, path));
        return setup_add_check(doctor, id, SETUP_OK, message, NULL);
    }
    BT_TRY(bt_arena_printf(doctor->arena, &message, "%s: a program does not exist: %.*s", path,
                           BT_STR_ARG(bt_buf_str(&servers->missing))));
    return setup_add_check(doctor, id, SETUP_WARN, message,
                           "install the program, or correct the entry");
}

enum bt_status setup_check_servers(struct setup_doctor *doctor, const struct agent_host *host)
{
    const struct setup_servers_file *file = NULL;
    struct setup_servers servers = {.doctor = doctor};
    bool is_readable = true;
    bt_str id;
    bt_str text;
    for (size_t i = 0; i < sizeof(servers_files) / sizeof(servers_files[0]); i++) {
        file = strcmp(servers_files[i].host, host->name) == 0 ? &servers_files[i] : file;
    }
    BT_TRY(bt_arena_printf(doctor->arena, &id, "mcp.%s", host->name));
    if (!file) {
        return BT_OK;
    }
    bt_buf_init(&servers.missing, MESSAGE_BYTES_MAX);
    enum bt_status status =
        bt_file_read(doctor->arena, bt_str_of(file->path), SETTINGS_BYTES_MAX, &text, NULL);
    if (status == BT_OK) {
        status = file->member ? read_json_servers(&servers, text, file->member, &is_readable)
                              : read_toml_servers(&servers, text);
    } else if (status != BT_ENOMEM) {
        is_readable = status == BT_ENOENT;
        status = BT_OK;
    }
    status = status == BT_OK ? add_servers_check(&servers, id, file->path, is_readable) : status;
    bt_buf_free(&servers.missing);
    return status;
}
