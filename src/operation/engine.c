/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - settings, roots and a store -> an engine. Settings are a JSON object: some members are
 * about the caller, the others are those of a configuration.
 */
#include "operation/engine.h"

#include <assert.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/memory_files.h"
#include "json/options.h"
#include "report/rules.h"
#include "token/tokens.h"

enum {
    SETTINGS_BYTES_MAX = 64 << 20,
    CONFIG_BYTES_MAX = 4 << 20,
    CALL_BYTES_MAX = 1 << 30,
    BODY_BYTES_MAX = 1 << 30,
    LIMIT_BYTES_MAX = 64,
    MEMORY_ROOT_BYTES_MAX = 1 << 30,
    MEMORY_ROOTS_MAX = 1000,
    JUDGING_USERS = BT_USERS_UNIVERSAL | BT_USERS_CONTRACT | BT_USERS_GOVERNED,
};

#define SEED_MAX (((uint64_t)1 << 53) - 1)

/* ---- Findings about settings ----------------------------------------------------------------- */

/* Settings while they are read. */
struct bt_engine_reader {
    struct bt_engine *engine;
    struct bt_arg settings;
    struct bt_findings *findings;
};

enum bt_status bt_engine_report_finding(const struct bt_findings *findings, struct bt_error *error)
{
    if (bt_findings_count(findings) == 0) {
        return BT_OK;
    }
    const struct bt_finding *first = bt_findings_at(findings, 0);
    return bt_error_set(error, BT_EINVAL, "%.*s at %.*s: %.*s", BT_STR_ARG(first->rule->code),
                        BT_STR_ARG(bt_str_slice(first->pointer, 0, BT_ERROR_TEXT_BYTES)),
                        BT_STR_ARG(bt_str_slice(first->message, 0, BT_ERROR_TEXT_BYTES)));
}

static enum bt_status fail_status(struct bt_error *error, enum bt_status status)
{
    return bt_error_set(error, status, "%s", bt_status_text(status));
}

/* The place of a key, below a group or "". */
static enum bt_status locate_key(struct bt_engine *engine, const char *group, bt_str key,
                                 struct bt_location *out)
{
    bt_str pointer;
    struct bt_buf buf;
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    bt_buf_printf(&buf, "%s%s", group[0] ? "/" : "", group);
    bt_json_pointer_put(&buf, key);
    const enum bt_status status = bt_buf_copy(&buf, &engine->memory, &pointer);
    bt_buf_free(&buf);
    *out = bt_location_pointer(pointer, 0);
    return status;
}

static enum bt_status refuse_key(struct bt_engine_reader *reader, const char *group, bt_str key)
{
    struct bt_location at;
    BT_TRY(locate_key(reader->engine, group, key, &at));
    return bt_add_config_key_unknown(reader->findings, at, key, BT_STR_ABSENT, key);
}

/* ---- The caller ------------------------------------------------------------------------------ */

/* Takes the value of a setting. NULL, or what it must be. */
typedef const char *take_setting_fn(struct bt_engine *engine, const struct bt_arg *value);

static const char *take_now(struct bt_engine *engine, const struct bt_arg *value)
{
    bt_instant now;
    if (bt_instant_parse(bt_json_text(value->json), &now) != BT_OK) {
        return "a time such as 2026-02-11T00:45:02Z";
    }
    bt_env_pin_clock(&engine->env, &now);
    return NULL;
}

static const char *take_seed(struct bt_engine *engine, const struct bt_arg *value)
{
    static const struct bt_operation_param param = {.type = BT_OPERATION_PARAM_INTEGER,
                                                    .max = SEED_MAX};
    uint64_t seed = 0;
    if (bt_json_type(value->json) != BT_JSON_INTEGER ||
        !bt_argument_read_integer(&param, bt_arg_text(value), &seed)) {
        return "a whole number from 0 to 9007199254740991";
    }
    bt_env_pin_seed(&engine->env, seed);
    return NULL;
}

static const char *take_actor(struct bt_engine *engine, const struct bt_arg *value)
{
    engine->caller.actor = bt_json_text(value->json);
    return bt_entry_name_is_valid(engine->caller.actor) ? NULL : "1 to 200 of [A-Za-z0-9._:/@+-]";
}

static const char *take_workspace(struct bt_engine *engine, const struct bt_arg *value)
{
    engine->caller.workspace = bt_json_text(value->json);
    return engine->caller.workspace.len > 0 ? NULL : "a text that is not empty";
}

static const char *take_session(struct bt_engine *engine, const struct bt_arg *value)
{
    engine->caller.session = bt_json_text(value->json);
    return engine->caller.session.len > 0 ? NULL : "a text that is not empty";
}

static const char *take_scopes(struct bt_engine *engine, const struct bt_arg *value)
{
    bool is_right = bt_json_type(value->json) == BT_JSON_ARRAY;
    engine->caller.scopes = 0;
    for (size_t i = 0; is_right && i < bt_json_count(value->json); i++) {
        const unsigned scope = bt_scope_find(bt_json_text(&bt_json_items(value->json)[i]));
        engine->caller.scopes |= scope;
        is_right = scope != 0;
    }
    return is_right ? NULL : "a list of check, submit, approve, operate and admin";
}

static const char *take_agents(struct bt_engine *engine, const struct bt_arg *value)
{
    bool is_right = bt_json_type(value->json) == BT_JSON_ARRAY;
    const size_t count = is_right ? bt_json_count(value->json) : 0;
    bt_str *agents = BT_NEW_ARRAY(&engine->memory, bt_str, count + 1);
    is_right = is_right && agents;
    for (size_t i = 0; is_right && i < count; i++) {
        agents[i] = bt_json_text(&bt_json_items(value->json)[i]);
        is_right = bt_entry_name_is_valid(agents[i]);
    }
    engine->caller.agents = agents;
    engine->caller.agent_count = count;
    return is_right ? NULL : "a list of names of 1 to 200 of [A-Za-z0-9._:/@+-]";
}

static const struct bt_engine_setting {
    bt_str name;
    take_setting_fn *take;
} settings_rows[] = {
    {BT_STR_INIT("now"), take_now},         {BT_STR_INIT("seed"), take_seed},
    {BT_STR_INIT("actor"), take_actor},     {BT_STR_INIT("scopes"), take_scopes},
    {BT_STR_INIT("agents"), take_agents},   {BT_STR_INIT("workspace"), take_workspace},
    {BT_STR_INIT("session"), take_session},
};

enum { SETTINGS_COUNT = sizeof(settings_rows) / sizeof(settings_rows[0]) };

static enum bt_status take_setting(struct bt_engine_reader *reader,
                                   const struct bt_engine_setting *row, const struct bt_arg *value)
{
    struct bt_location at;
    const char *expected = row->take(reader->engine, value);
    if (!expected) {
        return BT_OK;
    }
    BT_TRY(locate_key(reader->engine, "", row->name, &at));
    return bt_add_config_key_value(reader->findings, at, bt_str_of(expected), row->name,
                                   (struct bt_str_list){0});
}

/* An agent must not decide about itself. */
static enum bt_status check_agents(struct bt_engine_reader *reader)
{
    static const bt_str name = BT_STR_INIT("agents");
    const struct bt_caller *caller = &reader->engine->caller;
    struct bt_location at;
    if (caller->agent_count == 0 || !(caller->scopes & SCOPES_DECIDING)) {
        return BT_OK;
    }
    BT_TRY(locate_key(reader->engine, "", name, &at));
    return bt_add_config_key_value(reader->findings, at,
                                   BT_STR("empty with the scopes approve, operate or admin"), name,
                                   (struct bt_str_list){0});
}

/* ---- The configuration ----------------------------------------------------------------------- */

/* Put the member of an object, without the escapes that YAML does not know. */
static enum bt_status put_member(struct bt_engine *engine, const struct bt_json_doc *document,
                                 const struct bt_json_member *member, struct bt_buf *buf)
{
    bt_buf_put_text(buf, buf->len > 0 ? "," : "");
    bt_json_put_string(buf, bt_json_name(member));
    bt_buf_put_char(buf, ':');
    return bt_json_write(buf, document, &member->value, BT_JSON_FORM_COMPACT, &engine->memory,
                         NULL);
}

/* True for a key that affects judging; without `for_all`, not for keys of every command. */
static bool is_judging(bt_str key, size_t index, bool for_all)
{
    const unsigned users = bt_config_key_users(index);
    return bt_str_eq(bt_config_key(index), key) && (users & JUDGING_USERS) &&
           (for_all || users != BT_USERS_ALL);
}

/* True for a group of keys, or a key without group, that is about judging. */
static bool is_group(bt_str name)
{
    for (size_t i = 0; bt_config_key(i).len > 0; i++) {
        const bt_str key = bt_config_key(i);
        const bt_str group = bt_str_slice(key, 0, bt_str_find_byte(key, '.', 0));
        if (bt_str_eq(group, name) && is_judging(key, i, false)) {
            return true;
        }
    }
    return false;
}

/* True for a limit of documents; the others are for servers. */
static bool is_limit(bt_str name)
{
    char key[LIMIT_BYTES_MAX];
    const int length = snprintf(key, sizeof(key), "limits.%.*s",
                                BT_STR_ARG(bt_str_slice(name, 0, LIMIT_BYTES_MAX)));
    for (size_t i = 0; length > 0 && (size_t)length < sizeof(key) && bt_config_key(i).len > 0;
         i++) {
        if (is_judging(bt_str_of(key), i, true)) {
            return true;
        }
    }
    return false;
}

/* Documents come in no request that a server would limit. */
static enum bt_status put_limits(struct bt_engine_reader *reader, const bt_json_value *limits)
{
    struct bt_engine *engine = reader->engine;
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    bt_buf_printf(&buf, "\"body_bytes\":%d", BODY_BYTES_MAX);
    for (size_t i = 0; i < bt_json_count(limits) && status == BT_OK; i++) {
        const struct bt_json_member *member = &bt_json_members(limits)[i];
        status = is_limit(bt_json_name(member))
                     ? put_member(engine, reader->settings.document, member, &buf)
                     : refuse_key(reader, "limits", bt_json_name(member));
    }
    bt_buf_printf(&engine->keys, "%s\"limits\":{", engine->keys.len > 0 ? "," : "");
    bt_buf_put(&engine->keys, bt_buf_str(&buf));
    bt_buf_put_char(&engine->keys, '}');
    bt_buf_free(&buf);
    return status;
}

static enum bt_status put_roots(struct bt_engine_reader *reader, const bt_json_value *roots)
{
    for (size_t i = 0; i < bt_json_count(roots); i++) {
        BT_TRY(put_member(reader->engine, reader->settings.document, &bt_json_members(roots)[i],
                          &reader->engine->roots));
    }
    return BT_OK;
}

static enum bt_status take_member(struct bt_engine_reader *reader,
                                  const struct bt_json_member *member)
{
    const struct bt_json_doc *document = reader->settings.document;
    const struct bt_arg value = {.document = document, .json = &member->value};
    const bool is_object = bt_json_type(value.json) == BT_JSON_OBJECT;
    const bt_str name = bt_json_name(member);
    for (size_t i = 0; i < SETTINGS_COUNT; i++) {
        if (bt_str_eq(settings_rows[i].name, name)) {
            return take_setting(reader, &settings_rows[i], &value);
        }
    }
    const bool is_limits = bt_str_eq(name, BT_STR("limits"));
    if (!is_limits && !bt_str_eq(name, BT_STR("roots"))) {
        return is_group(name) ? put_member(reader->engine, document, member, &reader->engine->keys)
                              : refuse_key(reader, "", name);
    }
    if (is_object) {
        return is_limits ? put_limits(reader, value.json) : put_roots(reader, value.json);
    }
    struct bt_location at;
    BT_TRY(locate_key(reader->engine, "", name, &at));
    return bt_add_config_key_type(reader->findings, at, BT_STR("mapping"), name);
}

static enum bt_status write_config(const struct bt_engine *engine, struct bt_arena *arena,
                                   bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    bt_buf_put_char(&buf, '{');
    bt_buf_put(&buf, bt_buf_str(&engine->keys));
    bt_buf_put_text(&buf, engine->keys.len > 0 ? ",\"roots\":{" : "\"roots\":{");
    bt_buf_put(&buf, bt_buf_str(&engine->roots));
    bt_buf_put_text(&buf, "}}");
    return bt_buf_finish(&buf, arena, out);
}

/* Read the configuration into an arena, for `out`; a failure changes nothing. */
static enum bt_status read_config(struct bt_engine *engine, struct bt_arena *arena,
                                  struct bt_worker *out, struct bt_error *error)
{
    struct bt_config_source source = {.path = BT_STR(""), .store = BT_STR("")};
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_worker worker = engine->worker;
    if (!findings || write_config(engine, arena, &source.text) != BT_OK ||
        bt_config_read(arena, &source, findings, &worker.config) != BT_OK) {
        return fail_status(error, BT_ENOMEM);
    }
    if (!worker.config) {
        return bt_engine_report_finding(findings, error);
    }
    struct bt_worker_settings *keys = bt_arena_alloc(arena, sizeof(*keys));
    if (!keys) {
        return fail_status(error, BT_ENOMEM);
    }
    *keys = bt_worker_settings_from_config(worker.config);
    worker.keys = keys;
    if (bt_op_policy(arena, &worker, NULL, &worker.policy) != BT_OK) {
        return fail_status(error, BT_ENOMEM);
    }
    *out = worker;
    return BT_OK;
}

/* Use what the engine's keys and roots say. After a failure the old configuration is in force. */
static enum bt_status apply_config(struct bt_engine *engine, struct bt_error *error)
{
    const size_t next = 1 - engine->config_index;
    struct bt_arena *arena = &engine->config[next];
    bt_arena_init(arena, SETTINGS_BYTES_MAX);
    const enum bt_status status = read_config(engine, arena, &engine->worker, error);
    if (status != BT_OK) {
        bt_arena_free(arena);
        return status;
    }
    bt_arena_free(&engine->config[engine->config_index]);
    engine->config_index = next;
    engine->env.limits = bt_config_limits(engine->worker.config);
    return BT_OK;
}

/* ---- Settings -------------------------------------------------------------------------------- */

/* Read the text as JSON; without a document there are findings. */
static enum bt_status read_json(struct bt_engine_reader *reader, bt_str text)
{
    const struct bt_check_options how = {.dialect = BT_DIALECT_JSON};
    const struct bt_json_options options = bt_json_options_from_env(&reader->engine->env);
    struct bt_arena *arena = &reader->engine->memory;
    struct bt_json_read_result read = {0};
    struct bt_judgement judged;
    /* from: caller */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document) {
        BT_TRY(bt_check_document(&reader->engine->env, arena, BT_STR("settings"), text, &how,
                                 &judged));
        return bt_findings_add(reader->findings, bt_findings_at(judged.findings, 0));
    }
    reader->settings =
        (struct bt_arg){.document = read.document, .json = bt_json_root(read.document)};
    return bt_json_type(reader->settings.json) == BT_JSON_OBJECT
               ? BT_OK
               : bt_add_config_key_type(reader->findings, bt_location_pointer(BT_STR(""), 0),
                                        BT_STR("mapping"), BT_STR("settings"));
}

static enum bt_status read_settings(struct bt_engine *engine, bt_str settings,
                                    struct bt_error *error)
{
    struct bt_engine_reader reader = {.engine = engine,
                                      .findings = bt_findings_new(&engine->memory)};
    bt_str text;
    if (!reader.findings || bt_arena_copy(&engine->memory, settings, &text) != BT_OK) {
        return fail_status(error, BT_ENOMEM);
    }
    enum bt_status status = read_json(&reader, text.len > 0 ? text : BT_STR("{}"));
    const bool is_object = status == BT_OK && bt_findings_count(reader.findings) == 0;
    const size_t count = is_object ? bt_json_count(reader.settings.json) : 0;
    for (size_t i = 0; i < count && status == BT_OK; i++) {
        status = take_member(&reader, &bt_json_members(reader.settings.json)[i]);
    }
    status = status == BT_OK ? check_agents(&reader) : status;
    if (status != BT_OK) {
        return fail_status(error, status);
    }
    BT_TRY(bt_engine_report_finding(reader.findings, error));
    return apply_config(engine, error);
}

static enum bt_status begin_engine(struct bt_engine *engine, bt_str settings,
                                   struct bt_error *error)
{
    bt_arena_init(&engine->call, CALL_BYTES_MAX);
    bt_buf_init(&engine->keys, CONFIG_BYTES_MAX);
    bt_buf_init(&engine->roots, CONFIG_BYTES_MAX);
    engine->caller = (struct bt_caller){.actor = BT_STR("library"),
                                        .name = BT_STR("library"),
                                        .scopes = BT_SCOPE_CHECK | BT_SCOPE_SUBMIT,
                                        .pump_client = BT_STR(""),
                                        .workspace = BT_STR(""),
                                        .session = BT_STR("")};
    engine->worker = (struct bt_worker){.env = &engine->env,
                                        .root = BT_STR(""),
                                        .input = BT_STR(""),
                                        .policy = {BT_STR(""), BT_STR("")},
                                        .organism = BT_STR("")};
    if (bt_env_init(&engine->env) != BT_OK) {
        return fail_status(error, BT_EIO);
    }
    engine->worker.checker = bt_checker_create(&engine->env);
    return engine->worker.checker ? read_settings(engine, settings, error)
                                  : fail_status(error, BT_ENOMEM);
}

/* ---- Engines --------------------------------------------------------------------------------- */

enum bt_status bt_engine_create(bt_str settings, struct bt_engine **out, struct bt_error *error)
{
    assert(settings.ptr || settings.len == 0);
    assert(out);
    struct bt_arena memory;
    bt_arena_init(&memory, SETTINGS_BYTES_MAX);
    struct bt_engine *engine = BT_NEW(&memory, struct bt_engine);
    if (!engine) {
        return fail_status(error, BT_ENOMEM);
    }
    engine->memory = memory;
    const enum bt_status status = begin_engine(engine, settings, error);
    if (status != BT_OK) {
        bt_engine_destroy(engine);
        return status;
    }
    *out = engine;
    return BT_OK;
}

void bt_engine_destroy(struct bt_engine *engine)
{
    if (!engine) {
        return;
    }
    bt_ledger_close(engine->worker.ledger);
    bt_checker_destroy(engine->worker.checker);
    for (struct bt_op_memory_root *root = engine->worker.memory_roots; root; root = root->next) {
        bt_memory_files_destroy(root->files);
    }
    bt_buf_free(&engine->keys);
    bt_buf_free(&engine->roots);
    bt_arena_free(&engine->call);
    bt_arena_free(&engine->config[engine->config_index]);
    struct bt_arena memory = engine->memory; /* the engine lies in it */
    bt_arena_free(&memory);
}

/* True when a folder has the name. */
static bool is_folder_root(const struct bt_engine *engine, bt_str name)
{
    const struct bt_config *config = engine->worker.config;
    for (size_t i = 0; i < bt_config_count(config, "roots"); i++) {
        if (bt_str_eq(bt_config_item_name(config, "roots", i), name)) {
            return true;
        }
    }
    return false;
}

/* Make a root in memory. It is in force with its first file. */
static enum bt_status make_memory_root(struct bt_engine *engine, bt_str name,
                                       struct bt_op_memory_root **out, struct bt_error *error)
{
    size_t count = 0;
    for (const struct bt_op_memory_root *at = engine->worker.memory_roots; at; at = at->next) {
        count++;
    }
    if (count == MEMORY_ROOTS_MAX) {
        return bt_error_set(error, BT_ELIMIT, "an engine has at most %d roots in memory",
                            MEMORY_ROOTS_MAX);
    }
    struct bt_op_memory_root *root = BT_NEW(&engine->memory, struct bt_op_memory_root);
    if (!root || bt_arena_copy(&engine->memory, name, &root->name) != BT_OK) {
        return fail_status(error, BT_ENOMEM);
    }
    root->files = bt_memory_files_create(MEMORY_ROOT_BYTES_MAX);
    *out = root;
    return root->files ? BT_OK : fail_status(error, BT_ENOMEM);
}

enum bt_status bt_engine_root_file(struct bt_engine *engine, bt_str name, bt_str path,
                                   bt_str content, struct bt_error *error)
{
    assert(engine);
    struct bt_op_memory_root *root = bt_op_memory_root_find(engine->worker.memory_roots, name);
    const bool is_new = !root;
    if (name.len == 0 || is_folder_root(engine, name)) {
        return bt_error_set(error, BT_EINVAL, "%s",
                            name.len == 0 ? "a root has a name" : "this root is a folder");
    }
    if (is_new) {
        BT_TRY(make_memory_root(engine, name, &root, error));
    }
    enum bt_status status = bt_memory_files_add(root->files, path, content, error);
    if (!is_new) {
        return status;
    }
    root->next = engine->worker.memory_roots;
    if (status == BT_OK) {
        engine->worker.memory_roots = root;
        status = apply_config(engine, error); /* the policy names the default root */
    }
    if (status != BT_OK) {
        engine->worker.memory_roots = root->next;
        bt_memory_files_destroy(root->files);
    }
    return status;
}

enum bt_status bt_engine_root(struct bt_engine *engine, bt_str name, bt_str folder,
                              struct bt_error *error)
{
    assert(engine);
    const size_t before = engine->roots.len;
    struct bt_dir *dir = NULL;
    if (name.len == 0 || folder.len == 0) {
        return bt_error_set(error, BT_EINVAL, "a root has a name and a folder");
    }
    if (bt_op_memory_root_find(engine->worker.memory_roots, name)) {
        return bt_error_set(error, BT_EINVAL, "this root lies in memory");
    }
    struct bt_error why = {0};
    const enum bt_status opened = bt_dir_open(folder, &dir, &why);
    bt_dir_close(dir);
    if (opened != BT_OK) {
        return bt_error_set(error, opened, "%.*s: %s", BT_STR_ARG(folder), why.text);
    }
    bt_buf_put_text(&engine->roots, before > 0 ? "," : "");
    bt_json_put_string(&engine->roots, name);
    bt_buf_put_char(&engine->roots, ':');
    bt_json_put_string(&engine->roots, folder);
    enum bt_status status = engine->roots.status;
    status = status == BT_OK ? apply_config(engine, error) : fail_status(error, status);
    if (status != BT_OK) {
        engine->roots.len = before;
        engine->roots.status = BT_OK;
    }
    return status;
}

enum bt_status bt_engine_table(struct bt_engine *engine, bt_str encoding, bt_str table,
                               struct bt_error *error)
{
    assert(engine);
    struct bt_universal_checker *universal = NULL;
    const struct bt_token_table *loaded = NULL;
    enum bt_encoding which = BT_ENCODING_O200K_BASE;
    if (bt_encoding_parse(encoding, &which) != BT_OK || which == BT_ENCODING_CHARS4) {
        return bt_error_set(error, BT_EINVAL,
                            "an encoding with a table is o200k_base or "
                            "cl100k_base");
    }
    if (engine->worker.token_tables[which]) {
        return BT_OK;
    }
    BT_TRY(bt_token_table_load(&engine->memory, which, table, &loaded, error));
    if (!loaded) { /* the build has it */
        return BT_OK;
    }
    const enum bt_status status = bt_checker_universal(engine->worker.checker, &universal);
    if (status != BT_OK) {
        return fail_status(error, status);
    }
    bt_universal_checker_set_table(universal, which, loaded);
    engine->worker.token_tables[which] = loaded;
    return BT_OK;
}
