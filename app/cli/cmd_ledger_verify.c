/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_verify.c - baton ledger verify, verify-receipt, audit, bundle and witness */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/file.h"
#include "check/queue.h"
#include "cli.h"
#include "input.h"
#include "json/emit.h"
#include "ledger/audit.h"
#include "ledger/bundle.h"
#include "ledger/witness.h"
#include "output.h"
#include "run.h"
#include "terminal.h"

/* ---- baton ledger verify, baton ledger verify-receipt ---------------------------------------- */

enum {
    RECEIPT_BYTES_MAX = 256 * 1024,
    ENTRY_BYTES_MAX = 256 * 1024, /* of a statement with what is attached to it */
    VERIFY_KEY_BYTES_MAX = 4096,
};

/* ---- Shared ---------------------------------------------------------------------------------- */

/* Read the witness keys, and how many must have signed. False after an error message. */
static bool take_witnesses(struct cli_run *run, struct bt_verifier_keys **out_keys,
                           uint64_t *out_required)
{
    return cli_run_keys(run, &flag_witness_key, BT_VERIFIER_KEY_WITNESS, out_keys) &&
           cli_run_number(run, &flag_require_witness, *out_keys ? 1 : 0, out_required);
}

/* ---- verify ---------------------------------------------------------------------------------- */

static bool take_against(struct cli_run *run, struct bt_ledger_verify_options *options)
{
    const char *path = cli_given_at(run->options, &flag_against, 0);
    struct bt_known_checkpoint *kept =
        BT_NEW_ARRAY(&run->arena, struct bt_known_checkpoint, run->options->given_count + 1);
    if (!kept) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (; path; path = cli_given_at(run->options, &flag_against, options->against_count)) {
        struct cli_input input;
        if (!cli_input_read(&run->arena, path, RECEIPT_BYTES_MAX, &input)) {
            return false;
        }
        kept[options->against_count++] = (struct bt_known_checkpoint){input.path, input.content};
    }
    options->against = kept;
    return true;
}

int cmd_ledger_verify(struct cli_run *run)
{
    const char *tree = cli_given(run->options, &flag_tree);
    struct bt_verifier_keys *keys = NULL;
    struct bt_verifier_keys *witnesses = NULL;
    struct bt_witness_policy *policy = NULL;
    struct bt_judgement judged;
    struct cli_progress progress;
    const size_t cores = check_queue_cores();
    struct bt_ledger_verify_options options = {
        .threads =
            cores < BT_LEDGER_VERIFY_THREADS_MAX ? cores : (size_t)BT_LEDGER_VERIFY_THREADS_MAX,
        .any_entries = cli_given(run->options, &flag_any_entries) != NULL,
        .are_statements = cli_given(run->options, &flag_statements) != NULL,
        .no_documents = cli_given(run->options, &flag_no_documents) != NULL,
    };
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !take_witnesses(run, &witnesses, &options.witnesses_required) ||
        !cli_run_policy(run, &policy) || !take_against(run, &options)) {
        return CLI_FAILED;
    }
    if (tree && !keys && !policy) {
        return cli_usage_error(run->options->command,
                               "--tree needs a --vkey or a --policy: files prove nothing without a "
                               "key from elsewhere");
    }
    if (!tree && options.are_statements) {
        return cli_usage_error(run->options->command,
                               "--statements is for --tree: a store says what it holds");
    }
    if (!tree && !cli_run_open_ledger(run, CLI_READ_ANY)) {
        return CLI_FAILED;
    }
    options.keys = policy ? bt_witness_policy_logs(policy) : keys;
    options.witnesses = policy ? bt_witness_policy_witnesses(policy) : witnesses;
    options.policy = policy;
    cli_progress_begin(&progress, "verifying", "entries");
    options.progress = progress.callback;
    const enum bt_status status =
        tree ? bt_ledger_verify_files(bt_str_of(tree), &run->arena, &options, &judged, &run->error)
             : bt_ledger_verify(run->ledger, &run->arena, &options, &judged, &run->error);
    cli_progress_end(&progress);
    return status == BT_OK ? cli_run_report_one(run, &judged, BT_STR(""))
                           : cli_run_failed(run, "cannot verify");
}

/* ---- audit ----------------------------------------------------------------------------------- */

enum { OPEN_DEFAULT_S = 7 * 86400 };

/* A number or an instant. False after an error message. */
static bool take_bound(struct cli_run *run, const struct cli_flag *flag,
                       struct bt_ledger_bound *out)
{
    const char *text = cli_given(run->options, flag);
    if (!text) {
        return true;
    }
    out->is_given = true;
    if (bt_str_to_u64(bt_str_of(text), &out->seq) == BT_OK) {
        return true;
    }
    out->is_time = true;
    return bt_instant_parse(bt_str_of(text), &out->time) == BT_OK ||
           cli_refuse_usage(run->options,
                            "--%s wants the number of an entry or a time like "
                            "2026-02-11T00:45:02Z",
                            flag->name);
}

/* Read both ends of a range. False after an error message. */
static bool take_range(struct cli_run *run, const struct cli_flag *const flags[2],
                       struct bt_ledger_bound *from, struct bt_ledger_bound *to)
{
    if (!take_bound(run, flags[0], from) || !take_bound(run, flags[1], to)) {
        return false;
    }
    const bool is_above =
        from->is_given && to->is_given && from->is_time == to->is_time &&
        (from->is_time ? from->time.seconds > to->time.seconds : from->seq > to->seq);
    return !is_above || cli_refuse_usage(run->options, "--from is above --to");
}

static bool take_audit(struct cli_run *run, struct bt_ledger_audit_options *out)
{
    static const struct cli_flag *const range[] = {&flag_audit_from, &flag_audit_to};
    out->silence_is_given = cli_given(run->options, &flag_max_silence) != NULL;
    out->silence_s = 2 * bt_config_heartbeat_seconds(run->options->config);
    out->open_s = OPEN_DEFAULT_S;
    out->now = bt_env_now(&run->env);
    return take_range(run, range, &out->from, &out->to) &&
           cli_run_duration(run, &flag_max_silence, &out->silence_s) &&
           cli_run_duration(run, &flag_max_open, &out->open_s);
}

int cmd_ledger_audit(struct cli_run *run)
{
    const char *tree = cli_given(run->options, &flag_tree);
    struct bt_verifier_keys *keys = NULL;
    struct bt_verifier_keys *witnesses = NULL;
    struct bt_witness_policy *policy = NULL;
    struct bt_judgement judged;
    struct cli_progress progress;
    struct bt_ledger_audit_options options = {.open_s = OPEN_DEFAULT_S};
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !take_witnesses(run, &witnesses, &options.verify.witnesses_required) ||
        !cli_run_policy(run, &policy) || !take_audit(run, &options)) {
        return CLI_FAILED;
    }
    if (tree && !keys && !policy) {
        return cli_usage_error(run->options->command,
                               "--tree needs a --vkey or a --policy: files prove nothing without a "
                               "key from elsewhere");
    }
    if (!tree && !cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    options.verify.keys = policy ? bt_witness_policy_logs(policy) : keys;
    options.verify.witnesses = policy ? bt_witness_policy_witnesses(policy) : witnesses;
    options.verify.policy = policy;
    cli_progress_begin(&progress, "auditing", "entries");
    options.verify.progress = progress.callback;
    const enum bt_status status = bt_ledger_audit(tree ? NULL : run->ledger, bt_str_of(tree),
                                                  &run->arena, &options, &judged, &run->error);
    cli_progress_end(&progress);
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot audit");
    }
    const int code = cli_run_report_one(run, &judged, BT_STR(""));
    if (code != CLI_FAILED && cli_prints_text(run->options) && !cli_is_quiet(run->options)) {
        struct bt_buf buf;
        bt_buf_init(&buf, 1 << 16);
        bt_ledger_audit_put_unproven(&buf, &judged);
        return cli_print_buf(&buf) == CLI_DONE ? code : CLI_FAILED;
    }
    return code;
}

/* ---- bundle ---------------------------------------------------------------------------------- */

/* Read what selects the entries. False after an error message. */
static bool take_selection(struct cli_run *run, struct bt_ledger_bundle_options *out)
{
    const struct cli_options *options = run->options;
    const char *values[] = {[BT_LEDGER_BUNDLE_HANDOFF] = cli_given(options, &flag_handoff),
                            [BT_LEDGER_BUNDLE_TRACE] = cli_given(options, &flag_trace),
                            [BT_LEDGER_BUNDLE_AGENT] = cli_given(options, &flag_bundle_agent)};
    for (size_t by = BT_LEDGER_BUNDLE_HANDOFF; by <= BT_LEDGER_BUNDLE_AGENT; by++) {
        if (values[by] && out->by != BT_LEDGER_BUNDLE_ALL) {
            return cli_refuse_usage(options, "select by one of --handoff, --trace and --agent");
        }
        if (values[by]) {
            out->by = (enum bt_ledger_bundle_by)by;
            out->value = bt_str_of(values[by]);
        }
    }
    return out->by == BT_LEDGER_BUNDLE_ALL || bt_entry_name_is_valid(out->value) ||
           cli_refuse_usage(options, "--handoff, --trace and --agent want 1 to 200 of "
                                     "[A-Za-z0-9._:/@+-]");
}

static bool take_bundle(struct cli_run *run, struct bt_ledger_bundle_options *out)
{
    static const struct cli_flag *const range[] = {&flag_bundle_from, &flag_bundle_to};
    const struct cli_options *options = run->options;
    out->no_documents = cli_given(options, &flag_no_documents) != NULL;
    out->title = bt_str_of(cli_given(options, &flag_bundle_title));
    out->now = bt_env_now(&run->env);
    out->silence_s = 2 * bt_config_heartbeat_seconds(options->config);
    out->is_page =
        !bt_str_ends_with(bt_str_of(cli_given(options, &flag_bundle_file)), BT_STR(".json"));
    if (!take_range(run, range, &out->from, &out->to) || !take_selection(run, out) ||
        !cli_run_number(run, &flag_max_document, BT_LEDGER_BUNDLE_DOCUMENT_BYTES_MAX,
                        &out->document_bytes_max)) {
        return false;
    }
    return out->document_bytes_max <= BT_LEDGER_BUNDLE_DOCUMENT_BYTES_MAX ||
           cli_refuse_usage(options, "--max-document wants 0 to 1048576");
}

static int print_bundle(struct cli_run *run, const struct bt_ledger_bundle_result *made,
                        uint64_t bytes)
{
    const struct bt_ledger_bundle_counts *counts = &made->counts;
    const char *file = cli_given(run->options, &flag_bundle_file);
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 16);
    if (!cli_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%s: %" PRIu64 " entries of %" PRIu64 ", %" PRIu64 " bytes\n", file,
                      counts->disclosed, made->size, bytes);
        return cli_run_print(run, &buf);
    }
    cli_json_begin(&emit, &buf);
    bt_emit_member_object(&emit, "bundle");
    bt_emit_member_string(&emit, "file", bt_str_of(file));
    bt_emit_member_u64(&emit, "bytes", bytes);
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(run->ledger));
    bt_emit_member_u64(&emit, "size", made->size);
    bt_emit_member_u64_or_null(&emit, "from", !counts->is_empty, counts->from);
    bt_emit_member_u64_or_null(&emit, "to", !counts->is_empty, counts->to);
    bt_ledger_bundle_put_counts(&emit, counts);
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

int cmd_ledger_bundle(struct cli_run *run)
{
    const char *file = cli_given(run->options, &flag_bundle_file);
    struct bt_ledger_bundle_options options = {.by = BT_LEDGER_BUNDLE_ALL};
    struct bt_ledger_bundle_result made;
    struct bt_buf buf;
    if (!take_bundle(run, &options)) {
        return CLI_FAILED;
    }
    if (strcmp(file, "-") == 0) {
        return cli_usage_error(run->options->command, "--output wants the name of a new file");
    }
    if (access(file, F_OK) == 0) {
        return cli_failed("cannot write the bundle %s: it exists already", file);
    }
    if (!cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, BT_LEDGER_BUNDLE_BYTES_MAX);
    if (bt_ledger_put_bundle(run->ledger, &run->arena, &options, &buf, &made, &run->error) !=
        BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot make the bundle");
    }
    const uint64_t bytes = buf.len;
    const enum bt_status status =
        bt_file_create_private(bt_str_of(file), bt_buf_str(&buf), &run->error);
    bt_buf_free(&buf);
    if (status != BT_OK) {
        return cli_failed("cannot write the bundle %s: %s", file, run->error.text);
    }
    cli_print_error("note: a bundle is a copy, which later redactions do not reach");
    return print_bundle(run, &made, bytes);
}

int cmd_ledger_bundle_verify(struct cli_run *run)
{
    struct bt_verifier_keys *keys = NULL;
    struct bt_verifier_keys *witnesses = NULL;
    struct bt_witness_policy *policy = NULL;
    struct bt_ledger_bundle_judge_options options = {0};
    struct cli_input input;
    struct bt_judgement judged;
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !take_witnesses(run, &witnesses, &options.witnesses_required) ||
        !cli_run_policy(run, &policy)) {
        return CLI_FAILED;
    }
    if (!keys && !policy) {
        return cli_usage_error(run->options->command,
                               "name the key of the log with --vkey or --policy: those inside the "
                               "file are not trusted");
    }
    if (!cli_input_read(&run->arena, run->options->operands[0], BT_LEDGER_BUNDLE_BYTES_MAX,
                        &input)) {
        return CLI_FAILED;
    }
    options.keys = policy ? bt_witness_policy_logs(policy) : keys;
    options.witnesses = policy ? bt_witness_policy_witnesses(policy) : witnesses;
    options.policy = policy;
    const enum bt_status status =
        bt_ledger_bundle_judge(&run->arena, input.path, input.content, &options, &judged);
    return status == BT_OK ? cli_run_report_one(run, &judged, BT_STR(""))
                           : cli_failed("cannot judge the bundle: %s", bt_status_text(status));
}

/* ---- verify-receipt -------------------------------------------------------------------------- */

/* Use the given keys, or those beside the store. False after an error message. */
static bool take_keys(struct cli_run *run, struct bt_receipt_judge_options *options)
{
    struct bt_ledger_options where;
    struct bt_verifier_keys *keys = NULL;
    struct bt_witness_policy *policy = NULL;
    if (!cli_run_policy(run, &policy)) {
        return false;
    }
    if (policy) {
        options->policy = policy;
        options->keys = bt_witness_policy_logs(policy);
        return true;
    }
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !cli_run_find_store(run, &where)) {
        return false;
    }
    options->keys = keys;
    if (keys) {
        return true;
    }
    if (bt_verifier_keys_from_store(&run->arena, &where, &keys, &run->error) != BT_OK) {
        return cli_refuse("--vkey is not given, and no key was found beside a store: %s",
                          run->error.text);
    }
    options->keys = keys;
    options->keys_are_local = true;
    return true;
}

/* Read the file that a flag names. False after an error message. */
static bool take_file(struct cli_run *run, const struct cli_flag *flag, uint64_t bytes_max,
                      bool *out_has, bt_str *out)
{
    const char *path = cli_given(run->options, flag);
    struct cli_input input = {.content = BT_STR("")};
    *out_has = path != NULL;
    if (path && !cli_input_read_all(&run->arena, path, bytes_max, &input)) {
        return false;
    }
    *out = input.content;
    return true;
}

/* Hash the file that --document names, which may be of any size. False after an error message. */
static bool take_digest(struct cli_run *run, struct bt_file_digest *digest,
                        const struct bt_file_digest **out)
{
    const char *path = cli_given(run->options, &flag_document);
    if (!path) {
        return true;
    }
    *out = digest;
    return cli_input_digest(path, UINT64_MAX, digest);
}

/* Judge one receipt, and add it to the report. False after an error message. */
static bool judge_receipt(struct cli_run *run, const char *path,
                          const struct bt_receipt_judge_options *options)
{
    struct cli_input input;
    struct bt_judgement judged;
    if (cli_is_stdin(path) && run->stdin_read) {
        return cli_refuse("standard input was read already");
    }
    run->stdin_read = run->stdin_read || cli_is_stdin(path);
    if (!cli_input_read(&run->arena, path, BT_CERTIFICATE_BYTES_MAX, &input)) {
        return false;
    }
    const enum bt_status status =
        bt_receipt_judge(&run->arena, input.path, input.content, options, &judged);
    return status == BT_OK ? cli_run_report_add(run, &judged)
                           : cli_refuse("cannot judge the receipt: %s", bt_status_text(status));
}

int cmd_ledger_verify_receipt(struct cli_run *run)
{
    struct bt_file_digest digest;
    struct bt_verifier_keys *witnesses = NULL;
    struct bt_receipt_document same = {0};
    struct bt_receipt_judge_options options = {
        .any_verdict = cli_given(run->options, &flag_any_verdict) != NULL,
        .same = cli_given(run->options, &flag_same_document) ? &same : NULL};
    if (!take_keys(run, &options) ||
        !take_witnesses(run, &witnesses, &options.witnesses_required) ||
        !take_digest(run, &digest, &options.digest) ||
        !take_file(run, &flag_entry, ENTRY_BYTES_MAX, &options.has_entry, &options.entry)) {
        return CLI_FAILED;
    }
    if (options.has_entry && run->options->operand_count > 1) {
        return cli_usage_error(run->options->command, "--entry belongs to one receipt");
    }
    options.witnesses = options.policy ? bt_witness_policy_witnesses(options.policy) : witnesses;
    for (size_t i = 0; i < run->options->operand_count; i++) {
        if (!judge_receipt(run, run->options->operands[i], &options)) {
            return CLI_FAILED;
        }
    }
    return cli_run_report_write(run, BT_STR(""));
}

/* ---- baton ledger witness -------------------------------------------------------------------- */

enum { WITNESS_KEY_BYTES_MAX = 1024, REQUEST_BYTES_MAX = 128 * 1024 };

/*
 * The flags of every `ledger` command, so that scripts can pass the same flags to all of them; a
 * witness has no store.
 */
/* ---- baton ledger witness init --------------------------------------------------------------- */

static int print_made(struct cli_run *run, const char *name,
                      const struct bt_witness_init_result *made)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 16);
    if (!cli_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%.*s\n", BT_STR_ARG(made->vkey));
        return cli_run_print(run, &buf);
    }
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "witness", bt_str_of(run->options->operands[0]));
    bt_emit_member_string(&emit, "name", bt_str_of(name));
    bt_emit_member_string(&emit, "vkey", made->vkey);
    cli_json_bool(&emit, "test_key", made->is_test_key);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

int cmd_ledger_witness_init(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *name = cli_given(options, &flag_name);
    const char *key = cli_given(options, &flag_key_text);
    struct cli_input input = {.content = BT_STR("")};
    struct bt_witness_init_result made;
    if (key && !cli_input_read_all(&run->arena, key, WITNESS_KEY_BYTES_MAX, &input)) {
        return CLI_FAILED;
    }
    const struct bt_ledger_init_options plan = {.origin = bt_str_of(name),
                                                .key_text = input.content,
                                                .has_seed = options->seed_given,
                                                .seed = options->seed};
    if (bt_witness_init(&run->env, &run->arena, options->operands[0], &plan, &made, &run->error) !=
        BT_OK) {
        return cli_run_failed(run, "cannot make the witness");
    }
    if (made.is_test_key) {
        cli_print_error("note: this is a test key, which anyone can compute");
    }
    return print_made(run, name, &made);
}

/* ---- baton ledger witness trust -------------------------------------------------------------- */

int cmd_ledger_witness_trust(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_witness_trust_result trusted;
    struct bt_buf buf;
    struct bt_emit emit;
    if (bt_witness_trust_log(&run->arena, options->operands[0], bt_str_of(options->operands[1]),
                             cli_given(options, &flag_add) != NULL, &trusted,
                             &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot trust it");
    }
    bt_buf_init(&buf, 1 << 16);
    if (!cli_run_is_json(options)) {
        bt_buf_printf(&buf, "%.*s is trusted; %" PRIu64 " logs in all\n",
                      BT_STR_ARG(trusted.origin), trusted.logs);
        return cli_run_print(run, &buf);
    }
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "origin", trusted.origin);
    bt_emit_member_u64(&emit, "logs", trusted.logs);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

/* ---- baton ledger witness add ---------------------------------------------------------------- */

int cmd_ledger_witness_add(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_input input;
    struct bt_witness_cosign_result answer;
    if (!cli_input_read(&run->arena, options->operands[1], REQUEST_BYTES_MAX, &input)) {
        return CLI_FAILED;
    }
    const struct bt_witness_request request = {options->operands[0], input.path, input.content};
    if (bt_witness_cosign(&run->env, &run->arena, &request, &answer, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot judge the request");
    }
    /* Without a format the output is only the line, ready to be added to the checkpoint. */
    return options->output_count == 0 && answer.line.len > 0
               ? cli_print(answer.line)
               : cli_run_report_one(run, &answer.judged, BT_STR(""));
}

/* ---- baton ledger witness show --------------------------------------------------------------- */

int cmd_ledger_witness_show(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bool is_json = cli_run_is_json(options);
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)1 << 28);
    enum bt_status status = BT_OK;
    if (options->operand_count == 2 && !is_json) {
        bt_str note = BT_STR("");
        status = bt_witness_get_checkpoint(&run->arena, options->operands[0],
                                           bt_str_of(options->operands[1]), &note, &run->error);
        bt_buf_put(&buf, note);
    } else {
        const char *origin = options->operand_count == 2 ? options->operands[1] : NULL;
        status = bt_witness_put_logs(&run->arena, options->operands[0], bt_str_of(origin), &buf,
                                     &run->error);
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot show it");
    }
    return cli_run_print_bytes(run, &buf);
}
