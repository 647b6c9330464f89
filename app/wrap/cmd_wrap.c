/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap.c - baton wrap: a proxy on standard input and output in front of an MCP server. */
#include <unistd.h>

#include "cli/output.h"
#include "dialect/plan/plan.h"
#include "wrap/recorder.h"
#include "wrap/recording.h"
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

/* A store whose last commit has an unknown outcome is not written to again. */
static bool store_is_sound(const struct bt_wrap_session *session)
{
    const struct bt_wrap_recorder *recorder = session->settings->recording->recorder;
    return !recorder || bt_wrap_recorder_failure(recorder) != BT_WRAP_STORE_UNKNOWN;
}

static int run_proxy(struct cli_run *run, struct bt_wrap_session *session,
                     const struct bt_server_command *command, int wake_fd)
{
    const struct wrap_streams streams = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, wake_fd};
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
    return end == WRAP_END_CLIENT && is_written && store_is_sound(session) ? CLI_DONE : CLI_FAILED;
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

static bool take_policy(struct cli_run *run, const struct wrap_server *server,
                        struct bt_wrap_policy *out)
{
    const enum bt_status status =
        bt_wrap_policy_read(&run->arena, run->options->config, server->name, out);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    const char *pattern = cli_given_at(run->options, &flag_approved_tools, 0);
    struct bt_wrap_rule approve = bt_wrap_rule_default();
    approve.approve = BT_WRAP_CHOICE_YES;
    for (size_t i = 1; pattern; i++) {
        if (bt_wrap_policy_add(&run->arena, out, bt_str_of(pattern), &approve) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
        pattern = cli_given_at(run->options, &flag_approved_tools, i);
    }
    if (cli_given(run->options, &flag_wrap_observe)) {
        bt_wrap_policy_observe(out);
    }
    return true;
}

/* The digest of the lock in force, for the record. False after an error message. */
static bool digest_lock(struct cli_run *run, const struct wrap_locked *locked,
                        struct bt_wrap_record_settings *recording)
{
    char digest[BT_SHA256_HEX_BYTES];
    if (!locked->file.is_there) {
        return true;
    }
    const enum bt_status status = bt_sha256_hex(locked->file.bytes, digest);
    return (status == BT_OK &&
            bt_arena_copy(&run->arena, bt_str_of(digest), &recording->lock_sha256) == BT_OK) ||
           cli_refuse_status(status == BT_OK ? BT_ENOMEM : status);
}

static int run_session(struct cli_run *run, const struct wrap_server *server,
                       const struct bt_wrap_settings *settings, struct wrap_records *records)
{
    struct bt_wrap_session session;
    const enum bt_status status = bt_wrap_session_init(&session, settings, &run->env);
    int code = CLI_FAILED;
    if (status != BT_OK) {
        code = cli_fail_status(status);
    } else if (wrap_records_start(run, records, server->name, bt_str_of(session.facts.session))) {
        code = run_proxy(run, &session, &server->start, records->wake_fd);
    }
    bt_wrap_session_free(&session);
    wrap_records_close(run, records);
    return code;
}

int cmd_wrap(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct wrap_server server;
    struct wrap_locked locked = {0};
    struct wrap_records records;
    struct bt_wrap_policy policy;
    if (!wrap_take_server(run, &server) || !take_policy(run, &server, &policy) ||
        !wrap_records_take_flags(run, &policy, &records) ||
        !wrap_records_open(run, &server, &records)) {
        return CLI_FAILED;
    }
    if (!wrap_records_decide(run, &policy, &records)) {
        wrap_records_close(run, &records);
        return CLI_FAILED;
    }
    struct bt_wrap_settings settings = bt_wrap_settings_default(server.name);
    settings.is_upstream = server.is_upstream;
    settings.is_quiet = cli_given(options, &flag_quiet) != NULL;
    settings.logs_info = cli_given(options, &flag_verbose) != NULL;
    settings.policy = &policy;
    settings.recording = &records.recording;
    settings.repeats = &records.repeats;
    settings.consent = records.consent.ledger ? &records.consent : NULL;
    const int code =
        take_lock(run, &server, &locked, &settings) && digest_lock(run, &locked, &records.recording)
            ? run_session(run, &server, &settings, &records)
            : CLI_FAILED;
    bt_plan_checker_destroy(locked.plans);
    return code;
}
