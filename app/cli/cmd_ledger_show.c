/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_show.c - baton ledger show SEQ|REF
 */
#include <inttypes.h>

#include <baton/json.h>

#include "commands.h"
#include "ledger_run.h"
#include "operation/shown_json.h"
#include "print.h"

static cli_run_fn run_show;

static const struct cli_flag flag_document = {
    "document", 0, NULL, CLI_ANY, "write the bytes of the document and nothing else", NULL};

static const struct cli_example examples[] = {
    {"baton ledger show 7", "one entry"},
    {"baton ledger show ledger.example/team#7 --document", "the document that it is about"},
    {NULL, NULL},
};

const struct cli_command cmd_ledger_show = {
    .name = "baton ledger show",
    .operands = "SEQ|REF",
    .summary = "show one entry, or its document",
    .about = "A REF is ORIGIN#SEQ. With --document the exit code is 1 when the bytes are not kept "
             "any more, or never were.\n",
    .missing = "name the entry by its number",
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_document, &flag_config, &flag_no_config, &flag_store, &flag_store_root,
                       &flag_deadline, &flag_now, &flag_format, &flag_out, &flag_help),
    .examples = examples,
    .run = run_show,
};

static int print_entry(struct cli_ledger_run *run, const struct bt_ledger_head *head,
                       const struct bt_ledger_entry_view *shown)
{
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)1 << 30);
    if (cli_given(run->options, &flag_document)) {
        if (shown->state != BT_DOCUMENT_STORED) {
            cli_print_error("the document of this entry is %s", bt_entry_view_state(shown->state));
            return CLI_REJECTED;
        }
        bt_buf_put(&buf, shown->bytes);
        return ledger_run_print_bytes(run, &buf);
    }
    if (ledger_run_is_json(run->options)) {
        bt_emit_entry_view(&buf, head->origin, shown);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_printf(&buf, "%.*s#%" PRIu64 "\nleaf %.*s\n%.*s\ndocument: %s\n",
                      BT_STR_ARG(head->origin), shown->entry.seq,
                      BT_STR_ARG(shown->entry.leaf_hash), BT_STR_ARG(shown->entry.text),
                      bt_entry_view_state(shown->state));
    }
    return ledger_run_print(run, &buf);
}

static int show_entry(struct cli_ledger_run *run)
{
    uint64_t seq = 0;
    struct bt_ledger_head head;
    struct bt_ledger_entry_view shown;
    if (!ledger_run_open(run, false) || !ledger_run_seq(run, run->options->operands[0], &seq)) {
        return CLI_FAILED;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_get_entry(run->ledger, &run->arena, seq, run->alarms, &shown, &run->error) !=
            BT_OK) {
        return ledger_run_failed(run, "cannot show it");
    }
    return ledger_run_alarmed(run) ? CLI_REJECTED : print_entry(run, &head, &shown);
}

static int run_show(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, show_entry(&run)) : CLI_FAILED;
}
