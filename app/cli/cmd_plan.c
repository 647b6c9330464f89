/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - the commands of `baton plan` */
#include <string.h>

#include "cli.h"
#include "fix_files.h"
#include "json/emit.h"
#include "output.h"
#include "plan_run.h"
#include "schema_run.h"
#include "suggest.h"
#include "write_document.h"

/* ---- baton plan audit ------------------------------------------------------------------------ */

int cmd_plan_audit(struct cli_run *run)
{
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = bt_plan_audit(run->plan->checker, &run->arena, &input, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    const bool is_for_people = run->options->output_count == 0;
    if (is_for_people && result.text.len > 0 && cli_print(result.text) != CLI_DONE) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

/* ---- baton plan template --------------------------------------------------------------------- */

enum { TEMPLATE_BYTES_MAX = 1 << 16 };

int cmd_plan_template(struct cli_run *run)
{
    struct bt_buf text;
    struct bt_buf json;
    struct bt_emit emit;
    bt_buf_init(&text, TEMPLATE_BYTES_MAX);
    bt_plan_put_template(&text);
    if (!cli_wants_json(run->options)) {
        return cli_print_buf(&text);
    }
    bt_buf_init(&json, TEMPLATE_BYTES_MAX);
    cli_json_begin(&emit, &json);
    bt_emit_member_object(&emit, "template");
    bt_emit_member_string(&emit, "name", bt_plan_template_name());
    bt_emit_member_string(&emit, "text", bt_buf_str(&text));
    bt_emit_end(&emit);
    cli_json_end(&emit);
    bt_buf_free(&text);
    return cli_print_buf(&json);
}

/* ---- baton plan type ------------------------------------------------------------------------- */

static bool read_samples(struct cli_run *run, struct bt_plan_step_value *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cli_input input;
        if (!cli_run_read(run, samples[i].value.ptr, &input)) {
            return false;
        }
        samples[i].path = input.path;
        samples[i].text = input.content;
    }
    return true;
}

/* Write the schemas, which are all new, then the plan, whose old bytes stay as FILE.orig. */
static bool write_result(struct cli_run *run, const struct cli_plan_file *file,
                         const struct bt_plan_type_result *result)
{
    const char *root = run->options->root ? run->options->root : ".";
    for (size_t i = 0; i < result->schema_count; i++) {
        const struct bt_plan_typed_schema *schema = &result->schemas[i];
        bt_str path;
        if (!schema->is_present &&
            !cli_create_below(run, bt_str_of(root), schema->file, schema->text, &path)) {
            return false;
        }
    }
    return cli_document_replace(bt_str_of(file->path), result->text, true);
}

static int type_plan(struct cli_run *run, const struct cli_plan_file *file)
{
    struct bt_plan_step_value *artifacts = NULL;
    struct bt_plan_step_value *slugs = NULL;
    struct bt_plan_type_input input = {.will_write = file != NULL};
    struct bt_plan_type_result result;
    if (!plan_run_steps(run, &flag_artifact, &artifacts, &input.artifact_count) ||
        !plan_run_steps(run, &flag_slug, &slugs, &input.slug_count) ||
        !plan_run_read(run, run->options->operands[0], &input.plan) ||
        !read_samples(run, artifacts, input.artifact_count)) {
        return CLI_FAILED;
    }
    input.artifacts = artifacts;
    input.slugs = slugs;
    const enum bt_status status = bt_plan_type(run->plan->checker, &run->arena, &input, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.plan.path, status);
    }
    if (file && result.is_changed && !result.is_refused && !write_result(run, file, &result)) {
        return CLI_FAILED;
    }
    const bool is_for_people = run->options->output_count == 0;
    if (is_for_people && result.audit.text.len > 0 && cli_print(result.audit.text) != CLI_DONE) {
        return CLI_FAILED;
    }
    /* The proposal could be made, whatever the audit says of what it leaves open. */
    const int code = plan_run_report(run, &result.audit, NULL);
    return code == CLI_REJECTED && !result.is_refused ? CLI_DONE : code;
}

int cmd_plan_type(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bool writes = cli_given(options, &flag_write) != NULL;
    struct cli_plan_file file;
    if (writes && cli_is_stdin(options->operands[0])) {
        return cli_usage_error(options->command, "standard input cannot be written");
    }
    if (!plan_run_begin(run) || (!run->plan->root && !cli_dir_open(".", &run->plan->root))) {
        return CLI_FAILED;
    }
    run->plan->how.dir = run->plan->root;
    if (!writes) {
        return type_plan(run, NULL);
    }
    int code = CLI_FAILED;
    if (plan_file_lock(options->operands[0], &file)) {
        code = type_plan(run, &file);
        plan_file_unlock(&file);
    }
    return code;
}

/* ---- baton plan waves ------------------------------------------------------------------------ */

int cmd_plan_waves(struct cli_run *run)
{
    const bool remaining = cli_given(run->options, &flag_remaining) != NULL;
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_waves(run->plan->checker, &run->arena, &input, remaining, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

/* ---- baton plan status ----------------------------------------------------------------------- */

static bool is_status(const struct cli_options *options, const char *word)
{
    size_t index = 0;
    return cli_kind_find(CLI_STEP_STATUS, word, &index) ||
           cli_refuse_word(options, CLI_STEP_STATUS, word);
}

static int set_step_status(struct cli_run *run, const struct cli_plan_file *file)
{
    char **operands = run->options->operands;
    const char *from = cli_given(run->options, &flag_from);
    const struct bt_plan_status_change change = {bt_str_of(operands[1]), bt_str_of(operands[2]),
                                                 from ? bt_str_of(from) : (bt_str){NULL, 0}};
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_set_status(run->plan->checker, &run->arena, &input, &change, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    if (result.changed && !plan_file_replace(file, result.text)) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

int cmd_plan_status_set(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *from = cli_given(options, &flag_from);
    struct cli_plan_file file;
    if (strcmp(options->operands[0], "-") == 0) {
        return cli_usage_error(options->command, "standard input has no status that could be set");
    }
    if (!is_status(options, options->operands[2]) || (from && !is_status(options, from)) ||
        !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    int code = CLI_FAILED;
    if (plan_file_lock(options->operands[0], &file)) {
        code = set_step_status(run, &file);
        plan_file_unlock(&file);
    }
    return code;
}

/* ---- baton plan trajectory ------------------------------------------------------------------- */

int cmd_plan_trajectory(struct cli_run *run)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    struct bt_plan_trajectory_input input = {
        .returns_to = bt_str_of(cli_given(run->options, &flag_returns_to))};
    struct bt_plan_input plan;
    struct bt_plan_result result;
    struct bt_judgement planned;
    struct bt_str_list chains;
    if ((plan_path && !plan_run_read(run, plan_path, &plan)) ||
        !plan_run_read(run, run->options->operands[0], &input.run) ||
        !cli_given_list(run->options, &flag_agent_chain, &run->arena, &chains)) {
        return CLI_FAILED;
    }
    input.plan = plan_path ? &plan : NULL;
    input.chains = chains.items;
    input.chains_count = chains.count;
    const enum bt_status status =
        bt_plan_compare_trajectory(run->plan->checker, &run->arena, &input, &result, &planned);
    if (status == BT_EINVAL) {
        return cli_failed("cannot compare with %s: it has no column agent", plan_path);
    }
    return status == BT_OK ? plan_run_report(run, &result, planned.findings ? &planned : NULL)
                           : plan_run_fail(input.run.path, status);
}

/* ---- baton plan validate --------------------------------------------------------------------- */

static const uint64_t budget_max = UINT64_C(1000000000000);

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
        return cli_refuse_usage(options, "--timeout wants seconds from 0.001 to 60, not %s",
                                timeout);
    }
    if (budget && (bt_str_to_u64(bt_str_of(budget), &out->budget) != BT_OK || out->budget == 0 ||
                   out->budget > budget_max)) {
        return cli_refuse_usage(options, "--budget wants a whole number from 1 to 10^12, not %s",
                                budget);
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
        return "--plan and --step need each other, and --side needs both";
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

int cmd_plan_validate(struct cli_run *run)
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

int cmd_plan_schema_load(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_load);
}

int cmd_payload_schema_strip(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_strip);
}

int cmd_plan_schema_lint(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_lint);
}
