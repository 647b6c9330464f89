/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_json.c - baton json
 */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_json_fmt, &cmd_json_min,  &cmd_json_canon, &cmd_json_stringify,
    &cmd_json_get, &cmd_json_diff, &cmd_json_patch, NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton json fmt handoff.json", "lay a document out for reading"},
    {"baton json get /handoff/target handoff.json", "print one value"},
    {"baton help json patch", "everything about one of them"},
    {NULL, NULL},
};

const struct cli_command cmd_json = {
    .name = "baton json",
    .operands = "COMMAND",
    .summary = "format, query, compare and patch JSON",
    .about = "Small tools around Baton's own JSON reader and writers. The order of members and the "
             "spelling of numbers are kept unless a command says otherwise. A text that cannot be "
             "read is reported as baton check reports it.\n",
    .missing = "json what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
