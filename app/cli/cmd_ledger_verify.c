/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_verify.c - baton ledger verify, baton ledger verify-receipt
 */
#include <string.h>
#include <unistd.h>

#include <baton/file.h>

#include "commands.h"
#include "input.h"
#include "ledger_run.h"
#include "print.h"
#include "progress.h"

static cli_run_fn run_verify;
static cli_run_fn run_receipt;

enum {
    RECEIPT_BYTES_MAX = 256 * 1024,
    ENTRY_BYTES_MAX = 65535,
    KEY_BYTES_MAX = 4096,
};

static cli_parse_flag_fn take_tree;

/* clang-format off */
static const struct cli_flag flag_tree = {"tree", 0, "DIR", CLI_FOLDER,
    "verify an exported tree instead of a store; needs --vkey", take_tree};
static const struct cli_flag flag_against = {"against", 0, "FILE", CLI_FILE,
    "a checkpoint or receipt that was kept: is it part of this history? (repeatable)", NULL};
static const struct cli_flag flag_no_documents = {"no-documents", 0, NULL, CLI_ANY,
    "leave the documents alone", NULL};
static const struct cli_flag flag_any_entries = {"any-entries", 0, NULL, CLI_ANY,
    "entries need not be Baton's: for logs of others", NULL};
static const struct cli_flag flag_document = {"document", 0, "FILE", CLI_FILE,
    "the receipt must be for these bytes", NULL};
static const struct cli_flag flag_entry = {"entry", 0, "FILE", CLI_FILE,
    "the entry, when the receipt does not carry it", NULL};
static const struct cli_flag flag_any_verdict = {"any-verdict", 0, NULL, CLI_ANY,
    "let the receipt of a refusal pass", NULL};
/* clang-format on */

const struct cli_command cmd_ledger_verify = {
    .name = "baton ledger verify",
    .operands = "",
    .summary = "check the whole record",
    .about = "Recomputes every hash from the entries, compares every root that was ever signed, "
             "and checks entries, documents and cosignatures. Without --vkey the key beside the "
             "store is used, which proves only that the record agrees with itself.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_tree, &flag_vkey, &flag_against, &flag_witness_key,
                       &flag_require_witness, &flag_no_documents, &flag_any_entries, &flag_config,
                       &flag_no_config, &flag_store, &flag_store_root, &flag_deadline, &flag_now,
                       &flag_format, &flag_report_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger verify --vkey @team.vkey", "the whole ledger, with a key from elsewhere"},
        {"baton ledger verify --tree export --vkey @team.vkey",
         "an exported tree, without a store"}),
    .run = run_verify,
};

const struct cli_command cmd_ledger_verify_receipt = {
    .name = "baton ledger verify-receipt",
    .operands = "FILE|-",
    .summary = "check a receipt offline",
    .about = "A receipt proves that a document was judged, when, and how. That of a refusal is "
             "refused here unless --any-verdict is given, so that a gate which only looks at the "
             "exit code does not let it pass.\n",
    .missing = "name the receipt",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags =
        CLI_FLAGS(&flag_vkey, &flag_document, &flag_entry, &flag_any_verdict, &flag_witness_key,
                  &flag_require_witness, &flag_limit, &flag_store, &flag_store_root, &flag_deadline,
                  &flag_now, &flag_format, &flag_report_out, &flag_help),
    .examples = CLI_EXAMPLES({"baton ledger verify-receipt r.tlog-proof --vkey @k --document a.pdf",
                              "is this the receipt of this file?"}),
    .run = run_receipt,
};

/* A tree is verified with what it holds and the given keys, without a configuration. */
static bool take_tree(struct cli_options *options, const char *value)
{
    (void)value;
    options->without_config = true;
    return true;
}

/* ---- Shared ---------------------------------------------------------------------------------- */

/* Read the witness keys, and how many must have signed. False after an error message. */
static bool take_witnesses(struct cli_ledger_run *run, struct bt_verifier_keys **out_keys,
                           uint64_t *out_required)
{
    return ledger_run_keys(run, &flag_witness_key, BT_VERIFIER_KEY_WITNESS, out_keys) &&
           ledger_run_number(run, &flag_require_witness, *out_keys ? 1 : 0, out_required);
}

/* ---- verify ---------------------------------------------------------------------------------- */

static bool take_against(struct cli_ledger_run *run, struct bt_ledger_verify_options *options)
{
    const char *path = cli_given_at(run->options, &flag_against, 0);
    struct bt_known_checkpoint *kept =
        BT_NEW_ARRAY(&run->arena, struct bt_known_checkpoint, run->options->given_count + 1);
    if (!kept) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return false;
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

static int verify_ledger(struct cli_ledger_run *run)
{
    const char *tree = cli_given(run->options, &flag_tree);
    struct bt_verifier_keys *keys = NULL;
    struct bt_verifier_keys *witnesses = NULL;
    struct bt_judgement judged;
    struct cli_progress progress;
    struct bt_ledger_verify_options options = {
        .any_entries = cli_given(run->options, &flag_any_entries) != NULL,
        .no_documents = cli_given(run->options, &flag_no_documents) != NULL,
    };
    if (!ledger_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !take_witnesses(run, &witnesses, &options.witnesses_required) ||
        !take_against(run, &options)) {
        return CLI_FAILED;
    }
    if (tree && !keys) {
        return cli_usage_error(run->options->command, "--tree needs a --vkey: files prove nothing "
                                                      "without a key from elsewhere");
    }
    if (!tree && !ledger_run_open(run, false)) {
        return CLI_FAILED;
    }
    options.keys = keys;
    options.witnesses = witnesses;
    cli_progress_begin(&progress, "verifying", "entries");
    options.progress = progress.callback;
    const enum bt_status status =
        tree ? bt_ledger_verify_files(bt_str_of(tree), &run->arena, &options, &judged, &run->error)
             : bt_ledger_verify(run->ledger, &run->arena, &options, &judged, &run->error);
    cli_progress_end(&progress);
    return status == BT_OK ? ledger_run_report(run, &judged, 1)
                           : ledger_run_failed(run, "cannot verify");
}

static int run_verify(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, verify_ledger(&run)) : CLI_FAILED;
}

/* ---- verify-receipt -------------------------------------------------------------------------- */

/* Use the given keys, or those beside the store. False after an error message. */
static bool take_keys(struct cli_ledger_run *run, struct bt_receipt_verify_options *options)
{
    struct bt_ledger_options where;
    struct bt_verifier_keys *keys = NULL;
    if (!ledger_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !ledger_run_where(run, &where)) {
        return false;
    }
    options->keys = keys;
    if (keys) {
        return true;
    }
    if (bt_verifier_keys_from_store(&run->arena, &where, &keys, &run->error) != BT_OK) {
        cli_print_error("no --vkey is given, and none lies beside a store: %s", run->error.text);
        return false;
    }
    options->keys = keys;
    options->keys_are_local = true;
    return true;
}

/* Read the file that a flag names. False after an error message. */
static bool take_file(struct cli_ledger_run *run, const struct cli_flag *flag, uint64_t bytes_max,
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
static bool take_digest(struct cli_ledger_run *run, struct bt_file_digest *digest,
                        const struct bt_file_digest **out)
{
    const char *path = cli_given(run->options, &flag_document);
    if (!path) {
        return true;
    }
    *out = digest;
    const enum bt_status status = cli_is_stdin(path)
                                      ? bt_fd_digest(STDIN_FILENO, digest, &run->error)
                                      : bt_file_digest(bt_str_of(path), digest, &run->error);
    if (status != BT_OK) {
        cli_print_error("cannot read %s: %s", path, run->error.text);
    }
    return status == BT_OK;
}

static int verify_receipt(struct cli_ledger_run *run)
{
    struct bt_file_digest digest;
    struct bt_verifier_keys *witnesses = NULL;
    struct cli_input input;
    struct bt_judgement judged;
    struct bt_receipt_verify_options options = {
        .any_verdict = cli_given(run->options, &flag_any_verdict) != NULL};
    if (!take_keys(run, &options) ||
        !take_witnesses(run, &witnesses, &options.witnesses_required) ||
        !take_digest(run, &digest, &options.digest) ||
        !take_file(run, &flag_entry, ENTRY_BYTES_MAX, &options.has_entry, &options.entry) ||
        !cli_input_read(&run->arena, run->options->operands[0], RECEIPT_BYTES_MAX, &input)) {
        return CLI_FAILED;
    }
    options.witnesses = witnesses;
    const enum bt_status status =
        bt_receipt_verify(&run->arena, input.path, input.content, &options, &judged);
    if (status != BT_OK) {
        cli_print_error("cannot judge the receipt: %s", bt_status_text(status));
        return CLI_FAILED;
    }
    return ledger_run_report(run, &judged, 1);
}

static int run_receipt(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, verify_receipt(&run))
                                           : CLI_FAILED;
}
