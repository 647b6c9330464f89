/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_mcp.c - baton mcp: the Model Context Protocol on standard input and output.
 *
 * One message per line. A line is handled when the one before has been answered.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "contract_run.h"
#include "mcp/mcp.h"
#include "output.h"
#include "plan_run.h"

enum { READ_BYTES = 64 << 10, OUTPUT_BYTES_MAX = 1 << 30, POLL_INTERVAL_MS = 1000 };

struct mcp_run {
    struct cli_run base; /* environment, arena, store */
    struct bt_worker_settings keys;
    struct bt_worker service;
    struct bt_caller caller;
    struct mcp mcp;
    struct mcp_fixtures fixtures;
    struct bt_buf line;
    bool is_skipping; /* the line is too long, and its rest is discarded */
    struct bt_buf out;
};

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool take_caller(struct mcp_run *run, const struct cli_options *options)
{
    const char *scopes = cli_given(options, &flag_scopes);
    const char *actor = cli_given(options, &flag_actor);
    bt_str *agents = BT_NEW_ARRAY(&run->base.arena, bt_str, options->given_count + 1);
    const char *agent = cli_given_at(options, &flag_for_agent, 0);
    run->caller = (struct bt_caller){.actor = bt_str_of(actor ? actor : "mcp"),
                                     .scopes = BT_SCOPE_CHECK | BT_SCOPE_SUBMIT,
                                     .agents = agents,
                                     .workspace = run->base.contract->workspace,
                                     .session = run->base.contract->session};
    if (scopes && !bt_scopes_parse(bt_str_of(scopes), &run->caller.scopes)) {
        return cli_refuse_usage(options,
                                "--scopes wants some of check, submit, approve, operate, admin");
    }
    for (size_t i = 1; agents && agent; i++) {
        if (!bt_entry_name_is_valid(bt_str_of(agent))) {
            return cli_refuse_usage(options,
                                    "--agent wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]");
        }
        agents[run->caller.agent_count++] = bt_str_of(agent);
        agent = cli_given_at(options, &flag_for_agent, i);
    }
    if (run->caller.agent_count > 0 && (run->caller.scopes & SCOPES_DECIDING)) {
        (void)cli_usage_error(
            options->command,
            "an --agent cannot hold approve, operate or admin: it must not decide "
            "about itself");
        return false;
    }
    if (!bt_entry_name_is_valid(run->caller.actor)) {
        return cli_refuse_usage(options, "--actor wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]");
    }
    return agents != NULL;
}

/*
 * Open the store: a named one is opened or created, one that is found is opened; else there is
 * none.
 */
static bool open_store(struct mcp_run *run)
{
    struct cli_run *ledger = &run->base;
    struct bt_ledger_options where;
    struct bt_ledger *found = NULL;
    if (!cli_run_find_store(ledger, &where)) {
        return false;
    }
    if (!where.store && bt_ledger_open(&where, false, &found, &ledger->error) == BT_ENOENT) {
        return true;
    }
    bt_ledger_close(found);
    return contract_run_open(&run->base, CLI_MAKE) && cli_run_check_ledger(ledger);
}

static bool begin_run(struct mcp_run *run, const struct cli_options *options)
{
    struct cli_run *ledger = &run->base;
    if (cli_given(options, &flag_fixtures) && !mcp_fixtures_are_built) {
        return cli_refuse_usage(options, "this build has no conformance fixtures");
    }
    run->line = (struct bt_buf){0};
    bt_buf_init(&run->line, MCP_MESSAGE_BYTES_MAX + READ_BYTES);
    bt_buf_init(&run->out, OUTPUT_BYTES_MAX);
    if (!cli_run_begin(&run->base, options) || !contract_run_begin(&run->base) ||
        !contract_run_names(&run->base) || !take_caller(run, options) ||
        !cli_dir_exists(options->root) || !open_store(run)) {
        return false;
    }
    run->keys = bt_worker_settings_from_config(options->config);
    run->service = (struct bt_worker){.env = &ledger->env,
                                      .config = options->config,
                                      .keys = &run->keys,
                                      .checker = bt_checker_create(&ledger->env),
                                      .ledger = ledger->ledger,
                                      .root = bt_str_of(options->root),
                                      .input = run->base.contract->flags.input_text};
    const struct mcp_transport place = {
        .fixtures = cli_given(options, &flag_fixtures) ? &run->fixtures : NULL};
    if (!run->service.checker ||
        bt_op_policy(&ledger->arena, &run->service, NULL, &run->service.policy) != BT_OK ||
        mcp_begin(&run->mcp, &run->service, &run->caller, &place) != BT_OK) {
        return cli_refuse("cannot start");
    }
    return true;
}

static int end_run(struct mcp_run *run, int code)
{
    mcp_end(&run->mcp);
    mcp_schemas_destroy(run->service.schemas);
    bt_checker_destroy(run->service.checker);
    bt_buf_free(&run->line);
    bt_buf_free(&run->out);
    return cli_run_end(&run->base, code);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool is_blank(bt_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t') {
            return false;
        }
    }
    return true;
}

/* Answer a complete line. False after an error message. */
static bool take_line(struct mcp_run *run)
{
    bt_str line = bt_buf_str(&run->line);
    enum bt_status status = BT_OK;
    bt_buf_clear(&run->out);
    if (bt_str_ends_with(line, BT_STR("\r"))) {
        line.len--;
    }
    if (run->is_skipping || line.len > MCP_MESSAGE_BYTES_MAX) {
        mcp_respond_too_long(&run->out);
    } else if (!is_blank(line)) {
        status = mcp_handle_message(&run->mcp, line, &run->out);
    }
    bt_buf_clear(&run->line);
    run->is_skipping = false;
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    if (mcp_is_watching(&run->mcp)) {
        mcp_poll_subscriptions(&run->mcp, &run->out);
    }
    return run->out.len == 0 || cli_write(STDOUT_FILENO, bt_buf_str(&run->out));
}

/* Add bytes to a line; beyond the limit they are discarded. */
static void add_bytes(struct mcp_run *run, bt_str bytes)
{
    if (run->line.len > MCP_MESSAGE_BYTES_MAX) {
        run->is_skipping = true;
        bt_buf_clear(&run->line);
    }
    if (!run->is_skipping) {
        bt_buf_put(&run->line, bytes);
    }
}

static bool take_bytes(struct mcp_run *run, bt_str bytes)
{
    for (size_t from = 0; from < bytes.len;) {
        const size_t end = bt_str_find_byte(bytes, '\n', from);
        add_bytes(run, bt_str_slice(bytes, from, end));
        if (end < bytes.len && !take_line(run)) {
            return false;
        }
        from = end + 1;
    }
    return true;
}

/* Without input, check periodically what the client watches. */
static bool wait_for_input(struct mcp_run *run)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (mcp_is_watching(&run->mcp) && poll(&input, 1, POLL_INTERVAL_MS) == 0) {
        bt_buf_clear(&run->out);
        mcp_poll_subscriptions(&run->mcp, &run->out);
        if (run->out.len > 0 && !cli_write(STDOUT_FILENO, bt_buf_str(&run->out))) {
            return false;
        }
    }
    return true;
}

/* The end of input ends the last line and every subscription. */
static int end_input(struct mcp_run *run)
{
    const bool has_rest = run->line.len > 0 || run->is_skipping;
    if (has_rest && !take_line(run)) {
        return CLI_FAILED;
    }
    bt_buf_clear(&run->out);
    mcp_close(&run->mcp, &run->out);
    return run->out.len == 0 || cli_write(STDOUT_FILENO, bt_buf_str(&run->out)) ? CLI_DONE
                                                                                : CLI_FAILED;
}

static int serve_stdio(struct mcp_run *run)
{
    char bytes[READ_BYTES];
    while (wait_for_input(run)) {
        const ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return cli_failed("cannot read standard input: %s", strerror(errno));
        }
        if (count == 0) {
            return end_input(run);
        }
        if (!take_bytes(run, (bt_str){bytes, (size_t)count})) {
            return CLI_FAILED;
        }
    }
    return CLI_FAILED;
}

int cmd_mcp(const struct cli_options *options)
{
    struct mcp_run run = {0};
    const bool ready = begin_run(&run, options);
    return end_run(&run, ready ? serve_stdio(&run) : CLI_FAILED);
}
