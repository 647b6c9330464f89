/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_contract.c - the commands of `baton contract` that use a store */
#include <inttypes.h>

#include "cli.h"
#include "contract_run.h"
#include "engine/submit.h"
#include "operation/contract_json.h"
#include "output.h"
#include "report/table.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

/* ---- baton contract submit ------------------------------------------------------------------- */

/* Put what an accepted report changed: its state, sections and request, and what comes next. */
static enum bt_status put_effects(struct cli_run *run, struct bt_buf *buf,
                                  const struct bt_contract_decision *decision)
{
    const bt_str before = bt_contract_status_name(decision->previous_state);
    if (decision->outcome != BT_CONTRACT_OUTCOME_ACCEPTED) {
        return BT_OK;
    }
    bt_buf_printf(buf, "state: %.*s -> %.*s\n",
                  BT_STR_ARG(before.len > 0 ? before : BT_STR("none")),
                  BT_STR_ARG(bt_contract_status_name(decision->state)));
    for (size_t i = 0; i < decision->change_count; i++) {
        const struct bt_section_change *change = &decision->changes[i];
        if (!change->is_dropped) {
            bt_buf_put_text(buf, "section ");
            bt_buf_put_printable(buf, change->name, SIZE_MAX);
            bt_buf_put_text(buf, change->is_new ? ": insert\n" : ": merge\n");
        }
    }
    if (decision->approval_id.len > 0) {
        bt_str until;
        BT_TRY(cli_time_text(run->options, &run->arena, bt_env_now(&run->env),
                             decision->approval_expires_at, &until));
        bt_buf_printf(buf, "approval %.*s: pending until %.*s\n", BT_STR_ARG(decision->approval_id),
                      BT_STR_ARG(until));
    }
    bt_buf_printf(buf, "next: %.*s\n", BT_STR_ARG(bt_contract_status_dispatch(decision->state)));
    return BT_OK;
}

/* Print the lines about a decision below the report. Returns the exit code of the report. */
static int print_effects(struct cli_run *run, const struct bt_submission *submission, int code)
{
    const struct bt_contract_submission *contract = submission->decision;
    struct bt_buf buf;
    if (code == CLI_FAILED || !cli_prints_text(run->options)) {
        return code;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (submission->mode == BT_SUBMIT_RECORD) {
        cli_run_put_recorded(run, &buf, submission);
    }
    const enum bt_status status =
        submission->mode == BT_SUBMIT_RECORD && !cli_is_quiet(run->options)
            ? put_effects(run, &buf, &contract->out)
            : BT_OK;
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(status);
    }
    return cli_print_buf(&buf) == CLI_DONE ? code : CLI_FAILED;
}

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
    return status == BT_OK ? print_effects(run, submission,
                                           cli_run_report_one(run, submission->judged, members))
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

static enum bt_status put_state_table(struct cli_run *run, struct bt_buf *buf,
                                      const struct bt_contract_agent_list *agents)
{
    static const char *const names[] = {"AGENT",   "STATE",     "#RETRIES", "#REJECTED",
                                        "SESSION", "WORKSPACE", "UPDATED",  NULL};
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    for (size_t i = 0; i < agents->count; i++) {
        const struct bt_contract_agent *agent = &agents->items[i];
        bt_str state = BT_STR("");
        bt_str updated;
        if (agent->state != BT_CONTRACT_STATUS_NONE || agent->is_escalated) {
            BT_TRY(bt_arena_printf(
                &run->arena, &state, "%.*s%s%s", BT_STR_ARG(bt_contract_status_name(agent->state)),
                agent->is_escalated ? " (escalated)" : "", agent->is_resumed ? " (resumed)" : ""));
        }
        BT_TRY(cli_time_text(run->options, &run->arena, bt_env_now(&run->env), agent->updated_at,
                             &updated));
        bt_table_add(&table, agent->agent_id);
        bt_table_add(&table, state);
        bt_table_add_u64(&table, agent->in_progress);
        bt_table_add_u64(&table, agent->rejections);
        bt_table_add(&table, agent->session);
        bt_table_add(&table, agent->workspace);
        bt_table_add(&table, updated);
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
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
    } else if (agents.count == 0) {
        cli_print_empty(run->options, "No agents. `baton contract submit` and the hooks of agent "
                                      "hosts record what agents report.");
    } else if (put_state_table(run, &buf, &agents) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    return cli_print_buf(&buf);
}

/* Print how many states of the agent were changed, as `word`. */
static int print_count(struct cli_run *run, enum bt_status status, const char *word, uint64_t count)
{
    const char *agent = cli_given(run->options, &flag_agent);
    struct bt_buf buf;
    if (status != BT_OK) {
        return cli_run_failed(run, "nothing was changed");
    }
    if (cli_run_alarmed(run)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        bt_buf_printf(&buf, "{\"baton\":1,\"%s\":%" PRIu64 "}\n", word, count);
    } else if (!cli_is_quiet(run->options)) {
        bt_buf_printf(&buf, "%s %" PRIu64 " state%s of agent ", word, count, count == 1 ? "" : "s");
        bt_buf_put_printable(&buf, bt_str_of(agent), SIZE_MAX);
        bt_buf_put_char(&buf, '\n');
    }
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

/* The sections with their values, one on a line. */
static void put_section_values(struct bt_buf *buf, const struct bt_contract_section_list *sections,
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

/* The time of the entry that stored a section. */
static enum bt_status find_update(struct cli_run *run, uint64_t seq, bt_str *out)
{
    struct bt_ledger_entry_view entry;
    struct bt_json_read_result read = {0};
    *out = BT_STR("");
    BT_TRY(bt_ledger_get_entry(run->ledger, &run->arena, seq, run->alarms, &entry, &run->error));
    /* from: store */
    BT_TRY(bt_json_read(&run->arena, entry.entry.text, NULL, &read));
    const bt_json_value *time =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("time"))
                      : NULL;
    return time && bt_json_type(time) == BT_JSON_STRING
               ? cli_time_text(run->options, &run->arena, bt_env_now(&run->env), bt_json_text(time),
                               out)
               : BT_OK;
}

static enum bt_status put_section_table(struct cli_run *run, struct bt_buf *buf,
                                        const struct bt_contract_section_list *sections)
{
    static const char *const names[] = {"NAME", "#KEYS", "UPDATED", NULL};
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    for (size_t i = 0; i < sections->count; i++) {
        const struct bt_contract_section *section = &sections->items[i];
        struct bt_json_read_result read = {0};
        bt_str updated;
        /* from: store */
        BT_TRY(bt_json_read(&run->arena, section->value, NULL, &read));
        BT_TRY(find_update(run, section->seq, &updated));
        bt_table_add(&table, section->name);
        bt_table_add_u64(&table, read.document ? bt_json_count(bt_json_root(read.document)) : 0);
        bt_table_add(&table, updated);
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
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
    } else if (sections.count == 0) {
        cli_print_empty(options,
                        "No sections. The update_contracts of accepted reports fill them.");
    } else if (name.len > 0 || history) {
        put_section_values(&buf, &sections, history);
    } else if (put_section_table(run, &buf, &sections) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot show the sections");
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
        return cli_refuse_usage(options, "contract input needs --agent ID or --agent-type TYPE");
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
    if (cli_run_is_json(run->options)) {
        return cli_print(BT_STR("{\"baton\":1,\"stored\":true}\n"));
    }
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (!cli_is_quiet(run->options)) {
        bt_buf_put_text(&buf, "stored INPUT for ");
        bt_buf_put_text(&buf, owner.agent_id.len > 0 ? "agent " : "type ");
        bt_buf_put_printable(&buf, owner.agent_id.len > 0 ? owner.agent_id : owner.agent_type,
                             SIZE_MAX);
        bt_buf_put_char(&buf, '\n');
    }
    return cli_print_buf(&buf);
}
