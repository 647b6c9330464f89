/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_repair_prompt.c - baton contract repair-prompt PATH|-
 */
#include "commands.h"
#include "contract_run.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_attempt = {"attempt", 0, "N", CLI_ANY,
    "which attempt this is (default 1)", NULL};
/* clang-format on */

const struct cli_command cmd_contract_repair_prompt = {
    .name = "baton contract repair-prompt",
    .operands = "[PATH|-]",
    .summary = "say what an agent has to change in its block",
    .about = "Judges a message and prints the text that asks its agent for a better block: the "
             "errors with their places, the blank parts that are missing, and nothing else of the "
             "message. Prints nothing when the block is accepted.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_text, &flag_bare, &flag_input, &flag_runtime_agent_id, &flag_attempt,
                       &flag_max_rejections, &flag_format, &flag_config, &flag_no_config,
                       &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract repair-prompt message.md", "what to send back to the agent"},
        {"baton contract repair-prompt -f json - < message.md", "the same, with its parts"}),
    .run = run,
};

static int print_repair_prompt(struct cli_contract_run *run, const struct cli_input *message)
{
    struct bt_contract_attempt attempt = {
        .number = 1, .limit = bt_config_u64(run->options->config, "contract.max_rejections")};
    if (!contract_run_number(run, &flag_attempt, &attempt.number) ||
        !contract_run_number(run, &flag_max_rejections, &attempt.limit)) {
        return CLI_FAILED;
    }
    const struct bt_contract_document document = {message->path, message->content,
                                                  &run->flags.options};
    struct bt_contract_repair_prompt repaired;
    const enum bt_status status =
        bt_contract_write_repair_prompt(run->contract, &run->arena, &document, attempt, &repaired);
    if (status != BT_OK) {
        return contract_run_fail(status);
    }
    if (run->options->output_count > 0) {
        return contract_run_report(run, &repaired.judged, repaired.members);
    }
    if (cli_print(repaired.prompt) != CLI_DONE) {
        return CLI_FAILED;
    }
    return repaired.judged.verdict == BT_VERDICT_ACCEPTED ? CLI_DONE : CLI_REJECTED;
}

static int run(const struct cli_options *options)
{
    struct cli_contract_run run;
    struct cli_input message;
    const bool ready = contract_run_begin(&run, options) && contract_run_message(&run, &message);
    const int code = ready ? print_repair_prompt(&run, &message) : CLI_FAILED;
    contract_run_end(&run);
    return code;
}
