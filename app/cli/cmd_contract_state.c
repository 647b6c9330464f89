/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_state.c - baton contract state
 */
#include <inttypes.h>

#include "commands.h"
#include "gate_run.h"
#include "operation/contract_json.h"
#include "print.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_clear = {"clear", 0, NULL, CLI_ANY,
    "forget what matches; needs --agent", NULL};
/* clang-format on */

const struct cli_command cmd_contract_state = {
    .name = "baton contract state",
    .operands = "",
    .summary = "show or forget what agents reported last",
    .about = "Lists the agents by workspace, session and id, with the status of the last accepted "
             "report, the IN_PROGRESS reports in a row, and how often a bad report was sent back. "
             "--clear forgets the agent, and the ledger remembers that.\n",
    .missing = "",
    .flags = CLI_FLAGS(CLI_GATE_FLAGS, &flag_agent, &flag_clear, &flag_actor, &flag_format,
                       &flag_now, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract state", "every agent and its last accepted status"},
        {"baton contract state --agent a80177b959c721da1 --clear", "let it start anew"}),
    .run = run,
};

static void put_text(struct bt_buf *buf, const struct bt_contract_agent_list *agents)
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
        bt_buf_printf(buf, " in-progress %" PRIu64 " rejections %" PRIu64 "%s ", agent->in_progress,
                      agent->rejections, agent->is_escalated ? " escalated" : "");
        bt_buf_put(buf, agent->updated_at);
        bt_buf_put_char(buf, '\n');
    }
}

static int list_agent_states(struct cli_gate_run *run,
                             const struct bt_contract_agent_filter *filter)
{
    struct bt_contract_agent_list agents;
    struct bt_buf buf;
    if (!gate_run_open(run, GATE_READ)) {
        return CLI_FAILED;
    }
    if (bt_contract_agents_list(&run->gate, filter, &agents, &run->ledger.error) != BT_OK) {
        return ledger_run_failed(&run->ledger, "cannot read the states");
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(run->contract.options)) {
        bt_emit_contract_agents(&buf, &agents);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_text(&buf, &agents);
    }
    return cli_print_buf(&buf);
}

static int clear_agent_states(struct cli_gate_run *run,
                              const struct bt_contract_agent_filter *filter)
{
    uint64_t cleared = 0;
    struct bt_buf buf;
    if (filter->agent_id.len == 0) {
        return cli_usage_error(run->contract.options->command, "--clear needs --agent ID");
    }
    if (!gate_run_open(run, GATE_WRITE)) {
        return CLI_FAILED;
    }
    ledger_run_watch(&run->ledger);
    const enum bt_status status =
        bt_contract_agents_clear(&run->gate, filter, &cleared, &run->ledger.error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(&run->ledger, "not cleared");
    }
    if (ledger_run_alarmed(&run->ledger)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_buf_printf(&buf,
                  ledger_run_is_json(run->contract.options) ? "{\"baton\":1,\"cleared\":%" PRIu64
                                                              "}\n"
                                                            : "cleared %" PRIu64 "\n",
                  cleared);
    return cli_print_buf(&buf);
}

static int show_or_clear(struct cli_gate_run *run)
{
    const struct cli_options *options = run->contract.options;
    struct bt_contract_agent_filter filter = {
        .workspace = bt_str_of(cli_given(options, &flag_workspace)),
        .session = bt_str_of(cli_given(options, &flag_agent_session))};
    if (!gate_run_agent(run, &filter.agent_id)) {
        return CLI_FAILED;
    }
    return cli_given(options, &flag_clear) ? clear_agent_states(run, &filter)
                                           : list_agent_states(run, &filter);
}

static int run(const struct cli_options *options)
{
    struct cli_gate_run run;
    const bool ready = gate_run_begin(&run, options);
    return gate_run_end(&run, ready ? show_or_clear(&run) : CLI_FAILED);
}
