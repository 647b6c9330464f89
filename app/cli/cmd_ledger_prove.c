/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_prove.c - baton ledger prove, baton ledger export */
#include <inttypes.h>

#include <baton/json.h>

#include "commands.h"
#include "operation/ledger_json.h"
#include "output.h"
#include "run.h"
#include "terminal.h"

/* ---- baton ledger prove ---------------------------------------------------------------------- */

static cli_work_fn prove_inclusion;
static cli_work_fn prove_consistency;

static const struct cli_flag flag_dsse = {
    "dsse", 0, NULL, CLI_ANY, "as an in-toto statement in a DSSE envelope, signed", NULL};

const struct cli_command cmd_ledger_prove_inclusion = {
    .name = "baton ledger prove inclusion",
    .operands = "[SEQ|REF]",
    .summary = "print the receipt of an entry",
    .about = "A receipt is complete by itself: the entry, the proof that it is in the log, and the "
             "signed checkpoint that the proof leads to. --size must be one at which a checkpoint "
             "was signed.\n",
    .missing = "name the entry by its number, or with --handoff ID",
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_dsse, &flag_key, &flag_handoff, &flag_size, &flag_config,
                       &flag_no_config, &flag_store, &flag_store_root, &flag_deadline, &flag_now,
                       &flag_format, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger prove inclusion 7 -o r.tlog-proof", "keep the receipt of an entry"},
        {"baton ledger prove inclusion --handoff job-7", "the receipt of an accepted handoff"}),
    .work = prove_inclusion,
};

const struct cli_command cmd_ledger_prove_consistency = {
    .name = "baton ledger prove consistency",
    .operands = "OLD",
    .summary = "prove that the log extends an older state of it",
    .about = "OLD is a size from 0 to that of the checkpoint. The text is the body of a request to "
             "a witness.\n",
    .missing = "name the older size",
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_size, &flag_config, &flag_no_config, &flag_store, &flag_store_root,
                       &flag_deadline, &flag_now, &flag_format, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger prove consistency 4", "the request for a witness that has seen size 4"}),
    .work = prove_consistency,
};

/* Find the entry. False after an error message. */
static bool find_seq(struct cli_run *run, uint64_t *out)
{
    const struct cli_options *options = run->options;
    const char *handoff = cli_given(options, &flag_handoff);
    if ((handoff != NULL) == (options->operand_count == 1)) {
        (void)cli_usage_error(options->command,
                              "name one entry, by its number or with --handoff ID");
        return false;
    }
    if (!handoff) {
        return cli_run_seq(run, options->operands[0], out);
    }
    if (bt_ledger_find_handoff(run->ledger, bt_str_of(handoff), out, &run->error) != BT_OK) {
        (void)cli_run_failed(run, "cannot prove it");
        return false;
    }
    return true;
}

static int prove_inclusion(struct cli_run *run)
{
    uint64_t seq = 0;
    uint64_t size = 0;
    struct bt_buf buf;
    const bool is_dsse = cli_given(run->options, &flag_dsse) != NULL;
    const enum bt_receipt_format format = is_dsse                         ? BT_RECEIPT_FORMAT_DSSE
                                          : cli_run_is_json(run->options) ? BT_RECEIPT_FORMAT_JSON
                                                                          : BT_RECEIPT_FORMAT_TEXT;
    if (!cli_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !cli_run_open_ledger(run, is_dsse ? CLI_WRITE : CLI_READ) || !find_seq(run, &seq)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (bt_ledger_prove_inclusion(run->ledger, seq, size, format, &buf, &run->error) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot prove it");
    }
    return cli_run_print_bytes(run, &buf);
}

static int prove_consistency(struct cli_run *run)
{
    uint64_t old_size = 0;
    uint64_t size = 0;
    struct bt_ledger_head head;
    struct bt_consistency_result growth;
    struct bt_buf buf;
    if (!cli_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !cli_run_open_ledger(run, CLI_READ) ||
        !cli_run_seq(run, run->options->operands[0], &old_size)) {
        return CLI_FAILED;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_prove_consistency(run->ledger, &run->arena, old_size, size, &growth,
                                    &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot prove it");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (cli_run_is_json(run->options)) {
        bt_emit_consistency(&buf, head.origin, &growth);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_put(&buf, growth.request);
    }
    return cli_run_print_bytes(run, &buf);
}

/* ---- baton ledger export, baton ledger redact ------------------------------------------------ */

static cli_work_fn export_ledger;
static cli_work_fn redact_document;

static const struct cli_flag flag_documents = {
    "documents", 0, NULL, CLI_ANY, "write the documents too, named by their digests", NULL};
static const struct cli_flag flag_reason = {
    "reason", 0, "TEXT", CLI_ANY, "why, in up to 200 of [A-Za-z0-9 ._:/@+,-]", NULL};

const struct cli_command cmd_ledger_export = {
    .name = "baton ledger export",
    .operands = "DIR",
    .summary = "write the log as static tlog-tiles files",
    .about = "DIR is new, empty, or an earlier export of the same ledger, which is extended: files "
             "are only added, and the checkpoint comes last.\n",
    .missing = "name the folder to export to",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FOLDER,
    .flags =
        CLI_FLAGS(&flag_documents, &flag_config, &flag_no_config, &flag_store, &flag_store_root,
                  &flag_deadline, &flag_now, &flag_format, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger export public/log", "static files that any tlog-tiles client can read"}),
    .work = export_ledger,
};

const struct cli_command cmd_ledger_redact = {
    .name = "baton ledger redact",
    .operands = "SEQ|REF|sha256:HEX",
    .summary = "delete document bytes, and record that",
    .about = "All entries with that digest lose their bytes, and so do queues, messages, tasks, "
             "answers and requests for approval that hold them; entries, digests and proofs stay "
             "valid, and the document is not kept when it comes again. Context sections are "
             "records of their own and stay. Backups, replicas and exports keep their copies: "
             "delete those by other means.\n",
    .missing = "name the entry, or the digest as sha256:HEX",
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_reason, &flag_actor, &flag_config, &flag_no_config, &flag_store,
                       &flag_store_root, &flag_key, &flag_deadline, &flag_now, &flag_format,
                       &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger redact 7 --reason 'erasure request 12'", "delete the document of entry 7"}),
    .use = BT_CONFIG_DECIDES,
    .work = redact_document,
};

/* ---- export ---------------------------------------------------------------------------------- */

static int export_ledger(struct cli_run *run)
{
    const char *folder = run->options->operands[0];
    struct bt_ledger_export_result exported;
    struct cli_progress progress;
    struct bt_buf buf;
    struct bt_emit emit;
    if (!cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    cli_progress_begin(&progress, "exporting", "files");
    const struct bt_ledger_export_options wanted = {
        .folder = folder,
        .with_documents = cli_given(run->options, &flag_documents) != NULL,
        .progress = progress.callback,
    };
    const enum bt_status status = bt_ledger_export_options(run->ledger, &run->arena, &wanted,
                                                           run->alarms, &exported, &run->error);
    cli_progress_end(&progress);
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot export");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (!cli_run_is_json(run->options)) {
        bt_buf_printf(&buf,
                      "%s: %" PRIu64 " entries in %" PRIu64 " files, %" PRIu64
                      " documents written\nroot %.*s\n",
                      folder, exported.size, exported.files, exported.documents,
                      BT_STR_ARG(exported.root));
        return cli_run_print(run, &buf);
    }
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(run->ledger));
    bt_emit_member_string(&emit, "dir", bt_str_of(folder));
    bt_emit_member_u64(&emit, "size", exported.size);
    bt_emit_member_string(&emit, "root", exported.root);
    bt_emit_member_u64(&emit, "files", exported.files);
    bt_emit_member_u64(&emit, "content", exported.documents);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_run_print(run, &buf);
}

/* ---- redact ---------------------------------------------------------------------------------- */

/* Read what is to be deleted, and why. False after an error message. */
static bool parse_redaction(struct cli_run *run, struct bt_ledger_redact_options *out)
{
    const char *reason = cli_given(run->options, &flag_reason);
    const bt_str operand = bt_str_of(run->options->operands[0]);
    const bt_str prefix = BT_STR("sha256:");
    if (!reason) {
        (void)cli_usage_error(run->options->command, "say why: --reason TEXT");
        return false;
    }
    *out = (struct bt_ledger_redact_options){
        .by_seq = !bt_str_starts_with(operand, prefix),
        .reason = bt_str_of(reason),
        .sha256 = bt_str_slice(operand, prefix.len, operand.len),
    };
    return cli_run_actor(run, &out->actor) && cli_run_open_ledger(run, CLI_WRITE) &&
           (!out->by_seq || cli_run_seq(run, operand.ptr, &out->seq));
}

static int redact_document(struct cli_run *run)
{
    struct bt_ledger_redact_options redaction;
    struct bt_buf buf;
    if (!parse_redaction(run, &redaction)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_ledger_redact(run->ledger, &run->env, &run->arena, &redaction, run->alarms, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, redaction.done.is_recorded ? "recorded and deleted, but"
                                                              : "cannot redact");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    cli_print_error("note: backups, replicas and exports keep their copies; context sections are "
                    "records of their own and stay");
    bt_buf_init(&buf, (size_t)1 << 28);
    if (cli_run_is_json(run->options)) {
        bt_emit_redaction(&buf, &redaction.done);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_printf(&buf, "%.*s: %s\n", BT_STR_ARG(redaction.done.sha256),
                      redaction.done.was_redacted ? "was deleted before" : "deleted");
        for (size_t i = 0; i < redaction.done.approval_count; i++) {
            bt_buf_printf(&buf, "%.*s: what it asked for is deleted\n",
                          BT_STR_ARG(redaction.done.approvals[i]));
        }
    }
    return cli_run_print(run, &buf);
}
