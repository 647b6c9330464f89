/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_store_retain.c - baton store retain --accepted-days N
 */
#include <inttypes.h>

#include <baton/json.h>
#include <baton/ledger_care.h>

#include "commands.h"
#include "ledger_run.h"
#include "print.h"

static cli_run_fn run_retain;

static const struct cli_flag flag_accepted_days = {
    "accepted-days", 0, "N", CLI_ANY, "keep documents of accepted handoffs for N days", NULL};

const struct cli_command cmd_store_retain = {
    .name = "baton store retain",
    .operands = "",
    .summary = "delete documents of handoffs that were accepted long ago",
    .about = "Each is redacted with the reason retention, and an entry says so; entries, digests "
             "and proofs stay valid. Documents of refusals and raw records stay, and so do bytes "
             "that a younger entry also has. Backups and replicas keep their copies.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_accepted_days, &flag_actor, &flag_config, &flag_no_config, &flag_store,
                       &flag_store_root, &flag_key, &flag_deadline, &flag_now, &flag_format,
                       &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton store retain --accepted-days 90", "delete what was accepted long ago"}),
    .use = BT_CONFIG_DECIDES,
    .run = run_retain,
};

static int print_retention(struct cli_ledger_run *run,
                           const struct bt_ledger_retain_options *retention)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    if (!ledger_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%" PRIu64 " documents deleted, %" PRIu64 " bytes\n",
                      retention->redacted, retention->bytes);
        return ledger_run_print(run, &buf);
    }
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "store", bt_ledger_url(run->ledger));
    bt_emit_member_u64(&emit, "accepted_days", retention->accepted_days);
    bt_emit_member_u64(&emit, "redacted", retention->redacted);
    bt_emit_member_u64(&emit, "bytes", retention->bytes);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return ledger_run_print(run, &buf);
}

static int redact_expired(struct cli_ledger_run *run)
{
    struct bt_ledger_retain_options retention = {.alarms = run->alarms};
    const char *days = cli_given(run->options, &flag_accepted_days);
    if (!days || bt_str_to_u64(bt_str_of(days), &retention.accepted_days) != BT_OK) {
        return cli_usage_error(run->options->command, "say how long: --accepted-days N");
    }
    if (!ledger_run_actor(run, &retention.actor) || !ledger_run_open(run, true)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_ledger_redact_expired(run->ledger, &run->env, &run->arena, &retention, &run->error);
    if (status != BT_OK && retention.redacted > 0) {
        cli_print_error("note: %" PRIu64 " documents were deleted before that", retention.redacted);
    }
    if (status != BT_OK) {
        return ledger_run_failed(run, "cannot go on");
    }
    return ledger_run_alarmed(run) ? CLI_REJECTED : print_retention(run, &retention);
}

static int run_retain(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, redact_expired(&run))
                                           : CLI_FAILED;
}
