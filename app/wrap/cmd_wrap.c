/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap.c - baton wrap: a proxy on standard input and output in front of an MCP server. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/run.h"
#include "wrap/server_name.h"
#include "wrap/wrap.h"

/* The words of the server's command, which stand behind `--`. False after an error message. */
static bool take_command(struct cli_run *run, struct bt_str_list *out)
{
    const struct cli_options *options = run->options;
    bt_str *words = BT_NEW_ARRAY(&run->arena, bt_str, options->operand_count);
    if (options->operands_before_dashes > 0) {
        return cli_refuse_usage(options, "the server's command follows --: baton wrap -- %s",
                                options->operands[0]);
    }
    for (size_t i = 0; words && i < options->operand_count; i++) {
        words[i] = bt_str_of(options->operands[i]);
    }
    *out = (struct bt_str_list){words, options->operand_count};
    return words || cli_refuse_status(BT_ENOMEM);
}

static bool take_name(struct cli_run *run, struct bt_str_list command, bt_str *out)
{
    const char *given = cli_given(run->options, &flag_server_name);
    *out = bt_str_of(given ? given : "");
    if (given && !bt_wrap_name_is_valid(*out)) {
        return cli_refuse_usage(run->options,
                                "--name wants 1 to 64 of [A-Za-z0-9._-], the first a letter or a "
                                "digit");
    }
    return given ||
           bt_wrap_name_make(&run->arena, command, wrap_find_program(command), out) == BT_OK ||
           cli_refuse_status(BT_ENOMEM);
}

/* The command as execve() wants it. */
static bool make_server_command(struct cli_run *run, struct bt_server_command *out)
{
    const struct cli_options *options = run->options;
    char **argv = BT_NEW_ARRAY(&run->arena, char *, options->operand_count + 1);
    struct bt_str_list names;
    const char *path = getenv("PATH");
    if (!cli_given_list(options, &flag_server_env, &run->arena, &names)) {
        return false;
    }
    for (size_t i = 0; argv && i < options->operand_count; i++) {
        argv[i] = options->operands[i];
    }
    *out = (struct bt_server_command){.argv = argv,
                                      .environment = wrap_environment(&run->arena, names),
                                      .search_path = bt_str_of(path ? path : "/usr/bin:/bin")};
    return (argv && out->environment) || cli_refuse_status(BT_ENOMEM);
}

/* Write the report of --report, if it was requested. False after an error message. */
static bool write_report(struct cli_run *run, struct bt_wrap_session *session)
{
    const char *path = cli_given(run->options, &flag_session_report);
    struct cli_options options = *run->options;
    struct bt_judgement judged;
    if (!path) {
        return true;
    }
    const enum bt_status status = bt_wrap_session_judge(session, &judged);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    options.outputs[0] = (struct cli_output){.format = BT_REPORT_FORMAT_JSON, .path = path};
    options.output_count = 1;
    return cli_report_write_one(&options, &run->arena, &judged);
}

static int run_proxy(struct cli_run *run, struct bt_wrap_session *session,
                     const struct bt_server_command *command)
{
    const struct wrap_streams streams = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    const struct wrap_timing timing = wrap_timing_default();
    struct bt_server_process server;
    if (bt_server_process_start(&run->arena, command, &server, &run->error) != BT_OK) {
        return cli_failed("cannot start %s: %s", command->argv[0], run->error.text);
    }
    const enum wrap_end end = wrap_proxy_run(session, &server, &streams, &timing, &run->error);
    const bool is_written = write_report(run, session);
    if (end == WRAP_END_FAILED) {
        return cli_failed("cannot go on: %s", run->error.text);
    }
    return end == WRAP_END_CLIENT && is_written ? CLI_DONE : CLI_FAILED;
}

int cmd_wrap(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_str_list command;
    struct bt_server_command start;
    bt_str name;
    if (!take_command(run, &command) || !take_name(run, command, &name) ||
        !make_server_command(run, &start)) {
        return CLI_FAILED;
    }
    struct bt_wrap_settings settings = bt_wrap_settings_default(name);
    struct bt_wrap_session session;
    settings.is_quiet = cli_given(options, &flag_quiet) != NULL;
    settings.logs_info = cli_given(options, &flag_verbose) != NULL;
    const enum bt_status status = bt_wrap_session_init(&session, &settings, &run->env);
    const int code = status == BT_OK ? run_proxy(run, &session, &start) : cli_fail_status(status);
    bt_wrap_session_free(&session);
    return code;
}
