/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_export.c - baton ledger export DIR, baton ledger redact SEQ
 */
#include <inttypes.h>

#include <baton/json.h>

#include "commands.h"
#include "ledger_run.h"
#include "operation/ledger_json.h"
#include "print.h"
#include "progress.h"

static cli_run_fn run_export;
static cli_run_fn run_redact;

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
    .run = run_export,
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
    .run = run_redact,
};

/* ---- export ---------------------------------------------------------------------------------- */

static int export_ledger(struct cli_ledger_run *run)
{
    const char *folder = run->options->operands[0];
    struct bt_ledger_export_result exported;
    struct cli_progress progress;
    struct bt_buf buf;
    struct bt_emit emit;
    if (!ledger_run_open(run, false)) {
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
        return ledger_run_failed(run, "cannot export");
    }
    if (ledger_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (!ledger_run_is_json(run->options)) {
        bt_buf_printf(&buf,
                      "%s: %" PRIu64 " entries in %" PRIu64 " files, %" PRIu64
                      " documents written\nroot %.*s\n",
                      folder, exported.size, exported.files, exported.documents,
                      BT_STR_ARG(exported.root));
        return ledger_run_print(run, &buf);
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
    return ledger_run_print(run, &buf);
}

static int run_export(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, export_ledger(&run)) : CLI_FAILED;
}

/* ---- redact ---------------------------------------------------------------------------------- */

/* Read what is to be deleted, and why. False after an error message. */
static bool parse_redaction(struct cli_ledger_run *run, struct bt_ledger_redact_options *out)
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
    return ledger_run_actor(run, &out->actor) && ledger_run_open(run, true) &&
           (!out->by_seq || ledger_run_seq(run, operand.ptr, &out->seq));
}

static int redact_document(struct cli_ledger_run *run)
{
    struct bt_ledger_redact_options redaction;
    struct bt_buf buf;
    if (!parse_redaction(run, &redaction)) {
        return CLI_FAILED;
    }
    ledger_run_watch(run);
    const enum bt_status status =
        bt_ledger_redact(run->ledger, &run->env, &run->arena, &redaction, run->alarms, &run->error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(run, redaction.done.is_recorded ? "recorded and deleted, but"
                                                                 : "cannot redact");
    }
    if (ledger_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    cli_print_error("note: backups, replicas and exports keep their copies; context sections are "
                    "records of their own and stay");
    bt_buf_init(&buf, (size_t)1 << 28);
    if (ledger_run_is_json(run->options)) {
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
    return ledger_run_print(run, &buf);
}

static int run_redact(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, redact_document(&run))
                                           : CLI_FAILED;
}
