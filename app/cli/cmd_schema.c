/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema.c - baton schema
 */
#include "commands.h"

static const struct cli_command *const parts[] = {
    &cmd_schema_validate, &cmd_schema_check, &cmd_schema_bundle, &cmd_schema_strip,
    &cmd_schema_compat,   &cmd_schema_print, &cmd_schema_bench,  NULL,
};

static const struct cli_flag *const flags[] = {&flag_help, NULL};

static const struct cli_example examples[] = {
    {"baton schema validate order.schema.json order.json", "judge a document by a schema"},
    {"baton schema check order.schema.json", "find what is wrong with a schema itself"},
    {"baton help schema validate", "everything about one of them"},
    {NULL, NULL},
};

const struct cli_command cmd_schema = {
    .name = "baton schema",
    .operands = "COMMAND",
    .summary = "judge documents by JSON Schemas, and schemas themselves",
    .about = "JSON Schema, drafts 3, 4, 6, 7, 2019-09, 2020-12 and v1. A schema says with $schema "
             "which it is written in; without, it is taken for 2020-12. Nothing is ever fetched: "
             "references lead to parts of the schema, to files beneath --root, or to the "
             "meta-schemas of the drafts, which are part of the program.\n",
    .missing = "schema what? name one of its commands",
    .flags = flags,
    .examples = examples,
    .parts = parts,
};
