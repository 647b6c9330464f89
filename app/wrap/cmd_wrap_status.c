/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap_status.c - baton wrap status: which servers of which hosts are wrapped. */
#include "base/file.h"
#include "cli/output.h"
#include "json/emit.h"
#include "report/table.h"
#include "wrap/host_settings.h"
#include "wrap/server_flags.h"

enum { OUTPUT_BYTES_MAX = 1 << 24 };

/* What is known about one server. */
struct wrap_status {
    const struct wrap_host_settings *settings;
    const struct wrap_host_server *server;
    bool is_wrapped;
    bool is_pinned;
    const char *transport; /* NULL: the entry is not understood */
    const char *mode;      /* NULL: it is not wrapped */
};

static const char *transport_of(const struct wrap_host_server *server, bool is_wrapped)
{
    static const char *const names[] = {NULL, "stdio", "http", "sse"};
    return is_wrapped && wrap_host_flag(server, "--upstream").len > 0 ? names[WRAP_TRANSPORT_HTTP]
                                                                      : names[server->transport];
}

/* True when a flag without a value stands before the dashes. */
static bool has_switch(const struct wrap_host_server *server, bt_str name)
{
    for (size_t i = 0; i < server->args.count; i++) {
        if (bt_str_eq(server->args.items[i], BT_STR("--"))) {
            return false;
        }
        if (bt_str_eq(server->args.items[i], name)) {
            return true;
        }
    }
    return false;
}

/* True when the lock that the server's command uses, or else that of the folder, has an entry. */
static bool find_pin(struct cli_run *run, const struct wrap_host_settings *settings,
                     const struct wrap_host_server *server)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    const bt_str given = wrap_host_flag(server, "--lock");
    const bt_str name = wrap_host_flag(server, "--name");
    struct bt_wrap_lock lock = {0};
    bt_str path = given;
    bt_str bytes;
    if (given.len == 0 && bt_arena_printf(&run->arena, &path, "%.*s/" WRAP_LOCK_NAME,
                                          BT_STR_ARG(settings->place.base)) != BT_OK) {
        return false;
    }
    return bt_file_read(&run->arena, path, BT_WRAP_LOCK_BYTES_MAX, &bytes, NULL) == BT_OK &&
           bt_wrap_lock_read(&memory, bytes, &lock, NULL) == BT_OK &&
           bt_wrap_lock_find(&lock, name.len > 0 ? name : server->name) != NULL;
}

static struct wrap_status describe_server(struct cli_run *run,
                                          const struct wrap_host_settings *settings,
                                          const struct wrap_host_server *server)
{
    const bool is_wrapped = wrap_host_server_is_wrapped(server);
    return (struct wrap_status){.settings = settings,
                                .server = server,
                                .is_wrapped = is_wrapped,
                                .is_pinned = find_pin(run, settings, server),
                                .transport = transport_of(server, is_wrapped),
                                .mode = !is_wrapped                               ? NULL
                                        : has_switch(server, BT_STR("--observe")) ? "observe"
                                        : has_switch(server, BT_STR("--enforce")) ? "enforce"
                                                                                  : "default"};
}

static void put_json(struct bt_emit *emit, const struct wrap_status *status)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "host", bt_str_of(status->settings->host->name));
    bt_emit_member_string(emit, "path", status->settings->place.name);
    bt_emit_member_string(emit, "name", status->server->name);
    cli_json_bool(emit, "wrapped", status->is_wrapped);
    if (status->transport) {
        bt_emit_member_string(emit, "transport", bt_str_of(status->transport));
    } else {
        bt_emit_member_null(emit, "transport");
    }
    cli_json_bool(emit, "pinned", status->is_pinned);
    if (status->mode) {
        bt_emit_member_string(emit, "mode", bt_str_of(status->mode));
    } else {
        bt_emit_member_null(emit, "mode");
    }
    bt_emit_end(emit);
}

static void put_row(struct bt_table *table, const struct wrap_status *status)
{
    bt_table_add(table, bt_str_of(status->settings->host->name));
    bt_table_add(table, status->server->name);
    bt_table_add_bool(table, status->is_wrapped);
    bt_table_add(table, bt_str_of(status->transport));
    bt_table_add_bool(table, status->is_pinned);
    bt_table_add(table, bt_str_of(status->mode));
    bt_table_add(table, status->settings->place.name);
}

/* Put the servers of one host. False after an error message. */
static bool put_host(struct cli_run *run, const struct wrap_host *host, struct bt_emit *emit,
                     struct bt_table *table)
{
    struct wrap_host_settings *settings = BT_NEW_ARRAY(&run->arena, struct wrap_host_settings, 1);
    if (!settings) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!wrap_host_settings_load(run, host, settings)) {
        return false;
    }
    for (size_t i = 0; i < settings->text.count; i++) {
        const struct wrap_status status =
            describe_server(run, settings, &settings->text.servers[i]);
        if (emit) {
            put_json(emit, &status);
        } else {
            put_row(table, &status);
        }
    }
    return true;
}

/* True when the host is to be shown: the one named, or each that can have a file there. */
static bool is_shown(const struct cli_options *options, const struct wrap_host *host,
                     const struct wrap_host *only)
{
    const char *scope = cli_given(options, &flag_scope);
    return only ? only == host : host->user_file || !scope || scope[0] != 'u';
}

int cmd_wrap_status(struct cli_run *run)
{
    static const char *const names[] = {"HOST",   "SERVER", "WRAPPED", "TRANSPORT",
                                        "PINNED", "MODE",   "FILE",    NULL};
    const struct cli_options *options = run->options;
    const struct wrap_host *only = options->operand_count > 0 ? wrap_host_of_run(run) : NULL;
    const bool is_json = cli_run_is_json(options);
    struct bt_table table;
    struct bt_emit emit;
    struct bt_buf buf;
    bool is_well = only || options->operand_count == 0;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_table_init(&table, &run->arena, names);
    if (is_json) {
        cli_json_begin(&emit, &buf);
        cli_json_array(&emit, "servers");
    }
    for (size_t i = 0; is_well && wrap_host_at(i); i++) {
        const struct wrap_host *host = wrap_host_at(i);
        is_well =
            !is_shown(options, host, only) || put_host(run, host, is_json ? &emit : NULL, &table);
    }
    if (is_json) {
        bt_emit_end(&emit);
        cli_json_end(&emit);
    } else if (is_well) {
        is_well = cli_is_ok(bt_table_put(&table, cli_terminal_columns(), &buf));
    }
    if (!is_well) {
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    return cli_print_buf(&buf);
}
