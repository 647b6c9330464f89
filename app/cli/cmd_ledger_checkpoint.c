/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_checkpoint.c - baton ledger checkpoint
 */
#include "commands.h"
#include "input.h"
#include "ledger_run.h"
#include "say.h"
#include "service/ledger_json.h"

static cli_run_fn run_checkpoint;

enum { LINES_BYTES_MAX = 64 * 1024 };

static const struct cli_flag flag_add = {
    "add-cosignature",
    0,
    "FILE|-",
    CLI_FILE,
    "keep the signature lines in FILE that a --witness-key made",
    NULL};

static const struct cli_flag *const flags[] = {
    &flag_size,     &flag_add, &flag_witness_key, &flag_config, &flag_store, &flag_store_root,
    &flag_deadline, &flag_now, &flag_format,      &flag_out,    &flag_help,  NULL,
};

static const struct cli_example examples[] = {
    {"baton ledger checkpoint", "the newest signed checkpoint"},
    {"baton ledger checkpoint -o checkpoint.txt", "keep it, to compare with later"},
    {NULL, NULL},
};

const struct cli_command cmd_ledger_checkpoint = {
    .name = "baton ledger checkpoint",
    .operands = "",
    .summary = "print a signed checkpoint, or add cosignatures to it",
    .about = "A checkpoint that was kept elsewhere is what tells, later, that the log was not "
             "rewritten: see baton ledger verify --against.\n",
    .missing = "",
    .flags = flags,
    .examples = examples,
    .run = run_checkpoint,
};

/* Add the lines of a file. CLI_DONE when they were kept. */
static int add(struct ledger_run *run, const char *path, uint64_t size)
{
    struct cli_input input;
    struct bt_ledger_keys *witnesses = NULL;
    if (!ledger_run_keys(run, &flag_witness_key, BT_LEDGER_WITNESS_KEY, &witnesses) ||
        !cli_input_read(&run->arena, path, LINES_BYTES_MAX, &input)) {
        return CLI_FAILED;
    }
    if (!witnesses) {
        return cli_misused(run->options->command, "--add-cosignature needs a --witness-key");
    }
    ledger_run_watch(run);
    const enum bt_status status = bt_ledger_add_cosignatures(run->ledger, size, input.content,
                                                             witnesses, run->alarms, &run->error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(run, "cannot add the cosignature");
    }
    return ledger_run_alarmed(run) ? CLI_REJECTED : CLI_DONE;
}

static int checkpoint(struct ledger_run *run)
{
    uint64_t size = 0;
    struct bt_ledger_head head;
    struct bt_ledger_checkpoint found;
    struct bt_buf buf;
    const char *path = cli_given(run->options, &flag_add);
    if (!ledger_run_number(run, &flag_size, BT_LEDGER_NONE, &size) ||
        !ledger_run_open(run, false)) {
        return CLI_FAILED;
    }
    const int added = path ? add(run, path, size) : CLI_DONE;
    if (added != CLI_DONE) {
        return added;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_checkpoint(run->ledger, &run->arena, size, &found, &run->error) != BT_OK) {
        return ledger_run_failed(run, "cannot give the checkpoint");
    }
    if (ledger_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (ledger_run_is_json(run->options)) {
        checkpoint_put(&buf, &head, &found);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_put(&buf, found.note);
    }
    return ledger_run_print(run, &buf);
}

static int run_checkpoint(const struct cli_options *options)
{
    struct ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, checkpoint(&run)) : CLI_FAILED;
}
