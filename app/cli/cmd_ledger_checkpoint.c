/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_checkpoint.c - baton ledger checkpoint
 */
#include "base/clock.h"
#include "commands.h"
#include "input.h"
#include "ledger_run.h"
#include "net/http_client.h"
#include "operation/ledger_json.h"
#include "print.h"

static cli_run_fn run_checkpoint;

enum { LINES_BYTES_MAX = 64 * 1024, WITNESS_MS = 10000 };

static const struct cli_flag flag_add = {
    "add-cosignature",
    0,
    "FILE|-",
    CLI_FILE,
    "keep the signature lines in FILE that a --witness-key made",
    NULL};

static const struct cli_flag flag_url = {
    "witness-url", 0, "URL", CLI_ANY, "ask the witness there for a cosignature, and keep it", NULL};

static const struct cli_example examples[] = {
    {"baton ledger checkpoint", "the newest signed checkpoint"},
    {"baton ledger checkpoint -o checkpoint.txt", "keep it, to compare with later"},
    {"baton ledger checkpoint --witness-url http://w/ --witness-key @w.vkey",
     "let another party vouch for it"},
    {NULL, NULL},
};

const struct cli_command cmd_ledger_checkpoint = {
    .name = "baton ledger checkpoint",
    .operands = "",
    .summary = "print a signed checkpoint, or add cosignatures to it",
    .about = "A checkpoint that was kept elsewhere is what tells, later, that the log was not "
             "rewritten: see baton ledger verify --against.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_size, &flag_add, &flag_url, &flag_witness_key, &flag_config,
                       &flag_no_config, &flag_store, &flag_store_root, &flag_deadline, &flag_now,
                       &flag_format, &flag_out, &flag_help),
    .examples = examples,
    .run = run_checkpoint,
};

/* ---- Witness requests ------------------------------------------------------------------------ */

/*
 * Prove to the witness that the log has grown from `old` entries. Returns the status of its
 * response, or 0.
 */
static unsigned show_growth(struct cli_ledger_run *run, const struct http_url *where, uint64_t old,
                            uint64_t size, struct bt_buf *answer)
{
    struct bt_consistency_result growth;
    if (bt_ledger_prove_consistency(run->ledger, &run->arena, old, size, &growth, &run->error) !=
        BT_OK) {
        return 0;
    }
    const struct http_client_post post = {.where = where,
                                          .path = "/add-checkpoint",
                                          .fields = BT_STR("Content-Type: text/plain\r\n"),
                                          .body = growth.request,
                                          .until_ms = bt_clock_monotonic_ms() + WITNESS_MS};
    bt_buf_clear(answer);
    const unsigned status = bt_http_client_post(&post, answer);
    if (status == 0) {
        (void)bt_error_set(&run->error, BT_EIO, "no answer came from there within %d s",
                           WITNESS_MS / 1000);
    }
    return status;
}

/* The size that the witness last cosigned is unknown here; the witness reports it, once. */
static int request_cosignature(struct cli_ledger_run *run, const char *url, uint64_t size,
                               struct bt_buf *answer)
{
    struct http_url where;
    uint64_t old = 0;
    if (bt_http_url_parse(&run->arena, bt_str_of(url), &where) != BT_OK) {
        return cli_usage_error(run->options->command,
                               "--witness-url wants http://... or https://...");
    }
    unsigned status = show_growth(run, &where, 0, size, answer);
    if (status == 409 && bt_str_to_u64(bt_str_trim(bt_buf_str(answer)), &old) == BT_OK) {
        status = show_growth(run, &where, old, size, answer);
    }
    if (status == 0) {
        return ledger_run_failed(run, "cannot ask the witness");
    }
    if (status != 200) {
        cli_print_error("the witness refused with status %u", status);
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Add lines from a file or from a witness. CLI_DONE when they were stored. */
static int add_cosignatures(struct cli_ledger_run *run, uint64_t size, struct bt_buf *answer)
{
    const char *path = cli_given(run->options, &flag_add);
    const char *url = cli_given(run->options, &flag_url);
    struct cli_input input = {.content = BT_STR("")};
    struct bt_verifier_keys *witnesses = NULL;
    if (!ledger_run_keys(run, &flag_witness_key, BT_VERIFIER_KEY_WITNESS, &witnesses) ||
        (path && !cli_input_read_all(&run->arena, path, LINES_BYTES_MAX, &input))) {
        return CLI_FAILED;
    }
    if (!witnesses || (path && url)) {
        return cli_usage_error(run->options->command,
                               !witnesses ? "cosignatures need a --witness-key"
                                          : "give --add-cosignature or --witness-url, not both");
    }
    const int code = url ? request_cosignature(run, url, size, answer) : CLI_DONE;
    if (code != CLI_DONE) {
        return code;
    }
    ledger_run_watch(run);
    const enum bt_status status =
        bt_ledger_add_cosignatures(run->ledger, size, url ? bt_buf_str(answer) : input.content,
                                   witnesses, run->alarms, &run->error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(run, "cannot add the cosignature");
    }
    return ledger_run_alarmed(run) ? CLI_REJECTED : CLI_DONE;
}

static int print_checkpoint(struct cli_ledger_run *run)
{
    uint64_t size = 0;
    struct bt_ledger_head head;
    struct bt_ledger_checkpoint found;
    struct bt_buf buf;
    const bool adds = cli_given(run->options, &flag_add) || cli_given(run->options, &flag_url);
    if (!ledger_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !ledger_run_open(run, false)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, LINES_BYTES_MAX);
    const int added = adds ? add_cosignatures(run, size, &buf) : CLI_DONE;
    bt_buf_free(&buf);
    if (added != CLI_DONE) {
        return added;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_get_checkpoint(run->ledger, &run->arena, size, &found, &run->error) != BT_OK) {
        return ledger_run_failed(run, "cannot give the checkpoint");
    }
    if (ledger_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (ledger_run_is_json(run->options)) {
        bt_emit_checkpoint(&buf, &head, &found);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_put(&buf, found.note);
    }
    return ledger_run_print_bytes(run, &buf);
}

static int run_checkpoint(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, print_checkpoint(&run))
                                           : CLI_FAILED;
}
