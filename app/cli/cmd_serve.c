/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve.c - baton serve: one server for REST, MCP, A2A, hooks and the console.
 */
#include <unistd.h>

#include "cli.h"
#include "http/listen.h"
#include "ledger/witness.h"
#include "mcp/mcp.h"
#include "organism_file.h"
#include "output.h"
#include "plan_run.h"
#include "run.h"
#include "serve/activation.h"
#include "serve/openapi.h"
#include "serve/peers.h"
#include "serve/server.h"

enum {
    WORKERS_MAX = 1024,
    OPENAPI_BYTES_MAX = 16 << 20,
    WITNESS_BYTES_MAX = 16 << 20,
    START_MS_MIN = 2000,
};

static void print_error(const char *text)
{
    cli_print_error("%s", text);
}

static bool print_text(bt_str text)
{
    return cli_write(STDOUT_FILENO, text);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool take_listeners(const struct cli_options *options, struct bt_arena *arena,
                           struct serve_flags *out)
{
    const char **list = BT_NEW_ARRAY(arena, const char *, options->given_count + 1);
    const char *text = cli_given_at(options, &flag_listen, 0);
    for (size_t i = 1; list && text; i++) {
        struct bt_listen_address at;
        if (bt_listen_address_parse(bt_str_of(text), &at) != BT_OK || i > HTTP_LISTENERS_MAX) {
            return cli_refuse_usage(
                options, "--listen wants HOST:PORT, [IPV6]:PORT or unix:PATH, not %s", text);
        }
        list[out->listen_count++] = text;
        text = cli_given_at(options, &flag_listen, i);
    }
    out->listen = list;
    return list != NULL;
}

/* Inherited sockets replace --listen. */
static bool take_sockets(struct bt_arena *arena, struct serve_flags *out)
{
    size_t count = 0;
    struct bt_error error = {0};
    enum bt_status status = serve_activation_count(&count, &error);
    const char **list = BT_NEW_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; list && status == BT_OK && i < count; i++) {
        bt_str text;
        status = http_listen_take(ACTIVATION_FIRST_FD + (int)i, arena, &text, &error);
        list[i] = status == BT_OK ? text.ptr : NULL;
    }
    if (!list || status != BT_OK) {
        return cli_refuse_error(&error);
    }
    if (count > 0) {
        out->listen = list;
        out->listen_count = count;
        out->is_activated = true;
    }
    return true;
}

static bool take_flags(struct cli_run *run, struct serve_flags *out)
{
    const struct cli_options *options = run->options;
    uint64_t workers = 0;
    if (!take_listeners(options, &run->arena, out) || !take_sockets(&run->arena, out) ||
        !cli_run_number(run, &flag_workers, 0, &workers)) {
        return false;
    }
    if (workers > WORKERS_MAX || (workers == 0 && cli_given(options, &flag_workers))) {
        return cli_refuse_usage(options, "--workers wants 1 to %d", WORKERS_MAX);
    }
    out->config = cli_given(options, &flag_config);
    out->without_config = cli_given(options, &flag_no_config) != NULL;
    out->has_no_store = cli_given(options, &flag_no_store) != NULL;
    out->root = options->root;
    out->tokens = cli_given(options, &flag_tokens_file);
    out->tls_cert = cli_given(options, &flag_tls_cert);
    out->tls_key = cli_given(options, &flag_tls_key);
    out->client_ca = cli_given(options, &flag_client_ca);
    out->plain_http = cli_given(options, &flag_plain_http) != NULL;
    out->witness = cli_given(options, &flag_serve_witness);
    out->organism = cli_given(options, &flag_serve_organism);
    out->is_read_only = cli_given(options, &flag_read_only) != NULL;
    out->allows_test_key = cli_given(options, &flag_allow_test_key) != NULL;
    out->has_fixtures = cli_given(options, &flag_fixtures) != NULL;
    out->workers = (size_t)workers;
    out->is_json = cli_run_is_json(options);
    if (out->has_no_store && cli_given(options, &flag_store)) {
        return cli_refuse_usage(options, "--store and --no-store exclude each other");
    }
    if (out->has_fixtures && !mcp_fixtures_are_built) {
        return cli_refuse_usage(options, "this build has no conformance fixtures");
    }
    return true;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static bool is_witness(struct cli_run *run, const char *folder)
{
    struct bt_buf logs;
    bt_buf_init(&logs, WITNESS_BYTES_MAX);
    const enum bt_status status =
        bt_witness_put_logs(&run->arena, folder, BT_STR(""), &logs, &run->error);
    bt_buf_free(&logs);
    return status == BT_OK || cli_refuse("cannot use the witness %s: %s", folder, run->error.text);
}

static bool is_organism(struct cli_run *run, const char *path)
{
    struct cli_organism_file file;
    organism_file_begin(&file);
    const bool is_one = organism_file_require(&file, path, &run->env, ORGANISM_NOT_LOADED);
    organism_file_end(&file);
    return is_one;
}

/*
 * Report a missing file now, and not at the first request that needs it. False after an error
 * message.
 */
static bool is_all_there(struct cli_run *run, const struct serve_flags *given_flags)
{
    return cli_dir_exists(given_flags->root) &&
           (!given_flags->witness || is_witness(run, given_flags->witness)) &&
           (!given_flags->organism || is_organism(run, given_flags->organism));
}

/* ---- The store ------------------------------------------------------------------------------- */

struct cli_serve_run {
    struct cli_run run;
    struct serve_flags flags;
};

/* Compare the ledger with what each peer has cosigned of it; a difference is an alarm. */
static enum bt_status compare_with_peers(struct cli_run *run, const struct bt_config *config)
{
    struct bt_str_list silent;
    BT_TRY(peers_compare(run->ledger, &run->arena, config, run->alarms, &silent, &run->error));
    for (size_t i = 0; i < silent.count; i++) {
        cli_print_error("note: the peer %.*s did not answer within %d s, so the ledger was not "
                        "compared with what it has seen",
                        BT_STR_ARG(silent.items[i]), SERVE_PEER_MS / 1000);
    }
    return BT_OK;
}

/*
 * Check that the store exists and can be trusted. Otherwise returns the exit code after an error
 * message.
 */
static int test_store(void *context, const struct bt_config *config)
{
    struct cli_serve_run *serving = context;
    struct cli_run *run = &serving->run;
    struct bt_ledger_head head;
    if (!cli_run_open_ledger(run, serving->flags.is_read_only ? CLI_READ : CLI_WRITE)) {
        return CLI_FAILED;
    }
    enum bt_status status =
        bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error);
    if (status == BT_OK && bt_findings_count(run->alarms) == 0 && !serving->flags.is_read_only) {
        status =
            bt_ledger_check_writable(run->ledger, &run->env, &run->arena, run->alarms, &run->error);
    }
    if (status == BT_OK && bt_findings_count(run->alarms) == 0) {
        status = compare_with_peers(run, config);
    }
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot read the ledger");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    if (head.is_test_key && !serving->flags.allows_test_key) {
        return cli_failed(
            "anyone can compute the key of this ledger: --allow-test-key serves it all "
            "the same");
    }
    bt_ledger_close(run->ledger);
    run->ledger = NULL;
    return CLI_DONE;
}

static int print_openapi(void)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OPENAPI_BYTES_MAX);
    const enum bt_status status = serve_openapi_put(&buf);
    if (status != BT_OK) {
        (void)cli_fail_status(status);
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    return cli_print_buf(&buf);
}

int cmd_serve(const struct cli_options *options)
{
    if (cli_given(options, &flag_print_openapi)) {
        return print_openapi();
    }
    struct cli_serve_run serving = {.flags = {0}};
    const struct serve_console_output console = {&serving, print_error, print_text, test_store};
    int code = CLI_FAILED;
    if (!cli_run_begin(&serving.run, options)) {
        return cli_run_end(&serving.run, CLI_FAILED);
    }
    serving.run.deadline_ms = bt_config_u64(options->config, "limits.record_deadline_ms");
    if (take_flags(&serving.run, &serving.flags) && is_all_there(&serving.run, &serving.flags) &&
        (serving.flags.has_no_store || cli_run_find_store(&serving.run, &serving.flags.store))) {
        if (serving.run.deadline_ms < START_MS_MIN) {
            serving.run.deadline_ms = START_MS_MIN; /* at the start no caller is waiting yet */
        }
        code = serve_main(&serving.flags, &console);
    }
    return cli_run_end(&serving.run, code);
}
