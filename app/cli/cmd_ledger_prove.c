/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_prove.c - baton ledger receipt, baton ledger prove, baton ledger export */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/file.h"
#include "base/str.h"
#include "cli.h"
#include "json/emit.h"
#include "ledger/admin.h"
#include "operation/ledger_json.h"
#include "output.h"
#include "run.h"
#include "terminal.h"

/* ---- baton ledger prove ---------------------------------------------------------------------- */

/* Find the entry. False after an error message. */
static bool find_seq(struct cli_run *run, uint64_t *out)
{
    const struct cli_options *options = run->options;
    const char *handoff = cli_given(options, &flag_handoff);
    if ((handoff != NULL) == (options->operand_count == 1)) {
        return cli_refuse_usage(options, "name one entry, by its number or with --handoff ID");
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

int cmd_ledger_prove_inclusion(struct cli_run *run)
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

/* ---- baton ledger receipt -------------------------------------------------------------------- */

/* The forms, in the order of enum bt_receipt_format. */
static const struct cli_receipt_form {
    const char *name;
    const char *media_type; /* of signed forms; NULL for the others */
} receipt_forms[] = {
    [BT_RECEIPT_FORMAT_TEXT] = {"text", NULL},
    [BT_RECEIPT_FORMAT_JSON] = {"json", NULL},
    [BT_RECEIPT_FORMAT_DSSE] = {"dsse", "application/vnd.dsse.envelope.v1+json"},
    [BT_RECEIPT_FORMAT_COSE] = {"cose", "application/cose"},
};

/* True when standard output, where the result would go, is a terminal. */
static bool would_show_bytes(const struct cli_run *run)
{
    return isatty(STDOUT_FILENO) == 1 && !cli_given(run->options, &flag_out);
}

/* Read the flags. False after an error message. */
static bool take_receipt_request(struct cli_run *run, struct bt_receipt_request *out)
{
    const char *form = cli_given(run->options, &flag_receipt_format);
    const char *predicate = cli_given(run->options, &flag_predicate);
    const bool is_json = cli_run_is_json(run->options);
    size_t index = 0;
    if (form) {
        (void)cli_kind_find(CLI_RECEIPT_FORM, form, &index);
    }
    out->format = (enum bt_receipt_format)(BT_RECEIPT_FORMAT_TEXT + (int)index);
    if (is_json && out->format == BT_RECEIPT_FORMAT_TEXT) {
        out->format = BT_RECEIPT_FORMAT_JSON;
    }
    if (predicate && out->format != BT_RECEIPT_FORMAT_DSSE) {
        return cli_refuse_usage(run->options, "--predicate is for --format dsse");
    }
    if (predicate && strcmp(predicate, "svr") == 0) {
        out->predicate = BT_PREDICATE_SVR;
    }
    if (out->format == BT_RECEIPT_FORMAT_COSE && !is_json && would_show_bytes(run)) {
        return cli_refuse_usage(run->options, "COSE is not for a terminal: use -o FILE or -f json");
    }
    return cli_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &out->size);
}

/* Print the receipt, which -f json puts into an object when it is of a signed form. */
static int print_receipt(struct cli_run *run, const struct bt_receipt_request *request,
                         const struct bt_receipt_result *made)
{
    const struct cli_receipt_form *form = &receipt_forms[request->format];
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    if (!form->media_type || !cli_run_is_json(run->options)) {
        bt_buf_put(&buf, made->receipt);
        return cli_run_print_bytes(run, &buf);
    }
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(run->ledger));
    bt_emit_member_u64(&emit, "seq", request->seq);
    bt_emit_member_u64(&emit, "size", made->size);
    bt_emit_member_string(&emit, "format", bt_str_of(form->name));
    bt_emit_member_string(&emit, "media_type", bt_str_of(form->media_type));
    bt_emit_name(&emit, "data");
    bt_emit_raw(&emit, BT_STR("\""));
    bt_base64_put(&buf, made->receipt);
    bt_buf_put_char(&buf, '"');
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

int cmd_ledger_receipt(struct cli_run *run)
{
    const char *entry = cli_given(run->options, &flag_entry);
    struct bt_receipt_request request = {0};
    struct bt_receipt_result made;
    if (!take_receipt_request(run, &request) ||
        !cli_run_open_ledger(run,
                             receipt_forms[request.format].media_type ? CLI_SIGN_ANY : CLI_READ) ||
        !find_seq(run, &request.seq)) {
        return CLI_FAILED;
    }
    if (bt_ledger_make_receipt(run->ledger, &run->arena, &request, &made, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot make the receipt");
    }
    if (entry && bt_file_create(bt_str_of(entry), made.entry, &run->error) != BT_OK) {
        return cli_failed("cannot write the entry %s: %s", entry, run->error.text);
    }
    cli_run_warn_of_empty_path(request.format, made.size);
    return print_receipt(run, &request, &made);
}

/* ---- baton ledger keys ----------------------------------------------------------------------- */

int cmd_ledger_keys(struct cli_run *run)
{
    const char *form = cli_given(run->options, &flag_key_format);
    const bool is_json = cli_run_is_json(run->options);
    size_t index = 0;
    struct bt_buf buf;
    if (form) {
        (void)cli_kind_find(CLI_KEY_FORM, form, &index);
    }
    const enum bt_public_key_format format =
        is_json ? BT_PUBLIC_KEYS_ALL
                : (enum bt_public_key_format)(BT_PUBLIC_KEYS_VKEY + (int)index);
    if (format == BT_PUBLIC_KEYS_COSE && would_show_bytes(run)) {
        return cli_usage_error(run->options->command,
                               "COSE is not for a terminal: use -o FILE or -f json");
    }
    if (!cli_run_open_ledger(run, CLI_READ_ANY)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (bt_ledger_put_keys(run->ledger, &run->arena, format, &buf, &run->error) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot show the keys");
    }
    if (is_json) {
        bt_buf_put_char(&buf, '\n');
    }
    return cli_run_print_bytes(run, &buf);
}

/* ---- baton ledger policy --------------------------------------------------------------------- */

/* The witnesses of ledger.peers, of which one is enough. False after an error message. */
static bool put_peers(struct cli_run *run, struct bt_buf *buf)
{
    const size_t count = bt_config_count(run->options->config, "ledger.peers");
    struct bt_config_peer *peers = BT_NEW_ARRAY(&run->arena, struct bt_config_peer, count + 1);
    if (!peers) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < count; i++) {
        if (!cli_is_ok(bt_config_peer(run->options->config, i, &run->arena, &peers[i]))) {
            return false;
        }
        bt_buf_printf(buf, "witness %.*s %.*s\n", BT_STR_ARG(peers[i].name),
                      BT_STR_ARG(peers[i].vkey));
    }
    bt_buf_put_text(buf, count > 0 ? "group peers any" : "quorum none\n");
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(buf, " %.*s", BT_STR_ARG(peers[i].name));
    }
    bt_buf_put_text(buf, count > 0 ? "\nquorum peers\n" : "");
    return true;
}

int cmd_ledger_policy(struct cli_run *run)
{
    struct bt_buf keys;
    struct bt_buf buf;
    if (!cli_run_open_ledger(run, CLI_READ_ANY)) {
        return CLI_FAILED;
    }
    bt_buf_init(&keys, 1 << 20);
    bt_buf_init(&buf, 1 << 20);
    if (bt_ledger_put_keys(run->ledger, &run->arena, BT_PUBLIC_KEYS_VKEY, &keys, &run->error) !=
        BT_OK) {
        bt_buf_free(&keys);
        return cli_run_failed(run, "cannot show the keys");
    }
    for (size_t from = 0; from < keys.len;) {
        const size_t end = bt_str_find_byte(bt_buf_str(&keys), '\n', from);
        bt_buf_put_text(&buf, "log ");
        bt_buf_put(&buf, bt_str_slice(bt_buf_str(&keys), from, end));
        bt_buf_put_char(&buf, '\n');
        from = end + 1;
    }
    bt_buf_free(&keys);
    if (!put_peers(run, &buf)) {
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    return cli_run_print_bytes(run, &buf);
}

int cmd_ledger_prove_consistency(struct cli_run *run)
{
    uint64_t old_size = 0;
    uint64_t size = 0;
    struct bt_ledger_head head;
    struct bt_consistency_result growth;
    struct bt_buf buf;
    if (!cli_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !cli_run_open_ledger(run, CLI_READ_ANY) ||
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

/* ---- export ---------------------------------------------------------------------------------- */

int cmd_ledger_export(struct cli_run *run)
{
    const char *folder = run->options->operands[0];
    struct bt_ledger_export_result exported;
    struct cli_progress progress;
    struct bt_buf buf;
    struct bt_emit emit;
    if (!cli_run_open_ledger(run, CLI_READ_ANY)) {
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
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(run->ledger));
    bt_emit_member_string(&emit, "dir", bt_str_of(folder));
    bt_emit_member_u64(&emit, "size", exported.size);
    bt_emit_member_string(&emit, "root", exported.root);
    bt_emit_member_u64(&emit, "files", exported.files);
    bt_emit_member_u64(&emit, "content", exported.documents);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

/* ---- redact ---------------------------------------------------------------------------------- */

/* Read what is to be deleted, and why. False after an error message. */
static bool parse_redaction(struct cli_run *run, struct bt_ledger_redact_options *out)
{
    const char *reason = cli_given(run->options, &flag_reason);
    const bt_str operand = bt_str_of(run->options->operands[0]);
    const bt_str prefix = BT_STR("sha256:");
    *out = (struct bt_ledger_redact_options){
        .by_seq = !bt_str_starts_with(operand, prefix),
        .reason = bt_str_of(reason),
        .sha256 = bt_str_slice(operand, prefix.len, operand.len),
        .min_s = bt_config_retain_seconds(run->options->config),
        .is_early = cli_given(run->options, &flag_early) != NULL,
    };
    if (out->is_early && !cli_given(run->options, &flag_actor)) {
        return cli_refuse_usage(run->options,
                                "--early needs --actor: the record shows who decided");
    }
    return cli_run_actor(run, &out->actor) && cli_run_open_ledger(run, CLI_WRITE) &&
           (!out->by_seq || cli_run_seq(run, operand.ptr, &out->seq));
}

/* Put what was deleted, by name and number. */
static void put_redaction(struct cli_run *run, struct bt_buf *buf,
                          const struct bt_ledger_redact_result *done)
{
    if (done->is_recorded) {
        cli_run_put_reference(run, buf, done->seq);
        bt_buf_put_text(buf, "redaction\n");
    }
    bt_buf_printf(buf, "document sha256:%.*s: %s (%" PRIu64 " bytes; entries",
                  BT_STR_ARG(done->sha256), done->was_redacted ? "deleted before" : "deleted",
                  done->size);
    for (size_t i = 0; i < done->count; i++) {
        bt_buf_printf(buf, "%s %" PRIu64, i == 0 ? "" : ",", done->seqs[i]);
    }
    bt_buf_put_text(buf, ")\n");
    for (size_t i = 0; i < done->approval_count; i++) {
        bt_buf_printf(buf, "approval %.*s: payload deleted\n", BT_STR_ARG(done->approvals[i]));
    }
}

int cmd_ledger_redact(struct cli_run *run)
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
    } else if (!cli_is_quiet(run->options)) {
        put_redaction(run, &buf, &redaction.done);
    }
    return cli_run_print(run, &buf);
}

/* ---- baton ledger hold ----------------------------------------------------------------------- */

/* Print the holds in force, and what was recorded. */
static int print_holds(struct cli_run *run, const struct bt_ledger_hold_options *done)
{
    struct bt_ledger_holds holds;
    struct bt_buf buf;
    if (bt_ledger_list_holds(run->ledger, &run->arena, &holds, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot list the holds");
    }
    bt_buf_init(&buf, (size_t)1 << 28);
    if (cli_run_is_json(run->options)) {
        bt_emit_holds(&buf, &holds, done);
        bt_buf_put_char(&buf, '\n');
        return cli_run_print(run, &buf);
    }
    for (size_t i = 0; i < holds.count; i++) {
        const struct bt_ledger_hold *hold = &holds.items[i];
        bt_buf_printf(&buf, "%.*s %.*s since %.*s: %.*s\n", BT_STR_ARG(hold->by),
                      BT_STR_ARG(hold->value), BT_STR_ARG(hold->since), BT_STR_ARG(hold->reason));
    }
    if (holds.count == 0) {
        bt_buf_put_text(&buf, "no holds\n");
    }
    return cli_run_print(run, &buf);
}

/* Read what is held: one of three flags. False after an error message. */
static bool parse_hold(struct cli_run *run, struct bt_ledger_hold_options *out)
{
    const struct cli_options *options = run->options;
    const char *trace = cli_given(options, &flag_trace);
    const char *handoff = cli_given(options, &flag_handoff);
    const char *document = cli_given(options, &flag_held_document);
    const bt_str prefix = BT_STR("sha256:");
    if (!!trace + !!handoff + !!document != 1) {
        return cli_refuse_usage(options, "name what is held by one of --trace, --handoff and "
                                         "--document");
    }
    if (document && !bt_str_starts_with(bt_str_of(document), prefix)) {
        return cli_refuse_usage(options, "--document wants sha256: and 64 hexadecimal digits");
    }
    out->by = trace     ? BT_LEDGER_HOLD_TRACE
              : handoff ? BT_LEDGER_HOLD_HANDOFF
                        : BT_LEDGER_HOLD_DOCUMENT;
    out->value = trace     ? bt_str_of(trace)
                 : handoff ? bt_str_of(handoff)
                           : bt_str_slice(bt_str_of(document), prefix.len, strlen(document));
    out->reason = bt_str_of(cli_given(options, &flag_reason));
    return cli_run_actor(run, &out->actor);
}

static int change_hold(struct cli_run *run, bool releases)
{
    struct bt_ledger_hold_options hold = {.releases = releases};
    if (!parse_hold(run, &hold) || !cli_run_open_ledger(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_ledger_change_hold(run->ledger, &run->env, &run->arena, &hold, run->alarms, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot change the hold");
    }
    return cli_run_alarmed(run) ? CLI_REJECTED : print_holds(run, &hold);
}

int cmd_ledger_hold_set(struct cli_run *run)
{
    return change_hold(run, false);
}

int cmd_ledger_hold_release(struct cli_run *run)
{
    return change_hold(run, true);
}

int cmd_ledger_hold_list(struct cli_run *run)
{
    if (!cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    return bt_ledger_entries(run->ledger) < 2
               ? cli_failed("entries of version 1 have no holds; baton store migrate --entries 2 "
                            "switches the log over")
               : print_holds(run, NULL);
}

/* ---- baton ledger beat ----------------------------------------------------------------------- */

int cmd_ledger_beat(struct cli_run *run)
{
    static const bt_str events[] = {BT_STR_INIT("start"), BT_STR_INIT("beat"), BT_STR_INIT("stop")};
    const char *event = cli_given(run->options, &flag_beat_event);
    const char *name = cli_given(run->options, &flag_run);
    struct bt_ledger_beat_options beat = {.actor = BT_STR("cli"),
                                          .event = event ? bt_str_of(event) : BT_STR("beat"),
                                          .run = name ? bt_str_of(name) : BT_STR("cli")};
    struct bt_buf buf;
    if (!bt_str_is_one_of(beat.event, events) || !bt_entry_name_is_valid(beat.run)) {
        return cli_usage_error(run->options->command,
                               "--event wants start, beat or stop, --run a name of 1 to 200 of "
                               "[A-Za-z0-9._:/@+-]");
    }
    if (!cli_run_open_ledger(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_ledger_beat(run->ledger, &run->env, &run->arena, &beat, run->alarms, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot record the heartbeat");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    bt_buf_put_text(&buf,
                    cli_run_is_json(run->options) ? "{\"baton\":1,\"record\":" : "recorded: ");
    bt_buf_put(&buf, beat.record);
    bt_buf_put_text(&buf, cli_run_is_json(run->options) ? "}\n" : "\n");
    return cli_run_print(run, &buf);
}
