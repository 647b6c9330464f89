/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_rotate.c - baton ledger rotate-key [--end]
 */
#include <baton/json.h>
#include <baton/ledger_care.h>

#include "commands.h"
#include "ledger_run.h"
#include "print.h"

static cli_run_fn run_rotate;

static const struct cli_flag flag_end = {
    "end", 0, NULL, CLI_ANY, "the old key signs no more; it leaves the key file", NULL};

const struct cli_command cmd_ledger_rotate = {
    .name = "baton ledger rotate-key",
    .operands = "",
    .summary = "change the key that signs",
    .about =
        "Makes a new key and records an entry whose document is its verifier key. Until "
        "--end both keys sign, and either verifier key works. Afterwards the new one is needed, "
        "and the old one for what was signed before: give both to all verifiers, and both "
        "files to the other nodes of a shared store. Witnesses trust the new key with "
        "'baton ledger witness trust --add'.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_end, &flag_seed, &flag_actor, &flag_config, &flag_no_config,
                       &flag_store, &flag_store_root, &flag_key, &flag_deadline, &flag_now,
                       &flag_format, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES({"baton ledger rotate-key", "make a new key; both sign from now on"},
                             {"baton ledger rotate-key --end", "let the new key sign alone"}),
    .run = run_rotate,
};

static void put_json(struct bt_buf *buf, const struct cli_ledger_run *run,
                     const struct bt_ledger_rotate_options *rotation)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(run->ledger));
    bt_emit_member_string(&emit, "old", rotation->old_vkey);
    bt_emit_member_string(&emit, "new", rotation->new_vkey);
    bt_emit_member_string(&emit, "signing", rotation->ends ? BT_STR("new") : BT_STR("both"));
    bt_emit_name(&emit, "record");
    bt_emit_raw(&emit, rotation->record.len > 0 ? rotation->record : BT_STR("null"));
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_text(struct bt_buf *buf, const struct bt_ledger_rotate_options *rotation)
{
    bt_buf_printf(buf, "verifier key: %.*s\n", BT_STR_ARG(rotation->new_vkey));
    bt_buf_put_text(
        buf, rotation->ends ? "It signs alone now. What was signed before is verified by the old "
                              "key, so keep both verifier keys.\n"
                            : "Both keys sign now. Give the new one to all verifiers, and then end "
                              "the rotation with --end.\n");
}

static int rotate_key(struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_ledger_rotate_options rotation = {.ends = cli_given(options, &flag_end) != NULL,
                                                .is_seeded = options->seed_given,
                                                .seed = options->seed};
    struct bt_buf buf;
    if (rotation.ends && rotation.is_seeded) {
        return cli_usage_error(options->command, "--end makes no key, so it takes no --seed");
    }
    if (!ledger_run_actor(run, &rotation.actor) || !ledger_run_open(run, true)) {
        return CLI_FAILED;
    }
    ledger_run_watch(run);
    const enum bt_status status = bt_ledger_rotate_key(run->ledger, &run->env, &run->arena,
                                                       &rotation, run->alarms, &run->error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(run, rotation.is_recorded ? "recorded, but" : "cannot rotate");
    }
    if (ledger_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (ledger_run_is_json(options)) {
        put_json(&buf, run, &rotation);
    } else {
        put_text(&buf, &rotation);
    }
    return ledger_run_print(run, &buf);
}

static int run_rotate(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, rotate_key(&run)) : CLI_FAILED;
}
