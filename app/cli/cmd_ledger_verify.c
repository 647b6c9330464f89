/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_verify.c - baton ledger verify, verify-receipt and witness */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/file.h"
#include "commands.h"
#include "input.h"
#include "ledger/witness.h"
#include "output.h"
#include "run.h"
#include "terminal.h"

/* ---- baton ledger verify, baton ledger verify-receipt ---------------------------------------- */

static cli_work_fn verify_ledger;
static cli_work_fn verify_receipt;

enum {
    RECEIPT_BYTES_MAX = 256 * 1024,
    ENTRY_BYTES_MAX = 65535,
    VERIFY_KEY_BYTES_MAX = 4096,
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
    .work = verify_ledger,
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
    .work = verify_receipt,
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
        (void)cli_fail_status(BT_ENOMEM);
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

static int verify_ledger(struct cli_run *run)
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
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !take_witnesses(run, &witnesses, &options.witnesses_required) ||
        !take_against(run, &options)) {
        return CLI_FAILED;
    }
    if (tree && !keys) {
        return cli_usage_error(run->options->command, "--tree needs a --vkey: files prove nothing "
                                                      "without a key from elsewhere");
    }
    if (!tree && !cli_run_open_ledger(run, CLI_READ)) {
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
    return status == BT_OK ? cli_run_report_one(run, &judged, BT_STR(""))
                           : cli_run_failed(run, "cannot verify");
}

/* ---- verify-receipt -------------------------------------------------------------------------- */

/* Use the given keys, or those beside the store. False after an error message. */
static bool take_keys(struct cli_run *run, struct bt_receipt_judge_options *options)
{
    struct bt_ledger_options where;
    struct bt_verifier_keys *keys = NULL;
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !cli_run_find_store(run, &where)) {
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
    const enum bt_status status = cli_is_stdin(path)
                                      ? bt_fd_digest(STDIN_FILENO, digest, &run->error)
                                      : bt_file_digest(bt_str_of(path), digest, &run->error);
    if (status != BT_OK) {
        cli_print_error("cannot read %s: %s", path, run->error.text);
    }
    return status == BT_OK;
}

static int verify_receipt(struct cli_run *run)
{
    struct bt_file_digest digest;
    struct bt_verifier_keys *witnesses = NULL;
    struct cli_input input;
    struct bt_judgement judged;
    struct bt_receipt_judge_options options = {
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
        bt_receipt_judge(&run->arena, input.path, input.content, &options, &judged);
    if (status != BT_OK) {
        cli_print_error("cannot judge the receipt: %s", bt_status_text(status));
        return CLI_FAILED;
    }
    return cli_run_report_one(run, &judged, BT_STR(""));
}

/* ---- baton ledger witness -------------------------------------------------------------------- */

static cli_work_fn init_witness;
static cli_work_fn trust_log;
static cli_work_fn cosign_checkpoint;
static cli_work_fn print_witness;

enum { WITNESS_KEY_BYTES_MAX = 1024, REQUEST_BYTES_MAX = 128 * 1024 };

static const struct cli_flag flag_name = {
    "name", 0, "NAME", CLI_ANY, "name of the witness, best a URL without scheme", NULL};
static const struct cli_flag flag_key_text = {
    "key", 0, "FILE|-", CLI_FILE, "use the private key in FILE instead of making one", NULL};
static const struct cli_flag flag_add = {
    "add", 0, NULL, CLI_ANY, "trust this key beside the one that is trusted already", NULL};

/*
 * The flags of every `ledger` command, so that scripts can pass the same flags to all of them; a
 * witness has no store.
 */
#define COMMON_FLAGS &flag_store, &flag_store_root, &flag_deadline, &flag_now, &flag_format
static const struct cli_command cmd_init = {
    .name = "baton ledger witness init",
    .operands = "DIR",
    .summary = "make a witness",
    .about = "A folder of a witness must not be restored from a backup: it would forget.\n",
    .missing = "name the folder of the witness",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FOLDER,
    .flags = CLI_FLAGS(&flag_name, &flag_key_text, &flag_seed, COMMON_FLAGS, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES({"baton ledger witness init w --name witness.example/w1",
                              "make a witness in the folder w"}),
    .work = init_witness,
};
static const struct cli_command cmd_trust = {
    .name = "baton ledger witness trust",
    .operands = "DIR VKEY",
    .summary = "tell a witness to watch a log",
    .about = "",
    .missing = "name the folder of the witness, and the log's vkey",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FOLDER,
    .flags = CLI_FLAGS(&flag_add, COMMON_FLAGS, &flag_out, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton ledger witness trust w \"$(cat team.vkey)\"", "witness this log"}),
    .work = trust_log,
};
static const struct cli_command cmd_add = {
    .name = "baton ledger witness add",
    .operands = "DIR FILE|-",
    .summary = "cosign a checkpoint that extends what the witness holds",
    .about = "FILE is a request as baton ledger prove consistency prints it.\n",
    .missing = "name the folder of the witness, and the request",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(COMMON_FLAGS, &flag_report_out, &flag_help),
    .examples = CLI_EXAMPLES({"baton ledger witness add w request.txt", "print the cosignature"}),
    .work = cosign_checkpoint,
};
static const struct cli_command cmd_show = {
    .name = "baton ledger witness show",
    .operands = "DIR [ORIGIN]",
    .summary = "show what a witness holds",
    .about = "",
    .missing = "name the folder of the witness",
    .operands_min = 1,
    .operands_max = 2,
    .operand_kind = CLI_FOLDER,
    .flags = CLI_FLAGS(COMMON_FLAGS, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger witness show w -f json", "the logs that it holds"},
        {"baton ledger witness show w ledger.example/team", "the cosigned checkpoint"}),
    .work = print_witness,
};

const struct cli_command cmd_ledger_witness = {
    .name = "baton ledger witness",
    .operands = "COMMAND",
    .summary = "remember checkpoints of logs, and cosign what extends them",
    .about = "A witness is another party's small memory. Put it on another machine, under another "
             "account: then nobody can rewrite the log behind its back.\n",
    .missing = "witness what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples =
        CLI_EXAMPLES({"baton ledger witness init w --name witness.example/w1", "make a witness"},
                     {"baton ledger prove consistency 4 | baton ledger witness add w -",
                      "cosign a newer state"}),
    .parts = CLI_PARTS(&cmd_init, &cmd_trust, &cmd_add, &cmd_show),
};

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
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "witness", bt_str_of(run->options->operands[0]));
    bt_emit_member_string(&emit, "name", bt_str_of(name));
    bt_emit_member_string(&emit, "vkey", made->vkey);
    bt_emit_name(&emit, "test_key");
    bt_emit_bool(&emit, made->is_test_key);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_run_print(run, &buf);
}

static int init_witness(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *name = cli_given(options, &flag_name);
    const char *key = cli_given(options, &flag_key_text);
    struct cli_input input = {.content = BT_STR("")};
    struct bt_witness_init_result made;
    if (!name) {
        return cli_usage_error(options->command, "name the witness: --name NAME");
    }
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

static int trust_log(struct cli_run *run)
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
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", trusted.origin);
    bt_emit_member_u64(&emit, "logs", trusted.logs);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_run_print(run, &buf);
}

/* ---- baton ledger witness add ---------------------------------------------------------------- */

static int cosign_checkpoint(struct cli_run *run)
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

static int print_witness(struct cli_run *run)
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
