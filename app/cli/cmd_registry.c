/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_registry.c - baton registry
 */
#include "commands.h"

static const struct cli_command *const parts[] = {&cmd_registry_lint, &cmd_registry_sync, NULL};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton registry lint --skills skills", "find what is wrong with the skills"},
    {"baton registry sync --skills skills --registry registry.yaml", "write down who is there"},
    {NULL, NULL},
};

const struct cli_command cmd_registry = {
    .name = "baton registry",
    .operands = "COMMAND",
    .summary = "look after a catalogue of skills and its registry",
    .about = "A skill is a folder with a SKILL.md whose front matter says whose work it takes and "
             "to whom it hands its own. A registry is one file that lists skills and adds what "
             "their front matter does not say.\n",
    .missing = "registry what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
