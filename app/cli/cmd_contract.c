/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract.c - baton contract
 */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_contract_submit, &cmd_contract_state,     &cmd_contract_sections,
    &cmd_contract_input,  &cmd_contract_template,  &cmd_contract_repair_prompt,
    &cmd_contract_merge,  &cmd_contract_normalize, NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton contract submit --store .baton/store.db message.md", "may this turn end?"},
    {"baton contract template --status COMPLETE", "a blank block to fill in"},
    {"baton contract repair-prompt message.md", "what to tell an agent about its bad block"},
    {"baton help contract merge", "everything about one of them"},
    {NULL, NULL},
};

const struct cli_command cmd_contract = {
    .name = "baton contract",
    .operands = "COMMAND",
    .summary = "work with the blocks that end the turns of agents",
    .about = "A subagent ends its turn with a fenced block called agent_contract_handoff. `baton "
             "check --as contract` judges it; these commands decide whether the turn may end and "
             "remember it, make blank blocks, say how to repair bad ones, and merge what they "
             "update.\n",
    .missing = "contract what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
