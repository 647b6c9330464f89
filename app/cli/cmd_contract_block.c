/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_contract_block.c - the commands of `baton contract` that work on one block */
#include "base/file.h"
#include "json/layout.h"

#include "cli.h"
#include "contract_run.h"
#include "json/emit.h"
#include "json/options.h"
#include "operation/contract_json.h"
#include "output.h"
#include "suggest.h"

/* ---- baton contract template ----------------------------------------------------------------- */

enum { TEMPLATE_TEXT_BYTES_MAX = 1 << 20 };

static bool take_wanted(const struct cli_run *run, struct bt_contract_template *out)
{
    const struct cli_options *options = run->options;
    const char *status = cli_given(options, &flag_status);
    const char *id = cli_given(options, &flag_agent_id);
    *out = (struct bt_contract_template){
        .agent_id = bt_str_of(id),
        .consolidation_required = run->contract->flags.input.consolidation_required,
    };
    if (status && bt_contract_status_parse(bt_str_of(status), &out->status) != BT_OK) {
        return cli_refuse_value(options, &flag_status, status);
    }
    if (id && !bt_agent_id_is_valid(out->agent_id)) {
        (void)cli_usage_error(
            options->command,
            "--agent-id wants `a` and 5 to 127 lower-case hexadecimal digits, not %s", id);
        return false;
    }
    return true;
}

int cmd_contract_template(struct cli_run *run)
{
    const bool is_bare = cli_given(run->options, &flag_without_fence) != NULL;
    const bool is_guide = cli_given(run->options, &flag_guide) != NULL;
    struct bt_contract_template wanted;
    struct bt_buf text;
    if (!take_wanted(run, &wanted)) {
        return CLI_FAILED;
    }
    if (is_guide && is_bare) {
        return cli_usage_error(run->options->command, "--guide shows the block in its fence");
    }
    bt_buf_init(&text, TEMPLATE_TEXT_BYTES_MAX);
    if (cli_wants_json(run->options)) {
        if (is_guide) {
            bt_emit_contract_guide(&text, &wanted);
        } else {
            bt_emit_contract_template(&text, &wanted, is_bare);
        }
        bt_buf_put_char(&text, '\n');
        return cli_print_buf(&text);
    }
    if (is_guide) {
        bt_contract_put_guide(&text, &wanted);
    } else if (is_bare) {
        bt_contract_put_template(&text, &wanted, true);
        bt_buf_put_char(&text, '\n');
    } else {
        bt_contract_put_block(&text, &wanted);
    }
    return cli_print_document(&text);
}

/* ---- baton contract skill -------------------------------------------------------------------- */

int cmd_contract_skill(struct cli_run *run)
{
    (void)run;
    return cli_print(bt_contract_skill());
}

/* ---- baton contract repair-prompt ------------------------------------------------------------ */

int cmd_contract_repair_prompt(struct cli_run *run)
{
    struct cli_input message;
    struct bt_contract_attempt attempt = {
        .number = 1, .limit = bt_config_u64(run->options->config, "contract.max_rejections")};
    if (!contract_run_message(run, &message) ||
        !contract_run_number(run, &flag_attempt, &attempt.number) ||
        !contract_run_number(run, &flag_max_rejections, &attempt.limit)) {
        return CLI_FAILED;
    }
    const struct bt_contract_document document = {message.path, message.content,
                                                  &run->contract->flags.options};
    struct bt_contract_repair_prompt repaired;
    const enum bt_status status = bt_contract_write_repair_prompt(
        run->contract->checker, &run->arena, &document, attempt, &repaired);
    if (status != BT_OK) {
        return cli_fail_status(status);
    }
    if (run->options->output_count > 0) {
        return cli_run_report_one(run, &repaired.judged, repaired.members);
    }
    if (cli_print(repaired.prompt) != CLI_DONE) {
        return CLI_FAILED;
    }
    return repaired.judged.verdict == BT_VERDICT_ACCEPTED ? CLI_DONE : CLI_REJECTED;
}

/* ---- baton contract merge -------------------------------------------------------------------- */

enum { RESULT_BYTES_MAX = 1 << 30 };

/* Read the section to merge into. NULL after an error message. */
static const struct bt_json_doc *read_stored(struct cli_run *run)
{
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct cli_input input;
    struct bt_json_read_result read = {0};
    if (!cli_input_read(&run->arena, run->options->operands[0], run->env.limits.document_bytes,
                        &input)) {
        return NULL;
    }
    /* from: file */
    const enum bt_status status = bt_json_read(&run->arena, input.content, &options, &read);
    if (status != BT_OK) {
        (void)cli_fail_status(status);
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

/* Print the findings when the report is not shown. */
static void print_findings(const struct bt_judgement *judged)
{
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        cli_print_error("%.*s at %.*s: %.*s", BT_STR_ARG(finding->rule->code),
                        BT_STR_ARG(finding->pointer), BT_STR_ARG(finding->message));
    }
}

static int show_result(struct cli_run *run, const struct bt_contract_merge_result *merged,
                       const struct bt_buf *text)
{
    const char *path = cli_given(run->options, &flag_result_file);
    struct bt_error error;
    if (path && text->len > 0 &&
        bt_file_replace(bt_str_of(path), bt_buf_str(text), &error) != BT_OK) {
        return cli_failed("cannot write %s: %s", path, error.text);
    }
    if (run->options->output_count > 0 || merged->judged.verdict != BT_VERDICT_ACCEPTED) {
        return cli_run_report_one(run, &merged->judged, merged->members);
    }
    print_findings(&merged->judged);
    return cli_print(bt_buf_str(text));
}

int cmd_contract_merge(struct cli_run *run)
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
        bt_contract_merge_section(run->contract->checker, &run->arena, stored, &document, &merged);
    bt_buf_init(&text, RESULT_BYTES_MAX);
    if (status == BT_OK && merged.result.len > 0) {
        bt_json_put_layout(&text, merged.result);
        status = text.status;
    }
    const int code = status == BT_OK ? show_result(run, &merged, &text) : cli_fail_status(status);
    bt_buf_free(&text);
    return code;
}

/* ---- baton contract normalize ---------------------------------------------------------------- */

enum { NORMALIZE_TEXT_BYTES_MAX = 64 << 20 };

static void put_address(struct bt_emit *emit, const struct bt_repo_address *address)
{
    bt_emit_begin_object(emit);
    cli_json_bool(emit, "valid", address->valid);
    bt_emit_member_string_or_null(emit, "identity", address->identity);
    bt_emit_member_string_or_null(emit, "suffix", address->suffix);
    bt_emit_member_string_or_null(emit, "canonical", address->canonical);
    cli_json_array(emit, "dropped");
    if ((address->dropped & BT_REPO_ADDRESS_REMOVED_CREDENTIALS) != 0) {
        bt_emit_string(emit, BT_STR("credentials"));
    }
    if ((address->dropped & BT_REPO_ADDRESS_REMOVED_USER) != 0) {
        bt_emit_string(emit, BT_STR("user"));
    }
    if ((address->dropped & BT_REPO_ADDRESS_REMOVED_PORT) != 0) {
        bt_emit_string(emit, BT_STR("port"));
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Put all addresses, as lines or as JSON; *out_valid is false when one has no identity. */
static enum bt_status put_all(struct cli_run *run, struct bt_buf *buf, bool *out_valid)
{
    const bool json = cli_wants_json(run->options);
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    if (json) {
        bt_emit_begin_object(&emit);
        bt_emit_member_u64(&emit, "baton", 1);
        cli_json_array(&emit, "refs");
    }
    for (size_t i = 0; i < run->options->operand_count; i++) {
        const bt_str given = bt_str_of(run->options->operands[i]);
        struct bt_repo_address address = {0};
        if (bt_utf8_check(given) == given.len) { /* other bytes are not an address */
            BT_TRY(bt_repo_address_parse(&run->arena, given, &address));
        }
        *out_valid = *out_valid && address.valid;
        if (json) {
            put_address(&emit, &address);
        } else {
            bt_buf_put(buf, address.valid ? address.identity : BT_STR("(invalid)"));
            bt_buf_put_char(buf, '\n');
        }
    }
    if (json) {
        bt_emit_end(&emit);
        cli_json_end(&emit);
    }
    return buf->status;
}

int cmd_contract_normalize(struct cli_run *run)
{
    struct bt_buf buf;
    bool valid = true;
    bt_buf_init(&buf, NORMALIZE_TEXT_BYTES_MAX);
    const enum bt_status status = put_all(run, &buf, &valid);
    const int code = status == BT_OK ? cli_print_buf(&buf) : cli_fail_status(status);
    bt_buf_free(&buf);
    return code == CLI_DONE && !valid ? CLI_REJECTED : code;
}
