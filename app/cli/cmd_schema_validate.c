/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema_validate.c - baton schema validate SCHEMA INSTANCE...
 */
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "print.h"
#include "schema_run.h"

static cli_run_fn run_validate;
static cli_parse_flag_fn take_timeout;
static cli_parse_flag_fn take_budget;

static const struct cli_flag flag_timeout = {
    "timeout", 0, "S", CLI_ANY, "seconds that one document may take (default 2.0)", take_timeout};
static const struct cli_flag flag_budget = {
    "budget",   0, "N", CLI_ANY, "units of work that one document may take (default 100000000)",
    take_budget};

const struct cli_command cmd_schema_validate = {
    .name = "baton schema validate",
    .operands = "SCHEMA INSTANCE...",
    .summary = "judge documents by a schema",
    .about =
        "Reports what is wrong with each INSTANCE, where, and what the schema allows instead. One "
        "of the operands may be - for standard input. When something is wrong with the SCHEMA "
        "itself, that is reported and no instance is judged.\n"
        "A document that cannot be judged within its budget or time is rejected, never passed.\n",
    .missing = "give a SCHEMA and at least one INSTANCE",
    .operands_min = 2,
    .operands_max = SIZE_MAX,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_formats, &flag_root, &flag_draft, &flag_jsonl, &flag_timeout,
                       &flag_budget, &flag_format, &flag_output, &flag_config, &flag_no_config,
                       &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton schema validate order.schema.json a.json b.json", "judge two documents"},
        {"baton schema validate --root schemas schemas/order.json -", "with references to files"},
        {"baton schema validate --jsonl event.json events.jsonl", "a document on each line"}),
    .run = run_validate,
};

struct cli_schema_validate_run {
    struct cli_schema_run run;
    const struct bt_schema *schema;
    struct bt_schema_runner *runner;
};

/*
 * Digits, optionally with a point and up to nine more digits. False when the text is not a time
 * above zero.
 */
static bool parse_seconds(bt_str text, uint64_t *out_ns)
{
    const size_t point = bt_str_find_byte(text, '.', 0);
    const bt_str whole = bt_str_slice(text, 0, point);
    bt_str rest = bt_str_slice(text, point + 1, text.len);
    char digits[] = "000000000";
    if (rest.len >= sizeof(digits) || (point < text.len && rest.len == 0)) {
        return false;
    }
    memcpy(digits, rest.ptr, rest.len);
    uint64_t seconds = 0;
    uint64_t nanos = 0;
    if (bt_str_to_u64(whole, &seconds) != BT_OK ||
        bt_str_to_u64(bt_str_of(digits), &nanos) != BT_OK || seconds > 1000000000) {
        return false;
    }
    *out_ns = seconds * 1000000000 + nanos;
    return *out_ns > 0;
}

static bool take_timeout(struct cli_options *options, const char *value)
{
    if (!parse_seconds(bt_str_of(value), &options->timeout_ns)) {
        (void)cli_usage_error(options->command, "--timeout wants seconds such as 2 or 0.5, not %s",
                              value);
        return false;
    }
    return true;
}

static bool take_budget(struct cli_options *options, const char *value)
{
    if (bt_str_to_u64(bt_str_of(value), &options->budget) != BT_OK || options->budget == 0 ||
        options->budget > INT64_MAX) {
        (void)cli_usage_error(options->command, "--budget wants a number of units above 0, not %s",
                              value);
        return false;
    }
    return true;
}

static struct bt_schema_limits limits_of(const struct cli_options *options)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = options->budget ? options->budget : limits.work_max;
    limits.time_ns = options->timeout_ns
                         ? options->timeout_ns
                         : bt_config_u64(options->config, "limits.schema_ms") * 1000000;
    limits.clock = schema_run_clock;
    return limits;
}

static enum bt_status put_facts(struct bt_arena *arena, const struct cli_schema_input *read,
                                size_t bytes, uint64_t work, bt_str *out)
{
    if (!read->document) {
        return bt_arena_printf(arena, out, "{\"bytes\":%zu}", bytes);
    }
    return bt_arena_printf(arena, out, "{\"bytes\":%zu,\"nodes\":%" PRIu64 ",\"work\":%" PRIu64 "}",
                           bytes, bt_json_node_count(read->document), work);
}

/*
 * A document without findings is kept without its source and the memory that was used to judge it,
 * because there may be many.
 */
static enum bt_status judge_instance(void *context, const struct cli_schema_instance *instance)
{
    struct cli_schema_validate_run *validation = context;
    struct cli_schema_run *run = &validation->run;
    const size_t bytes = instance->input.content.len;
    struct cli_schema_input read;
    uint64_t work = 0;
    bt_str facts;
    bt_arena_reset(&run->work);
    BT_TRY(schema_run_read(run, instance, &run->work, &read));
    if (read.document) {
        BT_TRY(bt_schema_validate(validation->schema, validation->runner, read.document,
                                  read.findings, NULL));
        work = bt_schema_work_used(validation->runner);
    }
    if (bt_findings_count(read.findings) == 0) {
        bt_arena_rewind(&run->arena, instance->before);
        read.input.content = BT_STR("");
        read.findings = bt_findings_new(&run->arena);
        if (!read.findings) {
            return BT_ENOMEM;
        }
    }
    BT_TRY(put_facts(&run->arena, &read, bytes, work, &facts));
    return schema_run_report(run, &read, BT_DIALECT_JSON, facts);
}

/* The schema is reported only when it has findings. */
static enum bt_status report_schema(struct cli_schema_run *run,
                                    const struct cli_schema_compiled *compiled)
{
    if (bt_findings_count(compiled->input.findings) == 0) {
        return BT_OK;
    }
    return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, BT_STR(""));
}

static void judge_all(struct cli_schema_validate_run *validation)
{
    const struct cli_options *options = validation->run.options;
    const struct bt_schema_limits limits = limits_of(options);
    validation->runner = bt_schema_runner_create(&limits);
    if (!validation->runner) {
        schema_run_fail(&validation->run, bt_str_of(options->operands[1]), BT_ENOMEM);
        return;
    }
    for (size_t i = 1; i < options->operand_count; i++) {
        schema_run_each(&validation->run, options->operands[i], options->jsonl, judge_instance,
                        validation);
    }
    bt_schema_runner_destroy(validation->runner);
}

static int run_validate(const struct cli_options *options)
{
    struct cli_schema_validate_run validation = {0};
    struct cli_schema_compiled compiled;
    if (!schema_run_begin(&validation.run, options)) {
        return CLI_FAILED;
    }
    if (schema_run_compile(&validation.run, options->operands[0], &compiled)) {
        const enum bt_status status = report_schema(&validation.run, &compiled);
        if (status != BT_OK) {
            schema_run_fail(&validation.run, compiled.input.input.path, status);
        } else if (compiled.schema) {
            validation.schema = compiled.schema;
            judge_all(&validation);
        }
        bt_schema_destroy(compiled.schema);
    }
    return schema_run_end(&validation.run);
}
