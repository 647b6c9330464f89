/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_schema.c - the commands of `baton schema` about schemas */
#include <inttypes.h>

#include "cli.h"
#include "output.h"
#include "plan_run.h"
#include "run.h"
#include "schema/builtin.h"
#include "schema/options.h"
#include "schema_run.h"
#include "suggest.h"

enum { DIFF_BYTES_MAX = 1 << 30 };

/* ---- baton schema check ---------------------------------------------------------------------- */

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

static enum bt_status judge_schema(struct cli_run *run, const struct cli_schema_compiled *compiled)
{
    bt_str facts;
    if (compiled->schema) {
        BT_TRY(
            bt_schema_lint(compiled->input.document, &compiled->options, compiled->input.findings));
    }
    BT_TRY(put_facts(&run->arena, compiled, &facts));
    return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, facts);
}

int cmd_schema_check(struct cli_run *run)
{
    for (size_t i = 0; i < run->options->operand_count; i++) {
        struct cli_schema_compiled compiled;
        if (!schema_run_compile(run, run->options->operands[i], &compiled)) {
            continue;
        }
        const enum bt_status status = judge_schema(run, &compiled);
        if (status != BT_OK) {
            schema_run_fail(run, compiled.input.input.path, status);
        }
        bt_schema_destroy(compiled.schema);
    }
    return schema_run_end(run);
}

/* ---- baton schema bundle --------------------------------------------------------------------- */

enum { RESULT_BYTES_MAX = 1 << 30 };

static enum bt_status bundle_schema(struct cli_run *run, const struct cli_schema_compiled *compiled,
                                    struct bt_buf *out)
{
    if (!compiled->schema) {
        return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, BT_STR(""));
    }
    return bt_schema_bundle(out, compiled->input.document, &compiled->options);
}

int cmd_schema_bundle(struct cli_run *run)
{
    struct cli_schema_compiled compiled;
    struct bt_buf result;
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (schema_run_compile(run, run->options->operands[0], &compiled)) {
        const enum bt_status status = bundle_schema(run, &compiled, &result);
        if (status != BT_OK) {
            schema_run_fail(run, compiled.input.input.path, status);
        }
        bt_schema_destroy(compiled.schema);
    }
    return schema_run_end_with(run, &result);
}

/* ---- baton schema compat --------------------------------------------------------------------- */

static bool take_mode(const struct cli_options *options, enum bt_payload_compat_mode *out)
{
    static const enum bt_payload_compat_mode modes[] = {
        BT_PAYLOAD_COMPAT_BACKWARD, BT_PAYLOAD_COMPAT_FORWARD, BT_PAYLOAD_COMPAT_FULL};
    const char *given = cli_given(options, &flag_mode);
    *out = BT_PAYLOAD_COMPAT_BACKWARD;
    for (size_t i = 0; given && i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (bt_str_eq(cli_kind_word(CLI_MODE, i), bt_str_of(given))) {
            *out = modes[i];
            return true;
        }
    }
    return !given;
}

/* A compatible result leaves the file unchanged. */
static bool write_counterexample(const struct cli_options *options, bt_str text)
{
    const char *path = cli_given(options, &flag_counterexample);
    struct bt_error error;
    if (path && text.len > 0 && bt_file_replace(bt_str_of(path), text, &error) != BT_OK) {
        return cli_refuse("cannot write %s: %s", path, error.text);
    }
    return true;
}

static int compare_schemas(struct cli_run *run, struct bt_payload_compat_input *input)
{
    struct bt_plan_result result;
    struct bt_judgement old_judged;
    if (!plan_run_schema(run, run->options->operands[0], &input->old_schema) ||
        !plan_run_schema(run, run->options->operands[1], &input->new_schema)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_payload_schema_compare(run->plan->checker, &run->arena, input, &result, &old_judged);
    if (status != BT_OK) {
        return plan_run_fail(input->new_schema.path, status);
    }
    if (!write_counterexample(run->options, result.text)) {
        return CLI_FAILED;
    }
    if (!old_judged.findings) {
        return plan_run_report(run, &result, NULL);
    }
    struct bt_plan_result both = result; /* in the order of the command line */
    both.judged = old_judged;
    return plan_run_report(run, &both, &result.judged);
}

int cmd_schema_compat(struct cli_run *run)
{
    struct bt_payload_compat_input input = {0};
    return take_mode(run->options, &input.mode) && plan_run_begin(run)
               ? compare_schemas(run, &input)
               : CLI_FAILED;
}

/* ---- baton schema diff ----------------------------------------------------------------------- */

/* Print the changes, or the reports of the schemas that were rejected. */
static int show_changes(struct cli_run *run, const struct bt_plan_result *result,
                        const struct bt_judgement *old_judged)
{
    struct bt_buf buf;
    if (old_judged->findings) {
        struct bt_plan_result both = *result; /* in the order of the command line */
        both.judged = *old_judged;
        return plan_run_report(run, &both, &result->judged);
    }
    if (result->members.len == 0) {
        return plan_run_report(run, result, NULL);
    }
    bt_buf_init(&buf, DIFF_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        bt_buf_put_text(&buf, "{\"baton\":1,");
        bt_buf_put(&buf, result->members);
        bt_buf_put_text(&buf, "}\n");
    } else {
        bt_buf_put(&buf, result->text);
    }
    return cli_run_print(run, &buf);
}

int cmd_schema_diff(struct cli_run *run)
{
    struct bt_payload_compat_input input = {.mode = BT_PAYLOAD_COMPAT_FULL};
    struct bt_plan_result result;
    struct bt_judgement old_judged;
    if (!plan_run_begin(run) ||
        !plan_run_schema(run, run->options->operands[0], &input.old_schema) ||
        !plan_run_schema(run, run->options->operands[1], &input.new_schema)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_payload_schema_diff(run->plan->checker, &run->arena, &input, &result, &old_judged);
    return status == BT_OK ? show_changes(run, &result, &old_judged)
                           : plan_run_fail(input.new_schema.path, status);
}

/* ---- baton schema print ---------------------------------------------------------------------- */

int cmd_schema_print(const struct cli_options *options)
{
    const struct cli_allowed allowed = cli_allow_kind(CLI_SCHEMA_NAME);
    if (options->operand_count == 0) {
        cli_print_error("print which schema? give its NAME");
        cli_print_allowed(&allowed);
        return CLI_FAILED;
    }
    const bt_str name = bt_str_of(options->operands[0]);
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        if (bt_str_eq(bt_schema_builtin_at(i)->name, name)) {
            return cli_print(bt_schema_builtin_at(i)->text);
        }
    }
    (void)cli_refuse_word(options, CLI_SCHEMA_NAME, options->operands[0]);
    return CLI_FAILED;
}
