/* SPDX-License-Identifier: Apache-2.0 */
/* served.c - a wrapped server for a client in this process. */
#define _GNU_SOURCE /* pipe2() */
#include "wrap/served.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/contract_run.h"
#include "cli/output.h"
#include "wrap/session_settings.h"
#include "wrap/upstream.h"

/* A client that has ended waits for nothing; what a server wrote before it ended is still read. */
enum { ANSWERS_MS = 1000 };

/* ---- Servers over HTTP ----------------------------------------------------------------------- */

/* The thread that talks to such a server. A process without exec would inherit locks of threads
 * that it does not have. */
struct served_upstream {
    struct wrap_upstream upstream;
    pthread_t thread;
    int input; /* its ends of the pipes */
    int output;
    int ended; /* an eventfd */
    bool is_started;
};

static void *run_upstream(void *context)
{
    const struct served_upstream *own = context;
    const uint64_t one = 1;
    (void)wrap_upstream_serve(&own->upstream, own->input, own->output);
    (void)close(own->input);
    (void)close(own->output);
    (void)!write(own->ended, &one, sizeof(one));
    return NULL;
}

/* Start the thread; `out` looks like a process. False after an error message. */
static bool start_upstream(const struct wrap_server *server, struct served_upstream *own,
                           struct bt_server_process *out)
{
    int to[2] = {-1, -1};
    int from[2] = {-1, -1};
    *own = (struct served_upstream){.upstream = *(const struct wrap_upstream *)server->start.served,
                                    .ended = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    own->upstream.stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool is_made = own->ended >= 0 && own->upstream.stop_fd >= 0 &&
                   pipe2(to, O_CLOEXEC | O_NONBLOCK) == 0 &&
                   pipe2(from, O_CLOEXEC | O_NONBLOCK) == 0;
    own->input = to[0];
    own->output = from[1];
    *out = (struct bt_server_process){
        .life_fd = is_made ? dup(own->ended) : -1, .input_fd = to[1], .output_fd = from[0]};
    is_made =
        is_made && out->life_fd >= 0 && pthread_create(&own->thread, NULL, run_upstream, own) == 0;
    own->is_started = is_made;
    if (!is_made) {
        (void)cli_refuse("cannot reach %s: %s", server->start.argv[0], strerror(errno));
        bt_server_process_close(out);
        (void)close(own->input);
        (void)close(own->output);
    }
    return is_made;
}

/* Wait for the thread, which is told to end. */
static void end_upstream(struct served_upstream *own)
{
    const uint64_t one = 1;
    if (own->is_started) {
        (void)!write(own->upstream.stop_fd, &one, sizeof(one));
        (void)pthread_join(own->thread, NULL);
    }
    (void)close(own->upstream.stop_fd);
    (void)close(own->ended);
}

/* ---- The session ----------------------------------------------------------------------------- */

static enum wrap_end run_proxy(struct cli_run *run, const struct wrap_served *served,
                               const struct wrap_server *server, struct bt_wrap_session *session,
                               int wake_fd)
{
    struct wrap_streams streams = {.errors = -1, .wake = wake_fd, .client = served->client};
    struct wrap_timing timing = wrap_timing_default();
    struct bt_server_process process;
    struct served_upstream upstream;
    enum wrap_end end = WRAP_END_FAILED;
    timing.answers_ms = ANSWERS_MS;
    timing.shutdown_ms = session->settings->policy.shutdown_ms;
    if (server->is_upstream) {
        if (start_upstream(server, &upstream, &process)) {
            streams.stop = upstream.upstream.stop_fd;
            end = wrap_proxy_run(session, &process, &streams, &timing, &run->error);
        }
        end_upstream(&upstream);
        return end;
    }
    streams.stop = -1;
    if (bt_server_process_start(&run->arena, &server->start, &process, &run->error) != BT_OK) {
        (void)cli_refuse("cannot start %s: %s", server->start.argv[0], run->error.text);
        return WRAP_END_FAILED;
    }
    return wrap_proxy_run(session, &process, &streams, &timing, &run->error);
}

static void show_tools(const struct wrap_served *served, const struct bt_wrap_entry *entry)
{
    const struct bt_wrap_items *tools = entry ? &entry->items[BT_WRAP_TOOL] : NULL;
    for (size_t i = 0; tools && i < tools->list.count; i++) {
        served->show_tool(served->client->context, tools->list.items[i].document);
    }
}

static enum wrap_end run_session(struct cli_run *run, const struct wrap_served *served,
                                 const struct wrap_server *server, struct wrap_session_parts *parts)
{
    struct wrap_records *records = &parts->records;
    struct bt_wrap_session session;
    enum wrap_end end = WRAP_END_FAILED;
    show_tools(served, parts->settings.entry);
    const enum bt_status status = bt_wrap_session_init(&session, &parts->settings, &run->env);
    if (status != BT_OK) {
        (void)cli_fail_status(status);
    } else if (wrap_records_start(run, records, server->name, bt_str_of(session.facts.session))) {
        end = run_proxy(run, served, server, &session, records->wake_fd);
    }
    bt_wrap_session_free(&session);
    return end;
}

static enum wrap_end run_server(struct cli_run *run, const struct wrap_served *served)
{
    const struct wrap_shared_store shared = {
        .writer = served->writer, .actor = served->actor, .spending = served->spending};
    struct wrap_server server;
    struct wrap_session_parts parts;
    if (!contract_run_begin(run) || !wrap_take_server(run, &server)) {
        return WRAP_END_FAILED;
    }
    const enum wrap_end end = wrap_session_prepare(run, &server, &shared, &parts)
                                  ? run_session(run, served, &server, &parts)
                                  : WRAP_END_FAILED;
    wrap_session_parts_free(run, &parts);
    return end;
}

enum { GIVEN_MAX = 5, WORKSPACE_BYTES_MAX = 1024 };

/* The flags of `baton wrap` that say the same as those of the server. */
static size_t set_flags(const struct wrap_served *served, const char *workspace,
                        struct cli_given given[GIVEN_MAX])
{
    const struct cli_given all[GIVEN_MAX] = {
        {.flag = &flag_store, .value = served->writer ? served->store->store : NULL},
        {.flag = &flag_store_root, .value = served->writer ? served->store->root : NULL},
        {.flag = &flag_key, .value = served->writer ? served->store->key_file : NULL},
        {.flag = &flag_workspace, .value = workspace},
        {.flag = &flag_quiet, .value = ""},
    };
    size_t count = 0;
    for (size_t i = 0; i < GIVEN_MAX; i++) {
        if (all[i].value) {
            given[count++] = all[i];
        }
    }
    return count;
}

enum wrap_end wrap_served_run(const struct wrap_served *served)
{
    const bt_str configured = bt_config_text(served->config, "contract.workspace");
    struct cli_given given[GIVEN_MAX];
    char workspace[WORKSPACE_BYTES_MAX];
    (void)snprintf(workspace, sizeof(workspace), "%.*s",
                   BT_STR_ARG(configured.len > 0 ? configured : BT_STR("global")));
    char *operands[] = {(char *)(uintptr_t)served->name.ptr}; /* which nobody changes */
    const struct cli_options options = {.command = cli_command_part(&cli_baton, "wrap"),
                                        .given = given,
                                        .given_count = set_flags(served, workspace, given),
                                        .operands = operands,
                                        .operand_count = 1,
                                        .operands_before_dashes = 1,
                                        .fail_level = BT_SEVERITY_HARD,
                                        .config = served->config,
                                        .limits = *served->limits};
    struct cli_run run;
    const enum wrap_end end =
        cli_run_begin(&run, &options) ? run_server(&run, served) : WRAP_END_FAILED;
    (void)cli_run_end(&run, 0);
    return end;
}
