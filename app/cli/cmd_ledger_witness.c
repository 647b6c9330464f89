/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_witness.c - baton ledger witness init, trust, add, show
 */
#include <inttypes.h>

#include <baton/json.h>
#include <baton/witness.h>

#include "commands.h"
#include "input.h"
#include "ledger_run.h"
#include "print.h"

static cli_run_fn run_init;
static cli_run_fn run_trust;
static cli_run_fn run_add;
static cli_run_fn run_show;

enum { KEY_BYTES_MAX = 1024, REQUEST_BYTES_MAX = 128 * 1024 };

static const struct cli_flag flag_name = {
    "name", 0, "NAME", CLI_ANY, "name of the witness, best a URL without scheme", NULL};
static const struct cli_flag flag_key_text = {
    "key", 0, "FILE|-", CLI_FILE, "use the private key in FILE instead of making one", NULL};
static const struct cli_flag flag_add = {
    "add", 0, NULL, CLI_ANY, "trust this key beside the one that is trusted already", NULL};

static const struct cli_flag *const flags[] = {&flag_help, NULL};
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
    .run = run_init,
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
    .run = run_trust,
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
    .run = run_add,
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
    .run = run_show,
};

const struct cli_command cmd_ledger_witness = {
    .name = "baton ledger witness",
    .operands = "COMMAND",
    .summary = "remember checkpoints of logs, and cosign what extends them",
    .about = "A witness is another party's small memory. Put it on another machine, under another "
             "account: then nobody can rewrite the log behind its back.\n",
    .missing = "witness what? name one of its commands",
    .flags = flags,
    .examples =
        CLI_EXAMPLES({"baton ledger witness init w --name witness.example/w1", "make a witness"},
                     {"baton ledger prove consistency 4 | baton ledger witness add w -",
                      "cosign a newer state"}),
    .parts = CLI_PARTS(&cmd_init, &cmd_trust, &cmd_add, &cmd_show),
};

/* ---- init ------------------------------------------------------------------------------------ */

static int print_made(struct cli_ledger_run *run, const char *name,
                      const struct bt_witness_init_result *made)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 16);
    if (!ledger_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%.*s\n", BT_STR_ARG(made->vkey));
        return ledger_run_print(run, &buf);
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
    return ledger_run_print(run, &buf);
}

static int init_witness(struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    const char *name = cli_given(options, &flag_name);
    const char *key = cli_given(options, &flag_key_text);
    struct cli_input input = {.content = BT_STR("")};
    struct bt_witness_init_result made;
    if (!name) {
        return cli_usage_error(options->command, "name the witness: --name NAME");
    }
    if (key && !cli_input_read_all(&run->arena, key, KEY_BYTES_MAX, &input)) {
        return CLI_FAILED;
    }
    const struct bt_ledger_init_options plan = {.origin = bt_str_of(name),
                                                .key_text = input.content,
                                                .has_seed = options->seed_given,
                                                .seed = options->seed};
    if (bt_witness_init(&run->env, &run->arena, options->operands[0], &plan, &made, &run->error) !=
        BT_OK) {
        return ledger_run_failed(run, "cannot make the witness");
    }
    if (made.is_test_key) {
        cli_print_error("note: this is a test key, which anyone can compute");
    }
    return print_made(run, name, &made);
}

static int run_init(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, init_witness(&run)) : CLI_FAILED;
}

/* ---- trust ----------------------------------------------------------------------------------- */

static int trust_log(struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_witness_trust_result trusted;
    struct bt_buf buf;
    struct bt_emit emit;
    if (bt_witness_trust_log(&run->arena, options->operands[0], bt_str_of(options->operands[1]),
                             cli_given(options, &flag_add) != NULL, &trusted,
                             &run->error) != BT_OK) {
        return ledger_run_failed(run, "cannot trust it");
    }
    bt_buf_init(&buf, 1 << 16);
    if (!ledger_run_is_json(options)) {
        bt_buf_printf(&buf, "%.*s is trusted; %" PRIu64 " logs in all\n",
                      BT_STR_ARG(trusted.origin), trusted.logs);
        return ledger_run_print(run, &buf);
    }
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", trusted.origin);
    bt_emit_member_u64(&emit, "logs", trusted.logs);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return ledger_run_print(run, &buf);
}

static int run_trust(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, trust_log(&run)) : CLI_FAILED;
}

/* ---- add ------------------------------------------------------------------------------------- */

static int cosign_checkpoint(struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_input input;
    struct bt_witness_cosign_result answer;
    if (!cli_input_read(&run->arena, options->operands[1], REQUEST_BYTES_MAX, &input)) {
        return CLI_FAILED;
    }
    const struct bt_witness_request request = {options->operands[0], input.path, input.content};
    if (bt_witness_cosign(&run->env, &run->arena, &request, &answer, &run->error) != BT_OK) {
        return ledger_run_failed(run, "cannot judge the request");
    }
    /* Without a format the output is only the line, ready to be added to the checkpoint. */
    return options->output_count == 0 && answer.line.len > 0
               ? cli_print(answer.line)
               : ledger_run_report(run, &answer.judged, 1);
}

static int run_add(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, cosign_checkpoint(&run))
                                           : CLI_FAILED;
}

/* ---- show ------------------------------------------------------------------------------------ */

static int print_witness(struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    const bool is_json = ledger_run_is_json(options);
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
        return ledger_run_failed(run, "cannot show it");
    }
    return ledger_run_print_bytes(run, &buf);
}

static int run_show(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, print_witness(&run)) : CLI_FAILED;
}
