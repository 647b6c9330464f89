/* SPDX-License-Identifier: Apache-2.0 */
/* served.c - a wrapped server for a client in this process. */
#include "wrap/served.h"

#include <stdio.h>

#include "cli/contract_run.h"
#include "cli/output.h"
#include "wrap/server_query.h"
#include "wrap/session_settings.h"
#include "wrap/upstream_thread.h"

/* A client that has ended waits for nothing; what a server wrote before it ended is still read. */
enum { ANSWERS_MS = 1000 };

/* ---- The session ----------------------------------------------------------------------------- */

static enum wrap_end run_proxy(struct cli_run *run, const struct wrap_served *served,
                               const struct wrap_server *server, struct bt_wrap_session *session,
                               int wake_fd)
{
    struct wrap_streams streams = {.errors = -1, .wake = wake_fd, .client = served->client};
    struct wrap_timing timing = wrap_timing_default();
    struct bt_server_process process;
    struct wrap_upstream_thread upstream;
    enum wrap_end end = WRAP_END_FAILED;
    timing.answers_ms = ANSWERS_MS;
    timing.shutdown_ms = session->settings->policy.shutdown_ms;
    if (server->is_upstream) {
        if (wrap_upstream_thread_start(&server->start, &upstream, &process, &run->error) != BT_OK) {
            (void)cli_refuse("cannot reach %s: %s", server->start.argv[0], run->error.text);
        } else {
            streams.stop = upstream.upstream.stop_fd;
            end = wrap_proxy_run(session, &process, &streams, &timing, &run->error);
        }
        wrap_upstream_thread_end(&upstream);
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
    parts->settings.meter = served->meter;
    parts->settings.shared_tools = served->shared_tools;
    parts->settings.is_served = true;
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

/* Ask a server what it shows. False after an error message. */
static bool query_server(struct cli_run *run, const struct wrap_server *server,
                         const char *lock_path, const struct bt_wrap_entry *locked,
                         struct bt_wrap_entry *out)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    const struct wrap_query_options options = {.is_upstream = true,
                                               .with_resources = locked && locked->has_resources};
    struct bt_server_process process;
    struct wrap_upstream_thread upstream;
    if (!server->is_upstream) {
        return wrap_query_shown(run, server, lock_path, locked, out);
    }
    *out = (struct bt_wrap_entry){.name = server->name};
    enum bt_status status =
        wrap_upstream_thread_start(&server->start, &upstream, &process, &run->error);
    if (status == BT_OK) {
        status = wrap_query_process(&memory, &process, &options, out, &run->error);
    }
    wrap_upstream_thread_end(&upstream);
    return (status == BT_OK || cli_refuse("%s", run->error.text)) &&
           wrap_describe_command(run, server, lock_path, out);
}

static enum wrap_served_answer diff_server(struct cli_run *run, struct bt_buf *out)
{
    const struct bt_report_render_options how = {.size = sizeof(how),
                                                 .format = BT_REPORT_FORMAT_JSON};
    struct wrap_server server;
    struct wrap_lock_file file;
    struct bt_wrap_entry shown;
    if (!wrap_take_server(run, &server) || !wrap_read_lock(run, false, &file)) {
        return WRAP_SERVED_FAILED;
    }
    if (!file.is_there) {
        return WRAP_SERVED_NO_LOCK;
    }
    const struct bt_wrap_entry *locked = bt_wrap_lock_find(&file.lock, server.name);
    return query_server(run, &server, file.path, locked, &shown) &&
                   wrap_diff_entries(run, server.name, locked, &shown) &&
                   bt_report_render(run->report, &how, out) == BT_OK
               ? WRAP_SERVED_DONE
               : WRAP_SERVED_FAILED;
}

/* A run of `baton wrap NAME`, and what its options point to. */
struct served_run {
    struct cli_options options;
    struct cli_given given[GIVEN_MAX];
    char *operands[1];
    char workspace[WORKSPACE_BYTES_MAX];
    struct cli_run run;
};

/* Begin a run. End it with cli_run_end() in either case. False after an error message. */
static bool begin_run(const struct wrap_served *served, struct served_run *own)
{
    const bt_str configured = bt_config_text(served->config, "contract.workspace");
    (void)snprintf(own->workspace, sizeof(own->workspace), "%.*s",
                   BT_STR_ARG(configured.len > 0 ? configured : BT_STR("global")));
    own->operands[0] = (char *)(uintptr_t)served->name.ptr; /* which nobody changes */
    own->options =
        (struct cli_options){.command = cli_command_part(&cli_baton, "wrap"),
                             .given = own->given,
                             .given_count = set_flags(served, own->workspace, own->given),
                             .operands = own->operands,
                             .operand_count = 1,
                             .operands_before_dashes = 1,
                             .fail_level = BT_SEVERITY_HARD,
                             .config = served->config,
                             .limits = *served->limits};
    return cli_run_begin(&own->run, &own->options);
}

enum wrap_end wrap_served_run(const struct wrap_served *served)
{
    struct served_run own;
    const enum wrap_end end =
        begin_run(served, &own) ? run_server(&own.run, served) : WRAP_END_FAILED;
    (void)cli_run_end(&own.run, 0);
    return end;
}

enum wrap_served_answer wrap_served_diff(const struct wrap_served *served, struct bt_buf *out)
{
    struct served_run own;
    const enum wrap_served_answer answer =
        begin_run(served, &own) ? diff_server(&own.run, out) : WRAP_SERVED_FAILED;
    (void)cli_run_end(&own.run, 0);
    return answer;
}
