/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_trace.c - baton trace
 */
#include "commands.h"

static const struct cli_command *const parts[] = {&cmd_trace_add, &cmd_trace_show,
                                                  &cmd_trace_parent, NULL};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton trace add trace.jsonl --event transmitted --for h.json", "log that h.json was sent"},
    {"baton trace show trace.jsonl", "see what happened, and how long it took"},
    {"baton trace show --view chain --render svg trace.jsonl > trace.svg", "draw it"},
    {NULL, NULL},
};

const struct cli_command cmd_trace = {
    .name = "baton trace",
    .operands = "COMMAND",
    .summary = "log what happens to handoffs, and look at it",
    .about = "A log is JSON Lines, one event per line, by custom trace.jsonl in the session "
             "folder. Any number of processes may append to it at once.\n",
    .missing = "trace what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
