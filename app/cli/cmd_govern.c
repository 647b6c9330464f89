/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_govern.c - the commands of `baton govern` about handoffs */
#include <inttypes.h>

#include <baton/json.h>

#include "base/buf.h"
#include "cli.h"
#include "govern_run.h"
#include "json/emit.h"
#include "operation/govern_json.h"
#include "output.h"
#include "report/table.h"
#include "suggest.h"
#include "universal_run.h"
#include "write_document.h"

/* ---- baton govern submit, baton govern respond ----------------------------------------------- */

enum { EFFECTS_BYTES_MAX = 1 << 20 };

/* Print what was recorded and blocked, below the report. Returns `code`, that of the report. */
static int print_effects(struct cli_run *run, int code)
{
    const struct bt_submission *submission = &run->govern->submission;
    struct bt_buf buf;
    bt_str agent;
    if (code == CLI_FAILED || submission->mode != BT_SUBMIT_RECORD ||
        !cli_prints_text(run->options)) {
        return code;
    }
    bt_buf_init(&buf, EFFECTS_BYTES_MAX);
    cli_run_put_recorded(run, &buf, submission);
    for (size_t i = 0; (agent = bt_governed_submission_blocked(submission->decision, i)).len > 0;
         i++) {
        bt_buf_put_text(&buf, "blocked: ");
        bt_buf_put_printable(&buf, agent, SIZE_MAX);
        bt_buf_put_char(&buf, '\n');
    }
    return cli_print_buf(&buf) == CLI_DONE ? code : CLI_FAILED;
}

int cmd_govern_decide(struct cli_run *run)
{
    const enum bt_governed_submission_kind kind =
        (enum bt_governed_submission_kind)run->options->command->variant;
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    const bool may_make = kind == BT_GOVERNED_SUBMISSION_HANDOFF && !is_dry;
    bool is_done = false;
    if (!govern_run_read(run, kind) || !govern_run_open(run, is_dry     ? CLI_READ
                                                             : may_make ? CLI_MAKE
                                                                        : CLI_WRITE)) {
        return CLI_FAILED;
    }
    const int code = govern_run_decide(run, is_dry, &is_done);
    if (!is_done) {
        return code;
    }
    return print_effects(run, cli_run_report_one(run, &run->govern->judged, BT_STR("")));
}

/* ---- baton govern dispatch ------------------------------------------------------------------- */

enum { ANSWER_BYTES_MAX = 1 << 28 };

static void put_header(struct bt_emit *emit, const char *name, bt_str value)
{
    if (value.len > 0) {
        bt_emit_member_string(emit, name, value);
    }
}

static int print_response(const struct bt_dispatch_response *answer, int code)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    cli_json_begin(&emit, &buf);
    bt_emit_member_u64(&emit, "status", answer->status);
    bt_emit_name(&emit, "headers");
    bt_emit_begin_object(&emit);
    put_header(&emit, "content-type", answer->content_type);
    put_header(&emit, "cache-control", BT_STR("no-store"));
    put_header(&emit, "allow", answer->allow);
    put_header(&emit, "retry-after", answer->retry_after);
    bt_emit_end(&emit);
    bt_emit_name(&emit, "body");
    bt_emit_raw(&emit, answer->body);
    cli_json_end(&emit);
    return cli_print_buf(&buf) == CLI_DONE ? code : CLI_FAILED;
}

/* Nothing was decided: print the response for that, and return its exit code. */
static int print_unavailable(struct cli_run *run)
{
    struct bt_dispatch_response answer;
    const enum bt_status status = bt_dispatch_write_unavailable(&run->arena, &answer);
    return status == BT_OK ? print_response(&answer, CLI_FAILED) : cli_fail_status(status);
}

int cmd_govern_dispatch(struct cli_run *run)
{
    const char *method = cli_given(run->options, &flag_method);
    const char *type = cli_given(run->options, &flag_content_type);
    struct bt_dispatch_response answer;
    bool is_refused = false;
    bool is_done = false;
    enum bt_status status = bt_dispatch_check_request(
        &run->arena, bt_str_of(method ? method : "POST"),
        bt_str_of(type ? type : "application/json"), &answer, &is_refused);
    if (status != BT_OK || is_refused) {
        return status == BT_OK ? print_response(&answer, CLI_REJECTED) : cli_fail_status(status);
    }
    if (!govern_run_read(run, BT_GOVERNED_SUBMISSION_HANDOFF)) {
        return CLI_FAILED;
    }
    if (!govern_run_open(run, CLI_MAKE)) {
        const bool is_named = cli_given(run->options, &flag_store) != NULL;
        return is_named ? print_unavailable(run) : CLI_FAILED; /* not found: a usage error */
    }
    (void)govern_run_decide(run, false, &is_done);
    if (!is_done) {
        return print_unavailable(run);
    }
    status =
        bt_dispatch_write_response(&run->govern->state, run->govern->submission.decision, &answer);
    return status == BT_OK ? print_response(&answer, answer.status == 200 ? CLI_DONE : CLI_REJECTED)
                           : cli_fail_status(status);
}

/* ---- baton govern seal ----------------------------------------------------------------------- */

int cmd_govern_seal(struct cli_run *run)
{
    const char *operand = run->options->operands[0];
    struct cli_document_out where;
    struct cli_input read;
    struct bt_governed_write_result result;
    if (!cli_document_write_init(run->options, operand, &where) ||
        !cli_run_read(run, operand, &read)) {
        return CLI_FAILED;
    }
    const struct bt_governed_seal_input input = {.path = read.path,
                                                 .text = read.content,
                                                 .options = &run->govern->flags.options,
                                                 .renew =
                                                     cli_given(run->options, &flag_renew) != NULL};
    const enum bt_status status =
        bt_governed_seal_handoff(run->govern->checker, &run->arena, &input, &result);
    return status == BT_OK
               ? cli_document_write_made(run, &where,
                                         &(struct cli_made_document){operand, read.content,
                                                                     result.text, &result.judged})
               : govern_run_fail(run, status);
}

/* ---- baton govern blocked, baton govern unblock ---------------------------------------------- */

enum { LIST_BYTES_MAX = 1 << 26 };

/* ---- blocked --------------------------------------------------------------------------------- */

static enum bt_status put_blocks(struct cli_run *run, struct bt_buf *buf,
                                 const struct bt_agent_block_list *blocks)
{
    static const char *const names[] = {"AGENT", "SINCE", "REASON", "HANDOFF", NULL};
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    for (size_t i = 0; i < blocks->count; i++) {
        const struct bt_agent_block *block = &blocks->items[i];
        bt_str since;
        BT_TRY(
            cli_time_text(run->options, &run->arena, bt_env_now(&run->env), block->since, &since));
        bt_table_add(&table, block->agent_id);
        bt_table_add(&table, since);
        bt_table_add(&table, block->reason);
        bt_table_add(&table, block->handoff_id);
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
}

int cmd_govern_blocked(struct cli_run *run)
{
    struct bt_agent_block_list blocks;
    struct bt_buf buf;
    if (!govern_run_open(run, CLI_READ)) {
        return CLI_FAILED;
    }
    if (bt_agent_blocks_list(&run->govern->state, &blocks, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot list the blocked agents");
    }
    bt_buf_init(&buf, LIST_BYTES_MAX);
    if (cli_wants_json(run->options)) {
        bt_emit_agent_blocks(&buf, &blocks);
        bt_buf_put_char(&buf, '\n');
    } else if (blocks.count == 0) {
        cli_print_empty(run->options, "No blocked agents. A handoff that does not agree with the "
                                      "lock or the prompt of its agent blocks the agent.");
    } else if (put_blocks(run, &buf, &blocks) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    return cli_print_buf(&buf);
}

/* ---- unblock --------------------------------------------------------------------------------- */

static void put_text(struct cli_run *run, struct bt_buf *buf,
                     const struct bt_agent_unblock_options *unblock_options)
{
    for (size_t i = 0; i < bt_findings_count(unblock_options->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(unblock_options->findings, i);
        bt_buf_put(buf, finding->rule->code);
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, finding->message, finding->message.len);
        bt_buf_put_char(buf, '\n');
    }
    if (cli_is_quiet(run->options)) {
        return;
    }
    if (unblock_options->is_unblocked) {
        cli_run_put_reference(run, buf, unblock_options->seq);
        bt_buf_put_text(buf, "unblock\n");
    }
    if (bt_findings_count(unblock_options->findings) == 0) {
        bt_buf_put_text(buf, unblock_options->is_unblocked ? "unblocked " : "");
        bt_buf_put_printable(buf, unblock_options->agent_id, unblock_options->agent_id.len);
        bt_buf_put_text(buf, unblock_options->is_unblocked ? "\n" : " was not blocked\n");
    }
}

int cmd_govern_unblock(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *reason = cli_given(options, &flag_reason);
    struct bt_agent_unblock_options unblock_options = {.agent_id = bt_str_of(options->operands[0]),
                                                       .reason = bt_str_of(reason),
                                                       .options = &run->govern->flags.options};
    struct bt_buf buf;
    if (bt_utf8_check(unblock_options.reason) != unblock_options.reason.len ||
        bt_str_is_blank(unblock_options.reason)) {
        return cli_usage_error(options->command, "--reason wants a text");
    }
    if (!govern_run_open(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_agent_unblock(&run->govern->state, run->govern->checker, &unblock_options, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return bt_governed_last_error(run->govern->checker)[0]
                   ? govern_run_fail(run, status)
                   : govern_run_fail_store(run, unblock_options.is_recorded,
                                           unblock_options.is_unknown);
    }
    if (govern_run_alarmed(run)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, LIST_BYTES_MAX);
    if (cli_wants_json(options)) {
        bt_emit_unblock(&buf, &unblock_options);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_text(run, &buf, &unblock_options);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && bt_findings_count(unblock_options.findings) > 0 ? CLI_REJECTED
                                                                               : code;
}
