/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap.c - baton wrap: a proxy on standard input and output in front of an MCP server. */
#include <unistd.h>

#include "cli/output.h"
#include "dialect/plan/plan.h"
#include "token/tokens.h"
#include "wrap/policy_flags.h"
#include "wrap/recorder.h"
#include "wrap/recording.h"
#include "wrap/session_writer.h"

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
    struct wrap_timing timing = wrap_timing_default();
    struct bt_server_process server;
    timing.shutdown_ms = session->settings->policy.shutdown_ms;
    if (bt_server_process_start(&run->arena, command, &server, &run->error) != BT_OK) {
        return cli_failed("cannot start %s: %s", command->argv[0], run->error.text);
    }
    const enum wrap_end end = wrap_proxy_run(session, &server, &streams, &timing, &run->error);
    const bool is_written = write_report(run, session);
    if (end == WRAP_END_FAILED) {
        return cli_failed("cannot go on: %s", run->error.text);
    }
    if (!is_written || !store_is_sound(session)) {
        return CLI_FAILED;
    }
    return end == WRAP_END_CLIENT ? CLI_DONE : end == WRAP_END_BLOCKED ? CLI_REJECTED : CLI_FAILED;
}

/* What the settings of a session point to. */
struct wrap_used {
    struct wrap_lock_file lock;
    struct bt_wrap_entry started;
    struct bt_plan_checker *plans;
    struct bt_tokens tokens;
    struct bt_schema_limits schema_limits;
    struct wrap_session_writer writer_context;
    struct bt_wrap_writer writer;
};

/* Find the server in the lock. False after an error message. */
static bool take_lock(struct cli_run *run, const struct wrap_server *server, struct wrap_used *used,
                      struct bt_wrap_settings *settings)
{
    const struct cli_options *options = run->options;
    settings->is_unlocked = cli_given(options, &flag_no_lock) != NULL;
    if (settings->is_unlocked && cli_given(options, &flag_lock_file)) {
        return cli_refuse_usage(options, "--lock and --no-lock exclude each other");
    }
    if (settings->is_unlocked) {
        return true;
    }
    if (!wrap_read_lock(run, true, &used->lock) || !wrap_check_lock(run, &used->lock)) {
        return false;
    }
    settings->lock = &used->lock.lock;
    settings->entry = bt_wrap_lock_find(&used->lock.lock, server->name);
    if (!settings->entry && settings->policy.pin.first_use != BT_WRAP_CHOICE_YES) {
        return true;
    }
    const enum bt_status status = bt_plan_checker_create(&run->env, &used->plans);
    settings->plans = used->plans;
    settings->started = &used->started;
    return status == BT_OK ? wrap_describe_command(run, server, used->lock.path, &used->started)
                           : cli_refuse_status(status);
}

/* Set how arguments and results are judged. False after an error message. */
static bool take_limits(struct cli_run *run, const struct wrap_server *server,
                        struct wrap_used *used, struct bt_wrap_settings *settings)
{
    const struct bt_config *config = run->options->config;
    enum bt_encoding encoding;
    if (bt_encoding_parse(bt_config_text(config, "check.tokens"), &encoding) != BT_OK) {
        return cli_refuse_status(BT_EINVAL);
    }
    bt_tokens_init(&used->tokens, encoding);
    used->schema_limits = wrap_schema_limits(config);
    used->writer_context =
        (struct wrap_session_writer){.run = run, .name = server->name, .lock = &used->lock};
    used->writer = wrap_session_writer(&used->writer_context);
    settings->tokens = &used->tokens;
    settings->schema_limits = &used->schema_limits;
    settings->writer = &used->writer;
    return true;
}

/* The digest of the lock in force, for the record. False after an error message. */
static bool digest_lock(struct cli_run *run, const struct wrap_used *used,
                        struct bt_wrap_record_settings *recording)
{
    char digest[BT_SHA256_HEX_BYTES];
    if (!used->lock.is_there) {
        return true;
    }
    const enum bt_status status = bt_sha256_hex(used->lock.bytes, digest);
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
    struct wrap_used used = {0};
    struct wrap_records records;
    if (!wrap_take_server(run, &server)) {
        return CLI_FAILED;
    }
    struct bt_wrap_settings settings = bt_wrap_settings_default(server.name);
    settings.is_upstream = server.is_upstream;
    settings.is_quiet = cli_given(options, &flag_quiet) != NULL;
    settings.logs_info = cli_given(options, &flag_verbose) != NULL;
    settings.recording = &records.recording;
    settings.repeats = &records.repeats;
    if (!wrap_take_policy(run, server.name, &settings.policy) ||
        !wrap_records_take_flags(run, &settings.policy, &records) ||
        !wrap_records_open(run, &server, &records)) {
        return CLI_FAILED;
    }
    if (!wrap_records_decide(run, &settings.policy, &records)) {
        wrap_records_close(run, &records);
        return CLI_FAILED;
    }
    settings.consent = records.consent.ledger ? &records.consent : NULL;
    const int code = take_lock(run, &server, &used, &settings) &&
                             digest_lock(run, &used, &records.recording) &&
                             take_limits(run, &server, &used, &settings)
                         ? run_session(run, &server, &settings, &records)
                         : CLI_FAILED;
    bt_plan_checker_destroy(used.plans);
    bt_tokens_free(&used.tokens);
    return code;
}
