/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema_bundle.c - baton schema bundle SCHEMA
 */
#include "commands.h"
#include "schema_run.h"

enum { RESULT_BYTES_MAX = 1 << 30 };

static cli_run_fn run_bundle;

const struct cli_command cmd_schema_bundle = {
    .name = "baton schema bundle",
    .operands = "SCHEMA|-",
    .summary = "make one schema of a schema and those it refers to",
    .about =
        "Prints SCHEMA with every document that its references lead to embedded below $defs "
        "(definitions before 2019-09), each with the $id by which it is found. The result judges "
        "as the SCHEMA does and needs no --root. Meta-schemas of the drafts are left out.\n"
        "When something is wrong with the SCHEMA, that is reported instead.\n",
    .missing = "bundle what? give a SCHEMA, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_root, &flag_draft, &flag_format, &flag_config, &flag_no_config,
                       &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES({"baton schema bundle --root schemas schemas/order.json",
                              "one schema that needs no other"}),
    .run = run_bundle,
};

static enum bt_status bundle_schema(struct cli_schema_run *run,
                                    const struct cli_schema_compiled *compiled, struct bt_buf *out)
{
    if (!compiled->schema) {
        return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, BT_STR(""));
    }
    return bt_schema_bundle(out, compiled->input.document, &compiled->options);
}

static int run_bundle(const struct cli_options *options)
{
    struct cli_schema_run run;
    struct cli_schema_compiled compiled;
    struct bt_buf result;
    if (!schema_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (schema_run_compile(&run, options->operands[0], &compiled)) {
        const enum bt_status status = bundle_schema(&run, &compiled, &result);
        if (status != BT_OK) {
            schema_run_fail(&run, compiled.input.input.path, status);
        }
        bt_schema_destroy(compiled.schema);
    }
    return schema_run_end_with(&run, &result);
}
