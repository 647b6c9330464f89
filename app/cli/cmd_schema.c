/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_schema.c - the commands of `baton schema` about schemas */
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "output.h"
#include "plan_run.h"
#include "schema_run.h"
#include "suggest.h"

/* ---- baton schema check ---------------------------------------------------------------------- */

static cli_work_fn run_check;

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
    .examples = CLI_EXAMPLES(
        {"baton schema check order.schema.json", "judge one schema"},
        {"baton schema check --root schemas schemas/*.json", "with references to files"}),
    .begin = schema_run_begin,
    .work = run_check,
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

static int run_check(struct cli_run *run)
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

static cli_work_fn run_bundle;

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
    .begin = schema_run_begin,
    .work = run_bundle,
};

static enum bt_status bundle_schema(struct cli_run *run, const struct cli_schema_compiled *compiled,
                                    struct bt_buf *out)
{
    if (!compiled->schema) {
        return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, BT_STR(""));
    }
    return bt_schema_bundle(out, compiled->input.document, &compiled->options);
}

static int run_bundle(struct cli_run *run)
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

static cli_work_fn run_compat;

/* clang-format off */
static const struct cli_flag flag_mode = {"mode", 0, "MODE", CLI_MODE,
    "whose payloads must stay good: backward (of OLD, the default), forward (of NEW), full", NULL};
static const struct cli_flag flag_counterexample = {"counterexample", 0, "FILE", CLI_FILE,
    "write a payload that breaks to FILE", NULL};
/* clang-format on */

const struct cli_command cmd_schema_compat = {
    .name = "baton schema compat",
    .operands = "OLD NEW",
    .summary = "does a new version of a payload schema break anyone?",
    .about = "Compatible means proven. Incompatible means that a payload was found which one "
             "version accepts and the other refuses; it was validated by both. What is neither "
             "counts as incompatible. With --root, OLD and NEW are references.\n",
    .missing = "compare what? give OLD and NEW",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_mode, &flag_counterexample, &flag_root, &flag_format, &flag_output,
                       &flag_config, &flag_no_config, &flag_limit, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton schema compat order.v1.schema.json order.v2.schema.json",
                      "does v2 take what v1 took?"},
                     {"baton schema compat --mode full --root . v1.schema.json v2.schema.json",
                      "in both directions, by reference"}),
    .work = run_compat,
};

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
    if (given) {
        (void)cli_usage_error(options->command, "--mode wants backward, forward or full, not %s",
                              given);
    }
    return !given;
}

/* A compatible result leaves the file unchanged. */
static bool write_counterexample(const struct cli_options *options, bt_str text)
{
    const char *path = cli_given(options, &flag_counterexample);
    struct bt_error error;
    if (path && text.len > 0 && bt_file_replace(bt_str_of(path), text, &error) != BT_OK) {
        cli_print_error("cannot write %s: %s", path, error.text);
        return false;
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

static int run_compat(struct cli_run *run)
{
    struct bt_payload_compat_input input = {0};
    return take_mode(run->options, &input.mode) && plan_run_begin(run)
               ? compare_schemas(run, &input)
               : CLI_FAILED;
}

/* ---- baton schema print ---------------------------------------------------------------------- */

enum { NAMES_BYTES_MAX = 4096 };

static cli_run_fn run_print;

const struct cli_command cmd_schema_print = {
    .name = "baton schema print",
    .operands = "NAME",
    .summary = "print a schema of what Baton reads or writes",
    .about = "Prints one of the JSON Schemas that are part of the program, for editors and for "
             "other validators. Without a NAME, or with an unknown one, the names are listed.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_SCHEMA_NAME,
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton schema print report > report.schema.json", "the schema of what -f json prints"}),
    .run = run_print,
};

static void put_names(struct bt_buf *buf)
{
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        bt_buf_put_text(buf, i > 0 ? ", " : "");
        bt_buf_put(buf, bt_schema_builtin_at(i)->name);
    }
    bt_buf_put_char(buf, '\0');
}

/* Print the known names and the nearest one. */
static int print_usage_error(const struct cli_options *options)
{
    const bool given = options->operand_count > 0;
    struct cli_suggestion guess = cli_guess_for(bt_str_of(given ? options->operands[0] : ""));
    cli_guess_try_kind(&guess, CLI_SCHEMA_NAME);
    struct bt_buf names;
    bt_buf_init(&names, NAMES_BYTES_MAX);
    put_names(&names);
    const char *list = names.status == BT_OK ? names.ptr : "";
    int code = CLI_FAILED;
    if (!given) {
        code = cli_usage_error(options->command, "print which schema? There are: %s", list);
    } else if (guess.best.len > 0) {
        code =
            cli_usage_error(options->command, "unknown schema %s, did you mean %.*s? There are: %s",
                            options->operands[0], BT_STR_ARG(guess.best), list);
    } else {
        code = cli_usage_error(options->command, "unknown schema %s. There are: %s",
                               options->operands[0], list);
    }
    bt_buf_free(&names);
    return code;
}

static int run_print(const struct cli_options *options)
{
    const bt_str name = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        if (bt_str_eq(bt_schema_builtin_at(i)->name, name)) {
            return cli_print(bt_schema_builtin_at(i)->text);
        }
    }
    return print_usage_error(options);
}
