/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_ctl.c - baton pump ctl METHOD [PARAMS-JSON]
 */
#include <baton/json.h>
#include <baton/pump.h>

#include "commands.h"
#include "ledger_run.h"
#include "organism_file.h"
#include "say.h"

enum { SHOWN_BYTES_MAX = 1 << 28 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_offline = {"offline", 0, NULL, CLI_ANY,
    "answer from file and store, while no pump runs", NULL};

static const struct cli_flag *const flags[] = {
    &flag_offline, &flag_organism, &flag_store, &flag_table_format, &flag_help, NULL,
};
/* clang-format on */

static const struct cli_example examples[] = {
    {"baton pump ctl status --offline", "what waits in the store"},
    {"baton pump ctl graph '{\"format\":\"mermaid\"}' --offline", "draw who may call whom"},
    {NULL, NULL},
};

const struct cli_command cmd_pump_ctl = {
    .name = "baton pump ctl",
    .operands = "METHOD [PARAMS-JSON]",
    .summary = "ask about a pump: status, list, graph, thread-history",
    .about = "The answer is JSON. Exit code 1: the question was refused; 2: nobody is there to "
             "answer.\n",
    .missing = "ask what? status, list, graph or thread-history",
    .operands_min = 1,
    .operands_max = 2,
    .flags = flags,
    .examples = examples,
    .run = run,
};

static int show(const struct cli_options *options, const struct bt_pump_answer *answer)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_emit_init(&emit, &buf, options->output_count == 0);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "method", bt_str_of(options->operands[0]));
    if (answer->error == 0) {
        bt_emit_name(&emit, "result");
        bt_emit_raw(&emit, answer->result);
    } else {
        bt_emit_name(&emit, "error");
        bt_emit_object(&emit);
        bt_emit_name(&emit, "code");
        bt_emit_i64(&emit, answer->error);
        bt_emit_member_string(&emit, "message", answer->message);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    const int printed = cli_print_buf(&buf);
    return printed != CLI_DONE ? printed : answer->error == 0 ? CLI_DONE : CLI_REJECTED;
}

static int ask(const struct cli_options *options, struct organism_file *file, struct bt_env *env)
{
    const struct bt_pump_options wanted = {
        .store = cli_given(options, &flag_store), .hosts = &file->hosts, .is_stopped = true};
    const bt_str params = options->operand_count > 1 ? bt_str_of(options->operands[1]) : BT_STR("");
    struct bt_pump *pump = NULL;
    struct bt_pump_answer answer;
    struct bt_error error;
    if (bt_pump_open(env, file->organism, &wanted, &pump, &error) != BT_OK) {
        cli_complain("%s", error.text);
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_pump_ask(pump, &file->arena, bt_str_of(options->operands[0]), params, &answer);
    if (status != BT_OK) {
        cli_complain("%s", bt_status_text(status));
    }
    const int code = status == BT_OK ? show(options, &answer) : CLI_FAILED;
    bt_pump_close(pump);
    return code;
}

static int run(const struct cli_options *options)
{
    const char *path = cli_given(options, &flag_organism);
    struct organism_file file;
    struct bt_env env;
    if (!cli_given(options, &flag_offline)) {
        cli_complain("no pump listens; with --offline the store answers");
        return CLI_FAILED;
    }
    if (!cli_world(options, &env)) {
        return CLI_FAILED;
    }
    organism_file_begin(&file);
    const int code = organism_file_need(&file, path ? path : "organism.yaml", &env)
                         ? ask(options, &file, &env)
                         : CLI_FAILED;
    organism_file_end(&file);
    return code;
}
