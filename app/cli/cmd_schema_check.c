/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema_check.c - baton schema check SCHEMA...
 */
#include <inttypes.h>

#include "commands.h"
#include "schema_run.h"

static cli_run_fn run_check;

static const struct cli_example examples[] = {
    {"baton schema check order.schema.json", "judge one schema"},
    {"baton schema check --root schemas schemas/*.json", "with references to files"},
    {NULL, NULL},
};

const struct cli_command cmd_schema_check = {
    .name = "baton schema check",
    .operands = "SCHEMA...",
    .summary = "find what is wrong with a schema itself",
    .about =
        "Judges each SCHEMA by the meta-schema of its draft, follows its references, compiles its "
        "patterns and looks for references that go round in circles. Beyond that it warns, as "
        "SCHEMA_LINT, of what is valid but probably a mistake: uniqueItems without maxItems, "
        "pattern without maxLength, unreachable branches, required names without a property.\n"
        "A warning does not reject. One of the operands may be - for standard input.\n",
    .missing = "check what? give a SCHEMA, or - for standard input",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_root, &flag_draft, &flag_format, &flag_output, &flag_config,
                       &flag_no_config, &flag_limit, &flag_help),
    .examples = examples,
    .run = run_check,
};

static enum bt_status put_facts(struct bt_arena *arena, const struct cli_schema_compiled *compiled,
                                bt_str *out)
{
    const struct cli_schema_input *input = &compiled->input;
    if (!compiled->schema) {
        return bt_arena_printf(arena, out, "{\"bytes\":%zu}", input->input.content.len);
    }
    const struct bt_schema_size size = bt_schema_get_size(compiled->schema);
    return bt_arena_printf(
        arena, out, "{\"bytes\":%zu,\"nodes\":%" PRIu64 ",\"schemas\":%u,\"instructions\":%u}",
        input->input.content.len, bt_json_node_count(input->document), size.schemas,
        size.instructions);
}

static enum bt_status judge_schema(struct cli_schema_run *run,
                                   const struct cli_schema_compiled *compiled)
{
    bt_str facts;
    if (compiled->schema) {
        BT_TRY(
            bt_schema_lint(compiled->input.document, &compiled->options, compiled->input.findings));
    }
    BT_TRY(put_facts(&run->arena, compiled, &facts));
    return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, facts);
}

static int run_check(const struct cli_options *options)
{
    struct cli_schema_run run;
    if (!schema_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    for (size_t i = 0; i < options->operand_count; i++) {
        struct cli_schema_compiled compiled;
        if (!schema_run_compile(&run, options->operands[i], &compiled)) {
            continue;
        }
        const enum bt_status status = judge_schema(&run, &compiled);
        if (status != BT_OK) {
            schema_run_fail(&run, compiled.input.input.path, status);
        }
        bt_schema_destroy(compiled.schema);
    }
    return schema_run_end(&run);
}
