/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern.c - baton govern
 */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_govern_submit,   &cmd_govern_respond,
    &cmd_govern_dispatch, &cmd_govern_blocked,
    &cmd_govern_unblock,  &cmd_govern_verify_root,
    &cmd_govern_lock,     &cmd_govern_boundaries,
    &cmd_govern_path,     NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton govern submit handoff.json --root prompts --store .baton/store.db", "may it go?"},
    {"baton govern verify-root --root prompts", "is everything in the catalogue sound?"},
    {"baton govern path domain-01-content domain-09-technical --root prompts",
     "may one reach the other?"},
    {"baton help govern lock update", "everything about one of them"},
    {NULL, NULL},
};

const struct cli_command cmd_govern = {
    .name = "baton govern",
    .operands = "COMMAND",
    .summary = "decide governed handoffs, and look after their catalogue",
    .about = "A catalogue is a folder with a manifest of agents, the prompts of each, a lock with "
             "their digests, and lists of who works with whom. `baton check --as governed --root "
             "DIR` judges a handoff by it; these commands decide handoffs and responses against a "
             "store, and look after the catalogue itself.\n",
    .missing = "govern what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
