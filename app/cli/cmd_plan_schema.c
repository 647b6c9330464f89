/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_plan_schema.c - baton plan schema load|strip|lint
 */
#include "commands.h"
#include "plan_run.h"
#include "print.h"

static cli_run_fn run_load;
static cli_run_fn run_strip;
static cli_run_fn run_lint;

static const struct cli_flag *const tool_flags[] = {
    &flag_root,      &flag_format, &flag_output, &flag_config,
    &flag_no_config, &flag_limit,  &flag_help,   NULL,
};

static const struct cli_example strip_examples[] = {
    {"baton plan schema strip draft.v1.schema.json > shown.json", "before a model sees it"},
    {NULL, NULL},
};
const struct cli_command cmd_plan_schema_load = {
    .name = "baton plan schema load",
    .operands = "REF",
    .summary = "load a payload schema as a plan would, and print it",
    .about = "REF is schemas/handoff-payloads/<slug>.v<n>.schema.json or <slug>/v<n>.schema.json. "
             "The file is looked for below --root and nowhere else.\n",
    .missing = "load which schema? give a REF",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_ANY,
    .flags = tool_flags,
    .examples = CLI_EXAMPLES(
        {"baton plan schema load draft/v1.schema.json --root .", "judge a schema, then print it"}),
    .run = run_load,
};

const struct cli_command cmd_plan_schema_strip = {
    .name = "baton plan schema strip",
    .operands = "REF|FILE|-",
    .summary = "remove the text of a schema that a model could read",
    .about = "Removes description, title, $comment and examples wherever a schema stands, and "
             "nothing else. Text that is left in other places is told. With --root the operand is "
             "a reference.\n",
    .missing = "strip which schema? give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = tool_flags,
    .examples = strip_examples,
    .run = run_strip,
};

const struct cli_command cmd_schema_strip = {
    .name = "baton schema strip",
    .operands = "FILE|-",
    .summary = "remove the text of a schema that a model could read",
    .about = "The same as `baton plan schema strip`.\n",
    .missing = "strip which schema? give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = tool_flags,
    .examples = strip_examples,
    .run = run_strip,
};

const struct cli_command cmd_plan_schema_lint = {
    .name = "baton plan schema lint",
    .operands = "REF|FILE|-",
    .summary = "judge a payload schema, and warn of what is hardly meant",
    .about = "Warns of nested objects that accept anything, properties without a type, and "
             "keywords without effect. With --root the operand is a reference.\n",
    .missing = "lint which schema? give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = tool_flags,
    .examples = CLI_EXAMPLES(
        {"baton plan schema lint draft.v1.schema.json", "judge a file, and warn of loose ends"}),
    .run = run_lint,
};

static const struct cli_example examples[] = {
    {"baton plan schema lint draft.v1.schema.json", "is it a good payload schema?"},
    {"baton plan schema strip draft.v1.schema.json", "what may a model see of it?"},
    {NULL, NULL},
};

const struct cli_command cmd_plan_schema = {
    .name = "baton plan schema",
    .operands = "COMMAND",
    .summary = "look at payload schemas",
    .about = "A payload schema names its members, requires some, and is closed: nothing that it "
             "does not declare can travel.\n",
    .missing = "do what with a schema? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = examples,
    .parts = CLI_PARTS(&cmd_plan_schema_load, &cmd_plan_schema_strip, &cmd_plan_schema_lint),
};

typedef enum bt_status cli_plan_schema_fn(struct bt_plan_checker *plans, struct bt_arena *arena,
                                          const struct bt_payload_schema_input *input,
                                          struct bt_plan_result *out);

static int run_schema_tool(const struct cli_options *options, cli_plan_schema_fn *tool)
{
    struct cli_plan_run run;
    struct bt_payload_schema_input input;
    struct bt_plan_result result;
    if (!plan_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    int code = CLI_FAILED;
    if (plan_run_schema(&run, options->operands[0], &input)) {
        const enum bt_status status = tool(run.plans, &run.arena, &input, &result);
        code = status == BT_OK ? plan_run_show(&run, &result) : plan_run_fail(input.path, status);
    }
    plan_run_end(&run);
    return code;
}

static int run_load(const struct cli_options *options)
{
    return options->root
               ? run_schema_tool(options, bt_payload_schema_load)
               : cli_usage_error(options->command, "give --root DIR, the folder of schemas");
}

static int run_strip(const struct cli_options *options)
{
    return run_schema_tool(options, bt_payload_schema_strip);
}

static int run_lint(const struct cli_options *options)
{
    return run_schema_tool(options, bt_payload_schema_lint);
}
