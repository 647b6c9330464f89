/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_plan.c - baton plan
 */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_plan_audit,
    &cmd_plan_validate,
    &cmd_plan_schema,
    &cmd_plan_waves,
    &cmd_plan_status,
    &cmd_plan_trajectory,
    NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton plan audit work.steps.csv", "show what each step hands to the next"},
    {"baton plan waves work.steps.csv", "see which steps can run at the same time"},
    {"baton plan status set work.steps.csv 3 done", "change one status and nothing else"},
    {NULL, NULL},
};

const struct cli_command cmd_plan = {
    .name = "baton plan",
    .operands = "COMMAND",
    .summary = "work with plans in CSV and their payload schemas",
    .about = "A plan is a CSV file with one row for each step. What a step gives and what the next "
             "one takes are named by payload schemas, JSON Schemas below schemas/handoff-payloads "
             "of the root. `baton check` judges a plan as a whole.\n",
    .missing = "plan what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
