/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_contract.c - the commands of `baton contract` that use a store */
#include <inttypes.h>

#include "cli.h"
#include "contract_run.h"
#include "engine/submit.h"
#include "operation/contract_json.h"
#include "output.h"

/* ---- baton contract submit ------------------------------------------------------------------- */

static int print_decision(struct cli_run *run, enum bt_status status,
                          struct bt_submission *submission)
{
    if (status != BT_OK && submission->durability == BT_DURABILITY_DURABLE) {
        return cli_run_failed(run, "the decision is recorded, but");
    }
    if (status != BT_OK) {
        return cli_run_failed(run, "not decided");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    const bt_str members = submission->judged->extra_members; /* they stand beside the document */
    submission->judged->extra_members = BT_STR("");
    status = bt_submission_put_record(submission);
    return status == BT_OK ? cli_run_report_one(run, submission->judged, members)
                           : cli_fail_status(status);
}

int cmd_contract_submit(struct cli_run *run)
{
    struct cli_input message;
    if (!contract_run_message(run, &message)) {
        return CLI_FAILED;
    }
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    const struct bt_contract_document document = {message.path, message.content,
                                                  &run->contract->flags.options};
    const struct bt_config *config = run->options->config;
    struct bt_contract_submission contract = {
        .state = &run->contract->gate,
        .document = &document,
        .max_rejections = bt_config_u64(config, "contract.max_rejections"),
        .pending_seconds = bt_config_seconds(config, "approvals.pending_ttl")};
    struct bt_judgement judged = {
        .path = message.path, .dialect = BT_DIALECT_CONTRACT, .source = message.content};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    if (!contract_run_number(run, &flag_max_rejections, &contract.max_rejections) ||
        !contract_run_names(run) || !contract_run_open(run, is_dry ? CLI_READ : CLI_MAKE)) {
        return CLI_FAILED;
    }
    contract.workspace = run->contract->workspace;
    contract.session = run->contract->session;
    bt_submission_init(item, run->contract->gate.arena, &judged, run->contract->gate.actor,
                       message.content, run->env.limits.document_bytes);
    submission.mode = is_dry ? BT_SUBMIT_DRY_RUN : BT_SUBMIT_RECORD;
    submission.decision = &contract;
    const struct bt_deliver deliver = {.ledger = run->contract->gate.ledger,
                                       .env = &run->env,
                                       .arena = run->contract->gate.arena,
                                       .actor = run->contract->gate.actor,
                                       .alarms = run->contract->gate.alarms};
    cli_run_watch(run);
    const enum bt_status status = bt_submit(&deliver, &item, 1, &run->error);
    cli_run_unwatch();
    return print_decision(run, status, item);
}

/* ---- baton contract state -------------------------------------------------------------------- */

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static void put_state_text(struct bt_buf *buf, const struct bt_contract_agent_list *agents)
{
    for (size_t i = 0; i < agents->count; i++) {
        const struct bt_contract_agent *agent = &agents->items[i];
        bt_buf_put_printable(buf, agent->workspace, SIZE_MAX);
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, agent->session, SIZE_MAX);
        bt_buf_put_char(buf, ' ');
        bt_buf_put(buf, agent->agent_id);
        bt_buf_put_char(buf, ' ');
        bt_buf_put(buf, agent->state == BT_CONTRACT_STATUS_NONE
                            ? BT_STR("-")
                            : bt_contract_status_name(agent->state));
        bt_buf_printf(buf, " in-progress %" PRIu64 " rejections %" PRIu64 "%s%s ",
                      agent->in_progress, agent->rejections,
                      agent->is_escalated ? " escalated" : "", agent->is_resumed ? " resumed" : "");
        bt_buf_put(buf, agent->updated_at);
        bt_buf_put_char(buf, '\n');
    }
}

static int list_agent_states(struct cli_run *run, const struct bt_contract_agent_filter *filter)
{
    struct bt_contract_agent_list agents;
    struct bt_buf buf;
    if (!contract_run_open(run, CLI_READ)) {
        return CLI_FAILED;
    }
    if (bt_contract_agents_list(&run->contract->gate, filter, &agents, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot read the states");
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        bt_emit_contract_agents(&buf, &agents);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_state_text(&buf, &agents);
    }
    return cli_print_buf(&buf);
}

/* Print how many agents were changed, as `word`. */
static int print_count(struct cli_run *run, enum bt_status status, const char *word, uint64_t count)
{
    struct bt_buf buf;
    if (status != BT_OK) {
        return cli_run_failed(run, "nothing was changed");
    }
    if (cli_run_alarmed(run)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_buf_printf(&buf,
                  cli_run_is_json(run->options) ? "{\"baton\":1,\"%s\":%" PRIu64 "}\n"
                                                : "%s %" PRIu64 "\n",
                  word, count);
    return cli_print_buf(&buf);
}

static int clear_agent_states(struct cli_run *run, const struct bt_contract_agent_filter *filter)
{
    uint64_t cleared = 0;
    if (filter->agent_id.len == 0) {
        return cli_usage_error(run->options->command, "--clear needs --agent ID");
    }
    if (!contract_run_open(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_contract_agents_clear(&run->contract->gate, filter, &cleared, &run->error);
    cli_run_unwatch();
    return print_count(run, status, "cleared", cleared);
}

int cmd_contract_state(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_contract_agent_filter filter = {
        .workspace = bt_str_of(cli_given(options, &flag_workspace)),
        .session = bt_str_of(cli_given(options, &flag_agent_session))};
    if (!contract_run_agent(run, &filter.agent_id)) {
        return CLI_FAILED;
    }
    return cli_given(options, &flag_clear) ? clear_agent_states(run, &filter)
                                           : list_agent_states(run, &filter);
}

/* ---- baton contract resume ------------------------------------------------------------------- */

int cmd_contract_resume(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_contract_agent_filter filter = {
        .workspace = bt_str_of(cli_given(options, &flag_workspace)),
        .session = bt_str_of(cli_given(options, &flag_agent_session))};
    uint64_t resumed = 0;
    if (!contract_run_agent(run, &filter.agent_id)) {
        return CLI_FAILED;
    }
    if (filter.agent_id.len == 0) {
        return cli_usage_error(options->command, "say who goes on: --agent ID");
    }
    if (!contract_run_open(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_contract_agents_resume(&run->contract->gate, &filter, &resumed, &run->error);
    cli_run_unwatch();
    return print_count(run, status, "resumed", resumed);
}

/* ---- baton contract sections ----------------------------------------------------------------- */

static void put_sections_text(struct bt_buf *buf, const struct bt_contract_section_list *sections,
                              bool history)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct bt_contract_section *section = &sections->items[i];
        bt_buf_put_printable(buf, section->name, SIZE_MAX);
        if (history) {
            bt_buf_printf(buf, " %" PRIu64, section->version);
        }
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, section->value, SIZE_MAX);
        bt_buf_put_char(buf, '\n');
    }
}

int cmd_contract_sections(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bool history = cli_given(options, &flag_history) != NULL;
    const bt_str name = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    struct bt_contract_section_list sections;
    struct bt_buf buf;
    if (!contract_run_names(run) || !contract_run_open(run, CLI_READ)) {
        return CLI_FAILED;
    }
    if (bt_contract_sections_list(&run->contract->gate, run->contract->workspace, name, history,
                                  &sections, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot read the sections");
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(options)) {
        bt_emit_contract_sections(&buf, run->contract->workspace, &sections, history);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_sections_text(&buf, &sections, history);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && name.len > 0 && sections.count == 0 ? CLI_REJECTED : code;
}

/* ---- baton contract input -------------------------------------------------------------------- */

static bool take_owner(struct cli_run *run, struct bt_contract_input_owner *out)
{
    const struct cli_options *options = run->options;
    *out = (struct bt_contract_input_owner){
        .session = bt_str_of(cli_given(options, &flag_agent_session)),
        .agent_type = bt_str_of(cli_given(options, &flag_agent_type))};
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    if (!contract_run_names(run) || !contract_run_agent(run, &out->agent_id)) {
        return false;
    }
    /* Hooks look for it by the id that a host's id is mapped to. */
    if (out->agent_id.len > 0 && !bt_str_eq(out->agent_id, BT_STR("-")) &&
        (!cli_is_ok(bt_contract_agent_id_from_runtime(out->agent_id, mapped)) ||
         !cli_is_ok(bt_arena_copy(&run->arena, bt_str_of(mapped), &out->agent_id)))) {
        return false;
    }
    out->workspace = run->contract->workspace;
    if ((out->agent_id.len > 0) == (out->agent_type.len > 0)) {
        return cli_refuse_usage(options, "say for whom: --agent ID or --agent-type TYPE");
    }
    return true;
}

/* Read the envelope, which must be valid. False after an error message. */
static bool read_envelope(struct cli_run *run, struct cli_input *out)
{
    struct bt_contract_input input;
    struct bt_error error;
    const char *path = run->options->operands[0];
    if (!cli_input_read(&run->arena, path, run->env.limits.document_bytes, out)) {
        return false;
    }
    if (bt_contract_input_read(run->contract->checker, &run->arena, out->content, &input, &error) !=
        BT_OK) {
        return cli_refuse("cannot use the INPUT %s: %s", path, error.text);
    }
    return true;
}

int cmd_contract_input(struct cli_run *run)
{
    struct bt_contract_input_owner owner;
    struct cli_input envelope;
    if (!take_owner(run, &owner) || !read_envelope(run, &envelope) ||
        !contract_run_open(run, CLI_MAKE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_contract_input_store(&run->contract->gate, &owner, envelope.content, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "not stored");
    }
    if (cli_run_alarmed(run)) {
        return CLI_FAILED;
    }
    return cli_print(cli_run_is_json(run->options) ? BT_STR("{\"baton\":1,\"stored\":true}\n")
                                                   : BT_STR("stored\n"));
}
