/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_ctl.c - baton pump ctl METHOD [PARAMS-JSON]
 */
#include <baton/json.h>
#include <baton/pump.h>

#include "commands.h"
#include "ledger_run.h"
#include "organism_file.h"
#include "print.h"

enum { SHOWN_BYTES_MAX = 1 << 28, CONNECT_MS = 5000, ANSWER_MS = 60000 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_offline = {"offline", 0, NULL, CLI_ANY,
    "answer from file and store, while no pump runs", NULL};

static const struct cli_flag flag_socket = {"socket", 0, "PATH", CLI_FILE,
    "the control socket, instead of that of the organism", NULL};
/* clang-format on */

const struct cli_command cmd_pump_ctl = {
    .name = "baton pump ctl",
    .operands = "METHOD [PARAMS-JSON]",
    .summary = "ask a running pump, or tell it what to do",
    .about = "Methods: status, list, graph, thread-history, register, unregister, reload, inject, "
             "shutdown. The first four can be answered from file and store while no pump runs. "
             "The answer is JSON. Exit code 1: the question was refused; 2: nobody is there to "
             "answer.\n",
    .missing = "ask what? status, list, graph, thread-history ...",
    .operands_min = 1,
    .operands_max = 2,
    .flags = CLI_FLAGS(&flag_offline, &flag_organism, &flag_socket, &flag_store, &flag_table_format,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton pump ctl status", "what a running pump is doing"},
        {"baton pump ctl unregister '{\"name\":\"calculator.add\"}'", "take a listener away"},
        {"baton pump ctl status --offline", "what waits in the store"},
        {"baton pump ctl graph '{\"format\":\"mermaid\"}' --offline", "draw who may call whom"}),
    .run = run,
};

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
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
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
        cli_print_error("%s", error.text);
        return CLI_FAILED;
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
        cli_print_error("no pump listens at %s; with --offline the store answers", path);
        return CLI_FAILED;
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
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return CLI_FAILED;
    }
    if (path.len == 0) {
        cli_print_error("this organism has no control channel: oob.enabled is false");
        return CLI_FAILED;
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
    if (!cli_organism_file_read_only(file, path ? path : "organism.yaml", env)) {
        return CLI_FAILED;
    }
    return is_offline ? query_store(options, file, env) : query_organism(options, file);
}

static int run(const struct cli_options *options)
{
    struct cli_organism_file file;
    struct bt_env env;
    if (!cli_env_init(options, &env)) {
        return CLI_FAILED;
    }
    organism_file_begin(&file);
    const int code = run_query(options, &file, &env);
    organism_file_end(&file);
    return code;
}
