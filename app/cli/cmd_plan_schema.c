/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan_schema.c - baton plan validate, baton plan schema */
#include <string.h>

#include "commands.h"
#include "output.h"
#include "plan_run.h"
#include "schema_run.h"

/* ---- baton plan validate --------------------------------------------------------------------- */

static cli_work_fn run_validate;

static const uint64_t budget_max = UINT64_C(1000000000000);

/* clang-format off */
static const struct cli_flag flag_schema = {"schema", 0, "REF", CLI_ANY,
    "the payload schema", NULL};
static const struct cli_flag flag_plan = {"plan", 0, "FILE", CLI_FILE,
    "take the schema from a step of this plan", NULL};
static const struct cli_flag flag_step = {"step", 0, "ID", CLI_ANY,
    "with --plan: the step", NULL};
static const struct cli_flag flag_side = {"side", 0, "SIDE", CLI_SIDE,
    "with --plan: what the step gives (out, the default) or takes (in)", NULL};
static const struct cli_flag flag_timeout = {"timeout", 0, "SECONDS", CLI_ANY,
    "how long it may take, from 0.001 to 60 (default 2)", NULL};
static const struct cli_flag flag_budget = {"budget", 0, "N", CLI_ANY,
    "units of work that it may take (default 10000000)", NULL};
/* clang-format on */

const struct cli_command cmd_plan_validate = {
    .name = "baton plan validate",
    .operands = "PAYLOAD|-",
    .summary = "judge a payload by its payload schema, in bounded time",
    .about = "The schema is judged first; a refused one leaves the payload unread. Every failure "
             "of the payload is reported. When time or work run out, that is the only answer.\n",
    .missing = "validate what? give a PAYLOAD, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_schema, &flag_plan, &flag_step, &flag_side, &flag_root, &flag_timeout,
                       &flag_budget, &flag_format, &flag_output, &flag_config, &flag_no_config,
                       &flag_limit, &flag_today, &flag_now, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton plan validate --schema draft/v1.schema.json --root . payload.json",
                      "may this payload travel?"},
                     {"baton plan validate --plan work.steps.csv --step 3 --root . -",
                      "is this what step 3 promised?"}),
    .work = run_validate,
};

/* Parse a decimal number of seconds exactly, with at most nine digits of a fraction. */
static bool to_ns(const char *text, uint64_t *out)
{
    const bt_str value = bt_str_of(text);
    const size_t point = bt_str_find_byte(value, '.', 0);
    const bt_str fraction = bt_str_slice(value, point + 1, value.len);
    uint64_t whole = 0;
    uint64_t ns = 0;
    if (bt_str_to_u64(bt_str_slice(value, 0, point), &whole) != BT_OK || whole > 60 ||
        (point < value.len && fraction.len == 0)) {
        return false;
    }
    uint64_t unit = 100000000;
    for (size_t i = 0; i < fraction.len; i++, unit /= 10) {
        if (fraction.ptr[i] < '0' || fraction.ptr[i] > '9') {
            return false;
        }
        ns += (uint64_t)(fraction.ptr[i] - '0') * unit;
    }
    *out = whole * 1000000000 + ns;
    return *out >= 1000000 && *out <= UINT64_C(60000000000);
}

static bool take_bounds(const struct cli_options *options, struct bt_plan_validate_input *out)
{
    const char *timeout = cli_given(options, &flag_timeout);
    const char *budget = cli_given(options, &flag_budget);
    out->timeout_ns = bt_config_u64(options->config, "limits.schema_ms") * 1000000;
    out->budget = bt_config_u64(options->config, "limits.schema_work");
    if (timeout && !to_ns(timeout, &out->timeout_ns)) {
        (void)cli_usage_error(options->command, "--timeout wants seconds from 0.001 to 60, not %s",
                              timeout);
        return false;
    }
    if (budget && (bt_str_to_u64(bt_str_of(budget), &out->budget) != BT_OK || out->budget == 0 ||
                   out->budget > budget_max)) {
        (void)cli_usage_error(options->command,
                              "--budget wants a whole number from 1 to 10^12, not %s", budget);
        return false;
    }
    return true;
}

/* What is wrong with the combination of flags, or NULL. */
static const char *find_usage_error(const struct cli_options *options)
{
    const char *side = cli_given(options, &flag_side);
    const bool has_schema = cli_given(options, &flag_schema) != NULL;
    const bool has_plan = cli_given(options, &flag_plan) != NULL;
    const bool has_step = cli_given(options, &flag_step) != NULL;
    if (has_schema == has_plan) {
        return "give either --schema REF or --plan FILE";
    }
    if (has_plan != has_step || (side && !has_plan)) {
        return "--plan, --step and --side belong together";
    }
    if (side && strcmp(side, "out") != 0 && strcmp(side, "in") != 0) {
        return "--side wants out or in";
    }
    return options->root ? NULL : "give --root DIR, the folder of schemas";
}

static int validate_payload(struct cli_run *run, struct bt_plan_validate_input *input)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    const char *side = cli_given(run->options, &flag_side);
    struct bt_plan_input plan;
    struct bt_plan_result result;
    if (plan_path && !plan_run_read(run, plan_path, &plan)) {
        return CLI_FAILED;
    }
    if (!plan_run_read(run, run->options->operands[0], &input->payload)) {
        return CLI_FAILED;
    }
    input->plan = plan_path ? &plan : NULL;
    input->step = bt_str_of(cli_given(run->options, &flag_step));
    input->is_input_schema = side && strcmp(side, "in") == 0;
    input->reference = bt_str_of(cli_given(run->options, &flag_schema));
    input->clock = schema_run_clock;
    const enum bt_status status =
        bt_plan_validate_payload(run->plan->checker, &run->arena, input, &result);
    return status == BT_OK ? plan_run_report(run, &result, NULL)
                           : plan_run_fail(input->payload.path, status);
}

static int run_validate(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_plan_validate_input input = {0};
    const char *wrong = find_usage_error(options);
    if (wrong) {
        return cli_usage_error(options->command, "%s", wrong);
    }
    if (!take_bounds(options, &input) || !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    return validate_payload(run, &input);
}

/* ---- baton plan schema, baton schema strip --------------------------------------------------- */

static cli_work_fn run_load;
static cli_work_fn run_strip;
static cli_work_fn run_lint;

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
    .work = run_load,
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
    .work = run_strip,
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
    .work = run_strip,
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
    .work = run_lint,
};

const struct cli_command cmd_plan_schema = {
    .name = "baton plan schema",
    .operands = "COMMAND",
    .summary = "look at payload schemas",
    .about = "A payload schema names its members, requires some, and is closed: nothing that it "
             "does not declare can travel.\n",
    .missing = "do what with a schema? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton plan schema lint draft.v1.schema.json", "is it a good payload schema?"},
        {"baton plan schema strip draft.v1.schema.json", "what may a model see of it?"}),
    .parts = CLI_PARTS(&cmd_plan_schema_load, &cmd_plan_schema_strip, &cmd_plan_schema_lint),
};

typedef enum bt_status cli_plan_schema_fn(struct bt_plan_checker *plans, struct bt_arena *arena,
                                          const struct bt_payload_schema_input *input,
                                          struct bt_plan_result *out);

static int print_schema(struct cli_run *run, cli_plan_schema_fn *tool)
{
    struct bt_payload_schema_input input;
    struct bt_plan_result result;
    if (!plan_run_begin(run) || !plan_run_schema(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = tool(run->plan->checker, &run->arena, &input, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

static int run_load(struct cli_run *run)
{
    return run->options->root
               ? print_schema(run, bt_payload_schema_load)
               : cli_usage_error(run->options->command, "give --root DIR, the folder of schemas");
}

static int run_strip(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_strip);
}

static int run_lint(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_lint);
}
