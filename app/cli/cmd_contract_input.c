/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_input.c - baton contract input FILE
 */
#include "commands.h"
#include "gate_run.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_agent_type = {"agent-type", 0, "TYPE", CLI_ANY,
    "for every agent of this type", NULL};
/* clang-format on */

const struct cli_command cmd_contract_input = {
    .name = "baton contract input",
    .operands = "FILE",
    .summary = "keep an INPUT envelope for the hooks",
    .about = "The hooks judge an agent by the INPUT that is kept for it, or for its type. Without "
             "--session it is for all of them.\n",
    .missing = "give the INPUT envelope",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(CLI_GATE_FLAGS, &flag_agent, &flag_agent_type, &flag_actor, &flag_format,
                       &flag_limit, &flag_now, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract input --agent-type checker in.json", "what checkers may write"}),
    .run = run,
};

static bool take_owner(struct cli_gate_run *run, struct bt_contract_input_owner *out)
{
    const struct cli_options *options = run->contract.options;
    *out = (struct bt_contract_input_owner){
        .session = bt_str_of(cli_given(options, &flag_agent_session)),
        .agent_type = bt_str_of(cli_given(options, &flag_agent_type))};
    if (!gate_run_names(run) || !gate_run_agent(run, &out->agent_id)) {
        return false;
    }
    out->workspace = run->workspace;
    if ((out->agent_id.len > 0) == (out->agent_type.len > 0)) {
        (void)cli_usage_error(options->command, "say for whom: --agent ID or --agent-type TYPE");
        return false;
    }
    return true;
}

/* Read the envelope, which must be valid. False after an error message. */
static bool read_envelope(struct cli_gate_run *run, struct cli_input *out)
{
    struct cli_contract_run *contract = &run->contract;
    struct bt_contract_input input;
    struct bt_error error;
    const char *path = contract->options->operands[0];
    if (!cli_input_read(&contract->arena, path, contract->env.limits.document_bytes, out)) {
        return false;
    }
    if (bt_contract_input_read(contract->contract, &contract->arena, out->content, &input,
                               &error) != BT_OK) {
        cli_print_error("cannot use the INPUT %s: %s", path, error.text);
        return false;
    }
    return true;
}

static int save_input(struct cli_gate_run *run)
{
    struct bt_contract_input_owner owner;
    struct cli_input envelope;
    if (!take_owner(run, &owner) || !read_envelope(run, &envelope) ||
        !gate_run_open(run, GATE_MAKE)) {
        return CLI_FAILED;
    }
    ledger_run_watch(&run->ledger);
    const enum bt_status status =
        bt_contract_input_store(&run->gate, &owner, envelope.content, &run->ledger.error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(&run->ledger, "not stored");
    }
    if (ledger_run_alarmed(&run->ledger)) {
        return CLI_FAILED;
    }
    return cli_print(ledger_run_is_json(run->contract.options)
                         ? BT_STR("{\"baton\":1,\"stored\":true}\n")
                         : BT_STR("stored\n"));
}

static int run(const struct cli_options *options)
{
    struct cli_gate_run run;
    const bool ready = gate_run_begin(&run, options);
    return gate_run_end(&run, ready ? save_input(&run) : CLI_FAILED);
}
