/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_config.c - baton config check|show
 */
#include <string.h>

#include <baton/json.h>

#include "commands.h"
#include "input.h"
#include "output.h"
#include "say.h"

enum { RUN_BYTES_MAX = 64 << 20, OUTPUT_BYTES_MAX = 16 << 20 };

static cli_run_fn run_check;
static cli_run_fn run_show;

static const struct cli_flag *const check_flags[] = {&flag_format, &flag_output, &flag_help, NULL};
static const struct cli_flag *const show_flags[] = {&flag_config, &flag_table_format, &flag_help,
                                                    NULL};

static const struct cli_example check_examples[] = {
    {"baton config check", "is baton.yaml in order?"},
    {NULL, NULL},
};
static const struct cli_example show_examples[] = {
    {"baton config show", "every setting, those that nobody changed included"},
    {NULL, NULL},
};

static const struct cli_command check_command = {
    .name = "baton config check",
    .operands = "[FILE]",
    .summary = "judge a configuration",
    .about = "FILE is baton.yaml unless another is named. Nothing that it points at is opened.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = check_flags,
    .examples = check_examples,
    .run = run_check,
};
static const struct cli_command show_command = {
    .name = "baton config show",
    .operands = "",
    .summary = "show the configuration in force",
    .about = "Every key with its value. With -f json also where the value is from: default, file "
             "or environment. Passwords in URLs are shown as ***.\n",
    .missing = "",
    .flags = show_flags,
    .examples = show_examples,
    .run = run_show,
};

static const struct cli_command *const parts[] = {&check_command, &show_command, NULL};
static const struct cli_flag *const flags[] = {&flag_help, NULL};
static const struct cli_example examples[] = {
    {"baton config check", "judge baton.yaml"},
    {"baton config show", "what is in force"},
    {NULL, NULL},
};

const struct cli_command cmd_config = {
    .name = "baton config",
    .operands = "COMMAND",
    .summary = "check and show baton.yaml",
    .about = "baton.yaml of the current folder, or the file that --config names, sets limits and "
             "habits for all commands. Flags beat it.\n",
    .missing = "config what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};

static int judge(const struct cli_options *options, struct bt_env *env, struct bt_arena *arena)
{
    struct cli_input input;
    struct bt_judged judged;
    const char *path = options->operand_count > 0 ? options->operands[0] : "baton.yaml";
    const struct bt_check_options how = {.dialect = bt_dialect_named(BT_STR("config"))};
    struct bt_report *report = bt_report_new(arena);
    if (!cli_input_read(arena, path, env->limits.document_bytes, &input)) {
        return CLI_FAILED;
    }
    enum bt_status status = report ? BT_OK : BT_ENOMEM;
    if (status == BT_OK) {
        status = bt_check(env, arena, input.path, input.content, &how, &judged);
    }
    if (status == BT_OK) {
        status = bt_report_add(report, &judged);
    }
    if (status != BT_OK) {
        cli_complain("cannot judge %s: %s", path, bt_status_text(status));
        return CLI_FAILED;
    }
    if (!cli_report_write(options, report)) {
        return CLI_FAILED;
    }
    return judged.verdict == BT_ACCEPTED ? CLI_DONE : CLI_REJECTED;
}

static int run_check(const struct cli_options *options)
{
    struct bt_env env;
    struct bt_arena arena;
    if (!cli_world(options, &env)) {
        return CLI_FAILED;
    }
    bt_arena_init(&arena, RUN_BYTES_MAX);
    const int code = judge(options, &env, &arena);
    bt_arena_free(&arena);
    return code;
}

static int run_show(const struct cli_options *options)
{
    const bool is_json = cli_wants_json(options);
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (is_json) {
        struct bt_emit emit;
        bt_emit_init(&emit, &buf, false);
        bt_emit_object(&emit);
        bt_emit_member_u64(&emit, "baton", 1);
        bt_config_emit(options->config, &emit);
        bt_emit_end(&emit);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_config_put_yaml(options->config, &buf);
    }
    return cli_print_buf(&buf);
}
