/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_submit.c - baton contract submit PATH|-
 */
#include <baton/submit.h>

#include "commands.h"
#include "gate_run.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_dry_run = {"dry-run", 0, NULL, CLI_ANY,
    "judge against the store, and change nothing", NULL};
/* clang-format on */

const struct cli_command cmd_contract_submit = {
    .name = "baton contract submit",
    .operands = "[PATH|-]",
    .summary = "decide whether the turn of an agent may end, and remember it",
    .about = "Judges the message as baton check does, and against what its agent reported before. "
             "An accepted report becomes the agent's state; a rejected one is counted, and nothing "
             "of it is applied. The decision is in the ledger before it is printed. A SQLite store "
             "that --store names is made when it is not there.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(CLI_GATE_FLAGS, &flag_text, &flag_input, &flag_runtime_agent_id,
                       &flag_max_rejections, &flag_dry_run, &flag_actor, &flag_format,
                       &flag_report_out, &flag_limit, &flag_now, &flag_seed, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract submit --store .baton/store.db message.md", "may this turn end?"},
        {"baton contract submit --dry-run message.md", "would it be allowed to?"}),
    .use = BT_CONFIG_DECIDES,
    .run = run,
};

static int print_decision(struct cli_gate_run *run, enum bt_status status,
                          struct bt_submission *submission)
{
    if (status != BT_OK && submission->durability == BT_DURABILITY_DURABLE) {
        return ledger_run_failed(&run->ledger, "the decision is recorded, but");
    }
    if (status != BT_OK) {
        return ledger_run_failed(&run->ledger, "not decided");
    }
    if (ledger_run_alarmed(&run->ledger)) {
        return CLI_REJECTED;
    }
    const bt_str members = submission->judged->extra_members; /* they stand beside the document */
    submission->judged->extra_members = BT_STR("");
    status = bt_submission_put_record(submission);
    return status == BT_OK ? contract_run_report(&run->contract, submission->judged, members)
                           : contract_run_fail(status);
}

static int submit_message(struct cli_gate_run *run, const struct cli_input *message)
{
    const bool is_dry = cli_given(run->contract.options, &flag_dry_run) != NULL;
    const struct bt_contract_document document = {message->path, message->content,
                                                  &run->contract.flags.options};
    const struct bt_config *config = run->contract.options->config;
    struct bt_contract_submission contract = {
        .state = &run->gate,
        .document = &document,
        .max_rejections = bt_config_u64(config, "contract.max_rejections"),
        .pending_seconds = bt_config_seconds(config, "approvals.pending_ttl")};
    struct bt_judgement judged = {
        .path = message->path, .dialect = BT_DIALECT_CONTRACT, .source = message->content};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    if (!contract_run_number(&run->contract, &flag_max_rejections, &contract.max_rejections) ||
        !gate_run_names(run) || !gate_run_open(run, is_dry ? GATE_READ : GATE_MAKE)) {
        return CLI_FAILED;
    }
    contract.workspace = run->workspace;
    contract.session = run->session;
    bt_submission_init(item, run->gate.arena, &judged, run->gate.actor, message->content,
                       run->contract.env.limits.document_bytes);
    submission.mode = is_dry ? BT_SUBMIT_DRY_RUN : BT_SUBMIT_RECORD;
    submission.decision = &contract;
    const struct bt_deliver deliver = {.ledger = run->gate.ledger,
                                       .env = &run->contract.env,
                                       .arena = run->gate.arena,
                                       .actor = run->gate.actor,
                                       .alarms = run->gate.alarms};
    ledger_run_watch(&run->ledger);
    const enum bt_status status = bt_submit(&deliver, &item, 1, &run->ledger.error);
    ledger_run_unwatch();
    return print_decision(run, status, item);
}

static int run(const struct cli_options *options)
{
    struct cli_gate_run run;
    struct cli_input message;
    const bool ready =
        gate_run_begin(&run, options) && contract_run_message(&run.contract, &message);
    return gate_run_end(&run, ready ? submit_message(&run, &message) : CLI_FAILED);
}
