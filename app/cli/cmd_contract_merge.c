/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_merge.c - baton contract merge STORED PAYLOAD
 */
#include <baton/file.h>

#include "commands.h"
#include "contract_run.h"
#include "print.h"

enum { RESULT_BYTES_MAX = 1 << 30 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_result = {"output", 'o', "FILE", CLI_FILE,
    "also write the merged object to FILE", NULL};
/* clang-format on */

const struct cli_command cmd_contract_merge = {
    .name = "baton contract merge",
    .operands = "STORED PAYLOAD",
    .summary = "merge the payload of an update into a section",
    .about = "Prints the merged object. Objects are merged member by member, lists are united, "
             "other values are overwritten, and nothing is deleted. References to other "
             "repositories are written in canonical form. A payload with a secret is rejected.\n",
    .missing = "give the stored section and the payload",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_result, &flag_format, &flag_config, &flag_no_config, &flag_limit,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract merge services.json update.json", "what the section would be"},
        {"baton contract merge -f json services.json update.json", "the same, with every change"}),
    .run = run,
};

/* Read the section to merge into. NULL after an error message. */
static const struct bt_json_doc *read_stored(struct cli_contract_run *run)
{
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct cli_input input;
    struct bt_json_read_result read;
    if (!cli_input_read(&run->arena, run->options->operands[0], run->env.limits.document_bytes,
                        &input)) {
        return NULL;
    }
    /* from: file */
    const enum bt_status status = bt_json_read(&run->arena, input.content, &options, &read);
    if (status != BT_OK) {
        (void)contract_run_fail(status);
        return NULL;
    }
    if (!read.document) {
        cli_print_error("%s is not strict JSON: %s", run->options->operands[0], read.detail);
        return NULL;
    }
    if (bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        cli_print_error("%s is not a section: it is not a JSON object", run->options->operands[0]);
        return NULL;
    }
    return read.document;
}

/* Put the merged object, pretty-printed. */
static enum bt_status put_result(struct cli_contract_run *run, bt_str result, struct bt_buf *buf)
{
    struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct bt_json_read_result read;
    options.document_bytes_max = RESULT_BYTES_MAX;
    BT_TRY(bt_json_read(&run->arena, result, &options, &read));
    if (!read.document) {
        return BT_ELIMIT;
    }
    return bt_json_write(buf, read.document, bt_json_root(read.document), BT_JSON_FORM_PRETTY,
                         &run->arena, NULL);
}

/* Print the findings when the report is not shown. */
static void print_findings(const struct bt_judgement *judged)
{
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        cli_print_error("%.*s at %.*s: %.*s", BT_STR_ARG(finding->rule->code),
                        BT_STR_ARG(finding->pointer), BT_STR_ARG(finding->message));
    }
}

static int show_result(struct cli_contract_run *run, const struct bt_contract_merge_result *merged,
                       const struct bt_buf *text)
{
    const char *path = cli_given(run->options, &flag_result);
    struct bt_error error;
    if (path && text->len > 0 &&
        bt_file_replace(bt_str_of(path), bt_buf_str(text), &error) != BT_OK) {
        cli_print_error("cannot write %s: %s", path, error.text);
        return CLI_FAILED;
    }
    if (run->options->output_count > 0 || merged->judged.verdict != BT_VERDICT_ACCEPTED) {
        return contract_run_report(run, &merged->judged, merged->members);
    }
    print_findings(&merged->judged);
    return cli_print(bt_buf_str(text));
}

static int merge_payload(struct cli_contract_run *run)
{
    struct cli_input payload;
    struct bt_contract_merge_result merged;
    struct bt_buf text;
    const struct bt_json_doc *stored = read_stored(run);
    if (!stored || !cli_input_read(&run->arena, run->options->operands[1],
                                   run->env.limits.document_bytes, &payload)) {
        return CLI_FAILED;
    }
    const struct bt_contract_document document = {.path = payload.path, .text = payload.content};
    enum bt_status status =
        bt_contract_merge_section(run->contract, &run->arena, stored, &document, &merged);
    bt_buf_init(&text, RESULT_BYTES_MAX);
    if (status == BT_OK && merged.result.len > 0) {
        status = put_result(run, merged.result, &text);
    }
    const int code = status == BT_OK ? show_result(run, &merged, &text) : contract_run_fail(status);
    bt_buf_free(&text);
    return code;
}

static int run(const struct cli_options *options)
{
    struct cli_contract_run run;
    const int code = contract_run_begin(&run, options) ? merge_payload(&run) : CLI_FAILED;
    contract_run_end(&run);
    return code;
}
