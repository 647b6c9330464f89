/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump.c - baton pump
 */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_pump_check,  &cmd_pump_run,     &cmd_pump_send,   &cmd_pump_ctl,
    &cmd_pump_schema, &cmd_pump_example, &cmd_pump_prompt, NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton pump check organism.yaml", "judge an organism and load its handlers"},
    {"baton pump prompt researcher", "show what an agent is told"},
    {NULL, NULL},
};

const struct cli_command cmd_pump = {
    .name = "baton pump",
    .operands = "COMMAND",
    .summary = "work with the organism of an XML pump",
    .about = "An organism is one YAML file that names every capability, the payload it takes, what "
             "it may answer and whom it may call. `baton check` judges the messages that are sent "
             "to one.\n",
    .missing = "pump what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
