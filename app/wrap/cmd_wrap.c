/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap.c - baton wrap: a proxy on standard input and output in front of an MCP server. */
#include <unistd.h>

#include "cli/output.h"
#include "dialect/plan/plan.h"
#include "wrap/server_flags.h"

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

/* What the settings of a session point to. */
struct wrap_locked {
    struct wrap_lock_file file;
    struct bt_wrap_entry started;
    struct bt_plan_checker *plans;
};

/* Find the server in the lock. False after an error message. */
static bool take_lock(struct cli_run *run, const struct wrap_server *server,
                      struct wrap_locked *locked, struct bt_wrap_settings *settings)
{
    const struct cli_options *options = run->options;
    settings->is_unlocked = cli_given(options, &flag_no_lock) != NULL;
    settings->is_observing = cli_given(options, &flag_wrap_observe) != NULL;
    if (settings->is_unlocked && cli_given(options, &flag_lock_file)) {
        return cli_refuse_usage(options, "--lock and --no-lock exclude each other");
    }
    if (settings->is_unlocked) {
        return true;
    }
    if (!wrap_read_lock(run, true, &locked->file) || !wrap_check_lock(run, &locked->file)) {
        return false;
    }
    settings->entry = bt_wrap_lock_find(&locked->file.lock, server->name);
    settings->started = &locked->started;
    if (!settings->entry) {
        return true;
    }
    const enum bt_status status = bt_plan_checker_create(&run->env, &locked->plans);
    settings->plans = locked->plans;
    return status == BT_OK ? wrap_describe_command(run, server, locked->file.path, &locked->started)
                           : cli_refuse_status(status);
}

static int run_session(struct cli_run *run, const struct wrap_server *server,
                       const struct bt_wrap_settings *settings)
{
    struct bt_wrap_session session;
    const enum bt_status status = bt_wrap_session_init(&session, settings, &run->env);
    const int code =
        status == BT_OK ? run_proxy(run, &session, &server->start) : cli_fail_status(status);
    bt_wrap_session_free(&session);
    return code;
}

int cmd_wrap(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct wrap_server server;
    struct wrap_locked locked = {0};
    if (!wrap_take_server(run, &server)) {
        return CLI_FAILED;
    }
    struct bt_wrap_settings settings = bt_wrap_settings_default(server.name);
    settings.is_quiet = cli_given(options, &flag_quiet) != NULL;
    settings.logs_info = cli_given(options, &flag_verbose) != NULL;
    const int code = take_lock(run, &server, &locked, &settings)
                         ? run_session(run, &server, &settings)
                         : CLI_FAILED;
    bt_plan_checker_destroy(locked.plans);
    return code;
}
