/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap.c - baton wrap: a proxy on standard input and output in front of an MCP server. */
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/output.h"
#include "wrap/recorder.h"
#include "wrap/session_settings.h"

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
    const struct wrap_streams streams = {.input = STDIN_FILENO,
                                         .output = STDOUT_FILENO,
                                         .errors = STDERR_FILENO,
                                         .wake = wake_fd,
                                         .stop = -1};
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

static int run_session(struct cli_run *run, const struct wrap_server *server,
                       struct wrap_session_parts *parts)
{
    struct wrap_records *records = &parts->records;
    struct bt_wrap_session session;
    const enum bt_status status = bt_wrap_session_init(&session, &parts->settings, &run->env);
    int code = CLI_FAILED;
    if (status != BT_OK) {
        code = cli_fail_status(status);
    } else if (wrap_records_start(run, records, server->name, bt_str_of(session.facts.session))) {
        code = run_proxy(run, &session, &server->start, records->wake_fd);
    }
    bt_wrap_session_free(&session);
    return code;
}

/*
 * Give memory back when many calls have ended. By default glibc keeps more free memory with every
 * large buffer that it has freed, and a proxy runs as long as its client.
 */
static void return_free_memory(void)
{
#ifdef __GLIBC__
    enum { LARGE_BYTES = 256 << 10 };
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
#endif
}

int cmd_wrap(struct cli_run *run)
{
    struct wrap_server server;
    struct wrap_session_parts parts;
    return_free_memory();
    if (!wrap_take_server(run, &server)) {
        return CLI_FAILED;
    }
    const int code = wrap_session_prepare(run, &server, NULL, &parts)
                         ? run_session(run, &server, &parts)
                         : CLI_FAILED;
    wrap_session_parts_free(run, &parts);
    return code;
}
