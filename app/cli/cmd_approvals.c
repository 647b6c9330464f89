/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_approvals.c - baton approvals */
#include <unistd.h>

#include <baton/json.h>

#include "base/buf.h"
#include "cli.h"
#include "contract_run.h"
#include "decide/contract_state.h"
#include "json/emit.h"
#include "operation/approval_json.h"
#include "output.h"
#include "report/table.h"
#include "terminal.h"

/* ---- Output ---------------------------------------------------------------------------------- */

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static void put_line(struct bt_buf *buf, const struct bt_approval *approval)
{
    bt_buf_put(buf, approval->id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->grant.len > 0 ? approval->grant : approval->status);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_printable(buf, approval->workspace, SIZE_MAX);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->agent_id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->requested_at);
    bt_buf_put_char(buf, '\n');
}

/* The risk of a request, or "". */
static enum bt_status find_risk(struct cli_run *run, const struct bt_approval *approval,
                                bt_str *out)
{
    struct bt_json_read_result read = {0};
    *out = BT_STR("");
    if (approval->payload.len == 0) {
        return BT_OK;
    }
    /* from: store */
    BT_TRY(bt_json_read(&run->arena, approval->payload, NULL, &read));
    const bt_json_value *risk =
        read.document
            ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("risk_level"))
            : NULL;
    *out = risk && bt_json_type(risk) == BT_JSON_STRING ? bt_json_text(risk) : BT_STR("");
    return BT_OK;
}

/* Add the commands that a grant of the request covers, joined by "; ". */
static enum bt_status add_commands(struct cli_run *run, struct bt_table *table,
                                   const struct bt_approval *approval)
{
    struct bt_op_approval_json_commands commands;
    struct bt_buf buf;
    bt_str text;
    BT_TRY(bt_op_approval_commands(&run->env, &run->arena, approval->payload, &commands));
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    for (size_t i = 0; i < commands.count; i++) {
        bt_buf_put_text(&buf, i > 0 ? "; " : "");
        bt_buf_put(&buf, commands.items[i]);
    }
    BT_TRY(bt_buf_finish(&buf, &run->arena, &text));
    bt_table_add(table, text);
    return table->status;
}

static enum bt_status put_table(struct cli_run *run, struct bt_buf *buf,
                                const struct bt_approval_list *approvals)
{
    static const char *const names[] = {"ID",        "STATUS",  "RISK",    "AGENT",
                                        "REQUESTED", "EXPIRES", "COMMAND", NULL};
    const bt_instant now = bt_env_now(&run->env);
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    for (size_t i = 0; i < approvals->count; i++) {
        const struct bt_approval *approval = &approvals->items[i];
        const bool is_granted = approval->grant.len > 0;
        bt_str risk;
        bt_str requested;
        bt_str expires;
        BT_TRY(find_risk(run, approval, &risk));
        BT_TRY(cli_time_text(run->options, &run->arena, now, approval->requested_at, &requested));
        BT_TRY(cli_time_text(run->options, &run->arena, now,
                             is_granted ? approval->grant_expires_at : approval->expires_at,
                             &expires));
        bt_table_add(&table, approval->id);
        bt_table_add(&table, is_granted ? approval->grant : approval->status);
        bt_table_add(&table, risk);
        bt_table_add(&table, approval->agent_id);
        bt_table_add(&table, requested);
        bt_table_add(&table, expires);
        BT_TRY(add_commands(run, &table, approval));
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
}

static enum bt_status put_list_json(struct cli_run *run, struct bt_buf *buf,
                                    const struct bt_approval_list *approvals)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    cli_json_array(&emit, "approvals");
    for (size_t i = 0; i < approvals->count; i++) {
        BT_TRY(bt_emit_approval(&emit, &run->env, &run->arena, &approvals->items[i]));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return BT_OK;
}

/* Print the requests. Returns the exit code. */
static int cli_print_approvals(struct cli_run *run, const struct bt_approval_list *approvals)
{
    enum bt_status status = BT_OK;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        status = put_list_json(run, &buf, approvals);
    } else if (approvals->count == 0) {
        cli_print_empty(run->options, "No approval requests. An agent makes one by ending its turn "
                                      "with the status APPROVAL_REQUEST.");
    } else {
        status = put_table(run, &buf, approvals);
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(status);
    }
    return cli_print_buf(&buf);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static enum bt_status put_text(struct cli_run *run, struct bt_buf *buf,
                               const struct bt_approval_action_options *action_options,
                               const struct bt_approval_result *answer)
{
    if (action_options->act != BT_APPROVAL_ACTION_SHOW) {
        const bt_str grant = answer->approval.grant;
        if (!cli_is_quiet(run->options)) {
            bt_buf_printf(buf, "approval %.*s: %.*s\n", BT_STR_ARG(answer->approval.id),
                          BT_STR_ARG(grant.len > 0 ? grant : answer->approval.status));
        }
        return BT_OK;
    }
    put_line(buf, &answer->approval);
    BT_TRY(bt_approval_put_text(buf, &run->env, &run->arena, &answer->approval));
    if (answer->approval.payload.len > 0) {
        bt_buf_put_text(buf, "payload: ");
        bt_buf_put_printable(buf, answer->approval.payload, SIZE_MAX);
        bt_buf_put_char(buf, '\n');
    }
    for (size_t i = 0; i < answer->event_count; i++) {
        const struct bt_approval_event *event = &answer->events[i];
        bt_buf_printf(buf, "%.*s %.*s %.*s %.*s\n", BT_STR_ARG(event->at), BT_STR_ARG(event->type),
                      BT_STR_ARG(event->actor), BT_STR_ARG(event->code));
    }
    return BT_OK;
}

/*
 * Show a request to the person at the terminal, in addition to the result. False after an error
 * message.
 */
static bool cli_show_approval(struct cli_run *run, const struct bt_approval_result *answer)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_line(&buf, &answer->approval);
    const bool is_shown =
        bt_approval_put_text(&buf, &run->env, &run->arena, &answer->approval) == BT_OK &&
        cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (!is_shown) {
        cli_print_error("cannot show the request");
    }
    return is_shown;
}

/*
 * Print the result of an action: the request, or the reason for the refusal. Returns the exit code.
 */
static int cli_print_approval(struct cli_run *run,
                              const struct bt_approval_action_options *action_options,
                              const struct bt_approval_result *answer)
{
    const bool is_done = bt_findings_count(answer->findings) == 0;
    enum bt_status status = BT_OK;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        status = bt_emit_approval_result(&buf, &run->env, &run->arena, action_options, answer);
    } else if (is_done) {
        status = put_text(run, &buf, action_options, answer);
    } else {
        const struct bt_finding *why = bt_findings_at(answer->findings, 0);
        cli_print_error("%.*s: %.*s", BT_STR_ARG(why->rule->code), BT_STR_ARG(why->message));
        if (why->hint.len > 0) {
            cli_print_hint("%.*s", BT_STR_ARG(why->hint));
        }
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_done ? CLI_REJECTED : code;
}

/* ---- The rows of the commands ---------------------------------------------------------------- */

enum { COMMAND_BYTES_MAX = 16 << 20 };

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool take_ttl(const struct cli_options *options, uint64_t *out)
{
    const char *given = cli_given(options, &flag_ttl);
    *out = bt_config_seconds(options->config, "approvals.grant_ttl");
    *out = *out > BT_GRANT_SECONDS_MAX ? BT_GRANT_SECONDS_MAX : *out;
    return !given || bt_approval_ttl_parse(bt_str_of(given), out) ||
           cli_refuse_usage(options, "--ttl wants digits and s, m, h or d, at most 24h, not %s",
                            given);
}

static bool take_command(struct cli_run *run, bt_str *out)
{
    const struct cli_options *options = run->options;
    const char *text = cli_given(options, &flag_command);
    const char *path = cli_given(options, &flag_command_file);
    struct cli_input input;
    if ((text != NULL) == (path != NULL)) {
        return cli_refuse_usage(options, "give the command: --command or --command-file");
    }
    *out = bt_str_of(text);
    if (path) {
        if (!cli_input_read_all(&run->arena, path, COMMAND_BYTES_MAX, &input)) {
            return false;
        }
        *out = input.content;
    }
    return true;
}

/* Read the flags of a decision. False after an error message. */
static bool parse_action_options(struct cli_run *run,
                                 struct bt_approval_action_options *action_options)
{
    const struct cli_options *options = run->options;
    action_options->id = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    action_options->fingerprint = bt_str_of(cli_given(options, &flag_fingerprint));
    action_options->reason = bt_str_of(cli_given(options, &flag_reason));
    action_options->workspace = bt_str_of(cli_given(options, &flag_workspace));
    if (options->operand_count > 0 && !bt_approval_id_is_valid(action_options->id)) {
        return cli_refuse_usage(options, "an id is P- and 32 hexadecimal digits, in full");
    }
    const bool will_prompt = !cli_given(options, &flag_fingerprint) && cli_can_prompt(options);
    if (action_options->act == BT_APPROVAL_ACTION_GRANT && !will_prompt &&
        !bt_fingerprint_is_valid(action_options->fingerprint)) {
        return cli_refuse_usage(options,
                                "--fingerprint wants the 64 hexadecimal digits of what was shown");
    }
    if (action_options->act == BT_APPROVAL_ACTION_USE &&
        !take_command(run, &action_options->command)) {
        return false;
    }
    if (action_options->act == BT_APPROVAL_ACTION_USE && action_options->id.len == 0) {
        if (!contract_run_names(run)) {
            return false;
        }
        action_options->workspace = run->contract->workspace;
    }
    return take_ttl(options, &action_options->seconds) &&
           contract_run_agent(run, &action_options->agent_id);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

int cmd_approvals_list(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct bt_approval_filter filter = {.status = bt_str_of(cli_given(options, &flag_status)),
                                              .workspace =
                                                  bt_str_of(cli_given(options, &flag_workspace))};
    struct bt_approval_list found = {0};
    if (!contract_run_open(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_approvals_list(&run->contract->gate, &filter, &found, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot read the requests");
    }
    return cli_run_alarmed(run) ? CLI_FAILED : cli_print_approvals(run, &found);
}

/* Run the action. False after an error message. */
static bool apply_action(struct cli_run *run,
                         const struct bt_approval_action_options *action_options,
                         struct bt_approval_result *out)
{
    cli_run_watch(run);
    const enum bt_status status =
        bt_approval_run_action(&run->contract->gate, action_options, out, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        (void)cli_run_failed(run, "not done");
        return false;
    }
    return !cli_run_alarmed(run);
}

/*
 * Show the payload and ask the person at the terminal; what was shown is what is granted. CLI_DONE:
 * continue.
 */
static int prompt_for_grant(struct cli_run *run, struct bt_approval_action_options *action_options)
{
    const struct bt_approval_action_options show_options = {.act = BT_APPROVAL_ACTION_SHOW,
                                                            .id = action_options->id};
    struct bt_approval_result shown;
    if (!apply_action(run, &show_options, &shown)) {
        return CLI_FAILED;
    }
    if (bt_findings_count(shown.findings) > 0) {
        return cli_print_approval(run, action_options, &shown);
    }
    if (!cli_show_approval(run, &shown)) {
        return CLI_FAILED;
    }
    if (!cli_prompt_line("Grant exactly this, once?")) {
        return cli_failed("nothing was decided");
    }
    action_options->fingerprint = shown.approval.fingerprint;
    return CLI_DONE;
}

/* Show, grant, deny, revoke or use. */
int cmd_approvals_act(struct cli_run *run)
{
    const enum bt_approval_action act = (enum bt_approval_action)run->options->command->variant;
    struct bt_approval_action_options action_options = {.act = act};
    struct bt_approval_result answer;
    if (!parse_action_options(run, &action_options) || !contract_run_open(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    const int code = act == BT_APPROVAL_ACTION_GRANT && action_options.fingerprint.len == 0
                         ? prompt_for_grant(run, &action_options)
                         : CLI_DONE;
    if (code != CLI_DONE) {
        return code;
    }
    return apply_action(run, &action_options, &answer)
               ? cli_print_approval(run, &action_options, &answer)
               : CLI_FAILED;
}
