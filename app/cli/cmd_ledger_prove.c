/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_prove.c - baton ledger prove inclusion, baton ledger prove consistency
 */
#include "commands.h"
#include "ledger_run.h"
#include "operation/ledger_json.h"
#include "print.h"

static cli_run_fn run_inclusion;
static cli_run_fn run_consistency;

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
    .run = run_inclusion,
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
    .run = run_consistency,
};

/* Find the entry. False after an error message. */
static bool find_seq(struct cli_ledger_run *run, uint64_t *out)
{
    const struct cli_options *options = run->options;
    const char *handoff = cli_given(options, &flag_handoff);
    if ((handoff != NULL) == (options->operand_count == 1)) {
        (void)cli_usage_error(options->command,
                              "name one entry, by its number or with --handoff ID");
        return false;
    }
    if (!handoff) {
        return ledger_run_seq(run, options->operands[0], out);
    }
    if (bt_ledger_find_handoff(run->ledger, bt_str_of(handoff), out, &run->error) != BT_OK) {
        (void)ledger_run_failed(run, "cannot prove it");
        return false;
    }
    return true;
}

static int prove_inclusion(struct cli_ledger_run *run)
{
    uint64_t seq = 0;
    uint64_t size = 0;
    struct bt_buf buf;
    const bool is_dsse = cli_given(run->options, &flag_dsse) != NULL;
    const enum bt_receipt_format format = is_dsse ? BT_RECEIPT_FORMAT_DSSE
                                          : ledger_run_is_json(run->options)
                                              ? BT_RECEIPT_FORMAT_JSON
                                              : BT_RECEIPT_FORMAT_TEXT;
    if (!ledger_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !ledger_run_open(run, is_dsse) || !find_seq(run, &seq)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (bt_ledger_prove_inclusion(run->ledger, seq, size, format, &buf, &run->error) != BT_OK) {
        bt_buf_free(&buf);
        return ledger_run_failed(run, "cannot prove it");
    }
    return ledger_run_print_bytes(run, &buf);
}

static int run_inclusion(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, prove_inclusion(&run))
                                           : CLI_FAILED;
}

static int prove_consistency(struct cli_ledger_run *run)
{
    uint64_t old_size = 0;
    uint64_t size = 0;
    struct bt_ledger_head head;
    struct bt_consistency_result growth;
    struct bt_buf buf;
    if (!ledger_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !ledger_run_open(run, false) ||
        !ledger_run_seq(run, run->options->operands[0], &old_size)) {
        return CLI_FAILED;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_prove_consistency(run->ledger, &run->arena, old_size, size, &growth,
                                    &run->error) != BT_OK) {
        return ledger_run_failed(run, "cannot prove it");
    }
    if (ledger_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (ledger_run_is_json(run->options)) {
        bt_emit_consistency(&buf, head.origin, &growth);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_put(&buf, growth.request);
    }
    return ledger_run_print_bytes(run, &buf);
}

static int run_consistency(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, prove_consistency(&run))
                                           : CLI_FAILED;
}
