/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_pump.c - baton pump check, ctl, schema, example and prompt; baton handler-host */
#include <stdlib.h>
#include <string.h>

#include <baton/handler.h>
#include <baton/json.h>

#include "cli.h"
#include "organism_file.h"
#include "output.h"
#include "pump/pump.h"
#include "run.h"

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
    struct bt_json_read_result read;
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
    const struct bt_pump_options wanted = {.store = cli_given(options, &flag_store),
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
        cli_print_error("%s", status == BT_OK       ? "this is not answered offline"
                              : status == BT_ENOENT ? "there is no store yet: no pump has run here"
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
