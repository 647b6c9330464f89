/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_pump.c - baton pump init, keys, check, ctl, schema, example, prompt; baton handler-host */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/handler.h>
#include <baton/json.h>

#include "base/ascii.h"
#include "base/file.h"
#include "cli.h"
#include "config/memory.h"
#include "json/emit.h"
#include "organism_file.h"
#include "output.h"
#include "pump/pump.h"
#include "run.h"

/* ---- baton pump init ------------------------------------------------------------------------- */

static const char organism_text[] =
    "# An organism: who may send, what can be called, and what it answers.\n"
    "# `baton pump keys` lists every key, `baton pump check organism.yaml` judges this file.\n"
    "organism:\n"
    "  name: hello\n"
    "clients:\n"
    "  - name: me\n"
    "    may_call: [hello]\n"
    "listeners:\n"
    "  - name: hello\n"
    "    description: greets by name\n"
    "    handler: tools/hello.py:hello\n"
    "    payload_class: Hello\n"
    "    result: str\n";

static const char handler_text[] =
    "\"\"\"A handler: one validated payload in, bytes out. It runs in a sandbox of its own.\"\"\"\n"
    "from dataclasses import dataclass\n"
    "from xml.sax.saxutils import escape\n"
    "\n"
    "from baton import HandlerMetadata, xmlify\n"
    "\n"
    "\n"
    "@xmlify\n"
    "@dataclass\n"
    "class Hello:\n"
    "    name: str\n"
    "\n"
    "\n"
    "async def hello(payload: Hello, metadata: HandlerMetadata) -> bytes:\n"
    "    return f\"<result>hello, {escape(payload.name)}</result>\".encode()\n";

static const char message_text[] = "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n"
                                   "  <meta>\n"
                                   "    <from>me</from>\n"
                                   "    <thread>2f1d9c64-8a3b-4c57-9e20-5d6b7a8c9e01</thread>\n"
                                   "  </meta>\n"
                                   "  <hello.hello xmlns=\"\">\n"
                                   "    <name>world</name>\n"
                                   "  </hello.hello>\n"
                                   "</message>\n";

enum { FILES = 3, OUTPUT_BYTES_MAX = 1 << 20 };
static const struct cli_pump_init_file {
    const char *path;
    const char *text;
} files[FILES] = {{"organism.yaml", organism_text},
                  {"tools/hello.py", handler_text},
                  {"hello.xml", message_text}};

/* Make a folder and its missing parents. False after an error message. */
static bool make_folders(struct bt_arena *arena, bt_str path)
{
    for (size_t at = bt_str_find_byte(path, '/', 1); path.len > 0;
         at = bt_str_find_byte(path, '/', at + 1)) {
        bt_str folder;
        if (!cli_is_ok(bt_arena_copy(arena, bt_str_slice(path, 0, at), &folder))) {
            return false;
        }
        if (mkdir(folder.ptr, 0777) != 0 && errno != EEXIST) {
            return cli_refuse("cannot make the folder %s: %s", folder.ptr, strerror(errno));
        }
        if (at >= path.len) {
            return true;
        }
    }
    return true;
}

/* Refuse when one of the files exists, before any is written. */
static bool find_paths(struct bt_arena *arena, bt_str folder, bt_str paths[FILES])
{
    for (size_t i = 0; i < FILES; i++) {
        struct stat info;
        const enum bt_status status =
            folder.len > 0
                ? bt_arena_printf(arena, &paths[i], "%.*s/%s", BT_STR_ARG(folder), files[i].path)
                : bt_arena_copy(arena, bt_str_of(files[i].path), &paths[i]);
        if (!cli_is_ok(status)) {
            return false;
        }
        if (lstat(paths[i].ptr, &info) == 0) {
            return cli_refuse("%s exists; nothing was written. Name another folder", paths[i].ptr);
        }
    }
    return true;
}

/* Write the files; when one cannot be written, those before it are removed again. */
static bool write_files(const bt_str paths[FILES])
{
    for (size_t i = 0; i < FILES; i++) {
        struct bt_error error;
        if (bt_file_create(paths[i], bt_str_of(files[i].text), &error) == BT_OK) {
            continue;
        }
        for (size_t made = 0; made < i; made++) {
            (void)unlink(paths[made].ptr);
        }
        return cli_refuse("cannot write %s: %s", paths[i].ptr, error.text);
    }
    return true;
}

/* Put a path as a word of a shell. */
static void put_word(struct bt_buf *buf, bt_str path)
{
    bool is_plain = true;
    for (size_t i = 0; i < path.len; i++) {
        const char byte = path.ptr[i];
        is_plain = is_plain && (bt_ascii_is_alnum(byte) || strchr("/._-+,:@%", byte));
    }
    bt_buf_put_text(buf, is_plain ? "" : "'");
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '\'') {
            bt_buf_put_text(buf, "'\\''");
        } else {
            bt_buf_put_char(buf, path.ptr[i]);
        }
    }
    bt_buf_put_text(buf, is_plain ? "" : "'");
}

static int print_next_commands(const bt_str paths[FILES])
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_buf_put_text(&buf, "baton pump check ");
    put_word(&buf, paths[0]);
    bt_buf_put_text(&buf, "\nbaton pump run ");
    put_word(&buf, paths[0]);
    bt_buf_put_text(&buf, " --once --in ");
    put_word(&buf, paths[2]);
    bt_buf_put_text(&buf, " --out -\n");
    return cli_print_buf(&buf);
}

int cmd_pump_init(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    bt_str folder = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    bt_str paths[FILES];
    bt_str tools;
    while (folder.len > 1 && folder.ptr[folder.len - 1] == '/') {
        folder.len--;
    }
    if (bt_str_eq(folder, BT_STR("."))) {
        folder = BT_STR("");
    }
    if (!find_paths(&run->arena, folder, paths) ||
        !cli_is_ok(bt_arena_printf(&run->arena, &tools, "%.*s%stools", BT_STR_ARG(folder),
                                   folder.len > 0 ? "/" : "")) ||
        !make_folders(&run->arena, tools) || !write_files(paths)) {
        return CLI_FAILED;
    }
    for (size_t i = 0; i < FILES; i++) {
        cli_print_error("made %s", paths[i].ptr);
    }
    return print_next_commands(paths);
}

/* ---- baton pump keys ------------------------------------------------------------------------- */

static void put_key_json(struct bt_emit *emit, const struct bt_organism_key_view *key)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "path", key->path);
    bt_emit_member_string(emit, "type", key->type);
    bt_emit_member_raw(emit, "default", key->standard.len > 0 ? key->standard : BT_STR("null"));
    bt_emit_member_string(emit, "rule", key->rule);
    bt_emit_end(emit);
}

/* One key: its path, type and default in a line, and its rule in the next. */
static void put_key_text(struct bt_buf *buf, const struct bt_organism_key_view *key)
{
    bt_buf_printf(buf, "%.*s  %.*s", BT_STR_ARG(key->path), BT_STR_ARG(key->type));
    if (key->standard.len > 0) {
        bt_buf_printf(buf, ", default %.*s", BT_STR_ARG(key->standard));
    }
    bt_buf_printf(buf, "\n    %.*s\n", BT_STR_ARG(key->rule));
}

int cmd_pump_keys(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bt_str prefix = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    const struct bt_organism_key_view *keys = NULL;
    size_t count = 0;
    struct bt_buf buf;
    struct bt_emit emit;
    if (!cli_is_ok(bt_organism_list_keys(&run->arena, prefix, &keys, &count))) {
        return CLI_FAILED;
    }
    if (count == 0) {
        return cli_failed("an organism file has no key %.*s; `baton pump keys` lists all of them",
                          BT_STR_ARG(bt_str_slice(prefix, 0, 80)));
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (!cli_wants_json(options)) {
        for (size_t i = 0; i < count; i++) {
            put_key_text(&buf, &keys[i]);
        }
        return cli_print_buf(&buf);
    }
    cli_json_begin(&emit, &buf);
    cli_json_array(&emit, "keys");
    for (size_t i = 0; i < count; i++) {
        put_key_json(&emit, &keys[i]);
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return cli_print_buf(&buf);
}

/* ---- baton pump check ------------------------------------------------------------------------ */

static bool take_without(const struct cli_options *options, struct bt_organism_options *out)
{
    const char *mechanism = NULL;
    for (size_t i = 0; (mechanism = cli_given_at(options, &flag_without, i)) != NULL; i++) {
        out->without_seccomp = out->without_seccomp || strcmp(mechanism, "seccomp") == 0;
        out->without_landlock = out->without_landlock || strcmp(mechanism, "landlock") == 0;
        if (strcmp(mechanism, "seccomp") != 0 && strcmp(mechanism, "landlock") != 0) {
            return cli_refuse_usage(options, "--without wants seccomp or landlock, not %s",
                                    mechanism);
        }
    }
    return true;
}

int cmd_pump_check(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_organism_options wanted = {.fail_level = options->fail_level};
    struct cli_organism_file file;
    if (!take_without(options, &wanted)) {
        return CLI_FAILED;
    }
    const enum cli_organism_depth loading =
        cli_given(options, &flag_no_load) ? ORGANISM_NOT_LOADED : ORGANISM_LOADED;
    organism_file_begin(&file);
    const int code = organism_file_read(&file, options->operands[0], &run->env, loading, wanted)
                         ? cli_run_report_one(run, &file.judged, BT_STR(""))
                         : CLI_FAILED;
    organism_file_end(&file);
    return code;
}

/* ---- baton pump schema, example and prompt --------------------------------------------------- */

enum { TEXT_BYTES_MAX = 1 << 26 };

static int print_json(const struct bt_listener_view *listener, const char *kind, bt_str text)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 2 * (size_t)TEXT_BYTES_MAX);
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "listener", listener->name);
    bt_emit_member_string(&emit, "tag", listener->tag);
    bt_emit_member_string(&emit, "kind", bt_str_of(kind));
    bt_emit_member_string(&emit, "text", text);
    cli_json_end(&emit);
    return cli_print_buf(&buf);
}

static int print_text(const struct cli_options *options, struct cli_organism_file *file,
                      enum bt_organism_text text, const char *kind)
{
    const bt_str name = bt_str_of(options->operands[0]);
    struct bt_listener_view listener;
    struct bt_buf buf;
    if (bt_organism_find_listener(file->organism, &file->arena, name, &listener) != BT_OK) {
        return cli_failed("the organism has no listener %s", options->operands[0]);
    }
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    const enum bt_status status =
        bt_organism_put_text(&buf, &file->arena, file->organism, name, text);
    if (status != BT_OK) {
        cli_print_error("%s has no %s: %s", options->operands[0], kind,
                        status == BT_EINVAL ? "its replies are not declared"
                                            : bt_status_text(status));
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    if (!cli_wants_json(options)) {
        return cli_print_document(&buf);
    }
    const int code = print_json(&listener, kind, bt_buf_str(&buf));
    bt_buf_free(&buf);
    return code;
}

static int run_text(struct cli_run *run, enum bt_organism_text text, const char *kind)
{
    const char *path = cli_given(run->options, &flag_organism);
    struct cli_organism_file file;
    organism_file_begin(&file);
    const int code =
        organism_file_require(&file, path ? path : "organism.yaml", &run->env, ORGANISM_CLASSES)
            ? print_text(run->options, &file, text, kind)
            : CLI_FAILED;
    organism_file_end(&file);
    return code;
}

int cmd_pump_schema(struct cli_run *run)
{
    const bool is_result = cli_given(run->options, &flag_result) != NULL;
    return run_text(run, is_result ? BT_ORGANISM_TEXT_RESULT : BT_ORGANISM_TEXT_SCHEMA, "schema");
}

int cmd_pump_example(struct cli_run *run)
{
    return run_text(run, BT_ORGANISM_TEXT_EXAMPLE, "example");
}

int cmd_pump_prompt(struct cli_run *run)
{
    return run_text(run, BT_ORGANISM_TEXT_PROMPT, "prompt");
}

/* ---- baton pump ctl -------------------------------------------------------------------------- */

enum { SHOWN_BYTES_MAX = 1 << 28, CONNECT_MS = 5000, ANSWER_MS = 60000 };

static int print_result(const struct cli_options *options, const struct bt_control_result *answer)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_emit_init(&emit, &buf, options->output_count == 0);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "method", bt_str_of(options->operands[0]));
    bt_control_result_emit(&emit, answer);
    cli_json_end(&emit);
    const int printed = cli_print_buf(&buf);
    return printed != CLI_DONE ? printed : answer->error == 0 ? CLI_DONE : CLI_REJECTED;
}

static bt_str params_of(const struct cli_options *options)
{
    return options->operand_count > 1 ? bt_str_of(options->operands[1]) : BT_STR("");
}

/* Write the params on one line, whatever their white space. False after an error message. */
static bool compact_params(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    if (text.len == 0) {
        *out = text;
        return true;
    }
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    /* from: caller */
    const bool is_json = bt_json_read(arena, text, NULL, &read) == BT_OK && read.document &&
                         bt_json_write(&buf, read.document, bt_json_root(read.document),
                                       BT_JSON_FORM_COMPACT, arena, NULL) == BT_OK &&
                         bt_buf_copy(&buf, arena, out) == BT_OK;
    bt_buf_free(&buf);
    if (!is_json) {
        cli_print_error("the params are not JSON: %.*s", BT_STR_ARG(bt_str_slice(text, 0, 80)));
    }
    return is_json;
}

/* ---- Without a running pump ------------------------------------------------------------------ */

static int query_store(const struct cli_options *options, struct cli_organism_file *file,
                       struct bt_env *env)
{
    struct bt_ledger_memory memory;
    const char *agent = NULL;
    if (!cli_is_ok(config_find_memory(&file->arena, options->config, &memory)) ||
        !cli_is_ok(config_find_agent(&file->arena, options->config, &agent))) {
        return CLI_FAILED;
    }
    const struct bt_pump_options wanted = {.store = cli_given(options, &flag_store),
                                           .memory = memory,
                                           .agent = agent,
                                           .hosts = &file->hosts,
                                           .without_hosts = true,
                                           .read_only = true};
    struct bt_pump *pump = NULL;
    struct bt_control_result answer;
    struct bt_error error;
    bt_str params;
    if (!compact_params(&file->arena, params_of(options), &params)) {
        return CLI_FAILED;
    }
    if (bt_pump_open(env, file->organism, &wanted, &pump, &error) != BT_OK) {
        return cli_failed("%s", error.text);
    }
    const enum bt_status status =
        bt_pump_query(pump, &file->arena, bt_str_of(options->operands[0]), params, &answer);
    const bool is_answered = status == BT_OK && answer.error != BT_CONTROL_ERROR_METHOD_NOT_FOUND;
    if (!is_answered) {
        cli_print_error("%s", status == BT_OK ? "this is not answered offline"
                              : status == BT_ENOENT
                                  ? "the store does not exist: no pump has run here"
                                  : bt_status_text(status));
    }
    const int code = is_answered ? print_result(options, &answer) : CLI_FAILED;
    bt_pump_close(pump);
    return code;
}

/* ---- A running pump -------------------------------------------------------------------------- */

static int query_pump(const struct cli_options *options, struct bt_arena *arena, const char *path)
{
    struct bt_control_request question = {.method = bt_str_of(options->operands[0]),
                                          .wait_ms = ANSWER_MS};
    struct bt_control_client *control = NULL;
    struct bt_control_result answer;
    struct bt_error error;
    if (!compact_params(arena, params_of(options), &question.params)) {
        return CLI_FAILED;
    }
    enum bt_status status = bt_control_client_open(path, CONNECT_MS, &control, &error);
    if (status == BT_ENOENT) {
        return cli_failed("no pump listens at %s; with --offline the store answers", path);
    }
    if (status == BT_OK) {
        status = bt_control_client_call(control, arena, &question, &answer, &error);
    }
    if (status != BT_OK) {
        cli_print_error("%s", error.text);
    }
    const int code = status == BT_OK ? print_result(options, &answer) : CLI_FAILED;
    bt_control_client_close(control);
    return code;
}

static int query_organism(const struct cli_options *options, struct cli_organism_file *file)
{
    bt_str path;
    if (bt_pump_control_path(file->organism, &file->arena, &path) != BT_OK) {
        return cli_fail_status(BT_ENOMEM);
    }
    if (path.len == 0) {
        return cli_failed("this organism has no control channel: oob.enabled is false");
    }
    return query_pump(options, &file->arena, path.ptr);
}

static int run_query(const struct cli_options *options, struct cli_organism_file *file,
                     struct bt_env *env)
{
    const char *path = cli_given(options, &flag_organism);
    const char *socket = cli_given(options, &flag_socket);
    const bool is_offline = cli_given(options, &flag_offline) != NULL;
    if (socket && (path || is_offline)) {
        return cli_usage_error(options->command,
                               "--socket stands alone: no --organism, no --offline");
    }
    if (socket) {
        return query_pump(options, &file->arena, socket);
    }
    if (!organism_file_require(file, path ? path : "organism.yaml", env, ORGANISM_NOT_LOADED)) {
        return CLI_FAILED;
    }
    return is_offline ? query_store(options, file, env) : query_organism(options, file);
}

int cmd_pump_ctl(struct cli_run *run)
{
    struct cli_organism_file file;
    organism_file_begin(&file);
    const int code = run_query(run->options, &file, &run->env);
    organism_file_end(&file);
    return code;
}

/* ---- baton handler-host ---------------------------------------------------------------------- */

int cmd_handler_host(const struct cli_options *options)
{
    struct bt_error error = {.text = ""};
    struct bt_handler handler;
    enum bt_status status = bt_handler_load(bt_str_of(options->operands[0]), &handler, &error);
    if (status != BT_OK) {
        return cli_failed("%s", error.text[0] ? error.text : bt_status_text(status));
    }
    uint64_t fd = 0;
    const char *named = getenv("BATON_FD");
    if (!named || bt_str_to_u64(bt_str_of(named), &fd) != BT_OK || fd > 1023) {
        return cli_failed(
            "%s can be loaded, but no pump started this: BATON_FD names no descriptor",
            options->operands[0]);
    }
    const struct bt_handler_channel channel = {.in_fd = (int)fd, .out_fd = (int)fd};
    status = bt_handler_serve(&handler, &channel, &error);
    if (status != BT_OK) {
        cli_print_error("%s", error.text[0] ? error.text : bt_status_text(status));
    }
    return status == BT_OK ? CLI_DONE : CLI_FAILED;
}
